#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attach and detach: guests that run natively are attached to and detached from, and must not notice.

    run.py [--short] [NAME]...    cases whose name contains one of the NAMEs
                                  --short: a few attaches to each guest, else 100, and 1,000 to redis-server while redis-benchmark runs

After a detach the process must have the mappings, descriptors, signal actions and threads that it had before. The last line is `N passed, N failed`, with `, N skipped` when a
program is missing; the exit status is 1 when something failed.
"""
import argparse
import collections
import contextlib
import difflib
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import watch  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
LINCHPIN = os.environ.get("LINCHPIN", os.path.join(BUILD, "bin", "linchpin"))
OUT = os.path.join(BUILD, "tests", "attach")
CALLS = os.path.join(BUILD, "tests", "api", "calls", "attach")  # which functions the tools have called: for tests/api/checklist.py
WARN = ["-Wall", "-Wextra", "-Werror"]
LIMIT = 120  # seconds: a program that hangs is a failure
CASE_LIMIT = 180


class Skip(Exception):
    pass


def equal(what, got, expected):
    assert got == expected, f"{what}:\n  {got!r}\nexpected\n  {expected!r}"


def build():
    os.makedirs(OUT, exist_ok=True)
    for name in ["blocked", "signals", "churn", "idle", "orphans", "timeouts", "hidden", "owners", "dispatch", "sequences"]:
        subprocess.run(["gcc", "-std=gnu11", "-O1", "-g", *WARN, "-pthread", os.path.join(HERE, name + ".c"), "-o", os.path.join(OUT, name), "-lm"], check=True)
    for name in ["events", "broken", "hold"]:
        subprocess.run([LINCHPIN, "cc", *WARN, os.path.join(HERE, name + ".cpp"), "-o", os.path.join(OUT, name + ".so")], check=True)


def tool(name):
    path = os.path.join(OUT, name + ".so")
    return path if os.path.exists(path) else name


def linchpin(*words, **more):
    return watch.run([LINCHPIN, *map(str, words)], LIMIT, **more)


def done(*words):
    got = linchpin(*words)
    assert got.returncode == 0, f"linchpin {' '.join(map(str, words))}: status {got.returncode}, {got.stderr}"
    return got


def refused(text, *words, **more):
    got = linchpin(*words, **more)
    lines = got.stderr.splitlines()
    assert got.returncode == 1 and text in lines[-1] and all(line.startswith("linchpin: ") for line in lines), \
        f"linchpin {' '.join(map(str, words))}: status {got.returncode}, {got.stderr!r}, expected {text!r}"


def detach(pid):
    """The command's own limit is for a machine that does nothing else."""
    done("detach", pid, round(watch.patience(30)))


def attach(pid, name, *words):
    record = ["-api_calls", CALLS] if name == "events" else []
    done(*record, "-pid", pid, "-t", tool(name), *words)


class Guest:
    """A program that says `ready`, runs until SIGUSR1, and ends with a status that says whether all was well."""

    def __init__(self, name, command=(), words=()):
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([*command, os.path.join(OUT, name), *words], stdout=subprocess.PIPE, stderr=self.errors, stdin=subprocess.DEVNULL, text=True)
        self.pid = self.process.pid
        self.wait_line("ready")

    def wait_line(self, text):
        line = self.process.stdout.readline()
        assert text in line, f"the guest says {line!r}"

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.errors.seek(0)
        text = self.errors.read()
        self.errors.close()
        if kind and text:
            print("the guest's errors:\n" + text[:2000])

    def read(self, name):
        with open(f"/proc/{self.pid}/{name}") as f:
            return f.read()

    def mapped(self):
        """How many bytes the process has mapped of every file, and of none; what the kernel names by itself is not among them: its stack grows."""
        found = collections.Counter()
        for line in self.read("maps").splitlines():
            span, _, _, _, _, *name = line.split(None, 5)
            if not "".join(name).startswith("["):
                first, last = (int(word, 16) for word in span.split("-"))
                found["".join(name)] += last - first
        return found

    def descriptors(self):
        """But for sockets: the engine makes none, and some guests take connections all the time."""
        found = []
        for fd in os.listdir(f"/proc/{self.pid}/fd"):
            try:
                link = os.readlink(f"/proc/{self.pid}/fd/{fd}")
            except FileNotFoundError:
                continue  # a connection that has ended
            if not link.startswith("socket:"):
                found.append(fd)
        return sorted(found)

    def state(self, changes=False):
        """What must be the same before an attach and after the detach; of a guest that changes its own memory all the time, mappings of files and code."""
        status, maps = self.read("status"), self.read("maps")
        if changes:
            maps = "\n".join(line for line in maps.splitlines() if "x" in line.split()[1] or "/" in line)
        return {"fds": self.descriptors(), "limits": self.read("limits"), "signals": re.findall(r"^(?:SigIgn|SigCgt):.*$", status, re.M), "maps": maps}

    def ticks(self):
        """Its CPU time so far, of all its threads, in hundredths of a second."""
        return sum(map(int, self.read("stat").rpartition(")")[2].split()[11:13]))

    def works(self):
        """Until it has worked for a while from now on, however long that takes on a busy machine."""
        end = self.ticks() + 3
        while self.ticks() < end:
            time.sleep(0.01)

    def end(self, status=0):
        self.process.send_signal(signal.SIGUSR1)
        text = self.process.stdout.read()
        got = self.process.wait(watch.patience(LIMIT))
        assert got == status, f"the guest ends with {got}: {text}"


