#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden tests of the tool API: guests with a known instruction stream, tools that print what their callbacks get.

tests/api/guests/NAME.S (static, no libc) or NAME.c, NAME.cpp (an ordinary program) is a guest; tests/api/tools/NAME.cpp or NAME.c a tool,
built with `linchpin cc`. A guest's comments say what is run and what the tool then prints:

    //> TOOL [OPTION=VALUE ...]      settings for the tool; status=N is the exit status expected (0 unless told), and
                                     err=yes compares standard error instead of standard output; engine=OPTION is one of the engine's,
                                     tool=WORD a word of the tool's own options
    //= a line of output             values that are addresses of the guest's image are written as SYMBOL+OFFSET; ~ at the
                                     start: a regular expression

Every case runs in each of the modes below. Labels at_* of the guest are passed to the tool as settings with their addresses.
Counts of instructions (tool counts) are compared with single steps (stepper.c) for all guests in assembly but those
that say `// counts: no`. `// modes: plain` limits the modes, `// not with: -no_inline` keeps a guest
from runs with that option of --engine.

--accept writes what was printed into the guests as the expected output: to be read before it is believed.
The last line is `N passed, N failed`, with `, N skipped` for guests that have none of the modes that are run; a filter that
matches no guest ends with status 2.
"""
import argparse
import bisect
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import building  # noqa: E402
import watch  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
LINCHPIN = os.environ.get("LINCHPIN", os.path.join(BUILD, "bin", "linchpin"))
OUT = os.path.join(BUILD, "tests", "api")
CALLS = os.path.join(OUT, "calls", "api")  # which functions the tools have called: for checklist.py
MODES = {"plain": [], "one": ["-trace_max_ins", "1"], "nolink": ["-no_link"], "far": ["-no_rip_near"],
         "slow": ["-no_inline", "-no_merge", "-no_spread", "-no_light", "-no_lazy", "-no_partial", "-no_fold", "-no_dead"]}
MORE = []  # options of the engine in every mode (--engine)
WARN = ["-Wall", "-Wextra", "-Werror"]
TIMEOUT = 60


def build(out, sources, command):
    error = building.up_to_date(out, sources, command)
    if error:
        sys.exit(f"run.py: {error}")
    return out


def tool_path(name):
    source = os.path.join(HERE, "tools", name + ".cpp")
    if not os.path.exists(source):
        source = os.path.join(HERE, "tools", name + ".c")
    headers = glob.glob(os.path.join(HERE, "tools", "*.h")) + [f for f in glob.glob(os.path.join(ROOT, "include", "**"), recursive=True) if os.path.isfile(f)]
    return build(os.path.join(OUT, name + ".so"), [source] + headers, [LINCHPIN, "cc", "-g0", source, "-o", os.path.join(OUT, name + ".so")])


class Guest:
    def __init__(self, source):
        self.source = source
        self.name, ext = os.path.splitext(os.path.basename(source))
        self.bare = ext == ".S"
        with open(source) as f:
            text = f.read()
        self.counted = self.bare and "// counts: no" not in text
        only = re.search(r"^// modes: (.*)", text, re.M)
        self.modes = only[1].split() if only else list(MODES)
        never = re.search(r"^// not with: (.*)", text, re.M)
        if never and set(never[1].split()) & set(MORE):
            self.modes = []
        flags = ["-nostdlib", "-static", "-no-pie"] if self.bare else ["-std=gnu++17" if ext == ".cpp" else "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-no-pie", "-fno-inline", "-pthread"]
        out = os.path.join(OUT, self.name)
        self.path = build(out, [source] + glob.glob(os.path.join(HERE, "guests", "*.inc")), ["g++" if ext == ".cpp" else "gcc"] + WARN + flags + [source, "-o", out])
        self.read_symbols()
        self.read_cases()

    def read_symbols(self):
        text = subprocess.run(["nm", "-n", self.path], check=True, capture_output=True, text=True).stdout
        rows = [line.split() for line in text.splitlines()]
        self.labels = {r[2]: int(r[0], 16) for r in rows if len(r) == 3 and r[1] in "tTdDbBrR"}
        shown = [(v, k) for k, v in self.labels.items() if not k.startswith(("__", "_edata", "_end", "_fini", "_init", "_IO", "_DYN", "_GLOBAL"))]
        self.addresses = sorted(shown)
        self.end = self.labels.get("_end", 0)

    def read_cases(self):
        """[command line, expected lines, line number of the command] for each."""
        self.cases = []
        with open(self.source) as f:
            for line in f.read().splitlines():
                if line.startswith("//> "):
                    self.cases.append((line[4:], []))
                elif line.startswith("//= "):
                    self.cases[-1][1].append(line[4:])

    def symbolic(self, text):
        def name(match):
            value = int(match[0], 16)
            i = bisect.bisect_right(self.addresses, (value, "\x7f")) - 1
            if i < 0 or value >= self.end:
                return match[0]
            base, label = self.addresses[i]
            return label + (f"+{value - base}" if value > base else "")
        return re.sub(r"0x[0-9a-f]+", name, text)

    def options(self):
        return [f"{k}={v:#x}" for k, v in self.labels.items() if k.startswith("at_")]

    def run(self, tool, options, mode, engine=(), own=()):
        engine = [*engine, *MORE]
        settings = [word for option in options + self.options() for word in ("-set", option)]
        record = ["-api_calls", CALLS] if not MORE and mode == ("one" if "one" in self.modes else self.modes[0]) else []
        command = [LINCHPIN] + MODES[mode] + record + list(engine) + ["-t", tool_path(tool)] + settings + list(own) + ["--", self.path]
        return watch.run(command, TIMEOUT, cwd=OUT)


def matches(want, got):
    return re.fullmatch(want[1:].strip(), got) is not None if want.startswith("~") else want == got


def difference(want, got):
    for i in range(max(len(want), len(got))):
        w, g = (lines[i] if i < len(lines) else None for lines in (want, got))
        if w is None or g is None or not matches(w, g):
            return [f"line {i + 1}: expected {w!r}", f"line {i + 1}: printed  {g!r}"]
    return []


def golden_case(guest, command, want, mode):
    """The difference, and what was printed."""
    words = shlex.split(command)
    settings = dict(w.split("=", 1) for w in words[1:] if w.startswith(("status=", "err=")))
    options = [w for w in words[1:] if not w.startswith(("status=", "err=", "engine=", "tool="))]
    own = [w.split("=", 1)[1] for w in words[1:] if w.startswith("tool=")]
    engine = [w.split("=", 1)[1] for w in words[1:] if w.startswith("engine=")]
    got = guest.run(words[0], options, mode, engine, own)
    text = got.stderr if settings.get("err") else got.stdout
    other = got.stdout if settings.get("err") else got.stderr
    lines = guest.symbolic(text.replace(HERE + os.sep, "")).splitlines()
    bad = []
    if got.returncode != int(settings.get("status", 0)):
        bad.append(f"status {got.returncode}, expected {settings.get('status', 0)}")
    if other and not settings.get("err"):
        bad.append(f"standard error: {other.splitlines()[0]}")
    return bad + difference(want, lines), lines


def count_case(guest, stepper, mode):
    done = watch.run([stepper, guest.path], TIMEOUT)
    if done.returncode:
        return [f"stepper: status {done.returncode}, {done.stderr}"]
    steps, status = done.stdout.split()[-2:]
    got = guest.run("counts", [], mode)
    bad = [] if got.returncode == int(status) else [f"status {got.returncode}, natively {status}"]
    return bad + difference([f"ins {steps} block {steps} trace {steps}"], got.stdout.splitlines()[-1:])


def accept(guest):
    """Rewrites the guest's expected output."""
    printed = [golden_case(guest, command, want, "plain")[1] for command, want in guest.cases]
    out, case = [], -1
    with open(guest.source) as f:
        for line in f.read().splitlines():
            if line.startswith("//= ") or line == "//=":
                continue
            out.append(line)
            if line.startswith("//> "):
                case += 1
                old = guest.cases[case][1]
                new = [w if i < len(old) and (w := old[i]).startswith("~") else g for i, g in enumerate(printed[case])]
                out += ["//= " + l for l in new]
    with open(guest.source, "w") as f:
        f.write("\n".join(out) + "\n")


