# SPDX-License-Identifier: Apache-2.0
# linchpin-points, which `linchpin points` runs. Included from the top Makefile. Products are not joined with sums, so that every machine comes to the same clusters.
POINTS := $(BUILD)/lib/linchpin/linchpin-points
POINTS_OBJ := $(patsubst %,$(BUILD)/obj/%.o,$(wildcard src/points/*.c))
all: $(POINTS)

$(POINTS_OBJ): $(BUILD)/obj/%.c.o: %.c | deps-build
	@mkdir -p $(@D)
	@echo "  cc      $<"
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN) -Isrc/points -ffp-contract=off $(CFLAGS) -MMD -MP -c $< -o $@

$(POINTS): $(POINTS_OBJ)
	@mkdir -p $(@D)
	@echo "  link    $@"
	$(Q)$(CC) $^ -o $@.new -lm && mv $@.new $@

install: install-points
.PHONY: install-points
install-points: $(POINTS)
	install -d $(DESTDIR)$(PREFIX)/lib/linchpin
	install -m 755 $(POINTS) $(DESTDIR)$(PREFIX)/lib/linchpin/linchpin-points

-include $(POINTS_OBJ:.o=.d)
