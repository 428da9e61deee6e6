#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of probe mode: programs run natively and with probes, and must do the same.

tests/probe/guests are the programs, tests/probe/tools the tools. `every` puts probes at all functions of an image, in one of
four ways; `wrap` does what a tool may do at a probe, with arguments and contexts; `cycle` takes probes out and places them
again while threads run, `attach` comes to a program that runs already. The long form (make check-probe) puts probes at every function of libc and of the C++ library, in
small groups or one by one (--each), and lets them come and go 10,000 times.

The last line is `N passed, N failed`.
"""
import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import building  # noqa: E402
import watch  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
LINCHPIN = os.environ.get("LINCHPIN", os.path.join(BUILD, "bin", "linchpin"))
OUT = os.path.join(BUILD, "tests", "probe")
CALLS = os.path.join(BUILD, "tests", "api", "calls", "probe")  # which functions the tools have called: for checklist.py
WARN = ["-Wall", "-Wextra", "-Werror"]
HOW = ("light", "heavy", "replace", "after")
MUST_REFUSE = {"into_start", "loops_to_start", "call_register", "table_inside"}
TIMEOUT = 120
# what the command says of a tool that has not answered in time, as on a machine that is busy
SLOW = re.compile(r"^linchpin: process \d+: (the tool takes long to start: its main has not come to PIN_StartProgram[.]|the tool takes long to leave: it is in |"
                  r"its tool takes long to answer[.]).*\n", re.MULTILINE)
counts = {"passed": 0, "failed": 0}


def build(out, source, command):
    error = building.up_to_date(out, [source], command)
    if error:
        sys.exit(f"run.py: {error}")
    return out


def guest(name, *flags, out=None):
    source = next(p for p in (os.path.join(HERE, "guests", name + ext) for ext in (".c", ".cpp")) if os.path.exists(p))
    compiler = ["g++", "-std=gnu++17"] if source.endswith("pp") else ["gcc", "-std=gnu11", "-D_GNU_SOURCE"]
    path = os.path.join(OUT, out or name)
    return build(path, source, compiler + ["-O1", "-g", "-pthread"] + WARN + list(flags) + [source, "-o", path])


def tool(name):
    path = os.path.join(OUT, name + ".so")
    return build(path, os.path.join(HERE, "tools", name + ".cpp"), [LINCHPIN, "cc", os.path.join(HERE, "tools", name + ".cpp"), "-o", path])


def check(what, error):
    counts["failed" if error else "passed"] += 1
    if error:
        print(f"FAIL {what}: {error}", flush=True)
    elif VERBOSE:
        print(f"ok {what}", flush=True)


def probed(tool_name, options, command, engine=(), limit=TIMEOUT):
    """Output and status of the program, and what the tool has written."""
    result = os.path.join(OUT, f"result.{os.getpid()}")
    if os.path.exists(result):
        os.unlink(result)
    done = watch.run([LINCHPIN, *engine, "-api_calls", CALLS, "-t", tool(tool_name), *options, "-o", result, "--", *command], limit, cwd=OUT)
    text = ""
    if os.path.exists(result):
        with open(result) as f:
            text = f.read()
        os.unlink(result)
    return done, text


def differs(native, done):
    if native.returncode != done.returncode:
        return f"status {done.returncode}, natively {native.returncode}: {done.stderr[-300:]}"
    if native.stdout != done.stdout:
        return f"output {done.stdout[-300:]}, natively {native.stdout[-300:]}"
    if done.stderr != native.stderr:
        return f"errors {done.stderr[-300:]}"
    return None


def every(name, command, image, how, options=(), engine=(), hits=True):
    """Probes at all functions of an image; the numbers that the tool gives."""
    native = watch.run(command, TIMEOUT, cwd=OUT)
    done, text = probed("every", ["-image", image, "-how", how, "-names", "1", *options], command, engine)
    error = differs(native, done)
    words = text.split("\n")[0].split()
    numbers = {words[i]: int(words[i + 1]) for i in range(0, len(words) - 1, 2)} if words else {}
    if not error and (not numbers or (hits and not numbers["hits"])):
        error = f"the tool has said {text[:200]!r}"
    check(f"{name} {how} {' '.join(options)}".strip(), error)
    return numbers, {line.split()[0] for line in text.split("\n")[1:] if line}


def programs():
    static = ["-static"]
    for how in HOW:
        for name, flags in (("threads", []), ("threads", static), ("shapes", []), ("shapes", static), ("state", [])):
            out = name + ("_static" if flags else "")
            path = guest(name, *flags, out=out)
            # a static program has libc's own functions, too: calls after all of those are not possible (PB6)
            if how in ("replace", "after") and (flags or name == "state"):
                continue
            options = [] if how in ("light", "heavy") or name != "threads" else ["-only", "work,fill,body,bare" if how == "replace" else "work,mix,fill,body,bare"]
            _, refused = every(out, [path], out, how, options)
            if name == "shapes":
                missing = MUST_REFUSE - refused
                check(f"{out} {how} refused", f"not refused: {missing}" if missing else None)
                placed = {"packed_a", "one_byte", "three_bytes", "endbr", "loop_first", "call_first"} & refused
                check(f"{out} {how} placed", f"refused: {placed}" if placed else None)
    for how in HOW:
        options = [] if how in ("light", "heavy") else ["-only", "_ZL5inneri,_ZL5outeriPi"]
        every("unwind", [guest("unwind")], "unwind", how, options, hits=how != "after")  # the functions never return


def moving():
    """PB23: functions are moved as a whole if the tool allows it, also while threads are in them."""
    movable, fixed = {"into_start", "loops_to_start", "counts", "visits", "factors", "near_calls"}, {"call_register", "table_inside", "jumps"}
    for name in ("shapes", "moved"):
        for how in HOW:
            for move in ("0", "1"):
                only = ["-only", "counts,visits,factors,jumps,near_calls"] if name == "moved" else []
                if how == "after" and name == "moved":
                    only = ["-only", "counts,factors,jumps,near_calls"]
                _, names = every(name, [guest(name)], name, how, ["-move", move, *only], hits=move == "1")
                wrong = names & movable if move == "1" else set()
                check(f"{name} {how} -move {move}: refused", f"refused: {wrong}" if wrong or not names & fixed else None)


def loading():
    lib = guest("loadlib", "-shared", "-fPIC", out="loadlib.so")
    for how in HOW:
        numbers, _ = every("load", [guest("load"), lib], "loadlib.so", how, ["-only", "loaded_function"])
        check(f"load {how} constructors", None if numbers.get("hits") == 6 else f"{numbers}: 6 calls, 3 of them by constructors")


def children():
    path = guest("spawns")
    native = watch.run([path], TIMEOUT, cwd=OUT)
    for engine in ([], ["-follow_execv"]):
        done, text = probed("every", ["-image", "spawns", "-how", "heavy", "-only", "visited", "-append", "1"], [path], engine)
        met = sum(int(line.split()[9]) for line in text.splitlines() if line.startswith("functions"))
        want = 5 if engine else 1
        check(f"spawns {' '.join(engine)}", differs(native, done) or (None if met == want else f"{met} calls met, {want} made:\n{text}"))


def vforks():
    """Children of vfork have their own copy of the tool, which is told of them, and their parents wait for them."""
    for name, flags in (("vforks", []), ("vforks_static", ["-static"])):
        path = guest("vforks", *flags, out=name)
        native = watch.run([path], TIMEOUT, cwd=OUT)
        for engine in ([], ["-follow_execv"]):
            done, text = probed("vforks", [], [path], engine)
            check(f"{name} {' '.join(engine)}", differs(native, done) or (None if text == "before\nchild\nparent\n" * 3 else text))
        done, _ = probed("vforks", ["-ends", "1"], [path], ["-follow_execv"])
        check(f"{name} whose children end", None if done.returncode == 0 and done.stdout.endswith("5 9 2\n") else f"status {done.returncode}, {done.stdout}, {done.stderr[-300:]}")


def starting():
    """The mode is the option's; without it, that of the function that starts the program. Callbacks of the other mode are refused."""
    path = guest("state")
    for options, how, want in (([], "StartProgram", "main 0\nimage 0\n"), ([], "StartProgramProbed", "main 0\nimage 1\n"),
                               (["-probe"], "StartProgram", "main 1\nimage 1\n"), (["-probe"], "StartProgramProbed", "main 1\nimage 1\n")):
        done, text = probed("start", ["-how", how], [path], options)
        check(f"start {how} {options}", None if done.returncode == 0 and text == want else f"{text!r}, {done.stderr[-300:]}")
    for how, callback, want in (("StartProgram", "detach", "Probe mode callback can be used only with PIN_StartProgramProbed"),
                                ("StartProgramProbed", "thread", "JIT mode callback can be used only with PIN_StartProgram")):
        done, text = probed("start", ["-how", how, "-callback", callback], [path])
        check(f"start {how} with {callback}", None if done.returncode == 1 and want in done.stderr and "image" not in text else f"status {done.returncode}: {text!r}, {done.stderr[-300:]}")
    # what is ignored goes on to the next program, too
    for how in ("StartProgram", "StartProgramProbed"):
        done, text = probed("start", ["-how", how], ["/bin/sh", "-c", "exec /bin/echo there"], ["-follow_execv", "-mt", "1", "-p64", "none"])
        check(f"start {how} twice", None if done.stdout == "there\n" and text.count("image") == 2 else f"{done.stdout!r}: {text!r}, {done.stderr[-300:]}")


