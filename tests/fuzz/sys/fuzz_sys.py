#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""System call fuzzer: the same random cases natively and under Linchpin, each time in throw-away namespaces, compared line by line.

    fuzz_sys.py                    until stopped, fresh seeds; stops after --max-failures differences, or with --minutes N
    fuzz_sys.py --short            fixed seeds, half a minute; the last line is `N passed, N failed`
    fuzz_sys.py --native           both sides natively: is the fuzzer itself deterministic?
    fuzz_sys.py --seed S [--cases N] [--mode M ...]
    fuzz_sys.py --seed S --case N [--first F] [--mode M]     one case, with those from F on before it: shrink and show it

A case is a process with descriptors, mappings and files of several sorts that makes up to 40 calls: every system call number, arguments of the kinds that sys_table.c gives, mostly right, often half
right. Compared are results, registers, what was written to the buffers, signals and handlers, and now and then the state of the process as it sees itself; sys_table.c says what is not, and which
calls are left out. sys_tame.c keeps calls from waiting for ever or using the machine up. A case that differs between native runs is counted apart (`unsteady`).

A difference is shrunk by leaving out steps while it stays. Exit status: 0 all the same, 1 differences, 2 usage, 77 no namespaces here.
"""
import argparse
import os
import random
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir))
import run  # noqa: E402
import watch  # noqa: E402

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, os.pardir))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
LINCHPIN = os.environ.get("LINCHPIN", os.path.join(BUILD, "bin", "linchpin"))
OUT = os.path.join(BUILD, "tests", "fuzz", "sys")
GUEST, NEST, FOLDER = (os.path.join(OUT, name) for name in ("sys_guest", "sys_nest", "folder"))
MODES = {
    "plain": [],
    "inproc": ["-injection", "inprocess"],
    "light": run.MODES["light"],
    "events": run.MODES["events"],
    "tiny": ["-cc_memory_size", "256K"],
}
SHORT = [("plain", 400), ("inproc", 200), ("light", 30), ("events", 100)]
UNABLE = 125  # of sys_nest
MAX_STEPS = 40
SHRINK_SECONDS = 90


class Side:
    """One way to run the guest."""

    engine_address = "0"

    def __init__(self, name, prefix):
        self.name, self.prefix = name, prefix

    def run(self, seed, first, end, *more):
        """The output's lines by case, the messages, the exit status."""
        command = [NEST, FOLDER] + self.prefix + [GUEST, "--seed", str(seed), "--from", str(first), "--to", str(end), "--engine", Side.engine_address, *more]
        try:
            p = watch.run(command, 120 + (end - first) * 2)
            out, err, status = p.stdout, p.stderr, p.returncode
        except subprocess.TimeoutExpired as e:
            out, err, status = (e.stdout or b"").decode(errors="replace"), (e.stderr or b"").decode(errors="replace"), "timeout"
        cases = {n: [] for n in range(first, end)}
        for line in out.splitlines():
            number = line.split(".")[0]
            if number.isdigit() and int(number) in cases:
                cases[int(number)].append(line)
        return cases, err, status


NATIVE = Side("native", [])


def side(mode):
    return NATIVE if mode == "native" else Side(mode, [LINCHPIN] + MODES[mode] + ["--"])


def differs(x, y, case):
    """Is the case another one on the other side? Messages of the engine are a difference, too."""
    return x[0][case] != y[0][case] or y[1] != "" or y[2] != x[2]


class Failure:
    """A differing case, to be shrunk and shown."""

    def __init__(self, seed, case, other, first=None):
        self.seed, self.case, self.other, self.first = seed, case, other, case if first is None else first
        self.steps = list(range(MAX_STEPS))

    def run(self, steps, *more):
        only = ["--only", ",".join(map(str, steps))] if len(steps) < MAX_STEPS else []
        if self.first != self.case:  # the cases before it need all their steps
            only = []
        return [s.run(self.seed, self.first, self.case + 1, *only, *more) for s in (NATIVE, self.other)]

    def differs(self, steps):
        return differs(*self.run(steps), self.case)

    def find_history(self, lowest):
        for first in [self.case] + [max(lowest, self.case - n) for n in (16, 128)] + [lowest]:
            self.first = first
            if self.differs(self.steps):
                return True
        return False

    def shrink(self):
        """Leaves out halves, quarters, ... and at last single steps."""
        if self.first != self.case:
            return
        deadline, size = time.monotonic() + SHRINK_SECONDS, MAX_STEPS // 2
        while size and time.monotonic() < deadline:
            for at in range(0, len(self.steps), size):
                fewer = self.steps[:at] + self.steps[at + size:]
                if self.differs(fewer):
                    self.steps = fewer
                    break
            else:
                size //= 2

    def show(self):
        print("  reproduce: tests/fuzz/sys/fuzz_sys.py --seed %d --case %d%s --mode %s" %
              (self.seed, self.case, "" if self.first == self.case else " --first %d" % self.first, self.other.name))
        print("  by hand: %s" % " ".join([NEST, FOLDER] + self.other.prefix + [GUEST, "--seed", str(self.seed), "--from", str(self.case), "--to", str(self.case + 1),
                                                                             "--engine", Side.engine_address, "--only", ",".join(map(str, self.steps)), "--dump"]))
        native, other = self.run(self.steps)
        for x, y in aligned(native[0][self.case], other[0][self.case]):
            print("  " + x if x == y else "  native %s\n  %-6s %s" % (x, self.other.name, y))
        if other[1] or other[2] != native[2]:
            print("  %s: status %s %s" % (self.other.name, other[2], other[1].strip()[:1200].replace("\n", "\n  ")))
        sys.stdout.flush()


