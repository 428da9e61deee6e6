#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ELF fuzzer: damaged programs, shared objects and scripts, natively and under Linchpin, must do the same.

    fuzz_elf.py                    until stopped, fresh seeds; stops after --max-failures differences, or with --minutes N or --files N
    fuzz_elf.py --short            fixed seed, 150 files; the last line is `N passed, N failed`
    fuzz_elf.py --seed S [--files N] [--mode M ...]
    fuzz_elf.py --seed S --case N [--mode M]     one file: shrink its damages and show it (--keep PATH: the file, too)

A file is one of BASES with one to three damages (elf_mutate.py). It runs natively twice (what differs there is counted apart, `unsteady`) and under the engine in each of MODES, all of it in throw-away
namespaces (sys_nest), without address randomisation. Compared:
  - a program that runs: how it ends, standard output, standard error
  - one that execve refuses: status 126 or 127 and one message of linchpin, and nothing else on standard error
  - one that the kernel kills while it loads it: the same end, or a refusal with a message that names the damage
Exit status: 0 all the same, 1 differences, 2 usage, 77 no namespaces here.
"""
import argparse
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir, os.pardir)]
import elf_mutate  # noqa: E402
import watch  # noqa: E402

ROOT = os.path.abspath(os.path.join(HERE, os.pardir, os.pardir, os.pardir))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
LINCHPIN = os.environ.get("LINCHPIN", os.path.join(BUILD, "bin", "linchpin"))
OUT = os.path.join(BUILD, "tests", "fuzz", "elf")
NEST = os.path.join(BUILD, "tests", "fuzz", "sys", "sys_nest")
FOLDER = os.path.join(OUT, "folder")
UNABLE = 125  # of sys_nest
BASES = {  # name: (compiler, source, flags); each but `plugin` and `script` runs by itself
    "bare": ("gcc", "bare.S", ["-nostdlib", "-static"]),
    "barepie": ("gcc", "bare.S", ["-nostdlib", "-static-pie"]),
    "static": ("gcc", "base.c", ["-static"]),
    "staticpie": ("gcc", "base.c", ["-static-pie"]),
    "pie": ("gcc", "base.c", []),
    "nopie": ("gcc", "base.c", ["-no-pie"]),
    "bss": ("gcc", "base.c", ["-DBSS=67108864"]),
    "align": ("gcc", "base.c", ["-Wl,-z,max-page-size=0x200000", "-Wl,-z,noseparate-code"]),
    "oddalign": ("gcc", "base.c", ["-no-pie", "-Wl,-z,max-page-size=0x10000", "-Wl,--section-start=.odd=0x500123"]),
    "compressed": ("gcc", "base.c", ["-gz", "-Wl,--build-id=sha1", "-Wl,--hash-style=sysv"]),
    "musl": ("musl-gcc", "base.c", []),
    "muslstatic": ("musl-gcc", "base.c", ["-static"]),
    "host": ("gcc", "base.c", ["-DHOST"]),
    "plugin": ("gcc", "base.c", ["-DPLUGIN", "-shared", "-fPIC"]),
}
DAMAGED = [name for name in BASES if name != "host"] + ["script"]
TOOLS = ["proccount", "calltrace", "coverage"]
MODES = {"ptrace": ["-injection", "ptrace"], "inproc": ["-injection", "inprocess"], **{t: ["-t", t, "-o", "/dev/null"] for t in TOOLS}}
SHORT_FILES = 150
FOUND = [(306483338313, 505)]  # seed, case: no room for stubs within reach of the tool's libraries
CPU_SECONDS, WAIT_SECONDS = 20, 300
DAMAGES = 3
CACHE_FROM, CACHE_TO = 0x7ffff7fff000, 0x7fffff000000  # without randomisation: behind ld.so, in front of the stack
LOW_MEMORY = "below 2 GiB in the program's address space"  # a program that leaves nothing there is refused: docs/limits.md


# --- files ---------------------------------------------------------------------------------------------------------------

def build():
    """The undamaged files, where they are out of date."""
    os.makedirs(FOLDER, exist_ok=True)
    for name, (compiler, source, flags) in BASES.items():
        out, source = os.path.join(OUT, name), os.path.join(HERE, source)
        if not shutil.which(compiler):
            print("skip %s: no %s here" % (name, compiler))
        elif not os.path.exists(out) or os.path.getmtime(out) < max(os.path.getmtime(source), os.path.getmtime(__file__)):
            subprocess.run([compiler, "-g", "-O1", source, "-o", out + ".new"] + flags, check=True)
            os.replace(out + ".new", out)


class File:
    """A damaged file, in the working directory."""

    def __init__(self, seed, number, skip=()):
        rng = random.Random(seed * 1000003 + number)
        names = [n for n in DAMAGED if n == "script" or os.path.exists(os.path.join(OUT, n))]
        self.base = rng.choice(names)
        if self.base == "script":
            data = b"#!" + os.path.join(OUT, "bare").encode() + b" argument\nrest\n"
            self.data, self.done = elf_mutate.damage_text(rng, data, skip)
        else:
            with open(os.path.join(OUT, self.base), "rb") as f:
                self.data, self.done = elf_mutate.damage_elf(rng, f.read(), skip)
        self.path = os.path.abspath("damaged")

    def write(self):
        if os.path.exists(self.path):
            os.unlink(self.path)  # another inode: what is known of the old one is not of this
        with open(self.path, "wb") as f:
            f.write(self.data)
        os.chmod(self.path, 0o755)

    def command(self):
        return [os.path.join(OUT, "host"), self.path, "x"] if self.base == "plugin" else [self.path, "word", "x"]


# --- runs ------------------------------------------------------------------------------------------------------------------

class Result:
    """How a run ended: refused by execve (errno), or a status with its outputs."""

    def __init__(self, status, out="", err="", errno=0):
        self.status, self.out, self.err, self.errno = status, out, err, errno

    def key(self):
        return self.status, self.out, self.err, self.errno

    def __str__(self):
        if self.errno:
            return "execve: %s" % os.strerror(self.errno)
        how = "timeout" if self.status is None else signal.Signals(-self.status).name if self.status < 0 else "status %d" % self.status
        return "%s, stdout %r, stderr %r" % (how, self.out[:200], self.err[:600])


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))


def run(command):
    try:
        p = watch.run(command, WAIT_SECONDS, encoding="latin-1", preexec_fn=limits, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"})
        return Result(p.returncode, p.stdout, p.stderr)
    except subprocess.TimeoutExpired as e:
        return Result(None, "", (e.stderr or b"").decode(errors="replace"))
    except OSError as e:
        return Result(None, errno=e.errno)


def one_message(result):
    """Is it a refusal of linchpin's, in words?"""
    return result.status in (126, 127) and not result.out and result.err.startswith("linchpin: ") and result.err.count("\n") == 1


