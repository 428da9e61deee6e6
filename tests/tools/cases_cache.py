# SPDX-License-Identifier: Apache-2.0
"""The tool cache against a plain model of the same hierarchy that reads lackey's trace, against cachegrind by line, and on threads that share lines."""
import collections
import functools
import json
import os
import re
import tempfile

from cases_where import result, routine_of
from harness import disassembled, equal, guest, native, need, run, stepped_addresses, tool

LINE = 64


class Level:
    """Sets of lines: the last used (LRU) or the last that came (FIFO) is first."""

    def __init__(self, size, ways, unit, policy="lru"):
        self.sets, self.ways, self.policy = size // unit // ways, ways, policy
        self.held = collections.defaultdict(list)
        self.misses = 0

    def touch(self, line):
        lines = self.held[line % self.sets]
        if line in lines:
            if self.policy == "lru":
                lines.remove(line)
                lines.insert(0, line)
            return True
        lines.insert(0, line)
        del lines[self.ways:]
        return False

    def access(self, first, last):
        hit = all([self.touch(line) for line in range(first, last + 1)])
        self.misses += not hit
        return hit


@functools.lru_cache(None)
def trace(name):
    """(kind, address, bytes) of everything that lackey has seen, in order; I is a fetch."""
    need("valgrind")
    with tempfile.NamedTemporaryFile("r") as log:
        native(["valgrind", "--tool=lackey", "--trace-mem=yes", "--log-file=" + log.name, guest(name)])
        return tuple((m[1], int(m[2], 16), int(m[3])) for m in re.finditer(r"^(I| L| S| M) +([0-9a-f]+),(\d+)$", log.read(), re.M))