def same(before, after):
    for key in before:
        if before[key] != after[key]:
            lines = difflib.unified_diff(str(before[key]).splitlines(), str(after[key]).splitlines(), "before", "after", n=0, lineterm="")
            raise AssertionError(f"{key}:\n" + "\n".join(lines))


def result(path):
    with open(path) as f:
        return f.read()


def instructions(path):
    found = re.search(r"instructions: (\d+)", result(path))
    assert found and int(found[1]) > 0, f"{path}: {result(path)!r}"
    return int(found[1])


LAST_WORDS = "\ndetach; images: main libc vdso\nfini 0\n"


# --- cases ----------------------------------------------------------------------------------------------------------------

def cycles(name, times, changes=False):
    """Attached to with one tool, detached from, attached to with another one: the program goes on all the time."""
    counts, events = os.path.join(OUT, name + ".count"), os.path.join(OUT, name + ".events")
    with Guest(name) as g:
        before = g.state(changes)
        for i in range(times):
            attach(g.pid, "inscount", "-o", counts) if i % 2 else attach(g.pid, "events", "-o", events)
            g.works()
            detach(g.pid)
            if i % 2:
                instructions(counts)
            else:
                assert LAST_WORDS in result(events), result(events)
        same(before, g.state(changes))
        g.works()
        g.end()


def case_blocked(short):
    cycles("blocked", 6 if short else 100)


def case_signals(short):
    cycles("signals", 6 if short else 100)


def case_churn(short):
    cycles("churn", 6 if short else 100, changes=True)


def case_sequences(short):
    cycles("sequences", 6 if short else 100)


def case_dispatch(short):
    """A thread whose system calls come as SIGSYS."""
    if tuple(map(int, re.findall(r"\d+", os.uname().release)[:2])) < (6, 4):
        raise Skip("this kernel does not tell a tracer of PR_SET_SYSCALL_USER_DISPATCH")
    cycles("dispatch", 4 if short else 100)


TELLS = os.path.exists("/proc/self/sched")  # the kernel tells when a thread has last run
KERNEL_WAITS = ["clock_nanosleep", "futex", "mq_timedreceive", "nanosleep", "poll", "ppoll", "pselect", "select"]
NUMBER_WAITS = {"epoll_wait": (232, 3), "epoll_pwait": (281, 3)}  # name: its number, and the argument that is the limit
MEMORY_WAITS = {"epoll_pwait2": (441, 3), "sigtimedwait": (128, 2), "semtimedop": (220, 3), "io_getevents": (208, 4)}


def interrupt(g, times):
    """Attaches and detaches over and over, at most so often."""
    for _ in range(times):
        attached = linchpin("-pid", g.pid, "-t", "inscount", "-o", os.path.join(OUT, "timeouts.count"))
        left = linchpin("detach", g.pid)
        failed = [got for got in (attached, left) if got.returncode]
        if failed:  # the waits are over, and the program is at its end
            assert re.search("ending|ended", failed[0].stderr) or not g.read("maps"), failed
            return
        time.sleep(0.1)


def waits_end(g, names):
    lines = g.process.stdout.read().split("\n")[:-1]
    equal("waits", sorted(lines), [name + " over" for name in sorted(names)])
    equal("status", g.process.wait(watch.patience(LIMIT)), 0)


def case_timeouts(_):
    """Waits come to their end although they are interrupted over and over, also before they are back in the kernel: they wait for what is left of their time, and do not fail. Where the
    limit is in memory that holds for one attach and one detach: what was left at the detach nobody can see."""
    end = time.monotonic() + watch.patience(LIMIT)
    with Guest("timeouts", words=["3", "kn" if TELLS else "k"]) as g:
        while g.process.poll() is None:
            assert time.monotonic() < end, "the waits start again and again"
            interrupt(g, 1)
        waits_end(g, KERNEL_WAITS + (list(NUMBER_WAITS) if TELLS else []))
    with Guest("timeouts", words=["3", "m"]) as g:
        interrupt(g, 3)
        waits_end(g, MEMORY_WAITS)


