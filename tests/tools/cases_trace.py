# SPDX-License-Identifier: Apache-2.0
"""Traces: Parquet (tools/lib/parquet.h, tools/lib/trace.h) read by parquet.py and by DuckDB, memtrace's own file, forks and ends; the queries of docs/traces.md."""
import bisect
import collections
import json
import math
import os
import re
import signal
import subprocess
import tempfile
import threading

import parquet
from harness import BUILD, ENV, HERE, LINCHPIN, OUT, ROOT, Skip, equal, field, guest, native, need, routine_sizes, run, stepped_addresses, steps, tool

MASK = (1 << 64) - 1
READERS = os.path.join(BUILD, "readers")
fetching = threading.Lock()


def fetch_readers():
    with fetching:
        subprocess.run([os.path.join(ROOT, "scripts", "readers"), READERS], check=True, capture_output=True)


def duckdb(where, *queries):
    """What DuckDB says: for each query its rows, as text."""
    need("node")
    fetch_readers()
    if not os.path.isdir(os.path.join(READERS, "node_modules", "@duckdb", "node-api")):
        raise Skip("DuckDB cannot be had")
    got = subprocess.run(["node", os.path.join(HERE, "duckdb.js"), *queries], cwd=where, env={**ENV, "NODE_PATH": os.path.join(READERS, "node_modules")}, capture_output=True, text=True)
    equal("DuckDB", (got.returncode, got.stderr), (0, ""))
    return [[tuple(row) for row in r["rows"]] for r in json.loads(got.stdout)]


def texts(rows):
    return [tuple(None if v is None else str(v) for v in row) for row in rows]


# --- the writer by itself -------------------------------------------------------------------------------------------------
def mixed(n):
    return (n + 1) * 0x9e3779b97f4a7c15 & MASK ^ n << 7


def expected_columns(n):
    rough = mixed(n) >> n % 64 if n % 3 else MASK
    return (n, mixed(n), rough, (mixed(n) >> 40 & 0xffffffff) % 1000 or None if n % 7 else None, 4000000000, mixed(n) >> 63, f"w\u00f6rd{mixed(n) % 300}" if n % 5 else None, None, n // 37 % 5)


def write_columns(path, groups):
    program = os.path.join(OUT, "columns")
    sources = [os.path.join(HERE, "columns.cpp")] + [os.path.join(ROOT, "tools", "lib", name) for name in ("parquet.cpp", "parquet_encode.cpp")]
    subprocess.run(["g++", "-Wall", "-Wextra", "-Werror", "-O1", "-g", "-fsanitize=undefined", "-fno-sanitize-recover", "-I" + os.path.join(ROOT, "tools"), *sources, "-o", program, "-lzstd"], check=True)
    native([program, path, *map(str, groups)])


def columns():
    """All kinds and encodings, several pages and groups; the values are those that were given, and so are DuckDB's."""
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "c.parquet")
        groups = [70000, 1, 7, 8, 9, 127, 128, 129, 130, 33, 1000]
        write_columns(path, groups)
        t = parquet.Table(path)
        equal("groups", t.groups, groups)
        rows = t.rows(*t.names)
        for n, row in enumerate(rows):
            if row != expected_columns(n):
                equal(f"row {n}", row, expected_columns(n))
        equal("rows", len(rows), sum(groups))
        for name, code in (("row", parquet.DELTA), ("rough", parquet.DELTA), ("wild", parquet.PLAIN), ("small", parquet.DICTIONARY), ("word", parquet.DICTIONARY), ("bit", parquet.PLAIN)):
            assert code in t.encodings[name], (name, t.encodings)
        (told,) = duckdb(d, "SELECT row, wild, rough, small, one, bit::INTEGER, word, none, runs FROM 'c.parquet' ORDER BY row")
        equal("DuckDB's rows", told, texts(rows))
        got = duckdb(d, "SELECT count(*) FROM 'c.parquet' WHERE wild > 18446744073000000000", "SELECT count(*) FROM 'c.parquet' WHERE word = 'w\u00f6rd7'", "SELECT count(*) FROM 'c.parquet' WHERE row = 70010")
        equal("with statistics", [int(r[0][0]) for r in got], [sum(r[1] > 18446744073000000000 for r in rows), sum(r[6] == "w\u00f6rd7" for r in rows), 1])


