# SPDX-License-Identifier: Apache-2.0
"""What the tests of the bundled tools share: guests and how they are built, runs of tools, and the independent sources."""
import bisect
import collections
import functools
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import watch  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
LINCHPIN = os.environ.get("LINCHPIN", os.path.join(BUILD, "bin", "linchpin"))
OUT = os.path.join(BUILD, "tests", "tools")
CALLS = os.path.join(BUILD, "tests", "api", "calls", "tools")  # which functions the tools have called: for tests/api/checklist.py
TOOLS = sorted(os.path.basename(f)[:-4] for f in glob.glob(os.path.join(ROOT, "tools", "*.cpp")))
PROBED = [t for t in TOOLS if "PIN_StartProgramProbed" in open(os.path.join(ROOT, "tools", t + ".cpp")).read()]
# Valgrind refuses rseq, so libc takes another way under it; told not to use it, libc takes the same way everywhere.
ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "GLIBC_TUNABLES": "glibc.pthread.rseq=0"}

WARN = ["-Wall", "-Wextra", "-Werror"]
BARE = ["-nostdlib", "-static", "-O1", "-fno-stack-protector", "-fcf-protection=none", "-fno-tree-loop-distribute-patterns"]
GUESTS = {
    "stepcount": ["stepcount.c", "-O2", "-D_GNU_SOURCE"],
    "counted": ["counted.S", "-nostdlib", "-static"],
    "sorted": ["sorted.c"] + BARE,
    "sorted-lines": ["sorted.c", "-g"] + BARE,
    "ends": ["ends.c", "-O1", "-D_GNU_SOURCE", "-pthread"],
    "deaths": ["deaths.c", "-O1", "-g", "-D_GNU_SOURCE", "-pthread"],
    "deaths-static": ["deaths.c", "-O1", "-g", "-D_GNU_SOURCE", "-pthread", "-static"],
    "forking": ["forking.c", "-O1", "-pthread"],
    "sorted-frames": ["sorted.c", "-g", "-Wl,--eh-frame-hdr"] + BARE,
    "sharing": ["sharing.c", "-O1", "-pthread"],
    "calls": ["calls.c", "-O1", "-pthread"],
    "crowd": ["crowd.c", "-O1", "-pthread"],
    "blocks": ["blocks.c", "-O1", "-fno-builtin"],
    "blocks-static": ["blocks.c", "-O1", "-fno-builtin", "-static"],
    "blocks-fixed": ["blocks.c", "-O1", "-fno-builtin", "-no-pie"],
    "patch": ["patch.c", "-O1"],
    "marks": ["marks.S", "-nostdlib", "-static"],
    "locks": ["locks.c", "-O1", "-g", "-D_GNU_SOURCE", "-pthread"],
    "racy": ["racy.c", "-O1", "-g", "-D_GNU_SOURCE", "-pthread"],
    "flows": ["flows.c", "-O1", "-g"],
    "kinds": ["kinds.c", "-O1", "-D_GNU_SOURCE"],
    "names": ["names.c", "-O1", "-D_GNU_SOURCE"],
    "passes": ["passes.c", "-O1", "-D_GNU_SOURCE"],
    "closer": ["closer.c", "-O1", "-pthread"],
    "heapfaults": ["heapfaults.c", "-O1", "-g", "-D_GNU_SOURCE", "-fno-builtin", "-pthread"],
    "heapfaults-cpp": ["heapfaults.cpp", "-O1", "-g", "-lstdc++"],
    "heapends": ["heapends.c", "-O1", "-g", "-D_GNU_SOURCE", "-Wno-unused-result"],
    "wrapped": ["wrapped.cpp", "-O0", "-g", "-pthread", "-w", "-lstdc++"],
    "wrapped-static": ["wrapped.cpp", "-O0", "-g", "-pthread", "-w", "-static", "-lstdc++"],
    "timed": ["timed.c", "-O1", "-g", "-D_GNU_SOURCE"],
    "waits": ["waits.c", "-O1", "-g", "-D_GNU_SOURCE", "-pthread"],
    "walks": ["walks.c", "-O1", "-g", "-pthread"],
    "covered": ["covered.c", "-O0", "-g"],
    "covered-gcov": ["covered.c", "-O0", "-g", "--coverage"],
    "meals": ["meals.c", "-O1", "-fno-inline"],
}
ADDR_NO_RANDOMIZE = 0x0040000  # of personality(2)


class Skip(Exception):
    pass


def guest(name):
    return os.path.join(OUT, name)


def build():
    os.makedirs(OUT, exist_ok=True)
    for name, (source, *flags) in GUESTS.items():
        subprocess.run(["gcc", *WARN, os.path.join(HERE, source), *flags, "-o", guest(name)], check=True)
    for name in ("control", "hungry", "opener"):
        subprocess.run([LINCHPIN, "cc", *WARN, os.path.join(HERE, name + ".cpp"), "-o", guest(name + ".so")], check=True)


