# SPDX-License-Identifier: Apache-2.0
# The tool headers by themselves (tests/api/compile): all standards and compilers, knobs, linchpin cc and new, makefiles for Pin.
#   make check-api-checked                names of the API made wrong, one at a time: which does a test see? goes on where it was (SPOIL_ARGS='--only PIN_Get')
.PHONY: check-api-headers check-api-list check-api-checked api-status
check-api-checked: check-build
	BUILD=$(abspath $(BUILD)) python3 tests/api/spoil.py $(SPOIL_ARGS)
# The checklist: every name of the API has a test or a reason; api-status writes docs/api-status.md anew.
check-api-list: all
	BUILD=$(abspath $(BUILD)) python3 tests/api/checklist.py --fresh
api-status: all
	BUILD=$(abspath $(BUILD)) python3 tests/api/checklist.py --fresh --write
check-api-headers: $(BUILD)/bin/linchpin
	BUILD=$(abspath $(BUILD)) python3 tests/api/compile/run.py
