#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Deep checks: other builds of the same sources run the same tests, and tools read the sources.

    tests/deep/run.py [PART ...]     all parts unless told (--list shows them with their steps)

A part has steps; each ends with its own counts. A step that has passed leaves a stamp in BUILD/deep with a hash of all sources, and is not run again as
long as they are the same (--fresh: it is). So a run that was broken off goes on where it was. Failures are printed, and everything a step has said is in BUILD/deep/PART.STEP.log.

--short is the form for `make check`: the unit tests and the launcher with the sanitizers, guests with threads and forks under the build that checks lock ranks, cppcheck, and clang, which only reads.
The last line is `N passed, N failed`, with `, N skipped` when there are any; the exit status is 1 when something failed.
"""
import argparse
import concurrent.futures
import glob
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import coverage

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import watch  # noqa: E402,F401 -- signals that a shell ignores are not ignored in what is run

ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
STAMPS = os.path.join(BUILD, "deep")
SOURCES = ["Makefile", "src", "include", "tests", "tools", "share", "scripts"]
CC = os.environ.get("CC", "cc")
JOBS = str(len(os.sched_getaffinity(0)))

# A variant is a compiler, its flags, and more settings of make. Frame pointers and calls that stay calls let the ranks' messages name the callers.
# Undefined behaviour: in the engine each check traps, which needs no runtime; in ordinary programs it says what it has found. Unaligned accesses are meant: this is x86.
UNDEFINED = "-fsanitize=undefined -fno-sanitize=alignment"
SANITIZERS = f"{UNDEFINED} -fsanitize=address -fno-sanitize-recover=all"
VARIANTS = {
    "ranks": {"CFLAGS": "-O2 -g -DLP_LOCK_RANKS -fno-omit-frame-pointer -fno-optimize-sibling-calls"},
    "ubsan": {"CFLAGS": f"-O2 -g {UNDEFINED} -fsanitize-undefined-trap-on-error"},
    "asan": {"CC": f"{CC} {SANITIZERS}", "CFLAGS": "-O1 -g", "LAUNCH_ORDINARY": "1", "LAUNCH_MORE": "tests/deep/asan.c", "UNIT_SKIP": "malloc"},
    "clang": {"CC": "clang"},
    "cov": {"CC": f"{CC} --coverage -fprofile-update=atomic -Wl,--wrap=signal_before_exec,--wrap=_exit", "CFLAGS": "-O1 -g",
            "ENGINE_MORE": "tests/deep/coverage.c"},
}
ENGINE = ["lib/linchpin/linchpin-vm", "bin/linchpin"]
LAUNCHER = ["bin/linchpin"]
UNITS = "unit-tests"
WHOLE = ["all", "check-build"]  # also tools, fuzzers, and what else the tests are made of

# Suites: the script with its arguments; they get BUILD of the variant.
GUESTS = ["tests/run.py", "--guests", "--modes"]
SUITES = {
    "guests": GUESTS + ["plain,inproc,tiny,flush,events,tool"],
    "guests-short": GUESTS + ["plain", "b_thr_", "b_ps_", "b_mem_", "b_sig_storm", "a_smc_"],
    "guests-plain": GUESTS + ["plain", "^a_"],
    # A seccomp filter keeps the counts from being written.
    "guests-coverage": GUESTS + ["plain,tiny,flush,events,fillslive,rewrite", "^(?!.*seccomp)"],
    "api": ["tests/api/run.py"],
    "api-short": ["tests/api/run.py", "--short"],
    "tools": ["tests/tools/run.py"],
    "attach": ["tests/attach/run.py", "--short"],
    "apps": ["tests/apps/run.py", "--short"],
}


class Counts:
    def __init__(self, passed=0, failed=0, skipped=0, seconds=0.0):
        self.passed, self.failed, self.skipped, self.seconds = passed, failed, skipped, seconds

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.seconds += other.seconds

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed" + (f", {self.skipped} skipped" if self.skipped else "")


def tree_hash():
    """Of the names and contents of all sources: the key of the stamps."""
    total = hashlib.sha256()
    for top in SOURCES:
        top = os.path.join(ROOT, top)
        files = [top] if os.path.isfile(top) else [os.path.join(d, f) for d, _, names in os.walk(top) for f in names if "__pycache__" not in d]
        for path in sorted(files):
            total.update(os.path.relpath(path, ROOT).encode() + b"\0")
            if os.path.isfile(path):
                with open(path, "rb") as f:
                    total.update(hashlib.sha256(f.read()).digest())
    return total.hexdigest()


class Log:
    """What a step says: all of it in a file."""

    def __init__(self, name):
        os.makedirs(STAMPS, exist_ok=True)
        self.path = os.path.join(STAMPS, name + ".log")
        self.file = open(self.path, "w")

    def run(self, command, env=None):
        """Runs a command; its exit status and its output."""
        done = subprocess.run(command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
        self.file.write(f"$ {' '.join(command)}\n{done.stdout}\n")
        self.file.flush()
        return done.returncode, done.stdout

    def fail(self, text, lines=30):
        """Prints the end of what was said."""
        print(*text.strip().splitlines()[-lines:], sep="\n     ")
        return Counts(failed=1)


# --- variants ------------------------------------------------------------------------------------------------------------


def folder(variant):
    return os.path.join(BUILD, variant)


def environment(variant):
    """For make and the suites: nothing of a make that has called us."""
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES", "LINCHPIN", "CFLAGS")}
    return {**env, "BUILD": folder(variant), "ASAN_OPTIONS": "detect_leaks=0:use_sigaltstack=0:abort_on_error=1"}


def link(target, path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not os.path.lexists(path):
        os.symlink(os.path.relpath(target, os.path.dirname(path)), path)


def borrow(variant):
    """What does not depend on the engine's build is taken from the ordinary one: headers, bundled tools, tools of the tests."""
    link(os.path.join(ROOT, "include"), os.path.join(BUILD, "include"))  # where `linchpin cc` of a variant looks for them
    if variant == "cov":  # the launcher is the usual one, and looks for the engine beside itself
        os.makedirs(os.path.join(folder(variant), "bin"), exist_ok=True)
        shutil.copy2(os.path.join(BUILD, LAUNCHER[0]), os.path.join(folder(variant), LAUNCHER[0]))
    if "LAUNCH_ORDINARY" in VARIANTS[variant]:  # only the launcher is another one
        link(os.path.join(BUILD, "lib"), os.path.join(folder(variant), "lib"))
    else:
        link(os.path.join(BUILD, "lib/linchpin/tools"), os.path.join(folder(variant), "lib/linchpin/tools"))
    link(os.path.join(BUILD, "bin/linchpin-memtrace"), os.path.join(folder(variant), "bin/linchpin-memtrace"))
    out = os.path.join(folder(variant), "tests", "api")
    os.makedirs(out, exist_ok=True)
    for tool in glob.glob(os.path.join(BUILD, "tests", "api", "*.so")):
        if not os.path.exists(os.path.join(out, os.path.basename(tool))):
            shutil.copy2(tool, out)