def aligned(a, b):
    for i in range(max(len(a), len(b))):
        yield (a[i] if i < len(a) else "(nothing)"), (b[i] if i < len(b) else "(nothing)")


class Count:
    passed = failed = unsteady = 0


def judge(seed, case, other, lowest, seen):
    """A case that was different: shown and counted, or counted as unsteady."""
    again = [NATIVE.run(seed, case, case + 1)[0][case] for _ in range(3)]
    if any(x != again[0] for x in again):
        Count.unsteady += 1
        print("unsteady natively: seed %d case %d" % (seed, case), flush=True)
        return
    print("DIFFERENCE seed %d case %d mode %s" % (seed, case, other.name), flush=True)
    Count.failed += 1
    f = Failure(seed, case, other)
    if f.find_history(lowest):
        f.shrink()
        f.show()
    else:
        print("  not seen again: seed %d, cases %d to %d" % (seed, lowest, case))
        for x, y in aligned(*seen):
            if x != y:
                print("  native %s\n  %-6s %s" % (x, other.name, y), flush=True)


def check(seed, cases, mode, args):
    """Compares one range of cases."""
    other, begin = side(mode), time.monotonic()
    native = NATIVE.run(seed, 0, cases)
    if native[2] != 0 or native[1]:
        sys.exit("fuzz_sys.py: the guest fails natively (status %s): %s" % (native[2], native[1]))
    middle = time.monotonic()
    got = other.run(seed, 0, cases)
    if args.verbose:
        print("seed %d %s: native %.1f s, %s %.1f s" % (seed, mode, middle - begin, mode, time.monotonic() - middle), flush=True)
    bad = [n for n in range(cases) if native[0][n] != got[0][n]]
    if not bad and (got[1] or got[2] != native[2]):
        print("DIFFERENCE seed %d mode %s, cases 0 to %d: status %s\n  %s" % (seed, mode, cases - 1, got[2], got[1].strip()[:2000].replace("\n", "\n  ")))
        Count.failed += 1
    Count.passed += cases - len(bad)
    for case in bad:
        if Count.failed >= args.max_failures:
            break
        judge(seed, case, other, 0, (native[0][case], got[0][case]))


def one_case(args):
    f = Failure(args.seed, args.case, side(args.mode[0]))
    if not f.find_history(args.case if args.first is None else args.first):
        print("no difference")
        return 0
    f.shrink()
    f.show()
    return 1


def find_engine():
    """Where the engine lies, natively an address of nothing: as an argument of the memory calls. Both have the same layout, without randomisation."""
    process = subprocess.Popen(["setarch", "-R", LINCHPIN, "--", GUEST, "--wait"], stdout=subprocess.PIPE)
    try:
        process.stdout.readline()
        for line in open("/proc/%d/maps" % process.pid):
            if "linchpin-vm" in line:
                return line.split("-")[0]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    sys.exit("fuzz_sys.py: the engine is not found in the guest's maps")


def plan(args):
    """What to run: (seed, cases, mode), without end in the plain form."""
    if args.short:
        for i, (mode, cases) in enumerate(SHORT):
            yield 1000 + i, cases, mode
        return
    end = time.monotonic() + args.minutes * 60 if args.minutes else float("inf")
    turn = 0
    while time.monotonic() < end and (args.seed is None or turn == 0):
        for mode in args.mode:
            if time.monotonic() < end:
                yield (random.SystemRandom().randrange(1 << 40) if args.seed is None else args.seed), args.cases, mode
        turn += 1


def able():
    os.makedirs(FOLDER, exist_ok=True)
    p = subprocess.run([NEST, FOLDER, "/bin/true"], stderr=subprocess.PIPE, text=True)
    if p.returncode == UNABLE:
        print("no namespaces here: %s" % p.stderr.strip())
    return p.returncode == 0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--short", action="store_true")
    p.add_argument("--native", action="store_true")
    p.add_argument("--seed", type=int)
    p.add_argument("--case", type=int)
    p.add_argument("--first", type=int)
    p.add_argument("--cases", type=int, default=300)
    p.add_argument("--minutes", type=float)
    p.add_argument("--mode", action="append", choices=list(MODES) + ["native"])
    p.add_argument("--max-failures", type=int, default=10)
    p.add_argument("-v", "--verbose", action="store_true")
    args = p.parse_args()
    args.mode = ["native"] if args.native else args.mode or list(MODES)
    args.verbose = args.verbose or not args.short
    if not os.path.exists(GUEST):
        sys.exit("fuzz_sys.py: %s is missing: make fuzz-guest" % GUEST)
    if not able():
        return 77
    run.tools_build(MODES)
    Side.engine_address = find_engine()
    if args.case is not None:
        return one_case(args)
    begin = time.monotonic()
    for seed, cases, mode in plan(args):
        check(seed, cases, mode, args)
        if Count.failed >= args.max_failures:
            break
    if Count.unsteady or args.verbose:
        print("%d unsteady natively, %.0f s" % (Count.unsteady, time.monotonic() - begin))
    print("%d passed, %d failed" % (Count.passed, Count.failed))
    return 1 if Count.failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
