#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how much slower programs run under Linchpin, and under its peers, than natively.

Runs are interleaved (one round runs every engine on every workload once) so that a machine that speeds up or slows down
hits all alike; of the rounds the least CPU time counts. Each run's output is compared with the native one, and a run whose
output is wrong is a failure in the table, not a figure. Owns the order of runs and the command line; what is run stands in
workloads.py and engines.py, how in measure.py, what is written in report.py."""

import argparse
import dataclasses
import os
import re
import shutil
import subprocess
import sys
import time

import engines as engine_table
import ia32
import inputs as input_files
import measure
import report
from workloads import WORKLOADS

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
MIN_TIMEOUT_S, SHORT_MIN_TIMEOUT_S = 60.0, 300.0  # no run is ended before that
TIMEOUT_FACTOR, SHORT_TIMEOUT_FACTOR = 100.0, 500.0  # times the native run's wall time; of slow engines on short inputs
LIMIT_MINUTES, QUICK_LIMIT_MINUTES = 75.0, 2.8  # another round that would end later is not begun


def make_environment(cache):
    """The same small environment for every run, so that nothing of the user's changes the work."""
    home = os.path.join(cache, "home")
    os.makedirs(home, exist_ok=True)
    # The distribution's programs first: a version manager's shims are scripts, and the program would be their child.
    path = "/usr/bin:/bin:" + os.environ.get("PATH", "") + ":/usr/games"
    keep = {k: v for k, v in os.environ.items() if k in ("TMPDIR", "DYNAMORIO_HOME", "LD_LIBRARY_PATH")}
    os.environ["PATH"] = path  # Popen looks programs up there
    return {**keep, "PATH": path, "HOME": home, "LC_ALL": "C", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "TERM": "dumb",
            "GIT_CONFIG_NOSYSTEM": "1"}


def unwrap_gap(script):
    """Debian's gap is a shell script. The command that it executes is what is measured."""
    with open(script, encoding="utf-8", errors="replace") as f:
        text = f.read()
    program, library = re.search(r"^GAP_PRG=(/\S+)", text, re.M), re.search(r'^GAP_LIB="(.*)"', text, re.M)
    if not program or not library:
        raise SystemExit(f"bench: {script} does not say where gap is; leave the workload out by --only")
    return [program.group(1), "-l", library.group(1).replace("$HOME/gap;", "")]


def require_elf(path):
    """A wrapper script would be measured in place of its program, by every engine that follows no children."""
    with open(path, "rb") as f:
        if f.read(4) != b"\x7fELF":
            raise SystemExit(f"bench: {path} is not an ELF program")


