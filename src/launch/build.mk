# SPDX-License-Identifier: Apache-2.0
# The linchpin command. Included from the top Makefile, which defines CC, BUILD, LP_CFLAGS, VERSION and Q.
#
# It is static and lies at an address of its own (LAUNCH_BASE, by architecture), far from all that the kernel gives to programs, so that in-process loading finds the program's native
# addresses free. Code linked above 2 GiB must not hold absolute 32-bit addresses: hence our own objects are PIC, no relaxation of GOT loads, and no crtbegin (only the one for low addresses fits -static, and C needs none).

LAUNCH_SRC := $(addprefix src/launch/,main.c options.c program.c elfmap.c plan.c stack.c maps.c host.c inproc.c libcweak.c $(ARCH_LAUNCH)) $(wildcard src/launch/$(ARCH)/*.c) src/base/base.c src/os/linux/privilege.c
LAUNCH_OBJ := $(patsubst src/%.c,$(BUILD)/obj/launch/%.o,$(LAUNCH_SRC))
LAUNCH_CRT = $(shell $(CC) -print-file-name=$(1))
LAUNCH_PLACED = -static -nostartfiles -Wl,--no-relax -Wl,-Ttext-segment=$(LAUNCH_BASE) -Wl,-z,noexecstack \
	$(call LAUNCH_CRT,crt1.o) $(call LAUNCH_CRT,crti.o) $(LAUNCH_OBJ) $(call LAUNCH_CRT,crtn.o)
# LAUNCH_ORDINARY=1: a position-independent program with shared libraries, as sanitizers with a runtime want it; the guest cannot be loaded in-process then.
# LAUNCH_MORE: more of its sources.

$(BUILD)/obj/launch/%.o: src/%.c | deps-build
	@mkdir -p $(@D)
	@echo "  cc      $<"
	$(Q)$(CC) $(LP_CFLAGS) -DLP_VERSION='"$(VERSION)"' -fPIE -MMD -MP -c $< -o $@

$(BUILD)/bin/linchpin: $(LAUNCH_OBJ) $(LAUNCH_MORE)
	@mkdir -p $(@D)
	@echo "  link    $@"
	$(Q)$(CC) $(if $(LAUNCH_ORDINARY),-pie $(LAUNCH_OBJ) $(LAUNCH_MORE),$(LAUNCH_PLACED)) -o $@

-include $(LAUNCH_OBJ:.o=.d)