def waiting(g):
    """What each thread that waits with a limit has for it, in seconds: by the number of its call. Until all of them wait."""
    calls, end = dict([*NUMBER_WAITS.values(), *MEMORY_WAITS.values()]), time.monotonic() + watch.patience(LIMIT)
    while True:
        found = {}
        for tid in os.listdir(f"/proc/{g.pid}/task"):
            words = g.read(f"task/{tid}/syscall").split()
            if words[0].isdigit() and int(words[0]) in calls:
                nr = int(words[0])
                found[nr] = int(words[1 + calls[nr]], 16)
        if len(found) == len(calls):
            break
        assert time.monotonic() < end, f"of {sorted(calls)} only {sorted(found)} wait"
        time.sleep(0.01)
    with open(f"/proc/{g.pid}/mem", "rb", 0) as f:
        for nr, _ in MEMORY_WAITS.values():
            seconds, nanoseconds = struct.unpack("<qq", os.pread(f.fileno(), 16, found[nr]))
            found[nr] = seconds + nanoseconds / 1e9
    for nr, _ in NUMBER_WAITS.values():
        found[nr] /= 1000
    return found


def timers(n, least, most):
    """How many seconds n of the kernel's timers have to go, of those between the two. A list of timers is not of one moment: when others end meanwhile it lacks some, or has some twice, so it is read
    until all are found. What is in it is there."""
    found, end = {}, time.monotonic() + watch.patience(LIMIT)
    while len(found) < n:
        assert time.monotonic() < end, f"only {len(found)} timers of {n}: {found}"
        with open("/proc/timer_list") as f:
            listed = re.findall(r"expires at (\d+)-\d+ nsecs \[in (-?\d+) to", f.read())
        found.update((at, int(left) / 1e9) for at, left in listed if least < int(left) / 1e9 <= most)
    return found.values()


def uncounted():
    """How many seconds the clock of the scheduler has not counted, by CPU: interrupts, and what a hypervisor has taken."""
    with open("/proc/stat") as f:
        cpus = [line.split() for line in f if re.match(r"cpu\d", line)]
    return {words[0]: sum(map(int, words[6:9])) / os.sysconf("SC_CLK_TCK") for words in cpus}


TICKS_UNSEEN = 4 / os.sysconf("SC_CLK_TCK")  # each of the three numbers is rounded down; and a limit in milliseconds up


def case_left(_):
    """How much of a limit is left, after an attach and after a detach: never less than is right, and more only by the time that the scheduler's clock has not counted."""
    if not TELLS:
        raise Skip("this kernel does not tell when a thread has last run (/proc/PID/sched)")
    whole, passed, start, before = random.randrange(10 ** 5, 10 ** 6), 2, time.monotonic(), uncounted()

    def check(what, left):
        now = uncounted()
        unseen = max(now[cpu] - before[cpu] for cpu in now if cpu in before) + TICKS_UNSEEN
        least, most = whole - (time.monotonic() - start), whole - passed + unseen
        assert all(least <= seconds <= most for seconds in left), f"{what}: not from {least} to {most} seconds: {left}"

    with Guest("timeouts", words=[str(whole), "nm"]) as g:
        equal("limits", set(waiting(g).values()), {whole})
        time.sleep(passed)
        attach(g.pid, "inscount", "-o", os.path.join(OUT, "left.count"))
        for left in (waiting(g), waiting(g)):
            check("attached", left.values())
        detach(g.pid)
        left = waiting(g)
        check("detached", [left[nr] for nr, _ in NUMBER_WAITS.values()])
        equal("memory", {left[nr] for nr, _ in MEMORY_WAITS.values()}, {whole})
        if os.access("/proc/timer_list", os.R_OK):
            found = timers(len(left), whole - 1000, whole)
            assert len(found) == len(left), f"timers for {whole} seconds: {found}"
            check("timers", found)


# A thread may still be on its way into its call when it is detached from.
TOLD = """main: attaching
application start: 3 threads
thread 0 starts
thread 0 is attached to
thread 1 starts
thread 1 is attached to
thread 2 starts
thread 2 is attached to
prepare for fini
thread 0 ends 0
thread 0 is detached from
thread 1 ends 0
thread 1 is detached from
thread 2 ends 0
thread 2 is detached from
detach; images: main libc vdso
fini 0
"""


def sort_threads(text):
    """Threads start and leave in no particular order."""
    lines = [line.replace(" at a system call", "") for line in text.splitlines()]
    out, group = [], []
    for line in lines + [""]:
        if line.startswith("thread"):
            group.append(line)
            continue
        out += sorted(group) + [line]
        group = []
    return out[:-1]


