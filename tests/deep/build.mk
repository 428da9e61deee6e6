# SPDX-License-Identifier: Apache-2.0
# The deep checks: other builds of the same sources, and tools that read them. Each variant has a BUILD folder of its own; tests/deep/run.py makes them and says what they
# are good for. What has passed on the same sources is not run again (DEEP_ARGS=--fresh: it is).

# The checker of lock ranks is checked itself, in every build: with the flags that it needs.
LOCKRANK_TEST := $(BUILD)/tests/unit/test_lockrank
$(LOCKRANK_TEST): tests/deep/test_lockrank.c src/os/linux/lockrank.c src/os/linux/hostsym.c src/base/base.c $(wildcard src/os/*.h src/base/*.h) | deps-build
	@mkdir -p $(@D)
	$(CC) $(LP_CFLAGS) -Itests/unit -O1 -DLP_LOCK_RANKS -fno-omit-frame-pointer -fno-optimize-sibling-calls -fPIE -pie $(filter %.c,$^) -o $@ -lcmocka
UNIT_BINS += $(LOCKRANK_TEST)
check-build check-unit: $(LOCKRANK_TEST)
.PHONY: unit-tests
unit-tests: $(filter-out $(UNIT_SKIP:%=$(BUILD)/tests/unit/test_%),$(UNIT_BINS))

DEEP_PARTS := ranks ubsan asan clang lint coverage
.PHONY: check-deep $(DEEP_PARTS:%=check-%)
check-deep: all
	@scripts/deps test short deep
	BUILD=$(abspath $(BUILD)) python3 tests/deep/run.py $(DEEP_ARGS)
$(DEEP_PARTS:%=check-%): check-%: all
	@scripts/deps test short deep
	BUILD=$(abspath $(BUILD)) python3 tests/deep/run.py $(DEEP_ARGS) $*
