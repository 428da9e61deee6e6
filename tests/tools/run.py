#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the bundled tools (tools/*.cpp): their numbers against independent sources, and their harmlessness on real programs.

Sources: stepcount.c (single-stepping with ptrace) for instructions; Valgrind's lackey, cachegrind and callgrind for memory accesses,
branches, cache misses and calls; nm for routines; numbers written down for the guests here. Every number is compared exactly.

    run.py [--short] [NAME]...    cases whose name contains one of the NAMEs; --short: fewer real programs

The last line is `N passed, N failed`, with `, N skipped` when a program is missing; the exit status is 1 when something failed.
"""
import argparse
import bisect
import codecs
import collections
import concurrent.futures
import ctypes
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

import cases_cache
import cases_control
import cases_ends
import cases_files
import cases_flow
import cases_heap
import cases_options
import cases_probed
import cases_readers
import cases_stacks
import cases_trace
import cases_where
from harness import (ADDR_NO_RANDOMIZE, BUILD, CALLS, ENV, LINCHPIN, ROOT, TOOLS, Skip, build, callgrind, disassembled, equal, field, groups, guest, lackey_accesses, need, routine_sizes, run, stepped_addresses, steps, steps_by_routine, table,
                     tool)

# --- instructions -------------------------------------------------------------------------------------------------------
def inscount(by, name):
    out = "done\n" if name.startswith("blocks") else ""
    got = field(tool("inscount -by " + by, [guest(name)], expect_out=out), r"^instructions: (\d+)$")
    equal("instructions", got, steps(name))


def inscount_threads():
    text = tool("inscount", [guest("calls")], status=3, expect_out="done\n")
    parts = [n for _, n in sorted((int(t), int(n)) for n, t in re.findall(r"^ *(\d+) +[\d.]+%  thread (\d+)$", text, re.M))]
    equal("threads", len(parts), 5)
    equal("sum", sum(parts), field(text, r"^instructions: (\d+)$"))
    assert all(n > 20000 * 10 for n in parts[1:]), parts


def counters():
    """What only counts becomes additions in the traces and nothing else but a look at system calls for new threads, though results are wanted at any time: the
    thread that gives them is none of the tool's, which would end that (src/opt/spread.h)."""
    for words in ("inscount", "inscount -by routine", "opcodemix", "catmix", "ldstmix", "regmix", "proccount"):
        got = run([LINCHPIN, "-log_inline", "-t", *words.split(), "-o", os.devnull, "--", guest("counted")])
        said = [how for name, how in re.findall(r"analysis routine (\S+) .*?: (.*)", got.stderr) if name != "BeforeSyscall"]
        assert got.returncode == 0 and said and set(said) == {"inlined, as a counter"}, f"{words}: {got.stderr}"


def itrace(name):
    got = [line.split()[1] for line in tool("itrace", [guest(name)]).splitlines()]
    expected = list(stepped_addresses(name))
    assert got == expected, next((i, a, b) for i, (a, b) in enumerate(zip(got + [None], expected + [None])) if a != b)


def itrace_options():
    lines = tool("itrace -text 1 -limit 3", [guest("counted")]).splitlines()
    equal("text", [line.split("  ", 1)[1] for line in lines], ["xor ebx, ebx", "mov ecx, 0x3e8", "call 0x" + stepped_addresses("counted")[3]])


def mixes():
    opcodes = table(tool("opcodemix -top 0", [guest("counted")]))
    equal("total", opcodes["*total"], steps("counted"))
    expected = {"CALL_NEAR": 1500, "RET_NEAR": 1500, "DEC": 2524, "JNZ": 2524, "ADD": 2524, "XOR": 2, "LEA": 3, "CLD": 1, "REP_STOSD": 100 + 1, "SYSCALL": 1, "MOV": 2048 + 5}
    equal("opcodes", {k: v for k, v in opcodes.items() if k != "*total"}, expected)
    categories = table(tool("catmix -top 0", [guest("counted")]))
    equal("categories", [categories[c] for c in ("CALL", "RET", "COND_BR", "BINARY", "SYSCALL")], [1500, 1500, 2524, 5048, 1])
    equal("extensions", table(tool("catmix -ext 1 -top 0", [guest("sorted")]))["*total"], steps("sorted"))


def mix_by_routine():
    for name in ("counted", "sorted"):
        got = {k.split(":")[1]: v["*total"] for k, v in groups(tool("opcodemix -by routine", [guest(name)])).items()}
        equal(name, got, dict(steps_by_routine(name)))
    leaf = groups(tool("opcodemix -by routine", [guest("counted")]))["counted:leaf"]
    equal("leaf", leaf, {"*total": 3000, "ADD": 1500, "RET_NEAR": 1500})


def mix_by_block():
    """A block is executed as often as its first instruction was stepped on, unless another block runs into it."""
    got = groups(tool("opcodemix -by block -top 0", [guest("counted")]))
    equal("total", sum(t["*total"] for t in got.values()), steps("counted"))
    stepped = collections.Counter(stepped_addresses("counted"))
    leaf = next(t for k, t in got.items() if k.endswith("counted:leaf"))
    equal("leaf", leaf, {"*total": 3000, "ADD": 1500, "RET_NEAR": 1500})
    for k in got:
        assert stepped[k.split()[0][2:]], k
    equal("-top", len(groups(tool("opcodemix -by block -top 2", [guest("counted")]))), 2)


def mix_by_image():
    got = groups(tool("opcodemix -by image", [guest("blocks-fixed")], expect_out="done\n"))
    main = [a for a in stepped_addresses("blocks-fixed") if 0x400000 <= int(a, 16) < 0x500000]
    equal("main executable", next(t["*total"] for k, t in got.items() if k == "blocks-fixed"), len(main))
    assert any("libc.so" in k for k in got) and any("ld-linux" in k for k in got), list(got)


