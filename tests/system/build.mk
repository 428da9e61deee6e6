# SPDX-License-Identifier: Apache-2.0
# Whole systems under QEMU (docs/system.md): make check-system (SYSTEM_ARGS='parts' for some). The test builds its guest and tools by itself.
.PHONY: check-system
check-system: all
	BUILD=$(abspath $(BUILD)) python3 tests/system/run.py $(SYSTEM_ARGS)
