#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The test runner: each guest program runs natively and under Linchpin in every mode, and must do the same.

A guest is tests/engine/NAME.c, .cc or .S (and tests/engine/**/ is not searched). Its leading comment lines carry directives:

    // test: cc=FLAGS          compiler and linker flags, added after the default ones (may repeat)
    // test: compiler=PROG     instead of gcc (.c, .S) or g++ (.cc); skipped when the program is missing
    // test: so=PART FLAGS     also build this source with -shared -fPIC FLAGS into NAME.PART.so, next to the guest, on its
                               run path (may repeat)
    // test: args=A B 'C D'    arguments, quoted as in a shell
    // test: argfill=N         N more arguments, arg0 arg1 ...
    // test: stdin=TEXT        standard input, with \\n escapes (otherwise /dev/null)
    // test: env=K=V           one more environment variable (may repeat)
    // test: modes=plain,tiny  only these modes
    // test: opts=OPTIONS      more options of linchpin
    // test: needs=PROG        skipped when the program is missing (may repeat)
    // test: timeout=SECONDS   60 unless told
    // test: status=WHAT       how the native run ends: a number (0 unless told), a signal's name, or `any`
    // test: wrap=COMMAND      put in front of the native command and of linchpin's (setarch -R)
    // test: core=yes          core dumps are allowed, so that the core flag is compared too
    // test[VARIANT]: ...      the source is built and run once more, as NAME.VARIANT, with these directives besides the
                               others; with variants there is no plain NAME

Standard output, standard error and the wait status (exit status, signal, core flag) are compared exactly. Every run has an
empty directory of its own as working directory and a fixed environment.

Other suites count too: the program of every tests/unit/test_*.c (cases as cmocka prints them), and the scripts of SCRIPTS
below, called with --short: exit status 0 is a pass, 77 a skip, and the last line `N passed, N failed`, with
`, N skipped` where there are any, says how many cases they had. A line `skip NAME: REASON` for each skip is passed on.
A suite that has had no case at all has failed.

Modes are in MODES; those of DEFAULT_MODES are run unless --modes says otherwise, and those of ALSO for some guests.

