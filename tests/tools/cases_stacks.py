# SPDX-License-Identifier: Apache-2.0
"""Counts by call stack (-stack N of tools that count often), against single steps with a stack of calls beside them, and against what the same tool counts without stacks."""
import collections
import os
import re
import tempfile

from cases_where import result, routine_of
from harness import disassembled, equal, guest, run, stepped_addresses, steps, tool

DEEPEST = 3


def stepped_stacks(name):
    """(call sites from the outermost, pc, where it went) of each step."""
    code, path, calls = disassembled(name), [int(a, 16) for a in stepped_addresses(name)], []
    for pc, after in zip(path, path[1:] + [0]):
        yield tuple(calls[-DEEPEST:]), pc, after
        if code[pc][0] == "call":
            calls.append(pc)
        elif code[pc][0] == "ret":
            calls.pop()


def addresses(r, s):
    return tuple(r["frames"][i]["address"] for i in s["frames"])


def instructions():
    """Of each instruction with each way that led to it; a mix's stacks are the same, and its tables by stack sum up to that."""
    expected = collections.Counter(calls + (pc,) for calls, pc, _ in stepped_stacks("sorted-frames"))
    r = result(f"inscount -by ins -stack {DEEPEST}", [guest("sorted-frames")])
    equal("stacks", {addresses(r, s): s["values"][0] for s in r["stacks"]}, dict(expected))
    equal("cut", {len(s["frames"]) == DEEPEST + 1 for s in r["stacks"] if s.get("cut")}, {True})
    mix = result(f"opcodemix -by ins -stack {DEEPEST}", [guest("sorted-frames")])
    equal("the mix's stacks", {addresses(mix, s): s["values"][0] for s in mix["stacks"]}, dict(expected))
    tables = collections.Counter()
    for place, opcode, count, _ in mix["tables"][0]["rows"]:
        if opcode == "*total":
            tables[tuple(int(part.split()[0], 16) if part[0] == "0" else 0 for part in reversed(place.split(" < ")))] += count
    equal("the mix's tables", sum(tables.values()), steps("sorted-frames"))
    assert tables.keys() == expected.keys(), (len(tables), len(expected))


def jumps():
    """Executed and taken, and edges by where they begin."""
    executed, taken = collections.Counter(), collections.Counter()
    code = disassembled("sorted-frames")
    for calls, pc, after in stepped_stacks("sorted-frames"):
        if re.match("j|call|ret|syscall", code[pc][0]):
            executed[calls + (pc,)] += 1
            taken[calls + (pc,)] += code[pc][0] != "syscall" and (code[pc][0] in ("jmp", "call", "ret") or after != code[pc][1])
    r = result(f"jumpmix -by ins -stack {DEEPEST}", [guest("sorted-frames")])
    equal("jumpmix", {addresses(r, s): tuple(s["values"]) for s in r["stacks"]}, {k: (n, taken[k]) for k, n in executed.items()})
    r = result(f"edgecount -by ins -stack {DEEPEST}", [guest("sorted-frames")])
    equal("edgecount", {addresses(r, s): s["values"][0] for s in r["stacks"]}, dict(+taken))


def threads():
    """Each thread has its own calls: a worker's is called 20000 times from one place."""
    options = {"status": 3, "expect_out": "done\n"}
    for words in ("inscount", "jumpmix"):
        r = result(words + " -by routine,thread -stack 1", [guest("calls")], **options)
        per = collections.Counter()
        for s in r["stacks"]:
            places = [routine_of(r, r["frames"][i]) for i in s["frames"]]
            if places[-1] == "leaf_routine":
                equal("caller", places, ["outer_routine", "leaf_routine"])
                per[s["tid"]] += s["values"][0]
        rows = {row["tid"]: row["values"][0] for row in r["rows"] if routine_of(r, row) == "leaf_routine"}
        equal(words, (sorted(rows), len(set(per.values()))), ([1, 2, 3, 4], 1))
        equal(words + ", rows", per, rows)
    for words, metric in (("bpred", 1), ("jumpmix", 0)):
        alone, by = (result(words + " -by " + how, [guest("calls")], **options) for how in ("routine", "routine,thread"))
        sums = collections.defaultdict(lambda: [0, 0])
        for row in by["rows"]:
            assert row["tid"] >= 0, row
            sums[routine_of(by, row)] = [a + b for a, b in zip(sums[routine_of(by, row)], row["values"])]
        rows = {routine_of(alone, row): row["values"] for row in alone["rows"]}
        equal(words, *([s[name][metric] for name in ("outer_routine", "work")] for s in (sums, rows)))


def sums():
    """In formats that are made of stacks; within the part of the program that was asked for; and in text."""
    for words in ("inscount", "opcodemix", "jumpmix", "edgecount -by line"):
        r = result(words + " -stack 2 -routine recurse", [guest("sorted-frames")])
        total = [sum(s["values"][m] for s in r["stacks"]) for m in range(len(r["metrics"]))]
        equal(words, total, r["totals"])
        equal("place", {routine_of(r, r["frames"][s["frames"][-1]]) for s in r["stacks"]}, {"recurse"})
    folded = tool("inscount -format folded", [guest("sorted")])
    equal("folded", folded, tool("profile -format folded", [guest("sorted")]))
    text = tool("inscount -stack 1 -top 1", [guest("sorted-frames")])
    assert re.search(r"^instructions by call stack\n +\d+ +[\d.]+%  thread 0 sorted-frames:run at sorted.c:\d+\n {29}sorted-frames:_start", text, re.M), text
    text = tool("inscount -by thread,routine -stack 1 -top 1", [guest("sorted-frames")])
    assert re.search(r"^ +\d+ +[\d.]+%  thread 0 sorted-frames:run\n", text, re.M), text
    text = tool("opcodemix -by routine -stack 1 -top 1", [guest("sorted-frames")])
    assert re.search(r"^sorted-frames:run < sorted-frames:_start.*\nopcode ", text, re.M), text


NARROW = """.globl _start, outer, inner
.type _start, @function
_start: movl $1000, %ebx
1: call outer
decl %ebx
jnz 1b
movl $1, %eax
int $0x80
.size _start, . - _start
.type outer, @function
outer: call inner
ret
.size outer, . - outer
.type inner, @function
inner: nop
ret
.size inner, . - inner
"""


def narrow():
    """In an IA-32 program a return takes 4 bytes, and a routine that has nothing else on its stack goes on after a call."""
    with tempfile.TemporaryDirectory() as d:
        source, part, program = (os.path.join(d, n) for n in ("n.s", "n.o", "n"))
        with open(source, "w") as f:
            f.write(NARROW)
        for command in (["as", "--32", source, "-o", part], ["ld", "-m", "elf_i386", part, "-o", program]):
            equal(command[0], run(command).returncode, 0)
        folded = tool("profile -format folded", [program])
        equal("stacks", folded.splitlines(), ["n:_start 3003", "n:_start;n:outer 2000", "n:_start;n:outer;n:inner 2000"])
        equal("inscount", tool("inscount -format folded", [program]), folded)


def cases():
    for f in (instructions, jumps, threads, sums, narrow):
        yield "stacks-" + f.__name__, f, ()
