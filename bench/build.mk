# SPDX-License-Identifier: Apache-2.0
# The benchmarks (docs/testing.md says how they measure).
#   make bench                              everything with the peers; writes docs/bench.md and its pictures; then what probes cost (an hour and a quarter at most)
#   make bench-quick                        short inputs, no peers, under 3 minutes
#   make bench-quick BENCH_ARGS='--compare old.json'
.PHONY: bench bench-quick bench-tools deps-bench deps-peers
bench: all bench-tools deps-bench deps-peers
	@python3 bench/bench.py --peers --docs $(BENCH_ARGS)
	@BUILD=$(BUILD) python3 bench/probes.py
bench-quick: all bench-tools deps-bench
	@python3 bench/bench.py --quick $(BENCH_ARGS)
deps-bench:
	@scripts/deps --soft bench
deps-peers:
	@scripts/deps --soft peers
bench-tools: $(BUILD)/bench/start $(patsubst bench/guest/%.c,$(BUILD)/bench/guest/%,$(wildcard bench/guest/*.c)) $(patsubst bench/tools/%.cpp,$(BUILD)/bench/tools/%.so,$(wildcard bench/tools/*.cpp))
check-build: $(BUILD)/bench/start $(BUILD)/bench/guest/threads $(BUILD)/bench/guest/probes $(BUILD)/bench/tools/private.so $(BUILD)/bench/tools/probes.so
$(BUILD)/bench/start: bench/start.c
	@mkdir -p $(@D)
	@echo "  cc      $<"
	$(Q)$(CC) -O2 $(WARN) -static $< -o $@
$(BUILD)/bench/guest/%: bench/guest/%.c
	@mkdir -p $(@D)
	@echo "  cc      $<"
	$(Q)$(CC) -O2 $(WARN) $< -o $@ -pthread
$(BUILD)/bench/tools/%.so: bench/tools/%.cpp bench/tools/result.h $(wildcard include/*.H include/*.h include/linchpin/*) | deps-build
	@mkdir -p $(@D)
	@echo "  tool    $<"
	$(Q)$(CXX) $(TOOL_FLAGS) $(WARN) -Iinclude $< -o $@
