#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of whole systems (docs/system.md), under qemu-system-x86_64.

    run.py [--short] [FILTER]   builds the guest, the tools and the plugin that knows nothing of Linchpin, then runs what matches the filter

The guest (guest.S) is a system of ours whose parts do each thing a known number of times. What a tool tells of them is compared with these numbers, and with
what QEMU's own interface counts in the same run (count.c), to the instruction and to the access; the sums of bundled tools with those of QEMU over the whole
run, with its firmware, which is code of 16 and of 32 bits. Runs with -icount repeat themselves exactly, so that tools can be compared over several of them.
What cannot be had must be refused by its name. The last line is `N passed, N failed`, with `, N skipped` where QEMU is missing.
"""
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import building  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join(ROOT, "tests", "system")
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
OUT = os.path.join(BUILD, "tests", "system")
LINCHPIN = os.path.join(BUILD, "bin", "linchpin")
QEMU = "qemu-system-x86_64"
GUEST, COUNT, PARTS = (os.path.join(OUT, name) for name in ("guest.elf", "count.so", "parts.so"))
MACHINE = ["-display", "none", "-no-reboot", "-device", "isa-debug-exit,iobase=0xf4,iosize=1", "-kernel", GUEST]
SAME = ["-icount", "shift=3,sleep=off", "-rtc", "base=2020-01-01,clock=vm"]  # every run is the same, to the instruction
END = 1  # what QEMU's status is when the guest switches itself off
CASES = []


class Tally:
    def __init__(self, only, short):
        self.short = short
        self.passed, self.failed, self.skipped, self.only = 0, 0, 0, only

    def check(self, name, good, text=""):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print(f"FAIL {name}: {text}")

    def same(self, name, got, want):
        self.check(name, got == want, f"{got}, it should be {want}")


def case(function):
    CASES.append(function)
    return function


def build():
    """The error text, or None."""
    os.makedirs(OUT, exist_ok=True)
    obj = os.path.join(OUT, "guest.o")
    guest, script, header = (os.path.join(HERE, "guest.S"), os.path.join(HERE, "guest.ld"), os.path.join(ROOT, "src", "system", "qemu.h"))
    tool = [LINCHPIN, "cc", os.path.join(HERE, "parts.cpp"), "-o", PARTS]
    return (building.up_to_date(obj, [guest], ["gcc", "-m32", "-c", guest, "-o", obj])
            or building.up_to_date(GUEST, [obj, script], ["ld", "-m", "elf_i386", "--no-warn-rwx-segments", "-T", script, obj, "-o", GUEST])
            or building.up_to_date(COUNT, [os.path.join(HERE, "count.c"), header],
                                   ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-I" + os.path.join(ROOT, "src"), os.path.join(HERE, "count.c"), "-o", COUNT])
            or building.up_to_date(PARTS, [os.path.join(HERE, "parts.cpp")], tool))


def numbers():
    """The equates of the guest: NAME -> number."""
    with open(os.path.join(HERE, "guest.S")) as f:
        return {m.group(1): int(m.group(2)) for m in re.finditer(r"^\s*\.set ([A-Z]+), (\d+)", f.read(), re.M)}


def marks():
    """Part -> FROM-TO, in hex; and the symbols."""
    rows = [line.split() for line in subprocess.run(["nm", GUEST], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()]
    symbols = {name: int(address, 16) for address, _, name in rows}
    return {n[5:]: f"{symbols[n]:x}-{symbols['end_' + n[5:]]:x}" for n in symbols if n.startswith("mark_")}, symbols


def run(words, qemu=(), where=None, count=True, timeout=300):
    """Runs the guest under `linchpin system WORDS`, beside the plugin that counts. (status, standard output, standard error)"""
    ranges = "".join(f",{name}={r}" for name, r in marks()[0].items())
    command = [LINCHPIN, "system", *words, "--", QEMU] + (["-plugin", COUNT + ranges] if count else []) + [*qemu, *MACHINE]
    got = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, cwd=where)
    return got.returncode, got.stdout, got.stderr


def counted(errors):
    """Part -> (instructions, loads, stores), as QEMU has counted; "all" is the sum."""
    return {m.group(1): tuple(map(int, m.groups()[1:])) for m in re.finditer(r"^qemu (\S+) (\d+) (\d+) (\d+)$", errors, re.M)}


def told(errors):
    """Part -> {what: number}, as the tool has counted."""
    return {m.group(1): {k: int(v, 0) for k, v in (p.split("=") for p in m.group(2).split())} for m in re.finditer(r"^tool (\S+) (.*)$", errors, re.M)}


def other(errors):
    return re.sub(r"^(qemu|tool) .*\n", "", errors, flags=re.M)


def parts_words():
    return ["-t", PARTS, "-physical"] + [word for name, r in marks()[0].items() for word in ("-part", f"{name}={r}")]


def expected(n, symbols):
    """What each part does. An instruction counts whenever QEMU begins it: one that faults counts again when it is tried again, a repeated one once more when it is through."""
    area, word = symbols["area"], 4
    return {
        "loops": {"instructions": 1 + 3 * n["LOOPS"], "ADD": n["LOOPS"], "DEC": n["LOOPS"], "JNZ": n["LOOPS"], "MOV": 1},
        "stores": {"instructions": 2 + 4 * n["STORES"], "writes": n["STORES"], "written_bytes": word * n["STORES"], "first": area, "last": area + word * (n["STORES"] - 1)},
        "loads": {"instructions": 1 + 3 * n["LOADS"], "reads": n["LOADS"], "read_bytes": n["LOADS"], "first": area, "last": area},
        "updates": {"instructions": 1 + 3 * n["UPDATES"], "reads": n["UPDATES"], "writes": n["UPDATES"], "read_bytes": word * n["UPDATES"], "written_bytes": word * n["UPDATES"]},
        "copies": {"instructions": 4 + n["COPIES"], "REP_MOVSD": n["COPIES"] + 1, "reads": n["COPIES"], "writes": n["COPIES"], "both": n["COPIES"], "predicated": n["COPIES"] + 3,
                   "read_bytes": word * n["COPIES"], "written_bytes": word * n["COPIES"], "first": area, "last": area + 4096 + word * (n["COPIES"] - 1)},
        "calls": {"instructions": 1 + 3 * n["CALLS"], "CALL_NEAR": n["CALLS"], "writes": n["CALLS"], "written_bytes": word * n["CALLS"]},
        "atomics": {"instructions": 1 + 3 * n["ATOMICS"], "XADD_LOCK": n["ATOMICS"], "reads": n["ATOMICS"], "writes": n["ATOMICS"], "first": area, "last": area},
        "traps": {"instructions": 1 + 3 * n["TRAPS"], "INT": n["TRAPS"]},
        "users": {"instructions": 2 + 2 * n["USERS"], "user": 2 + 2 * n["USERS"]},
        "aliases": {"instructions": 2 * (1 + 4 * n["ALIASES"]), "reads": 2 * n["ALIASES"], "writes": 2 * n["ALIASES"], "other_physical": 4 * n["ALIASES"], **alias_places(n["ALIASES"], symbols)},
        "faults": {"instructions": 1 + 8 * n["FAULTS"], "reads": n["FAULTS"], "writes": 2 * n["FAULTS"], "INVLPG": n["FAULTS"]},
    }


def alias_places(n, symbols):
    """Physical places of the part whose pages change places after its first run: of code (five instructions of 5, 5, 5, 1 and 2 bytes), of loads, of stores."""
    area, places = symbols["area"], {}
    for data, other, code in ((area, area + 4096, symbols["alias_code"]), (area + 4096, area, symbols["alias_copy"])):
        places.update({f"read:0x{data + 64:x}": n, f"write:0x{other + 128:x}": n, f"code:0x{code:x}": 1})
        places.update({f"code:0x{code + at:x}": n for at in (5, 10, 15, 16)})
    return places


def check_parts(tally, name, qemu):
    status, _, errors = run(parts_words(), qemu)
    found, by_qemu = told(errors), counted(errors)
    tally.check(f"{name}/ends", status == END and not other(errors), f"status {status}, {other(errors)}")
    for part, want in expected(numbers(), marks()[1]).items():
        got = found.get(part, {})
        tally.same(f"{name}/{part}", {k: got.get(k, 0) for k in want}, want)
        tally.same(f"{name}/{part}/qemu", (got.get("instructions"), got.get("reads"), got.get("writes")), by_qemu.get(part))
        same = {"blocks": got.get("instructions"), "other_physical": want.get("other_physical", 0), "processors": 1, "user": want.get("user", 0), "privileges": 1, "INVALID": 0, "first_block": 1}
        tally.same(f"{name}/{part}/same", {k: got.get("first-block" if k == "first_block" else k, 0) for k in same}, same)


@case
def parts(tally):
    check_parts(tally, "parts", [])


@case
def parts_two_processors(tally):
    check_parts(tally, "parts_two_processors", ["-smp", "2"])


@case
def parts_one_thread(tally):
    """Both processors on one thread of QEMU's."""
    check_parts(tally, "parts_one_thread", ["-smp", "2", "-accel", "tcg,thread=single"])


