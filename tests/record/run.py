#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recordings: the guests of tests/engine and real programs are recorded, and replayed where their files are not needed any more. A replay must end as the recorded run
did and write the same, and under tools it must give the same results each time, byte for byte: the number of instructions, and a trace of all accesses to memory.
usage: tests/record/run.py [--short] [name...]. The last line is `N passed, N failed, N skipped`."""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import run as runner  # noqa: E402

LINCHPIN, BUILD = runner.LINCHPIN, runner.BUILD
OUT = os.path.join(BUILD, "tests", "record")
# Of the guests, with --short: every kind of event.
SHORT = r"a_hello(\.musl)?$|a_(args|auxv\.pie|cpuid|tsc|brk|maps|smc_flip|smc_file|fault_load|fault_context|trapflag|vdso|vsyscall|gs|longjmp|exit_codes|death|memfd|stack_grow)$|" \
        r"b_sig_(handler|altstack|nanosleep|storm)$|b_fork$|b_vfork|b_(exec|spawn)\w*$|" \
        r"b_thr_(atomics|cond|cancel|robust_raw|main_exits|exit_race)$|b_ipc_futex$|b_sig_pingpong$"
# Guests whose children write something, which is not in a recording.
FORKS = r"b_(fork|vfork|exec|spawn|clone_|ps_)|a_death_child|b_ipc_fdpass|b_thr_(atfork|exec|robust_raw|vm_setxid)|b_sigx_exec"
# What is refused is refused by name.
REFUSED = rb"record: .* cannot be recorded"
MORE_BYTES = 3 << 20  # of a trace that is kept


def run(words, cwd, timeout=120, **more):
    return subprocess.run(words, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, **more)


def need(condition, what):
    if not condition:
        raise AssertionError(what)


class Skip(Exception):
    pass


def text(b, most=400):
    return b.decode(errors="replace")[-most:]


def record(where, words, **more):
    """Its result, and the folder of the recording. Skips what is refused."""
    got = run([LINCHPIN, "record", "-o", "rec", "--", *words], where, **more)
    if re.search(REFUSED, got.stderr):
        raise Skip(text(re.search(REFUSED + b".*", got.stderr)[0].split(b";")[0]))
    return got, os.path.join(where, "rec")


def replay(where, *options, tool=(), **more):
    return run([LINCHPIN, "replay", "rec", *options, *(["-t", *tool] if tool else [])], where, **more)


def same(first, again, what):
    need(first.returncode == again.returncode, f"{what}: status {again.returncode}, recorded {first.returncode}: {text(again.stderr)}")
    need(first.stdout == again.stdout, f"{what}: standard output differs: {text(first.stdout, 200)!r} {text(again.stdout, 200)!r}")
    need(first.stderr == again.stderr, f"{what}: standard error differs: {text(first.stderr, 200)!r} {text(again.stderr)!r}")


def results(where, tool, times, *more):
    """What a tool writes about a replay, each time; without the number of the process."""
    found = set()
    for i in range(times):
        out = os.path.join(where, f"{tool}.{i}")
        got = replay(where, tool=(tool, "-o", out, *more), timeout=600)
        need(b"replay: the run differs" not in got.stderr, f"{tool}: {text(got.stderr)}")
        with open(out, "rb") as f:
            found.add(re.sub(rb"process \d+", b"", f.read()))
        os.unlink(out)
    need(len(found) == 1, f"{tool}: {len(found)} results of {times} replays")
    return found.pop()


def guest(g, times):
    """Records a guest and replays it under no tool, instruction counting and a full memory trace."""
    with tempfile.TemporaryDirectory(prefix="lp-record-", ignore_cleanup_errors=True) as where:
        env = g.env()
        first, _ = record(where, g.argv("native"), env=env)
        need(b"record:" not in first.stderr, text(first.stderr))
        forks = re.match(FORKS, g.name)
        for _ in range(times):
            again = replay(where, "-replay:show_output")
            if forks:
                need(again.returncode == first.returncode or b"executes another one" in again.stderr, text(again.stderr))
            else:
                same(first, again, "replay")
        results(where, "inscount", times)
        results(where, "pinatrace", times)


def program(name, words, needs=(), lines=None):
    def case():
        for p in (words[0], *needs):
            if not shutil.which(p):
                raise Skip(f"there is no {p}")
        with tempfile.TemporaryDirectory(prefix="lp-record-", ignore_cleanup_errors=True) as where:
            if lines:
                lines(where)
            first, _ = record(where, words)
            need(b"record:" not in first.stderr, text(first.stderr))
            same(first, replay(where, "-replay:show_output"), name)
            results(where, "inscount", 2)
    case.__name__ = name
    return case


def c_source(where):
    with open(os.path.join(where, "x.c"), "w") as f:
        f.write("#include <stddef.h>\n" + "".join(f"int f{i}(int a, int b) {{ int s = 0; for (int i = 0; i < a; i++) s += i * b + {i}; return s; }}\n" for i in range(60)))


CC1 = subprocess.run(["gcc", "-print-prog-name=cc1"], capture_output=True, text=True).stdout.strip()
PROGRAMS = [
    program("python", ["/usr/bin/python3", "-c", "import os, time, json, random\nprint(time.time(), os.getpid(), random.random(), json.dumps(sorted(os.environ)))\n"
                       "print(hash('x'), id(object()), os.urandom(8).hex())"]),
    program("sqlite", ["sqlite3", ":memory:", "create table t(a,b); with recursive c(x) as (select 1 union all select x+1 from c where x<20000) insert into t select x,random()%1000 from c; "
                       "select count(*),sum(b) from t where a%7=3;"]),
    program("cc1", [CC1, "-quiet", "-O2", "-imultiarch", "x86_64-linux-gnu", "x.c", "-o", "-"], lines=c_source),
    program("perl", ["perl", "-e", 'my %h; $h{$_}=rand for 1..500; print join(",",%h),$$,time,"\\n";']),
]


def threads(what, count, traced):
    """A program whose outcome depends on how its threads come to run: each replay has it again, to the last access to memory."""
    def case():
        with tempfile.TemporaryDirectory(prefix="lp-record-", ignore_cleanup_errors=True) as where:
            exe = os.path.join(where, "threads")
            built = run(["cc", "-O2", "-pthread", "-o", exe, os.path.join(ROOT, "tests/record/threads.c")], where)
            need(built.returncode == 0, text(built.stderr))
            first, _ = record(where, [exe, what, str(count)])
            need(first.returncode == 0 and not first.stderr and first.stdout.startswith(what.encode()), f"{first.returncode} {text(first.stderr)}")
            for _ in range(1 if "--short" in sys.argv else 3):
                same(first, replay(where, "-replay:show_output"), what)
            results(where, "inscount", 2)
            if "--short" in sys.argv and what not in ("queue", "signals"):
                return
            shutil.rmtree(os.path.join(where, "rec"))
            record(where, [exe, what, str(traced)])
            results(where, "pinatrace", 2)
    case.__name__ = f"threads_{what}"
    return case


THREADS = [threads("race", 100000, 500), threads("spin", 20000, 200), threads("queue", 5000, 100), threads("signals", 200, 5), threads("barrier", 500, 30)]


# --- what damage, interruption and other places do ------------------------------------------------------------------------

def recorded(where, words=("sh", "-c", "i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; echo $i $$")):
    return record(where, list(words))


def damage():
    """Every damaged file is refused by its name and place, and nothing is shown that was not recorded."""
    with tempfile.TemporaryDirectory(prefix="lp-record-", ignore_cleanup_errors=True) as where:
        first, rec = recorded(where)
        log = os.path.join(rec, "log")
        with open(log, "rb") as f:
            good = f.read()
        places = [0, 8, 12, 30, 63, 64, 70, 90, 200, len(good) // 2, len(good) - 30, len(good) - 1]
        for kind in ("flip", "cut"):
            for at in places:
                with open(log, "wb") as f:
                    f.write(good[:at] + bytes([good[at] ^ 0x10]) + good[at + 1:] if kind == "flip" else good[:at])
                got = replay(where, "-replay:show_output")
                need(got.returncode == 1 and b"replay: " in got.stderr and b"rec/log" in got.stderr, f"{kind} at {at}: {got.returncode} {text(got.stderr)}")
                need(first.stdout.startswith(got.stdout), f"{kind} at {at}: {text(got.stdout)}")
        with open(log, "wb") as f:
            f.write(good)
        same(first, replay(where, "-replay:show_output"), "the whole one")


def elsewhere():
    """The program and the files that it has read are gone when it is replayed."""
    with tempfile.TemporaryDirectory(prefix="lp-record-", ignore_cleanup_errors=True) as where:
        copy, data = os.path.join(where, "prog"), os.path.join(where, "data")
        shutil.copy(shutil.which("sha256sum"), copy)
        with open(data, "wb") as f:
            f.write(os.urandom(100000))
        first, _ = record(where, [copy, data])
        with_file = results(where, "toprtn", 2)
        need(b"libc.so.6:" in with_file and b"prog:" in with_file, text(with_file))
        os.unlink(copy)
        os.unlink(data)
        same(first, replay(where, "-replay:show_output"), "replay")
        without = results(where, "toprtn", 2)
        need(b"prog:" in without, text(without))
        total = [re.search(rb"instructions: (\d+)", results(where, "inscount", 1))[1] for _ in range(2)]
        need(total[0] == total[1] and int(total[0]) > 100000, f"{total}")


def killed():
    """A recording whose program was killed is replayed up to there."""
    with tempfile.TemporaryDirectory(prefix="lp-record-", ignore_cleanup_errors=True) as where:
        p = subprocess.Popen([LINCHPIN, "record", "-o", "rec", "--", "sh", "-c", "echo one; echo two; while :; do :; done"], cwd=where, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        need(p.stdout.read(8) == b"one\ntwo\n", "no output")
        p.kill()
        p.wait()
        p.stdout.close()
        got = replay(where, "-replay:show_output")
        need(got.stdout in (b"one\n", b"one\ntwo\n") and b"the recording was cut off here" in got.stderr, f"{got.stdout} {text(got.stderr)}")
        need(got.returncode == 0, f"status {got.returncode}")


def interrupted():
    """A signal that ends the program ends its replay, too."""
    with tempfile.TemporaryDirectory(prefix="lp-record-", ignore_cleanup_errors=True) as where:
        p = subprocess.Popen([LINCHPIN, "record", "-o", "rec", "--", "sh", "-c", "echo one; echo two; while :; do :; done"], cwd=where, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        need(p.stdout.read(8) == b"one\ntwo\n", "no output")
        p.send_signal(2)
        need(p.wait() == -2, f"status {p.returncode}")
        p.stdout.close()
        got = replay(where, "-replay:show_output")
        need(got.stdout == b"one\ntwo\n" and got.returncode == -2, f"{got.returncode} {got.stdout} {text(got.stderr)}")


def full():
    """A disk that is full ends the recording, not the program, and what there is can be replayed."""
    with tempfile.TemporaryDirectory(prefix="lp-record-", ignore_cleanup_errors=True) as where:
        words = ["sh", "-c", "ulimit -f 8000; exec " + LINCHPIN + " record -o rec -- head -c 20000000 /dev/urandom"]
        got = run(words, where, preexec_fn=lambda: __import__("signal").signal(__import__("signal").SIGXFSZ, __import__("signal").SIG_IGN))
        need(got.returncode == 0 and len(got.stdout) == 20000000 and b"can be replayed up to here" in got.stderr, f"{got.returncode} {text(got.stderr)}")
        again = replay(where, "-replay:show_output")
        need(again.returncode == 0 and again.stdout and got.stdout.startswith(again.stdout), f"{again.returncode} {text(again.stderr)}")
        need(b"cut off here" in again.stderr, text(again.stderr))


def silent():
    """A replay writes no file and shows nothing, unless it is asked to."""
    with tempfile.TemporaryDirectory(prefix="lp-record-", ignore_cleanup_errors=True) as where:
        first, _ = record(where, ["sh", "-c", "echo shown; echo x > made; echo y >&2"])
        need(first.stdout == b"shown\n" and first.stderr == b"y\n", text(first.stderr))
        os.unlink(os.path.join(where, "made"))
        got = replay(where)
        need((got.returncode, got.stdout, got.stderr) == (0, b"", b""), f"{got}")
        need(not os.path.exists(os.path.join(where, "made")), "the file is there again")


def refused():
    """What cannot be recorded is refused by name, and what was recorded until then is replayed."""
    guest = next(g for g in runner.guest_find([]) if g.name == "a_int80")
    build(guest)
    with tempfile.TemporaryDirectory(prefix="lp-record-", ignore_cleanup_errors=True) as where:
        first = run([LINCHPIN, "record", "-o", "rec", "--", guest.path], where)
        need(first.returncode == 1 and b"32-bit system call" in first.stderr and b"cannot be recorded" in first.stderr, text(first.stderr))
        got = replay(where, "-replay:show_output")
        need(got.returncode == 0 and b"cannot be recorded" in got.stderr and first.stdout.startswith(got.stdout), f"{got.returncode} {text(got.stderr)}")
        again = run([LINCHPIN, "record", "-o", "rec", "--", "true"], where)
        need(again.returncode == 1 and b"has a recording already" in again.stderr, text(again.stderr))


def children():
    """With -follow_execv each program that is executed has a recording of its own, of which a list tells."""
    with tempfile.TemporaryDirectory(prefix="lp-record-", ignore_cleanup_errors=True) as where:
        c_source(where)
        script = "echo one; /bin/echo two; gcc -O1 -c x.c || exit 9; exec /bin/echo three"
        first = run([LINCHPIN, "record", "-follow_execv", "-o", "rec", "--", "sh", "-c", script], where)
        need(first.returncode == 0 and first.stdout == b"one\ntwo\nthree\n" and not first.stderr, f"{first.returncode} {first.stdout} {text(first.stderr)}")
        got = replay(where, "-replay:show_output")
        need(got.stdout == b"one\n" and b"executes another one" in got.stderr, f"{got.stdout} {text(got.stderr)}")
        with open(os.path.join(where, "rec/programs"), encoding="utf-8") as f:
            programs = [line.rstrip("\n").split("\t") for line in f]
        shown, names = [], [os.path.basename(path) for _, path in programs]
        need(any(n.startswith("cc1") for n in names) and len(names) >= 4, f"{names}")
        for folder, path in programs:
            again = run([LINCHPIN, "replay", "rec/" + folder, "-replay:show_output"], where)
            ended = not again.stderr or b"executes another one" in again.stderr
            need(again.returncode == 0 and ended, f"{path}: {again.returncode} {text(again.stderr)}")
            shown.append(again.stdout)
        need(sorted(s for s in shown if s) == [b"three\n", b"two\n"], f"{shown}")


def pinplay():
    """A tool that includes pinplay.H knows what it runs under, and refuses what it does not."""
    with tempfile.TemporaryDirectory(prefix="lp-record-", ignore_cleanup_errors=True) as where:
        tool = os.path.join(where, "pp.so")
        built = run([LINCHPIN, "cc", "-o", tool, os.path.join(ROOT, "tests/record/pinplay.cpp")], where)
        need(built.returncode == 0, text(built.stderr, 2000))
        said = rb"logger (\d) (.*), replayer (\d) (.*), instructions (\d+)\n"
        plain = run([LINCHPIN, "-t", tool, "--", "/bin/echo", "a"], where)
        need(re.fullmatch(said, plain.stderr)[1] == b"0" and plain.stdout == b"a\n", text(plain.stderr))
        for option, how in (("-replay", b"linchpin replay"), ("-log", b"linchpin record")):
            got = run([LINCHPIN, "-t", tool, option, "--", "/bin/echo", "a"], where)
            need(got.returncode == 1 and how in got.stderr and not got.stdout, f"{option}: {got.returncode} {text(got.stderr)}")
        logged = run([LINCHPIN, "record", "-o", "rec", "-t", tool, "-log", "-log:basename", "x", "--", "/bin/echo", "a"], where)
        again = replay(where, tool=(tool, "-replay", "-replay:basename", "x"))
        a, b = re.fullmatch(said, logged.stderr), re.fullmatch(said, again.stderr)
        need(a and b and a[1] == b"1" and a[2].endswith(b"/rec") and b[3] == b"1" and b[4].endswith(b"/rec") and b[1] == a[3] == b"0", f"{text(logged.stderr)} {text(again.stderr)}")
        need(a[5] == b[5], f"{a[5]} instructions recorded, {b[5]} replayed")


GDB = ["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off"]
SESSION = ["set pagination off", "break main", "continue", "print $rsp", "break note if eaten == 150", "continue", "print digest", "delete", "stepi", "stepi", "print $rip", "finish", "next",
           "watch eaten", "continue", "print eaten", "info threads", "bt", "delete", "continue"]


def session(where):
    """What gdb says of a replay, and what the replay says."""
    p = subprocess.Popen([LINCHPIN, "replay", "rec", "-appdebug", "-replay:show_output"], cwd=where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        port = next(found[1] for line in p.stdout if (found := re.search(r"target remote :(\d+)", line)))
        words = [w for command in [f"target remote 127.0.0.1:{port}", *SESSION] for w in ("-ex", command)]
        said = run([*GDB, *words], where)
        out, _ = p.communicate(timeout=60)
        return re.sub(r"Thread \d+(\.\d+)?|:%s\b" % port, "Thread", said.stdout.decode()), out
    finally:
        p.kill()
        p.wait()


def debugger():
    """gdb on a replay of a program with threads: each session sees the same, and the program does what it did."""
    if not shutil.which("gdb"):
        raise Skip("there is no gdb")
    with tempfile.TemporaryDirectory(prefix="lp-record-", ignore_cleanup_errors=True) as where:
        exe = os.path.join(where, "threads")
        built = run(["cc", "-g", "-O1", "-pthread", "-o", exe, os.path.join(ROOT, "tests/record/threads.c")], where)
        need(built.returncode == 0, text(built.stderr))
        first, _ = record(where, [exe, "queue", "200"])
        said = [session(where) for _ in range(2)]
        need(said[0] == said[1], f"two sessions differ: {said[0][0][-600:]} {said[1][0][-600:]}")
        for word in ("Breakpoint 1, main", "Breakpoint 2, note", "Old value = 15", "exited normally"):
            need(word in said[0][0], f"gdb does not say {word}: {said[0][0][-900:]}")
        need(said[0][1].endswith(first.stdout.decode()), said[0][1])


CASES = [children, pinplay, debugger, refused, damage, elsewhere, killed, interrupted, full, silent] + THREADS + PROGRAMS


def build(g):
    missing = g.missing()
    if missing:
        raise Skip(f"there is no {missing}")
    error = g.build()
    need(not error, error)


def one(name, fn, *args):
    try:
        fn(*args)
        return name, "pass", ""
    except Skip as e:
        return name, "skip", str(e)
    except subprocess.TimeoutExpired as e:
        return name, "FAIL", f"it did not end: {e.cmd}"
    except AssertionError as e:
        return name, "FAIL", str(e)


def guest_case(g, times):
    build(g)
    guest(g, times)


def main():
    short, names = "--short" in sys.argv, [a for a in sys.argv[1:] if a != "--short"]
    os.makedirs(runner.OUT, exist_ok=True)
    guests = [g for g in runner.guest_find([]) if not g.set.get("wrap") and "stdin" not in g.set and "core" not in g.set]
    if short:
        guests = [g for g in guests if re.match(SHORT, g.name)]
    jobs = [(g.name, guest_case, g, 1 if short else 3) for g in guests] + [(c.__name__, c) for c in CASES]
    jobs = [j for j in jobs if not names or any(re.search(n, j[0]) for n in names)]
    count = {"pass": 0, "FAIL": 0, "skip": 0}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, kind, why in pool.map(lambda j: one(*j), jobs):
            count[kind] += 1
            if kind != "pass":
                print(f"{kind} {name}: {why}", flush=True)
    print(f"{count['pass']} passed, {count['FAIL']} failed, {count['skip']} skipped")
    return 1 if count["FAIL"] or not count["pass"] else 0


if __name__ == "__main__":
    sys.exit(main())
