#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fuzzer of IA-32 instructions: the same random cases natively and under the engine in several modes, compared line by line.

    fuzz.py                    fresh seeds and random modes, until stopped, for --minutes, or up to --max-failures differences
    fuzz.py --short            fixed seeds; the last line is `N passed, N failed`
    fuzz.py --seed S [--cases N] [--mode M ...]
    fuzz.py --seed S --case N [--mode M]     one case: shrink and show it

A mode is words joined by +, as in tests/fuzz/modes.py. build/tests/ia32/fuzz_gen makes the cases, build/tests/ia32/fuzz_guest runs them. With liveness
(docs/design/optimiser.md, O5) handlers of signals do not see registers that the program does not need any more; with no_dead they do, so that modes
with a tool and without that word compare memory, the stack pointer and what is in vector registers only.

Not compared: the last opcode, instruction and data pointers of the x87 unit; what is refused by name (docs/limits.md); what the kernel emulates for
32-bit code otherwise than for 64-bit code (sgdt and its kin). Exit status: 0 all the same, 1 differences, 2 usage.
"""
import argparse
import os
import random
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "fuzz"))
sys.path.insert(0, os.path.join(HERE, os.pardir))
import modes  # noqa: E402
import watch  # noqa: E402

OUT = os.path.join(modes.BUILD, "tests", "ia32")
GEN, GUEST = os.path.join(OUT, "fuzz_gen"), os.path.join(OUT, "fuzz_guest")
FLAGS = ["-O1", "-Wall", "-Wextra"]
BARE = ["-nostdlib", "-static", "-fno-builtin", "-fno-stack-protector", "-mno-sse", "-fno-pie", "-no-pie"]
TOOLS = ["ins", "light", "access", "fills", "events"]
SHORT = [("plain", 9000), ("one", 3000), ("tiny", 1500), ("ins+no_dead", 1000), ("light+no_dead", 1500), ("access+no_dead", 2000), ("access", 1000),
         ("fills+no_dead", 1500), ("events+no_dead", 700)]
ITEMS = 8
MAX_FACTS = 16


def build():
    """The generator and the guest, made anew when they are older than their sources."""
    os.makedirs(OUT, exist_ok=True)
    for name, command in (("fuzz_gen", ["cc", *FLAGS]), ("fuzz_guest", ["i686-linux-gnu-gcc", *FLAGS, *BARE])):
        made, source = os.path.join(OUT, name), os.path.join(HERE, name + ".c")
        newest = max(os.path.getmtime(f) for f in (source, os.path.join(HERE, "fuzz.h"), __file__))
        if not os.path.exists(made) or os.path.getmtime(made) < newest:
            fresh = f"{made}.{os.getpid()}"
            subprocess.run(command + [source, "-o", fresh] + (["-lZydis"] if name == "fuzz_gen" else []), check=True)
            os.replace(fresh, made)


def generate(seed, first, end, left=0):
    return subprocess.run([GEN, str(seed), str(first), str(end), str(left)], stdout=subprocess.PIPE, check=True).stdout


def run(mode, cases, *words):
    """(lines, errors, exit status) of the guest, natively where the mode is None."""
    command = ["setarch", "-R", *([modes.LINCHPIN, *modes.options(mode), "--"] if mode else []), GUEST, *words]
    limit = watch.patience(300 + len(cases) // 4000)
    try:
        p = subprocess.run(command, input=cases, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=limit, check=False)
    except subprocess.TimeoutExpired as e:
        return (e.stdout or b"").decode(errors="replace").splitlines(), "timeout", "timeout"
    return p.stdout.decode(errors="replace").splitlines(), p.stderr.decode(errors="replace"), p.returncode


def forgive(mode):
    return [] if modes.sees_dead(mode) else ["forgive"]


def both(mode, cases, *words):
    words = [*forgive(mode), *words]
    native, errors, status = run(None, cases, *words)
    if status:
        sys.exit(f"fuzz.py: the guest fails natively: {status} {errors}")
    return native, run(mode, cases, *words)


def is_unsteady(mode, cases, native, n):
    """Does the native side, run again, sometimes say something else about it?"""
    return any(run(None, cases, *forgive(mode))[0][n:n + 1] != native[n:n + 1] for _ in range(4))


def show(seed, case, mode, first):
    """Leaves out instructions while the difference stays, and shows what is left."""
    def differs(left):
        native, (got, _, status) = both(mode, generate(seed, first, case + 1, left), "dump")
        return status != 0 or native != got
    while not differs(0):
        if first == 0:
            print(f"  not seen again: seed {seed} case {case}")
            return
        first = max(0, first - 4096)
    left, again = 0, True
    while again:
        again = False
        for n in reversed(range(ITEMS)):
            if not left >> n & 1 and differs(left | 1 << n):
                left, again = left | 1 << n, True
    print(f"  reproduce: tests/ia32/fuzz.py --seed {seed} --case {case} --mode {mode}" + ("" if first == case else f"  (only after the cases from {first} on)"))
    text = subprocess.run([GEN, "--text", str(seed), str(case), str(case + 1), str(left)], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    print("\n".join("  " + line[2:] for line in text if line.startswith("i ") and not line.split()[3].startswith("90") or line.startswith("b ")))
    native, (got, errors, status) = both(mode, generate(seed, first, case + 1, left), "dump")
    if status:
        print(f"  {mode} ends with status {status}: {errors.strip()[-900:]}")
    x, y = ({line.split()[1]: line.split()[2] for line in lines if line.startswith("a ")} for lines in (native, got))
    names = [n for n in [*x, *(n for n in y if n not in x)] if x.get(n) != y.get(n)]
    for n in names[:MAX_FACTS]:
        print(f"  {n:14} native {x.get(n, '-')}, {mode} {y.get(n, '-')}")
    print("  natively: " + ", ".join(f"{n} {x[n]}" for n in ("signal", "si_code", "si_addr", "eip", "trapno") if n in x), flush=True)


def check(seed, count, mode, max_failures, verbose=False):
    """(cases that agree, differences)"""
    at, passed, failed, begin = 0, 0, 0, time.time()
    while at < count and failed < max_failures:
        cases = generate(seed, at, count)
        native, (got, errors, status) = both(mode, cases)
        same = next((n for n, (x, y) in enumerate(zip(native, got)) if x != y), min(len(native), len(got)))
        if same == len(native) and status == 0:
            passed += same
            break
        if status and same == len(got): # the end of what it has printed is not where it ended
            _, (got, errors, status) = both(mode, cases, "flush")
            same = max(same, len(got))
        case = at + same
        if not status and is_unsteady(mode, cases, native, same):
            print(f"unsteady natively: seed {seed} case {case}, not counted")
            passed, at = passed + same, case + 1
            continue
        print(f"DIFFERENCE seed {seed} case {case} mode {mode}: " + (f"ends with status {status}: {errors.strip()[-600:]}" if status and same >= len(got) else
              f"\n  native: {native[same]}\n  {mode}: {got[same] if same < len(got) else '-'}"))
        show(seed, case, mode, case)
        passed, failed, at = passed + same, failed + 1, case + 1
    if verbose:
        print(f"seed {seed} {mode}: {passed} agree, {failed} do not, {time.time() - begin:.1f} s", flush=True)
    return passed, failed


def random_mode(rng):
    if rng.randrange(4) == 0:
        return rng.choice(["plain", "one", "three", "nolink", "tiny", "clone"])
    more = rng.sample([*modes.SWITCHES, "one", "three", "tiny", "clone"], rng.randrange(3))
    return "+".join([rng.choice(TOOLS)] + (["no_dead"] if rng.randrange(3) and "no_dead" not in more else []) + more)


def short():
    """Fixed seeds: (cases that agree, differences)."""
    build()
    passed = failed = 0
    for n, (mode, count) in enumerate(SHORT):
        good, bad = check(3000 + n, count, mode, 3)
        passed, failed = passed + good, failed + bad
    return passed, failed


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--short", action="store_true")
    p.add_argument("--seed", type=int)
    p.add_argument("--case", type=int)
    p.add_argument("--cases", type=int, default=5000)
    p.add_argument("--minutes", type=float, default=float("inf"))
    p.add_argument("--mode", action="append", metavar="WORD[+WORD...]")
    p.add_argument("--max-failures", type=int, default=10)
    args = p.parse_args()
    build()
    passed = failed = 0
    if args.case is not None:
        show(args.seed or 0, args.case, (args.mode or ["plain"])[0], args.case)
        return 0
    if args.short:
        passed, failed = short()
    else:
        rng, end = random.SystemRandom(), time.time() + args.minutes * 60
        while failed < args.max_failures and time.time() < end:
            for mode in args.mode or [random_mode(rng)]:
                seed = rng.randrange(1 << 32) if args.seed is None else args.seed
                good, bad = check(seed, args.cases, mode, args.max_failures, True)
                passed, failed = passed + good, failed + bad
            if args.seed is not None:
                break
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
