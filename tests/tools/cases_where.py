# SPDX-License-Identifier: Apache-2.0
"""Where things were counted (tools/lib/where.cpp), and the formats of results (docs/formats.md)."""
import collections
import json
import os
import re
import subprocess

from harness import callgrind, equal, field, guest, routine_sizes, stepped_addresses, steps, steps_by_routine, tool


def result(words, command, **more):
    """The result as JSON; what every result has to say is checked here."""
    text = tool(words + " -format json", command, **more)
    r = json.loads(text)
    equal("format", (r["format"], r["version"]), ("linchpin-result", 1))
    equal("tool", r["tool"], words.split()[0])
    equal("program and words", (r["program"], r["argv"]), (os.path.realpath(command[0]), command))
    equal("end", (r["end"], r["status"]), ("exit", more.get("status", 0)))
    assert r["pid"] > 1 and len(r["totals"]) == len(r["metrics"]), r
    for row in r.get("rows", []):
        equal("values", len(row["values"]), len(r["metrics"]))
    return r


def routine_of(r, place):
    return r["routines"][place["routine"]]["name"] if "routine" in place else None


def inscount_by(by):
    """Instructions of each routine, and of each address, are what single-stepping sees."""
    for name in ("counted", "sorted"):
        r = result("inscount -by " + by, [guest(name)])
        equal("total", r["totals"], [steps(name)])
        got = collections.Counter()
        for row in r["rows"]:
            got[routine_of(r, row) if by == "routine" else "%x" % row["address"]] += row["values"][0]
        expected = steps_by_routine(name) if by == "routine" else collections.Counter(stepped_addresses(name))
        if by == "block":
            equal("blocks begin at instructions", set(got) - set(expected), set())
        else:
            equal(by, dict(got), dict(expected))
        for routine in r["routines"]:
            equal("address", routine["address"], {n: a for a, n in routine_sizes(name)}[routine["name"]])


def lines_of(name, addresses):
    """What addr2line says."""
    got = subprocess.run(["addr2line", "-e", guest(name)], input="\n".join(addresses), capture_output=True, text=True, check=True).stdout.split("\n")
    return [line.split(" ")[0] for line in got[:len(addresses)]]


def inscount_lines():
    r = result("inscount -by line", [guest("sorted-lines")])
    got = collections.Counter()
    for row in r["rows"]:
        got[f"{r['files'][row['file']]}:{row['line']}" if "file" in row else "??:0"] += row["values"][0]
    count = collections.Counter(stepped_addresses("sorted-lines"))
    expected = collections.Counter()
    for address, line in zip(count, lines_of("sorted-lines", list(count))):
        expected["??:0" if line.endswith(":?") else line] += count[address]
    equal("lines", dict(got), dict(expected))
    text = tool("inscount -by line -top 2", [guest("sorted-lines")])
    equal("rows", len(re.findall(r"%  sorted-lines:\w+ at sorted\.c:\d+$", text, re.M)), 2)


def inscount_chosen():
    own = steps_by_routine("sorted")
    equal("-routine", result("inscount -routine recurse", [guest("sorted")])["totals"], [own["recurse"]])
    equal("two routines", result("inscount -routine recurse -routine run", [guest("sorted")])["totals"], [own["recurse"] + own["run"]])
    main = sum(0x400000 <= int(a, 16) < 0x500000 for a in stepped_addresses("blocks-fixed"))
    for option in ("-main", "-image blocks-fixed", "-image " + guest("blocks-fixed")):
        equal(option, result("inscount " + option, [guest("blocks-fixed")], expect_out="done\n")["totals"], [main])
    whole = result("inscount -by thread", [guest("calls")], status=3, expect_out="done\n")
    both = result("inscount -by routine,thread", [guest("calls")], status=3, expect_out="done\n")
    sums = collections.Counter()
    for row in both["rows"]:
        sums[row["tid"]] += row["values"][0]
    for row in whole["rows"][:4]:
        assert abs(sums[row["tid"]] - row["values"][0]) < 1000, (row, sums)
    leaf = [row["tid"] for row in both["rows"] if routine_of(both, row) == "leaf_routine"]
    equal("threads of leaf_routine", len(set(leaf)), 4)