def agrees(native, got):
    if native.errno:
        return one_message(got)
    if got.status == 1 and LOW_MEMORY in got.err and got.err.count("\n") == 1:
        Count.low += 1
        return True
    killed = native.status in (-signal.SIGSEGV, -signal.SIGKILL) and not native.out and not native.err
    return native.key() == got.key() or (killed and one_message(got))


def under(mode, file):
    """As execve would: execvp has a shell run what has no format."""
    return run([LINCHPIN, "-exec-path", file.command()[0]] + MODES[mode] + ["--"] + file.command())


def fault_address(file):
    """Where the native run faults, as gdb sees it; None: it does not say."""
    p = run(["gdb", "-q", "-batch", "-ex", "set auto-solib-add off", "-ex", "run", "-ex", "print/x (long)$_siginfo._sifields._sigfault.si_addr", "--args"] + file.command())
    found = re.findall(r"^\$1 = (0x[0-9a-f]+)", p.out, re.M)
    return int(found[-1], 16) if found else None


def same(mode, file, native):
    """Does it do the same there? A wild access that natively faults may hit the code cache, which lies between the libraries and the stack (docs/limits.md)."""
    if agrees(native, under(mode, file)):
        return True
    address = fault_address(file) if native.status == -signal.SIGSEGV else None
    wild = address is not None and CACHE_FROM <= address < CACHE_TO
    Count.wild += wild
    return wild


