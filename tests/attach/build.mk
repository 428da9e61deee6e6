# SPDX-License-Identifier: Apache-2.0
# Attach and detach, the long form: redis under load 1,000 times, the other guests 100 times. About 10 minutes.
.PHONY: check-attach
check-attach: all
	@scripts/deps --soft apps
	BUILD=$(abspath $(BUILD)) python3 tests/attach/run.py $(ATTACH_ARGS)
