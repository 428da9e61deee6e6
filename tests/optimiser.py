#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the engine does to make tools and programs faster must not change any result.

    optimiser.py [--short] [PART]...

    guests     guest programs of tests/engine under tools with calls of all forms, with each optimisation off by itself
    api        the golden tests of the tool API, the same way
    differ     each tool of DIFFER with all optimisations on and with all off, for every guest program: its results must be the same

The switches are those that `linchpin -help-testing` lists as -no_*. Two runs of the same kind must not differ either, unless the guest does something of NATURE; then the pair of tool and guest is skipped, with that reason,
when they do. The last line is `N passed, N failed`, with `, N skipped` when there are any. A guest whose name matches --guest is all that differ looks at.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys

import run as engine

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = {name: os.path.join(HERE, "api", "tools", name + ".cpp") for name in ("results", "fillblocks")}
# Those whose results are the same for every run of a program that does the same; the others write addresses of the host, or times.
DIFFER = [["results"], ["fillblocks"], ["inscount", "-by", "bbl"], ["inscount", "-by", "ins"], ["inscount"], ["opcodemix"], ["jumpmix"], ["ldstmix"], ["edgecount", "-top", "0"], ["dcache"], ["proccount"]]
NOT_OPTIMISER = {"-no_rip_near", "-no_link", "-no_clone", "-no_join", "-no_ahead", "-no_large_pages", "-no_runs"}  # tests/run.py has them as modes, or they change nothing with a tool
# A handler that prints registers and flags of which the program needs no more (docs/limits.md): on both sides they are kept.
SEE_DEAD = r"a_(divide|fault_\w+|privileged)$"
# In front of a trap of a program that steps itself, its calls run again (docs/design/api.md, A5).
STEPS = r"a_trapflag|b_sig_tf"
# They count with calls that may be anywhere in a block (IPOINT_ANYWHERE): where that is decides, when it is left in its middle for code that has been written, what was counted.
ANYWHERE = {"fillblocks", "inscount -by bbl", "inscount", "opcodemix", "ldstmix", "proccount"}
# What may do other things in every run, by what a guest's source uses. What varies without such a reason is a fault: a race of the engine's, or of the tool's counters.
NATURE = {
    "threads wait for each other or not, as they are scheduled": r"pthread_create|thrd_create|\bclone\(|SYS_clone",
    "processes wait for each other or not, as they are scheduled": r"\bfork\(|SYS_fork|vfork|posix_spawn|\bsystem\(|popen",
    "timers and clocks": r"setitimer|timer_create|timerfd|\balarm\(|usleep|nanosleep|b_storm\.h|clock_gettime|gettimeofday|\btime\(",
    "random numbers, or those of the machine": r"mkstemp|getrandom|sysinfo",
}
AGAIN = 6  # more runs, to see whether a guest does the same every time
ONLY = []  # --guest
GUESTS = [r"a_(?!(divide|fault_\w+|privileged)$)", "b_sig_storm", "b_sig_tf", "b_thr_"]
SHORT = {"guests": ["a_calls$", "a_loops$", "a_fault_context$", "a_rep_movs$"], "api": ["^args$", "^buffer$", "^order$"], "differ": ["a_calls$", "a_loops$", "a_jcc$", "a_rep_movs$", "a_fault_store$", "a_execstack$"]}