def total(name, text):
    m = re.search(rf"^{re.escape(name)} +(\d+)", text, re.M)
    return int(m.group(1)) if m else None


@case
def sums(tally):
    """Of tools that count by blocks, each in a way of its own, with one processor (QEMU adds) and with two (the tool does)."""
    kinds = (("inscount", [], "instructions:"), ("proccount", [], "instructions:"), ("inscount", ["-by", "ins"], "instructions:"), ("opcodemix", ["-top", "0"], "*total"), ("catmix", [], "*total"))
    with tempfile.TemporaryDirectory(prefix="lp-system-") as where:
        for tool, words, key, smp in ((*kind, smp) for kind in kinds for smp in ("1", "2")):
            status, _, errors = run(["-t", tool, *words, "-o", "out"], ["-smp", smp], where)
            with open(os.path.join(where, "out")) as f:
                out = f.read()
            name = f"sums/{tool}{''.join(words)}/{smp}"
            tally.same(name, (status, total(key, out), other(errors)), (END, counted(errors)["all"][0], ""))
            if tool == "opcodemix":
                tally.same(name + "/xadd", total("XADD_LOCK", out), numbers()["ATOMICS"])


@case
def whole_blocks(tally):
    """A block that a fault leaves in its middle counts as a whole then: the guest's faults come before three more instructions of their block."""
    got = {}
    for words in ([], ["-whole_blocks"]):
        status, _, errors = run([*words, *parts_words()])
        got[len(words)] = told(errors)["faults"]
        tally.check("whole_blocks/ends", status == END)
    tally.same("whole_blocks/exact", got[0]["blocks"], got[0]["instructions"])
    tally.same("whole_blocks/whole", got[1]["blocks"], got[1]["instructions"] + 3 * numbers()["FAULTS"])