def wrapping():
    for name, flags in (("threads", []), ("threads_static", ["-static"])):
        path = guest("threads", *flags, out=name)
        native = watch.run([path], TIMEOUT, cwd=OUT)
        done, text = probed("wrap", [], [path])
        parent = "status 5 wrong 0 mixes 1 fills 4800 jumps 0 bodies 12 forks 3 3 0 inserted 1 bares 1 threads 1"
        lines = [line for line in text.splitlines() if line]
        error = differs(native, done)
        child = [f"status 3 wrong 0 mixes 1 fills 5200 jumps 0 bodies 13 forks {i} {i - 1} 1 inserted 1 bares 1 threads 1" for i in (1, 2, 3)]
        if not error and lines != child + [parent]:
            error = text
        check(f"wrap {name}", error)


def jumping():
    for name, flags in (("jumps", []), ("jumps_static", ["-static"])):
        done, text = probed("jumps", [], [guest("jumps", *flags, out=name)])
        right = done.stdout == "1.0 0\n15 15 2\n8 15 2, 2 removed\n" and text == "calls 1 wrong 0\n" and done.returncode == 0
        check(f"{name} are led elsewhere, and back", None if right else f"status {done.returncode}, {done.stdout!r}, {text!r}, {done.stderr[-300:]}")


