#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of IA-32 programs under the engine (docs/design/ia32.md).

    run.py [--short] [FILTER]   builds guests with the cross compiler, then runs what matches the filter

Guests natively and under the engine in several modes, without a tool and with tools that call at every instruction: output and exit status must be
the same. The tool inscount counts the instructions of programs without libc: as many as the CPU's trap flag does natively (steps.c), with and without
the optimiser. Counts by opcode and the memory trace are compared with each other in the same way. Random instructions are compared (fuzz.py). Chains of programs of both word sizes are followed
with one tool. What cannot be done must be said. The last line is `N passed, N failed`, with `, N skipped` where the cross compiler or the libraries
of 32-bit programs are missing.
"""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import fuzz  # noqa: E402
import watch  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
HERE = os.path.join(ROOT, "tests", "ia32")
OUT = os.path.join(BUILD, "tests", "ia32")
LINCHPIN = os.path.join(BUILD, "bin", "linchpin")
CC = "i686-linux-gnu-gcc"
LOADER = "/lib/ld-linux.so.2"
ENV = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"}
BARE = ["-nostdlib", "-static", "-fno-builtin", "-O2", "-msse2", "-mfpmath=sse"]
LIBC = ["-O1", "-msse2", "-pthread"]

# Name, source, flags; counted: without libc, so that its instructions are the same natively; dynamic: it needs the machine's 32-bit loader.
GUESTS = [("code", "code.S", ["-nostdlib", "-static"]), ("work", "work.c", BARE), ("smc_static", "smc.c", LIBC + ["-static"]), ("smc", "smc.c", LIBC),
          ("signals", "signals.c", LIBC), ("signals_static", "signals.c", LIBC + ["-static"]), ("signals_fixed", "signals.c", LIBC + ["-no-pie"]),
          ("threads", "threads.c", LIBC), ("threads_static", "threads.c", LIBC + ["-static-pie"]), ("chain", "chain.c", LIBC), ("folder", "folder.c", LIBC), ("arguments", "arguments.c", LIBC + ["-g"]), ("arguments_static", "arguments.c", LIBC + ["-static"]), ("vdso", "vdso.c", LIBC), ("vdso_static", "vdso.c", LIBC + ["-static"]), ("calls", "calls.c", LIBC), ("calls_static", "calls.c", LIBC + ["-static"]), ("dies", "dies.c", LIBC), ("callers", "callers.c", LIBC + ["-static"]), ("stack", "stack.c", LIBC + ["-static", "-no-pie"])]
COUNTED = ["code", "work"]
OWN_TOOLS = ["bases", "callers", "kind", "addresses"]
NARROW_TOOLS = [("types", os.path.join(HERE, "types.cpp")), ("kind32", os.path.join(HERE, "kind.cpp"))]  # with the types of IA-32
TOOLS = ["everyins", "everylight", "everyaccess", "everyfill", "everyevent"]


def tool(name):
    return ["-t", os.path.join(OUT, name + ".so")]


MODES = {"plain": [], "tiny": ["-cc_memory_size", "256K"], "one": ["-trace_max_ins", "1"], "flush": ["-random_flush", "50"], "nolink": ["-no_link", "-no_join"],
         "tool": tool("everyins"), "fill": tool("everyfill")}
MORE_MODES = {"wx": ["-wx"], "light": tool("everylight"), "access": tool("everyaccess"), "live": ["-no_dead"] + tool("everyaccess"), "events": tool("everyevent"),
              "flushtool": ["-random_flush", "2000"] + tool("everyins"), "smallfill": tool("everyfill") + ["-few", "1"]}
COUNT_MODES = {"": [], "/calls": ["-no_inline"], "/each": ["-no_merge", "-no_spread"], "/flush": ["-random_flush", "7"], "/one": ["-trace_max_ins", "1"]}


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


def run(command):
    r = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", env=ENV, cwd=OUT,
                       timeout=watch.patience(120))
    return r.stdout, r.stderr, r.returncode


def build():
    os.makedirs(OUT, exist_ok=True)
    jobs = [([CC, "-Wall", "-Wextra"] + flags + [os.path.join(HERE, source), "-o", os.path.join(OUT, name)], os.path.join(HERE, source), name)
            for name, source, flags in GUESTS]
    jobs += [(["cc", "-O1", "-Wall", "-Wextra", os.path.join(HERE, source), "-o", os.path.join(OUT, name)], os.path.join(HERE, source), name)
             for name, source in (("steps", "steps.c"), ("chain64", "chain.c"))]
    jobs += [([LINCHPIN, "cc", os.path.join(ROOT, "tests", "api", "tools", name + ".cpp"), "-o", os.path.join(OUT, name + ".so")],
              os.path.join(ROOT, "tests", "api", "tools", name + ".cpp"), name + ".so") for name in TOOLS]
    jobs += [([LINCHPIN, "cc", os.path.join(HERE, name + ".cpp"), "-o", os.path.join(OUT, name + ".so")], os.path.join(HERE, name + ".cpp"), name + ".so")
             for name in OWN_TOOLS]
    jobs += [([LINCHPIN, "cc", "-m32", "-Wall", "-Wextra", "-Werror", source, "-o", os.path.join(OUT, name + ".so")], source, name + ".so") for name, source in NARROW_TOOLS]
    for command, source, name in jobs:
        made = os.path.join(OUT, name)
        if not os.path.exists(made) or os.path.getmtime(made) < max(os.path.getmtime(source), os.path.getmtime(__file__)):
            subprocess.run(command, check=True)


# --- guests -------------------------------------------------------------------------------------------------------------

DEAD = {"stack": ["fill", "smallfill", "access"]}  # its handlers look at registers, which have in these modes what the program does not need any more


def check_guest(tally, name, modes):
    native = run([os.path.join(OUT, name)])
    for mode, options in modes.items():
        if mode in DEAD.get(name, []):
            continue
        got = run([LINCHPIN] + options + ["--", os.path.join(OUT, name)])
        tally.check(f"{name}/{mode}", got == native, f"{got}, natively {native}")


# --- counts -------------------------------------------------------------------------------------------------------------

def result(tool_name, options, guest):
    """What the tool has written."""
    path = os.path.join(OUT, f"{guest}.{tool_name}")
    if os.path.exists(path):
        os.unlink(path)
    more = ["-top", "0"] if tool_name == "opcodemix" else []
    run([LINCHPIN] + options + ["-t", tool_name] + more + ["-o", path, "--", os.path.join(OUT, guest)])
    with open(path, errors="replace") if os.path.exists(path) else open(os.devnull) as f:
        return f.read()


def number(text, name):
    found = re.search(rf"^{name}: *(\d+)$", text, re.M)
    return int(found.group(1)) if found else None


def check_counts(tally, guest):
    out, errors, _ = run([os.path.join(OUT, "steps"), os.path.join(OUT, guest)])
    native = int(out.split()[-1]) if out.split() else None
    tally.check(f"{guest}/native", native and native > 100, f"{out} {errors}")
    for mode, options in COUNT_MODES.items():
        got = number(result("inscount", options, guest), "instructions")
        tally.check(f"{guest}/inscount{mode}", got == native, f"{got}, natively {native}")
    mix = result("opcodemix", [], guest)
    total = sum(int(n) for n in re.findall(r"^[A-Z]\w+ +(\d+) +[\d.]+%", mix, re.M))
    tally.check(f"{guest}/opcodemix", total == native, f"{total}, natively {native}: {mix[:300]}")
    accesses = [number(result("memtrace", options, guest), "accesses") for options in ([], ["-no_inline"], ["-random_flush", "7"])]
    tally.check(f"{guest}/memtrace", accesses[0] and len(set(accesses)) == 1, f"{accesses}")


# --- programs of both word sizes, and what is refused ------------------------------------------------------------------

def check_chain(tally):
    four, eight = os.path.join(OUT, "chain"), os.path.join(OUT, "chain64")
    for words in ([four, eight, four], [eight, four, eight, four, four]):
        native = run(words)
        out = [os.path.join(OUT, f"chain.{n}") for n in range(len(words))]
        got = run([LINCHPIN, "-follow_execv", "-t", "inscount", "-o", os.path.join(OUT, "chain.%p"), "--"] + words)
        files = [f for f in os.listdir(OUT) if re.fullmatch(r"chain\.\d+(\.\w+)*", f)]
        text = ""
        for f in files:
            with open(os.path.join(OUT, f)) as opened:
                text += opened.read()
            os.unlink(os.path.join(OUT, f))
        counts = len(re.findall(r"^instructions: \d{4,}$", text, re.M))
        tally.check(f"chain/{len(words)}", got[0] == native[0] and got[2] == native[2] and counts == len(words), f"{got}, natively {native}: {text} {out}")


def check_types(tally):
    """A tool with the types of IA-32: what it says of itself, and what it changes in the program."""
    for guest in ("arguments", "arguments_static"):
        for mode, options in {"": [], "/calls": ["-no_inline"], "/live": ["-no_dead", "-no_merge"], "/one": ["-trace_max_ins", "1"], "/flush": ["-random_flush", "7"]}.items():
            out, errors, status = run([LINCHPIN] + options + tool("types") + ["--", os.path.join(OUT, guest)])
            good = re.fullmatch(r"types: (\d+) good, 0 bad\n", errors)
            tally.check(f"types/{guest}{mode}", status == 0 and out == "321\n42007\n9\nwritten\n" and good and int(good[1]) >= 33, f"{status} {out} {errors}")


def check_two_tools(tally):
    """A tool for each kind of program, by -t32 and -t64, or by one of them and -t, as Pin has it."""
    four, eight = os.path.join(OUT, "chain"), os.path.join(OUT, "chain64")
    ours, theirs = os.path.join(OUT, "kind32.so"), os.path.join(OUT, "kind.so")
    chosen = re.compile(r"^kind: (\w+)", re.M)
    for name, options in {"both": ["-t32", ours, "-t64", theirs], "one": ["-t64", theirs, "-t", ours], "other": ["-t32", ours, "-t", theirs]}.items():
        out, errors, status = run([LINCHPIN, "-follow_execv"] + options + ["--", four, eight, four, eight])
        tally.check(f"two tools/{name}", status == 0 and chosen.findall(errors) == ["32", "64", "32", "64", "counted"], f"{status} {out} {errors}")
    out, errors, status = run([LINCHPIN, "-t64", theirs, "--", four])
    tally.check("two tools/none", status == 0 and out == "32 bits\n" and "runs without a tool" in errors and errors.count("\n") == 1, f"{status} {out} {errors}")
    out, errors, status = run([LINCHPIN, "-t", ours, "--", eight])
    tally.check("two tools/wrong", status == 1 and not out and "was built for IA-32 programs" in errors and errors.count("\n") == 1, f"{status} {out} {errors}")


def check_bases(tally):
    """The base of GS, where threads have their own data, by its name, in a context, and in addresses."""
    got = run([LINCHPIN] + tool("bases") + ["--", os.path.join(OUT, "threads_static")])
    words = re.search(r"^bases: (\d+) accesses, (\d+) bases, (\d+) wrong, gs:\[0x[0-9a-f]{1,8}\] only$", got[1], re.M)
    tally.check("bases", words and int(words[1]) > 100 and int(words[2]) > 2 and int(words[3]) == 0, got)


CALLERS = ["innermost middle main", "innermost middle with_frame main", "innermost middle with_frame compare msort_with_tmp.part.0 qsort_r qsort main",
           r"innermost middle handler __kernel_sigreturn __kernel_vsyscall .*raise main"]


def check_callers(tally):
    """PIN_Backtrace: through functions without frame pointers, a library, and the frame of a signal."""
    _, errors, status = run([LINCHPIN] + tool("callers") + ["--", os.path.join(OUT, "callers")])
    lines = [line for line in errors.splitlines() if line.startswith("callers:")]
    good = len(lines) == len(CALLERS) and all(re.fullmatch(f"callers: {want} .*__libc_start_main _start", line) for want, line in zip(CALLERS, lines))
    tally.check("backtrace", status == 0 and good, f"{status} {errors}")


def check_addresses(tally, guest):
    """Addresses of operands, as inlined code has them and as a call has them."""
    _, errors, _ = run([LINCHPIN] + tool("addresses") + ["--", os.path.join(OUT, guest)])
    words = re.search(r"^addresses: (\d+) compared, 0 differ$", errors, re.M)
    tally.check(f"{guest}/addresses", words and int(words[1]) > 100, errors)


REFUSED = [("record", ["record", "-o", "recording"], "not recorded"), ("ptrace", ["-injection", "ptrace"], "an IA-32 program"), ("debugger", ["-appdebug"], "no debugger"),
           ("probes", ["-probe", "-t", "inscount"], "not done for IA-32 programs"), ("heap", ["-t", "heapcheck"], "of IA-32 programs")]


def check_refusals(tally):
    for name, options, words in REFUSED:
        shutil.rmtree(os.path.join(OUT, "recording"), ignore_errors=True)
        _, errors, status = run([LINCHPIN] + options + ["--", os.path.join(OUT, "work")])
        tally.check(f"refusal/{name}", status == 1 and words in errors, f"{status} {errors}")
    run([CC, "-shared", "-nostdlib", os.path.join(HERE, "work.c"), "-o", os.path.join(OUT, "tool32.so")])
    for guest in ("work", "chain64"):
        _, errors, status = run([LINCHPIN, "-t", os.path.join(OUT, "tool32.so"), "--", os.path.join(OUT, guest)])
        tally.check(f"refusal/tool32/{guest}", status == 1 and "linchpin cc -m32" in errors, f"{status} {errors}")


def missing():
    subprocess.run([os.path.join(ROOT, "scripts", "deps"), "--soft", "ia32"], check=False)
    return [p for p in (CC,) if not shutil.which(p)] + [p for p in (LOADER,) if not os.path.exists(p)]


def main(args):
    short = "--short" in args
    rest = [a for a in args if not a.startswith("--")]
    modes = MODES if short else {**MODES, **MORE_MODES}
    absent = missing()
    if absent:
        print(f"skip ia32: {', '.join(absent)} cannot be had here")
        print(f"0 passed, 0 failed, {len(GUESTS) * len(modes)} skipped")
        return 0
    build()
    tally = Tally(rest[0] if rest else None)
    for name, _, _ in GUESTS:
        if tally.wants(name):
            check_guest(tally, name, modes if not short or name in ("code", "smc", "signals", "threads", "stack", "vdso", "dies") else {"plain": []})
    for guest in COUNTED:
        if tally.wants(guest) or tally.wants("count"):
            check_counts(tally, guest)
            check_addresses(tally, guest)
    if tally.wants("chain"):
        check_chain(tally)
    if tally.wants("types"):
        check_types(tally)
    if tally.wants("two tools"):
        check_two_tools(tally)
    if tally.wants("bases"):
        check_bases(tally)
    if tally.wants("backtrace"):
        check_callers(tally)
    if tally.wants("fuzz"):
        good, bad = fuzz.short()
        tally.passed, tally.failed = tally.passed + good, tally.failed + bad
    if tally.wants("refusal"):
        check_refusals(tally)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return tally.failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
