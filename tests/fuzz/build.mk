# SPDX-License-Identifier: Apache-2.0
# The instruction fuzzer: make fuzz runs until it finds something; make check-fuzz is the short form of make check. fuzz-stops and
# check-stops: the same for signals at every byte.
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

# Signals at every byte (stops.py): the driver traces the guest.
$(FUZZ)/stops: $(FUZZ)/stops.o $(FUZZ)/stops_trace.o $(FUZZ)/fuzz_state.o
	$(CC) -pie $^ -o $@ -lZydis

.PHONY: fuzz check-fuzz fuzz-guest fuzz-stops check-stops
fuzz-guest: $(FUZZ)/fuzz_guest $(FUZZ)/stops
fuzz: $(FUZZ)/fuzz_guest $(BUILD)/bin/linchpin
	BUILD=$(abspath $(BUILD)) python3 tests/fuzz/fuzz.py $(FUZZ_ARGS)
check-fuzz: $(FUZZ)/fuzz_guest $(BUILD)/bin/linchpin
	BUILD=$(abspath $(BUILD)) python3 tests/fuzz/fuzz.py --short
fuzz-stops: fuzz-guest $(BUILD)/bin/linchpin
	BUILD=$(abspath $(BUILD)) python3 tests/fuzz/stops.py $(FUZZ_ARGS)
check-stops: fuzz-guest $(BUILD)/bin/linchpin
	BUILD=$(abspath $(BUILD)) python3 tests/fuzz/stops.py --short
check-build: $(FUZZ)/fuzz_guest $(FUZZ)/stops