def come_and_go(times):
    path = guest("come_and_go")
    # each time all threads are stopped, twice, by a program that is executed for that
    done, text = probed("cycle", ["-n", str(times)], [path], limit=TIMEOUT + times // 4)
    check(f"come and go {times} times", None if done.returncode == 0 and text == f"cycles {times} met told told\n" and done.stdout == "done\n" else
          f"status {done.returncode}, {done.stdout}, {text!r}, {done.stderr[-300:]}")


def patchers(pid):
    """The commands that stop its threads at this moment."""
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError, ValueError), open(f"/proc/{int(name)}/cmdline", "rb") as f:
            if f.read().split(b"\0")[1:3] == [b"patch", str(pid).encode()]:
                yield int(name)


def killed(times, sig):
    """A program that is killed while its threads are stopped for a patch ends, and so does the command that has stopped them."""
    with subprocess.Popen([LINCHPIN, "-probe", "-t", tool("cycle"), "-n", "1000000000", "--", guest("come_and_go")], stdout=subprocess.DEVNULL) as p:
        end = time.monotonic() + watch.patience(TIMEOUT)
        while p.poll() is None and times and time.monotonic() < end:
            times -= any(True for _ in patchers(p.pid))
        p.send_signal(sig)
        try:
            status = p.wait(watch.patience(30))
        except subprocess.TimeoutExpired:
            status = "no end"
            for pid in patchers(p.pid):
                os.kill(pid, signal.SIGKILL)
            p.kill()
    left = list(patchers(p.pid))
    check(f"{sig.name} while it is patched", None if status == -sig and not times else f"{status}, not seen {times} times, still there {left}")


