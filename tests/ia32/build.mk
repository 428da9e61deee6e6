# SPDX-License-Identifier: Apache-2.0
# IA-32 programs (docs/design/ia32.md): make check-ia32 builds guests with the cross compiler and tests them (IA32_ARGS='--short', or the name of a guest).
.PHONY: check-ia32
check-ia32: all
	BUILD=$(abspath $(BUILD)) python3 tests/ia32/run.py $(IA32_ARGS)
