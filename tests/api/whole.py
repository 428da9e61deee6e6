#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole binaries through the tool API against binutils: sections (readelf), symbols and routines (readelf), every instruction (objdump), source lines (addr2line).

    whole.py [--short] [NAME]...    cases whose name contains one of the NAMEs

The last line is `N passed, N failed`.
"""
import argparse
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import run as api  # noqa: E402
from run import watch  # noqa: E402

LIBC = next(p for p in ("/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6", "/usr/lib/libc.so.6") if os.path.exists(p))
FILES = {"bash": os.path.realpath("/bin/bash"), "libc": os.path.realpath(LIBC)}


class Skip(Exception):
    pass


def output(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace").stdout


def tool(name, settings, program=("/bin/true",)):
    """Lines that the tool prints; the program's own must be none."""
    words = [w for s in settings for w in ("-set", s)]
    command = [api.LINCHPIN, *(api.MORE or ["-api_calls", api.CALLS]), "-t", api.tool_path(name), *words, "--", *program]
    done = watch.run(command, 300)
    assert done.returncode == 0 and not done.stderr, f"{name}: status {done.returncode}, {done.stderr[-300:]!r}"
    return done.stdout.splitlines()


def walk(path, *more):
    rows = {}
    for line in tool("walk", [f"file={path}", *more]):
        key, _, rest = line.partition(" ")
        rows.setdefault(key if len(key) == 1 else "wrong", []).append(rest if len(key) == 1 else line)
    assert "wrong" not in rows, rows["wrong"][:3]
    return rows


def same(what, got, wanted):
    """Both are dictionaries."""
    for key in sorted(set(got) | set(wanted)):
        assert got.get(key) == wanted.get(key), f"{what} {key if not isinstance(key, int) else hex(key)}: {got.get(key)!r}, expected {wanted.get(key)!r} ({len(got)} and {len(wanted)} in all)"


def sections(path):
    wanted = {"": (0, 0, False, False, False)}  # the first of the file
    for line in output("readelf", "-SW", path).splitlines():
        m = re.match(r"\s*\[ *(\d+)\] (\S+)\s+\S+\s+([0-9a-f]{16}) [0-9a-f]{6,} ([0-9a-f]{6,}) \S\S( +[A-Z]+)? ", line)
        if m and m[1] != "0":
            flags = (m[5] or "").strip()
            wanted[m[2]] = (int(m[3], 16), int(m[4], 16), ("w" in flags.lower()), "X" in flags, "A" in flags)
    got = {}
    for row in walk(path)["s"]:
        name, _, address, size, flags, _ = row.split(" ")
        got[name] = (int(address, 16), int(size, 16), flags[1] == "w", flags[2] == "x", flags[3] == "m")
    assert len(wanted) > 20, "readelf says too little"
    same("section", got, wanted)


def debug_file(path):
    """The separate file by its build id, None: there is none."""
    m = re.search(r"Build ID: ([0-9a-f]+)", output("readelf", "-n", path))
    name = f"/usr/lib/debug/.build-id/{m[1][:2]}/{m[1][2:]}.debug" if m else ""
    return name if os.path.exists(name) else None


def elf_functions(path):
    """{address: names} of defined functions and ifuncs, in both tables, those of a separate debug file too."""
    found = {}
    for file in filter(None, (path, debug_file(path))):
        for line in output("readelf", "-sW", file).splitlines():
            f = line.split()
            if len(f) >= 8 and f[0].rstrip(":").isdigit() and f[3] in ("FUNC", "IFUNC") and f[6] != "UND":
                found.setdefault(int(f[1], 16), set()).add(f[7].split("@")[0])
    return found


def symbols(path):
    wanted = elf_functions(path)
    got, made = {}, {}  # made: a name of an ifunc for the implementation that would be taken
    rows = walk(path)
    for row in rows["y"]:
        value, address, flags, name = row.split(" ", 3)
        assert value == address, row
        (got if flags[2] == "0" else made).setdefault(int(value, 16), set()).add(name)
    assert len(wanted) > 500, "readelf says too little"
    same("symbol", got, wanted)
    # Every function begins a routine, under one of its names.
    starts = {int(r.split(" ")[0], 16): r.split(" ", 5)[5] for r in rows["r"]}
    for address, names in wanted.items():
        assert starts.get(address) in names | made.get(address, set()), f"routine at {address:#x}: {starts.get(address)!r}, expected one of {sorted(names)[:4]}"


