#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real programs whose allocations a tool counts (tools/heap.cpp), once by calls inserted at the C library's functions and once by
replacing them: output and status must be the native ones, both counts must be the same for every process, and the same as
breakpoints count natively (alloccount.c). The last line is `N passed, N failed`, with `, N skipped` when a program is missing."""
import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import building  # noqa: E402
import watch  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
LINCHPIN = os.environ.get("LINCHPIN", os.path.join(BUILD, "bin", "linchpin"))
OUT = os.path.join(BUILD, "tests", "api")
ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
ADDR_NO_RANDOMIZE = 0x0040000  # of personality(2)
TIMEOUT = 120

PYTHON = """
import _thread, json, os, re
text = json.dumps({i: [str(i)] * 5 for i in range(3000)})
print(len(text), len(re.findall('7+', text)), json.loads(text)['77'])
done, running = [], []
def work(n):
    running.append(_thread.get_native_id())
    try:
        done.append(sum(len(str(i)) for i in range(n)))
        raise ValueError(n)
    except ValueError:
        pass
for n in range(4): # one after the other: how threads share memory is not the same every time
    running.clear()
    _thread.start_new_thread(work, (500 * n,)) # threading's start allocates where the thread is slow
    while not running:
        pass
    while os.access(f'/proc/self/task/{running[0]}', os.F_OK): # what it frees at its end is counted, too
        pass
print(done)
try:
    bytearray(1 << 62)
except MemoryError:
    print('no memory')
"""
SQL = """create table t(a integer, b text);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 3000) insert into t select x, hex(x * x) from c;
create index i on t(b);
select count(*), sum(length(b)) from t where b like '%31%';
select b, count(*) from t group by b order by 2 desc, 1 limit 5;
"""
SOURCE = "#include <stdio.h>\nint main(int argc, char **argv) { for (int i = 0; i < argc; i++) printf(\"%s\\n\", argv[i]); return 0; }\n"
CASES = [
    ("ls", ["ls", "-lR", os.path.join(ROOT, "include"), os.path.join(ROOT, "src")], None),
    ("python3", ["python3", "-S", "-c", PYTHON], None),
    ("gcc", ["gcc", "-O1", "-S", "-x", "c", "-", "-o", "-"], SOURCE),
    ("sqlite3", ["sqlite3", ":memory:"], SQL),
    ("sort", ["sort", "-r", "--parallel=1"], "".join(f"{i * 7919 % 10007}\n" for i in range(5000))),
]


def run(command, text):
    done = watch.run(command, TIMEOUT, input=text, env=ENV, cwd="/")
    return done.returncode, done.stdout, done.stderr


def counts(path):
    """What each process has counted, without order."""
    with open(path) as f:
        return sorted(f.read().splitlines())


class Skip(Exception):
    pass


def counted_natively(command, text, native):
    """The lines of alloccount, for a run that does what a native run does."""
    libc = os.path.realpath("/lib/x86_64-linux-gnu/libc.so.6")
    symbols = subprocess.run(["nm", "-D", "--defined-only", libc], check=True, capture_output=True, text=True).stdout
    places = [re.search(rf"^0*([0-9a-f]+) [TWi] {name}@@", symbols, re.M)[1] for name in ("malloc", "calloc", "realloc", "free")]
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "counts")
        got = run([os.path.join(OUT, "alloccount"), out, *places, *command], text)
        if got[0] == 125:
            raise Skip(got[2].strip())
        assert got == native, f"alloccount: status {got[0]}, natively {native[0]}; {got[2][-300:]!r}"
        return counts(out)


def check(command, text, tool):
    """What is wrong, or None."""
    native = run(command, text)
    seen, wanted = [], counted_natively(command, text, native)
    for mode in ("trace", "replace"):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "counts")
            got = run([LINCHPIN, "-follow_execv", "-t", tool, "-set", f"mode={mode}", "-set", f"out={out}", "--"] + command, text)
            if got != native:
                return f"{mode}: status {got[0]}, natively {native[0]}; {got[2][-300:]!r}"
            seen.append(counts(out))
    for what, got, expected in (("trace and replace", *seen), ("trace and native", [re.sub(r" results \d+$", "", line) for line in seen[0]], wanted)):
        if got != expected:
            return f"counts differ, {what}: {sorted(set(got) - set(expected))} | {sorted(set(expected) - set(got))}"
    return None if seen[0] else "nothing was counted"


def main():
    filters = [word for word in sys.argv[1:] if word != "--short"]  # there is one form only
    idle = set(filters) - {name for name, _, _ in CASES}
    if idle:
        print(f"programs.py: no case {', '.join(sorted(idle))}", file=sys.stderr)
        return 2
    tool = os.path.join(OUT, "heap.so")
    os.makedirs(OUT, exist_ok=True)
    counter = os.path.join(OUT, "alloccount")
    error = building.whole(tool, [LINCHPIN, "cc", os.path.join(HERE, "tools", "heap.cpp"), "-o", tool]) \
        or building.whole(counter, ["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra", os.path.join(HERE, "alloccount.c"), "-o", counter])
    if error:
        sys.exit(error)
    ctypes.CDLL(None).personality(ADDR_NO_RANDOMIZE)  # what cc1 allocates depends on its addresses
    passed = failed = skipped = 0
    for name, command, text in CASES:
        if filters and name not in filters:
            continue
        try:
            if not shutil.which(command[0], path=ENV["PATH"]):
                raise Skip(f"no {command[0]} here")
            bad = check(command, text, tool)
        except Skip as why:
            skipped += 1
            print(f"skip {name}: {why}", flush=True)
            continue
        except AssertionError as e:
            bad = str(e)
        except subprocess.TimeoutExpired as e:
            bad = e.stderr.decode(errors="replace")
        passed, failed = passed + (not bad), failed + bool(bad)
        if bad:
            print(f"FAIL {name}: {bad}", flush=True)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
