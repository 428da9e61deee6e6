#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instruction fuzzer: the same random cases natively and under Linchpin in several modes, compared line by line.

    fuzz.py                    until stopped, fresh seeds; stops after --max-failures differences
    fuzz.py --short            fixed seeds, about a minute; the last line is `N passed, N failed`
    fuzz.py --native           both sides natively: is the fuzzer itself deterministic?
    fuzz.py --seed S [--table] [--cases N] [--mode M ...]
    fuzz.py --seed S [--table] --case N [--mode M]     one case: shrink and show it

--strict also makes what Linchpin is known to do differently:
  - a branch to a non-canonical address faults at its target, not at the branch
  - a jump into a file mapping that is not executable, past the end of the file: SIGSEGV, not SIGBUS
  - a selector loaded into FS or GS is not seen when the register is read
  - sldt, str, smsw, sgdt and sidt (which the kernel emulates) that write to a page with translated code fault
  - VEX encodings that the decoder calls invalid but AMD CPUs run (mask registers above 7) are SIGILL
  - no alignment checks (EFLAGS.AC) in instructions that it emulates
  - on AMD: call with an operand size prefix pushes eight bytes, not two
  - the x87 unit's last opcode, instruction and data pointers
Not compared at all: XSTATE_BV.

A difference is shrunk by leaving out items while it stays, and shown with its code, the state before, and what differs.
The guest is build/tests/fuzz/fuzz_guest (fuzz_guest.c says what a case is). Exit status: 0 all the same, 1 differences, 2 usage.
"""
import argparse
import hashlib
import os
import random
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import watch  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
LINCHPIN = os.environ.get("LINCHPIN", os.path.join(BUILD, "bin", "linchpin"))
GUEST = os.path.join(BUILD, "tests", "fuzz", "fuzz_guest")
MODES = {
    "plain": [],
    "one": ["-trace_max_ins", "1"],
    "far": ["-no_rip_near"],
    "nolink": ["-no_link"],
    "tiny": ["-cc_memory_size", "256K"],
    "flush": ["-random_flush", "100"],
}
SHORT = [  # (mode, table, cases)
    ("plain", True, 32768), ("far", True, 16384), ("one", True, 16384), ("plain", False, 30000), ("one", False, 10000), ("far", False, 15000),
    ("tiny", False, 10000), ("nolink", False, 1000), ("flush", False, 400),
]
MAX_ITEMS = 64
MAX_FACTS = 12
SHRINK_SECONDS = 90  # a difference that needs a long history takes seconds a step


class Side:
    """One way to run the guest."""

    strict = False

    def __init__(self, name, prefix):
        self.name, self.prefix = name, prefix

    def run(self, arguments, timeout):
        command = self.prefix + [GUEST, "--supported", supported_file()] + (["--strict"] if Side.strict else []) + arguments
        try:
            p = watch.run(command, timeout)
            return p.stdout.splitlines(), p.stderr, p.returncode
        except subprocess.TimeoutExpired as e:
            return (e.stdout or b"").decode(errors="replace").splitlines(), "timeout", "timeout"


NATIVE = Side("native", [])


def side(mode):
    if mode == "native":
        return NATIVE
    return Side(mode, [LINCHPIN] + MODES[mode] + ["--"])


def supported_file():
    """What runs on this CPU, found out once for each build of the guest."""
    if not supported_file.path:
        model = next((line for line in open("/proc/cpuinfo") if line.startswith("flags")), "")
        key = hashlib.sha1(("%s %s" % (os.stat(GUEST).st_mtime_ns, model)).encode()).hexdigest()[:12]
        path = os.path.join(BUILD, "tests", "fuzz", "supported." + key)
        if not os.path.exists(path):
            subprocess.run([GUEST, "--probe", path + ".tmp%d" % os.getpid()], check=True, timeout=300)
            os.rename(path + ".tmp%d" % os.getpid(), path)
        supported_file.path = path
    return supported_file.path


supported_file.path = None


def arguments(seed, table, first, end, *more):
    return ["--seed", str(seed), "--from", str(first), "--to", str(end)] + (["--table"] if table else []) + list(more)


def compare(seed, table, first, end, other):
    """Runs a range on both sides: (cases compared, first differing case or None, a description, seconds of each)."""
    begin, timeout = time.time(), 30 + (end - first) * 0.02
    a, err_a, status_a = NATIVE.run(arguments(seed, table, first, end), timeout)
    middle = time.time()
    b, err_b, status_b = other.run(arguments(seed, table, first, end), timeout)
    times = (middle - begin, time.time() - middle)
    if status_a != 0:
        sys.exit("fuzz.py: the guest fails natively (status %s): %s" % (status_a, err_a))
    for n, (x, y) in enumerate(zip(a, b)):
        if x != y:
            return n, first + n, "native: %s\n%s: %s" % (x, other.name, y), times, a
    if len(a) != len(b) or status_b != 0:
        if status_b != 0 and not err_b and len(b) == len(a):
            err_b = "(the cases agree, the end of the program does not)"
        # lines are flushed by group: the exact case is found by running again with --flush
        c, err_c, status_c = other.run(arguments(seed, table, first, end, "--flush"), timeout)
        n = len(c) if status_c != 0 else len(b)
        return n, first + min(n, end - first - 1), "%s ends with status %s: %s" % (other.name, status_b, err_b.strip()[-600:]), times, a
    return len(a), None, "", times, a


def facts(lines):
    return {" ".join(l.split()[:2]): l for l in lines if l.startswith("a ")}


class Failure:
    """A differing case, to be shrunk and shown."""

    def __init__(self, seed, table, case, other):
        self.seed, self.table, self.case, self.other, self.skip, self.first = seed, table, case, other, 0, case

    def run(self, skip):
        more = ["--skip", hex(skip), "--dump"]
        a, _, _ = NATIVE.run(arguments(self.seed, self.table, self.first, self.case + 1, *more), 30)
        b, err, status = self.other.run(arguments(self.seed, self.table, self.first, self.case + 1, *more), 30)
        return a, b, err, status

    def differs(self, skip):
        a, b, _, status = self.run(skip)
        return status != 0 or a != b

    def find_history(self, lowest):
        """Alone if that shows it; else with the cases before it."""
        for first in [self.case, self.case // 16 * 16] + [max(lowest, self.case - n) for n in (64, 512, 4096)] + [lowest]:
            if first >= lowest:
                self.first = first
                if self.differs(0):
                    return True
        return False

    def shrink(self):
        items = {int(l.split()[1]) for l in self.run(0)[0] if l.startswith("i ") and l.split()[1].isdigit()}
        again, deadline = True, time.time() + SHRINK_SECONDS
        while again:
            again = False
            for n in sorted(items, reverse=True):
                if time.time() > deadline:
                    return
                if n < MAX_ITEMS and not self.skip >> n & 1 and self.differs(self.skip | 1 << n):
                    self.skip |= 1 << n
                    again = True

    def show(self):
        a, b, err, status = self.run(self.skip)
        print("  reproduce: tests/fuzz/fuzz.py --seed %d%s --case %d --mode %s" %
              (self.seed, " --table" if self.table else "", self.case, self.other.name))
        if self.first != self.case:
            print("  only after the cases from %d on" % self.first)
        for line in a:
            if line.startswith("i "):
                print("  " + line[2:])
        if status != 0:
            print("  %s: status %s %s" % (self.other.name, status, err.strip()[:1200].replace("\n", "\n  ")))
        else:
            self.show_facts(facts(a), facts(b), {"a " + l.split()[1]: l.split()[-1] for l in a if l.startswith("b ")})
        ends = facts(a)
        print("  " + ", ".join(" ".join(ends[k].split()[1:]) for k in ("a signal", "a si_code", "a si_addr", "a rip") if k in ends))
        sys.stdout.flush()

    def show_facts(self, x, y, before):
        keys = [k for k in list(x) + [k for k in y if k not in x] if x.get(k) != y.get(k)]
        for key in keys[:MAX_FACTS]:
            print("  %-20s native %s\n  %20s %-6s %s\n  %20s before %s" % (
                key[2:], " ".join(x.get(key, "a - unchanged").split()[2:]), "", self.other.name,
                " ".join(y.get(key, "a - unchanged").split()[2:]), "", before.get(key, "-")))
        if len(keys) > MAX_FACTS:
            print("  and %d more" % (len(keys) - MAX_FACTS))


def check_range(seed, table, first, end, mode, verbose):
    """Compares a range, showing every difference in it: (cases that agree, differences)."""
    passed, failures, at = 0, [], first
    while at < end:
        n, case, text, times, lines = compare(seed, table, at, end, side(mode))
        if verbose:
            print("seed %d %s %s %d..%d: native %.1f s, %s %.1f s" % (seed, "table" if table else "random", mode, at, end, times[0], mode, times[1]))
        if case is None:
            covered = [l for l in lines if l.startswith("coverage")]
            if covered and verbose:
                print("  " + covered[0])
            return passed + n - len(covered), failures
        passed += case - at
        print("DIFFERENCE seed %d %s case %d mode %s\n  %s" % (seed, "table" if table else "random", case, mode, text.replace("\n", "\n  ")))
        failures.append(case)
        f = Failure(seed, table, case, side(mode))
        if f.find_history(at):
            f.shrink()
            f.show()
        else:
            print("  not seen again when run alone: seed %d cases %d to %d" % (seed, at, case))
        at = case + 1
        if len(failures) >= check_range.max_failures:
            break
    return passed, failures


def one_case(args):
    f = Failure(args.seed, args.table, args.case, side(args.mode[0]))
    if not f.find_history(max(0, args.case - 4096)):
        print("no difference")
        return 0
    f.shrink()
    f.show()
    return 1


def plan(args):
    """What to run: (seed, table, cases, mode), without end in the plain form."""
    if args.short:
        for i, (mode, table, cases) in enumerate(SHORT):
            yield 1000 + i, table, cases, mode
        return
    turn = 0
    while args.seed is None or turn == 0:
        for mode in args.mode:
            seed = random.SystemRandom().randrange(1 << 40) if args.seed is None else args.seed
            yield seed, args.table or (args.seed is None and turn % 8 == 7), args.cases, mode
        turn += 1


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--short", action="store_true")
    p.add_argument("--strict", action="store_true")
    p.add_argument("--native", action="store_true")
    p.add_argument("--table", action="store_true")
    p.add_argument("--seed", type=int)
    p.add_argument("--case", type=int)
    p.add_argument("--cases", type=int, default=5000)
    p.add_argument("--mode", action="append", choices=list(MODES) + ["native"])
    p.add_argument("--max-failures", type=int, default=10)
    p.add_argument("-v", "--verbose", action="store_true")
    args = p.parse_args()
    args.mode = ["native"] if args.native else args.mode or list(MODES)
    check_range.max_failures, Side.strict = args.max_failures, args.strict
    if not os.path.exists(GUEST):
        sys.exit("fuzz.py: %s is missing: make fuzz-guest" % GUEST)
    if args.case is not None:
        return one_case(args)
    passed = failed = 0
    for seed, table, cases, mode in plan(args):
        n, failures = check_range(seed, table, 0, cases, mode, args.verbose or not args.short)
        passed, failed = passed + n, failed + len(failures)
        if failed >= args.max_failures:
            break
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