def attaching(ends):
    """PB18: a running program is attached to, asked for results, and detached from by command, or ends under the tool."""
    result = os.path.join(OUT, f"result.{os.getpid()}")
    with subprocess.Popen([guest("attached")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as p, contextlib.suppress(BrokenPipeError):
        def ask(*words):
            for word in words:
                p.stdin.write(word + "\n")
            p.stdin.flush()
            return [p.stdout.readline().strip() for _ in words]

        def command(*words):
            done = watch.run([LINCHPIN, *words], TIMEOUT, cwd=OUT)
            return done.returncode, SLOW.sub("", done.stderr)

        try:
            p.stdout.readline()
            before = ask("more", "mask")
            attach = command("-api_calls", CALLS, "-pid", str(p.pid), "-t", tool("attach"), "-threads", "10", "-o", result)
            told = [before, attach, ask("more", "code", "mask"), command("dump", str(p.pid))]
            if not ends:
                told += [command("detach", str(p.pid)), ask("more", "code", "mask")]
                told += [command(*words) for words in (["detach", str(p.pid)], ["dump", str(p.pid)])]
                for _ in range(2):  # another engine comes, and the one before is not seen
                    told += [command("-pid", str(p.pid), "-t", tool("attach"), "-threads", "10", "-o", result), ask("more", "code", "mask"), command("dump", str(p.pid)),
                             command("detach", str(p.pid)), ask("more", "code", "mask"), command("dump", str(p.pid))]
            rest = p.communicate(timeout=TIMEOUT)[0]
        except (OSError, subprocess.TimeoutExpired) as e:
            rest = str(e)
        finally:
            p.kill()
    text = ""
    if os.path.exists(result):
        with open(result) as f:
            text = f.read()
        os.unlink(result)
    whole = "hits 1 early 0 first 1 came 10 left"
    want = [["more", "mask 1"], (0, ""), ["more", "code changed", "mask 2"], (0, "")]
    if not ends:
        want += [(0, ""), ["more", "code as it was", "mask 2"],
                 (1, f"linchpin: process {p.pid} cannot be detached from: the tool has left it already\n"),
                 (1, f"linchpin: process {p.pid}: its tool has left it\n")]
        want += 2 * [(0, ""), ["more", "code changed", "mask 2"], (0, ""), (0, ""), ["more", "code as it was", "mask 2"], (1, f"linchpin: process {p.pid}: its tool has left it\n")]
    lines = [f"dump {whole} 0"] + ([f"exit {whole} 0", f"fini 7 {whole} 0"] if ends else [f"{what} {whole} 10" for what in ("leaving", "detached", "fini 0")])
    lines *= 1 if ends else 3
    what = "attach" if ends else "attach and detach"
    wrong = [f"{got!r} in place of {right!r}" for got, right in zip(told, want) if got != right]
    check(what, ", ".join(wrong) or (None if rest == "done\n" and p.returncode == 7 else f"{rest!r}, status {p.returncode}"))
    check(f"{what}: what the tool hears", None if text.splitlines() == lines else text)


def library(image, commands, groups, how):
    """All functions of a library, in so many groups."""
    native = {tuple(c): watch.run(c, TIMEOUT, cwd=OUT) for c in commands}
    done, text = probed("every", ["-image", image, "-how", how], list(commands[0]))
    total = int(text.split()[1]) if text else 0
    check(f"{image}: there are functions", None if total > 100 else text or f"status {done.returncode}")
    long_ones = refused = 0
    step = max(1, (total + groups - 1) // groups)
    for first in range(0, total, step):
        for command in commands:
            done, text = probed("every", ["-image", image, "-how", how, "-first", str(first), "-last", str(first + step)], list(command))
            words = text.split()
            check(f"{image} {how} {first} to {first + step}: {command[0]}", differs(native[tuple(command)], done) or (None if words else "no result"))
        if words:
            long_ones += int(words[3]) + int(words[5])
            refused += int(words[5])
    check(f"{image} {how}: at least 95% of functions take a probe ({refused} of {long_ones} refused)", None if refused * 20 <= long_ones else "too many")


def compiler(short):
    """All functions of the compiler's C++ libraries at once, 85 and 95 thousand: what it compiles must be the same, byte by byte."""
    clang = shutil.which("clang++")
    if not clang:
        print("  clang is missing: not tried")
        return
    source, command = os.path.join(HERE, "guests", "unwind.cpp"), [clang, "-O2", "-g", "-c", "-o"]
    want, got = os.path.join(OUT, "unwind.native.o"), os.path.join(OUT, "unwind.probed.o")
    subprocess.run([*command, want, source], check=True, cwd=OUT)
    with open(want, "rb") as f:
        right = f.read()
    for image, how in [("libclang-cpp", "light")] + ([] if short else [("libclang-cpp", "heavy"), ("libLLVM", "light"), ("libLLVM", "heavy")]):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(got)
        done, text = probed("every", ["-image", image, "-how", how], [*command, got, source])
        words = text.split()
        error = f"status {done.returncode}: {done.stderr[-300:]}" if done.returncode or done.stderr or not words else None
        if not error:
            with open(got, "rb") as f:
                error = None if f.read() == right else "the object is another one"
        numbers = {words[i]: int(words[i + 1]) for i in range(0, len(words) - 1, 2)}
        check(f"{image} {how}: the same object", error or (None if numbers["functions"] > 50000 and numbers["hits"] > 1000000 else text))
        check(f"{image} {how}: at least 95% of functions take a probe", None if numbers and numbers["refused"] * 20 <= numbers["placed"] else text)


LIBC = [["/bin/ls", "-l", "/etc"], ["/bin/sh", "-c", "printf '%s %5.2f\\n' a 1.5; echo $((7*6)) | sort; date -u -d @0 +%c"]]
CXX = [[sys.executable, "-c", "print(sorted(str(i) for i in range(50))[:3])"]]


def main():
    global VERBOSE
    p = argparse.ArgumentParser()
    p.add_argument("--short", action="store_true", help="what make check runs")
    p.add_argument("--each", action="store_true", help="libraries: one function at a time")
    p.add_argument("--only", default="", help="only the parts with this in their names")
    p.add_argument("-v", "--verbose", action="store_true")
    args = p.parse_args()
    VERBOSE = args.verbose
    os.makedirs(OUT, exist_ok=True)
    os.makedirs(CALLS, exist_ok=True)
    many = 1 << 20 if args.each else 400
    parts = {"programs": programs, "loading": loading, "children": children, "vforks": vforks, "starting": starting, "wrapping": wrapping, "jumping": jumping, "moving": moving,
             "attaching": lambda: [attaching(ends) for ends in (True, False)],
             "come_and_go": lambda: [come_and_go(30 if args.short else 10000), *(killed(n, sig) for n in range(1, 4 if args.short else 30) for sig in ((signal.SIGKILL,) if args.short else (signal.SIGKILL, signal.SIGTERM)))],
             "libc": lambda: [library("libc.so.6", LIBC, 2 if args.short else many, how) for how in (("light", "heavy") if args.short else ("light", "heavy", "replace", "after"))],
             "compiler": lambda: compiler(args.short),
             "libstdc++": lambda: library("libstdc++.so", [[guest("unwind")]], 2 if args.short else many, "heavy")}
    chosen = [f for name, f in parts.items() if args.only in name]
    if not chosen:
        return 2
    for f in chosen:
        f()
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] else 0


VERBOSE = False
if __name__ == "__main__":
    sys.exit(main())