The last line is `N passed, N failed`, with `, N skipped` when there are any; the exit status is 1 when something failed, and
2 when a filter matches no test.
"""
import argparse
import concurrent.futures
import glob
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import building
import watch

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
LINCHPIN = os.environ.get("LINCHPIN", os.path.join(BUILD, "bin", "linchpin"))
GUESTS = os.path.join(ROOT, "tests", "engine")
OUT = os.path.join(BUILD, "tests", "engine")

MODES = {
    "plain": [],
    "inproc": ["-injection", "inprocess"],
    "tiny": ["-cc_memory_size", "256K"],
    "nolink": ["-no_link", "-no_join", "-no_runs", "-no_quick_decode", "-no_quick_save", "-no_large_pages"],
    "one": ["-trace_max_ins", "1"],
    "far": ["-no_rip_near"],
    "flush": ["-random_flush", "500"],
    "clone": ["-clone_after", "1"],
    "wx": ["-wx"],
    "novariants": ["-no_variants"],
    "tool": ["-t", os.path.join(BUILD, "tests", "api", "everyins.so")],
    "light": ["-t", os.path.join(BUILD, "tests", "api", "everylight.so")],
    "lightlive": ["-no_dead", "-t", os.path.join(BUILD, "tests", "api", "everylight.so")], # handlers see what the program does not need any more
    "access": ["-no_dead", "-t", os.path.join(BUILD, "tests", "api", "everyaccess.so")], # flags are needed everywhere, and handlers see all
    "dead": ["-t", os.path.join(BUILD, "tests", "api", "everyaccess.so")], # no call sees more than its instruction reads, so code behind the exits is read ahead
    "events": ["-t", os.path.join(BUILD, "tests", "api", "everyevent.so")],
    "fills": ["-t", os.path.join(BUILD, "tests", "api", "everyfill.so")],
    "fillslive": ["-no_dead", "-t", os.path.join(BUILD, "tests", "api", "everyfill.so")], # handlers see what the program does not need any more
    "fillsfew": ["-t", os.path.join(BUILD, "tests", "api", "everyfill.so"), "-few", "1"], # what comes between a record and the look for more room
    "rewrite": ["-t", os.path.join(BUILD, "tests", "api", "rewriteall.so")],
}
DEADLINE = float("inf")  # of the monotonic clock
MORE = []  # options of linchpin in every mode (--engine)
SLOWER = {"tool": 5, "light": 3, "lightlive": 3, "access": 3, "dead": 3, "fills": 3, "fillslive": 3, "fillsfew": 3, "events": 2, "rewrite": 5}  # times the timeout
TOOL_SOURCES = {"tool": os.path.join(ROOT, "tests", "api", "tools", "everyins.cpp"),
                "light": os.path.join(ROOT, "tests", "api", "tools", "everylight.cpp"),
                "lightlive": os.path.join(ROOT, "tests", "api", "tools", "everylight.cpp"),
                "access": os.path.join(ROOT, "tests", "api", "tools", "everyaccess.cpp"),
                "dead": os.path.join(ROOT, "tests", "api", "tools", "everyaccess.cpp"),
                "events": os.path.join(ROOT, "tests", "api", "tools", "everyevent.cpp"),
                "fills": os.path.join(ROOT, "tests", "api", "tools", "everyfill.cpp"),
                "fillslive": os.path.join(ROOT, "tests", "api", "tools", "everyfill.cpp"),
                "fillsfew": os.path.join(ROOT, "tests", "api", "tools", "everyfill.cpp"),
                "rewrite": os.path.join(ROOT, "tests", "api", "tools", "rewriteall.cpp")}
DEFAULT_MODES = ["plain", "inproc", "tiny", "nolink", "one"]
# Without --modes, these guests in these modes, too: functions copied for every call, changed code translated anew each time, data that is far away, a cache that is writable or executable, short calls everywhere,
# inlined ones with all flags needed and with what is needed only, trace records of all accesses, each instruction with its operands rewritten, signals
# under a tool that wants to hear of all.
ALSO = {
    "clone": r"a_|b_sig_storm|b_rseq",
    "novariants": r"a_smc|b_sig_storm_(jit|smc)",
    "far": r"a_riprel",
    "wx": r"a_(smc|calls|recursion)|b_sig_storm|b_thr_|b_fork|b_rseq",
    "light": r"a_(?!fault)|b_rseq",
    "lightlive": r"a_fault",
    "access": r"a_|b_sig_(storm|tf|handler)|b_rseq",
    "dead": r"a_(flags_|calls|loops|jcc|partial|prefixes|rep_|one_flag|bit_scan|recursion|longjmp|smc)|b_rseq",
    "fills": r"a_(?!fault)|b_sig_(storm|tf|handler|altstack|nanosleep)|b_rseq",
    "fillslive": r"a_fault",
    "fillsfew": r"b_rseq",
    "rewrite": r"a_|b_sig_tf|b_sig_storm_insn|b_rseq",
    "events": r"a_trapflag|b_sig_(tf|nanosleep|altstack|handler)",
}
SCRIPTS = [
    "tests/layers.py",
    "tests/docs.py",
    "tests/engine_cli.py",
    "tests/command.py",
    "tests/points.py",
    "tests/mistakes.py",
    "tests/report.py",
    "tests/cookbook.py",
    "tests/bench.py",
    "tests/foreign.py",
    "tests/packages.py",
    "tests/kit/run.py",
    "tests/api/compile/run.py",
    "tests/api/run.py",
    "tests/api/programs.py",
    "tests/api/whole.py",
    "tests/fuzz/fuzz.py",
    "tests/fuzz/stops.py",
    "tests/fuzz/sys/fuzz_sys.py",
    "tests/fuzz/elf/fuzz_elf.py",
    "tests/apps/run.py",
    "tests/tools/run.py",
    "tests/attach/run.py",
    "tests/debug/run.py",
    "tests/probe/run.py",
    "tests/record/run.py",
    "tests/deep/run.py",
    "tests/mutants/run.py",
    "tests/ia32/run.py",
    "tests/riscv64/run.py",
    "tests/system/run.py",
]
LAST = ["tests/optimiser.py", "tests/api/spoil.py", "tests/api/checklist.py"]  # the first one uses what the others build, the others judge what they have recorded
WARN = ["-Wall", "-Wextra", "-Werror"]
COMPILERS = {
    ".c": ["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-g"] + WARN,
    ".cc": ["g++", "-std=gnu++17", "-O1", "-g"] + WARN,
    ".S": ["gcc", "-g"] + WARN,
}
LISTS = {"cc", "so", "args", "env", "needs", "opts"}
SINGLE = {"compiler", "argfill", "stdin", "modes", "timeout", "status", "wrap", "core"}
DIRECTIVE = re.compile(r"\s*(?://|/?\*|#)\s*test(?:\[(\w+)\])?:\s*(\w+)=(.*?)\s*(?:\*/)?$")


class Guest:
    """One program to build and run: a source with its directives."""

    def __init__(self, source, variant, pairs):
        base, self.ext = os.path.splitext(os.path.basename(source))
        self.source, self.name = source, base + ("." + variant if variant else "")
        self.path = os.path.join(OUT, self.name)
        self.set = {key: [] for key in LISTS}
        for key, value in pairs:
            if key in LISTS:
                self.set[key].append(value)
            elif key in SINGLE:
                self.set[key] = value
            else:
                sys.exit(f"run.py: {source}: unknown directive {key}")
        self.compiler = list(COMPILERS[self.ext])
        self.compiler[0] = self.set.get("compiler", self.compiler[0])
        self.timeout = int(self.set.get("timeout", 60))
        self.modes = self.set["modes"].split(",") if "modes" in self.set else list(MODES)

    def words(self, key):
        return [word for value in self.set[key] for word in shlex.split(value)]

    def missing(self):
        for prog in [self.compiler[0]] + self.words("needs"):
            if not shutil.which(prog):
                return prog
        return None

    def commands(self):
        """(output, command) for the shared objects and the program."""
        parts = [shlex.split(value) for value in self.set["so"]]
        for part in parts:
            out = f"{self.path}.{part[0]}.so"
            yield out, self.compiler + [self.source, "-o", out, "-shared", "-fPIC"] + part[1:]
        rpath = ["-Wl,-rpath,$ORIGIN"] if parts else []
        yield self.path, self.compiler + [self.source, "-o", self.path] + rpath + self.words("cc")

    def build(self):
        """Builds what is out of date; the error text, or None."""
        sources = [self.source] + glob.glob(os.path.join(GUESTS, "*.h"))
        for out, command in self.commands():
            error = building.up_to_date(out, sources, command)
            if error:
                return error
        return None

    def argv(self, mode):
        wrap = shlex.split(self.set.get("wrap", ""))
        args = self.words("args") + [f"arg{i}" for i in range(int(self.set.get("argfill", 0)))]
        if mode == "native":
            return wrap + [self.path] + args
        return wrap + [LINCHPIN] + self.words("opts") + MORE + MODES[mode] + ["--", self.path] + args

    def env(self):
        return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/", "LC_ALL": "C",
                **dict(value.split("=", 1) for value in self.set["env"])}

    def run(self, mode):
        text = self.set.get("stdin")
        stdin = text.encode().decode("unicode_escape").encode() if text is not None else None
        slower = SLOWER.get(mode, 1)
        return run(self.argv(mode), self.env(), self.timeout * slower, stdin, "core" in self.set)

    def wants(self, result):
        """Did the native run end as the directive says?"""
        want = self.set.get("status", "0")
        return want == "any" or want == status_name(result.status).split("+")[0]


class Result:
    def __init__(self, status, out, err, hang=None):
        self.status, self.out, self.err, self.hang = status, out, err, hang

    def __eq__(self, other):
        return (self.status, self.out, self.err) == (other.status, other.out, other.err)


def status_name(status):
    if status is None:
        return "timeout"
    if os.WIFSIGNALED(status):
        sig = os.WTERMSIG(status)
        name = signal.Signals(sig).name if sig in signal.valid_signals() and sig < 32 else f"signal {sig}"
        return name + ("+core" if os.WCOREDUMP(status) else "")
    return str(os.WEXITSTATUS(status))


def core_limit():
    """The command prefix that allows core dumps, where the hard limit does."""
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    return ["prlimit", f"--core={'unlimited' if hard == resource.RLIM_INFINITY else hard}:"] if hard else []


def run(argv, env, timeout, stdin=None, core=False):
    """Runs a command in an empty directory; its Result, with status None after a timeout, or when the time for all tests is over."""
    with tempfile.TemporaryDirectory(prefix="lp-test-", ignore_cleanup_errors=True) as top:
        cwd = os.path.join(top, "cwd")
        os.mkdir(cwd)
        with open(os.path.join(top, "in"), "w+b") as fin, open(os.path.join(top, "out"), "w+b") as fout, \
                open(os.path.join(top, "err"), "w+b") as ferr:
            fin.write(stdin or b"")
            fin.seek(0)
            proc = subprocess.Popen((core_limit() if core else []) + argv, cwd=cwd, env=env,
                                    stdin=subprocess.DEVNULL if stdin is None else fin,
                                    stdout=fout, stderr=ferr, start_new_session=True)
            left = max(1, DEADLINE - time.monotonic())
            status, hang = watch.wait(proc, timeout, top, left)
            fout.seek(0)
            ferr.seek(0)
            return Result(status, fout.read(), ferr.read(), hang)


def diff_text(name, want, got):
    """The first lines in which two outputs differ."""
    a, b = want.decode(errors="replace").split("\n"), got.decode(errors="replace").split("\n")
    for i in range(max(len(a), len(b))):
        x, y = (lines[i] if i < len(lines) else None for lines in (a, b))
        if x != y:
            return [f"{name} line {i + 1}: native {clip(x)}", f"{' ' * len(name)} line {i + 1}: here   {clip(y)}"]
    return []


def clip(line):
    return "(end)" if line is None else repr(line[:160])


def diff(want, got):
    lines = []
    if want.status != got.status:
        lines.append(f"status {status_name(got.status)}, natively {status_name(want.status)}")
    lines += (got.hang or "").splitlines()
    lines += diff_text("stdout", want.out, got.out) + diff_text("stderr", want.err, got.err)
    return lines


class Report:
    """Counts and prints; used from the main thread only."""

    def __init__(self, verbose):
        self.verbose, self.passed, self.failed, self.skipped = verbose, 0, 0, 0

    def take(self, name, mode, kind, lines=(), count=1):
        if kind == "pass":
            self.passed += count
        elif kind == "skip":
            self.skipped += count
        else:
            self.failed += count
        if kind == "FAIL" or kind == "skip" or self.verbose:
            print(f"{kind} {name} [{mode}]" + (f": {lines[0]}" if lines else ""), flush=True)
            for line in lines[1:]:
                print(f"     {line}")

    def end(self):
        tail = f", {self.skipped} skipped" if self.skipped else ""
        print(f"{self.passed} passed, {self.failed} failed{tail}")
        return 1 if self.failed else 0


def guest_find(filters):
    found = []
    for source in sorted(f for ext in COMPILERS for f in glob.glob(os.path.join(GUESTS, "*" + ext))):
        common, variants = [], {}
        with open(source) as f:
            for line in f:
                match = DIRECTIVE.match(line)
                if match and match[1]:
                    variants.setdefault(match[1], []).append((match[2], match[3]))
                elif match:
                    common.append((match[2], match[3]))
                elif not re.match(r"\s*(//|/?\*|#|$)", line) or line.startswith("#include"):
                    break
        for variant, pairs in (variants or {"": []}).items():
            found.append(Guest(source, variant, common + pairs))
    return [g for g in found if chosen(g.name, filters)]


def tool_build(source, out):
    os.makedirs(os.path.dirname(out), exist_ok=True)
    error = building.up_to_date(out, [source], [LINCHPIN, "cc", source, "-o", out])
    if error:
        sys.exit(f"run.py: {error}")


def tools_build(modes):
    """The tools that modes need, where they are out of date."""
    for mode in modes:
        if mode in TOOL_SOURCES:
            tool_build(TOOL_SOURCES[mode], MODES[mode][MODES[mode].index("-t") + 1])


def chosen(name, filters):
    return not filters or any(re.search(f, name) for f in filters)


def guest_test(guest, modes, repeat, native):
    """Yields (mode, kind, lines) for one guest, in order."""
    prog = guest.missing()
    if prog:
        return [("all", "skip", [f"no {prog} here"])]
    error = guest.build()
    if error:
        return [("build", "FAIL", error.splitlines())]
    want = guest.run("native")
    if not guest.wants(want):
        return [("native", "FAIL", [f"status {status_name(want.status)}, not {guest.set.get('status', '0')}"] + (want.hang or "").splitlines()
                 + diff_text("stdout", b"", want.out) + diff_text("stderr", b"", want.err))]
    if native:
        return [attempt(guest, "native", repeat, want)]
    mine = [mode for mode in modes if mode in guest.modes]
    return [attempt(guest, mode, repeat, want) for mode in mine] or [(",".join(modes), "skip", [f"only for the modes {','.join(guest.modes)}"])]


def attempt(guest, mode, repeat, want):
    for i in range(repeat):
        got = guest.run(mode)
        if got != want:
            lines = diff(want, got)
            return mode, "FAIL", ([f"run {i + 1}: {lines[0]}"] + lines[1:]) if repeat > 1 else lines
    return mode, "pass", []


def unit_find(filters):
    """The programs that there must be, whether they were built or not."""
    names = sorted(os.path.basename(f)[:-2] for f in glob.glob(os.path.join(ROOT, "tests", "unit", "test_*.c")))
    return [os.path.join(BUILD, "tests", "unit", name) for name in names if chosen("unit/" + name, filters)]


def script_find(patterns, filters):
    files = [f for pattern in patterns for f in sorted(glob.glob(os.path.join(ROOT, pattern)))]
    return [f for f in files if chosen(os.path.relpath(f, ROOT), filters)]


def unit_test(path):
    if not os.access(path, os.X_OK):
        return [("unit", "FAIL", ["not built: make check-build"])]
    got = run([path], dict(os.environ), 300)
    text = got.out.decode(errors="replace") + "\n" + got.err.decode(errors="replace")
    numbers = [sum(map(int, re.findall(rf"^\[  {word} *\][^\n]*? (\d+) test", text, re.M))) for word in ("PASSED", "FAILED", "SKIPPED")]
    why = re.findall(r"^(?!\[|$)(.*)\n\[  SKIPPED \]", text, re.M)  # a case says it before it calls skip()
    return counted("unit", got, text, *numbers, why)


def script_test(path):
    start = time.monotonic()
    got = run([sys.executable, "-u", path, "--short"], dict(os.environ), 900)
    print(f"  {os.path.relpath(path, ROOT)}: {time.monotonic() - start:.0f} s", flush=True)
    text = (got.out + got.err).decode(errors="replace")
    if got.status is not None and os.WIFEXITED(got.status) and os.WEXITSTATUS(got.status) == 77:
        return [("script", "skip", text.strip().splitlines()[-1:] or ["no reason given"], 1)]
    return counted("script", got, text, *totals(got.out.decode(errors="replace")))


def totals(text):
    """(passed, failed, skipped, lines that say why) of a script's output; all 0 when its last line does not say."""
    lines = text.strip().splitlines()
    last = re.fullmatch(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?", lines[-1] if lines else "")
    why = [line for line in lines if re.match(r"skip\b", line)]
    return (*(int(n or 0) for n in last.groups()), why) if last else (0, 0, 0, why)


def in_time(test, *args):
    return test(*args) if time.monotonic() < DEADLINE else [("all", "FAIL", ["not run: the time for all tests is over"])]


def counted(mode, got, text, passed, failed, skipped, why):
    """Results of a program with cases of its own; its exit status has the last word, and one without any case has failed."""
    good = got.status == 0 and passed + skipped > 0
    rows = []
    if passed:
        rows.append((mode, "pass", [], passed))
    if skipped:
        rows.append((mode, "skip", [f"{skipped} of its cases"] + why, skipped))
    if failed or not good:
        lines = [f"status {status_name(got.status)}" + ("" if passed + failed + skipped else ", and it says of no case that it was run")]
        rows.append((mode, "FAIL", lines + (got.hang or "").splitlines() + text.strip().splitlines()[-30:], max(failed, 1)))
    return rows


def options():
    parser = argparse.ArgumentParser(description="Runs the tests.")
    parser.add_argument("filters", nargs="*", help="regular expressions; tests whose name matches one are run")
    parser.add_argument("--modes", help="comma-separated, or all: " + ", ".join(MODES))
    parser.add_argument("--engine", metavar="OPTION", action="append", default=[], help="an option of linchpin for all runs, as --engine=-no_dead")
    parser.add_argument("--repeat", type=int, default=0, metavar="N", help="run everything N times")
    parser.add_argument("--native", action="store_true", help="only compare the native run with itself (5 times)")
    parser.add_argument("--guests", action="store_true", help="only the guest programs, not the other suites")
    parser.add_argument("--list", action="store_true", help="list the tests")
    parser.add_argument("--limit", type=int, default=24 * 3600, metavar="SECONDS", help="what runs longer is ended, and said with what its processes did")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    parser.add_argument("-v", "--verbose", action="store_true", help="print passes too")
    return parser.parse_args()


def default_signals():
    """What the caller ignores or blocks (nohup, a background job) is not passed on to the tests."""
    for number in signal.valid_signals():
        if signal.getsignal(number) == signal.SIG_IGN and number not in (signal.SIGPIPE, getattr(signal, "SIGXFSZ", 0)):
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def selected(opt):
    """(guests, unit tests, scripts, last scripts, names of them all); a filter that matches none is a mistake of the caller."""
    guests, alone = guest_find(opt.filters), opt.guests or opt.native
    units, scripts, last = ([], [], []) if alone else (unit_find(opt.filters), script_find(SCRIPTS, opt.filters), script_find(LAST, opt.filters))
    names = [g.name for g in guests] + ["unit/" + os.path.basename(f) for f in units] + [os.path.relpath(f, ROOT) for f in scripts + last]
    idle = [f for f in opt.filters if not any(chosen(name, [f]) for name in names)]
    if idle:
        print(f"run.py: no test matches {' or '.join(idle)}", file=sys.stderr)
        sys.exit(2)
    return guests, units, scripts, last, names


def main():
    global DEADLINE
    opt = options()
    DEADLINE = time.monotonic() + opt.limit
    default_signals()
    MORE.extend(opt.engine)
    modes = DEFAULT_MODES if not opt.modes else list(MODES) if opt.modes == "all" else opt.modes.split(",")
    also = {} if opt.modes else ALSO
    for mode in modes:
        if mode not in MODES:
            sys.exit(f"run.py: no mode {mode}; there are {', '.join(MODES)}")
    guests, units, scripts, last, names = selected(opt)
    if opt.list:
        print("\n".join(names))
        return 0
    if not opt.native and (guests or scripts) and not os.access(LINCHPIN, os.X_OK):
        sys.exit(f"run.py: there is no {os.path.relpath(LINCHPIN)}; build it first, or use --native")
    os.makedirs(OUT, exist_ok=True)
    if guests and not opt.native:
        tools_build([*modes, *also])
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    report = Report(opt.verbose)
    repeat = opt.repeat or (5 if opt.native else 1)
    with concurrent.futures.ThreadPoolExecutor(opt.jobs) as pool:
        start = time.monotonic()
        jobs = [(g.name, pool.submit(in_time, guest_test, g, modes + [m for m, names in also.items() if re.match(names, g.name)], repeat, opt.native)) for g in guests]
        jobs += [("unit/" + os.path.basename(f), pool.submit(in_time, unit_test, f)) for f in units]
        jobs += [(os.path.relpath(f, ROOT), pool.submit(in_time, script_test, f)) for f in scripts]
        name_of = {job: name for name, job in jobs}
        for job in concurrent.futures.as_completed(name_of):
            for row in job.result():
                report.take(name_of[job], *row)
            if guests and name_of[job] == guests[-1].name:
                print(f"  guests: {time.monotonic() - start:.0f} s", flush=True)
    for f in last:
        for row in in_time(script_test, f):
            report.take(os.path.relpath(f, ROOT), *row)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