def case_told(_):
    """What the tool hears of, for threads that were there before it."""
    events = os.path.join(OUT, "told.events")
    with Guest("idle") as g:
        before = g.state()
        attach(g.pid, "events", "-o", events)
        while result(events).count("is attached to") < 3:
            time.sleep(0.01)
        detach(g.pid)
        same(before, g.state())
        equal("threads", len(os.listdir(f"/proc/{g.pid}/task")), 3)
        equal("events", sort_threads(result(events)), sort_threads(TOLD))
        g.end(5)


def mapped_natively(name):
    """What a guest maps that was never under the engine: nothing of the engine, of a tool or of their libraries may be there besides."""
    with Guest(name) as g:
        return g.mapped()


def wait_left(g, natively):
    """PIN_Detach comes back at once: until the engine has left, and the guest has as much mapped as it has natively."""
    end = time.monotonic() + watch.patience(LIMIT)
    while g.mapped() != natively or "TracerPid:\t0" not in g.read("status"):
        assert time.monotonic() < end, f"PIN_Detach has no effect; mapped is {g.mapped()}, natively {natively}"
        time.sleep(0.01)


def leaves(where, launched):
    events = os.path.join(OUT, f"leaves-{where}-{launched}.events")
    words = ["-api_calls", CALLS, "-t", tool("events"), "-o", events, "-leave", where]
    natively = mapped_natively("signals")
    with Guest("signals", [LINCHPIN, *words, "--"] if launched else []) as g:
        before = None if launched else g.state()
        if not launched:
            done(*words[:2], "-pid", g.pid, *words[2:])
        wait_left(g, natively)
        text = result(events)
        last = r"\ndetach; images: main.*\n" if launched else r"\ndetach; images: main libc vdso\n"  # launched, it leaves before there is more
        assert text.startswith("main: " + ("launched" if launched else "attaching")) and re.search(r"thread \d is detached from", text), text
        assert re.search(last + r"\Z", text) and "fini" not in text and " ends " not in text, text
        if before:
            same(before, g.state())
        g.works()
        g.end()


def case_start_order(_):
    """No instruction runs before the tool has heard of every thread; it leaves at the first one."""
    events = os.path.join(OUT, "start_order.events")
    natively = mapped_natively("idle")
    with Guest("idle") as g:
        attach(g.pid, "events", "-o", events, "-leave", "analysis")
        wait_left(g, natively)
        told = result(events).split("asks to leave")
        assert len(told) == 2 and told[0].count("is attached to") == 3, result(events)
        g.end(5)


def case_pin_detach(_):
    for where in ["analysis", "internal", "start"]:
        for launched in [False, True]:
            leaves(where, launched)


def case_launched(_):
    """A program that was launched can be detached from by command; its tool gives its results."""
    events = os.path.join(OUT, "launched.events")
    with Guest("blocked", [LINCHPIN, "-t", tool("events"), "-o", events, "--"]) as g:
        done("-pid", g.pid, "-attach_status")
        assert any(name.endswith("/linchpin-vm") for name in g.mapped()), g.mapped()
        detach(g.pid)
        equal("mapped", g.mapped(), mapped_natively("blocked"))
        assert LAST_WORDS in result(events), result(events)
        attach(g.pid, "inscount", "-o", events)
        g.works()
        detach(g.pid)
        instructions(events)
        g.end()
    with Guest("idle", [LINCHPIN, "-t", "inscount", "-o", events, "--"]) as g:
        detach(g.pid)
        equal("mapped", g.mapped(), mapped_natively("idle"))
        instructions(events)
        g.end(5)


def case_ends_attached(_):
    """The program ends while the tool is in it."""
    counts = os.path.join(OUT, "ends.count")
    with Guest("idle") as g:
        attach(g.pid, "inscount", "-o", counts)
        g.end(5)
        assert instructions(counts) > 200000, result(counts)  # what the two threads compute is counted
    with Guest("blocked") as g:
        attach(g.pid, "inscount", "-o", counts)
        g.end()
        instructions(counts)


def case_orphans(_):
    """The process' first thread has ended."""
    counts = os.path.join(OUT, "orphans.count")
    with Guest("orphans") as g:
        for _ in range(2):
            attach(g.pid, "inscount", "-o", counts)
            g.works()
            detach(g.pid)
            instructions(counts)
        attach(g.pid, "inscount", "-o", counts)
        g.end(6)


