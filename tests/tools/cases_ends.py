# SPDX-License-Identifier: Apache-2.0
"""Results are there however the program ends: exit, signals, another program executed, a fork, a detach; and in between (linchpin dump). How far it is (-progress)."""
import json
import os
import pty
import re
import signal
import subprocess
import tempfile

from harness import ENV, LINCHPIN, PROBED, TOOLS, equal, guest, run, steps

# What does not come to a result by itself, or writes it elsewhere.
OPTIONS = {"memtrace": ["-trace", "/dev/null"], "itrace": ["-limit", "1000"], "regval": ["-rtn", "twice"], "fence": ["-stop", "0"], "profile": ["-top", "0"], "bbv": ["-vectors", guest("vectors-%p")]}


def command(tool, results, how, *more):
    return [LINCHPIN, *more, "-t", tool, *OPTIONS.get(tool, []), "-o", results, "--", guest("ends"), how]


def read(path):
    with open(path) as f:
        return f.read()


class Running:
    """A program under a tool that is up and goes on until it is ended."""

    def __init__(self, tool, results, how, *more, lines=0):
        self.process = subprocess.Popen(command(tool, results, how, *more), env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.lines = [self.process.stdout.readline() for _ in range(lines)]
        equal("up", self.process.stdout.readline(), "up\n")

    def __enter__(self):
        return self.process

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def by_signal(tool, sig):
    with tempfile.TemporaryDirectory() as d, Running(tool, os.path.join(d, "r"), "spin") as p:
        p.send_signal(sig)
        equal("status", p.wait(60), -sig)
        text = read(os.path.join(d, "r"))
        assert text.strip(), "no results"
        if text.startswith(tool + ": "):
            assert f"ended by signal {int(sig)} " in text.split("\n")[0], text[:300]


def gone(tool, pid):
    """The engine, or in probe mode, where it stays in memory, its handlers of signals."""
    with open(f"/proc/{pid}/maps") as f:
        assert ("linchpin-vm" in f.read()) == (tool in PROBED)
    with open(f"/proc/{pid}/status") as f:
        equal("caught signals", re.search(r"^SigCgt:\t(\w+)$", f.read(), re.M)[1], "0" * 16)


# Ends of the children of `ends each`: what waitpid says, and how a result's head begins and ends.
ENDS = [(0, "status 0"), (signal.SIGINT, "ended by signal 2 "), (signal.SIGTERM, "ended by signal 15 "), (signal.SIGSEGV, "ended by signal 11 "), (0, "executed /bin/true"), (signal.SIGSEGV, "ended by signal 11 ")]
# Parts of results that depend on how often the parent has forked before (the state of a model), on the end itself, or on the clock: those lines, or what stands for them.
SAME = {"cache": r"^(?:reads|writes|instructions): .*", "bpred": r"^branches: .*", "heapcheck": r"^(?:allocations|frees|allocated): .*", "strace": r"^\d+ (?!kill|execve|exit_group|getpid|clone).*", "lockprof": r"locked \d+ times|\d+ locks|^\d+ mutexes",
        "memtrace": r"^accesses: .*", "bbv": r"^\d+ instructions in \d+ intervals", "profile": r"^.*\d.*"}
SAME.update({"iolatency": r"^(?:calls|errors|read|written): .*", "lockwait": r"^(?:calls|contended|refused): .*"})
SAME.update({"dcache": SAME["cache"], "allcache": SAME["cache"]})


def head_of(tool, text):
    """Of a result that has one."""
    return text.split("\n")[0] if text.startswith(tool + ": ") else None


def body(tool, text):
    text = re.sub(rf"\A{tool}: .*\n", "", text)
    return sorted(re.findall(SAME[tool], text, re.M)) if tool in SAME else text


def by_each(tool):
    """Children of a fork that have done the same up to one instruction, and then end by exit, by signals and by executing another program: each has results, and those that it has at
    an exit. The parent's are there when a dump asks for them, and when the tool is taken out."""
    with tempfile.TemporaryDirectory() as d:
        results = os.path.join(d, "r")
        running = Running(tool, results, "each", lines=len(ENDS))
        with running as p:
            pids, texts = [line.split()[0] for line in running.lines], []
            for line, (status, end) in zip(running.lines, ENDS):
                pid, got = line.split()
                equal(end, int(got) & 0x7f, status)
                texts.append(read(f"{results}.{pid}"))
                head = head_of(tool, texts[-1])
                assert texts[-1].strip() and (head is None or f"process {pid}, {end}" in head), (end, texts[-1][:300])
            expected = body(tool, texts[0])
            assert expected, texts[0][:300]
            for text, (_, end) in zip(texts[1:-1], ENDS[1:-1]):
                other = body(tool, text)
                at = next((i for i, (a, b) in enumerate(zip(other, expected)) if a != b), min(len(other), len(expected)))
                assert other == expected, (end, at, other[max(at - 200, 0):at + 200], expected[max(at - 200, 0):at + 200])
            for command, end in (("dump", "so far"), ("detach", "detached")):
                got = run([LINCHPIN, command, str(p.pid)])
                equal(command, (got.returncode, got.stderr), (0, ""))
                text = read(results)
                head = head_of(tool, text)
                assert text.strip() and (head is None or head.endswith(f"process {p.pid}, {end}")), text[:300]
            equal("it goes on", p.poll(), None)
            gone(tool, p.pid)
            equal("files", sorted(os.listdir(d)), sorted(["r"] + ["r." + pid for pid in pids]))


def forks_of_threads(tool):
    """No lock of the tool's is taken for ever in a child, whatever the other thread does at the fork."""
    with tempfile.TemporaryDirectory() as d:
        got = run([LINCHPIN, "-t", tool, *OPTIONS.get(tool, []), "-o", os.path.join(d, "r"), "--", guest("forking")])
        equal("children", (got.returncode, got.stdout), (0, "10 children\n"))


def by_itself(tool, how, status):
    with tempfile.TemporaryDirectory() as d:
        got = run(command(tool, os.path.join(d, "r"), how))
        equal("status", got.returncode, status)
        text = read(os.path.join(d, "r"))
        assert text.strip(), "no results"
        if how == "exec":
            equal("said", got.stderr, f"{tool}: the program has executed /bin/echo: its counts end here, -follow_execv goes on\n")
        if text.startswith(tool + ": "):
            end = {"exec": "executed /bin/echo", "segv": f"ended by signal {int(signal.SIGSEGV)} ", "noexec": "status 3", "int80": "status 4"}[how]
            assert end in text.split("\n")[0], text[:300]


def by_detach(tool):
    with tempfile.TemporaryDirectory() as d, Running(tool, os.path.join(d, "r"), "spin") as p:
        got = run([LINCHPIN, "detach", str(p.pid)])
        equal("detach", (got.returncode, got.stderr), (0, ""))
        text = read(os.path.join(d, "r"))
        assert text.strip(), "no results"
        equal("it goes on", p.poll(), None)
        gone(tool, p.pid)
        if text.startswith(tool + ": "):
            assert text.split("\n")[0].endswith(", detached"), text[:300]


def instructions(path):
    r = json.loads(read(path))
    return r["end"], r["totals"][0]


def dump():
    """Twice, without an end; the program is not woken from its sleep, and one that spins has done more the second time."""
    with tempfile.TemporaryDirectory() as d:
        results = os.path.join(d, "r")
        for how in ("sleep", "spin"):
            with Running("inscount", results, how) as p:
                seen = []
                for _ in range(3):
                    got = run([LINCHPIN, "dump", str(p.pid)])
                    equal("dump", (got.returncode, got.stdout, got.stderr), (0, "", ""))
                    text = read(results)
                    m = re.fullmatch(r"inscount: \S+/ends, process (\d+), so far\ninstructions: (\d+)\n", text)
                    assert m and int(m[1]) == p.pid, text
                    seen.append(int(m[2]))
                assert seen[0] > 50000 and (seen[1] == seen[2] if how == "sleep" else seen[0] < seen[1] < seen[2]), seen
                p.terminate()
                equal("output", p.communicate(), ("", ""))
                assert "ended by signal 15" in read(results)


def dump_refused():
    got = run([LINCHPIN, "dump", str(os.getpid())])
    equal("not under Linchpin", (got.returncode, "does not run under Linchpin" in got.stderr), (1, True))
    got = run([LINCHPIN, "dump", "4194304"])
    equal("no such process", got.returncode, 1)


def dump_after_attach():
    """A process that was attached to, and a child of it."""
    with tempfile.TemporaryDirectory() as d:
        p = subprocess.Popen([guest("ends"), "spin"], stdout=subprocess.PIPE, text=True)
        try:
            equal("up", p.stdout.readline(), "up\n")
            equal("attach", run([LINCHPIN, "-pid", str(p.pid), "-t", "inscount", "-o", os.path.join(d, "r")]).returncode, 0)
            equal("dump", run([LINCHPIN, "dump", str(p.pid)]).returncode, 0)
            assert ", so far\n" in read(os.path.join(d, "r"))
        finally:
            p.kill()
            p.communicate()


def several_processes():
    """-o never overwrites: a child of a fork, programs that were executed and followed, one after the other in one process."""
    with tempfile.TemporaryDirectory() as d:
        names = lambda: sorted(re.sub(r"\d{2,}", "PID", n) for n in os.listdir(d))
        results = os.path.join(d, "r")
        equal("fork", run(command("inscount", results, "fork")).returncode, 5)
        equal("files", names(), ["r", "r.PID"])
        counts = sorted(int(re.search(r"^instructions: (\d+)$", read(os.path.join(d, n)), re.M)[1]) for n in os.listdir(d))
        assert counts[0] < 20000 < 50000 < counts[1], counts  # the child begins with nothing
        for n in os.listdir(d):
            os.remove(os.path.join(d, n))
        run([LINCHPIN, "-follow_execv", "-t", "inscount", "-o", results, "--", "/bin/sh", "-c", f"exec {guest('ends')} exec"])
        equal("files", names(), ["r", "r.PID.1", "r.PID.2"])
        heads = [read(os.path.join(d, n)).split("\n")[0] for n in sorted(os.listdir(d))]
        assert [h.split(", ")[2] for h in heads] == [f"executed {guest('ends')}", "executed /bin/echo", "status 0"], heads
    got = run([LINCHPIN, "-t", "inscount", "--", "/bin/sh", "-c", "(/bin/true); (/bin/true); exit 0"])
    equal("said once", got.stderr.count("its counts end here"), 1)


def alone():
    """The engine's own thread is not in the way of namespaces that only a process with one thread may have."""
    command = ["/usr/bin/unshare", "--user", "/bin/true"]
    equal("status", run([LINCHPIN, "-t", "inscount", "-o", "/dev/null", "--", *command]).returncode, run(command).returncode)


def stop_after():
    got = run([LINCHPIN, "-t", "inscount", "-stop_after", "5000", "--", guest("ends"), "spin"])
    equal("end", (got.returncode, got.stdout), (0, ""))
    m = re.search(r"stopped by -stop_after\ninstructions: (\d+)$", got.stderr, re.M)
    assert m and 5000 <= int(m[1]) < 5200, got.stderr


def region_never_began():
    for options in (["-tid", "7"], ["-control", "start:address:0x10"]):
        got = run([LINCHPIN, "-t", "inscount", *options, "--", guest("ends")])
        assert "the region never began" in got.stderr and "instructions: 0" in got.stderr, got.stderr


# --- progress -----------------------------------------------------------------------------------------------------------
LINE = r"linchpin: (\d+) instructions in ([\d.]+) s, ([\d.]+) million/s, slowdown about ([\d.]+), (\S+) (\d+)%, cache ([\d.]+) MB"


def on_terminal(words, **env):
    """What a terminal gets that is the program's."""
    pid, fd = pty.fork()
    if not pid:
        os.execve(words[0], words, {**ENV, "TERM": "xterm", **env})
    got = b""
    while True:
        try:
            part = os.read(fd, 65536)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        got += part
    equal("status", os.waitpid(pid, 0)[1], 0)
    return got.decode()


def progress_numbers():
    """The last line has the instructions that single-stepping counts; one that is asked for comes also where there is no terminal, a flag alone is silent there."""
    for name in ("counted", "sorted"):
        got = run([LINCHPIN, "-progress_every", "1", "-t", "opcodemix", "-o", "/dev/null", "--", guest(name)])
        m = re.fullmatch(LINE + "\n", got.stderr)
        assert m, got.stderr
        equal("instructions", int(m[1]), steps(name))
        equal("image", (m[5], m[6]), (name, "100"))
    equal("no terminal", run([LINCHPIN, "-progress", "-t", "opcodemix", "-o", "/dev/null", "--", guest("counted")]).stderr, "")


def progress_lines():
    """A program that runs for seconds: lines that grow, with rates that fit, and the engine's own number at the end."""
    loop = ["/usr/bin/python3", "-S", "-c", "import time\nend = time.time() + 2.5\nwhile time.time() < end: pass"]
    got = run([LINCHPIN, "-progress_every", "1", "-t", "inscount", "--", *loop])
    rows = [tuple(m.groups()) for m in re.finditer(LINE, got.stderr)]
    counts = [int(r[0]) for r in rows]
    assert len(rows) >= 3 and counts == sorted(set(counts)), got.stderr
    equal("total", counts[-1], int(re.search(r"^instructions: (\d+)$", got.stderr, re.M)[1]))
    for n, seconds, rate, slowdown, _, share, cache in rows[-1:]:
        assert abs(int(n) / float(seconds) / 1e6 - float(rate)) <= 0.05 * float(rate) and 0.1 < float(slowdown) < 100 and 0 < int(share) <= 100 and float(cache) > 0.1, rows[-1]


def progress_terminal():
    """Over and over in one line, bold unless NO_COLOR says no; a program that is over at once has none."""
    loop = [LINCHPIN, "-progress", "-t", "inscount", "-o", "/dev/null", "--", "/usr/bin/python3", "-S", "-c", "import time\nend = time.time() + 2.5\nwhile time.time() < end: pass"]
    for env in ({}, {"NO_COLOR": "1"}):
        got = on_terminal(loop, **env)
        equal("bold", "\033[1m" in got, not env)
        lines = [line for line in re.sub(r"\033\[(1|0)m", "", got).split("\r\033[K") if line]
        assert len(lines) >= 2 and all(re.fullmatch(LINE + r"\r\n?", line) for line in lines) and lines[-1].endswith("\n"), got
    equal("at once", on_terminal([LINCHPIN, "-progress", "-t", "inscount", "-o", "/dev/null", "--", guest("counted")]), "")


def progress_ends():
    """The line is there when a signal ends the program, and before another is executed; a child of a fork has none; it needs a tool, unless it is off."""
    for how, status in (("segv", -signal.SIGSEGV), ("exec", 0), ("fork", 5)):
        got = run([LINCHPIN, "-progress_every", "9", "-t", "inscount", "-o", "/dev/null", "--", guest("ends"), how])
        equal(how, (got.returncode, len(re.findall("^" + LINE + "$", got.stderr, re.M))), (status, 1))
    got = run([LINCHPIN, "-progress", "--", "/bin/true"])
    equal("no tool", (got.returncode, "give one with -t" in got.stderr), (1, True))
    got = run([LINCHPIN, "-progress", "0", "--", "/bin/true"])
    equal("off", (got.returncode, got.stderr), (0, ""))
    got = run([LINCHPIN, "-progress_every", "0", "-t", "inscount", "--", "/bin/true"])
    equal("no second", got.returncode, 1)


def cases():
    for tool in TOOLS:
        if tool in PROBED:
            yield f"ends-{tool}-exec", by_itself, (tool, "exec", 0)
            yield f"ends-{tool}-segv", by_itself, (tool, "segv", -signal.SIGSEGV)
            yield f"ends-{tool}-SIGTERM", by_signal, (tool, signal.SIGTERM)
            yield f"ends-{tool}-detach", by_detach, (tool,)
        yield f"ends-{tool}-SIGINT", by_signal, (tool, signal.SIGINT)
        yield f"ends-{tool}-each", by_each, (tool,)
    for tool in ("inscount", "edgecount", "memtrace"):
        yield f"ends-{tool}-exec", by_itself, (tool, "exec", 0)
        yield f"ends-{tool}-SIGTERM", by_signal, (tool, signal.SIGTERM)
        yield f"ends-{tool}-segv", by_itself, (tool, "segv", -signal.SIGSEGV)
        yield f"ends-{tool}-detach", by_detach, (tool,)
    for tool in ("cache", "malloctrace"):
        yield f"ends-{tool}-forks", forks_of_threads, (tool,)
    yield "ends-inscount-noexec", by_itself, ("inscount", "noexec", 3)
    if run([guest("ends"), "int80"]).returncode == 4:
        yield "ends-inscount-int80", by_itself, ("inscount", "int80", 4)
    for f in (dump, dump_refused, dump_after_attach, several_processes, alone, stop_after, region_never_began, progress_numbers, progress_lines, progress_terminal, progress_ends):
        yield "ends-" + f.__name__, f, ()
