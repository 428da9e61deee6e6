# SPDX-License-Identifier: Apache-2.0
# The tool headers by themselves (tests/api/compile): all standards and compilers, knobs, linchpin cc and new, makefiles for Pin.
.PHONY: check-api-headers check-api-list api-status
# The checklist: every name of the API has a test or a reason; api-status writes docs/api-status.md anew.
check-api-list: all
	BUILD=$(abspath $(BUILD)) python3 tests/api/checklist.py --fresh
api-status: all
	BUILD=$(abspath $(BUILD)) python3 tests/api/checklist.py --fresh --write
check-api-headers: $(BUILD)/bin/linchpin
	BUILD=$(abspath $(BUILD)) python3 tests/api/compile/run.py