def case_opens(short):
    """A detach ends a thread of the tool at any moment, also while the limit of descriptors is raised for it, or while it closes one."""
    for i in range(10 if short else 200):
        with Guest("signals") as g:
            resource.prlimit(g.pid, resource.RLIMIT_NOFILE, (1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
            before = g.state()
            attach(g.pid, "hold", "-last", "none", "-opens", "1", "-closes", str(i % 2))
            detach(g.pid)
            same(before, g.state())
            g.end()


def case_owners(_):
    """What the kernel has kept for a thread since before the attach: its robust locks, its alternate stack."""
    with Guest("owners") as g:
        g.end(7)
    with Guest("owners") as g:
        attach(g.pid, "inscount", "-o", os.path.join(OUT, "owners.count"))
        g.end(7)
    with Guest("owners") as g:
        attach(g.pid, "inscount", "-o", os.path.join(OUT, "owners.count"))
        detach(g.pid)
        g.end(7)


def case_interrupted(short):
    """A tool that never comes up: the attach is given up by a signal, at any moment, also while the tool opens a file, for which the engine raises the limit of descriptors."""
    for i in range(20 if short else 400):
        with Guest("signals") as g:
            resource.prlimit(g.pid, resource.RLIMIT_NOFILE, (1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
            before = g.state()
            words = [LINCHPIN, "-pid", str(g.pid), "-t", tool("broken"), "-how", ("never", "opens")[i // 2 % 2]]
            p = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
            while "broken.so" not in g.read("maps"):
                time.sleep(0.001)
            time.sleep(i % 20 * 0.0005)
            p.terminate()
            text = p.communicate(timeout=watch.patience(LIMIT))[1]
            assert p.returncode == 1 and "interrupted" in text, text
            same(before, g.state())
            g.end()


def held(early):
    """A routine of the tool that does not return: the detach is given up, and the program goes on with the tool."""
    flag, said = os.path.join(OUT, f"hold-{early}"), os.path.join(OUT, f"hold-{early}.said")
    for path in (flag, said):
        open(path, "w").close()
    with Guest("signals") as g:
        before = g.state()
        attach(g.pid, "hold", "-while", flag, "-o", said, "-early", early)
        while result(said) != "held\n":
            time.sleep(0.01)
        refused("did not answer in 1 seconds" if early else "was not detached from", "detach", g.pid, 1)
        p = Waiting("detach", g.pid)
        p.traces(g)
        if not early:
            p.says("does not come out of the tool: it is in Hold (hold.so")
        p.interrupt(1, "did not answer before it was interrupted" if early else "before it was interrupted, one is in Hold (hold.so")
        assert "TracerPid:\t0" in g.read("status") and "hold.so" in g.read("maps")
        os.remove(flag)
        while result(said) != "held\nfree\n":
            time.sleep(0.01)
        detach(g.pid)
        equal("said", result(said), "held\nfree\ndetached\nended\n")
        same(before, g.state())
        g.end()


class Waiting:
    """A linchpin command that waits for a function of the tool."""

    def __init__(self, *words, **more):
        self.process = subprocess.Popen([LINCHPIN, *map(str, words)], stderr=subprocess.PIPE, text=True, **more)

    def says(self, text):
        line = self.process.stderr.readline()
        assert line.startswith("linchpin: ") and text in line, f"{line!r}, not {text!r}"

    def traces(self, g):
        """Until it traces the guest: before that it may not have got to its handlers, and a signal ends it as any other program."""
        while f"TracerPid:\t{self.process.pid}\n" not in g.read("status"):
            assert self.process.poll() is None, f"linchpin has ended with {self.process.returncode}: {self.process.stderr.read()}"
            time.sleep(0.01)

    def interrupt(self, status, text=""):
        self.process.send_signal(signal.SIGINT)
        err = self.process.communicate(timeout=LIMIT)[1]
        assert self.process.returncode == status and text in err, f"status {self.process.returncode}: {err!r}"


def last_words(name, how):
    """Files for a tool whose last functions do not return while the first of them is there."""
    paths = [os.path.join(OUT, f"last-{name}-{how}{end}") for end in ("", ".said")]
    for path in paths:
        open(path, "w").close()
    return [*paths, ["-while", paths[0], "-o", paths[1], "-last", name]]


def stuck_detach(name):
    for how in ("interrupted", "returns"):
        flag, said, words = last_words(name, how)
        with Guest("signals") as g:
            before = g.state()
            attach(g.pid, "hold", *words)
            p = Waiting("detach", g.pid)
            p.says("it is in Hold (hold.so")
            if how == "returns":
                os.remove(flag)
                equal("status", p.process.wait(LIMIT), 0)
                p.process.stderr.close()
            else:
                p.interrupt(0)
            equal("last words", result(said).splitlines()[-1], {"returns": "ended", "interrupted": "held"}[how])
            same(before, g.state())
            g.end()


def case_stuck(_):
    """A detach or fini function, or the tool's main, that does not return: who waits for it hears which, and may go on without it."""
    stuck_detach("detach")
    stuck_detach("fini")
    flag, said, words = last_words("fini", "end")
    p = Waiting("-patience", 1, "-t", tool("hold"), *words, "--", "true")
    p.says("is in Hold (hold.so")
    p.interrupt(-signal.SIGINT)
    p = Waiting("-patience", 1, "-t", tool("hold"), *words, "--", "sh", "-c", "exit 3")
    p.says("is in Hold (hold.so")
    os.remove(flag)
    equal("status", p.process.wait(LIMIT), 3)
    p.process.stderr.close()
    with Guest("signals") as g:
        before = g.state()
        p = Waiting("-pid", g.pid, "-t", tool("broken"), "-how", "never")
        p.says("the tool takes long to start")
        p.interrupt(1, "interrupted")
        same(before, g.state())
        g.end()


def case_signal_waits(_):
    """A signal that the program handles comes while a routine of the tool does not return: a message says so, and the program gets the signal in the end."""
    flag, said, ready = (os.path.join(OUT, f"signal-waits{end}") for end in ("", ".said", ".ready"))
    for path in (flag, said):
        open(path, "w").close()
    if os.path.exists(ready):
        os.remove(ready)
    script = f"trap 'exit 3' TERM; : > '{ready}'; while :; do :; done"
    p = Waiting("-patience", 1, "-t", tool("hold"), "-while", flag, "-o", said, "-after", ready, "--", "sh", "-c", script)
    while result(said) != "held\n":
        assert p.process.poll() is None, f"it has ended with {p.process.returncode}"
        time.sleep(0.01)
    p.process.send_signal(signal.SIGTERM)
    p.says("signal 15 waits for the tool: thread ")
    os.remove(flag)
    equal("status", p.process.wait(LIMIT), 3)
    equal("what else it said", p.process.stderr.read(), "")
    p.process.stderr.close()
    equal("said", result(said), "held\nfree\nended\n")


def case_held(_):
    held(0)
    held(1)
    refused("number of seconds to wait", "detach", os.getpid(), "soon")


def case_status(_):
    with Guest("idle") as g:
        got = linchpin("-pid", g.pid, "-attach_status")
        assert got.returncode == 1 and "does not run under Linchpin" in got.stderr, got.stderr
        attach(g.pid, "inscount", "-o", os.path.join(OUT, "status.count"))
        got = done("-pid", g.pid, "-attach_status")
        assert "inscount.so" in got.stderr and "can be detached from" in got.stderr, got.stderr
        refused("already", "-pid", g.pid, "-t", "inscount")
        detach(g.pid)
        refused("does not run under Linchpin", "detach", g.pid)
        g.end(5)


def case_broken_tools(_):
    """A tool that fails leaves the program as it was."""
    for how, text in {"exit": "status 3", "_exit": "status 4", "return": "status 5", "crash": "signal 11", "abort": "signal 6"}.items():
        with Guest("signals") as g:
            before = g.state()
            refused(text, "-pid", g.pid, "-t", tool("broken"), "-how", how)
            same(before, g.state())
            equal("threads", len(os.listdir(f"/proc/{g.pid}/task")), 6)
            g.works()
            g.end()
    with Guest("signals") as g:  # but PIN_ExitProcess ends the program, here as everywhere
        done("-pid", g.pid, "-t", tool("broken"), "-how", "ExitProcess")
        equal("status", g.process.wait(LIMIT), 6)


def elf32():
    """A 32-bit program that waits for ever: pause."""
    code = b"\xb8\x1d\x00\x00\x00\xcd\x80\xeb\xf7"
    base, head = 0x10000, 52 + 32
    ident = b"\x7fELF\x01\x01\x01" + bytes(9)
    header = struct.pack("<16sHHIIIIIHHHHHH", ident, 2, 3, 1, base + head, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    return header + struct.pack("<IIIIIIII", 1, 0, base, base, head + len(code), head + len(code), 5, 4096) + code


def case_refused_other_machine(_):
    path = os.path.join(OUT, "pause32")
    with open(path, "wb") as f:
        f.write(elf32())
    os.chmod(path, 0o755)
    try:
        p = subprocess.Popen([path])
    except OSError:
        raise Skip("this kernel runs no 32-bit programs")
    try:
        refused("32-bit", "-pid", p.pid, "-t", "inscount")
        assert p.poll() is None, "the program has ended"
    finally:
        p.kill()
        p.wait()


def refuse_traced():
    code = "import ctypes, sys, time\nl = ctypes.CDLL(None)\nassert l.ptrace(0x4206, int(sys.argv[1]), 0, 0) == 0\nprint('traced', flush=True)\nsys.stdin.read()"
    with Guest("idle") as g:
        tracer = subprocess.Popen([sys.executable, "-c", code, str(g.pid)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert tracer.stdout.readline() == "traced\n"
        refused("is being traced by process " + str(tracer.pid), "-pid", g.pid, "-t", "inscount")
        tracer.communicate()
        g.end(5)


@contextlib.contextmanager
def for_all_users():
    """In the block, the command and the guests are copies that every user can read: the project may be in a home that others cannot enter."""
    global LINCHPIN, OUT
    kept = LINCHPIN, OUT
    with tempfile.TemporaryDirectory(prefix="lp-users-", dir="/tmp") as top:
        os.chmod(top, 0o755)
        for name in ("bin", "lib"):
            shutil.copytree(os.path.join(os.path.dirname(LINCHPIN), os.pardir, name), os.path.join(top, name))
        shutil.copytree(OUT, os.path.join(top, "guests"))
        LINCHPIN, OUT = os.path.join(top, "bin", "linchpin"), os.path.join(top, "guests")
        try:
            yield
        finally:
            LINCHPIN, OUT = kept


def refuse_other_user():
    if os.geteuid():
        refused("another user", "-pid", 1, "-t", "inscount")
        return
    with Guest("idle") as g:
        refused("another user", "-pid", g.pid, "-t", "inscount", user="nobody", group="nogroup")
        g.end(5)


# A kernel that seems to have yama; 77: it cannot be made to.
YAMA = """mount -t tmpfs none /proc/sys/kernel && mkdir /proc/sys/kernel/yama && echo 1 >/proc/sys/kernel/yama/ptrace_scope || exit 77
exec setpriv --reuid nobody --regid nogroup --clear-groups "$@" """


@contextlib.contextmanager
def hidden_process():
    """The number of a process of another user which that user may not trace; the block must leave it unharmed."""
    missing = [name for name in ("unshare", "setpriv") if not shutil.which(name)]
    if os.geteuid() or missing:
        raise Skip("it needs root" if os.geteuid() else f"no {' and no '.join(missing)}")
    with for_all_users(), subprocess.Popen([os.path.join(OUT, "hidden")], stdout=subprocess.PIPE, text=True, user="nobody", group="nogroup", extra_groups=[]) as p:
        try:
            assert p.stdout.readline() == "ready\n"
            yield p.pid
            assert p.poll() is None, "the program has ended"
        finally:
            p.kill()


def case_refused_hidden(_):
    """The kernel does not let the user's own process be traced, and why is known."""
    with hidden_process() as pid:
        refused("(see linchpin doctor)", "-pid", pid, "-t", "inscount", user="nobody", group="nogroup", extra_groups=[])


def case_refused_by_yama(_):
    """The same where yama forbids it, and the message says so."""
    with hidden_process() as pid:
        got = watch.run(["unshare", "-m", "sh", "-c", YAMA, "sh", LINCHPIN, "-pid", str(pid), "-t", "inscount"], LIMIT)
        if got.returncode == 77 or got.stderr.startswith("unshare:"):
            raise Skip(f"no kernel that seems to have yama can be made here: {got.stderr.strip()}")
        assert got.returncode == 1 and "ptrace_scope is 1" in got.stderr and got.stderr.count("\n") == 1, got


def case_refused(_):
    """What cannot be attached to says why, and is unharmed."""
    refused("there is no process", "-pid", 0x3ffffff, "-t", "inscount")
    refused("number of a process", "-pid", 0, "-t", "inscount")
    refused("number of a process", "detach")
    refused("there is no process", "detach", 0x3ffffff)
    refused("needs -pid", "-attach_status")
    refused("no program can be given", "-pid", os.getpid(), "--", "true")
    ended = subprocess.Popen(["true"])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    refused("has ended", "-pid", ended.pid, "-t", "inscount")
    refused("has ended", "-pid", ended.pid, "-attach_status")
    refused("has ended", "detach", ended.pid)
    ended.wait()
    with Guest("idle") as g:
        thread = max(map(int, os.listdir(f"/proc/{g.pid}/task")))
        refused(f"is a thread of process {g.pid}", "-pid", thread, "-t", "inscount")
        refused("No such file", "-pid", g.pid, "-t", os.path.join(OUT, "there-is-none.so"))
        g.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, g.pid, os.WSTOPPED)
        refused("is stopped", "-pid", g.pid, "-t", "inscount")
        g.process.send_signal(signal.SIGCONT)
        g.end(5)
    refuse_traced()
    with for_all_users():
        refuse_other_user()


# --- redis ------------------------------------------------------------------------------------------------------------------

class Redis:
    """A server at a socket in a folder of its own: a port could be another program's before the server has it."""

    def __init__(self, folder):
        if not shutil.which("redis-server") or not shutil.which("redis-benchmark"):
            raise Skip("redis-server or redis-benchmark is missing")
        self.socket = os.path.join(folder, "socket")
        self.server = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", self.socket, "--save", "", "--appendonly", "no", "--io-threads", "2"], cwd=folder, stdout=subprocess.DEVNULL)
        self.pid = self.server.pid
        self.log = open(os.path.join(OUT, "redis-benchmark.log"), "w+")
        while self.cli("ping") != "PONG\n":
            assert self.server.poll() is None, "redis-server does not start"
            time.sleep(0.05)
        # All sizes, buffers and threads that it will ever need are there after a first load.
        benchmark = ["redis-benchmark", "-s", self.socket, "-t", "set,get,incr,lpush,lpop", "-c", str(CLIENTS), "-q", "-n"]
        subprocess.run([*benchmark, "3000"], check=True, stdout=subprocess.DEVNULL)
        self.load = subprocess.Popen([*benchmark, "1000000000"], stdout=self.log, stderr=self.log)
        self.until_connected()

    def until_connected(self):
        """Until all clients are there, and none but they and who asks: an earlier one that has left is there for a while yet."""
        while self.stats()["clients"] != CLIENTS + 1:
            time.sleep(0.01)

    def cli(self, *words):
        return subprocess.run(["redis-cli", "-s", self.socket, *words], capture_output=True, text=True).stdout

    def stats(self):
        info = self.cli("info")
        number = lambda name: int(re.search(rf"^{name}:(\d+)", info, re.M)[1])
        return {"errors": number("total_error_replies"), "commands": number("total_commands_processed"), "clients": number("connected_clients")}

    def status(self):
        with open(f"/proc/{self.pid}/status") as f:
            text = f.read()
        value = lambda name: int(re.search(rf"^{name}:\s*(\d+)", text, re.M)[1])
        return {"threads": value("Threads"), "kilobytes": value("VmRSS"), "fds": len(os.listdir(f"/proc/{self.pid}/fd"))}

    def end(self):
        self.load.kill()
        self.load.wait()
        self.cli("shutdown", "nosave")
        status = self.server.wait(watch.patience(LIMIT))
        self.log.seek(0)
        text = self.log.read()
        self.log.close()
        assert status == 0 and not re.search("rror|onnection|refused|reset", text), f"status {status}, redis-benchmark says {text[-2000:]!r}"


LEAK_KILOBYTES = 4096  # redis itself varies
CLIENTS = 20


def redis(times, folder):
    r = Redis(folder)
    counts = os.path.join(OUT, "redis.count")
    try:
        first, before = r.stats(), r.status()
        for i in range(times):
            attach(r.pid, "inscount", "-o", counts)
            if i == times - 1:
                r.stats()  # which it answers under the tool
            detach(r.pid)
            assert r.load.poll() is None, "redis-benchmark has ended"
            if i % 100 == 99:
                print(f"  {i + 1}: {r.status()}, {r.stats()}", flush=True)
        instructions(counts)
        r.until_connected()
        last, after = r.stats(), r.status()
        equal("error replies", last["errors"], first["errors"])
        equal("threads", after["threads"], before["threads"])
        assert after["fds"] < before["fds"] + 3, f"descriptors: {before} {after}"  # a connection of redis-cli may still be there
        assert last["commands"] > first["commands"] + times, f"the server hardly moved: {first} {last}"
        assert after["kilobytes"] < before["kilobytes"] + LEAK_KILOBYTES, f"memory: {before} {after}"
        r.end()
    finally:
        r.load.kill()
        r.server.kill()


def case_redis(short):
    with tempfile.TemporaryDirectory(prefix="lp-redis-") as folder:
        redis(5 if short else 1000, folder)


CASES = {name[5:]: value for name, value in globals().items() if name.startswith("case_")}


def main():
    parser = argparse.ArgumentParser(description="Tests of attach and detach.")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--short", action="store_true")
    opt = parser.parse_args()
    shutil.rmtree(CALLS, ignore_errors=True)
    os.makedirs(CALLS)
    os.chmod(CALLS, 0o777)
    idle = [n for n in opt.names if not any(n in name for name in CASES)]
    if idle:
        parser.error(f"no case has {' or '.join(idle)} in its name")
    build()
    results = {"passed": 0, "failed": 0, "skipped": 0}
    for name, case in CASES.items():
        if opt.names and not any(n in name for n in opt.names):
            continue
        start = time.monotonic()
        try:
            with watch.limit(CASE_LIMIT if opt.short else 60 * CASE_LIMIT):
                case(opt.short)
            results["passed"] += 1
            print(f"pass {name} ({time.monotonic() - start:.1f} s)", flush=True)
        except Skip as why:
            results["skipped"] += 1
            print(f"skip {name}: {why}", flush=True)
        except Exception as why:
            results["failed"] += 1
            print(f"FAIL {name}: {type(why).__name__}: {why}", flush=True)
    skipped = f", {results['skipped']} skipped" if results["skipped"] else ""
    print(f"{results['passed']} passed, {results['failed']} failed{skipped}")
    return 1 if results["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