@case
def accesses(tally):
    """memtrace, pinatrace and the caches tell of the same accesses in runs that are the same."""
    with tempfile.TemporaryDirectory(prefix="lp-system-") as where:
        status, _, errors = run(["-t", PARTS, "-part", "x=0-fffffffffffffff"], SAME, where)
        x, want = told(errors)["x"], counted(errors)["all"]
        # The caches take an update for a write, and count what is executed: a store that faults is a write, and invlpg reads.
        reads, writes = x["reads"] - x["updates"] + numbers()["FAULTS"], x["writes"] + numbers()["FAULTS"]
        for tool in ("cache", "dcache"):
            status, _, errors = run(["-t", tool, "-format", "json", "-o", "out"], SAME, where)
            tally.same(f"accesses/{tool}/ends", (status, other(errors), counted(errors)["all"]), (END, "", want))
            with open(os.path.join(where, "out")) as f:
                result = json.load(f)
            values = dict(zip([m["name"] for m in result["metrics"]], result["totals"]))
            same = {"reads": reads, "writes": writes, **({"instructions": want[0]} if tool == "cache" else {})}
            tally.same(f"accesses/{tool}", {k: values.get(k) for k in same}, same)
        status, _, errors = run(["-t", "memtrace", "-trace", "t.zst", "-pages", "1", "-o", "out"], SAME, where)
        rows = subprocess.run([os.path.join(BUILD, "bin", "linchpin-memtrace"), "t.zst"], cwd=where, capture_output=True, text=True, check=True).stdout.splitlines()
        rows = [row.replace(":", "").split() for row in rows]
        tally.same("accesses/memtrace", (status, *(sum(1 for row in rows if row[1] == kind) for kind in "RW")), (END, x["reads"], x["writes"]))
        lo, hi = (int(a, 16) for a in marks()[0]["stores"].split("-"))
        area, n = marks()[1]["area"], numbers()["STORES"]
        tally.same("accesses/memtrace/stores", [(int(r[2], 16), r[1], int(r[3])) for r in rows if lo <= int(r[0], 16) < hi], [(area + 4 * i, "W", 4) for i in range(n)])


