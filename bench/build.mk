# SPDX-License-Identifier: Apache-2.0
# The benchmarks (docs/testing.md says how they measure).
#   make bench                              everything with the peers; writes docs/bench.md and its pictures (about an hour)
#   make bench-quick                        short inputs, no peers, under 3 minutes
#   make bench-quick BENCH_ARGS='--compare old.json'
.PHONY: bench bench-quick deps-bench deps-peers
bench: all deps-bench deps-peers
	@python3 bench/bench.py --peers --docs $(BENCH_ARGS)
bench-quick: all deps-bench
	@python3 bench/bench.py --quick $(BENCH_ARGS)
deps-bench:
	@scripts/deps --soft bench
deps-peers:
	@scripts/deps --soft peers
