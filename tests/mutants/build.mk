# SPDX-License-Identifier: Apache-2.0
# Faults put into a copy of the engine, one at a time, against the tests that should see them (MUTANT_ARGS='--only fill' for some).
# Goes on where it was stopped; results in tests/mutants/results.tsv. About an hour and a half.
.PHONY: check-mutants
check-mutants: check-build
	BUILD=$(abspath $(BUILD)) $(if $(filter-out default,$(origin CC)),CC='$(CC)') python3 tests/mutants/run.py $(MUTANT_ARGS)