def linux(work):
    """Arguments of QEMU's for a small Linux guest that does the work, or None: it cannot be had here."""
    with open(os.path.join(OUT, "work"), "w") as f:
        f.write(work)
    made = subprocess.run([LINCHPIN, "system", "demo", "-make", "-work", f.name], capture_output=True, text=True, timeout=600)
    if made.returncode:
        print(f"skip: a Linux guest cannot be had: {made.stderr.strip().splitlines()[-1:]}")
        return None
    at = made.stdout.strip()
    return ["-m", "192", "-display", "none", "-monitor", "none", "-serial", "stdio", "-no-reboot", "-nic", "none", "-kernel", f"{at}/vmlinuz", "-initrd", f"{at}/initrd.gz",
            "-append", "console=ttyS0 quiet panic=-1 cryptomgr.notests"]


def linux_guest(tally, test, smp):
    """A Linux kernel and its programs. The sums by privilege are those that QEMU has for the halves of the addresses; the kernel's routines have their names; each of the guest's own
    threads has the name and the number that it has in the guest."""
    machine = linux("sh -c 'echo guest: $$; exec seq 1 3000 >/dev/null'\ncat /proc/self/stat\ntaskset %d md5sum /bin/busybox\nusleep 100000\n" % smp)
    if not machine:
        tally.skipped += 1
        return
    with tempfile.TemporaryDirectory(prefix="lp-system-") as where:
        command = [LINCHPIN, "system", "-symbols", "guest", "-threads", "guest", "-t", "inscount", "-by", "thread,routine", "-format", "json", "-o", "out", "--", QEMU, "-smp", str(smp),
                   "-plugin", COUNT + ",kernel=ffff800000000000-ffffffffffffffff", *machine]
        got = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, cwd=where)
        tally.check(f"{test}/ends", got.returncode == 0 and (smp > 1 or not other(got.stderr)), f"status {got.returncode}, {other(got.stderr)}")
        with open(os.path.join(where, "out")) as f:
            result = json.load(f)
    names = {t["tid"]: t["name"] for t in result["threads"]}
    rows, sums, routines, others = {}, {"kernel": 0, "user": 0, "boot": 0}, set(), 0
    for r in result["rows"]:
        image = result["images"][result["routines"][r["routine"]]["image"] if "routine" in r else r["image"]]["name"]
        key = (names.get(r.get("tid")), image)
        rows[key] = rows.get(key, 0) + r["values"][0]
        sums[image] += r["values"][0]
        if "routine" in r:
            others += image != "kernel"
            routines.add(result["routines"][r["routine"]]["name"])
    qemu = counted(got.stderr)
    tally.same(f"{test}/sums", (sums["kernel"], sum(sums.values())), (qemu["kernel"][0], qemu["all"][0]))
    tally.check(f"{test}/programs", sums["user"] > 100000 and sums["boot"] > 100000, f"{sums}")
    tally.same(f"{test}/user_names", others, 0)
    tally.check(f"{test}/names", routines >= {"do_syscall_64", "schedule", "vfs_read"}, f"{len(routines)} names")
    found = re.findall(r"guest: (\d+)", got.stdout) + re.findall(r"(\d+) \(cat\)", got.stdout)
    tally.same(f"{test}/output", len(found), 2)
    for program, number in zip(("seq", "cat"), found):
        name = f"{program}[{number}]"
        tally.check(f"{test}/{program}", rows.get((name, "user"), 0) > 5000 and rows.get((name, "kernel"), 0) > 5000, f"{name}: {sorted(names.values())}")
    kernel = {"init[1]", "kthreadd[2]", *(f"swapper/{i}[0]" for i in range(smp)), *(f"processor {i}" for i in range(smp))}
    tally.same(f"{test}/kernel_threads", (kernel - set(names.values()), rows.get(("kthreadd[2]", "user"), 0)), (set(), 0))


