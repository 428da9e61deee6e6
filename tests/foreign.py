#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Test programs of other systems, natively and under the engine (make check-foreign SUITES=dir). Nothing of them is in this tree: the user has built them, each suite in a folder of its own. What a
program checks itself does not matter here: its exit status and what it writes must be as natively. It runs natively before and after; what differs between these two is not judged."""
import argparse
import concurrent.futures
import hashlib
import os
import re
import shlex
import stat
import sys
import tempfile

import watch

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
LINCHPIN = os.path.join(BUILD, "bin", "linchpin")
LIST = "commands.txt"  # in a suite's folder: one command in each line, run there, instead of every program that is found
VERDICTS = ("same", "DIFFERS", "unsteady", "fails natively")


def is_program(path):
    """An ELF file or a script that may be executed; libraries are not tried."""
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode) or not os.access(path, os.X_OK) or re.search(r"\.so(\.|$)", path):
            return False
        with open(path, "rb") as f:
            return f.read(4) == b"\x7fELF" or f.seek(0) == 0 and f.read(2) == b"#!"
    except OSError:
        return False


def commands(suite):
    """(name, words) of each program of a suite."""
    path = os.path.join(suite, LIST)
    if os.path.exists(path):
        with open(path) as f:
            lines = [line.strip() for line in f if line.strip() and not line.startswith("#")]
        return [(line, shlex.split(line)) for line in lines]
    found = sorted(os.path.join(top, name) for top, _, names in os.walk(suite) for name in names)
    return [(os.path.relpath(path, suite), [path]) for path in found if is_program(path)]


class Run:
    """What one run left: exit status, lines written. None: it did not end."""

    def __init__(self, words, folder, seconds, options):
        with tempfile.TemporaryDirectory(prefix="foreign") as scratch:
            where = folder if options.in_place or os.path.exists(os.path.join(folder, LIST)) else scratch
            try:
                done = watch.run(words, seconds, text=False, cwd=where, env=os.environ | {"TMPDIR": scratch, "LC_ALL": "C"})
            except watch.subprocess.TimeoutExpired:
                self.status, self.lines = None, []
                return
            except OSError as error:
                self.status, self.lines = f"not executed: {error.strerror}", []
                return
            self.status = done.returncode
            self.lines = [line.replace(scratch.encode(), b"TMPDIR") for stream in (done.stdout, done.stderr) for line in stream.split(b"\n")]


def output_differs(got, runs):
    """The first line that is in no native run at its place, or None; a place where these differ among each other is not judged, nor a length that is not steady."""
    if len({len(run.lines) for run in runs}) > 1:
        return None
    want = runs[0].lines
    if len(got.lines) != len(want):
        return f"{len(got.lines)} lines instead of {len(want)}"
    for number, line in enumerate(got.lines):
        if len({run.lines[number] for run in runs}) == 1 and line != want[number]:
            return f"line {number + 1}: {line.decode(errors='replace')[:100]!r} instead of {want[number].decode(errors='replace')[:100]!r}"
    return None


def difference(got, runs):
    if got.status is None:
        return "does not end"
    if got.status not in [run.status for run in runs]:
        return f"status {got.status} instead of {runs[0].status}"
    return output_differs(got, runs)


def judge(words, folder, options):
    """(verdict, what). A difference counts when it is still one after more native runs: a program may have two results that are both right."""
    def native():
        return Run(words, folder, options.seconds, options)
    runs = [native()]
    if not isinstance(runs[0].status, int):
        return "fails natively", runs[0].status or "does not end"
    got = Run(shlex.split(options.engine) + words, folder, options.seconds * options.factor, options)
    runs.append(native())
    what = difference(got, runs)
    if what is None:
        return ("same", "") if runs[0].status == runs[1].status else ("unsteady", "the native status varies")
    runs += [native() for _ in range(options.more)]
    return ("DIFFERS", what) if difference(got, runs) else ("unsteady", what)


def identity(options):
    """Results are kept for the engine that gave them."""
    vm = os.path.join(BUILD, "lib", "linchpin", "linchpin-vm")
    with open(vm, "rb") as f:
        return hashlib.sha256(f.read() + options.engine.encode()).hexdigest()[:16]


def known(path, who):
    if not os.path.exists(path):
        return {}
    with open(path) as f:
        rows = [line.rstrip("\n").split("\t") for line in f]
    return {(row[1], row[2]): row[3:] for row in rows if len(row) == 5 and row[0] == who}


def run_suite(suite, options, done, keep):
    """Totals by verdict; results go to `keep` as they come."""
    title, totals = os.path.basename(suite), dict.fromkeys(VERDICTS, 0)
    tasks = [(name, words) for name, words in commands(suite) if not options.only or options.only in name]

    def one(task):
        return done.get((title, task[0])) or judge(task[1], suite, options)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (name, words), (verdict, what) in zip(tasks, pool.map(one, tasks)):
            totals[verdict] += 1
            if (title, name) not in done:
                keep(title, name, verdict, what.replace("\t", " ").replace("\n", " "))
            if verdict != "same" or options.verbose:
                print(f"{verdict}: {title}/{name}" + (f": {what}" if what else ""), flush=True)
    print(f"{title}: " + ", ".join(f"{n} {verdict}" for verdict, n in totals.items()), flush=True)
    return totals


def run_all(options):
    """(passed, failed, skipped) over all suites; a folder with programs and no subfolders is one suite itself."""
    inside = sorted(e.path for e in os.scandir(options.suites) if e.is_dir())
    suites = [options.suites] if os.path.exists(os.path.join(options.suites, LIST)) or not inside else inside
    os.makedirs(os.path.dirname(options.results), exist_ok=True)
    who = identity(options)
    done = {} if options.again else known(options.results, who)
    sums = dict.fromkeys(VERDICTS, 0)
    with open(options.results, "w" if options.again else "a", buffering=1) as f:
        for suite in suites:
            totals = run_suite(suite, options, done, lambda *row: f.write("\t".join((who, *row)) + "\n"))
            sums = {verdict: n + totals[verdict] for verdict, n in sums.items()}
    return sums["same"], sums["DIFFERS"], sums["unsteady"] + sums["fails natively"]


# --- the test of this runner: a suite of which each program's verdict is known --------------------------------------------

SCRIPTS = {
    "good": "echo fine; exit 3",
    "pid": "echo $$",
    "status": 'exit ${STAND_IN:-0}',
    "line": 'echo one; echo "${STAND_IN:-two}"; echo three',
    "more": '[ "$STAND_IN" ] && echo more; true',
    "signal": '[ "$STAND_IN" ] && kill -9 $$; true',
    "hang": '[ "$STAND_IN" ] && exec sleep 1000; true',
    "turns": 'n=$(cat "$0.n" 2>/dev/null); echo $((!n)) >"$0.n"; exit $((n + 0))',
}
WANTED = {"good": "same", "pid": "same", "status": "DIFFERS", "line": "DIFFERS", "more": "DIFFERS", "signal": "DIFFERS", "hang": "DIFFERS", "turns": "unsteady"}


def write_suite(folder):
    for name, text in SCRIPTS.items():
        path = os.path.join(folder, name)
        with open(path, "w") as f:
            f.write("#!/bin/bash\n" + text + "\n")
        os.chmod(path, 0o755)
    with open(os.path.join(folder, "notes.txt"), "w") as f:
        f.write("no program\n")


def self_test(options):
    """The verdicts with a stand-in for the engine that makes the programs behave otherwise, and with the engine itself."""
    failed = passed = 0
    options.factor, options.more = 1, 2
    with tempfile.TemporaryDirectory() as top:
        write_suite(top)
        for engine, seconds, wanted in (("env STAND_IN=7", 10, WANTED), (options.engine, 60, {**dict.fromkeys(WANTED, "same"), "turns": "unsteady"})):
            options.engine, options.seconds = engine, seconds
            got = {name: judge(words, top, options) for name, words in commands(top)}
            wrong = [f"FAIL {engine}: {name}: {got.get(name)} instead of {verdict}" for name, verdict in wanted.items() if got.get(name, [None])[0] != verdict]
            wrong += [] if set(got) == set(SCRIPTS) else [f"FAIL the programs found are {sorted(got)}"]
            print("".join(line + "\n" for line in wrong), end="")
            failed += len(wrong)
            passed += len(wanted) + 1 - len(wrong)
    return passed, failed, 0


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--suites", metavar="DIR", help="a folder with a folder for each suite; one with a file " + LIST + " runs those commands, else every program in it")
    p.add_argument("--only", metavar="TEXT", help="programs with this in their name")
    p.add_argument("--engine", default=f"{LINCHPIN} --", help="what stands before the command (%(default)s)")
    p.add_argument("--in-place", action="store_true", help="run each program in the suite's folder, not in an empty one")
    p.add_argument("--seconds", type=float, default=60, help="limit of a native run (%(default)s)")
    p.add_argument("--factor", type=float, default=10, help="under the engine, so many times as long (%(default)s)")
    p.add_argument("--more", type=int, default=5, help="further native runs before a difference counts (%(default)s)")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--results", default=os.path.join(BUILD, "foreign", "results.tsv"), help="what has been judged with this engine is not run again (%(default)s)")
    p.add_argument("--again", action="store_true", help="judge all again")
    p.add_argument("-v", "--verbose", action="store_true")
    p.add_argument("--short", action="store_true", help="the test of this runner itself, on a suite that it makes")
    options = p.parse_args()
    if options.short:
        totals = self_test(options)
    elif not options.suites:
        print("no suites given: make check-foreign SUITES=dir, a folder with a folder for each suite (docs/testing.md)")
        return 0
    elif not os.path.isdir(options.suites):
        sys.exit(f"{options.suites}: no such folder; it has a folder for each suite (docs/testing.md)")
    else:
        options.suites = os.path.abspath(options.suites)
        totals = run_all(options)
    print("%d passed, %d failed, %d skipped" % totals)
    return int(totals[1] > 0)


sys.exit(main())