class Report:
    def __init__(self, verbose):
        self.verbose, self.passed, self.failed, self.skipped = verbose, 0, 0, 0

    def take(self, name, lines):
        if lines:
            self.failed += 1
            print(f"FAIL {name}: {lines[0]}", *lines[1:], sep="\n     ", flush=True)
        else:
            self.passed += 1
            if self.verbose:
                print(f"pass {name}", flush=True)

    def skip(self, name, why):
        self.skipped += 1
        print(f"skip {name}: {why}", flush=True)

    def attempt(self, name, function, *args):
        try:
            result = function(*args)
            self.take(name, result[0] if isinstance(result, tuple) else result)
        except subprocess.TimeoutExpired as e:
            self.take(name, e.stderr.decode(errors="replace").splitlines()[-30:])
        except (subprocess.CalledProcessError, IndexError) as e:
            self.take(name, [repr(e)])


def guests_find(filters):
    """All that match; each filter has to match one."""
    sources = sorted(glob.glob(os.path.join(HERE, "guests", "*.[Sc]*")))
    names = [os.path.splitext(os.path.basename(s))[0] for s in sources]
    idle = [f for f in filters if not any(re.search(f, name) for name in names)]
    if idle:
        print(f"run.py: no guest matches {' or '.join(idle)}", file=sys.stderr)
        sys.exit(2)
    return [Guest(s) for s, name in zip(sources, names) if not filters or any(re.search(f, name) for f in filters)]