def empty():
    """A trace of nothing is a table without rows."""
    with tempfile.TemporaryDirectory() as d:
        tool(f"memtrace -format parquet -trace {d}/t.parquet -routine none_such", [guest("counted")])
        equal("rows", (parquet.Table(d + "/t.parquet").groups, parquet.Table(d + "/t.parquet.places").groups), ([], []))
        equal("DuckDB", duckdb(d, "SELECT count(*) FROM 't.parquet'", "SELECT count(*) FROM read_parquet('t.parquet.places')"), [[("0",)], [("0",)]])


# --- traces -----------------------------------------------------------------------------------------------------------------
def trace(words, d, command, **more):
    text = tool(f"{words} -format parquet -trace {d}/t.parquet", command, **more)
    return text, parquet.Table(d + "/t.parquet"), parquet.Table(d + "/t.parquet.places")


def memory(name, pages):
    """The accesses that pinatrace prints, in its order, and what the summary says."""
    with tempfile.TemporaryDirectory() as d:
        text, t, places = trace(f"memtrace -pages {pages}", d, [guest(name)])
        printed = tool("pinatrace", [guest(name)])
        expected = [(int(m[1], 16), m[2] == "W", int(m[3], 16), int(m[4])) for m in re.finditer(r"^([0-9a-f]+) ([RW]) ([0-9a-f]+) (\d+)$", printed, re.M)]
        equal("accesses", [(pc, bool(w), a, n) for pc, w, a, n in t.rows("pc", "write", "address", "bytes")], expected)
        equal("said", field(text, r"^accesses: (\d+)$"), len(expected))
        equal("bytes of the file", field(text, r"^file-bytes: (\d+)$"), os.path.getsize(d + "/t.parquet"))
        equal("seq", t.columns["seq"], list(range(len(expected))))
        assert len(t.groups) == (1 if pages > 100 else len(t.groups)) and (pages > 100 or len(t.groups) > 1), t.groups
        address = dict(places.rows("ins", "pc"))
        assert all(address[i] == pc for i, pc in t.rows("ins", "pc")), "ins is another instruction"


def instructions(name):
    """The addresses that single-stepping sees, with their routines and lines."""
    with tempfile.TemporaryDirectory() as d:
        text, t, places = trace("itrace -pages 2", d, [guest(name)])
        equal("addresses", ["%x" % pc for pc in t.columns["pc"]], list(stepped_addresses(name)))
        equal("said", field(text, r"^instructions: (\d+)$"), steps(name))
        assert len(t.groups) > 1, t.groups
        symbols = routine_sizes(name)
        lines = native(["addr2line", "-e", guest(name), *("%x" % pc for pc in places.columns["pc"])]).stdout.split("\n")
        for i, (pc, routine, file, line) in enumerate(places.rows("pc", "routine", "file", "line")):
            equal("routine", routine, symbols[bisect.bisect([a for a, _ in symbols], pc) - 1][1])
            said = lines[i].split(" ")[0]
            equal("line", f"{file}:{line}" if file else "unknown", "unknown" if said.endswith(":?") else said)
        limited = trace("itrace -limit 100", d, [guest(name)])[1]
        equal("-limit", ["%x" % pc for pc in limited.columns["pc"]], list(stepped_addresses(name))[:100])


def threads():
    """Each thread's accesses are numbered without a gap; groups are of one thread."""
    with tempfile.TemporaryDirectory() as d:
        text, t, _ = trace("memtrace -pages 4", d, [guest("calls")], status=3, expect_out="done\n")
        by = collections.defaultdict(list)
        for tid, seq in t.rows("tid", "seq"):
            by[tid].append(seq)
        equal("threads", len(by), 5)
        for tid, numbers in by.items():
            equal(f"numbers of thread {tid}", numbers, list(range(len(numbers))))
        equal("groups are sorted", t.sorted_by, {("tid", "seq")})
        at = 0
        for n in t.groups:
            equal("threads of a group", len(set(t.columns["tid"][at:at + n])), 1)
            at += n
        equal("said", field(text, r"^accesses: (\d+)$"), len(t.columns["tid"]))


def changed_code():
    """Code that is written anew has other numbers, with its own text."""
    with tempfile.TemporaryDirectory() as d:
        _, t, places = trace("itrace", d, [guest("patch")], expect_out=None)
        forms = collections.defaultdict(set)
        for pc, text in places.rows("pc", "text"):
            forms[pc].add(text)
        assert any(len(texts) > 1 for texts in forms.values()), "no address has two instructions"
        assert set(t.columns["ins"]) <= set(places.columns["ins"])


