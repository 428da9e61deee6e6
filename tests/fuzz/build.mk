# SPDX-License-Identifier: Apache-2.0
# The fuzzers: make fuzz (instructions), fuzz-sys (system calls), fuzz-elf (ELF files) and fuzz-stops (signals at every byte) run until
# they find something (FUZZ_ARGS='--minutes 10'); make check-fuzz and check-stops are the short forms of make check.
BUILD ?= build
FUZZ := $(BUILD)/tests/fuzz
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
FUZZ_OBJ := $(patsubst tests/fuzz/%.c,$(FUZZ)/%.o,$(filter-out tests/fuzz/fuzz_table.c,$(FUZZ_SRC))) $(FUZZ)/fuzz_enter.o $(FUZZ)/templates.o

$(FUZZ)/%.o: tests/fuzz/%.c $(wildcard tests/fuzz/*.h) | deps-build
	@mkdir -p $(@D)
	$(CC) $(LP_CFLAGS) -fPIE -fno-stack-protector -c $< -o $@

$(FUZZ)/fuzz_enter.o: tests/fuzz/fuzz_enter.S | deps-build
	@mkdir -p $(@D)
	$(CC) -fPIE -c $< -o $@

$(FUZZ)/fuzz_table: tests/fuzz/fuzz_table.c tests/fuzz/fuzz.h | deps-build
	@mkdir -p $(@D)
	$(CC) $(LP_CFLAGS) $< -o $@ -lZydis

$(FUZZ)/templates.o: $(FUZZ)/fuzz_table
	(echo '#include "fuzz.h"'; $<) >$(FUZZ)/templates.c
	$(CC) $(LP_CFLAGS) -Itests/fuzz -fPIE -c $(FUZZ)/templates.c -o $@

$(FUZZ)/fuzz_guest: $(FUZZ_OBJ)
	$(CC) -pie $^ -o $@ -lZydis

# What tools should see, natively (truth.c).
$(FUZZ)/truth: tests/fuzz/truth.c tests/fuzz/truth_facts.c tests/fuzz/truth_probes.c $(wildcard tests/fuzz/*.h tests/fuzz/tools/*.h) | deps-build
	@mkdir -p $(@D)
	$(CC) $(LP_CFLAGS) $(filter %.c,$^) -o $@ -lZydis

# Signals at every byte (stops.py): the driver traces the guest.
$(FUZZ)/stops: $(FUZZ)/stops.o $(FUZZ)/stops_trace.o $(FUZZ)/fuzz_state.o
	$(CC) -pie $^ -o $@ -lZydis

# The guest of the system call fuzzer runs without the C library's help, and what it does must not depend on where it lies.
$(FUZZ)/sys/sys_guest: $(wildcard tests/fuzz/sys/*.[chS]) | deps-build
	@mkdir -p $(@D)
	$(CC) $(LP_CFLAGS) -O1 -fno-stack-protector -fcf-protection=none -static $(filter-out %/sys_nest.c,$(filter %.c %.S,$^)) -o $@

$(FUZZ)/sys/sys_nest: tests/fuzz/sys/sys_nest.c | deps-build
	@mkdir -p $(@D)
	$(CC) $(LP_CFLAGS) $< -o $@

.PHONY: fuzz fuzz-sys fuzz-elf fuzz-stops check-fuzz check-stops fuzz-guest
fuzz-guest: $(FUZZ)/fuzz_guest $(FUZZ)/truth $(FUZZ)/stops $(FUZZ)/sys/sys_guest $(FUZZ)/sys/sys_nest
fuzz-sys: fuzz-guest all
	BUILD=$(abspath $(BUILD)) python3 tests/fuzz/sys/fuzz_sys.py $(FUZZ_ARGS)
fuzz-elf: fuzz-guest all
	BUILD=$(abspath $(BUILD)) python3 tests/fuzz/elf/fuzz_elf.py $(FUZZ_ARGS)
fuzz: fuzz-guest all
	BUILD=$(abspath $(BUILD)) python3 tests/fuzz/fuzz.py $(FUZZ_ARGS)
check-fuzz: fuzz-guest all
	BUILD=$(abspath $(BUILD)) python3 tests/fuzz/fuzz.py --short
	BUILD=$(abspath $(BUILD)) python3 tests/fuzz/sys/fuzz_sys.py --short
	BUILD=$(abspath $(BUILD)) python3 tests/fuzz/elf/fuzz_elf.py --short
fuzz-stops: fuzz-guest all
	BUILD=$(abspath $(BUILD)) python3 tests/fuzz/stops.py $(FUZZ_ARGS)
check-stops: fuzz-guest all
	BUILD=$(abspath $(BUILD)) python3 tests/fuzz/stops.py --short
check-build: fuzz-guest