def routines(path):
    """They do not overlap, lie in their sections, and those with a symbol are as long as it says or end at the next."""
    sizes = {}
    for line in output("readelf", "--dyn-syms", "-W", path).splitlines():
        f = line.split()
        if len(f) >= 8 and f[3] in ("FUNC", "IFUNC") and f[6] != "UND":
            sizes.setdefault(int(f[1], 16), set()).add(int(f[2], 0))
    rows = sorted((int(a, 16), int(n, 16), int(r, 16), kind) for a, n, r, _, kind in (x.split(" ")[:5] for x in walk(path)["r"]))
    checked = 0
    for (start, size, span, kind), after in zip(rows, rows[1:] + [None]):
        assert size <= span, f"routine {start:#x}: size {size} beyond its range {span}"
        assert not after or start + span <= after[0] or start + size <= after[0], f"routine {start:#x} overlaps {after[0]:#x}"
        if kind == "sym" and sizes.get(start) and 0 not in sizes[start]:
            assert size in sizes[start] or (after and start + size == after[0]), f"routine {start:#x}: size {size}, symbol says {sizes[start]}"
            checked += 1
    assert checked > 300, f"only {checked} sizes compared"


JUMPS = re.compile(r"j\w+|loop\w*$")
# The same operands in the same words in both.
ALIKE = set("mov add sub and or xor cmp test lea push pop imul movzx movsx xchg adc sbb inc dec neg not bt bsf bsr call jmp movaps movups movdqa movdqu movq movd pxor por paddd shufps addsd mulsd divsd".split())


def objdump_rows(path):
    """address: (length, text) for all of the code."""
    rows, last = {}, None
    for line in output("objdump", "-d", "-w", "-M", "intel", path).splitlines():
        m = re.match(r"\s*([0-9a-f]+):\t([0-9a-f ]+?)\s*\t(.*)$", line)
        if m:
            last = int(m[1], 16)
            rows[last] = (len(m[2].split()), m[3])
    return rows


def memory_text(text):
    m = re.search(r"\[([^\]]*)\]", text)
    if not m:
        return None
    plain = re.sub(r"\+0x(f{8}[0-9a-f]{8})$", lambda n: f"-{(1 << 64) - int(n[1], 16):#x}", m[1].replace(" ", "").lower())
    return re.sub(r"\+0x0$", "", plain)


def operands(text):
    text = re.sub(r"\s*#.*|\s*<.*>", "", text.lower()).replace("ptr ", "")
    text = re.sub(r"\b(byte|word|dword|qword|xmmword|ymmword) ", "", text)
    return re.sub(r"\+0x0\]", "]", re.sub(r"\s*,\s*", ",", text.split(" ", 1)[1].strip() if " " in text else ""))


def compare(address, kinds, target, ours, theirs, count):
    """One instruction; raises on a difference."""
    body = re.sub(r"^(?:(?:bnd|notrack|data16|cs|ds|es|ss|gs|fs|rex\S*) )+", "", theirs)
    words = body.split()
    mnemonic = next((w for w in words if w not in ("lock", "rep", "repz", "repnz", "xacquire", "xrelease")), "")
    kind = "c" if mnemonic.startswith("call") else "r" if mnemonic in ("ret", "iret", "retf") else "j" if mnemonic.startswith("jmp") else "b" if JUMPS.match(mnemonic) else "-"
    what = f"{address:#x} {ours!r} against {theirs!r}"
    assert kinds[0] == kind, f"control flow {kinds[0]}: {what}"
    # endbr64 and the like are hints in the space of nops, and xchg ax, ax is a nop of two bytes
    assert (kinds[1] == "n") == (mnemonic in ("nop", "fnop") or bool(re.match(r"xchg +(r?e?ax),\1$", body))), f"nop: {what}"
    assert (kinds[2] == "l") == ("lock" in words[:2]), f"lock: {what}"
    assert (kinds[6] == "p") == bool(re.match(r"rep(n?z)? (movs|stos|lods|scas|cmps|ins|outs)", body)), f"rep: {what}"
    direct = re.match(r"\S+ +(?:\S+ )?([0-9a-f]{3,})(?: <|$)", body) if kind in "cjb" else None
    assert (target is not None) == (direct is not None), f"direct: {what}"
    if direct:
        assert target == int(direct[1], 16), f"target {target:#x}: {what}"
    if kind == "-" and kinds[6] == "-" and not re.search(r"(movs|stos|lods|scas|cmps|outs|ins)[bwdq]? ", body) and mnemonic != "nop":
        mine, other = memory_text(ours), memory_text(body)
        if mine is not None and other is not None and "," not in other:
            assert mine == other, f"address [{mine}]: {what}"
            assert (kinds[5] == "i") == ("rip" in other) or mnemonic == "lea", f"rip: {what}"
            count["memory"] += 1
    if mnemonic in ALIKE and ours.split(" ")[0] == mnemonic and kind == "-":
        mine, other = operands(ours), operands(body)
        if not re.search(r"0x[89a-f][0-9a-f]{7,}|0xf{2,}|[cdefgs]s:", mine + other):
            assert mine == other, f"operands {mine!r}, expected {other!r}: {what}"
            count["operands"] += 1


