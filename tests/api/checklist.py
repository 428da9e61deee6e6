#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checklist of the tool API: every name of names.tsv that is current is declared for C++ (and for C where it has a C form), and is either called by a test or named with a
reason in list/reasons.tsv. docs/api-status.md says which test or which reason; it is made here.

    checklist.py [--short]     checks; uses what the last run of the suites with tools has left in the build folder, and runs them where there is nothing
    checklist.py --write       writes docs/api-status.md and takes reasons away that are not needed any more (make api-status)
    checklist.py --fresh       runs those suites first

That a test has called a name is taken from records of its run (list/evidence.py), never from a list. The last line is `N passed, N failed`.
"""
import argparse
import csv
import fnmatch
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
OUT = os.path.join(BUILD, "tests", "api")
ENGINE = os.path.join(BUILD, "lib", "linchpin", "linchpin-vm")
DOC = os.path.join(ROOT, "docs", "api-status.md")
REASONS = os.path.join(HERE, "list", "reasons.tsv")
SUITES = {"api": ["tests/api/run.py", "tests/api/whole.py"], "tools": ["tests/tools/run.py"], "attach": ["tests/attach/run.py"], "probe": ["tests/probe/run.py"], "debug": ["tests/debug/run.py"]}
# Interfaces without code: a call is all there is.
ABSTRACT = ("ICUSTOM_INSTRUMENTOR::", "IMULTI_ELEMENT_OPERAND::", "ISHELL::", "ISCATTERED_MEMORY_REWRITE::", "KNOB_BASE::AddValue", "KNOB_BASE::NumberOfValues", "KNOB_BASE::Type", "KNOB_BASE::ValueString")
# Names that are code in the headers around a function of the engine with another name.
AROUND = {"lp_remove_debug_interpreter": "PIN_RemoveDebugInterpreter"}
sys.path.insert(0, os.path.join(HERE, "list"))
import checked  # noqa: E402
import declared  # noqa: E402
import evidence  # noqa: E402


def read_table(path):
    with open(path) as f:
        return list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))


def records(suite):
    return os.path.join(BUILD, "tests", "api", "calls", suite)


def run_suites(fresh):
    for suite, scripts in SUITES.items():
        for script in scripts if fresh or not os.path.isdir(records(suite)) else []:
            done = subprocess.run([sys.executable, os.path.join(ROOT, script), "--short"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode:
                sys.exit(f"{script} failed:\n{done.stdout[-3000:]}")


def names_there(rows, undeclared):
    """Names that a tool can use: declared, and defined by the engine unless they are made of headers alone."""
    out = subprocess.run(["nm", "-D", "--defined-only", ENGINE], stdout=subprocess.PIPE, text=True, check=True).stdout
    exported = {line.split()[-1].split("@")[0] for line in out.splitlines()}
    with_engine = {r["name"] for r in rows if r["kind"] == "function" and r["group"] not in declared.CXX_ONLY_GROUPS and r["name"] not in declared.CXX_ONLY}
    return {r["name"] for r in rows if r["name"] not in undeclared and (r["name"] in exported or r["name"] not in with_engine | declared.IN_ENGINE)}


def source_of(suite, test):
    return {"api": "tests/api/tools/", "tools": "tools/", "attach": "tests/attach/", "probe": "tests/probe/tools/", "debug": "tests/debug/"}[suite] + test + ".cpp"


def iarg_names():
    """{`IARG NUMBER` as the records have it: name}"""
    with open(os.path.join(ROOT, "include", "linchpin", "iarg.h")) as f:
        return {f"IARG {number}": name for name, number in re.findall(r"^    (IARG_\w+) = (\d+),", f.read(), re.M)}


def collect(rows):
    """{name: sorted sources of tests that have called it}"""
    found = {r["name"]: set() for r in rows}
    # Arguments of Pin 2 are macros around today's, or names of the first and last of a range.
    plain = {r["name"] for r in rows if r["kind"] in ("macro", "typedef", "const") or (r["kind"] == "iarg" and r["status"] == "obsolete")}
    around = {**AROUND, **iarg_names()}
    classes = {r["name"]: r["name"].split("::")[0] for r in rows if r["kind"] == "ctor"}
    for suite in SUITES:
        for test, names in evidence.reached(records(suite)).items():
            source = source_of(suite, test)
            path = os.path.join(ROOT, source)
            words = evidence.source_words(path) if os.path.exists(path) else set()
            for name in {around.get(n, n) for n in names} | words & plain:
                if name in found:
                    found[name].add(source)
            for name, cls in classes.items():
                if cls in words and cls in ("CONTEXT", "XSAVE_HEADER"):
                    found[name].add(source)
    run = evidence.HeaderRun(ROOT, os.path.join(BUILD, "bin", "linchpin"), os.path.join(OUT, "headers"))
    run.everything()
    virtual = {r["name"]: r["name"].split("::")[1] for r in rows if r["name"].startswith(ABSTRACT)}
    types = {r["name"] for r in rows if r["kind"] == "typedef"}
    for path, (functions, words) in run.counts().items():
        names = functions | words & plain | evidence.source_words(path) & types | {n for n, member in virtual.items() if member in words}
        for name in names & found.keys():
            found[name].add(os.path.relpath(path, ROOT))
    return {name: sorted(tests, key=lambda t: ("misuse" in t, t)) for name, tests in found.items()}


def reason_of(name, reasons):
    for r in reasons:
        if fnmatch.fnmatchcase(name, r["names"]):
            return r
    return None


def load_reasons():
    return read_table(REASONS)


def earlier_choices():
    """{name: test} as the document has it, so that a new test does not move names that have one."""
    chosen = {}
    if os.path.exists(DOC):
        with open(DOC) as f:
            for line in f:
                m = re.match(r"- `(tests/api/\S+|tests/attach/\S+|tools/\S+)`: (.*)$", line)
                for name in re.findall(r"[\w:+-]+", m[2]) if m else []:
                    chosen[name] = m[1]
    return chosen


INTRO = """# Status of the tool API