@case
def linux_one_processor(tally):
    linux_guest(tally, "linux_one_processor", 1)


@case
def linux_two_processors(tally):
    if not tally.short:
        linux_guest(tally, "linux_two_processors", 2)


@case
def refusals(tally):
    with tempfile.TemporaryDirectory(prefix="lp-system-") as where:
        for tool, name in (("calltrace", "IARG_REG_VALUE"), ("jumpmix", "IARG_BRANCH_TAKEN"), ("strace", "PIN_AddSyscallEntryFunction"),
                           ("heapcheck", "")):
            status, out, errors = run(["-t", tool], where=where, count=False)
            good = status == 1 and re.search(rf"^linchpin: .*{name}.*not to be had of a whole system", errors, re.M)
            tally.check(f"refusals/{tool}", good, f"status {status}, {errors}")
        source = '#include "pin.H"\nVOID F() {}\nVOID I(INS i, VOID *) { if (INS_HasFallThrough(i)) INS_InsertCall(i, IPOINT_AFTER, AFUNPTR(F), IARG_END); }\n' \
                 "int main(int c, char **v) { PIN_Init(c, v); INS_AddInstrumentFunction(I, 0); PIN_StartProgram(); }\n"
        with open(os.path.join(where, "after.cpp"), "w") as f:
            f.write(source)
        subprocess.run([LINCHPIN, "cc", "after.cpp", "-o", "after.so"], cwd=where, check=True)
        status, _, errors = run(["-t", "./after.so"], where=where, count=False)
        tally.check("refusals/after", status == 1 and "IPOINT_AFTER" in errors, f"status {status}, {errors}")
        with open(os.path.join(where, "routines.cpp"), "w") as f:
            f.write('#include "pin.H"\nVOID R(RTN, VOID *) {}\nint main(int c, char **v) { PIN_Init(c, v); RTN_AddInstrumentFunction(R, 0); PIN_StartProgram(); }\n')
        subprocess.run([LINCHPIN, "cc", "routines.cpp", "-o", "routines.so"], cwd=where, check=True)
        status, _, errors = run(["-t", "./routines.so"], where=where, count=False)
        tally.check("refusals/routines", status == 1 and "RTN_AddInstrumentFunction" in errors and "not to be had of a whole system" in errors, f"status {status}, {errors}")
        native = subprocess.run([LINCHPIN, "-t", PARTS, "-part", "x=0-fffffffffffffff", "--", "true"], capture_output=True, text=True, timeout=60)
        tally.check("refusals/program", native.returncode == 1 and "argument type 98" in native.stderr, native.stderr)


@case
def ends(tally):
    """A tool that faults, and a disk that is full: one message, and what was counted until then."""
    with tempfile.TemporaryDirectory(prefix="lp-system-") as where:
        with open(os.path.join(where, "faults.cpp"), "w") as f:
            f.write('#include "pin.H"\n#include <cstdio>\nstatic UINT64 n;\nstatic VOID At() { if (++n == 5000) *(volatile int *)16 = 1; }\n'
                    "static VOID I(INS i, VOID *) { INS_InsertCall(i, IPOINT_BEFORE, AFUNPTR(At), IARG_END); }\n"
                    'static VOID F(INT32, VOID *) { fprintf(stderr, "counted %lu\\n", n); }\n'
                    "int main(int c, char **v) { PIN_Init(c, v); INS_AddInstrumentFunction(I, 0); PIN_AddFiniFunction(F, 0); PIN_StartProgram(); }\n")
        subprocess.run([LINCHPIN, "cc", "faults.cpp", "-o", "faults.so"], cwd=where, check=True)
        for smp in ("1", "2"):
            status, _, errors = run(["-t", "./faults.so"], ["-smp", smp], where, count=False)
            lines = errors.splitlines()
            tally.check(f"ends/fault/{smp}", status == 1 and len(lines) == 2 and "faults.so faults at offset 0x" in lines[0] and "address 0x10" in lines[0] and lines[1].startswith("counted 5"),
                        f"status {status}, {errors}")
        status, _, errors = run(["-t", "inscount", "-o", "/dev/full"], where=where, count=False)
        tally.check("ends/full", errors.count("\n") == 1 and "/dev/full" in errors, f"status {status}, {errors}")
    doctor = subprocess.run([LINCHPIN, "doctor"], stdout=subprocess.PIPE, text=True, check=False).stdout
    tally.check("ends/doctor", re.search(r"^system +QEMU \d+\.\d+: linchpin system runs", doctor, re.M), doctor)


