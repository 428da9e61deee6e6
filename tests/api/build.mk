# SPDX-License-Identifier: Apache-2.0
# The tool headers by themselves (tests/api/compile): all standards and compilers, knobs, linchpin cc and new, makefiles for Pin.
.PHONY: check-api-headers
check-api-headers: $(BUILD)/bin/linchpin
	BUILD=$(abspath $(BUILD)) python3 tests/api/compile/run.py