def instructions(path):
    theirs, count, seen = objdump_rows(path), {"memory": 0, "operands": 0}, 0
    for row in walk(path, "code=1")["i"]:
        address, size, kinds, rest = row.split(" ", 3)
        target = None
        if rest.startswith(">"):
            there, rest = rest.split(" ", 1)
            target = int(there[1:], 16)
        address = int(address, 16)
        if address not in theirs or "(bad)" in theirs[address][1]:
            continue  # data between functions, or objdump went on from a byte that is not an instruction
        assert theirs[address][0] == int(size), f"{address:#x} {rest!r} has {size} bytes, {theirs[address]}"
        compare(address, kinds, target, rest, theirs[address][1], count)
        seen += 1
    assert seen > 0.9 * len(theirs) and count["memory"] > 0.1 * seen and count["operands"] > 0.2 * seen, f"compared {seen} of {len(theirs)}, {count}"


def addr2line(path, addresses):
    """[(file, line)]; line 0: unknown."""
    done = subprocess.run(["addr2line", "-e", path], input="\n".join(f"{a:#x}" for a in addresses) + "\n", check=True, stdout=subprocess.PIPE, text=True).stdout
    return [(f, int(n) if n.isdigit() else 0) for f, n in (re.sub(r" \(discriminator \d+\)", "", line).rsplit(":", 1) for line in done.splitlines())]


def compare_lines(rows, debug, at_least, others=0.0):
    head, *rest = rows
    assert head == "lines 1", head
    assert "the older functions differ" not in rest
    parsed = [r.split(" ", 3) for r in rest]
    truth = addr2line(debug, [int(p[0], 16) for p in parsed])
    known = other = 0
    for (address, line, _, file), (true_file, true_line) in zip(parsed, truth):
        if not true_line or true_file == "??":
            continue
        assert int(line) == true_line, f"0x{address}: {file}:{line}, expected {true_file}:{true_line}"
        known += 1
        other += os.path.basename(file) != os.path.basename(true_file)
    assert known >= at_least, f"only {known} places known"
    # In routines that come from a header addr2line may name the unit's file with the header's line (gdb does not).
    assert other <= known * others, f"{other} of {known} in other files than addr2line says"


def lines_program(name, flags):
    folder = os.path.join(api.OUT, "lines")
    os.makedirs(folder, exist_ok=True)
    out = os.path.join(folder, name)
    subprocess.run(["gcc", "-O1", *flags, *(os.path.join(HERE, "lines", f) for f in ("first.c", "second.c")), "-o", out], check=True)
    return out


def lines(flags):
    """The program itself, running and opened; then stripped, with its debug data in a file of its own that a link names."""
    name = "-".join(f.strip("-") for f in flags)
    program = lines_program(name, flags)
    full = program + ".full"
    os.replace(program, full)
    subprocess.run(["cp", full, program], check=True)
    compare_lines(tool("source", [], (program,)), full, 40)
    compare_lines(tool("source", [f"file={program}"]), full, 40)
    subprocess.run(["objcopy", "--only-keep-debug", full, program + ".debug"], check=True)
    subprocess.run(["objcopy", "--strip-all", f"--add-gnu-debuglink={program}.debug", full, program], check=True)
    compare_lines(tool("source", [], (program,)), full, 40)
    os.unlink(program + ".debug")
    assert tool("source", [], (program,))[0] == "lines 0", "lines without debug data"


def lines_by_build_id(path):
    """A library of the system whose debug data is installed."""
    debug = debug_file(path)
    if not debug:
        raise Skip("its debug data is not installed (libc6-dbg)")
    compare_lines(tool("source", [f"file={path}", "step=50"]), debug, 1000, 0.05)