Made by `make api-status` from what the headers declare, what the engine has and what the tests have called; `make check` fails when it is out of date. The names are those of Pin's API, 2.x and 3.x
together (`tests/api/names.tsv`), with the functions of XED that tools use. A name counts as tested when a run of a test has reached it: the engine records the calls of a tool (`-api_calls`), gcov those of
code in the headers.

"""


def summary(rows, tests):
    lines = ["| group | current names | tested | not tested or not there |", "| --- | --- | --- | --- |"]
    groups = sorted({r["group"] for r in rows})
    total = [0, 0]
    for g in groups:
        current = [r for r in rows if r["group"] == g and r["status"] == "current"]
        tested = sum(1 for r in current if tests[r["name"]])
        total = [total[0] + len(current), total[1] + tested]
        if current:
            lines.append(f"| {g} | {len(current)} | {tested} | {len(current) - tested} |")
    lines.append(f"| all | {total[0]} | {total[1]} | {total[0] - total[1]} |")
    return lines


def by_reason(rows, tests, reasons, there):
    groups = {}
    for r in rows:
        if r["status"] == "current" and not tests[r["name"]]:
            reason = reason_of(r["name"], reasons)
            # The headers alone do not tell whether the engine takes an argument.
            is_there = r["name"] in there and not (r["kind"] == "iarg" and reason and reason["reason"].startswith("not there"))
            groups.setdefault((is_there, reason["reason"] if reason else "no reason given"), []).append(r["name"])
    lines = []
    for is_there, reason in sorted(groups):
        names = ", ".join(f"`{n}`" for n in sorted(groups[is_there, reason]))
        lines.append(f"- {'No test' if is_there else 'Not there'}: {reason}: {names}")
    return lines


def others(rows, tests, there):
    """Names that need not be there: those that are."""
    titles = (("obsolete", "Of Pin 2 only, or gone from Pin since"), ("probe", "Of probe mode"), ("windows", "Of Windows"))
    lines = []
    for status, title in titles:
        mine = [r["name"] for r in rows if r["status"] == status]
        tested = [n for n in mine if tests[n]]
        untested = [n for n in mine if n in there and not tests[n]]
        lines.append(f"- {title}: {len(mine)} names, {len(tested)} tested" + (": " + ", ".join(f"`{n}`" for n in sorted(tested)) if tested else "") + "."
                     + (f" There without a test: {', '.join(f'`{n}`' for n in sorted(untested))}." if untested else ""))
    return lines


def tested_lists(rows, tests):
    earlier = earlier_choices()
    lines = []
    for g in sorted({r["group"] for r in rows}):
        chosen = {}
        for r in rows:
            have = tests[r["name"]]
            if r["group"] == g and r["status"] == "current" and have:
                test = earlier.get(r["name"])
                chosen.setdefault(test if test in have else have[0], []).append(r["name"])
        if chosen:
            lines += ["", f"### {g}", ""] + [f"- `{t}`: {', '.join(sorted(chosen[t]))}" for t in sorted(chosen)]
    return lines


def document(rows, tests, reasons, there):
    text = INTRO + "\n".join(summary(rows, tests)) + "\n\n" + "\n".join(checked.section(rows, ROOT)[0]) + "\n\n## Not tested, or not there\n\n"
    text += "\n".join(by_reason(rows, tests, reasons, there)) + "\n\n## Names that need not be there\n\n" + "\n".join(others(rows, tests, there))
    text += "\n\n## Tested\n\nOne test is named for each, whatever others call it.\n" + "\n".join(tested_lists(rows, tests)) + "\n"
    return text


def check(rows, tests, reasons, cxx, c, broken):
    """(name of the check, what is wrong) for each."""
    current = [r for r in rows if r["status"] == "current"]
    results = [("headers compile", broken[:3])]
    for r in current:
        name, why = r["name"], reason_of(r["name"], reasons)
        bad = []
        if name in cxx and not (why and why["declared"] == "no"):
            bad.append("not declared for C++")
        if name in c and not (why and why["declared"] == "no"):
            bad.append("not declared for C")
        if not tests[name] and not why:
            bad.append("no test has called it, and list/reasons.tsv has no reason")
        if r["must"] and not tests[name] and not (why and why["must"] == "no"):
            bad.append("has to work: no test has called it")
        results.append((name, bad))
    results += [(name, [f"one of the {checked.MOST_USED} that tools use most, and no test has failed while it was wrong: it is only reached (make check-api-checked)"]) for name in checked.section(rows, ROOT)[1]]
    for reason in reasons:
        if not any(fnmatch.fnmatchcase(r["name"], reason["names"]) and not tests[r["name"]] for r in current):
            results.append((f"reason for {reason['names']}", ["not needed any more: make api-status takes it away"]))
    return results


def write_reasons(rows, tests, reasons):
    needed = [x for x in reasons if any(r["status"] == "current" and not tests[r["name"]] and reason_of(r["name"], reasons) is x for r in rows)]
    with open(REASONS, "w") as f:
        f.write("names\tdeclared\tmust\treason\n")
        f.writelines("\t".join((x["names"], x["declared"], x["must"], x["reason"])) + "\n" for x in needed)
    return needed


def main():
    parser = argparse.ArgumentParser(description="The checklist of the tool API.")
    parser.add_argument("--short", action="store_true", help="as all suites have it; nothing is left out")
    parser.add_argument("--write", action="store_true", help="write docs/api-status.md")
    parser.add_argument("--fresh", action="store_true", help="run the suites of tools first")
    parser.add_argument("-v", "--verbose", action="store_true")
    opt = parser.parse_args()
    run_suites(opt.fresh)
    rows = read_table(os.path.join(HERE, "names.tsv"))
    tests, reasons = collect(rows), load_reasons()
    if opt.write:
        reasons = write_reasons(rows, tests, reasons)
    cxx, c, broken = declared.missing(rows, ROOT, os.path.join(OUT, "declared"))
    text = document(rows, tests, reasons, names_there(rows, cxx | c))
    if opt.write:
        with open(DOC, "w") as f:
            f.write(text)
    results = check(rows, tests, reasons, cxx, c, broken)
    with open(DOC) as f:
        results.append(("docs/api-status.md", [] if f.read() == text else ["out of date: make api-status"]))
    failed = [(name, bad) for name, bad in results if bad]
    for name, bad in failed:
        print(f"FAIL {name}: {'; '.join(bad)}")
    print(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
