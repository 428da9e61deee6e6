# SPDX-License-Identifier: Apache-2.0
# gdb against programs under the engine (make check has the short form).
.PHONY: check-debug
check-debug: all
	@scripts/deps --soft test
	BUILD=$(abspath $(BUILD)) python3 tests/debug/run.py $(DEBUG_ARGS)