def native(command):
    """The output of an independent source, which must have come to its end."""
    got = run(command)
    assert got.returncode == 0, f"{command[0]}: status {got.returncode}, {got.stderr[-300:]!r}"
    return got


def run(command, **more):
    more.setdefault("input", "")
    return watch.run(command, 300, env=ENV, **more)


def need(program):
    if not shutil.which(program):
        raise Skip(program + " is missing")


def equal(what, got, expected):
    assert got == expected, f"{what}: {got!r}, expected {expected!r}"


def tool(words, command, status=0, expect_out="", stdin=""):
    """The tool's results on a program, which must do what it does natively (expect_out None: print anything)."""
    with tempfile.TemporaryDirectory() as d:
        results = os.path.join(d, "results")
        name, *options = words.split()
        got = run([LINCHPIN, "-api_calls", CALLS, "-t", name, *options, "-o", results, "--", *command], input=stdin)
        assert (got.returncode, got.stdout, got.stderr) == (status, got.stdout if expect_out is None else expect_out, ""), f"{words} -- {' '.join(command)}: status {got.returncode}, {got.stdout[-200:]!r} {got.stderr[-500:]!r}"
        with open(results) as f:
            return f.read()


def field(text, pattern):
    m = re.search(pattern, text, re.M)
    assert m, f"no {pattern!r} in {text[-400:]!r}"
    return tuple(map(int, m.groups())) if len(m.groups()) > 1 else int(m.group(1))


def table(text):
    """The rows of a mix: name and number."""
    return {m[1]: int(m[2]) for m in re.finditer(r"^(\S+) +(\d+) +[\d.]+%$", text, re.M)}


@functools.lru_cache(None)
def steps(name):
    """Each iteration of a repeated string instruction is one, as tools see it."""
    return field(native([guest("stepcount"), guest(name)]).stderr, r"^steps: (\d+)$")


@functools.lru_cache(None)
def stepped_addresses(name):
    return tuple(native([guest("stepcount"), "-trace", guest(name)]).stdout.split())


@functools.lru_cache(None)
def lackey_accesses(name):
    """(R, W or M, address, bytes) of every access."""
    need("valgrind")
    with tempfile.NamedTemporaryFile("r") as log:
        native(["valgrind", "--tool=lackey", "--trace-mem=yes", "--log-file=" + log.name, guest(name)])
        kinds = {"L": "R", "S": "W", "M": "M"}
        return tuple((kinds[m[1]], int(m[2], 16), int(m[3])) for m in re.finditer(r"^ ([LSM]) ([0-9a-f]+),(\d+)$", log.read(), re.M))


@functools.lru_cache(None)
def disassembled(name):
    """{address: (what it is, address of the next one)}"""
    code = {}
    for m in re.finditer(r"^ *([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\t?(\w*)", run(["objdump", "-d", guest(name)]).stdout, re.M):
        code[int(m[1], 16)] = (m[3], int(m[1], 16) + len(m[2].split()))
    return code


def groups(text):
    """The tables of a mix -by something, which come after the head: its name, and the rows."""
    return {part.split("\n", 1)[0]: table(part) for part in text.strip().split("\n\n")[1:]}


def routine_sizes(name):
    rows = [line.split() for line in run(["nm", "-n", guest(name)]).stdout.splitlines()]
    return [(int(r[0], 16), r[2]) for r in rows if r[1] in "tT"]


def steps_by_routine(name):
    starts = routine_sizes(name)
    count = collections.Counter()
    for a in stepped_addresses(name):
        count[starts[bisect.bisect([s for s, _ in starts], int(a, 16)) - 1][1]] += 1
    return count


@functools.lru_cache(None)
def callgrind(name):
    """(calls by (caller, callee), instructions of each function, the same with all it called; the last not for recursive ones)"""
    need("valgrind")
    with tempfile.NamedTemporaryFile("r") as f:
        run(["valgrind", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no", "--callgrind-out-file=" + f.name, guest(name)])
        calls, own, whole = collections.Counter(), collections.Counter(), collections.Counter()
        caller = callee = None
        for line in f.read().splitlines():
            if line.startswith("fn="):
                caller = line[3:].split("'")[0]  # name'2: a recursive call
            elif line.startswith("cfn="):
                callee = line[4:].split("'")[0]
            elif line.startswith("calls="):
                calls[caller, callee] += int(line[6:].split()[0])
            elif re.fullmatch(r"[+*-]?\d+ \d+", line) and caller:
                whole[caller] += int(line.split()[1])
                own[caller] += 0 if callee else int(line.split()[1])
                callee = None
    return calls, own, whole