def switches(short):
    text = subprocess.run([engine.LINCHPIN, "-help-testing"], check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^\s*(-no_\w+)", text, re.M)
    assert NOT_OPTIMISER < set(found) and len(found) > 6, f"linchpin -help-testing lists only {found}"
    return [s for s in found if not short or s not in NOT_OPTIMISER]


def script(words):
    """Runs another suite: (kind, lines, count) of what has passed and failed."""
    done = subprocess.run([sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = done.stdout.splitlines()
    numbers = re.fullmatch(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?", lines[-1] if lines else "")
    if not numbers or not int(numbers[1]):
        return [("FAIL", ["nothing has passed", *lines[-5:]], 1)]
    failed = int(numbers[2])
    skips = [("skip", [f"{numbers[3]} of its cases", *(line for line in lines if line.startswith("skip"))], int(numbers[3]))] if numbers[3] else []
    return [("pass", [], int(numbers[1]))] + skips + ([("FAIL", [line for line in lines[:-1] if not line.startswith("skip")][:40], failed)] if failed else [])


def part_guests(pool, short):
    for i, switch in enumerate(switches(short)):
        words = [os.path.join(HERE, "run.py"), "--guests", "--modes", "light" if short else "light,access,tool", f"--engine={switch}"]
        jobs = [(switch, words + (SHORT["guests"] if short else GUESTS))]
        if not short:
            jobs.append((switch + " -no_dead", words + ["--engine=-no_dead", SEE_DEAD]))
        for name, argv in jobs:
            job = pool.submit(script, argv)
            if i == 0:
                job.result()  # it builds what the others use
            yield "guests", name, job


def part_api(pool, short):
    for i, switch in enumerate(switches(short)):
        job = pool.submit(script, [os.path.join(HERE, "api", "run.py"), f"--engine={switch}", *(SHORT["api"] if short else [])])
        if i == 0:
            job.result()  # it builds what the others use
        yield "api", switch, job


def results(guest, tool, options):
    word = os.path.join(engine.BUILD, "tests", "api", tool[0] + ".so") if tool[0] in TOOLS else tool[0]
    native = guest.argv("native")
    at = native.index(guest.path)
    argv = ["setarch", "-R", *native[:at], engine.LINCHPIN, *guest.words("opts"), *options, "-t", word, *tool[1:], "--", *native[at:]]
    text = guest.set.get("stdin")
    stdin = text.encode().decode("unicode_escape").encode() if text is not None else None
    got = engine.run(argv, guest.env(), guest.timeout * 5, stdin)
    got.err = re.sub(rb"(?m)^(\w+: .*, process) \d+(?=, status )", rb"\1 N", got.err)  # the head of a tool's results
    return got


def writes_code(guest):
    err = results(guest, ["inscount"], ["-stats"]).err.decode(errors="replace")
    return any(int(n) for n in re.findall(r"^linchpin: (?:writes to code pages|stale checked traces) +(\d+)$", err, re.M))


def nature(guest):
    """Why two runs may differ, None: they must not."""
    with open(guest.source) as f:
        text = f.read()
    return next((reason for reason, uses in NATURE.items() if re.search(uses, text)), None)


def varied(guest, name, first, again):
    """What a result that is not the same every time means."""
    reason = nature(guest)
    if reason:
        return [("skip", [f"it does not do the same every time: {reason}"])]
    return [("FAIL", [f"{name}, two runs differ, for no reason that is known", *engine.diff(first, again)])]


def differ(guest, tool, off):
    keep = ["-no_dead"] if re.match(SEE_DEAD, guest.name) else []
    fast, slow = results(guest, tool, keep), results(guest, tool, off)
    if fast.status is None or slow.status is None:
        return [("FAIL", ["timeout", *(fast.hang or slow.hang or "").splitlines()])]
    if fast == slow:
        return [("pass", [])]
    for _ in range(AGAIN):
        for name, options, first in (("on", keep, fast), ("off", off, slow)):
            again = results(guest, tool, options)
            if again != first:
                return varied(guest, name, first, again)
    if " ".join(tool) in ANYWHERE and writes_code(guest):
        return [("skip", ["blocks are left in their middle, where it writes code"])]
    return [("FAIL", [line.replace("native", "off   ").replace("here  ", "on    ") for line in engine.diff(slow, fast)])]


def left_out(guest):
    """(kind, lines) for a guest that is not compared, None: it is."""
    error = None if guest.missing() else guest.build()
    if error:
        return [("FAIL", error.splitlines())]
    if guest.missing():
        return [("skip", [f"no {guest.missing()} here"])]
    if "plain" not in guest.modes or "core" in guest.set:
        return [("skip", ["it is for other modes, or its core dumps are compared"])]
    return [("skip", ["it steps itself: in front of a trap its calls run again"])] if re.match(STEPS, guest.name) else None


def part_differ(pool, short):
    off = [s for s in switches(short) if s not in NOT_OPTIMISER]
    for guest in engine.guest_find(SHORT["differ"] if short else ONLY):
        left = left_out(guest)
        if left:
            yield guest.name, "all", pool.submit(lambda rows: rows, left)
            continue
        for tool in DIFFER[:3] if short else DIFFER:
            yield guest.name, " ".join(tool), pool.submit(differ, guest, tool, off)


def main():
    parser = argparse.ArgumentParser(description="Results with optimisations off.")
    parts = {"guests": part_guests, "api": part_api, "differ": part_differ}
    parser.add_argument("parts", nargs="*", choices=[*parts, []], metavar="PART")
    parser.add_argument("--guest", action="append", default=[], metavar="REGEX", help="for differ: only guests whose name matches")
    parser.add_argument("--short", action="store_true", help="a few programs, less than 20 seconds")
    parser.add_argument("-v", "--verbose", action="store_true", help="print passes too")
    opt = parser.parse_args()
    if opt.guest and not engine.guest_find(opt.guest):
        parser.error(f"no guest matches {' or '.join(opt.guest)}")
    ONLY.extend(opt.guest)
    engine.default_signals()
    os.makedirs(engine.OUT, exist_ok=True)
    for name, source in TOOLS.items():
        engine.tool_build(source, os.path.join(engine.BUILD, "tests", "api", name + ".so"))
    report = engine.Report(opt.verbose)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [job for part in opt.parts or parts for job in parts[part](pool, opt.short)]
        for name, what, job in jobs:
            for row in job.result():
                report.take(name, what, *row)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
