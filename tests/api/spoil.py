#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does a test look at what a name of the tool API gives? Each name is made wrong for the tools, one at a time, and the tests that reach it are run until one fails: then the name is checked,
else it is only reached.

    spoil.py                 all names whose row in spoilt.tsv does not hold any more; goes on where it was stopped
    spoil.py --only WORD     only names with this word in them (may be repeated)
    spoil.py --again         also those whose row holds
    spoil.py --used N        only the N names that public tools use most
    spoil.py --short         a sample of the names that are checked, another one for each build: their tests must fail

Functions of the engine and arguments of analysis calls: `-api_spoil` (src/api/spoil.c). A function does nothing but give 0; if no test sees that, 1; one that gives a text gives another. What is code
in the headers: a fault of list/header_faults.txt is put into a copy of them, and the test that it names is run with that copy.

spoilt.tsv has a row for each name: what it gave, what became of it, the test that saw it and its words, and a hash of that test. `caught`: what the test prints differs; `ends`: no test prints something else, but the run of one ends
otherwise, because the engine refuses what then comes of it or the tool faults; `unseen`: no test sees it. A row that says `unseen` holds as long as no test that reaches the name has
changed, the others as long as their test is as it was. Which tests reach a name is taken from the records of the last run of tests/api/run.py. The last line is `N passed, N failed`.
"""
import argparse
import csv
import glob
import hashlib
import os
import random
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "list")]
import run as api  # noqa: E402  (before the others, whose folders have a run.py, too)
import checklist  # noqa: E402
import evidence  # noqa: E402
import header_faults  # noqa: E402
import whole  # noqa: E402

TABLE = os.path.join(HERE, "spoilt.tsv")
COLUMNS = ["name", "gave", "result", "test", "hash", "words"]
WHOLE = os.path.join(HERE, "whole.py")
OF_WHOLE = {"walk": ["sections of bash", "symbols of bash", "routines of bash"], "source": ["lines of -gdwarf-5"]}  # cases of whole.py that use a tool
SAMPLE = 12
HANGS = "it does not end"
MORE_TESTS = 4  # are run after one whose run has ended otherwise, for one that prints something else
api.TIMEOUT = 10
PRINTED = re.compile(r"line \d+: expected ")
TEXT = re.compile(r"^(?:const )?(?:CHAR|char) \*")


def read_table():
    if not os.path.exists(TABLE):
        return {}
    with open(TABLE, newline="") as f:
        return {row["name"]: row for row in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE)}


def write_table(table):
    with open(TABLE + ".new", "w", newline="") as f:
        out = csv.DictWriter(f, COLUMNS, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None, lineterminator="\n")
        out.writeheader()
        out.writerows(table[name] for name in sorted(table))
    os.replace(TABLE + ".new", TABLE)


def digest(*paths):
    what = hashlib.sha256()
    for path in sorted(paths):
        with open(path, "rb") as f:
            what.update(f.read())
    return what.hexdigest()[:12]


# --- which tests reach a name --------------------------------------------------------------------------------------

def source_of(tool):
    paths = [os.path.join(HERE, "tools", tool + end) for end in (".cpp", ".c")]
    return next((p for p in paths if os.path.exists(p)), None)


def cases_by_tool():
    """{tool: [(source of the guest, number of its case)]}"""
    found = {}
    for path in sorted(os.listdir(os.path.join(HERE, "guests"))):
        with open(os.path.join(HERE, "guests", path), errors="replace") as f:
            for number, tool in enumerate(re.findall(r"^//> (\w+)", f.read(), re.M)):
                found.setdefault(tool, []).append((os.path.join(HERE, "guests", path), number))
    return found


def ways(name, kinds):
    """What it gives in its place."""
    if name.startswith("IARG_"):
        return ["other"]
    return ["text", "0"] if kinds.get(name) == "text" else ["0"] if kinds.get(name) == "void" else ["0", "1"]


def returned(root):
    """{function: "void", "text" or "value"} of the headers."""
    kinds = {}
    for path in sorted(glob.glob(os.path.join(root, "include", "linchpin", "*.h")) + glob.glob(os.path.join(root, "include", "xed*.h"))):
        with open(path) as f:
            for line in f:
                m = re.match(r"^(?:extern )?((?:const )?\w+(?: \w+)* \*?)(\w+)\(", line)
                if m:
                    kinds[m[2]] = "void" if m[1].strip() in ("VOID", "void") else "text" if TEXT.match(m[1]) else "value"
    return kinds


class Tests:
    def __init__(self):
        self.reached = {tool: names for tool, names in evidence.reached(api.CALLS).items() if source_of(tool)}
        self.cases, self.guests = cases_by_tool(), {}
        self.number = {name: key for key, name in checklist.iarg_names().items()}

    def of(self, name):
        """[(tool, guest's source, case)], those with few cases first."""
        key = self.number.get(name, name)
        tools = sorted((tool for tool, names in self.reached.items() if key in names or name in names), key=lambda t: (len(self.cases.get(t, [])), t))
        return [(tool, *case) for tool in tools for case in self.cases.get(tool, [])] + [(tool, WHOLE, case) for tool in tools for case in OF_WHOLE.get(tool, [])]

    def guest(self, path):
        if path not in self.guests:
            self.guests[path] = api.Guest(path)
        return self.guests[path]

    def sees(self, name, gave, test):
        """The words of a test that fails when the name gives that, or None."""
        tool, path, number = test
        if path == WHOLE:
            return self.whole_sees(f"{name}={gave}", number)
        guest = self.guest(path)
        command, want = guest.cases[number]
        mode = "plain" if "plain" in guest.modes else guest.modes[0]
        what = self.number[name] if gave == "other" else f"{name}={gave}"
        api.MORE[:] = ["-api_spoil", what]
        try:
            bad = api.golden_case(guest, command, want, mode)[0]
        except subprocess.TimeoutExpired:
            bad = [HANGS]
        finally:
            api.MORE[:] = []
        return self.words_of(bad)

    def whole_sees(self, what, case):
        """The same of a case of whole.py, which compares a tool with binutils."""
        function, argument = {name: more for name, *more in whole.all_cases()}[case]
        api.MORE[:] = ["-api_spoil", what]
        try:
            kind, why = whole.outcome(function, argument)
        finally:
            api.MORE[:] = []
        return self.words_of([f"line 1: expected what binutils say: {why}"] if kind == "FAIL" else [])

    @staticmethod
    def words_of(bad):
        words = " ".join(bad[:2])
        return None if not bad or "-api_spoil" in words else re.sub(r"\s+", " ", words)[:160]


def label(test):
    return f"{os.path.basename(test[1])} {test[0]} {test[2]}"


def files(test):
    return [test[1], source_of(test[0])]


# --- one name ------------------------------------------------------------------------------------------------------

def says_so(words):
    """Does the test print something else, and not only as much as it could before it was ended?"""
    return PRINTED.search(words) and "standard error: linchpin" not in words and "status -" not in words


def row_of(name, gave, result, test, what, words):
    words = words.replace("\t", " ").replace(api.ROOT + "/", "") # the table is the same wherever it is made
    return {"name": name, "gave": gave, "result": result, "test": test, "hash": what, "words": words}


def engine_name(name, tests, kinds, before):
    mine = tests.of(name)
    if before and before["result"] != "unseen":  # what saw it before, sees it again
        mine.sort(key=lambda t: label(t) != before["test"])
    ends, after = None, 0
    for gave, test in [(gave, test) for gave in ways(name, kinds) for test in mine]:
        words = tests.sees(name, gave, test)
        if words and says_so(words):
            return row_of(name, gave, "caught", label(test), digest(*files(test)), words)
        if words and not ends:
            ends = row_of(name, gave, "ends", label(test), digest(*files(test)), words)
        after += ends is not None
        if after > MORE_TESTS or words == HANGS: # more of those would take long
            break
    if ends:
        return ends
    all_files = {path for test in mine for path in files(test)}
    return row_of(name, "", "unseen", "" if mine else "no golden test reaches it", digest(*all_files), "")


def header_name(name, fault):
    words = fault.seen()
    return row_of(name, "fault", "unseen" if not words else "ends" if "cannot be compiled" in words else "caught", fault.test, fault.hash(), words or "")


def holds(name, row, tests, faults):
    if not row:
        return False
    if name in faults:
        return row["hash"] == faults[name].hash()
    mine = tests.of(name)
    if row["result"] != "unseen":
        return any(label(test) == row["test"] and digest(*files(test)) == row["hash"] for test in mine)
    return digest(*{path for test in mine for path in files(test)}) == row["hash"]


def names_of(rows, faults, exported):
    """Current names that can be made wrong, the most used first."""
    current = sorted((r for r in rows if r["status"] == "current"), key=lambda r: -int(r["uses"] or 0))
    return [r["name"] for r in current if r["name"] in faults or r["kind"] == "iarg" or r["kind"] == "function" and r["name"] in exported]


def exported_functions():
    out = subprocess.run(["nm", "-D", "--defined-only", checklist.ENGINE], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in out.splitlines()}


def short(table, tests, faults, kinds):
    """A sample: what the table says is caught is caught."""
    rows = [row for name, row in sorted(table.items()) if row["result"] != "unseen" and row["words"] != HANGS and name not in faults]
    with open(checklist.ENGINE, "rb") as f:
        sample = random.Random(hashlib.sha256(f.read()).digest()).sample(rows, min(SAMPLE, len(rows)))
    passed = failed = 0
    for row in sample:
        test = next((t for t in tests.of(row["name"]) if label(t) == row["test"]), None)
        good = test and tests.sees(row["name"], row["gave"], test)
        passed, failed = passed + bool(good), failed + (not good)
        if not good:
            print(f"FAIL {row['name']}: spoilt.tsv says that {row['test']} sees it when it gives {row['gave']}; it does not: make check-api-checked")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not sample else 0


def main():
    parser = argparse.ArgumentParser(description="Makes names of the tool API wrong, and looks which tests see it.")
    parser.add_argument("--only", action="append", metavar="WORD")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--used", type=int, metavar="N")
    parser.add_argument("--short", action="store_true")
    opt = parser.parse_args()
    if not os.path.isdir(api.CALLS):
        subprocess.run([sys.executable, os.path.join(HERE, "run.py"), "--short"], check=True, stdout=subprocess.DEVNULL)
    table, tests, faults, kinds = read_table(), Tests(), header_faults.load(api), returned(api.ROOT)
    if opt.short:
        return short(table, tests, faults, kinds)
    names = names_of(checklist.read_table(os.path.join(HERE, "names.tsv")), faults, exported_functions())
    table = {name: row for name, row in table.items() if name in names}
    todo = [n for n in names[:opt.used or len(names)] if not opt.only or any(word in n for word in opt.only)]
    for name in todo:
        if opt.again or not holds(name, table.get(name), tests, faults):
            table[name] = header_name(name, faults[name]) if name in faults else engine_name(name, tests, kinds, table.get(name))
            write_table(table)
            print(f"{table[name]['result']:8} {name}: {table[name]['test']}: {table[name]['words']}", flush=True)
    unseen = [name for name in todo if table[name]["result"] == "unseen"]
    print(f"{len(todo) - len(unseen)} passed, {len(unseen)} failed")
    return 1 if unseen else 0


if __name__ == "__main__":
    sys.exit(main())