# --- ends -------------------------------------------------------------------------------------------------------------------
def counted(path):
    t = parquet.Table(path)
    equal("numbers", t.columns["seq"], list(range(len(t.columns["seq"]))))
    return len(t.columns["seq"])


def ends():
    """Every end leaves a whole file with everything; a fork's child has its own, which begins with the fork."""
    with tempfile.TemporaryDirectory() as d:
        for how, status in (("exec", 0), ("noexec", 3), ("segv", -signal.SIGSEGV), ("none", 3)):
            path = f"{d}/{how}.parquet"
            got = run([LINCHPIN, "-t", "itrace", "-format", "parquet", "-trace", path, "-o", f"{d}/{how}", "--", guest("ends"), how])
            equal(how, got.returncode, status)
            count = run([LINCHPIN, "-t", "inscount", "-by", "ins", "-o", f"{d}/count", "--", guest("ends"), how])
            equal(how, count.returncode, status)
            with open(f"{d}/count") as f:
                expected = field(f.read(), r"^instructions: (\d+)$")
            assert abs(counted(path) - expected) <= 20, (how, counted(path), expected)  # libc's strings at other addresses
        whole = counted(f"{d}/none.parquet")
        equal("fork", run([LINCHPIN, "-t", "itrace", "-format", "parquet", "-trace", f"{d}/fork.parquet", "-o", f"{d}/fork", "--", guest("ends"), "fork"]).returncode, 5)
        child = [n for n in os.listdir(d) if re.fullmatch(r"fork\.parquet\.\d+", n)]
        equal("files of the child", len(child), 1)
        assert 0 < counted(f"{d}/{child[0]}") < whole // 4 < whole < counted(f"{d}/fork.parquet"), "the child begins with the fork"
        assert os.path.exists(f"{d}/{child[0]}.places"), os.listdir(d)
        for name in ("a.zst", "forked.zst"):
            run([LINCHPIN, "-t", "memtrace", "-trace", f"{d}/{name}", "-o", f"{d}/m", "--", guest("ends"), "fork" if name != "a.zst" else "exec"])
        for name in [n for n in os.listdir(d) if ".zst" in n]:
            assert native([os.path.join(BUILD, "bin", "linchpin-memtrace"), f"{d}/{name}"]).stdout.count("\n") > 100, name
        equal("files", len([n for n in os.listdir(d) if ".zst" in n]), 3)


def dump():
    """After a dump the file is whole, and more follows."""
    with tempfile.TemporaryDirectory() as d:
        path = d + "/t.parquet"
        p = subprocess.Popen([LINCHPIN, "-t", "memtrace", "-format", "parquet", "-pages", "1", "-trace", path, "-o", d + "/r", "--", guest("ends"), "sleep"], env=ENV, stdout=subprocess.PIPE, text=True)
        try:
            equal("up", p.stdout.readline(), "up\n")
            seen = []
            for _ in range(2):
                equal("dump", run([LINCHPIN, "dump", str(p.pid)]).returncode, 0)
                seen.append(counted(path))
            assert seen[0] == seen[1] > 1000, seen
            p.terminate()
            p.wait(60)
            assert counted(path) > seen[0], "what was in the buffer at the end is lost"
        finally:
            p.kill()
            p.communicate()