class Job:
    """A workload made concrete: its inputs exist and its command line is complete."""

    def __init__(self, load, size, files, cache, root=None):
        self.load, self.size, self.name = load, size, load.name
        self.more_env = root.environment() if root else {}
        self.short = None  # the same on a short input, where this one is not
        self.work = os.path.join(cache, "work", load.name)
        os.makedirs(self.work, exist_ok=True)
        self.source = files.get(load.input, size) if load.input else ""
        input_path = os.path.join(self.work, "copy") if load.copy else self.source
        self.out = [(input_path if load.copy else os.path.join(self.work, "out")) + load.out] if load.out else []
        names = {"in": input_path, "in2": files.get(*load.input2) if load.input2 else "", "size": size, "work": self.work,
                 "out": self.out[0] if self.out else "", "guest": os.path.join(HERE, "guest"), "built": os.path.join(ROOT, "build", "bench", "guest"), "cc1": ""}
        if root:
            names["cc1"] = "cc1"
        elif "{cc1}" in load.argv:
            names["cc1"] = subprocess.run(["gcc", "-print-prog-name=cc1"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
        self.argv = [word.format(**names) for word in load.argv]
        if root:
            self.argv = root.command((root.gap() if self.argv[0] == "gap" else self.argv[:1]) + self.argv[1:])
        else:
            self.argv[0] = shutil.which(self.argv[0]) or self.argv[0]  # qemu searches no PATH
        if load.name == "gap":
            self.argv[:1] = unwrap_gap(self.argv[0])
        require_elf(self.argv[0])
        self.stdin = load.stdin.format(**names)

    def run(self, engine, env, timeout_s):
        """One measurement: `repeat` runs, whose mean is the sample."""
        samples = []
        for _ in range(self.load.repeat):
            if self.load.copy:
                shutil.rmtree(os.path.join(self.work, "copy"), ignore_errors=True)
                shutil.copytree(self.source, os.path.join(self.work, "copy"))
            if engine.makes:
                shutil.rmtree(engine.makes, ignore_errors=True)
            samples.append(measure.run_once(engine.command(self.argv, self.load.follow), cwd=self.work, env={**env, **self.more_env}, stdin_path=self.stdin,
                                            out_paths=self.out, drop=self.load.drop, stderr=self.load.stderr, timeout_s=timeout_s))
            if samples[-1].error:
                return samples[-1]
        count = len(samples)
        if any(s.digest != samples[0].digest for s in samples):
            samples[0].error = "output differs between runs"
        return dataclasses.replace(samples[0], cpu_s=sum(s.cpu_s for s in samples) / count, wall_s=sum(s.wall_s for s in samples) / count)


def prepare_jobs(args, engines, cache, env):
    files = input_files.Inputs(os.path.join(cache, "inputs"), env)
    jobs, skipped = [], []
    narrow = [] if args.quick else ia32.workloads()
    names = {load.name for load in [*WORKLOADS, *narrow]}
    unknown = set(args.only) - names
    if unknown:
        raise SystemExit(f"bench: no workload {', '.join(sorted(unknown))} (there are: {', '.join(sorted(names))})")
    for load in WORKLOADS:
        size = load.quick if args.quick else load.size
        if size is None or (args.only and load.name not in args.only):
            continue
        program = load.needs or load.argv[0]
        if not shutil.which(program):
            skipped.append((load.name, f"{program} is not installed"))
            continue
        print(f"input of {load.name} ...", file=sys.stderr, end="\r")
        jobs.append(Job(load, size, files, cache))
        short = load.quick if load.short is None else load.short
        if short not in (None, size) and any(e.short and e.group in ("", load.group) for e in engines):
            jobs[-1].short = Job(load, short, files, cache)
    prepare_narrow([load for load in narrow if not args.only or load.name in args.only], files, cache, jobs, skipped)
    return jobs, skipped


def prepare_narrow(loads, files, cache, jobs, skipped):
    """IA-32 programs, where their packages can be had."""
    root = ia32.Root(ROOT, os.path.join(cache, "i386"))
    why = root.prepare() if loads else ""
    for load in loads:
        if why or (load.input2 and not shutil.which("hmmbuild")):
            skipped.append((load.name, why or "hmmbuild, which makes its input, is not installed"))
        else:
            jobs.append(Job(load, load.size, files, cache, root))


def judge(sample, native, engine, follow, makes_files):
    """Says what is wrong with a sample whose run went well in itself."""
    if sample.error or engine.name == "native" or engine.chatty or (engine.replays and makes_files):
        return
    if native is not None and sample.digest != native.digest:
        sample.error = "wrong output" + (" (children followed)" if follow else "")


def limit_of(engine, native):
    """How long a run may take, in seconds of wall time; native: a run to go by, or None."""
    if native is None:
        return 300.0
    return max(SHORT_MIN_TIMEOUT_S, SHORT_TIMEOUT_FACTOR * native.wall_s) if engine.short else max(MIN_TIMEOUT_S, TIMEOUT_FACTOR * native.wall_s)


class Bench:
    def __init__(self, jobs, engines, env, peer_rounds):
        self.jobs, self.engines, self.env, self.rounds, self.peer_rounds = jobs, engines, env, 0, peer_rounds
        self.samples = {job.name: {e.name: [] for e in engines} for job in jobs}
        self.native = engines[0]
        for job in jobs:
            if job.short:
                self.samples[job.name][report.NATIVE_SHORT] = []

    def able(self, job, engine):
        return (not job.load.follow or engine.follow is not None) and engine.group in ("", job.load.group) and \
            (job.load.group != "ia32" or not (engine.peer or engine.makes or engine.replays) or engine.name in ia32.PEERS)

    def given_up(self, job, engine):
        """A failure is tried once more, not every round."""
        return sum(1 for s in self.samples[job.name][engine.name] if s.error) >= 2

    def run(self, rounds, limit_s):
        """All rounds, or as many as end within the limit, but one."""
        started = time.monotonic()
        while self.rounds < rounds:
            begun = time.monotonic()
            self.rounds += 1
            for job in self.jobs:
                self.run_job(job)
            now = time.monotonic()
            if self.rounds < rounds and now - started + (now - begun) > limit_s:
                print(f"bench: no time for more than {self.rounds} of {rounds} rounds (--minutes)", file=sys.stderr)
                return

    def run_job(self, job):
        for engine in self.engines:
            if not self.able(job, engine) or self.given_up(job, engine) or (engine.peer and self.rounds > self.peer_rounds):
                continue
            if engine.short and job.short:
                self.run_one(job, job.short, self.native, report.NATIVE_SHORT, report.NATIVE_SHORT)
                self.run_one(job, job.short, engine, engine.name, report.NATIVE_SHORT)
            else:
                self.run_one(job, job, engine, engine.name, "native")

    def run_one(self, job, what, engine, row, native_row):
        done = self.samples[job.name]
        native = next((s for s in done[native_row] if not s.error), None)
        if row != native_row and native is None:
            return  # nothing to compare with
        timeout = limit_of(engine, native)
        sample = what.run(engine, self.env, timeout)
        judge(sample, native, engine, job.load.follow, bool(job.out))
        if row == native_row and native is not None and not sample.error and sample.digest != native.digest:
            sample.error = "native output differs from run to run"
        done[row].append(sample)
        print_progress(self.rounds, job.name, row, sample, native if row != native_row else None)


def print_progress(number, job, engine, sample, native):
    text = f"{sample.cpu_s:8.3f} s" if not sample.error else f"FAIL {sample.error}"
    if not sample.error and native:
        text += f"  {sample.cpu_s / native.cpu_s:6.2f}x"
    print(f"round {number}  {job:<13} {engine:<13} {text}", file=sys.stderr, flush=True)
    if sample.error and sample.tail:
        print("    " + sample.tail[-500:].replace("\n", "\n    "), file=sys.stderr)


def parse_arguments():
    p = argparse.ArgumentParser(prog="bench.py", description="CPU time of programs under Linchpin and its peers, over the native run's.")
    p.add_argument("--quick", action="store_true", help="fewer workloads on short inputs, under 3 minutes; short inputs are mostly cold code")
    p.add_argument("--only", action="append", default=[], metavar="NAME", help="only this workload (may be repeated)")
    p.add_argument("--engine", action="append", default=[], metavar="NAME", help="only this engine beside native (may be repeated)")
    p.add_argument("--peers", action="store_true", help="run Valgrind, QEMU and (where DYNAMORIO_HOME is set) DynamoRIO too")
    p.add_argument("--runs", type=int, metavar="N", help="rounds, of which the best counts (3; 2 with --quick)")
    p.add_argument("--peer-runs", type=int, metavar="N", help="in how many of the rounds the peers run (1)")
    p.add_argument("--minutes", type=float, metavar="N", help=f"no further round that would end later ({LIMIT_MINUTES:g}; {QUICK_LIMIT_MINUTES:g} with --quick)")
    p.add_argument("--json", metavar="FILE", help="where the results go (build/bench/results.json; quick.json with --quick)")
    p.add_argument("--compare", metavar="OLD.json", help="print the change from an earlier result")
    p.add_argument("--docs", action="store_true", help="write docs/bench.md, docs/bench.svg and docs/bench.png")
    p.add_argument("--list", action="store_true", help="list workloads and engines, measure nothing")
    p.add_argument("--report", metavar="FILE.json", help="measure nothing, report an earlier result")
    return p.parse_args()


def print_lists(engines):
    print("workloads:", ", ".join(f"{w.name} ({w.group})" for w in [*WORKLOADS, *ia32.workloads()]))
    print("engines:", ", ".join(f"{e.name} ({e.note})" if e.note else e.name for e in engines))


def finish(result, args, cache):
    print(report.text_tables(result))
    if args.compare:
        print(report.compare(report.load(args.compare), result))
    if args.docs:
        report.write_docs(result, os.path.join(ROOT, "docs"))
    if not args.report:
        path = args.json or os.path.join(cache, "quick.json" if args.quick else "results.json")
        report.save(result, path)
        print(f"results: {os.path.relpath(path)}")
    return 1 if report.failures(result) else 0


def main():
    args = parse_arguments()
    cache = os.path.join(ROOT, "build", "bench")
    os.makedirs(cache, exist_ok=True)
    if args.report:
        return finish(report.load(args.report), args, cache)
    env = make_environment(cache)
    engines = engine_table.select_engines(ROOT, args.peers, args.engine)
    if args.list:
        return print_lists(engines)
    if len(engines) == 1:
        print("bench: build/bin/linchpin is not there (run make first); only the native runs are measured", file=sys.stderr)
    jobs, skipped = prepare_jobs(args, engines, cache, env)
    for name, reason in skipped:
        print(f"skipped {name}: {reason}", file=sys.stderr)
    measure.become_subreaper()
    started = time.time()
    rounds = args.runs or (2 if args.quick else 3)
    bench = Bench(jobs, engines, env, args.peer_runs or 1)
    bench.run(rounds, 60 * (args.minutes or (QUICK_LIMIT_MINUTES if args.quick else LIMIT_MINUTES)))
    result = report.build(bench, skipped, engine_table.read_versions(ROOT, engines), started, args.quick)
    return finish(result, args, cache)


if __name__ == "__main__":
    sys.exit(main())