def build(log, variant, targets):
    """Counts with a failure, or None."""
    settings = [f"{name}={value}" for name, value in VARIANTS[variant].items()]
    goals = [os.path.join(folder(variant), t) if "/" in t else t for t in targets]
    tools = os.path.join(folder(variant), "lib/linchpin/tools")
    if targets == WHOLE and os.path.islink(tools):
        os.unlink(tools)  # borrowed; it makes its own
    status, text = log.run(["make", "-j" + JOBS, f"BUILD={folder(variant)}", *settings, *goals], environment(variant))
    if status:
        return log.fail(f"FAIL build of {variant}\n{text}")
    borrow(variant)
    return None


def totals(text):
    """The counts of a suite's last line."""
    found = re.findall(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?", text, re.M)
    return Counts(*[int(n or 0) for n in found[-1]]) if found else Counts()


def suite_step(variant, suite, targets=ENGINE):
    def step(log):
        bad = build(log, variant, targets)
        if bad:
            return bad
        status, text = log.run([sys.executable, "-u", *SUITES[suite]], environment(variant))
        counts = totals(text)
        for line in re.findall(r"^(?:FAIL|skip) .*(?:\n +.*){0,12}", text, re.M):
            print(line, flush=True)
        if status and not counts.failed or not counts.passed:
            counts.add(log.fail(f"FAIL {variant} {suite}: status {status}\n{text}"))
        return counts
    return step


def compilations():
    """What a whole build by clang would compile, without what only the linker wants: the words of each command, by its source."""
    made = subprocess.run(["make", "-nB", "V=1", "CC=clang", "BUILD=" + BUILD, *WHOLE], cwd=ROOT, env=environment("clang"), capture_output=True, text=True, check=True).stdout
    found = {}
    for line in made.splitlines():
        words = shlex.split(line) if line.startswith("clang ") else []
        sources = [w for w in words if w.endswith(".c")]
        flags = [w for w in words[1:] if w.startswith(("-D", "-I", "-W", "-O", "-f", "-m", "-std")) and not w.startswith("-Wl,")]
        found.update({source: ["clang", "-fsyntax-only", *flags, source] for source in sources})
    return found


def syntax_step(log):
    """Every C source as clang reads it, with its warnings; nothing is compiled."""
    counts = Counts()
    with concurrent.futures.ThreadPoolExecutor(int(JOBS)) as pool:
        for source, (status, text) in pool.map(lambda item: (item[0], log.run(item[1])), compilations().items()):
            counts.add(log.fail(f"FAIL {source}\n{text}") if status else Counts(passed=1))
    return counts if counts.passed > 100 else log.fail("FAIL clang: hardly a source was found")


def unit_step(variant):
    """The unit tests of a variant, by their cases; a program that is left out counts as one skipped."""
    def step(log):
        bad = build(log, variant, [UNITS])
        if bad:
            return bad
        out = os.path.join(folder(variant), "tests", "unit", "test_")
        left_out = VARIANTS[variant].get("UNIT_SKIP", "").split()
        counts = Counts(skipped=len(left_out))
        programs = [f for f in glob.glob(out + "*") if os.access(f, os.X_OK) and not f.endswith((".o", ".d", ".so"))]
        for test in sorted(f for f in programs if f[len(out):] not in left_out):
            status, text = log.run([test], environment(variant))
            cases = sum(map(int, re.findall(r"\[  PASSED  \] (\d+) test", text)))
            cases = cases or len(re.findall(r"^\w+: \d+ checks, 0 failed", text, re.M))
            counts.skipped += len(re.findall(r"\[  SKIPPED \] \w+$", text, re.M)) // 2
            if status or not cases:
                counts.add(log.fail(f"FAIL {variant} {os.path.basename(test)}: status {status}\n{text}"))
            counts.passed += cases
        return counts
    return step


# What is asked of the ordinary launcher and of the one with sanitizers: they must answer the same, which a report of the
# sanitizers would change. {} is a folder with the files of launcher_files.
COMMANDS = ["", "--help", "--version", "doctor", "-nonsense", "-t", "-t nowhere -- /bin/true", "-- {}/nowhere", "-- {}",
            "-- {}/empty", "-- {}/text", "-- {}/script", "-- {}/magic", "-- {}/cut", "-- {}/phdrs", "-- {}/huge",
            "-- /bin/echo one two", "-cc_memory_size", "-cc_memory_size x -- /bin/true", "-injection nonsense -- /bin/true",
            "-logfile {}/no/log -- /bin/true", "cc", "cc {}/nowhere.cpp", "new", "attach", "attach 0", "attach 999999999",
            "detach 1x", "-follow_execv -- /bin/sh -c 'exec /bin/echo three'", "-set a=b -t nowhere -- /bin/true",
            "-stats -- {}/nowhere"]


def launcher_files(top):
    """Programs that are none, or damaged."""
    with open("/bin/true", "rb") as f:
        elf = bytearray(f.read())
    files = {"empty": b"", "text": b"hello\n", "script": b"#!/bin/sh\necho script $0 | tr / ' ' | wc -w\n", "magic": bytes(elf[:4]), "cut": bytes(elf[:100]),
             "phdrs": bytes(elf[:32]) + b"\xff" * 8 + bytes(elf[40:]), "huge": bytes(elf[:56]) + b"\xff\xff" + bytes(elf[58:])}
    for name, data in files.items():
        path = os.path.join(top, name)
        with open(path, "wb") as f:
            f.write(data)
        os.chmod(path, 0o755)


def launcher_step(log):
    bad = build(log, "asan", LAUNCHER)
    if bad:
        return bad
    counts = Counts()
    with tempfile.TemporaryDirectory(prefix="lp-deep-") as top:
        launcher_files(top)
        for line in COMMANDS:
            words = shlex.split(line.replace("{}", top))
            want = log.run([os.path.join(BUILD, "bin", "linchpin"), *words], environment("asan"))
            got = log.run([os.path.join(folder("asan"), "bin", "linchpin"), *words], environment("asan"))
            if (want[0], want[1].replace(BUILD, "")) == (got[0], got[1].replace(folder("asan"), "")):
                counts.passed += 1
            else:
                counts.add(log.fail(f"FAIL linchpin {line}: status {got[0]}, ordinarily {want[0]}\n{want[1]}\n{got[1]}"))
    return counts


CPPCHECK = ["cppcheck", "-q", "-j" + JOBS, "--std=c11", "--enable=warning,performance,portability,information",
            "--suppressions-list=tests/deep/cppcheck.txt", "--error-exitcode=1", '-DLP_VERSION=""', "-Isrc", "-Iinclude",
            "--template={file}:{line}: {severity}: {id}: {message}"]
# The folders that an architecture has, and what only its compiler says.
OF_ARCH = "src/arch/{}", "src/os/linux/{}", "src/launch/{}"
LINTS = {"x86": ["-D__x86_64__", "-I" + os.path.join(BUILD, "gen"), "-I" + os.path.join(BUILD, "gen", "x86_64"), *("-i" + f.format("riscv64") for f in OF_ARCH), "src"],
         "riscv64": ["-D__riscv", *(f.format("riscv64") for f in OF_ARCH)]}


def lint_step(log):
    """Each file of the engine and the launcher is one that passes; a finding is one that fails."""
    if not shutil.which("cppcheck"):
        print("skip lint: cppcheck is missing (scripts/deps deep)")
        return Counts(skipped=1)
    status, found = 0, []
    for arch, words in LINTS.items():
        bad, text = log.run(CPPCHECK + ["-I" + f.format(arch) for f in OF_ARCH] + words)
        status |= bad
        found += [line for line in text.splitlines() if line.strip()]
    if status or found:
        print(*[f"FAIL {line}" for line in found], sep="\n")
        return Counts(failed=max(len(found), 1))
    return Counts(passed=len(glob.glob(os.path.join(ROOT, "src", "**", "*.c"), recursive=True)))


def coverage_step(suites):
    """Runs suites with an engine that counts, and says what they have reached. What was counted before goes first, so the figure is that of these sources."""
    def step(log):
        for old in glob.glob(os.path.join(folder("cov"), "obj", "**", "*.gcda"), recursive=True):
            os.remove(old)
        counts = Counts()
        for suite in suites:
            counts.add(suite_step("cov", suite, [ENGINE[0]])(log))
        found = coverage.Coverage()
        objects = found.read(folder("cov"), ROOT)
        report = os.path.join(STAMPS, "coverage.txt")
        with open(report, "w") as f:
            print(f"{objects} objects; suites: {', '.join(suites)}", *found.table(), "", "never reached:", *found.missed(),
                  sep="\n", file=f)
        said = f"{len(found.missed())} functions were never reached: {os.path.relpath(report, ROOT)}"
        print(*found.table(), said, sep="\n", flush=True)
        return counts
    return step


# --- parts -------------------------------------------------------------------------------------------------------------


ALL_SUITES = ["guests", "api", "tools", "attach", "apps"]
PARTS = {
    "ranks": {suite: suite_step("ranks", suite) for suite in ALL_SUITES},
    "ubsan": {"unit": unit_step("ubsan"), **{suite: suite_step("ubsan", suite) for suite in ALL_SUITES}},
    "asan": {"unit": unit_step("asan"), "launcher": launcher_step,
             **{suite: suite_step("asan", suite, LAUNCHER) for suite in ["guests-plain", "attach"]}},
    "clang": {"unit": unit_step("clang"), **{suite: suite_step("clang", suite, WHOLE) for suite in ["guests-plain", "api-short", "tools", "attach"]}},
    "lint": {"cppcheck": lint_step},
    "coverage": {"engine": coverage_step(["guests-coverage", "api-short", "tools", "attach"])},
}
SHORT = {
    "lint": {"cppcheck": lint_step},
    "clang": {"syntax": syntax_step},
    "asan": {"unit": unit_step("asan"), "launcher": launcher_step},
    "ranks": {"guests-short": suite_step("ranks", "guests-short")},
}


def stamp_path(part, step):
    return os.path.join(STAMPS, f"{part}.{step}.json")


def stamped(part, step, tree):
    """The counts of a step that has passed on these sources, or None."""
    try:
        with open(stamp_path(part, step)) as f:
            note = json.load(f)
    except (OSError, ValueError):
        return None
    return Counts(note["passed"], 0, note["skipped"], note["seconds"]) if note.get("tree") == tree else None


def carry_out(part, name, step, tree, fresh):
    counts = None if fresh else stamped(part, name, tree)
    if counts:
        print(f"{part} {name}: {counts} ({counts.seconds:.0f} s, done before on these sources)", flush=True)
        return counts
    start = time.monotonic()
    counts = step(Log(f"{part}.{name}"))
    counts.seconds = time.monotonic() - start
    print(f"{part} {name}: {counts} ({counts.seconds:.0f} s)", flush=True)
    if not counts.failed and counts.passed:
        with open(stamp_path(part, name), "w") as f:
            json.dump({"tree": tree, "passed": counts.passed, "skipped": counts.skipped, "seconds": counts.seconds}, f)
    return counts


def main():
    parser = argparse.ArgumentParser(description="The deep checks.")
    parser.add_argument("parts", nargs="*", help="of these only: " + ", ".join(PARTS))
    parser.add_argument("--short", action="store_true", help="the form for make check")
    parser.add_argument("--fresh", action="store_true", help="what has passed on these sources, too")
    parser.add_argument("--list", action="store_true", help="list parts and steps")
    opt = parser.parse_args()
    table = SHORT if opt.short else PARTS
    unknown = [p for p in opt.parts if p not in table]
    if unknown:
        parser.error(f"no part {', '.join(unknown)}; there are {', '.join(table)}")
    chosen = {p: steps for p, steps in table.items() if not opt.parts or p in opt.parts}
    if opt.list:
        print(*[f"{part} {step}" for part, steps in chosen.items() for step in steps], sep="\n")
        return 0
    os.makedirs(STAMPS, exist_ok=True)
    tree, total = tree_hash(), Counts()
    for part, steps in chosen.items():
        for name, step in steps.items():
            total.add(carry_out(part, name, step, tree, opt.fresh))
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