@case
def panic(tally):
    """The guest's kernel panics: the results are there."""
    machine = None if tally.short else linux("echo 'guest: it ends'\nexit 3\n")
    if not machine:
        tally.skipped += not tally.short
        return
    got = subprocess.run([LINCHPIN, "system", "-t", "inscount", "--", QEMU, *machine], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    text = got.stdout + got.stderr
    tally.check("panic", "Attempted to kill init" in text and re.search(r"^instructions: \d{8,}$", text, re.M), f"status {got.returncode}, {text[-600:]}")


@case
def mistakes(tally):
    def command(*words):
        got = subprocess.run([LINCHPIN, "system", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        return got.returncode, got.stdout + got.stderr
    for name, words, want, text in (("nothing", [], 1, "QEMU is not given"), ("option", ["-x", "--", QEMU], 1, "it has no option -x"), ("symbols", ["-symbols", "--", QEMU], 1, "-symbols needs"), ("nosymbols", ["-symbols", "/dev/null", "-t", "inscount", "--", QEMU, "-display", "none"], 1, "no symbols of a Linux"),
                                    ("threads", ["-threads", "guest", "-t", "inscount", "--", QEMU], 1, "needs -symbols"), ("threads2", ["-threads", "x", "--", QEMU], 1, "`guest` or `processors`"),
                                    ("notool", ["-t", "--", QEMU], 1, "-t needs"),
                                    ("tool", ["-t", "inscuont", "--", QEMU], 1, "did you mean inscount"), ("noqemu", ["--", "qemu-system-none"], 127, "qemu-system-none is not there"),
                                    ("toolhelp", ["-t", "inscount", "-nosuch", "--", QEMU, "-display", "none"], 1, "-nosuch")):
        status, got = command(*words)
        tally.check(f"mistakes/{name}", status == want and text in got, f"status {status}, {got}")
    status, _, errors = run(["-symbols", "guest", "-t", "inscount", "-o", "/dev/null"])
    tally.check("mistakes/nokernel", status == END and "no Linux kernel with symbols" in errors, errors)
    status, _, errors = run([], count=True)
    tally.check("mistakes/without_tool", status == END and counted(errors)["all"][0], errors)


def missing():
    subprocess.run([os.path.join(ROOT, "scripts", "deps"), "--soft", "system"], check=False)
    return [p for p in (QEMU, "gcc", "ld") if not shutil.which(p)]


def unsuitable():
    """Why the QEMU that is here cannot be used, or None."""
    version = subprocess.run([QEMU, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    m = re.search(r"version (\d+)\.(\d+)", version)
    return None if m and (6, 0) <= (int(m.group(1)), int(m.group(2))) < (8, 3) else "this QEMU has another version of the plugin interface: " + version.splitlines()[0]


def main(args):
    rest = [a for a in args if not a.startswith("--")]
    absent = missing()
    why = f"{', '.join(absent)} cannot be had here" if absent else unsuitable()
    if why:
        print(f"skip system: {why}")
        print(f"0 passed, 0 failed, {len(CASES)} skipped")
        return 0
    error = build()
    if error:
        print(f"FAIL build: {error}\n0 passed, 1 failed")
        return 1
    tally = Tally(rest[0] if rest else "", "--short" in args)
    for function in CASES:
        if re.search(tally.only, function.__name__):
            function(tally)
    print(f"{tally.passed} passed, {tally.failed} failed" + (f", {tally.skipped} skipped" if tally.skipped else ""))
    return tally.failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