def test(guest, modes, stepper, report):
    mine = [mode for mode in modes if mode in guest.modes]
    if not mine:
        report.skip(guest.name, f"it is for {' '.join(guest.modes) or 'no mode'} with these options, not for {' '.join(modes)}")
    if not guest.cases and not guest.counted:
        report.take(guest.name, ["no case: the source has no //> line, and is not counted"])
    for mode in mine:
        for command, want in guest.cases:
            report.attempt(f"{guest.name} {command} [{mode}]", golden_case, guest, command, want, mode)
        if guest.counted:
            report.attempt(f"{guest.name} counts [{mode}]", count_case, guest, stepper, mode)


def main():
    parser = argparse.ArgumentParser(description="Golden tests of the tool API.")
    parser.add_argument("filters", nargs="*", help="regular expressions; guests whose name matches one are run")
    parser.add_argument("--short", action="store_true", help="only the plain mode and one more")
    parser.add_argument("--engine", metavar="OPTION", action="append", default=[], help="an option of linchpin for all runs, as --engine=-no_dead; only the plain mode then")
    parser.add_argument("--accept", action="store_true", help="write what is printed as the expected output")
    parser.add_argument("-v", "--verbose", action="store_true", help="print passes too")
    opt = parser.parse_args()
    MORE.extend(opt.engine)
    if not opt.filters and not MORE:
        shutil.rmtree(CALLS, ignore_errors=True)
    os.makedirs(CALLS, exist_ok=True)
    modes = ["plain"] if MORE else ["plain", "one"] if opt.short else list(MODES)
    report = Report(opt.verbose)
    stepper = build(os.path.join(OUT, "stepper"), [os.path.join(HERE, "stepper.c")],
                    ["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-O1"] + WARN + [os.path.join(HERE, "stepper.c"), "-o", os.path.join(OUT, "stepper")])
    for guest in guests_find(opt.filters):
        if opt.accept:
            accept(guest)
        else:
            test(guest, modes, stepper, report)
    print(f"{report.passed} passed, {report.failed} failed" + (f", {report.skipped} skipped" if report.skipped else ""))
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
