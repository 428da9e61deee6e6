# SPDX-License-Identifier: Apache-2.0
"""Every bundled tool with every option that most of them have: it works, or is refused by name with a reason, as the table in docs/tools/README.md says."""
import json
import os
import re
import tempfile

from harness import LINCHPIN, PROBED, ROOT, TOOLS, equal, guest, run, tool

# What is asked for of each; those that choose a part choose one that is never there.
WORDS = {"by": ["-by", "image"], "format": ["-format", "json"], "top": ["-top", "1"], "main": ["-main"], "image": ["-image", "nosuch.so"], "routine": ["-routine", "no_such_routine"], "tid": ["-tid", "7"],
         "control": ["-control", "start:address:0x10"], "stop_after": ["-stop_after", "500"], "stack": ["-stack", "2"]}
OWN = {"memtrace": ["-trace", "/dev/null"], "regval": ["-rtn", "recurse"], "race": ["-all"]}  # what a tool cannot do without
TRACES = {"calltrace": r"^\d+ ", "itrace": r"^\d+ 0x", "pinatrace": r"^[0-9a-f]+ [RW] ", "strace": r"^\d+ \w+\(", "regval": r"^\d+ 0x"}  # lines of those that write as they go


def documented():
    with open(os.path.join(ROOT, "docs", "tools", "README.md"), encoding="utf-8") as f:
        lines = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in f if line.startswith("|")]
    head = next(i for i, cells in enumerate(lines) if cells[1:] == ["`-" + o + "`" for o in WORDS])
    return {cells[0]: dict(zip(WORDS, cells[1:])) for cells in lines[head + 2:] if cells[0] in TOOLS and set(cells[1:]) <= {"yes", "no"}}


def nothing(name, text, result):
    """Of a part of the program that is not there a tool tells nothing."""
    if name in TRACES:
        return not re.search(TRACES[name], text, re.M)
    return not any(n for m, n in zip(result["metrics"], result["totals"]) if m["name"] != "file-bytes") and not result.get("rows") and not result.get("findings")


def one(name, option, works, d):
    path = os.path.join(d, "r")
    own = [w if name != "bbv" else w for w in OWN.get(name, [])] + (["-vectors", os.path.join(d, "bbv")] if name == "bbv" else [])
    words = own + WORDS[option]
    if (name, option) == ("itrace", "format"):
        words = ["-format", "parquet", "-trace", os.path.join(d, "trace")]
    as_json = works and name not in TRACES and option not in ("format", "top") and name not in ("taint", "fence", "emuload", "bbv")
    if as_json:
        words += ["-format", "json"]
    got = run([LINCHPIN, "-t", name, *words, "-o", path, "--", guest("sorted-frames")])
    what = f"{name} -{option}"
    if not works:
        assert got.returncode == 1 and got.stderr.count("\n") == 1, (what, got.returncode, got.stderr)
        assert re.match(rf"E: {name}: -{option} means nothing here: \S.{{15,}}\n", got.stderr), (what, got.stderr)
        return
    status = run([guest("sorted-frames")]).returncode
    ends = {status} if option != "stop_after" or name in PROBED else {0}
    assert got.returncode in ends and got.stderr == "", (what, got.returncode, got.stderr)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    result = json.loads(text) if as_json or option == "format" and name != "itrace" else None
    if option in ("image", "routine"):
        assert nothing(name, text, result), (what, text[:400])
    elif option in ("tid", "control"):
        assert nothing(name, text, result), (what, text[:400])
        assert name in TRACES or any("never began" in note for note in result["notes"]), (what, text[:400])
    elif option == "by" and result:
        assert all(set(row) & {"image", "tid"} and not set(row) & {"routine", "line"} for row in result.get("rows", [])), (what, text[:400])
    elif option == "stop_after" and result:
        equal(what, result["end"], "stop")


def options(name):
    with tempfile.TemporaryDirectory() as d:
        for option, works in documented()[name].items():
            one(name, option, works == "yes", d)


def all_tools():
    equal("tools in the table", sorted(documented()), sorted(TOOLS))