def big_program(folder):
    """200 MB of debug data: one unit of types, functions and macros, linked many times."""
    os.makedirs(folder, exist_ok=True)
    out = os.path.join(folder, "program")
    if os.path.exists(out):
        return out
    text = []
    for i in range(2500):
        text.append(f"struct s{i} {{ " + " ".join(f"int member_{i}_{j};" for j in range(25)) + " };")
        text.append(f"int function_{i}(struct s{i} *p);\nint function_{i}(struct s{i} *p) {{ int sum = 0; for (int k = 0; k < p->member_{i}_1; k++) sum += p->member_{i}_{i % 25} * k; return sum; }}")
    text += [f"#define MACRO_NUMBER_{i} (some_value_{i} + {i})" for i in range(20000)]
    for name, lines_of in (("unit.c", text), ("main.c", ["", "", "int main(void) { return 0; }"])):
        with open(os.path.join(folder, name), "w") as f:
            f.write("\n".join(lines_of) + "\n")
    subprocess.run(["gcc", "-g3", "-c", "unit.c", "-o", "unit.o"], cwd=folder, check=True)
    subprocess.run(["gcc", "-g", "main.c", *["unit.o"] * 140, "-Wl,-z,muldefs", "-o", "program.new"], cwd=folder, check=True)
    os.replace(os.path.join(folder, "program.new"), out)
    return out


def split(path):
    """A program with a segment far from the others: two regions, and the image's high address is the first one's, because other images may be between them."""
    source = path + ".S"
    with open(source, "w") as f:
        f.write('.globl _start\n_start: nop\n.section .far,"aw"\n.quad 1\n.section .note.GNU-stack,"",@progbits\n')
    subprocess.run(["gcc", "-nostdlib", "-static", "-no-pie", "-Wl,--section-start=.far=0xf000000", source, "-o", path], check=True)
    rows = walk(path)
    high = int(re.search(r" high (\w+) ", rows["m"][0])[1], 16)
    regions = [tuple(int(x, 16) for x in row.split()) for row in rows["g"]]
    assert len(regions) == 2 and regions[1] == (0xf000000, 0xf000007), f"regions: {regions}"
    assert high == regions[0][1], f"high address {high:#x}, regions {regions}"


def laziness(folder):
    """What has not been asked for has not been read: counted in resident pages, not in time."""
    program = big_program(folder)
    debug = sum(int(m[1]) for m in re.finditer(r"^\.debug\S+ +(\d+)", output("size", "-A", program), re.M))
    assert debug > 200e6, f"only {debug} bytes of debug data"
    loaded, routine, line = tool("lazy", [], (program,))
    assert int(loaded.split()[1]) < 2000, f"{loaded} KB read before the first image callback"
    assert routine.startswith("main ") and int(routine.split()[1]) < 40000, f"{routine} KB read for a symbol"
    assert line.startswith("line 3 of main.c ") and int(line.split()[-1]) < 100000, f"{line} KB read for a line"


def outcome(function, path):
    """(kind, why)"""
    try:
        function(path)
        return "pass", ""
    except Skip as e:
        return "skip", str(e)
    except AssertionError as e:
        return "FAIL", str(e)
    except (subprocess.SubprocessError, OSError, KeyError, IndexError, ValueError) as e:
        return "FAIL", f"{type(e).__name__}: {e}"


def all_cases():
    """[(name, function, argument)]"""
    cases = [(f"{function.__name__} of {name}", function, path) for name, path in FILES.items() for function in (sections, symbols, routines, instructions)]
    cases += [(f"lines of {' '.join(flags)}", lines, flags) for flags in (["-gdwarf-4"], ["-gdwarf-5"], ["-gdwarf-5", "-no-pie"], ["-gdwarf-4", "-gz"])]
    cases += [("laziness with 200 MB of debug data", laziness, os.path.join(api.OUT, "lazy"))]
    cases += [("lines of libc by its build id", lines_by_build_id, FILES["libc"])]
    return cases + [("a split image", split, os.path.join(api.OUT, "split"))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true", help="as all suites have it; nothing is left out")
    parser.add_argument("names", nargs="*")
    opt = parser.parse_args()
    os.makedirs(api.CALLS, exist_ok=True)
    cases = all_cases()
    idle = [n for n in opt.names if not any(n in name for name, _, _ in cases)]
    if idle:
        parser.error(f"no case has {' or '.join(idle)} in its name")
    count = {"pass": 0, "FAIL": 0, "skip": 0}
    for name, function, path in cases:
        if opt.names and not any(n in name for n in opt.names):
            continue
        kind, why = outcome(function, path)
        count[kind] += 1
        if why:
            print(f"{kind} {name}: {why}", flush=True)
    print(f"{count['pass']} passed, {count['FAIL']} failed" + (f", {count['skip']} skipped" if count["skip"] else ""))
    return 1 if count["FAIL"] else 0


if __name__ == "__main__":
    sys.exit(main())
