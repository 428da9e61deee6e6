#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tests of a Pin kit on this Linchpin (make check-kit KIT=dir). Nothing of a kit is in this tree: the user has one.

The kit's own makefiles build its tools and programs, with the kit's own Config as it is, and the kit's own recipes
judge: a test passes when `make NAME.test` does. build/kit/root is made for that: source/tools is a copy of the kit's,
everything else (headers, libraries, the command pin) is what `make install` of this tree gives. Two things of the copy
are put right, because no make or system of today runs them: scripts that ask for /usr/bin/python get python3, and
recipes of Regvalue that begin with spaces get a tab.

verdicts.tsv has what is expected of each test: its folder, its name, its class and mode, the verdict, and the reason
when it is not `pass`. A test that does not give its verdict has failed here, one that passes against the table too:
the table is to be changed then. `vacuous`: the recipe passes also with a command pin that does nothing but fail (--vacuous
finds these): it ignores the run, so it says nothing.
"""
import argparse
import concurrent.futures
import csv
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import watch  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(TOP, "build")))
TABLE = os.path.join(HERE, "verdicts.tsv")
COLUMNS = ["dir", "test", "class", "mode", "verdict", "reason"]
PARTS = ("objects", "libs", "dlls", "apps", "tools")  # targets of the kit's makefiles, in this order
SHARED = (("Utils", ("objects", "libs", "apps")), ("InstLib", ("libs",)), ("ManualExamples", ("obj-intel64/inscount0.so",)))
BUILD_SECONDS = 3000
# What `make check-kit KIT=dir` hands to every make below it. The kit's makefiles have a variable KIT of their own.
OF_OUTER_MAKE = ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL", "KIT")
NOTHING = "#!/bin/sh\nexit 1\n"  # a command pin that does nothing but fail
# A compiler that makes empty files of tools, which nobody will load, and is the real one for programs.
EMPTY = """#!/bin/sh
case " $* " in *" -DPIN_CRT=1 "*|*pintool.ver*) ;; *) exec g++ "$@" ;; esac
while [ $# -gt 1 ]; do [ "$1" = -o ] && : >"$2"; shift; done
"""


# --- the kit's tree ------------------------------------------------------------------------------------------------

def change(path, pattern, text):
    with open(path, errors="surrogateescape") as f:
        old = f.read()
    new = re.sub(pattern, text, old)
    if new != old:
        with open(path, "w", errors="surrogateescape") as f:
            f.write(new)


def copy_tools(kit, tools):
    shutil.copytree(kit, tools, symlinks=True, ignore=shutil.ignore_patterns("obj-intel64", "obj-ia32"))
    for folder, _, names in os.walk(tools):
        for name in names:
            if name.endswith(".py"):
                change(os.path.join(folder, name), r"\A#!\s*/usr/bin/python\b[^\n]*", "#!/usr/bin/env python3")
    rules = os.path.join(tools, "Regvalue", "makefile.rules")
    if os.path.exists(rules):
        change(rules, r"(?m)^ {8}(\$\(APP_CXX\) \$\(ASM_FLAGS\))", "\t\\1")


def install(prefix):
    subprocess.run(["make", "-s", "-o", "all", "-C", TOP, f"BUILD={BUILD}", "install", f"PREFIX={prefix}"], check=True,
                   stdout=subprocess.DEVNULL)
    return os.path.join(prefix, "share", "linchpin", "pin")


def link(target, name):
    if os.path.lexists(name):
        os.unlink(name)
    os.symlink(target, name)


def prepare(options):
    """The folder source/tools of a tree that a kit's makefiles take for a kit."""
    root = os.path.join(options.work, "root")
    tools = os.path.join(root, "source", "tools")
    pin = install(os.path.join(options.work, "prefix"))
    os.makedirs(os.path.dirname(tools), exist_ok=True)
    if not os.path.isdir(tools):
        copy_tools(os.path.join(options.kit, "source", "tools"), tools)
    for name in os.listdir(pin):
        if name != "source":
            link(os.path.join(pin, name), os.path.join(root, name))
    for name in os.listdir(os.path.join(pin, "source")):
        if name != "tools":
            link(os.path.join(pin, "source", name), os.path.join(root, "source", name))
    if options.vacuous:
        os.unlink(os.path.join(root, "pin"))
        for name, text in (("pin", NOTHING), ("empty", EMPTY)):
            with open(os.path.join(root, name), "w") as f:
                f.write(text)
            os.chmod(os.path.join(root, name), 0o755)
        options.variables = [f"CXX={root}/empty"]
    return tools


# --- one test ------------------------------------------------------------------------------------------------------

def make(folder, targets, seconds, log, variables=()):
    """(exit status or None when it did not end, what it wrote); all of it is in the log too."""
    os.makedirs(os.path.dirname(log), exist_ok=True)
    env = {name: value for name, value in os.environ.items() if name not in OF_OUTER_MAKE}
    try:
        done = watch.run(["make", *variables, *targets], seconds, cwd=folder, env=env)
        status, text = done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired as e:
        status, text = None, (e.stdout + e.stderr).decode(errors="replace")
    with open(log, "w", errors="surrogateescape") as f:
        f.write(text)
    return status, text


def append_files(log, folder, text):
    """The ends of the files that the recipe names: what a failure has to say."""
    with open(log, "a") as f:
        for name in sorted(set(re.findall(r"[\w./+-]+\.(?:out|log|compare|reference|txt)\b", text))):
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                with open(path, errors="replace") as one:
                    f.write(f"\n#### {name}\n{one.read()[-1500:]}\n")


def reason_of(text):
    """A line that says why: of a compiler, of us, of the tool; and make's."""
    lines = text.splitlines()
    ends = [line for line in lines if re.match(r"make(\[\d+\])?: \*\*\*", line)]
    said = [line for line in lines if re.search(r"error:|undefined reference|^linchpin|^[AEC]: |Assertion .* failed|ASSERT|core dumped|Segmentation", line)]
    return " | ".join(line.strip() for line in said[:1] + ends[:1])[:300].replace("\t", " ")


def one_test(tools, row, options):
    folder, log = os.path.join(tools, row["dir"]), os.path.join(options.work, "logs", row["dir"], row["test"])
    status, text = make(folder, [row["test"] + ".test"], options.seconds, log, options.variables)
    if status == 0:
        return "pass", ""
    append_files(log, folder, text)
    return ("fail", reason_of(text)) if status is not None else ("fail", "does not end")


def build_folder(tools, name, parts, options):
    for part in parts:
        make(os.path.join(tools, name), ["-k", f"-j{options.jobs}", "dir", part], BUILD_SECONDS,
             os.path.join(options.work, "logs", name, "_build_" + part.replace("/", "_")), options.variables)


# --- all tests -----------------------------------------------------------------------------------------------------

def read_table():
    with open(TABLE, newline="") as f:
        return list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))


