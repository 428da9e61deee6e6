# SPDX-License-Identifier: Apache-2.0
# The RISC-V 64 port (docs/design/ports.md): make riscv64 builds its engine, launcher and guests into a folder of their own; make check-riscv64 tests them
# (RISCV64_ARGS='--short', or the name of a guest). Without the cross compiler the first line of scripts/deps says so.
RISCV64_CC ?= riscv64-linux-gnu-gcc
RISCV64_BUILD := $(BUILD)/riscv64
RISCV64_TESTS := $(RISCV64_BUILD)/tests
RISCV64_GUESTS := $(addprefix $(RISCV64_TESTS)/,hello hello_long work work_long code fork threads die handler shared)

.PHONY: riscv64 check-riscv64
riscv64:
	@scripts/deps riscv64
	@+$(MAKE) --no-print-directory ARCH=riscv64 BUILD=$(RISCV64_BUILD) CC=$(RISCV64_CC) $(RISCV64_BUILD)/lib/linchpin/linchpin-vm $(RISCV64_BUILD)/bin/linchpin
	@+$(MAKE) --no-print-directory $(RISCV64_GUESTS) $(RISCV64_TESTS)/decode $(RISCV64_TESTS)/icount.so
check-riscv64:
	BUILD=$(abspath $(BUILD)) python3 tests/riscv64/run.py $(RISCV64_ARGS)

# Once with compressed instructions, once without as far as the guest's own code goes.
$(RISCV64_TESTS)/%_long: RISCV64_FLAGS := -march=rv64g -mabi=lp64d
$(RISCV64_TESTS)/hello $(RISCV64_TESTS)/hello_long: tests/riscv64/hello.S
	@mkdir -p $(@D)
	$(Q)$(RISCV64_CC) $(RISCV64_FLAGS) -nostdlib -static $< -o $@
$(RISCV64_TESTS)/work_long: tests/riscv64/work.c
	@mkdir -p $(@D)
	$(Q)$(RISCV64_CC) $(RISCV64_FLAGS) -O2 -Wall -Wextra -static $< -o $@ -lm
$(filter-out %hello %_long,$(RISCV64_GUESTS)): $(RISCV64_TESTS)/%: tests/riscv64/%.c
	@mkdir -p $(@D)
	$(Q)$(RISCV64_CC) -O2 -Wall -Wextra -Wno-unused-result -static $< -o $@ -lm -pthread

# Of the machine that builds.
$(RISCV64_TESTS)/decode: tests/riscv64/decode.c src/arch/riscv64/decode.c $(wildcard src/arch/riscv64/*.h src/arch/*.h)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN) -O1 -Isrc -Isrc/arch/riscv64 $(filter %.c,$^) -o $@
$(RISCV64_TESTS)/icount.so: tests/riscv64/icount.c
	@mkdir -p $(@D)
	$(Q)$(CC) -O2 $(WARN) -shared -fPIC $< -o $@
