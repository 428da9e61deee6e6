#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a probe costs (probe mode): a call of an empty function, a replaced signature, and a thousand probes that are never hit. Rounds are interleaved, and of each figure the least
CPU time counts. Exit status 1: a bar is missed, or the program computed something else."""

import argparse
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
EMPTY_NS, SIGNATURE_NS, UNHIT = 60, 40, 1.01  # at most; over native, over native, times native
PROBES = {"empty": 1, "signature": 1, "unhit": 1000}  # at least so many


def run(how, calls, work, folder):
    """Nanoseconds of a call and of a round of work, and what was computed."""
    guest, out = os.path.join(BUILD, "bench", "guest", "probes"), os.path.join(folder, "placed")
    under = [os.path.join(BUILD, "bin", "linchpin"), "-t", os.path.join(BUILD, "bench", "tools", "probes.so"), "-how", how, "-o", out, "--"] if how != "native" else []
    words = subprocess.run([*under, guest, str(calls), str(work)], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    if how != "native":
        with open(out) as f:
            placed = int(f.read())
        if placed < PROBES[how]:
            sys.exit(f"probes: {how}: only {placed} probes could be placed")
    return float(words[0]), float(words[1]), words[2:]


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--rounds", type=int, default=15)
    p.add_argument("--calls", type=int, default=20_000_000)
    p.add_argument("--work", type=int, default=60_000_000)
    p.add_argument("--short", action="store_true", help="only whether it works: nothing is judged but what is computed")
    args = p.parse_args()
    rounds, calls, work = (1, 1000, 1000) if args.short else (args.rounds, args.calls, args.work)
    call, loop, computed = {}, {}, set()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            for how in ("native", *PROBES):
                a, b, words = run(how, calls, work, folder)
                call[how], loop[how] = min(a, call.get(how, a)), min(b, loop.get(how, b))
                computed.add(tuple(words))
    good = len(computed) == 1
    for how, most, text in (("empty", EMPTY_NS, "a probe with an empty function"), ("signature", SIGNATURE_NS, "a replaced signature")):
        over = call[how] - call["native"]
        good &= args.short or over <= most
        print(f"{text}: {over:.1f} ns over native (at most {most})")
    good &= args.short or loop["unhit"] <= loop["native"] * UNHIT
    print(f"{PROBES['unhit']} probes that are never hit: {loop['unhit'] / loop['native']:.4f} times native (at most {UNHIT})")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