def write_table(rows):
    with open(TABLE, "w", newline="") as f:
        out = csv.DictWriter(f, COLUMNS, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None, lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


def chosen(options):
    rows = [row for row in read_table() if not options.classes or row["class"] in options.classes.split(",")]
    rows = [row for row in rows if not options.modes or row["mode"] in options.modes.split(",")]
    rows = [row for row in rows if not options.verdicts or row["verdict"] in options.verdicts.split(",")]
    return [row for row in rows if not options.only or any(word in f"{row['dir']}/{row['test']}" for word in options.only)]


def identity(options):
    """Results are kept for the engine that gave them."""
    what = hashlib.sha256(b"fails" if options.vacuous else b"")
    for name in ("lib/linchpin/linchpin-vm", "bin/linchpin"):
        with open(os.path.join(BUILD, name), "rb") as f:
            what.update(f.read())
    for folder, names, files in sorted(os.walk(os.path.join(TOP, "include"))):
        names.sort()
        for name in sorted(files):
            with open(os.path.join(folder, name), "rb") as f:
                what.update(f.read())
    return what.hexdigest()[:16]


def known(path, who):
    if not os.path.exists(path):
        return {}
    with open(path) as f:
        rows = [line.rstrip("\n").split("\t") for line in f]
    return {(row[1], row[2]): tuple(row[3:]) for row in rows if len(row) == 5 and row[0] == who}


def results(options):
    """Each row with its verdict and reason, as they come."""
    tools, rows = prepare(options), chosen(options)
    path, who = os.path.join(options.work, "results.tsv"), identity(options)
    done = {} if options.again else known(path, who)
    folders = dict.fromkeys(row["dir"] for row in rows if (row["dir"], row["test"]) not in done)
    if folders and not options.no_build:
        for name, parts in SHARED:
            build_folder(tools, name, parts, options)
    with open(path, "a", buffering=1) as keep, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name in dict.fromkeys(row["dir"] for row in rows):
            mine = [row for row in rows if row["dir"] == name]
            if name in folders and not options.no_build:
                build_folder(tools, name, PARTS, options)
            for row, got in zip(mine, pool.map(lambda row: done.get((row["dir"], row["test"])) or one_test(tools, row, options), mine)):
                if (row["dir"], row["test"]) not in done:
                    keep.write("\t".join((who, row["dir"], row["test"], *got)) + "\n")
                yield row, *got


def judge(row, verdict, options):
    """Whether the verdict is the table's. A vacuous test passes whatever we do; it is not held against us when it does not."""
    if options.vacuous:
        return (verdict == "pass") == (row["verdict"] == "vacuous")
    return row["verdict"] == verdict or row["verdict"] == "vacuous" and verdict == "pass"


def run_all(options):
    passed = failed = 0
    totals, table = {}, {(row["dir"], row["test"]): row for row in read_table()}
    for row, verdict, reason in results(options):
        good = judge(row, verdict, options)
        passed, failed = passed + good, failed + (not good)
        real = "vacuous" if verdict == "pass" and row["verdict"] == "vacuous" else verdict
        totals.setdefault(row["class"], {"pass": 0, "fail": 0, "vacuous": 0})[real] += 1
        if not good or options.verbose:
            print(f"{'same' if good else 'FAIL'} {row['dir']}/{row['test']}: {verdict} where the table has {row['verdict']}" +
                  (f": {reason}" if reason else ""), flush=True)
        if options.update and not good:
            new = "vacuous" if options.vacuous and verdict == "pass" else "fail" if options.vacuous else verdict
            table[row["dir"], row["test"]].update(verdict=new, reason="to be run again" if options.vacuous and new == "fail" else reason)
            write_table(table.values())
    for name, counts in sorted(totals.items()):
        print(f"{name}: " + ", ".join(f"{n} {what}" for what, n in counts.items()))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def own_variables(folder):
    """Is what the user gives to our make kept from the kit's makefiles?"""
    with open(os.path.join(folder, "makefile"), "w") as f:
        f.write("KIT := 1\nall:\n\t@echo $(KIT) $(MAKELEVEL)\n")
    with open(os.path.join(folder, "outer.mk"), "w") as f:
        f.write(f"all:\n\t@{sys.executable} -c 'import sys; sys.path.insert(0, \"{HERE}\"); import run; "
                f"print(run.make(\"{folder}\", [], 60, \"{folder}/logs/one\"))'\n")
    return watch.run(["make", "-s", "-f", "outer.mk", "KIT=/a/kit"], 60, cwd=folder).stdout.strip() == "(0, '1 0\\n')"


def short():
    """No test is run: the table is well-formed, every verdict is one, every failure has its reason."""
    rows, passed, failed = read_table(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        good = own_variables(folder)
        passed, failed = passed + good, failed + (not good)
        if not good:
            print("FAIL own variables: the kit's makefiles see those of make check-kit")
    for row in rows:
        good = row["verdict"] in ("pass", "vacuous") or row["verdict"] == "fail" and row["reason"]
        passed, failed = passed + bool(good), failed + (not good)
        if not good:
            print(f"FAIL {row['dir']}/{row['test']}: verdict {row['verdict']!r}, reason {row['reason']!r}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--kit", metavar="DIR", help="a Pin kit for Linux: the folder with source/tools")
    p.add_argument("--work", default=os.path.join(BUILD, "kit"), help="where it works (%(default)s)")
    p.add_argument("--only", action="append", metavar="TEXT", help="tests with this in FOLDER/NAME (may be repeated)")
    p.add_argument("--classes", help="only these, with commas: portable, portable-attach, engine-text, engine-log, ...")
    p.add_argument("--modes", default="jit,notool", help="only these (%(default)s; '' for all)")
    p.add_argument("--verdicts", help="only those of which the table says this, with commas: pass, fail, vacuous")
    p.add_argument("--seconds", type=float, default=120, help="limit of one test (%(default)s)")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--again", action="store_true", help="also what this engine has run before")
    p.add_argument("--no-build", action="store_true", help="folders are built already")
    p.add_argument("--vacuous", action="store_true", help="with a command pin that does nothing but fail: what passes is vacuous")
    p.add_argument("--update", action="store_true", help="write the verdicts into the table")
    p.add_argument("--short", action="store_true", help="only whether the table is well-formed")
    p.add_argument("-v", "--verbose", action="store_true")
    options = p.parse_args()
    options.variables = ()
    if options.short:
        return short()
    if not options.kit:
        print("check-kit: no kit is given (make check-kit KIT=dir, the folder of a Pin kit with source/tools); nothing was run")
        return 0
    options.kit, options.work = os.path.abspath(options.kit), os.path.abspath(options.work)
    if not os.path.isdir(os.path.join(options.kit, "source", "tools", "Config")):
        sys.exit(f"check-kit: {options.kit} is no Pin kit: it has no source/tools/Config")
    return run_all(options)


if __name__ == "__main__":
    sys.exit(main())