def rows_of(words, program, status=0):
    """The rows of a result as {name: values}, its tables, and its totals."""
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "r")
        got = run([LINCHPIN, "-t", *words.split(), "-format", "json", "-o", path, "--", *program])
        equal("status", got.returncode, status)
        with open(path, encoding="utf-8") as f:
            r = json.load(f)
    return r, {t["title"].split(",")[0]: [dict(zip([c["name"] for c in t["columns"]], row)) for row in t["rows"]] for t in r.get("tables", [])}


def strace_by():
    """As often as the list has lines; by thread, and by place."""
    lines = [line for line in tool("strace", [guest("calls")], status=3, expect_out="done\n").split("\n") if re.match(r"\d+ \w+\(", line)]
    r, tables = rows_of("strace -by thread", [guest("calls")], 3)
    sums = dict(zip([m["name"] for m in r["metrics"]], r["totals"]))
    equal("by thread", sum(row["values"][0] for row in r["rows"]), sums["calls"])
    equal("threads", sorted(row["tid"] for row in r["rows"]), sorted({int(line.split()[0]) for line in lines}))
    chance = {"futex", "madvise", "sched_yield"}  # which of them are made depends on who is first
    equal("kinds", {row["system-call"] for row in tables["system calls"]} - chance, {re.match(r"\d+ (\w+)\(", line)[1] for line in lines} - chance)
    r, _ = rows_of("strace -by routine -tid 0", [guest("calls")], 3)
    assert any(r["routines"][row["routine"]]["name"].startswith("write") or "write" in r["routines"][row["routine"]]["name"] for row in r["rows"] if "routine" in row), r["routines"]


def callgraph_by():
    """The edges of the graph are those of the table; from image to image they have the same sum as between routines of different images and more."""
    text = tool("callgraph", [guest("sorted-lines")])
    edges = {(a, b): int(n) for a, b, n in re.findall(r'^ +"([^"]+)" -> "([^"]+)" \[label="(\d+)"\];$', text, re.M)}
    _, tables = rows_of("callgraph", [guest("sorted-lines")])
    equal("edges", {(row["caller"], row["callee"]): row["calls"] for row in tables["calls"]}, edges)
    r, tables = rows_of("callgraph -by image", [guest("sorted-lines")])
    assert all(row["caller"] == row["callee"] == "sorted-lines" for row in tables["calls"]), tables
    most = tool("callgraph -top 1", [guest("sorted-lines")])
    equal("most", [int(n) for n in re.findall(r'label="(\d+)"', most)], [max(edges.values())])


def lockprof_by():
    """Sums of the table by lock, of that by call site, and of the rows."""
    r, tables = rows_of("lockprof", [guest("locks")])
    sums = dict(zip([m["name"] for m in r["metrics"]], r["totals"]))
    for table in tables.values():
        equal("locks", sum(row["locks"] for row in table), sums["locks"])
    assert sums["locks"] > 3000 and any("locks.c:" in row["where"] for row in tables["call sites"]), (sums, tables)
    for by in ("thread", "line", "routine"):
        r, _ = rows_of("lockprof -by " + by, [guest("locks")])
        equal(by, sum(row["values"][1] for row in r["rows"]), r["totals"][1])
        assert len(r["rows"]) > 1, r["rows"]
    r, _ = rows_of("lockprof -by thread -tid 0", [guest("locks")])
    equal("the first thread's", {row["tid"] for row in r["rows"]}, {0})


def race_formats():
    text = tool("race", [guest("racy"), "race-half-locked"], expect_out=None)
    r, tables = rows_of("race", [guest("racy"), "race-half-locked"])
    number = int(re.search(r"^(\d+) races$", text, re.M)[1])
    equal("races", (number, len(r["findings"]), len(tables["races"]), r["totals"]), (number, number, number, [number]))
    assert number and all("racy.c:" in row["at"] and "racy.c:" in row["there"] for row in tables["races"]), tables
    r, _ = rows_of("race -routine plain", [guest("racy"), "race-half-locked"])
    equal("one side is not looked at", r["findings"] if "findings" in r else [], [])


def cases():
    yield "options-table", all_tools, ()
    for name in TOOLS:
        yield f"options-{name}", options, (name,)
    for f in (strace_by, callgraph_by, lockprof_by, race_formats):
        yield "options-" + f.__name__, f, ()
