#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real programs, natively and under Linchpin: outputs and statuses must agree. `--short` is what make check runs. The last
line is `N passed, N failed`, with `, N skipped` when programs are missing; the status is 1 when something failed, 2 when
there is no engine to test."""

import argparse
import os
import sys
import tempfile
import time

import cases_core
import cases_lang
import cases_server
import cases_tool
import harness


def parse_arguments(names):
    p = argparse.ArgumentParser(prog="run.py", description="Compares real programs under Linchpin with their native runs.")
    p.add_argument("--short", action="store_true", help="the subset of make check, under 3 minutes")
    p.add_argument("--only", action="append", default=[], metavar="NAME", help="only cases whose name starts so (may be repeated)")
    p.add_argument("--engine", metavar="COMMAND", help="another command prefix in place of build/bin/linchpin --")
    p.add_argument("--engine-follow", metavar="COMMAND", help="the same for cases whose children are followed (default: as --engine)")
    p.add_argument("--list", action="store_true", help="list the cases and end")
    args = p.parse_args()
    for prefix in args.only:
        if not any(name.startswith(prefix) for name in names):
            p.error(f"no case starts with {prefix}")
    return args


def select(args, cases):
    return [c for c in cases if (c.short or not args.short) and (not args.only or any(c.name.startswith(p) for p in args.only))]


def find_engine(args):
    if args.engine is not None:
        return harness.Engine(args.engine, args.engine_follow or args.engine)
    path, engine = harness.default_engine()
    if not os.path.exists(path):
        print(f"tests/apps: {path} is not there; run make first", file=sys.stderr)
        sys.exit(2)
    return engine


def run_cases(cases, runner):
    passed = failed = skipped = 0
    for case in cases:
        missing = harness.find_missing(case, runner.search)
        if missing:
            print(f"skip {case.name}: {missing}", flush=True)
            skipped += 1
            continue
        start = time.monotonic()
        problem = runner.check(case)
        seconds = time.monotonic() - start
        if problem:
            failed += 1
            print(f"FAIL {case.name} ({seconds:.1f} s)\n    " + problem.replace("\n", "\n    "), flush=True)
        else:
            passed += 1
            runner.remove_folder(case)
            print(f"ok   {case.name} ({seconds:.1f} s)", flush=True)
    return passed, failed, skipped


def main():
    cases = cases_core.CASES + cases_tool.CASES + cases_lang.CASES + cases_server.CASES
    names = [c.name for c in cases]
    assert len(set(names)) == len(names), "two cases of one name"
    args = parse_arguments(names)
    if args.list:
        for case in cases:
            print(case.name + (" (short)" if case.short else ""))
        return 0
    engine = find_engine(args)
    parent = os.path.join(harness.BUILD, "tests")
    os.makedirs(parent, exist_ok=True)
    base = tempfile.mkdtemp(prefix="apps-", dir=parent)  # so that two runs do not meet
    passed, failed, skipped = run_cases(select(args, cases), harness.Runner(engine, base))
    if failed:
        print(f"the folders of the failed cases are kept in {os.path.relpath(base)}")
    else:
        os.rmdir(base)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