# --- differences ---------------------------------------------------------------------------------------------------------------

class Count:
    passed = failed = unsteady = refused = low = wild = 0


def native_twice(file):
    first, second = run(file.command()), run(file.command())
    return first if first.key() == second.key() and first.status != -signal.SIGXCPU else None


def shrink(seed, number, mode):
    """The numbers of the damages that it does not need."""
    skip = set()
    for n in range(DAMAGES):
        file = File(seed, number, skip | {n})
        file.write()
        native = native_twice(file)
        if file.done and native and not same(mode, file, native):
            skip.add(n)
    return skip


def show(seed, number, mode, keep):
    skip = shrink(seed, number, mode)
    file = File(seed, number, skip)
    file.write()
    print("  reproduce: tests/fuzz/elf/fuzz_elf.py --seed %d --case %d --mode %s" % (seed, number, mode))
    for _, text in file.done:
        print("  %s: %s" % (file.base, text))
    print("  native %s\n  %-6s %s" % (run(file.command()), mode, under(mode, file)), flush=True)
    if keep:
        sys.stdout.flush()
        os.write(int(keep), file.data)


def check(seed, number, modes, args):
    """One file in all its modes, counted and shown."""
    file = File(seed, number)
    file.write()
    native = native_twice(file)
    if native is None:
        Count.unsteady += 1
        return
    Count.refused += native.errno != 0
    for mode in modes:
        if not same(mode, file, native):
            Count.failed += 1
            print("DIFFERENCE seed %d case %d mode %s (%s)" % (seed, number, mode, file.base))
            show(seed, number, mode, args.keep_fd)
            return
    Count.passed += 1


# --- the whole --------------------------------------------------------------------------------------------------------------------

def modes_for(args, number):
    """Both ways in, and one of the tools."""
    return args.mode or ["ptrace", "inproc", TOOLS[number % len(TOOLS)]]


def plan(args):
    if args.case is not None:
        yield args.seed, args.case
        return
    begin = time.monotonic()
    seed = 2000 if args.short else args.seed if args.seed is not None else random.SystemRandom().randrange(1 << 40)
    files = SHORT_FILES if args.short else args.files or (1 << 40)
    print("seed %d" % seed, flush=True)
    for number in range(files):
        if args.minutes and time.monotonic() > begin + args.minutes * 60:
            return
        yield seed, number
    if args.short:
        yield from FOUND


def nested(args):
    """Inside of the namespaces, in an empty directory."""
    begin = time.monotonic()
    for seed, number in plan(args):
        check(seed, number, modes_for(args, number), args)
        if Count.failed >= args.max_failures:
            break
    print("%d refused by execve, %d unsteady natively; known differences: %d without room below 2 GiB, %d wild accesses to the cache; %.0f s" %
          (Count.refused, Count.unsteady, Count.low, Count.wild, time.monotonic() - begin))
    print("%d passed, %d failed" % (Count.passed, Count.failed))
    return 1 if Count.failed or (not Count.passed and args.case is None) else 0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--short", action="store_true")
    p.add_argument("--seed", type=int)
    p.add_argument("--case", type=int)
    p.add_argument("--files", type=int)
    p.add_argument("--minutes", type=float)
    p.add_argument("--mode", action="append", choices=list(MODES))
    p.add_argument("--max-failures", type=int, default=10)
    p.add_argument("--keep", metavar="PATH")
    p.add_argument("--keep-fd", help=argparse.SUPPRESS)
    p.add_argument("--nested", action="store_true", help=argparse.SUPPRESS)
    args = p.parse_args()
    if args.nested:
        return nested(args)
    if not os.path.exists(NEST):
        sys.exit("fuzz_elf.py: %s is missing: make fuzz-guest" % NEST)
    build()
    more = ["--nested"]
    if args.keep:
        fd = os.open(args.keep, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o755)
        os.set_inheritable(fd, True)
        more += ["--keep-fd", str(fd)]
    status = subprocess.call([NEST, FOLDER, sys.executable, "-B", "-u", os.path.abspath(__file__)] + sys.argv[1:] + more, close_fds=False)
    return 77 if status == UNABLE else status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