def many_threads():
    """Counters of one thread are without locks; when it has made others, none is lost: 160,000 executions of each instruction by four threads."""
    rows = result("inscount -by ins -routine leaf_routine", [guest("calls")], status=3, expect_out="done\n")["rows"]
    assert rows, "nothing was counted"
    equal("by instruction", [row["values"][0] for row in rows], [160000] * len(rows))
    for _ in range(3):
        equal("by routine", result("inscount -by routine -routine leaf_routine", [guest("calls")], status=3, expect_out="done\n")["totals"][0], 160000 * len(rows))


def wrong_where():
    from harness import LINCHPIN, run
    for option, text in (("-by day", "image, routine, line"), ("-format xml", "text json csv")):
        got = run([LINCHPIN, "-t", "inscount", *option.split(), "--", "/bin/true"])
        equal(option, got.returncode, 1)
        assert text in got.stderr and option in got.stderr, got.stderr


def profile_numbers():
    """Calls, and instructions of a routine alone and with all that it called, as callgrind has them."""
    calls, own, whole = callgrind("sorted")
    r = result("profile", [guest("sorted")])
    equal("total", r["totals"], [steps("sorted")])
    rows = {routine_of(r, row): row["values"][0] for row in r["rows"]}
    equal("alone", {n: rows[n] for n in ("run", "recurse")}, {n: own[n] for n in ("run", "recurse")})
    table = {row[0]: (row[1], row[3]) for row in r["tables"][0]["rows"]}
    equal("with callees", table, {"sorted:_start": (steps("sorted"), 1), "sorted:run": (whole["run"], 1), "sorted:recurse": (own["recurse"], 1973)})
    name = lambda i: r["routines"][i]["name"]
    got = collections.Counter()
    for c in r["calls"]:
        got[name(c["from"]), name(c["to"])] += c["count"]
    equal("calls", dict(got), {("_start" if a.startswith("0x") else a, b): n for (a, b), n in calls.items()})
    equal("stacks", sum(s["values"][0] for s in r["stacks"]), steps("sorted"))


def profile_threads():
    """The tree of each thread is its own, and a routine's calls are all there."""
    r = result("profile", [guest("calls")], status=3, expect_out="done\n")
    table = {row[0]: row[3] for row in r["tables"][0]["rows"]}
    equal("calls", (table["calls:leaf_routine"], table["calls:outer_routine"]), (160000, 80000))
    equal("threads", len({s["tid"] for s in r["stacks"]}), 5)


def profile_formats():
    """Opened by their readers: callgrind_annotate; folded stacks and speedscope's file have the same sums."""
    from harness import need, run
    whole = result("profile", [guest("sorted")])
    folded = tool("profile -format folded", [guest("sorted")])
    equal("folded", sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines()), steps("sorted"))
    assert re.search(r"^sorted:_start;sorted:run;sorted:recurse \d+$", folded, re.M), folded
    scope = json.loads(tool("profile -format speedscope", [guest("sorted")]))
    equal("speedscope", sum(scope["profiles"][0]["weights"]), steps("sorted"))
    equal("end", scope["profiles"][0]["endValue"], steps("sorted"))
    assert all(i < len(scope["shared"]["frames"]) for s in scope["profiles"][0]["samples"] for i in s)
    import csv
    rows = list(csv.DictReader(tool("profile -format csv", [guest("sorted")]).splitlines()))
    equal("csv", {row["routine"]: int(row["instructions"]) for row in rows}, {routine_of(whole, row): row["values"][0] for row in whole["rows"]})
    need("callgrind_annotate")
    import tempfile
    with tempfile.NamedTemporaryFile("w", suffix=".out") as f:
        f.write(tool("profile -format callgrind", [guest("sorted-lines")]))
        f.flush()
        shown = run(["callgrind_annotate", "--threshold=100", f.name])
        inclusive = run(["callgrind_annotate", "--threshold=100", "--inclusive=yes", f.name])
    equal("status", (shown.returncode, shown.stderr), (0, ""))
    number = lambda text, name: int(re.search(rf"^ *([\d,]+) .*sorted\.c:{name} ", text, re.M)[1].replace(",", ""))
    rows = {routine_of(whole, row): row["values"][0] for row in whole["rows"]}
    equal("callgrind_annotate", {n: number(shown.stdout, n) for n in ("run", "recurse")}, {n: rows[n] for n in ("run", "recurse")})
    equal("inclusive", number(inclusive.stdout, "run"), rows["run"] + rows["recurse"])