def mix_time():
    """Each opcode's steps sum up to its row, and the opcodes of a step to its length but for the block that ends it; the first step is that of single steps."""
    step = 10000
    r = cases_where.result(f"opcodemix -timeline {step}", [guest("sorted")])
    rows = {row[0]: row[1] for row in r["tables"][0]["rows"]}
    series = {s["name"]: s["values"] for s in r["timeline"]["series"]}
    equal("others", sum(series.pop("others")), rows["*total"] - sum(rows[name] for name in series))
    equal("opcodes", {name: sum(values) for name, values in series.items()}, {name: rows[name] for name in series})
    lengths = [sum(s["values"][i] for s in r["timeline"]["series"]) for i in range(len(r["timeline"]["series"][0]["values"]))]
    equal("steps", (r["timeline"]["step"], len(lengths), sum(lengths)), (step, -(-steps("sorted") // step), steps("sorted")))
    assert all(abs(n - step) < 32 for n in lengths[:-1]), lengths
    code = disassembled("sorted")
    first = sum(code[int(a, 16)][0] == "cmp" or code[int(a, 16)][0].startswith("cmp") for a in stepped_addresses("sorted")[:step])
    assert abs(series["CMP"][0] - first) < 32, (series["CMP"][0], first)
    got = run([LINCHPIN, "-t", "opcodemix", "-timeline", "1000", "--", guest("sorted")])
    assert got.returncode == 1 and "-timeline is for -format json" in got.stderr, got.stderr


def regmix():
    rows = table(tool("regmix -top 0", [guest("counted")]))
    # call, ret and the pop of the return address; rep stosd reads and writes rcx and rdi each time, and once more when rcx is 0
    equal("rsp written", rows["write-rsp"], 1500 + 1500)
    equal("rbx", (rows["read-rbx"], rows["write-rbx"]), (1500 + 1, 1500 + 1))  # xor rbx, rbx reads it, too
    equal("r12", (rows["read-r12"], rows["write-r12"]), (500, 1))
    equal("rsi", (rows["read-rsi"], rows["write-rsi"]), (3 * 1024, 1024 + 1))
    equal("rdi", rows["write-rdi"], 1 + 101 + 1)
    parts = table(tool("regmix -parts 1 -top 0", [guest("counted")]))
    equal("ecx", parts["write-ecx"], 4 + 2524)


# --- memory -------------------------------------------------------------------------------------------------------------
def pinatrace():
    expected = collections.Counter()
    for kind, address, size in lackey_accesses("sorted"):
        for k in "RW" if kind == "M" else kind:
            expected[k, address, size] += 1
    got = collections.Counter()
    text = tool("pinatrace", [guest("sorted")])
    for m in re.finditer(r"^[0-9a-f]+ ([RW]) ([0-9a-f]+) (\d+)$", text, re.M):
        got[m[1], int(m[2], 16), int(m[3])] += 1
    assert got == expected, f"only ours: {list((got - expected).items())[:3]}, only lackey's: {list((expected - got).items())[:3]}"
    for kind, name in (("R", "reads"), ("W", "writes")):
        n = sum(v for k, v in expected.items() if k[0] == kind)
        total = sum(v * k[2] for k, v in expected.items() if k[0] == kind)
        pattern = rf"^{name}: (\d+) \((\d+) bytes\)$"
        equal(name, field(text, pattern), (n, total))
        equal(name + ", counted", field(tool("pinatrace -count 1", [guest("sorted")]), pattern), (n, total))


def pinatrace_rep():
    text = tool("pinatrace -count 1", [guest("counted")])
    equal("reads", field(text, r"^reads: (\d+) \((\d+) bytes\)$"), (1500 + 1024, 8 * (1500 + 1024)))
    equal("writes", field(text, r"^writes: (\d+) \((\d+) bytes\)$"), (1500 + 1024 + 100, 8 * (1500 + 1024) + 4 * 100))


def ldstmix():
    rows = table(tool("ldstmix -top 0", [guest("sorted")]))
    kinds = collections.Counter(k for k, _, _ in lackey_accesses("sorted"))
    equal("loads", rows["*load"], kinds["R"] + kinds["M"])
    equal("stores", rows["*store"], kinds["W"] + kinds["M"])
    for size in (1, 2, 4, 8):
        equal(f"loads of {size}", rows.get(f"load-{size}", 0), sum(s == size and k in "RM" for k, _, s in lackey_accesses("sorted")))


def dcache(kib, ways):
    need("valgrind")
    got = run(["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null", f"--D1={kib * 1024},{ways},64", guest("sorted")]).stderr.replace(",", "")
    expected = field(got, r"D +refs: +(\d+)"), field(got, r"D1 +misses: +(\d+)")
    equal("accesses and misses", field(tool(f"dcache -size {kib} -ways {ways}", [guest("sorted")]), r"^l1d +(\d+) +(\d+) "), expected)


def allcache(l1, l2):
    need("valgrind")
    shape = lambda kib, ways: f"{kib * 1024},{ways},64"
    got = run(["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null", "--I1=" + shape(*l1), "--D1=" + shape(*l1), "--LL=" + shape(*l2), guest("sorted")]).stderr.replace(",", "")
    options = f"-l1i {l1[0]},{l1[1]},64 -l1d {l1[0]},{l1[1]},64 -l2 {l2[0]},{l2[1]},64,shared -l3 0"
    text = tool("allcache " + options, [guest("sorted")])
    row = lambda unit: field(text, rf"^{unit} +(\d+) +(\d+) ")
    equal("instructions", row("l1i"), (field(got, r"I +refs: +(\d+)"), field(got, r"I1 +misses: +(\d+)")))
    equal("data", row("l1d"), (field(got, r"D +refs: +(\d+)"), field(got, r"D1 +misses: +(\d+)")))
    equal("second level", row("l2"), (field(got, r"LL refs: +(\d+)"), field(got, r"LL misses: +(\d+)")))
    equal("third level", re.search("^l3 ", text, re.M), None)


def lru_misses(accesses, sets, ways):
    """Misses of (address, bytes) in a TLB with pages of 4 KiB."""
    held, misses = collections.defaultdict(list), 0
    for address, size in accesses:
        miss = False
        for page in range(address // 4096, (address + size - 1) // 4096 + 1):
            lru = held[page % sets]
            if page in lru:
                lru.remove(page)
            else:
                miss = True
            lru.insert(0, page)
            del lru[ways:]
        misses += miss
    return misses


def allcache_tlb():
    need("valgrind")
    with tempfile.NamedTemporaryFile("r") as log:
        run(["valgrind", "--tool=lackey", "--trace-mem=yes", "--log-file=" + log.name, guest("sorted")])
        fetched = [(int(m[1], 16), int(m[2])) for m in re.finditer(r"^I +([0-9a-f]+),(\d+)$", log.read(), re.M)]
    data = [(a, n) for _, a, n in lackey_accesses("sorted")]
    for entries, ways in ((2, 1), (4, 2), (64, 4)):
        text = tool(f"allcache -itlb {entries},{ways} -dtlb {entries},{ways}", [guest("sorted")])
        for name, accesses in (("itlb", fetched), ("dtlb", data)):
            equal(f"{name} {entries},{ways}", field(text, rf"^{name} +(\d+) +(\d+) "), (len(accesses), lru_misses(accesses, entries // ways, ways)))


def allcache_wrong():
    for option in ("-l1d 33,8,64", "-dtlb 64", "-l2 nothing"):
        got = run([LINCHPIN, "-t", "allcache", *option.split(), "--", "/bin/true"])
        equal(option, got.returncode, 1)
        assert option in got.stderr, got.stderr


def footprint():
    text = tool("footprint", [guest("sorted")])
    lines, pages = collections.defaultdict(set), collections.defaultdict(set)
    for kind, address, size in lackey_accesses("sorted"):
        for byte in (address, address + size - 1):
            lines["read" if kind == "R" else "written"].add(byte // 64)
            pages["read" if kind == "R" else "written"].add(byte // 4096)
    for kind in ("read", "written"):
        equal(kind, field(text, rf"^{kind} +(\d+) +\d+ +(\d+) "), (len(lines[kind]), len(pages[kind])))
    executed = {int(a, 16) // 4096 for a in stepped_addresses("sorted")}
    equal("pages executed", field(text, r"^executed +\d+ +\d+ +(\d+) "), len(executed))


def footprint_places():
    """Of each instruction, and of the whole what no instruction touches twice; a routine's code is all its steps."""
    bytes_of = {a: n - a for a, (_, n) in disassembled("sorted").items()}
    stepped, starts = {int(a, 16) for a in stepped_addresses("sorted")}, routine_sizes("sorted")
    lines = lambda a: {a // 64, (a + bytes_of[a] - 1) // 64}
    expected = collections.defaultdict(set)
    for a in stepped:
        expected[starts[bisect.bisect([s for s, _ in starts], a) - 1][1]] |= lines(a)
    r = cases_where.result("footprint -by routine", [guest("sorted")])
    executed = [m["name"] for m in r["metrics"]].index("executed")
    equal("routines", {cases_where.routine_of(r, row): row["values"][executed] for row in r["rows"]}, {name: len(at) for name, at in expected.items()})
    equal("whole", r["totals"][executed], len(set.union(*expected.values())))
    each = cases_where.result("footprint -by ins", [guest("sorted")])
    equal("totals", each["totals"], r["totals"])
    equal("instructions", {row["address"]: row["values"][executed] for row in each["rows"]}, {a: len(lines(a)) for a in stepped})
    accesses = {"read": set(), "written": set()}
    for kind, address, size in lackey_accesses("sorted"):
        accesses["read" if kind == "R" else "written"] |= {address // 64, (address + size - 1) // 64}
    equal("data", r["totals"][executed + 1:], [len(accesses["read"]), len(accesses["written"])])
    assert max(row["values"][executed + 2] for row in each["rows"]) < len(accesses["written"]), each["rows"]


def footprint_time():
    """Lines of data that are used in each step, and so far: lackey's trace, cut where as many instructions have been executed. A step ends with a block."""
    need("valgrind")
    step, lines = 10000, [set()]
    with tempfile.NamedTemporaryFile("r") as log:
        run(["valgrind", "--tool=lackey", "--trace-mem=yes", "--log-file=" + log.name, guest("sorted")])
        instructions = 0
        for m in re.finditer(r"^( [LSM]|I ) +([0-9a-f]+),(\d+)$", log.read(), re.M):
            instructions += m[1] == "I "
            if instructions > step * len(lines):
                lines.append(set())
            if m[1] != "I ":
                lines[-1] |= {int(m[2], 16) // 64, (int(m[2], 16) + int(m[3]) - 1) // 64}
    r = cases_where.result(f"footprint -timeline {step}", [guest("sorted")])
    working, so_far = (s["values"] for s in r["timeline"]["series"])
    equal("steps", (r["timeline"]["step"], len(working), len(so_far)), (step, len(lines), len(lines)))
    touched = [len(set().union(*lines[:i + 1])) for i in range(len(lines))]
    slack = 16  # a block's accesses
    assert all(abs(a - len(b)) <= slack for a, b in zip(working, lines)), (working, [len(x) for x in lines])
    assert all(abs(a - b) <= slack for a, b in zip(so_far, touched)), (so_far, touched)
    equal("at the end", so_far[-1], touched[-1])


# --- control flow -------------------------------------------------------------------------------------------------------
def jumpmix():
    need("valgrind")
    text = tool("jumpmix", [guest("sorted")])
    got = run(["valgrind", "--tool=lackey", guest("sorted")]).stderr.replace(",", "")
    expected = field(got, r"Jccs:\n.*total: +(\d+)"), field(got, r"taken: +(\d+)")
    equal("conditional branches", field(text, r"^conditional branch +(\d+) +(\d+) "), expected)
    text = tool("jumpmix", [guest("counted")])
    for kind, n in (("direct call", 1000), ("indirect call", 500), ("return", 1500), ("system call", 1)):
        equal(kind, field(text, rf"^{kind} +(\d+) "), n)
    equal("conditional branch", field(text, r"^conditional branch +(\d+) +(\d+) "), (2524, 2521))


def stepped_edges(name):
    """{(from, to): how often}, of single steps."""
    code, path = disassembled(name), [int(a, 16) for a in stepped_addresses(name)]
    return collections.Counter((a, b) for a, b in zip(path, path[1:]) if re.match("j|call|ret", code[a][0]) and (b != code[a][1] or code[a][0] in ("jmp", "call", "ret")))


def edgecount():
    """Each edge is what single steps see; by line, what addr2line makes of them."""
    kinds = {"c": "call", "r": "return", "jmp": "jump"}
    for name in ("counted", "sorted", "sorted-lines"):
        edges, code = stepped_edges(name), disassembled(name)
        r = cases_where.result("edgecount", [guest(name)])
        got = {(int(row[1].split()[0], 16), int(row[2].split()[0], 16)): (row[0], row[3]) for row in r["tables"][0]["rows"]}
        kind = lambda a: kinds.get(code[a][0]) or kinds.get(code[a][0][0], "branch")
        equal(name, got, {e: (kind(e[0]), n) for e, n in edges.items()})
        equal("total", r["totals"], [sum(edges.values())])
    places = sorted({"%x" % a for edge in edges for a in edge})
    line = {int(a, 16): at.rsplit("/", 1)[-1] for a, at in zip(places, cases_where.lines_of("sorted-lines", places))}
    expected, got = collections.Counter(), collections.Counter()
    for (a, b), n in edges.items():
        expected[line[a], line[b]] += n
    for row in cases_where.result("edgecount -by line", [guest("sorted-lines")])["tables"][0]["rows"]:
        got[tuple(re.search(r"(?<= at )\S+$|$", place)[0] or "??:0" for place in row[1:3])] += row[3]
    expected = collections.Counter({tuple("??:0" if ":?" in p or "??" in p else p for p in k): n for k, n in expected.items()})
    equal("lines", got, expected)
    text = tool("edgecount -top 3 -routine recurse", [guest("sorted")])
    equal("-top", re.findall(r"^\w+ +0x[0-9a-f]+ sorted:(\w+) ", text, re.M), ["recurse"] * 3)
    (low, high), = [(a, after) for (a, n), (after, _) in zip(routine_sizes("sorted"), routine_sizes("sorted")[1:]) if n == "recurse"]
    inside = sum(low <= a < high for a, _ in stepped_edges("sorted"))
    assert f"\n3 of {inside} edges (-top 0 prints all)\n" in text, text


def jumpmix_places():
    """By routine, as single steps and objdump have it."""
    code, starts = disassembled("sorted"), routine_sizes("sorted")
    at = [a for a, _ in starts]
    path, expected = [int(a, 16) for a in stepped_addresses("sorted")], collections.defaultdict(lambda: [0, 0])
    for a, b in zip(path, path[1:] + [0]):
        if re.match("j|call|ret|syscall", code[a][0]):
            of = expected[starts[bisect.bisect(at, a) - 1][1]]
            of[0] += 1
            of[1] += code[a][0] != "syscall" and (code[a][0] in ("jmp", "call", "ret") or b != code[a][1])
    r = cases_where.result("jumpmix -by routine", [guest("sorted")])
    equal("routines", {cases_where.routine_of(r, row): row["values"] for row in r["rows"]}, dict(expected))


def mix_compared():
    """linchpin diff on the mixes of two programs: calls are those that single steps see."""
    calls = {name: sum(disassembled(name)[int(a, 16)][0] == "call" for a in stepped_addresses(name)) for name in ("counted", "sorted")}
    with tempfile.TemporaryDirectory() as d:
        for name in calls:
            with open(os.path.join(d, name), "w") as f:
                f.write(tool("opcodemix -format json", [guest(name)]))
        got = run([LINCHPIN, "diff", os.path.join(d, "counted"), os.path.join(d, "sorted"), "-top", "0"]).stdout
    a, b = calls["counted"], calls["sorted"]
    assert re.search(rf"^ *{a} +{b} +\{b - a:+d} +\S+  CALL_NEAR$", got, re.M), got
    assert re.search(rf"^ *{steps('counted')} +{steps('sorted')} +.*  \*total$", got, re.M) and re.search(r"^opcodes: count$", got, re.M), got
    rows = tool("opcodemix -by routine -format csv", [guest("counted")]).splitlines()
    equal("csv", (rows[0], "counted:leaf,RET_NEAR,1500,50" in rows), ("place,opcode,count,share", True))


def bpred():
    text = tool("bpred", [guest("counted")])
    equal("returns", field(text, r"^return +(\d+) +(\d+) "), (1500, 0))
    equal("indirect targets", field(text, r"^indirect target +(\d+) +(\d+) "), (500, 1))
    # Each of the three loops is wrong at its first branch (the counter starts at "weakly not taken") and at its last.
    equal("bimodal", field(text, r"^conditional, bimodal +(\d+) +(\d+) "), (2524, 6))


def gshare(name):
    """(wrong, executed) of each conditional branch: the model again, on single steps and objdump's instructions."""
    branch = {int(m[1], 16): int(m[1], 16) + len(m[2].split()) for m in re.finditer(r"^ *([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\tj(?!mp)", run(["objdump", "-d", guest(name)]).stdout, re.M)}
    path, counters, history = [int(a, 16) for a in stepped_addresses(name)], collections.defaultdict(lambda: 1), 0
    wrong, executed = collections.Counter(), collections.Counter()
    for pc, after in zip(path, path[1:]):
        if pc not in branch:
            continue
        taken, at = after != branch[pc], (pc ^ history) & 4095
        executed[pc] += 1
        wrong[pc] += (counters[at] >= 2) != taken
        counters[at] = min(3, counters[at] + 1) if taken else max(0, counters[at] - 1)
        history = (history << 1 | taken) & 0xffffffff
    return {pc: [wrong[pc], executed[pc]] for pc in executed}


def bpred_stacks():
    """-stack: mispredictions by the branch and the calls that led to it, against the model on single steps with a stack of calls beside it."""
    code, path = disassembled("sorted-frames"), [int(a, 16) for a in stepped_addresses("sorted-frames")]
    counters, history, calls, expected = collections.defaultdict(lambda: 1), 0, [], collections.Counter()
    for pc, after in zip(path, path[1:]):
        kind, following = code[pc]
        if kind == "call":
            calls.append(following - 1)
        elif kind == "ret":
            calls.pop()
        elif kind[0] == "j" and kind != "jmp":
            taken, at = after != following, (pc ^ history) & 4095
            expected[tuple(calls[-3:]) + (pc,)] += (counters[at] >= 2) != taken
            counters[at] = min(3, counters[at] + 1) if taken else max(0, counters[at] - 1)
            history = (history << 1 | taken) & 0xffffffff
    r = cases_where.result("bpred -stack 3", [guest("sorted-frames")])
    equal("returns are right", {row[0]: row[2] for row in r["tables"][0]["rows"]}["return"], 0)
    got = {tuple(r["frames"][i]["address"] for i in s["frames"]): s["values"][0] for s in r["stacks"]}
    equal("stacks", got, dict(+expected))
    equal("cut", {len(s["frames"]) == 4 for s in r["stacks"] if s.get("cut")}, {True})
    folded = tool("bpred -stack 1 -format folded", [guest("sorted-frames")])
    equal("folded", sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines()), sum(expected.values()))
    text = tool("bpred -stack 1 -top 1", [guest("sorted-frames")])
    assert re.search(r"^mispredicted by call stack\n +\d+ +[\d.]+%  sorted-frames:\w+ at sorted.c:\d+\n {29}sorted-frames:\w+", text, re.M), text


def bpred_branches():
    """Each branch by itself, by routine, and the worst lines."""
    expected = gshare("sorted")
    assert len(expected) > 3 and any(w for w, _ in expected.values()), expected
    r = cases_where.result("bpred", [guest("sorted")])
    got = {row["address"]: row["values"] for row in r["rows"]}
    equal("branches", {pc: got.get(pc) for pc in expected}, expected)
    table = {row[0]: row[1:3] for row in r["tables"][0]["rows"]}
    equal("sums", table["conditional, gshare"], [sum(e for _, e in expected.values()), sum(w for w, _ in expected.values())])
    equal("totals", r["totals"], [sum(table[p][1] for p in table if "bimodal" not in p), sum(table[p][0] for p in table if "bimodal" not in p)])
    own = cases_where.result("bpred -routine recurse -by routine", [guest("sorted")])
    equal("-routine", [cases_where.routine_of(own, row) for row in own["rows"]], ["recurse"])
    equal("the predictors know of the others", own["tables"], r["tables"])
    text = tool("bpred -by line -top 3", [guest("sorted-lines")])
    equal("rows", len(re.findall(r"%  sorted-lines:\w+ at sorted\.c:\d+$", text, re.M)), 3)


# --- routines -----------------------------------------------------------------------------------------------------------
def proccount():
    text = tool("proccount -calls 1 -top 0", [guest("calls")], status=3, expect_out="done\n")
    row = lambda name: field(text, rf"^ *(\d+) +[\d.]+% +(\d+) +[\d.]+%  {name}$")
    equal("leaf", row("calls:leaf_routine")[0], 160000)
    equal("outer", row("calls:outer_routine")[0], 80000)
    text = tool("proccount", [guest("counted")])
    equal("instructions", row("counted:leaf"), (3000, 1500))
    equal("total", field(text, r"^instructions: (\d+)$"), steps("counted"))


def proccount_callers():
    """By the calls that led to it, and by thread."""
    code, starts = disassembled("sorted-frames"), routine_sizes("sorted-frames")
    path, entered = [int(a, 16) for a in stepped_addresses("sorted-frames")], collections.Counter()
    for a, b in zip(path, path[1:]):
        if code[a][0] == "call":
            entered[tuple(starts[bisect.bisect([s for s, _ in starts], x) - 1][1] for x in (a, b))] += 1
    r = cases_where.result("proccount -stack 1", [guest("sorted-frames")])
    got = collections.Counter()
    for s in r["stacks"]:
        names = tuple(cases_where.routine_of(r, r["frames"][i]) for i in s["frames"])
        if len(names) == 2:
            got[names] += s["values"][1]
    equal("callers", got, entered)
    equal("sums", [sum(s["values"][m] for s in r["stacks"]) for m in (0, 1)], r["totals"])
    r = cases_where.result("proccount -by routine,thread", [guest("calls")], status=3, expect_out="done\n")
    leaf = {row["tid"]: row["values"][1] for row in r["rows"] if cases_where.routine_of(r, row) == "leaf_routine"}
    equal("threads", leaf, {1: 40000, 2: 40000, 3: 40000, 4: 40000})


def callgraph():
    calls, own, _ = callgrind("sorted")
    text = tool("callgraph", [guest("sorted")])
    assert text.startswith("digraph calls {\n") and text.endswith("}\n"), text
    got = {(m[1], m[2]): int(m[3]) for m in re.finditer(r'^    "sorted:(\w+)" -> "sorted:(\w+)" \[label="(\d+)"\];$', text, re.M)}
    equal("calls", got, {("_start" if a.startswith("0x") else a, b): n for (a, b), n in calls.items()})  # _start has no size, so no name there
    nodes = {m[1]: int(m[2]) for m in re.finditer(r'^    "sorted:(\w+)" \[label="sorted:\w+\\n(\d+) instructions"\];$', text, re.M)}
    equal("instructions", {n: nodes[n] for n in ("run", "recurse")}, {n: own[n] for n in ("run", "recurse")})
    text = tool("callgraph -main 1 -min 100", [guest("calls")], status=3, expect_out="done\n")
    equal("edges", re.findall(r'^    "(\S+)" -> "(\S+)" \[label="(\d+)"', text, re.M), [("calls:outer_routine", "calls:leaf_routine", "160000"), ("calls:work", "calls:outer_routine", "80000")])


def callgraph_stubs():
    """Calls through stubs of shared libraries are their caller's, with and without lazy binding."""
    for lazy in ({}, {"LD_BIND_NOW": "1"}):
        with tempfile.NamedTemporaryFile("r") as f:
            subprocess.run([LINCHPIN, "-t", "callgraph", "-main", "1", "-o", f.name, "--", guest("blocks")], env={**ENV, **lazy}, check=True, capture_output=True)
            text = f.read()
        got = {m[2]: int(m[3]) for m in re.finditer(r'^    "(blocks:main|ld-linux-x86-64.so.2:_dl_runtime_resolve\w*)" -> "libc.so.6:(\w+)" \[label="(\d+)"', text, re.M) if lazy or m[1] == "blocks:main"}
        equal("malloc", got["malloc"], 100 if lazy else 99)
        assert ".plt" not in text and "@plt" not in text, text


def toprtn():
    _, own, whole = callgrind("sorted")
    text = tool("toprtn", [guest("sorted")])
    row = lambda name: field(text, rf"^{name} +(\d+) +[\d.]+% +(\d+) +(\d+) +[\d.]+%$")
    equal("run", row("sorted:run"), (whole["run"], 1, own["run"]))
    equal("recurse", row("sorted:recurse"), (own["recurse"], 1973, own["recurse"]))
    equal("_start", row("sorted:_start"), (steps("sorted"), 1, 5))
    text = tool("toprtn -self 1 -top 1", [guest("calls")], status=3, expect_out="done\n")
    equal("most", row("calls:outer_routine")[1], 80000)
    assert not re.search("^calls:leaf_routine", text, re.M), text


def regval():
    text = tool("regval -rtn leaf -regs rbx,ebx,bl,rflags,rip", [guest("counted")])
    rows = re.findall(r"^0 0x(\w+) rbx=0x(\w+) ebx=0x(\w+) bl=0x(\w+) rflags=0x\w+ rip=0x(\w+)$", text, re.M)
    leaf = "%x" % dict((n, a) for a, n in routine_sizes("counted"))["leaf"]
    equal("values", rows, [(leaf, "%x" % i, "%x" % i, "%x" % (i % 256), leaf) for i in range(1500)])
    lines = tool("regval -rtn leaf -regs rbx -each 1 -limit 4", [guest("counted")]).splitlines()
    equal("each", [line.split(" ", 2)[2] for line in lines[:-1]], ["rbx=0x0  add rbx, 0x1", "rbx=0x1  ret", "rbx=0x1  add rbx, 0x1", "rbx=0x2  ret"])
    first = tool("regval -rtn recurse -regs rdi -limit 4", [guest("sorted")])
    equal("arguments", re.findall(r"rdi=0x(\w+)", first), ["f", "e", "d", "c"])


def emuload():
    """Against the steps that stand on such an instruction in the disassembly."""
    text = run(["objdump", "-d", "--no-show-raw-insn", guest("sorted")]).stdout
    load = r"^ *([0-9a-f]+):\s+mov[lq]? +[^,$]*(?:\([^)]*\)|0x[0-9a-f]+),%(?:r[a-z0-9]+|e[a-z]+)(?: .*)?$"
    loads = {m[1] for m in re.finditer(load, text, re.M) if not re.search(r",%r\d+[wb]\b", m[0])}
    expected = sum(a in loads for a in stepped_addresses("sorted"))
    assert expected > 1000, expected
    equal("loads", field(tool("emuload", [guest("sorted")]), r"^loads emulated: (\d+)$"), expected)


def fence():
    at = {n: a for a, n in routine_sizes("patch")}["answer"]
    text = tool("fence -stop 0", [guest("patch")], expect_out="1 2 3\n")
    assert re.search(rf"^0x\w*{at & 0xfff:x} patch:answer: code that was changed after it was loaded: mov eax, 0x2$", text, re.M), text
    assert re.search(r"^0x\w+ 0x\w+: code that is in no image: mov eax, 0x3$", text, re.M), text
    assert "no image" not in tool("fence -stop 0 -changed_only 1", [guest("patch")], expect_out="1 2 3\n")
    assert "was changed" in tool("fence", [guest("patch")], status=1)


def quoted(text):
    """The texts in a line of strace, ours or the other."""
    return [codecs.decode(part, "unicode_escape") for part in re.findall(r'"((?:[^"\\]|\\.)*)"', text)]


def strace(name):
    """The same calls in the same order with the same paths, data and errors as strace sees; addresses and process numbers differ."""
    need("strace")
    command = {"ls": ["/bin/ls", "-l", os.path.join(ROOT, "include")], "blocks-static": [guest("blocks-static")]}[name]
    same = ("openat", "access", "readlink", "newfstatat", "statx", "pread64", "write")
    with tempfile.NamedTemporaryFile("r") as log:
        native = run(["strace", "-qq", "-o", log.name, *command])
        rows = re.findall(r"^(\w+)\((.*)\) += (-1 E\w+ \(([^)]*)\))?", log.read(), re.M)
    expected = [(r[0], r[3], quoted(r[1]) if r[0] in same else []) for r in rows][1:]  # without the execve that began it
    text = tool("strace", command, expect_out=native.stdout)
    rows = re.finditer(r"^0 (\w+)\((.*)\) = (?:-1 \w+ \((.*)\)|\S+)$", text, re.M)
    got = [(m[1], m[3] or "", quoted(m[2]) if m[1] in same else []) for m in rows]
    assert got == expected, next((i, a, b) for i, (a, b) in enumerate(zip(got + [None], expected + [None])) if a != b)
    counts = {m[3]: (int(m[1]), int(m[2])) for m in re.finditer(r"^ *(\d+) +(\d+)  (\w+)$", text, re.M)}
    for call in set(n for n, _, _ in expected):
        equal(call, counts[call], (sum(n == call for n, _, _ in expected), sum(n == call and bool(e) for n, e, _ in expected)))


STRACE_KINDS = r"""pipe2([END, END], O_CLOEXEC) = 0
writev(END, "ab\"\n", 2) = 4
readv(END, "ab\"\n", 2) = 4
socketpair(AF_UNIX, SOCK_STREAM, 0, [END, END]) = 0
sendmsg(END, "ab", 0) = 2
recvmsg(END, "ab", 0) = 2
write(END, "0123456789abcdefghijklmnopqrstuv"..., 37) = 37
umask(027) = OCTAL
umask(0) = 027
getpid() = PID
getpid() = PID
tgkill(PID, PID, SIGURG) = 0
nanosleep({tv_sec=0, tv_nsec=1000}, NULL) = 0
openat(AT_FDCWD, "/none/\\", O_RDONLY) = -1 ENOENT (No such file or directory)
mmap(NULL, 8192, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = ADDRESS
lseek(END, -3, SEEK_CUR) = -1 ESPIPE (Illegal seek)
syscall_999(0x1, 0x2, 0x3, 0x4, 0x5, 0x6) = -1 ENOSYS (Function not implemented)
exit_group(0) = ?
"""


def strace_kinds():
    text = tool("strace", [guest("kinds")])
    pattern = re.escape("".join("0 " + line for line in STRACE_KINDS.splitlines(True)))
    for name, value in (("END", r"\d+"), ("PID", r"\d+"), ("OCTAL", r"0[0-7]*"), ("ADDRESS", r"0x[0-9a-f]+000")):
        pattern = pattern.replace(name, value)
    assert re.search(pattern, text), text


def named_call(line):
    """A line of either strace in the same words: without addresses and numbers of processes, flags in order, numbers worked out; what only one of them shows is gone."""
    line = re.sub(r"(\d+)\*(\d+)", lambda m: str(int(m[1]) * int(m[2])), line).replace("RLIM64_INFINITY", "RLIM_INFINITY").replace("IPPROTO_IP", "0")
    line = re.sub(r"stx_attributes=[^,]*, |, sa_restorer=0x[0-9a-f]+", "", line).replace("STATX_ALL", "STATX_BASIC_STATS|STATX_BTIME")
    line = re.sub(r", data=(\{.*?\}|0x[0-9a-f]+|0)\}", "}", line)
    line = re.sub(r"[A-Z_][A-Z0-9_a-z]*(\|\w+)+", lambda m: "|".join(sorted(m[0].split("|"))), line)
    call, result = re.fullmatch(r"(.*\)) += (-1 E.*|\S+).*", line).groups()
    if re.fullmatch(r"\d\w*", result):
        result = "PROCESS" if re.match("vfork|wait4", call) and result != "0" else str(int(result, 0)) if len(result) < 8 else result
    return re.sub(r"0x[0-9a-f]{7,}", "ADDRESS", f"{call} = {result}")


def strace_names():
    """Flags by name, and structures with the names of their parts: strace's words. A child of vfork, which strace does not follow, comes between the two returns."""
    need("strace")
    with tempfile.NamedTemporaryFile("r") as log:
        run(["strace", "-qq", "-s", "32", "-o", log.name, guest("names")])
        rows = log.read().split('chdir("/")')[1].splitlines()[1:]
    expected = [named_call(line) for line in rows if line[0] not in "+-"]
    lines = tool("strace", [guest("names")]).split('chdir("/")')[1].splitlines()[1:]
    got = [named_call(line[2:]) for line in lines if line.startswith("0 ")]
    child = got.index("vfork() = 0")
    equal("child", got[child + 1], "exit_group(7) = ?")
    del got[child:child + 2]
    equal("calls", [g.split("(")[0] for g in got], [e.split("(")[0] for e in expected])
    different = [(g, e) for g, e in zip(got, expected) if g != e and not e.startswith("prctl(")]  # how many arguments an option has
    assert not different and len(got) > 50, different
    assert any("WEXITSTATUS(s) == 7" in g for g in got), got
    raw = tool("strace -raw 1", [guest("names")])
    assert re.search(r"^0 mmap\(NULL, 8192, 0x3, 0x4022, -1, 0\) = ", raw, re.M) and "tv_sec" not in raw, raw


def strace_int80():
    """By int $0x80 the numbers are those of i386."""
    if run([guest("kinds"), "int80"]).returncode:
        raise Skip("the kernel has no system calls of i386")
    lines = re.findall(r"^0 getpid\(\) = (\d+)$", tool("strace", [guest("kinds"), "int80"]), re.M)
    assert len(lines) == 2 and lines[0] == lines[1], lines


def strace_options():
    text = tool("strace -args 2 -text 4", ["/bin/ls", "-d", "/usr"], expect_out="/usr\n")
    assert re.search(r'^0 openat\(AT_FDCWD, "/etc/ld.so.cache"\) = \d+$', text, re.M), text[:500]
    assert re.search(r'^0 write\(1, "/usr"\.\.\.\) = 5$', text, re.M), text[-500:]
    assert not re.search(r"^0 ", tool("strace -count 1", ["/bin/ls", "-d", "/usr"], expect_out="/usr\n"), re.M)


def calltrace():
    lines = tool("calltrace -main 1 -args 1", [guest("calls")], status=3, expect_out="done\n").splitlines()
    by_thread = collections.Counter((m[1], m[3], len(m[2])) for m in (re.match(r"(\d+) ( *)calls:(leaf|outer)_routine\(", line) for line in lines) if m)
    equal("threads, routines, depths", len(by_thread), 8)
    for (_, name, depth), n in by_thread.items():
        equal(name, (n, depth), (40000, 2) if name == "leaf" else (20000, 0))


def malloctrace():
    text = tool("malloctrace", [guest("blocks")], expect_out="done\n")
    for name, n in (("malloc", 100), ("calloc", 1), ("realloc", 1), ("free", 50)):
        equal(name, field(text, rf"^{name}: (\d+) calls$"), n)
    sizes = [int(n) for n in re.findall(r"^0 malloc\((\d+)\) = 0x[1-9a-f]", text, re.M)]
    equal("sizes", sizes, list(range(1000, 1100)))
    live = sum(range(1003, 1100, 2)) + 77 * 13 + 54321
    equal("not freed", field(text, r"^not freed: (\d+) blocks, (\d+) bytes$"), (51, live))
    equal("allocated", field(text, r"^allocated: (\d+) bytes"), sum(range(1000, 1100)) + 77 * 13 + 54321)


def malloctrace_places():
    """What was not freed, by routine; of one routine only; and as stacks."""
    live = [sum(range(1003, 1100, 2)) + 77 * 13 + 54321, 51]
    for words in ("-by routine", "-main -by routine", "-routine main -by routine"):
        r = cases_where.result("malloctrace " + words, [guest("blocks")], expect_out="done\n")
        equal(words, [(cases_where.routine_of(r, row), row["values"]) for row in r["rows"] if cases_where.routine_of(r, row) == "main"], [("main", live)])
    equal("totals", r["totals"], live)
    equal("calls", {row[0]: row[1] for row in r["tables"][0]["rows"]}, {"malloc": 100, "calloc": 1, "realloc": 1, "free": 50})
    text = tool("malloctrace -routine nothing", [guest("blocks")], expect_out="done\n")
    equal("another routine", field(text, r"^not freed: (\d+) blocks, (\d+) bytes$"), (0, 0))
    assert "malloc(" not in text and "malloc: 0 calls" in text, text
    folded = tool("malloctrace -format folded -main", [guest("blocks")], expect_out="done\n")
    assert re.search(rf"(^|;)blocks:main {live[0]}$", folded, re.M), folded


def coverage_drcov():
    with tempfile.NamedTemporaryFile("rb") as f:
        text = tool("coverage -drcov " + f.name, [guest("sorted")])
        data = f.read()
    head, rest = data.split(b" bbs\n", 1)
    head = head.decode()
    assert head.startswith("DRCOV VERSION: 2\n"), head
    low = {int(m[1]): int(m[2], 16) for m in re.finditer(r"^ *(\d+), 0x([0-9a-f]+), ", head, re.M)}
    ids = [int(m[1]) for m in re.finditer(r"^ *(\d+), .*/sorted$", head, re.M)]
    equal("images of that name", len(ids), 1)
    blocks = [(low[m] + o, n) for o, n, m in struct.iter_unpack("<IHH", rest) if m == ids[0]]
    equal("entries", len(rest) // 8, int(head.rsplit(" ", 1)[1]))
    covered = {a for start, n in blocks for a in range(start, start + n)}
    executed = {int(a, 16) for a in stepped_addresses("sorted")}
    equal("executed but not covered", executed - covered, set())
    equal("blocks that were not executed", {start for start, _ in blocks} - executed, set())
    equal("bytes", field(text, r"^ *\d+ +(\d+)  \S*/sorted$"), len(covered))


def coverage_routines():
    text = tool("coverage -routines 1", [guest("calls")], status=3, expect_out="done\n")
    for name in ("leaf_routine", "outer_routine", "work", "main"):
        assert re.search(rf"^ +{name}$", text, re.M), f"{name} is missing"


# --- any program --------------------------------------------------------------------------------------------------------
TRACES = {"itrace": " -limit 100000", "pinatrace": " -count 1", "memtrace": " -trace /dev/null", "bbv": " -vectors " + guest("vectors-%p")}


def harmless(name, command):
    native = run(command)
    assert tool(name + TRACES.get(name, ""), command, native.returncode, native.stdout), "no results"


def not_started():
    """A tool that does not come as far as the program says so."""
    ends = {"return 0;": (0, "has ended with status 0 before"), "return 3;": (3, "has ended with status 3 before"), "abort();": (-signal.SIGABRT, "has aborted before")}
    with tempfile.TemporaryDirectory() as where:
        source, library = os.path.join(where, "t.cpp"), os.path.join(where, "t.so")
        for end, (status, text) in ends.items():
            for place in ("int main()\n{", "static struct Early { Early() {") if end == "abort();" else ("int main()\n{",):
                with open(source, "w") as f:
                    f.write(f'#include "pin.H"\n#include <cstdlib>\n{place} {end} }}' + ("\n" if "main" in place else " } early;\nint main() { PIN_StartProgram(); }\n"))
                subprocess.run([LINCHPIN, "cc", "-g0", source, "-o", library], check=True)  # what is cut short below is loaded
                got = run([LINCHPIN, "-t", library, "--", "/bin/echo", "started"])
                equal(place + end, (got.returncode, got.stdout), (status, ""))
                assert text in got.stderr and library in got.stderr, got.stderr
        with open(library, "rb") as f:
            data = f.read()
        for n in (0, 40, 100, len(data) // 2):
            with open(library, "wb") as f:
                f.write(data[:n])
            got = run([LINCHPIN, "-t", library, "--", "/bin/echo", "started"])
            equal(f"{n} bytes", (got.returncode, got.stdout), (1, ""))
            assert library in got.stderr and got.stderr.count("\n") == 1, got.stderr


def installed():
    """Into a folder that is not there yet."""
    with tempfile.TemporaryDirectory() as where:
        prefix = os.path.join(where, "new", "place")
        got = run(["make", "-s", "-C", ROOT, "install", f"BUILD={BUILD}", f"PREFIX={prefix}"])
        equal("make install", got.returncode, 0)
        got = run([os.path.join(prefix, "bin", "linchpin"), "-t", "inscount", "--", "/bin/true"])
        equal("status", got.returncode, 0)
        assert "instructions:" in got.stderr, got.stderr
        assert os.path.isfile(os.path.join(prefix, "bin", "linchpin-memtrace"))


def wrong_option():
    got = run([LINCHPIN, "-t", "inscount", "-nonsense", "--", "/bin/true"])
    equal("status", got.returncode, 1)
    assert "unknown option -nonsense" in got.stderr and "linchpin -t inscount -help" in got.stderr, got.stderr
    got = run([LINCHPIN, "-t", "inscount", "-by", "day", "--", "/bin/true"])
    equal("status", got.returncode, 1)
    assert "routine, line, block, ins, thread" in got.stderr, got.stderr


def output_names():
    with tempfile.TemporaryDirectory() as d:
        run([LINCHPIN, "-follow_execv", "-t", "inscount", "-o", os.path.join(d, "count.%p"), "--", "/bin/sh", "-c", "/bin/true; /bin/true; exit 0"])
        equal("files", len([f for f in os.listdir(d) if re.fullmatch(r"count\.\d+(\.\d+)?", f) and os.path.getsize(os.path.join(d, f))]), 3)
    got = run([LINCHPIN, "-t", "inscount", "-o", "/nonexistent/file", "--", "/bin/true"])
    equal("status", got.returncode, 1)
    assert "/nonexistent/file" in got.stderr, got.stderr


def cases(short):
    for by in ("ins", "block", "thread"):
        for name in ("counted", "sorted", "blocks-static"):
            yield f"inscount-{by}-{name}", inscount, (by, name)
    for name in ("counted", "sorted"):
        yield "itrace-" + name, itrace, (name,)
    for kib, ways in ((1, 1), (1, 2), (2, 8), (32, 8)):
        yield f"dcache-{kib}-{ways}", dcache, (kib, ways)
    for l1, l2 in (((1, 2), (4, 4)), ((2, 1), (8, 8)), ((32, 8), (1024, 16))):
        yield f"allcache-{l1[0]}-{l2[0]}", allcache, (l1, l2)
    for name in ("ls", "blocks-static"):
        yield "strace-of-" + name, strace, (name,)
    yield from cases_cache.cases()
    yield from cases_control.cases()
    yield from cases_flow.cases()
    yield from cases_heap.cases()
    yield from cases_options.cases()
    yield from cases_probed.cases()
    yield from cases_files.cases()
    yield from cases_ends.cases()
    yield from cases_where.cases()
    yield from cases_readers.cases()
    yield from cases_stacks.cases()
    yield from cases_trace.cases()
    for f in (strace_kinds, strace_names, strace_int80, strace_options, mix_by_routine, mix_by_block, mix_by_image, regmix, allcache_tlb, allcache_wrong, callgraph, callgraph_stubs, toprtn, regval, emuload, fence):
        yield f.__name__, f, ()
    for f in (inscount_threads, counters, itrace_options, mixes, mix_time, pinatrace, pinatrace_rep, ldstmix, footprint, footprint_places, footprint_time, proccount_callers, malloctrace_places, jumpmix, jumpmix_places, edgecount, mix_compared, bpred, bpred_stacks, bpred_branches, proccount, calltrace, malloctrace, coverage_drcov, coverage_routines, wrong_option, not_started, installed, output_names):
        yield f.__name__, f, ()
    programs = {"ls": ["/bin/ls", "-d", "/", "/usr"]}
    if not short:
        programs["gcc"] = ["/usr/bin/gcc", "-E", "-x", "c", "/dev/null"]
        programs["python"] = ["/usr/bin/python3", "-c", "print(sum(range(1000)))"]
    for program, command in programs.items():
        for name in TOOLS:
            yield f"{name}-{program}", harmless, (name, command)


def outcome(case):
    name, function, arguments = case
    try:
        function(*arguments)
        return name, "pass", ""
    except Skip as e:
        return name, "skip", str(e)
    except (AssertionError, subprocess.SubprocessError, OSError, KeyError, ValueError) as e:
        return name, "FAIL", f"{type(e).__name__}: {e}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    # Where the stack is decides how many instructions libc needs for a string that is near the end of a page: 3 more in 3 of 200 native runs.
    ctypes.CDLL(None).personality(ADDR_NO_RANDOMIZE)
    build()
    if not options.names:
        shutil.rmtree(CALLS, ignore_errors=True)
    os.makedirs(CALLS, exist_ok=True)
    every = list(cases(options.short))
    idle = [n for n in options.names if not any(n in c[0] for c in every)]
    if idle:
        parser.error(f"no case has {' or '.join(idle)} in its name")
    chosen = [c for c in every if not options.names or any(n in c[0] for n in options.names)]
    count = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, result, why in pool.map(outcome, chosen):
            count[result] += 1
            if result != "pass":
                print(f"{result} {name}: {why}", flush=True)
    skipped = f", {count['skip']} skipped" if count["skip"] else ""
    print(f"{count['pass']} passed, {count['FAIL']} failed{skipped}")
    return 1 if count["FAIL"] else 0


if __name__ == "__main__":
    sys.exit(main())
