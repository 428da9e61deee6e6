# SPDX-License-Identifier: Apache-2.0
# Runs the tests. tests/run.py builds the guest programs by itself (their flags are in their first lines); here is only
# what they need from the rest of the build. Other makefiles add prerequisites with a line `check-build: ...`.
#   make check-run                        everything
#   make check-run RUN_ARGS='a_smc -v'    some of it
#   make check-native                     only whether the guests are deterministic without Linchpin
BUILD ?= build

#   make check-opts                       results with each optimisation off, and with all (OPTS_ARGS='differ' for a part); about half an hour
#   make check-pristine                   make run and make check on a Debian 12 that has nothing but its base (PRISTINE_ARGS=--user)
#   make check-foreign SUITES=dir         test programs of other systems, natively and under the engine (FOREIGN_ARGS='--only NAME')
#   make check-probe                      probe mode, the long form: every function of libc, 10,000 times in and out
#   make check-kit KIT=dir                the tests of a Pin kit (KIT_ARGS='--only Buffer')
#   make check-record                     every guest recorded, and replayed three times under three tools (RECORD_ARGS='a_tsc' for some)
#   make check-layers                     who uses whom in src/, against src/layers.list
#   make check-docs                       names and rules in the notes, against the source
.PHONY: check-probe check-record check-build check-run check-native check-opts check-pristine check-foreign check-kit check-layers check-docs
# What the tests are made of: programs and packages.
check-build: all
check-run: check-build
	BUILD=$(abspath $(BUILD)) python3 tests/run.py $(RUN_ARGS)
check-layers: all
	BUILD=$(abspath $(BUILD)) python3 tests/layers.py
check-docs:
	python3 tests/docs.py
check-opts: all
	BUILD=$(abspath $(BUILD)) python3 tests/optimiser.py $(OPTS_ARGS)
check-foreign: all
	@BUILD=$(abspath $(BUILD)) python3 tests/foreign.py $(if $(SUITES),--suites $(SUITES)) $(FOREIGN_ARGS)
check-probe: all
	BUILD=$(abspath $(BUILD)) python3 tests/probe/run.py $(PROBE_ARGS)
check-record: all
	BUILD=$(abspath $(BUILD)) python3 tests/record/run.py $(RECORD_ARGS)
check-kit: all
	@BUILD=$(abspath $(BUILD)) python3 tests/kit/run.py $(if $(KIT),--kit $(KIT)) $(KIT_ARGS)
check-pristine:
	@BUILD=$(abspath $(BUILD)) scripts/pristine $(PRISTINE_ARGS)
check-native:
	BUILD=$(abspath $(BUILD)) python3 tests/run.py --native $(RUN_ARGS)