def gcov_lines():
    """What gcov counts: (line: times)."""
    from harness import OUT, native, need, run
    need("gcov")
    notes = os.path.join(OUT, "covered-gcov-covered.gcda")
    if os.path.exists(notes):
        os.remove(notes)  # counts are added to it
    native([guest("covered-gcov")])
    text = run(["gcov", "-t", notes], cwd=OUT).stdout
    return {int(m[2]): 0 if m[1].startswith("#") else int(m[1]) for m in re.finditer(r"^ *(\d+|#+)\*?: *(\d+):", text, re.M)}


def coverage_lcov():
    """Lines and routines as gcov counts them; lcov and genhtml read the file."""
    from harness import need, run
    import tempfile
    info = tool("coverage -format lcov", [guest("covered")])
    got = {int(m[1]): int(m[2]) for m in re.finditer(r"^DA:(\d+),(\d+)$", info, re.M)}
    expected = gcov_lines()
    both = set(got) & set(expected)  # braces and labels have code or not, as each sees it
    assert len(both) >= 18 and {n for n in both if not got[n]} >= {7, 8, 35, 38}, (got, expected)
    equal("lines", {n: got[n] for n in both}, {n: expected[n] for n in both})
    equal("routines", sorted(re.findall(r"^FNDA:(\d+),(\w+)$", info, re.M)), [("0", "never"), ("1", "main"), ("100", "classify")])
    with open(os.path.join(os.path.dirname(__file__), "covered.c")) as f:
        marks = f.read().splitlines()
    assert all("{" in marks[n - 1] or "}" in marks[n - 1] for n in set(got) - both), set(got) - both
    need("lcov")
    with tempfile.TemporaryDirectory() as d:
        with open(d + "/c.info", "w") as f:
            f.write(info)
        summary = run(["lcov", "--summary", d + "/c.info"])
        equal("lcov", summary.returncode, 0)
        hit = sum(n > 0 for n in got.values())
        assert f"({hit} of {len(got)} lines)" in summary.stdout + summary.stderr and "(2 of 3 functions)" in summary.stdout + summary.stderr, summary
        pages = run(["genhtml", "-q", "-o", d + "/html", d + "/c.info"])
        equal("genhtml", (pages.returncode, os.path.exists(d + "/html/index.html")), (0, True))


def coverage_formats():
    """drcov by -format is drcov by -drcov; json has the table."""
    import tempfile
    from harness import LINCHPIN, run
    with tempfile.TemporaryDirectory() as d:
        for option in (["-format", "drcov"], ["-drcov", d + "/b"]):
            equal("status", run([LINCHPIN, "-t", "coverage", *option, "-o", d + ("/a" if option[0] == "-format" else "/t"), "--", guest("sorted")]).returncode, 0)
        with open(d + "/a", "rb") as a, open(d + "/b", "rb") as b:
            equal("drcov", a.read(), b.read())
        with open(d + "/t") as f:
            blocks, size = field(f.read(), r"^ *(\d+) +(\d+)  \S*/sorted$")
    r = result("coverage", [guest("sorted")])
    equal("json", (r["totals"], r["tables"][0]["rows"]), ([blocks, size], [[os.path.realpath(guest("sorted")), blocks, size]]))


def cases():
    for by in ("routine", "ins", "block"):
        yield "where-inscount-" + by, inscount_by, (by,)
    for f in (inscount_lines, inscount_chosen, many_threads, wrong_where, profile_numbers, profile_threads, profile_formats, coverage_lcov, coverage_formats):
        yield "where-" + f.__name__, f, ()
