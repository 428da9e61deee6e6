#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instruction fuzzer: the same random cases natively and under Linchpin in several modes, compared line by line.

    fuzz.py                    fresh seeds and random modes, until stopped, for --minutes, or up to --max-failures differences; at its end it
                               says how much it did
    fuzz.py --short            fixed seeds, about two minutes; the last line is `N passed, N failed`
    fuzz.py --native           both sides natively: is the fuzzer itself deterministic?
    fuzz.py --seed S [--table] [--cases N] [--mode M ...]
    fuzz.py --seed S [--table] --case N [--mode M]     one case: shrink and show it

A mode is words joined by + (modes.py): options of the engine, one tool at most.
  - Tools of tests/api (ins, light, access, fills, events, rewrite) must not be noticed. With liveness (O5, no word no_dead) handlers of signals
    do not look at registers and flags, which the program may not need any more; with no_dead they do.
  - counts, inlines, records, mixed, calls and probes are tools/seen.cpp with some of its probes, in all forms of analysis calls, at random places
    of each case. The native side is then truth.c, which steps the case and finds out by itself what the probes should see: which instructions are
    executed, in which order, with which registers and flags, addresses and sizes of accesses, branches, iterations of REP, predicates.

--strict also makes what Linchpin is known to do differently:
  - a jump or return to a non-canonical address faults at its target, not at the branch
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
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import modes  # noqa: E402
import watch  # noqa: E402
from modes import BUILD, LINCHPIN  # noqa: E402

TRUTH = os.path.join(BUILD, "tests", "fuzz", "truth")
GUEST = os.path.join(BUILD, "tests", "fuzz", "fuzz_guest")
SHORT = [  # (mode, table, cases)
    ("plain", True, 32768), ("far", True, 16384), ("one", True, 16384), ("plain", False, 30000), ("one", False, 10000), ("far", False, 15000),
    ("tiny", False, 10000), ("nolink", False, 1000), ("flush", False, 400),
    # under tools that must not be noticed
    ("ins+no_dead", False, 500), ("light", False, 800), ("light+no_dead+clone", False, 600), ("access", False, 1000),
    ("access+no_dead+no_bind", False, 600), ("access+no_dead", True, 4000), ("fills+no_dead", False, 800), ("fills+no_carry", False, 600),
    ("rewrite+no_dead", False, 600), ("events+no_dead", False, 400), ("light+no_dead+no_lazy+tiny", False, 500),
    ("access+no_fold+three", False, 500), ("light+no_partial+one", False, 300), ("rewrite+no_dead", True, 4000),
    # what tools see
    ("counts", False, 250), ("inlines", False, 200), ("records+no_dead", False, 150), ("mixed", False, 200), ("calls+no_dead", False, 200),
    ("probes", False, 200), ("probes+none", False, 100), ("probes+no_dead", True, 1500),
]
MAX_ITEMS = 64
MAX_FACTS = 12
SHRINK_SECONDS = 90  # a difference that needs a long history takes seconds a step


class Side:
    """One way to run the guest. common: options of the guest that both sides need; observer: options of what sees the cases, a tool or truth.c, for both."""

    strict = False

    def __init__(self, name, prefix, common=(), observer=()):
        self.name, self.prefix, self.common, self.observer = name, prefix, list(common), list(observer)

    def reference(self):
        """The native side for this one."""
        return Side("native", [TRUTH], self.common, self.observer) if self.observer else NATIVE

    def run(self, arguments, timeout):
        guest = [GUEST, "--supported", supported_file()] + (["--strict"] if Side.strict else []) + arguments
        with tempfile.NamedTemporaryFile("r", prefix="lp-fuzz-") as seen:
            observer = ["-o", seen.name, *self.observer] if self.observer else []
            command = self.prefix + observer + (["--"] if self.prefix else []) + guest
            try:
                p = watch.run(command, timeout)
                lines, err, status = p.stdout.splitlines(), p.stderr, p.returncode
            except subprocess.TimeoutExpired as e:
                lines, err, status = (e.stdout or b"").decode(errors="replace").splitlines(), "timeout", "timeout"
            return with_seen(lines, seen.read().splitlines(), "--dump" in arguments) if self.observer else lines, err, status


