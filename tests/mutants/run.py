#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are the tests good enough? Puts the faults of faults.txt into the engine, one at a time, and runs the tests that should see each.

    run.py                  all faults that are not caught yet; goes on where it was stopped
    run.py --only WORD      only faults whose id has the word (may be repeated)
    run.py --again          also those that were caught
    run.py --short          nothing is built: the table is well-formed, every fault's place is found exactly once and the suites it names
                            are there
    run.py --list           the faults

A fault is a block of lines in faults.txt:

    id: WORD
    file: src/...
    in: TEXT                optional: the place is between this text, which stands once in the file, and the end of the function
    old: TEXT               stands exactly once there; several lines: each further one begins with `   | `
    new: TEXT               in its place
    why: TEXT               what is wrong then, for whom
    tests: COMMAND          a script with its arguments, or `unit NAME`; nearest first, each further one in a line that begins with `   | `
    equivalent: TEXT        optional: why nothing can see it

The sources are copied to build/mutants/tree, which has a build of its own; the fault goes in there. The fault's tests run in their order until
one fails. That one must pass there without the fault (once for each state of the sources and the tests), else it is an error. A test that is ended by the
limit here is no catch: the tests end what hangs themselves (watch.py), and then they have failed.

results.tsv is written after each fault: its id, a hash of the fault and the function that it is in, one of all sources,
what became of it, the test that saw it, the seconds from the start of the first test until then, the seconds of the
build, and the test's words. A result holds as long as the fault and that function stay as they are but for comments
and layout, wherever it moves; at the end it is said how many are from another state of the other sources (--again makes
them anew). The last line is `N passed, N failed`: a fault that is caught, or survives and is said to be equivalent, has
passed.
"""
import argparse
import hashlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import watch  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
TREE = os.path.join(BUILD, "mutants", "tree")
TREE_BUILD = os.path.join(TREE, "build")
FAULTS = os.path.join(HERE, "faults.txt")
RESULTS = os.path.join(HERE, "results.tsv")
HEAD = ["id", "hash", "sources", "result", "test", "seconds", "build", "words"]
FIELDS = ["id", "file", "in", "old", "new", "why", "tests", "equivalent"]
COPIED = ["Makefile", "bench", "docs", "include", "scripts", "share", "src", "tests", "tools"]  # what builds and tests need
SOURCES = ["Makefile", "include", "scripts", "share", "src", "tools"]  # of these a build is
TEST_LIMIT = 1200  # seconds
BUILD_LIMIT = 1800
TOTAL = re.compile(r"^(\d+) passed, (\d+) failed", re.M)
UNIT_TOTAL = re.compile(r"\[  PASSED  \] (\d+) test|(\d+) checks, 0 failed")
BAD = re.compile(r"^(?:FAIL|failed:|\[  FAILED  \]).*", re.M)


class Wrong(Exception):
    """The table, or a test, is not what it should be."""


class Fault:
    def __init__(self, fields):
        self.id = fields.get("id", "")
        for name in ("file", "old", "why", "tests"):
            if not fields.get(name):
                raise Wrong(f"{self.id or 'a fault'}: no {name}")
        if not re.fullmatch(r"[a-z0-9-]+", self.id):
            raise Wrong(f"{self.id}: an id is made of small letters, digits and hyphens")
        self.path, self.where, self.old, self.new = fields["file"], fields.get("in"), fields["old"], fields.get("new", "")
        self.why, self.equivalent = fields["why"].replace("\n", " "), fields.get("equivalent", "").replace("\n", " ")
        self.tests = fields["tests"].split("\n")

    def place(self, text):
        """Where in the source it is: start and end."""
        start, end = 0, len(text)
        if self.where:
            if text.count(self.where) != 1:
                raise Wrong(f"{self.id}: {self.path} has {self.where!r} {text.count(self.where)} times, not once")
            start = text.index(self.where)
            end = text.find("\n}", start) + 1 or end
        found = text.count(self.old, start, end)
        if found != 1:
            raise Wrong(f"{self.id}: {self.path} has {self.old!r} {found} times there, not once: whoever moves the code moves its fault in tests/mutants/faults.txt")
        at = text.index(self.old, start, end)
        return at, at + len(self.old)

    def put_in(self, text):
        start, end = self.place(text)
        if self.old == self.new:
            raise Wrong(f"{self.id}: it changes nothing")
        return text[:start] + self.new + text[end:]

    def around(self, text):
        """The function, or the table, that it is in."""
        at, end = self.place(text)
        start = max((m.start() for m in re.finditer(r"^[A-Za-z_][^:\n]*$", text[:at], re.M)), default=0)
        return text[start:text.find("\n}", end - 1) + 2]

    def hash(self):
        parts = [self.old, self.new, self.around(read(os.path.join(ROOT, self.path)))]
        return hashlib.sha256("\0".join(map(essence, parts)).encode()).hexdigest()[:16]


def essence(text):
    """The code without its comments and its layout."""
    text = re.sub(r"/\*.*?\*/|/\*.*\Z|\\\n", " ", text, flags=re.S)
    return re.sub(r"(?<=\W) | (?=\W)", "", re.sub(r"\s+", " ", text)).strip()


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def faults_read():
    """All of the table, in its order."""
    found, fields, last = [], {}, None
    for line in read(FAULTS).split("\n") + [""]:
        name, _, value = line.partition(": ")
        if line.startswith("   | ") and last:
            fields[last] += "\n" + line[5:]
        elif not line.strip():
            if fields:
                found.append(Fault(fields))
            fields, last = {}, None
        elif line.startswith("#"):
            continue
        elif name.rstrip(":") in FIELDS and name.rstrip(":") not in fields:
            last = name.rstrip(":")
            fields[last] = value
        else:
            raise Wrong(f"faults.txt: {line!r}")
    ids = [f.id for f in found]
    again = {i for i in ids if ids.count(i) > 1}
    if again:
        raise Wrong(f"faults.txt: more than once: {', '.join(sorted(again))}")
    return found


# --- the copy ---------------------------------------------------------------------------------------------------------

def files_of(tops):
    """Relative paths, sorted; what builds and editors leave behind is not of them."""
    found = []
    for top in tops:
        path = os.path.join(ROOT, top)
        if os.path.isfile(path):
            found.append(top)
        for folder, names, files in os.walk(path):
            names[:] = sorted(n for n in names if n != "__pycache__")
            found += [os.path.relpath(os.path.join(folder, n), ROOT) for n in sorted(files) if not n.endswith((".pyc", "~", ".swp"))]
    return found


def hash_of(tops):
    h = hashlib.sha256()
    for name in files_of(tops):
        with open(os.path.join(ROOT, name), "rb") as f:
            h.update(name.encode() + b"\0" + hashlib.sha256(f.read()).digest())
    return h.hexdigest()


def same_bytes(a, b):
    if not os.path.isfile(b) or os.path.getsize(a) != os.path.getsize(b):
        return False
    with open(a, "rb") as f, open(b, "rb") as g:
        return f.read() == g.read()


def copy_tree():
    """The sources as they are now. A file that has changed gets the time of now, so that make sees it."""
    fresh = not os.path.isdir(TREE_BUILD)
    names = set(files_of(COPIED))
    for name in sorted(names):
        old, new = os.path.join(ROOT, name), os.path.join(TREE, name)
        if same_bytes(old, new):
            continue
        os.makedirs(os.path.dirname(new), exist_ok=True)
        (shutil.copy2 if fresh else shutil.copy)(old, new)
    for top in COPIED:
        for folder, _, files in os.walk(os.path.join(TREE, top)):
            for name in files:
                path = os.path.join(folder, name)
                if os.path.relpath(path, TREE) not in names and "__pycache__" not in path:
                    os.remove(path)
    for part in ("obj", "lib", "bin") if fresh else ():  # not the tests: some know where they were built
        if os.path.isdir(os.path.join(BUILD, part)):
            shutil.copytree(os.path.join(BUILD, part), os.path.join(TREE_BUILD, part), symlinks=True)


def build():
    """False and make's words when it does not build."""
    env = {k: v for k, v in os.environ.items() if k not in ("BUILD", "LINCHPIN", "MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    cc = [f"CC={os.environ['CC']}"] if "CC" in os.environ else []
    done = watch.run(["make", f"-j{os.cpu_count()}", *cc, "WARN=", "check-build"], BUILD_LIMIT, cwd=TREE, env=env)  # a fault may look odd to the compiler
    return done.returncode == 0, (done.stdout + done.stderr)[-2000:]


# --- tests -------------------------------------------------------------------------------------------------------------

def command(test):
    words = shlex.split(test)
    if words[0] == "unit":
        return [os.path.join(TREE_BUILD, "tests", "unit", words[1])]
    return [sys.executable, "-u", *words]


def missing(test):
    """The file of a test that is not there."""
    words = shlex.split(test)
    path = f"tests/unit/{words[1]}.c" if words[0] == "unit" else words[0]
    return None if os.path.isfile(os.path.join(ROOT, path)) else path


def test_run(test):
    """Passed?, its words, its seconds. Passed is None when it did not end."""
    env = {**os.environ, "BUILD": TREE_BUILD}
    env.pop("LINCHPIN", None)
    start = time.monotonic()
    try:
        done = watch.run(command(test), TEST_LIMIT, cwd=TREE, env=env)
    except subprocess.TimeoutExpired:
        return None, f"not ended after {TEST_LIMIT} s", TEST_LIMIT
    text = done.stdout + done.stderr
    seconds = time.monotonic() - start
    if done.returncode == 0:
        totals = TOTAL.findall(text) or [(a or b, "0") for a, b in UNIT_TOTAL.findall(text)]
        if not totals or not int(totals[-1][0]):
            raise Wrong(f"`{test}` has run nothing: {text.strip()[-200:]}")
        return True, "", seconds
    bad = BAD.search(text)
    return False, " ".join((bad[0] if bad else (text.strip().split("\n") or [""])[-1]).split())[:160], seconds


class Unchanged:
    """Tests in the copy without a fault; what was found is kept."""

    def __init__(self):
        self.path = os.path.join(BUILD, "mutants", "unchanged")
        self.state = hash_of([*SOURCES, "tests"])[:16]
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        self.known = set(read(self.path).split("\n")) if os.path.exists(self.path) else set()

    def passes(self, test):
        line = f"{self.state} {test}"
        if line in self.known:
            return
        built, words = build()
        if not built:
            raise Wrong(f"it does not build without a fault: {words}")
        passed, words, _ = test_run(test)
        if not passed:
            raise Wrong(f"`{test}` fails without a fault: {words}")
        self.known.add(line)
        with open(self.path, "a", encoding="utf-8") as f:
            f.write(line + "\n")


# --- results -----------------------------------------------------------------------------------------------------------

def results_read():
    if not os.path.exists(RESULTS):
        return {}
    head, *rows = [line.split("\t") for line in read(RESULTS).split("\n") if line]
    return {row[0]: dict(zip(HEAD, row)) for row in rows} if head == HEAD else {}


def results_write(rows, order):
    """At once and whole: a stop in the midst of it loses nothing."""
    text = "\t".join(HEAD) + "\n" + "".join("\t".join(rows[i][h] for h in HEAD) + "\n" for i in order if i in rows)
    with open(RESULTS + ".new", "w", encoding="utf-8") as f:
        f.write(text)
    os.replace(RESULTS + ".new", RESULTS)


def try_tests(fault):
    """(result, test, words) with the fault in the tree."""
    for test in fault.tests:
        passed, words, _ = test_run(test)
        if passed is None:
            return "timeout", test, words
        if not passed:
            return "caught", test, words
    return ("equivalent" if fault.equivalent else "survived"), "", ""


def fault_run(fault, unchanged):
    """Puts it in, builds, tests, takes it out."""
    path = os.path.join(TREE, fault.path)
    whole = read(path)
    with open(path, "w", encoding="utf-8") as f:
        f.write(fault.put_in(whole))
    try:
        start = time.monotonic()
        built, words = build()
        middle = time.monotonic()
        row = try_tests(fault) if built else ("unbuilt", "make", " ".join(words[-200:].split()))
    finally:
        end = time.monotonic()
        with open(path, "w", encoding="utf-8") as f:
            f.write(whole)
    if row[0] == "caught":
        unchanged.passes(row[1])
    return dict(zip(HEAD, [fault.id, "", "", row[0], row[1], f"{end - middle:.0f}", f"{middle - start:.0f}", row[2]]))


def good(fault, row):
    return row["result"] == "caught" and not fault.equivalent or row["result"] == "equivalent" and bool(fault.equivalent)


def run_all(faults, chosen, again):
    rows, order = results_read(), [f.id for f in faults]
    rows = {i: rows[i] for i in order if i in rows}
    sources, unchanged = hash_of(SOURCES)[:12], Unchanged()
    copy_tree()
    passed = failed = 0
    for fault in chosen:
        row = rows.get(fault.id)
        if again or not row or row["hash"] != fault.hash() or not good(fault, row):
            try:
                row = fault_run(fault, unchanged)
            except Wrong as why:
                print(f"FAIL {fault.id}: {why}", flush=True)
                failed += 1
                continue
            row["hash"], row["sources"] = fault.hash(), sources
            rows[fault.id] = row
            results_write(rows, order)
            print(f"{row['result']} {fault.id}: {row['test']} ({row['seconds']} s, built in {row['build']} s) {row['words']}", flush=True)
        passed, failed = passed + good(fault, row), failed + (not good(fault, row))
        if not good(fault, row):
            print(f"FAIL {fault.id}: {row['result']}: {fault.why}", flush=True)
    count = {r: sum(rows[f.id]["result"] == r for f in chosen if f.id in rows) for r in ("caught", "survived", "equivalent", "unbuilt", "timeout")}
    old = sum(rows[f.id]["sources"] != sources for f in chosen if f.id in rows)
    print(", ".join(f"{n} {name}" for name, n in count.items() if n or name in ("caught", "survived", "equivalent")) + (f"; {old} with other sources than now" if old else ""))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def run_short(faults):
    """The table by itself."""
    passed = failed = 0
    for fault in faults:
        wrong = [f"no {missing(t)}" for t in fault.tests if missing(t)]
        try:
            fault.put_in(read(os.path.join(ROOT, fault.path)))
        except (Wrong, OSError) as why:
            wrong.append(str(why))
        passed, failed = passed + (not wrong), failed + bool(wrong)
        for why in wrong:
            print(f"FAIL {fault.id}: {why}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description="Faults in the engine that the tests should see.")
    parser.add_argument("--short", action="store_true", help="only whether the table still fits the sources")
    parser.add_argument("--only", action="append", default=[], metavar="WORD", help="only faults whose id has the word (may be repeated)")
    parser.add_argument("--again", action="store_true", help="also those that were caught")
    parser.add_argument("--list", action="store_true", help="list the faults")
    opt = parser.parse_args()
    try:
        faults = faults_read()
    except Wrong as why:
        print(f"FAIL {why}\n0 passed, 1 failed")
        return 1
    chosen = [f for f in faults if not opt.only or any(word in f.id for word in opt.only)]
    if not chosen:
        parser.error(f"no fault has {' or '.join(opt.only)} in its id")
    if opt.list:
        for fault in chosen:
            print(f"{fault.id}  {fault.path}: {fault.why}")
        return 0
    if opt.short:
        return run_short(chosen)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return run_all(faults, chosen, opt.again)
    except KeyboardInterrupt:  # tests have sessions of their own, which nobody else ends
        for pid in set(watch.descendants(os.getpid())) - {os.getpid()}:
            watch.end_all(pid)
        return 130


if __name__ == "__main__":
    sys.exit(main())
