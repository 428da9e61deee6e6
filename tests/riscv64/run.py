#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the RISC-V 64 port (docs/design/ports.md), under qemu-riscv64.

    run.py [--short] [FILTER]   builds the engine and the guests with `make riscv64`, then runs what matches the filter

The decoder against objdump: every compressed instruction, and random long ones. Guests natively and under the engine, without the tool and with it
in several modes: output and exit status must be the same, and the tool's count of instructions that of a qemu plugin (icount.c), to the instruction.
What the port cannot do must be said. The last line is `N passed, N failed`, with `, N skipped` where the cross compiler or qemu is missing.
"""
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import watch  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
OUT = os.path.join(BUILD, "riscv64")
TESTS = os.path.join(OUT, "tests")
QEMU, OBJDUMP = "qemu-riscv64", "riscv64-linux-gnu-objdump"
NEEDED = [QEMU, OBJDUMP, "riscv64-linux-gnu-gcc"]
ENGINE = os.path.join(OUT, "lib", "linchpin", "linchpin-vm")
COUNT = re.compile(r"linchpin: (\d+) instructions, (\d+) blocks\n")
ENV = {"PATH": os.environ.get("PATH", ""), "QEMU_LD_PREFIX": "/usr/riscv64-linux-gnu"}
SIGNALS = {0: -11, 1: -11, 2: -4, 3: -5, 4: -6, 5: -11}

# Guest, its words, the modes in which its count of instructions is compared. A write to translated code begins the rest of its block anew, which a count by
# blocks has counted already; calls that are really made are made again there.
ALL, EACH, NONE = r"", r"each$", r"$^"
GUESTS = [("hello", [], ALL), ("hello_long", [], ALL), ("work", ["a"], ALL), ("work_long", ["a"], ALL), ("code", [], EACH), ("fork", [], NONE), ("threads", [], NONE),
          ("handler", ["1000"], NONE)]
GUESTS += [("die", [str(n)], NONE) for n in SIGNALS]
MODES = {"plain": [], "count": ["-t", ENGINE], "each": ["-t", ENGINE, "ins"], "calls": ["-no_inline", "-t", ENGINE], "flush": ["-random_flush", "9", "-t", ENGINE]}
MORE_MODES = {"nolink": ["-no_link", "-t", ENGINE], "flush1": ["-random_flush", "1", "-t", ENGINE], "nomerge": ["-no_merge", "-no_spread", "-no_dead", "-t", ENGINE],
              "nodead": ["-no_dead", "-t", ENGINE], "nospread": ["-no_spread", "-t", ENGINE], "tiny": ["-cc_memory_size", "256K", "-t", ENGINE], "plainflush": ["-random_flush", "3"],
              "eachcalls": ["-no_inline", "-t", ENGINE, "ins"]}


class Tally:
    def __init__(self, only):
        self.passed, self.failed, self.only = 0, 0, only

    def wants(self, name):
        return self.only is None or re.search(self.only, name)

    def check(self, name, good, text):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print(f"FAIL {name}: {text}")


def run(command, text=None, build=None):
    env = {**ENV, "BUILD": build} if build else ENV
    r = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, cwd=TESTS, timeout=watch.patience(600))
    return r.stdout, r.stderr, r.returncode


# --- the decoder --------------------------------------------------------------------------------------------------------

def disassemble(data, *options):
    """Text of the instruction at each offset."""
    with tempfile.NamedTemporaryFile() as f:
        f.write(data)
        f.flush()
        listing = run([OBJDUMP, "-D", "-z", "-b", "binary", "-m", "riscv:rv64", "-M", ",".join(("numeric",) + options), f.name])[0]
    rows = re.findall(r"^ *([0-9a-f]+):\t[0-9a-f]+ +\t(.*)$", listing, re.M)
    return {int(at, 16): text.split("#")[0].strip().expandtabs(1) for at, text in rows}


def plain_name(text):
    """objdump has other short names for a long form than for the compressed one."""
    text = re.sub(r"^add (x\d+),(x\d+),0$", r"mv \1,\2", text)
    return re.sub(r"^add (x\d+),x0,(x\d+)$", r"mv \1,\2", text)


def check_halves(tally):
    rows = [tuple(int(w, 16) for w in line.split()) for line in run([os.path.join(TESTS, "decode"), "halves"])[0].splitlines()]
    short = disassemble(b"".join(struct.pack("<HH", half, 1) for half, _ in rows))
    long = disassemble(b"".join(struct.pack("<I", word) for _, word in rows))
    wrong = []
    for i, (half, word) in enumerate(rows):
        a, b = plain_name(short[i * 4]), plain_name(long[i * 4])
        hint = a.startswith("c.") and (word >> 7 & 31 == 0 or "64" in a)  # without effect
        bad = word == 0 and (a.startswith((".2byte", "unimp", "0x")) or a == "mv x2,x2")  # the last is reserved
        if a != b and not hint and not bad:
            wrong.append(f"{half:04x}: {a}, {word:08x}: {b}")
    tally.check("decode/halves", len(rows) == 49152 and not wrong, f"{len(rows)} rows, {len(wrong)} differ, as {wrong[:3]}")


def sets_of(text):
    """(registers read, written) from the text of an instruction without short names."""
    name, _, rest = text.partition(" ")
    regs = re.findall(r"\b([xf]\d+)\b", rest)
    reads, writes = 0, 0
    stores = name in ("sb", "sh", "sw", "sd", "fsw", "fsd") or name in ("beq", "bne", "blt", "bge", "bltu", "bgeu")
    for i, reg in enumerate(regs):
        if reg[0] == "x":
            bit = 1 << int(reg[1:])
            if i == 0 and not stores and rest.startswith(reg):
                writes |= bit
            else:
                reads |= bit
    if name == "ecall":
        reads, writes = 0xff << 10, 1 << 10
    return reads & ~1, writes & ~1


def random_words(n):
    """Of all major opcodes, with fields that make known instructions likely."""
    r = random.Random(7)
    majors = [0x03, 0x07, 0x0f, 0x13, 0x17, 0x1b, 0x23, 0x27, 0x2f, 0x33, 0x37, 0x3b, 0x43, 0x47, 0x4b, 0x4f, 0x53, 0x63, 0x67, 0x6f, 0x73]
    for _ in range(n):
        word = r.getrandbits(32) & ~0x7f | r.choice(majors)
        if r.random() < 0.7:  # small function codes
            word = word & 0x01ffffff | r.choice([0, 1, 0x20, 4, 5, 8, 9, 0xc, 0xd, 0x10, 0x11, 0x20, 0x21, 0x50, 0x51, 0x60, 0x61, 0x68, 0x69, 0x70, 0x71, 0x78, 0x79]) << 25
        yield word
    yield from (0x00000073, 0x00100073, 0x0000100f, 0x0ff0000f)


def check_words(tally, n):
    words = list(random_words(n))
    text = disassemble(b"".join(struct.pack("<I", w) for w in words), "no-aliases")
    got = [line.split() for line in run([os.path.join(TESTS, "decode"), "words"], "\n".join(f"{w:x}" for w in words))[0].splitlines()]
    wrong, known = [], 0
    for i, (word, row) in enumerate(zip(words, got)):
        theirs, bad = text[i * 4], int(row[2]) == 6
        if bad or theirs.startswith((".4byte", "0x", "unimp")):
            continue  # which of the unknown ones are reserved is not asked
        known += 1
        if int(row[1]) != 4 or (int(row[3], 16), int(row[4], 16)) != sets_of(theirs):
            wrong.append(f"{theirs}: {row}")
    tally.check("decode/words", known > n // 4 and not wrong, f"{known} known, {len(wrong)} differ, as {wrong[:4]}")
    missed = [text[i * 4] for i, row in enumerate(got) if int(row[2]) == 6 and not text[i * 4].startswith((".4byte", "0x", "unimp"))]
    names = sorted({m.split()[0] for m in missed} - {"sret", "mret", "wfi", "uret", "dret", "sfence.vma", "hfence.vvma", "hfence.gvma", "hret"})
    tally.check("decode/missed", not names, f"objdump knows {names}")


# --- guests -------------------------------------------------------------------------------------------------------------

def native(guest, words):
    out = os.path.join(TESTS, guest + ".count")
    if os.path.exists(out):
        os.unlink(out)
    plugin = f"{os.path.join(TESTS, 'icount.so')},out={out}"
    result = run([QEMU, "-plugin", plugin, os.path.join(TESTS, guest)] + words)
    with open(out) if os.path.exists(out) else open(os.devnull) as f:
        text = f.read()
    return result, int(text) if text else None


def check_guest(tally, guest, words, counted, modes):
    (stdout, stderr, status), count = native(guest, words)
    if guest == "die":
        tally.check(f"{guest}/{words[0]}/native", status == SIGNALS[int(words[0])], f"status {status}")
    for mode, options in modes.items():
        name = "/".join([guest] + words + [mode])
        got, errors, ended = run([QEMU, os.path.join(OUT, "bin", "linchpin")] + options + ["--", os.path.join(TESTS, guest)] + words)
        told = COUNT.findall(errors)
        rest = COUNT.sub("", errors)
        tally.check(name, (got, rest, ended) == (stdout, stderr, status), f"{(got, rest, ended)}, natively {(stdout, stderr, status)}")
        if re.match(counted, mode) and "-t" in options:
            tally.check(name + "/count", count and [int(n) for n, _ in told] == [count], f"{told}, natively {count}")


def check_refusal(tally):
    got, errors, status = run([QEMU, os.path.join(OUT, "bin", "linchpin"), "--", os.path.join(TESTS, "shared")])
    tally.check("refusal/shared", status == 1 and "in shared mappings (E16): not done" in errors and not got, f"{(got, errors, status)}")
    for words in (["doctor"], ["cc", "x.c"], ["-pid", "1"]):
        got, errors, status = run([QEMU, os.path.join(OUT, "bin", "linchpin")] + words)
        tally.check("refusal/" + words[0], status == 1 and "not done on RISC-V 64 yet" in errors, f"{(got, errors, status)}")


def missing():
    subprocess.run([os.path.join(ROOT, "scripts", "deps"), "--soft", "riscv64"], check=False)
    return [p for p in NEEDED if not shutil.which(p)]


def main(args):
    short = "--short" in args
    rest = [a for a in args if not a.startswith("--")]
    modes = MODES if short else {**MODES, **MORE_MODES}
    absent = missing()
    if absent:
        print(f"skip riscv64: {', '.join(absent)} cannot be had here")
        print(f"0 passed, 0 failed, {len(GUESTS) * len(modes)} skipped")
        return 0
    subprocess.run(["make", "-s", "-C", ROOT, "riscv64", f"BUILD={BUILD}"], check=True, stdout=subprocess.DEVNULL)
    tally = Tally(rest[0] if rest else None)
    if tally.wants("decode"):
        check_halves(tally)
        check_words(tally, 20000 if short else 200000)
    for guest, words, counted in GUESTS:
        if tally.wants(guest):
            quick = guest in ("hello", "work", "code", "threads") or not short
            check_guest(tally, guest, words, counted, modes if quick else {m: modes[m] for m in ("plain", "count")})
    if tally.wants("layers"):
        got, errors, status = run([sys.executable, os.path.join(ROOT, "tests", "layers.py"), "--partial"], build=OUT)
        tally.check("layers", status == 0, got + errors)
    if tally.wants("refusal"):
        check_refusal(tally)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return tally.failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