def with_seen(lines, seen, dump):
    """The guest's lines with what was seen of each case, or with facts of the last one."""
    if dump:
        return lines + ["a probe:%s %s" % tuple(word.split("=")) for word in (seen[-1].split()[1:] if seen else [])]
    return [line + " | " + seen[i] if i < len(seen) else line for i, line in enumerate(lines)]


NATIVE = Side("native", [])


def side(mode, seed):
    if mode == "native":
        return NATIVE
    common = [] if modes.sees_dead(mode) else ["--forgive-dead"]
    observer = ["-groups", modes.groups(mode), "-seed", str(seed), "-density", str((40, 15, 80)[seed % 3])] if modes.groups(mode) else []
    return Side(mode, [LINCHPIN] + modes.options(mode), common, observer)


def supported_file():
    """What runs on this CPU, found out once for each build of the guest."""
    if not supported_file.path:
        model = next((line for line in open("/proc/cpuinfo") if line.startswith("flags")), "")
        key = hashlib.sha1(("%s %s" % (os.stat(GUEST).st_mtime_ns, model)).encode()).hexdigest()[:12]
        path = os.path.join(BUILD, "tests", "fuzz", "supported." + key)
        if not os.path.exists(path):
            subprocess.run([GUEST, "--probe", path + ".tmp%d" % os.getpid()], check=True, timeout=watch.patience(300))
            os.rename(path + ".tmp%d" % os.getpid(), path)
        supported_file.path = path
    return supported_file.path


supported_file.path = None


def arguments(seed, table, first, end, *more):
    return ["--seed", str(seed), "--from", str(first), "--to", str(end)] + (["--table"] if table else []) + list(more)


def compare(seed, table, first, end, other):
    """Runs a range on both sides: (cases compared, first differing case or None, a description, seconds of each)."""
    begin, timeout, words = time.time(), 300 + (end - first) * 0.2, arguments(seed, table, first, end, *other.common)
    a, err_a, status_a = other.reference().run(words, timeout)
    middle = time.time()
    b, err_b, status_b = other.run(words, timeout)
    times = (middle - begin, time.time() - middle)
    if status_a != 0:
        sys.exit("fuzz.py: the guest fails natively (status %s, seed %d, mode %s): %s" % (status_a, seed, other.name, err_a))
    for n, (x, y) in enumerate(zip(a, b)):
        if x != y:
            return n, first + n, show_difference(x, y, other.name), times, a
    if len(a) != len(b) or status_b != 0:
        if status_b != 0 and not err_b and len(b) == len(a):
            err_b = "(the cases agree, the end of the program does not)"
        # lines are flushed by group: the exact case is found by running again with --flush
        c, err_c, status_c = other.run(words + ["--flush"], timeout)
        n = len(c) if status_c != 0 else len(b)
        return n, first + min(n, end - first - 1), "%s ends with status %s: %s" % (other.name, status_b, err_b.strip()[-600:]), times, a
    return len(a), None, "", times, a


def show_difference(x, y, name):
    """Two lines, without what both have seen alike."""
    (x, _, seen_x), (y, _, seen_y) = x.partition(" | "), y.partition(" | ")
    seen = [(a, b) for a, b in zip(seen_x.split(), seen_y.split()) if a != b]
    return "native: %s %s\n%s: %s %s" % (x, " ".join(a for a, _ in seen), name, y, " ".join(b for _, b in seen))


def facts(lines):
    return {" ".join(l.split()[:2]): l for l in lines if l.startswith("a ")}


