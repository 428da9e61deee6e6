# SPDX-License-Identifier: Apache-2.0
# IA-32 programs (docs/design/ia32.md): make check-ia32 builds guests with the cross compiler and tests them (IA32_ARGS='--short', or the name of a guest).
# make fuzz-ia32 compares random instructions natively and under the engine until it finds a difference (FUZZ_ARGS='--minutes 10').
.PHONY: check-ia32 fuzz-ia32
fuzz-ia32: all
	BUILD=$(abspath $(BUILD)) python3 tests/ia32/fuzz.py $(FUZZ_ARGS)
check-ia32: all
	BUILD=$(abspath $(BUILD)) python3 tests/ia32/run.py $(IA32_ARGS)