# --- questions --------------------------------------------------------------------------------------------------------------
class Trace:
    """Both traces of the guest, and what the ten questions have for answers."""

    def __init__(self, d):
        self.t, self.places = parquet.Table(d + "/trace.parquet"), parquet.Table(d + "/trace.parquet.places")
        self.i, self.i_places = parquet.Table(d + "/instructions.parquet"), parquet.Table(d + "/instructions.parquet.places")
        self.place = {row[0]: row for row in self.places.rows("ins", "routine", "file", "line", "text")}
        self.rows = self.t.rows("tid", "seq", "pc", "ins", "address", "bytes", "write")

    @staticmethod
    def top(rows, key, n=10):
        return sorted(rows, key=key)[:n]

    def q1(self):
        count = collections.defaultdict(lambda: [0, 0])
        for _, _, _, ins, _, _, write in self.rows:
            _, _, file, line, _ = self.place[ins]
            if file is not None:
                count[file, line][0] += 1
                count[file, line][1] += write
        return self.top([(*k, *v) for k, v in count.items()], lambda r: (-r[2], r[0], r[1]))

    def q2(self):
        count, who = collections.Counter(), collections.defaultdict(set)
        for _, _, _, ins, a, _, _ in self.rows:
            count[a // 64 * 64] += 1
            who[a // 64 * 64].add(ins)
        return self.top([(k, n, len(who[k])) for k, n in count.items()], lambda r: (-r[1], r[0]))

    def q3(self):
        lines = collections.defaultdict(set)
        for tid, seq, _, _, a, _, _ in self.rows:
            lines[tid, seq // 10000].add(a // 64)
        return [(*k, len(lines[k]) / 16) for k in sorted(lines)]

    def q4(self):
        users, writers = collections.defaultdict(set), set()
        for tid, _, _, _, a, n, write in self.rows:
            for b in range(a, a + n):
                users[b].add(tid)
                if write:
                    writers.add(b // 64)
        really = {b // 64 for b, tids in users.items() if len(tids) > 1}
        threads, size = collections.defaultdict(set), collections.Counter()
        for b, tids in users.items():
            threads[b // 64] |= tids
            size[b // 64] += 1
        return self.top([(k * 64, len(v), size[k]) for k, v in threads.items() if len(v) > 1 and k in writers and k not in really], lambda r: (-r[1], r[0]), None)

    def q5(self):
        last, count = {}, collections.Counter()
        for tid, _, _, ins, a, _, write in self.rows:
            if (tid, ins, write) in last:
                count[a - last[tid, ins, write]] += 1
            last[tid, ins, write] = a
        return self.top(count.items(), lambda r: (-r[1], r[0]))

    def q6(self):
        size = collections.defaultdict(lambda: [None, None])
        for _, _, _, ins, _, n, write in self.rows:
            s = size[self.place[ins][1]]
            s[bool(write)] = (s[bool(write)] or 0) + n
        return self.top([(k, *v) for k, v in size.items()], lambda r: (-((r[1] or 0) + (r[2] or 0)), r[0] is None, r[0] or ""))

    def q7(self):
        pages, lines, written = (collections.defaultdict(set) for _ in range(3))
        for tid, _, _, _, a, _, write in self.rows:
            pages[tid].add(a // 4096)
            lines[tid].add(a // 64)
            if write:
                written[tid].add(a // 64)
        return [(t, len(pages[t]), len(lines[t]), len(written[t])) for t in sorted(pages)]

    def q8(self):
        last, count = {}, collections.Counter()
        for tid, seq, _, _, a, _, _ in self.rows:
            if (tid, a // 64) in last:
                count[int(math.log2(seq - last[tid, a // 64]))] += 1
            last[tid, a // 64] = seq
        return sorted(count.items())

    def q9(self):
        read = {b for _, _, _, _, a, n, write in self.rows if not write for b in range(a, a + n)}
        count = collections.Counter((pc, self.place[ins][4]) for _, _, pc, ins, a, _, write in self.rows if write and a not in read)
        return self.top([(*k, n) for k, n in count.items()], lambda r: (-r[2], r[0]))

    def q10(self):
        place = {row[0]: row for row in self.i_places.rows("ins", "routine", "text")}
        count = collections.Counter((place[i][1], place[i][2].split(" ")[0]) for i in self.i.columns["ins"])
        return self.top([(*k, n) for k, n in count.items()], lambda r: (-r[2], r[0] is None, r[0] or "", r[1]))


def questions():
    """Each query of docs/traces.md, and the same question asked in Python."""
    with open(os.path.join(ROOT, "docs", "traces.md")) as f:
        queries = re.findall(r"^## (\d+)\. .*?```sql\n(.*?)```", f.read(), re.M | re.S)
    equal("queries", [int(n) for n, _ in queries], list(range(1, 11)))
    with tempfile.TemporaryDirectory() as d:
        tool(f"memtrace -format parquet -trace {d}/trace.parquet -pages 16", [guest("walks")])
        tool(f"itrace -format parquet -trace {d}/instructions.parquet -main", [guest("walks")])
        got = duckdb(d, *(sql.strip().rstrip(";") for _, sql in queries))
        mine = Trace(d)
        for (number, _), rows in zip(queries, got):
            expected = getattr(mine, "q" + number)()
            assert rows, f"query {number}: nothing"
            if number in ("3",):
                rows = [(a, b, str(float(c))) for a, b, c in rows]
            equal(f"query {number}", rows, texts(expected))


def cases():
    for name, pages in (("counted", 512), ("sorted", 512), ("sorted", 1)):
        yield f"trace-memory-{name}-{pages}", memory, (name, pages)
    yield "trace-instructions", instructions, ("sorted-lines",)
    for f in (columns, empty, threads, changed_code, ends, dump, questions):
        yield "trace-" + f.__name__, f, ()