def model(name, shapes):
    """Misses of each unit. shapes: unit: (KiB or entries, ways, policy)."""
    units = {u: Level(n * (4096 if "tlb" in u else 1024), ways, 4096 if "tlb" in u else LINE, policy) for u, (n, ways, policy) in shapes.items()}
    for kind, address, size in trace(name):
        first, tlb = ("l1i", "itlb") if kind == "I" else ("l1d", "dtlb")
        if tlb in units:
            units[tlb].access(address // 4096, (address + size - 1) // 4096)
        for level in (first, "l2", "l3"):
            if level in units and units[level].access(address // LINE, (address + size - 1) // LINE):
                break
    return {u: level.misses for u, level in units.items()}


SHAPES = [
    {"l1i": (1, 1, "lru"), "l1d": (1, 2, "lru"), "l2": (2, 4, "lru"), "l3": (4, 2, "lru"), "itlb": (1, 1, "lru"), "dtlb": (2, 2, "lru")},
    {"l1i": (1, 2, "lru"), "l1d": (1, 4, "fifo"), "l2": (3, 3, "lru"), "l3": (8, 4, "fifo")},
    {"l1i": (32, 8, "lru"), "l1d": (32, 8, "lru"), "l2": (1024, 16, "lru"), "l3": (16384, 16, "lru"), "itlb": (64, 4, "lru"), "dtlb": (64, 4, "lru")},
]


def options(shapes):
    units = {u: "0" for u in ("l1i", "l1d", "l2", "l3", "itlb", "dtlb")}
    for u, (n, ways, policy) in shapes.items():
        units[u] = f"{n},{ways},{policy}" if "tlb" in u else f"{n},{ways},{LINE},{policy}"
    return " ".join(f"-{u} {text}" for u, text in units.items())


def levels(r):
    t = next(t for t in r["tables"] if t["title"] == "levels")
    return {row[0]: row[2] for row in t["rows"]}


def cache_model(i):
    r = result("cache " + options(SHAPES[i]), [guest("sorted")])
    expected = model("sorted", SHAPES[i])
    equal("misses", {u: n for u, n in levels(r).items() if u in expected}, expected)
    for series in r["timeline"]["series"]:
        equal("over time", sum(series["values"]), expected[series["name"].rsplit("-", 1)[0]])
    heat = next(t for t in r["tables"] if t.get("chart") == "heatmap")
    equal("by set and time", sum(sum(row[1:]) for row in heat["rows"]), expected["l1d"])
    time = next(s for s in r["timeline"]["series"] if s["name"] == "l1d-misses")["values"]
    if len(heat["columns"]) == len(time) + 1:
        equal("each step", [sum(row[1 + i] for row in heat["rows"]) for i in range(len(time))], time)


def cachegrind_lines(name, options):
    """Ir, I1mr, D refs, D1 misses, LL misses by line number of the guest's source."""
    need("valgrind")
    with tempfile.NamedTemporaryFile("r") as f:
        run(["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=" + f.name, *options, guest(name)])
        count, source = collections.defaultdict(lambda: [0] * 5), ""
        for line in f.read().splitlines():
            if line.startswith("fl="):
                source = line[3:]
            elif re.match(r"\d+ \d", line) and source.endswith("sorted.c"):
                n, ir, i1, il, dr, d1r, dlr, dw, d1w, dlw = map(int, line.split())
                for k, v in enumerate((ir, i1, dr + dw, d1r + d1w, il + dlr + dlw)):
                    count[n][k] += v
    return count


def cache_lines():
    """Every line of the source has the accesses and misses that cachegrind has there."""
    r = result("cache -machine cachegrind -l1i 1,2,64 -l1d 1,2,64 -l2 4,4,64,shared -by line", [guest("sorted-lines")])
    names = [m["name"] for m in r["metrics"]]
    got = collections.defaultdict(lambda: [0] * 5)
    for row in r["rows"]:
        v = collections.Counter(dict(zip(names, row["values"])))
        if "file" in row:
            for k, n in enumerate((v["instructions"], v["l1i-misses"], v["reads"] + v["writes"], v["l1d-misses"], v["l2-misses"])):
                got[row["line"]][k] += n
    expected = cachegrind_lines("sorted-lines", ["--I1=1024,2,64", "--D1=1024,2,64", "--LL=4096,4,64"])
    equal("lines", dict(got), dict(expected))


def place_of(name, symbol):
    """As the tool says where data are: section and offset."""
    at = int(next(line.split()[0] for line in run(["nm", guest(name)]).stdout.splitlines() if line.split()[-1] == symbol), 16)
    sections = re.findall(r"\] (\.bss) +NOBITS +([0-9a-f]+) ", run(["readelf", "-SW", guest(name)]).stdout)
    return f"{name}:{sections[0][0]}+0x{at - int(sections[0][1], 16):x}"


def cache_sharing():
    """Two threads that write bytes of one line beside each other: false sharing; the same word: true sharing; lines of their own: none."""
    for how, column in (("false", "false"), ("true", "true"), ("apart", None)):
        r = result("cache", [guest("sharing"), how])
        tables = [t for t in r["tables"] if t["title"].startswith("lines that cores take")]
        rows = [dict(zip((c["name"] for c in t["columns"]), row)) for t in tables for row in t["rows"]]
        mine = [row for row in rows if row["where"] == place_of("sharing", "data") and row["taken"] > 50]
        if column is None:
            equal("lines taken", mine, [])
        else:
            equal("lines taken", len(mine), 1)
            other = "true" if column == "false" else "false"
            assert mine[0][column] > 20 * max(mine[0][other], 1), mine
            assert "worker" in mine[0]["most misses at"], mine


def cache_reuse():
    """Distances of a loop over so many lines."""
    r = result("cache -l1i 0 -reuse -routine run", [guest("sorted")])
    t = next(t for t in r["tables"] if t["title"].startswith("reuse"))
    accesses = [(a // LINE, (a + n - 1) // LINE) for kind, a, n in in_run() if kind != "I"]
    stack, expected, first = [], collections.Counter(), 0
    for low, high in accesses:
        for line in range(low, high + 1):
            if line in stack:
                expected[stack.index(line).bit_length()] += 1
                stack.remove(line)
            else:
                first += 1
            stack.insert(0, line)
    names = {(f"{1 << (b - 1)} to {(1 << b) - 1}" if b else "0"): n for b, n in expected.items()}
    equal("distances", dict(map(tuple, t["rows"])), {**names, "first use": first})


def in_run():
    """Lackey's trace without what is not in the routine run."""
    from harness import routine_sizes
    starts = routine_sizes("sorted")
    at = next(i for i, (_, n) in enumerate(starts) if n == "run")
    low, high = starts[at][0], starts[at + 1][0] if at + 1 < len(starts) else 1 << 62
    inside = False
    for kind, address, size in trace("sorted"):
        if kind == "I":
            inside = low <= address < high
        if inside:
            yield kind, address, size


def cache_wrong():
    from harness import LINCHPIN
    for option in ("-l1d 33,8,64", "-dtlb 64", "-l2 nothing", "-l1d 0", "-machine abacus", "-l1i 32,8,64,slow", "-coherence maybe"):
        got = run([LINCHPIN, "-t", "cache", *option.split(), "--", "/bin/true"])
        equal(option, got.returncode, 1)
        assert option.split()[1].split(",")[0] in got.stderr or "-coherence" in option, got.stderr


def cache_stacks():
    """-stack: the misses of each instruction are those of its rows, and the calls above it are some that single steps have seen above it."""
    path, calls, seen, code = [int(a, 16) for a in stepped_addresses("sorted-frames")], [], collections.defaultdict(set), disassembled("sorted-frames")
    for pc in path:
        seen[pc].add(tuple(calls[-2:]))
        kind, following = code[pc]
        if kind == "call":
            calls.append(following - 1)
        elif kind == "ret":
            calls.pop()
    r = result("cache -by ins -stack 2 -l1d 1,2,64 -l1i 1,2,64 -l2 4,4,64", [guest("sorted-frames")])
    expected, got = {row["address"]: row["values"][:3] for row in r["rows"] if any(row["values"][:4])}, collections.defaultdict(lambda: [0] * 3)
    equal("metrics", [m["name"] for m in r["metrics"]][:4], ["l1d-misses", "l2-misses", "l3-misses", "l1i-misses"])
    for s in r["stacks"]:
        *callers, pc = (r["frames"][i]["address"] for i in s["frames"])
        assert tuple(callers) in seen[pc], (hex(pc), [hex(c) for c in callers])
        got[pc] = [a + b for a, b in zip(got[pc], s["values"])]
    equal("sums", dict(got), expected)
    assert len(r["stacks"]) > len(got), "each instruction has one stack"


def cases():
    for i in range(len(SHAPES)):
        yield f"cache-model-{i}", cache_model, (i,)
    for f in (cache_lines, cache_stacks, cache_sharing, cache_reuse, cache_wrong):
        yield f.__name__.replace("_", "-"), f, ()
