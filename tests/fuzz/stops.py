#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Signals at every byte: cases of the instruction fuzzer are interrupted at every address that they execute in the
code cache.

    stops.py                   until stopped (or --minutes N), fresh seeds, the modes in turn
    stops.py --short           fixed seeds; the last line is `N passed, N failed`
    stops.py --seed S [--from N] [--cases N] [--mode M ...]
    stops.py --seed S --case N --mode M      one case: shrink and show it

The driver is build/tests/fuzz/stops (stops.c says what it does and what it compares). A mode is a set of options of
linchpin, perhaps with a tool; in `loose` modes registers that the program does not need any more may differ
(docs/design/optimiser.md, O5), so only the place and the end of the case are compared there. Modes with counts also
compare what a tool has counted. A stop is a test that passed.
Exit status: 0 all the same, 1 differences, 2 usage, 77 this machine does not allow it (tracing, hardware breakpoints).
"""
import argparse
import os
import random
import re
import resource
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import watch  # noqa: E402
import modes  # noqa: E402
from fuzz import GUEST, supported_file  # noqa: E402
from modes import BUILD, LINCHPIN  # noqa: E402

DRIVER = os.path.join(BUILD, "tests", "fuzz", "stops")
CASES = 4  # of one run of the driver
SHRINK_SECONDS = 90


class Mode:
    """Options of linchpin, a tool with its own options, and what the driver is to compare."""

    def __init__(self, options="", tool=None, words="", counts=0, loose=False):
        self.options, self.words = options.split(), words.split()
        self.tool, self.counts, self.loose = tool, counts, loose

    def engine(self):
        tool = ["-t", modes.build(self.tool)] + self.words if self.tool else []
        return [LINCHPIN] + self.options + tool + ["--"]

    def compare(self):
        return ["--counts", str(self.counts)] * bool(self.counts) + ["--loose"] * self.loose


def counting(ways, options="", loose=False):
    return Mode(("" if loose else "-no_dead ") + options, "stopcount", f"-ways {ways}", ways & 15, loose)


MODES = {
    "plain": Mode(),
    "one": Mode("-trace_max_ins 1"),
    "far": Mode("-no_rip_near"),
    "nolink": Mode("-no_link"),
    "clone": Mode("-clone_after 1"),
    "inproc": Mode("-injection inprocess"),
    "count": counting(1),
    "count-nomerge": counting(1, "-no_merge"),
    "count-nospread": counting(1, "-no_spread"),
    "count-loose": counting(1, loose=True),
    "inline": counting(2),
    "inline-nopartial": counting(2, "-no_partial"),
    "inline-nofold": counting(2, "-no_fold"),
    "inline-nolazy": counting(2, "-no_lazy"),
    "inline-nobind": counting(2, "-no_bind"),
    "inline-loose": counting(2, loose=True),
    "fill": counting(4),
    "fill-nocarry": counting(4, "-no_carry"),
    "fill-loose": counting(4, loose=True),
    "call": counting(8),
    "call-nolazy": counting(8, "-no_lazy"),
    "call-nolight": counting(8, "-no_light"),
    "call-loose": counting(8, loose=True),
    "all": counting(24),
    "mixed": counting(15),
    "mixed-loose": counting(15, loose=True),
    "mixed-noinline": counting(15, "-no_inline"),
    "mixed-far": counting(15, "-no_rip_near"),
    "everyins": Mode("-no_dead", "everyins"),
    "everylight": Mode("-no_dead", "everylight"),
    "everyaccess": Mode("-no_dead", "everyaccess"),
    "everyfill": Mode("-no_dead", "everyfill"),
    "rewrite": Mode("-no_dead", "rewriteall"),
}
SHORT = [(name, 1) for name in MODES] + [("plain", 4)]  # (mode, cases)
SHORT_TARGETS = 150  # of each case, by chance
# Cases that have shown a fault, shrunk, at all their addresses: (mode, seed, case, items left out). They are what they were as long as the generator is.
FOUND = [
    ("everyfill", 292944810717, 1, 0xfffffff800),  # a register taken for what is carried, between a bridge and an indirect jump
    ("inline-nopartial", 79172178641, 2, 0xfffffffc00),  # flags of an exception that comes while the engine steps
]


def run(mode, seed, first, end, *more):
    """The driver on a range of cases: (its lines, its exit status)."""
    command = [DRIVER, "--seed", str(seed), "--from", str(first), "--to", str(end), *MODES[mode].compare(), *more,
               GUEST, supported_file(), "--", *MODES[mode].engine()]
    try:
        p = watch.run(command, 600 * (end - first))
        return p.stdout.splitlines() + p.stderr.splitlines(), p.returncode
    except subprocess.TimeoutExpired as e:
        return (e.stdout or b"").decode(errors="replace").splitlines() + ["timeout"], "timeout"


def totals(lines):
    """(stops, cases, skipped, differences), or None."""
    found = re.findall(r"^(\d+) stops, (\d+) cases, (\d+) skipped, (\d+) differences$", "\n".join(lines), re.M)
    return tuple(map(int, found[-1])) if found else None


def shrink(mode, seed, case):
    """A mask of items without which the case still differs."""
    skip, deadline = 0, time.time() + SHRINK_SECONDS
    for n in reversed(range(40)):
        if time.time() > deadline:
            break
        _, status = run(mode, seed, case, case + 1, "--skip", str(skip | 1 << n))
        if status == 1:
            skip |= 1 << n
    return skip


def show(mode, seed, case):
    skip = shrink(mode, seed, case)
    lines, status = run(mode, seed, case, case + 1, "--skip", str(skip))
    print(f"  reproduce: tests/fuzz/stops.py --seed {seed} --case {case} --mode {mode}")
    print(f"  {' '.join(MODES[mode].engine())}, items left out {skip:#x}")
    dump = [GUEST, "--supported", supported_file(), "--steps", "--seed", str(seed), "--from", str(case),
            "--to", str(case + 1), "--skip", str(skip), "--dump"]
    text = subprocess.run(dump, stdout=subprocess.PIPE, text=True, check=False).stdout
    for line in lines + [line[2:] for line in text.splitlines() if line.startswith("i ")]:
        print("  " + line)
    sys.stdout.flush()
    return status


def check(mode, seed, first, end, more, verbose):
    """One range: (stops, differences, cases that were skipped)."""
    begin = time.time()
    lines, status = run(mode, seed, first, end, *more)
    total = totals(lines)
    if total is None:
        print(f"FAIL seed {seed} cases {first} to {end - 1} mode {mode}: the driver ends with status {status}")
        print("\n".join("  " + line for line in lines[-20:]))
        return 0, 1, 0
    if verbose:
        print(f"seed {seed} cases {first}..{end - 1} {mode}: {total[0]} stops, {total[2]} cases skipped, "
              f"{total[3]} differences, {time.time() - begin:.1f} s", flush=True)
    if total[3]:
        print(f"FAIL seed {seed} cases {first} to {end - 1} mode {mode}")
        print("\n".join("  " + line for line in lines))
        for case in sorted({int(m[1]) for m in (re.match(r"DIFFERENCE case (\d+)", line) for line in lines) if m})[:2]:
            show(mode, seed, case)
    return total[0], total[3], total[2]


def plan(args):
    """(mode, seed, first case, end, options of the driver)."""
    if args.short:
        for i, (mode, cases) in enumerate(SHORT):
            yield mode, 2000 + i, 0, cases, ["--targets", str(SHORT_TARGETS)]
        for mode, seed, case, skip in FOUND:
            yield mode, seed, case, case + 1, ["--skip", str(skip)]
        return
    turn = 0
    while args.seed is None or turn == 0:
        for mode in args.mode or MODES:
            seed = random.SystemRandom().randrange(1 << 40) if args.seed is None else args.seed
            for first in range(args.first, args.first + args.cases, CASES):
                yield mode, seed, first, min(first + CASES, args.first + args.cases), []
        turn += 1


def cannot_trace():
    """Why the driver cannot work here, or None."""
    lines, status = run("plain", 1, 0, 1, "--targets", "4")
    text = " ".join(lines)
    return text if status == 2 and ("cannot be traced" in text or "debug register" in text) else None


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--short", action="store_true")
    p.add_argument("--seed", type=int)
    p.add_argument("--case", type=int)
    p.add_argument("--from", type=int, default=0, dest="first")
    p.add_argument("--cases", type=int, default=CASES)
    p.add_argument("--mode", action="append", choices=list(MODES))
    p.add_argument("--minutes", type=float, default=1e9)
    p.add_argument("--max-failures", type=int, default=10)
    p.add_argument("-v", "--verbose", action="store_true")
    args = p.parse_args()
    if not os.path.exists(DRIVER):
        sys.exit(f"stops.py: {DRIVER} is missing: make fuzz-guest")
    reason = cannot_trace()
    if reason:
        print("stops.py: " + reason)
        return 77
    if args.case is not None:
        return 1 if show(args.mode[0] if args.mode else "plain", args.seed or 0, args.case) else 0
    passed = failed = skipped = 0
    end = time.time() + args.minutes * 60
    for item in plan(args):
        n, bad, left = check(*item, args.verbose or not args.short)
        passed, failed, skipped = passed + n, failed + bad, skipped + left
        if failed >= args.max_failures or time.time() > end:
            break
    print(f"CPU {sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]):.0f} s, {skipped} cases too long to be stepped")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