class Failure:
    """A differing case, to be shrunk and shown."""

    def __init__(self, seed, table, case, other):
        self.seed, self.table, self.case, self.other, self.skip, self.first = seed, table, case, other, 0, case

    def run(self, skip):
        more = ["--skip", hex(skip), "--dump"] + self.other.common
        words = arguments(self.seed, self.table, self.first, self.case + 1, *more)
        a, _, _ = self.other.reference().run(words, 300)
        b, err, status = self.other.run(words, 300)
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

    def is_unsteady(self, lowest, was):
        """Does the native side, run again on the same cases, end with another line than it did?"""
        words = arguments(self.seed, self.table, lowest, self.case + 1, *self.other.common)
        lines, _, _ = self.other.reference().run(words, 300 + (self.case - lowest) * 0.2)
        line = lines[self.case - lowest:self.case - lowest + 1]
        return bool(line) and bool(was) and line != was

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
        n, case, text, times, lines = compare(seed, table, at, end, side(mode, seed))
        if verbose:
            print("seed %d %s %s %d..%d: native %.1f s, %s %.1f s" % (seed, "table" if table else "random", mode, at, end, times[0], mode, times[1]))
        if case is None:
            covered = [l for l in lines if l.startswith("coverage")]
            if covered and verbose:
                print("  " + covered[0])
            return passed + n - len(covered), failures
        passed += case - at
        print("DIFFERENCE seed %d %s case %d mode %s\n  %s" % (seed, "table" if table else "random", case, mode, text.replace("\n", "\n  ")))
        f = Failure(seed, table, case, side(mode, seed))
        if f.find_history(at):
            f.shrink()
            f.show()
            failures.append(case)
        elif "ends with status" not in text and f.is_unsteady(at, lines[case - at:case - at + 1]):
            print("  unsteady: the native side alone, run again on cases %d to %d, gives something else; not counted" % (at, case))
        else:
            print("  not seen again when run alone: seed %d cases %d to %d" % (seed, at, case))
            failures.append(case)
        at = case + 1
        if len(failures) >= check_range.max_failures:
            break
    return passed, failures


def one_case(args):
    f = Failure(args.seed, args.table, args.case, side(args.mode[0], args.seed))
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
    rng, turn = random.SystemRandom(), 0
    while args.seed is None or turn == 0:
        for mode in args.mode or [modes.random_mode(rng)]:
            seed = rng.randrange(1 << 40) if args.seed is None else args.seed
            cases = args.cases if args.seed is not None or not modes.is_slow(mode) else max(16, args.cases // 16)
            yield seed, args.table or (args.seed is None and turn % 8 == 7), cases, mode
        turn += 1


class Totals:
    """What a run has done so far; said at its end, however that comes."""

    def __init__(self):
        self.passed, self.failed, self.seeds, self.modes, self.begin = 0, 0, [], set(), time.time()

    def take(self, seed, mode, passed, failed):
        self.passed, self.failed = self.passed + passed, self.failed + failed
        self.seeds.append(seed)
        self.modes.add(mode)

    def end(self, long):
        used = os.times()
        if long:
            print("%d ranges, %d modes, %.0f minutes, %.0f minutes of CPU time; seeds %s" % (
                len(self.seeds), len(self.modes), (time.time() - self.begin) / 60, (used.children_user + used.children_system) / 60,
                " ".join(map(str, self.seeds[:3] + (["..."] if len(self.seeds) > 6 else []) + self.seeds[3:][-3:]))))
        print("%d passed, %d failed" % (self.passed, self.failed))
        return 1 if self.failed else 0


def stop(*_):
    raise KeyboardInterrupt


def run(args, totals):
    end = time.time() + args.minutes * 60
    for seed, table, cases, mode in plan(args):
        n, failures = check_range(seed, table, 0, cases, mode, args.verbose or not args.short)
        totals.take(seed, mode, n, len(failures))
        if totals.failed >= args.max_failures or time.time() > end:
            return


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--short", action="store_true")
    p.add_argument("--strict", action="store_true")
    p.add_argument("--native", action="store_true")
    p.add_argument("--table", action="store_true")
    p.add_argument("--seed", type=int)
    p.add_argument("--case", type=int)
    p.add_argument("--cases", type=int, default=5000)
    p.add_argument("--minutes", type=float, default=float("inf"))
    p.add_argument("--mode", action="append", metavar="WORD[+WORD...]")
    p.add_argument("--max-failures", type=int, default=10)
    p.add_argument("-v", "--verbose", action="store_true")
    args = p.parse_args()
    for mode in args.mode or []:
        if mode != "native" and not modes.is_known(mode):
            p.error("no mode %s; words are %s" % (mode, " ".join([*modes.TOOLS, *modes.WORDS])))
    if args.native:
        args.mode = ["native"]
    elif args.seed is not None and not args.mode:
        args.mode = modes.PLAIN
    check_range.max_failures, Side.strict = args.max_failures, args.strict
    if not os.path.exists(GUEST):
        sys.exit("fuzz.py: %s is missing: make fuzz-guest" % GUEST)
    if args.case is not None:
        return one_case(args)
    signal.signal(signal.SIGTERM, stop)
    totals = Totals()
    try:
        run(args, totals)
    except KeyboardInterrupt:
        print("stopped")
    return totals.end(not args.short)


if __name__ == "__main__":
    sys.exit(main())
