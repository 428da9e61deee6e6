#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gdb on programs under the engine.

    run.py [--short] [--seconds N] [--seed N] [NAME]...    cases whose name contains one of the NAMEs; --short: what make check has; --seconds, --seed: of garbage in the long form

Scripts (*.gdb, with a guest of the same name) are run by gdb natively and through the stub: both must print the same lines, but for addresses and numbers of processes. Other
cases speak the protocol themselves: stops, cuts, garbage. The last line is `N passed, N failed`; the exit status is 1 when something failed.
"""
import argparse
import concurrent.futures
import contextlib
import difflib
import os
import random
import re
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import watch  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
LINCHPIN = os.environ.get("LINCHPIN", os.path.join(BUILD, "bin", "linchpin"))
OUT = os.path.join(BUILD, "tests", "debug")
CALLS = os.path.join(BUILD, "tests", "api", "calls", "debug")  # for the checklist of the API
LIMIT = 120
SECONDS = 60.0  # of garbage, in the long form
SEED = None  # of that garbage; None: another one each time
GDB = ["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set auto-load no", "-iex", "set width 0"]


def path(name):
    return os.path.join(OUT, name)


def build():
    os.makedirs(OUT, exist_ok=True)
    os.makedirs(CALLS, exist_ok=True)
    for name in sorted(os.listdir(HERE)):
        stem, ext = os.path.splitext(name)
        if ext not in (".c", ".cpp"):
            continue
        first = open(os.path.join(HERE, name), encoding="utf-8").read(400)
        flags = re.findall(r"flags: (.*?)(?: \*/|\n)", first)
        source = os.path.join(HERE, name)
        if "pin.H" in first:
            subprocess.run([LINCHPIN, "cc", "-Wall", "-Wextra", "-Werror", source, "-o", path(stem + ".so")], check=True)
        else:
            subprocess.run(["g++" if ext == ".cpp" else "gcc", "-g", "-O0", "-Wall", "-Wextra", "-pthread", *(flags[0].split() if flags else []), source, "-o", path(stem)], check=True)
    with open(path("gdb.sh"), "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\nexec " + shlex.join(GDB) + ' "$@"\n')
    os.chmod(path("gdb.sh"), 0o755)
    subprocess.run(["strip", path("basic"), "-o", path("stripped")], check=True)


# --- gdb, natively and through the stub -------------------------------------------------------------------------------

NOISE = re.compile(r"^(\[(New|Switching|Thread|Attaching|Detaching|Inferior \d+ \(process \d+\) (detached|killed))|Using host lib|warning: |Reading |Remote |0x.* in _start|Program stopped|\(No debugging symbols|.*Error in sourced command file)|^$")


# gdb writes that a thread has ended in pieces, between which the program may write.
QUIET = "set print thread-events off"


# gdb before 14 where the CPU has AMX, whose state does not fit its buffer.
CANNOT_WRITE = "Couldn't write extended state status"


class Skip(Exception):
    """There is nothing native to compare with."""


def plain(text):
    """What must be the same."""
    lines = []
    for line in text.splitlines():
        if NOISE.search(line):
            continue
        line = re.sub(r"0x[0-9a-f]+", "ADDR", line)
        line = re.sub(r"\(LWP \d+\)|process \d+|Thread [0-9.]+|pid \d+", "NUMBER", line)
        line = re.sub(r'^Thread \d+ ("[^"]*" )?', "", line)
        line = re.sub(r'^NUMBER "[^"]*" (hit )?', "", line)  # where gdb has seen more than one thread
        line = re.sub(r"Thread \d+ ", "", line)
        line = re.sub(r"^Hardware watchpoint ", "Watchpoint ", line)
        line = re.sub(r"^(\d+ +)hw watchpoint ", r"\1watchpoint    ", line)
        line = re.sub(r"\(sig=\d{3,}\)", "(sig=UNSET)", line)  # a parameter before its function has begun
        lines.append(line.rstrip())
    return lines


def script(name, guest, *words, options=(), natively=()):
    with open(os.path.join(HERE, name + ".gdb"), encoding="utf-8") as f:
        text = f.read()
    native = path(name + ".native.gdb")
    with open(native, "w", encoding="utf-8") as f:
        f.write("\n".join(("set disable-randomization off", QUIET, *natively, "starti", text)))
    natively = [*GDB, "-x", native, "--args", path(guest), *words]
    stub = [LINCHPIN, "gdb", "-appdebug_exe", path("gdb.sh"), "-nx", "-batch", "-ex", QUIET, "-x", os.path.join(HERE, name + ".gdb"), *options, "--", path(guest), *words]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        a, b = pool.map(lambda command: watch.run(command, LIMIT), (natively, stub))
    lines = [plain(r.stdout + r.stderr) for r in (a, b)]
    if CANNOT_WRITE in a.stdout + a.stderr:
        assert CANNOT_WRITE not in b.stdout + b.stderr, b.stdout + b.stderr
        raise Skip(f"natively this gdb cannot write registers on this CPU ({CANNOT_WRITE})")
    diff = list(difflib.unified_diff(*lines, "native gdb", "gdb through the stub", lineterm="", n=2))
    assert "Error in" not in a.stdout + a.stderr, f"gdb itself says {a.stdout}{a.stderr}"
    assert not diff, "\n".join(diff)


def dialogue(name, what):
    """Commands for gdb under the tool `asks`, with the lines that must follow each."""
    with open(os.path.join(HERE, name + ".txt"), encoding="utf-8") as f:
        lines = f.read().splitlines()
    commands = [line for line in lines if not line.startswith("= ")]
    words = [w for c in commands for w in ("-ex", c)]
    got = watch.run(["sh", "-c", 'exec "$@" 2>&1', "sh", LINCHPIN, "gdb", "-nx", "-batch", "-ex", "set width 0", "-ex", "echo ----\\n", *words, "-api_calls", CALLS, "-t", path("asks.so"), "-what", what, "--", path("basic")], LIMIT)
    start, _, rest = (got.stdout + got.stderr).replace(HERE + os.sep, "").partition("----\n")
    printed = [re.sub(r"0x[0-9a-f]+", "ADDR", line) for line in rest.splitlines() if line and not line.startswith(("[Inf", "warning", "Kill the program"))]
    expected = [line[2:] for line in lines if line.startswith("= ")]
    assert "before the start: unconnectable, type 0, info 1, stop at entry 1" in start, start
    assert printed == expected, "\n".join(difflib.unified_diff(expected, printed, "expected", "printed", lineterm=""))


def case_kernel():
    """What the kernel writes, as gdb's software watchpoints see it natively: those of the hardware do not."""
    script("kernel", "kernel", natively=["set can-use-hw-watchpoints 0"])


def case_elements():
    """Gathers, masked moves and repeated string instructions: only what is accessed counts."""
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        if " avx2 " not in f.read():
            raise Skip("this CPU has no gathers (AVX2)")
    script("elements", "elements")


def case_calls():
    """With a debugger calls that may wait go through the VM; the others stay in the code cache, and threads that make them all the time stop all the same."""
    got = watch.run([LINCHPIN, "-stats", "-appdebug_enable", "-appdebug_silent", "--", path("calls")], LIMIT)
    numbers = {m[0]: int(m[1]) for m in re.findall(r"system calls in the (VM|cache) +(\d+)", got.stdout + got.stderr)}
    assert "good 2000\n" in got.stdout and numbers["cache"] >= 6000 and 2000 <= numbers["VM"] < 2500, (numbers, got.stdout)
    with Program(path("calls"), "threads") as p:
        c = p.connect()
        c.ask("?")
        c.send("vCont;c")
        assert p.process.stdout.readline() == "ready\n"
        for _ in range(100):
            c.socket.sendall(b"\x03")
            assert c.receive().startswith("T02")
            threads = re.findall(r'id="([0-9a-f]+)"', c.ask("qXfer:threads:read::0,4000"))
            assert len(threads) == 4 and all(len(c.ask(f"Hg{t}") and c.ask("g")) > 400 for t in threads), threads
            c.send("vCont;c")
        c.socket.sendall(b"\x03")
        c.receive()
        assert c.ask("D") == "OK"
        c.close()
        p.process.send_signal(signal.SIGUSR1)
        text, status = p.end()
        assert status == 0 and text == "wrong 0 0 0\n", (text, status)


def case_descriptors():
    """Reads and writes of files stay in the code cache, as natively fast; what takes the number of a file afterwards is no file, and a stop ends no read of it."""
    got = watch.run([LINCHPIN, "-stats", "-appdebug_enable", "-appdebug_silent", "--", path("files")], LIMIT)
    numbers = {m[0]: int(m[1]) for m in re.findall(r"system calls in the (VM|cache) +(\d+)", got.stdout + got.stderr)}
    assert "good 1000\n" in got.stdout and numbers["cache"] >= 5000 and numbers["VM"] < 500, (numbers, got.stdout)
    for way in ("close", "dup2", "dup3", "range", "shared"):
        ours, its = socket.socketpair()
        with ours, Program(path("files"), way, stdin=its) as p:
            its.close()
            c = p.connect()
            c.ask("?")
            c.send("vCont;c")
            assert p.process.stdout.readline() == "good 1000\n"
            for byte in (b"1", b"2", b"q"):
                assert p.process.stdout.readline() == "reads\n", way
                for _ in range(5):
                    c.socket.sendall(b"\x03")
                    stop = c.receive()
                    assert stop.startswith("T02"), stop
                    c.send("vCont;c")
                ours.sendall(byte)
            assert c.receive() == "W00", way


def case_execs():
    """The debugger goes on with a program that is executed under the engine."""
    script("execs", "execs", options=["-follow_execv"])


def case_execs_ways():
    """The same, with the engine brought in otherwise, and under a tool."""
    for options in (["-injection", "inprocess"], ["-t", "inscount", "-o", path("execs.count")]):
        script("execs", "execs", options=["-follow_execv", *options])


def case_exec_storm():
    """Requests to stop at any moment of an execve: each continue has one stop, and none is lost."""
    with Program(path("execs"), "100", options=("-appdebug", "-appdebug_forks", "-follow_execv")) as p:
        c = p.connect()
        c.ask("QStartNoAckMode")
        assert "exec-events+" in c.ask("qSupported:multiprocess+;exec-events+")
        r, seen, asked = random.Random(1), {"exec": 0, "asked": 0}, 0
        while True:
            c.send("vCont;c")
            if r.random() < 0.5:
                time.sleep(r.random() / 100)  # any moment will do
                c.socket.sendall(b"\x03")
                asked += 1
            stop = c.receive()
            if stop[0] == "W":
                break
            seen["exec" if ";exec:" in stop else "asked"] += 1
            assert ";exec:" in stop or stop.startswith("T02"), stop
            found = re.search(r"thread:(p([0-9a-f]+)[.][0-9a-f]+);", stop)
            assert int(found.group(2), 16) == p.process.pid and f'id="{found.group(1)}"' in c.ask("qXfer:threads:read::0,4000"), stop
        assert stop == f"W{40 + 130:02x};process:{p.process.pid:x}" and seen["exec"] == 30 and seen["asked"] <= asked, (stop, seen, asked)


def case_vforks():
    """Children of vfork: the debugger is told of them, and of their end, and goes on with the parent."""
    script("vforks", "vforks", "/bin/true")


def case_vforks_child():
    """Or with the child, which has the parent's memory, up to its end."""
    script("vforks_child", "vforks", "/bin/true")


def case_vforks_exec():
    """And on into the program that it executes under the engine."""
    script("vforks_exec", "vforks", path("basic"), "once", options=["-follow_execv"])


def case_vforks_ends():
    """A child of vfork executes a program natively, is killed, or is let go; the connection is cut while it waits: its parent goes on."""
    got = watch.run([LINCHPIN, "gdb", "-nx", "-batch", "-ex", "set follow-fork-mode child", "-ex", "break in_child", "-ex", "continue", "-ex", "continue", "--", path("vforks"), path("basic"), "once"], LIMIT)
    text = got.stdout + got.stderr
    assert "hit Breakpoint 1, in_child (n=3)" in text and "The program executes another one, which this debugger does not see.\n" in text and "basic 90 5 120 16\n" in text, text
    for last, status in (("D;{child:x}", 3), ("?", 3), ("Hgp{child:x}.{child:x}", 3), ("vKill;{child:x}", 0)):
        with Program(path("vforks"), "/bin/false" if status else path("basic"), "once", options=("-appdebug", "-appdebug_forks")) as p:
            c = p.connect()
            assert "vfork-events+" in c.ask("qSupported:multiprocess+;vfork-events+")
            stop = c.ask("vCont;c")
            child = int(re.search("vfork:p([0-9a-f]+)[.]", stop).group(1), 16)
            thread = re.search("thread:(p[0-9a-f]+[.][0-9a-f]+);", stop).group(1)
            assert thread == f"p{p.process.pid:x}.{p.process.pid:x}" and c.ask(f"Tp{child:x}.{child:x}") == "OK", stop
            c.ask(last.format(child=child))
            if last[0] in "Dv":
                stop = c.ask("vCont;c")
                assert "vforkdone:;" in stop and f"thread:{thread};" in stop, stop
                c.send("vCont;c")
                end = c.receive()
                assert end.startswith("W01" if status else "W00"), end
            c.close()
            text, ended = p.end()
            assert text == "" and ended == (1 if status else 0), (text, ended)


def case_python():
    script("python", os.path.realpath(sys.executable), "-S", "-E", os.path.join(HERE, "python.py"))


def case_rust():
    if not shutil.which("rustc"):
        print("  rustc is missing: not tried")
        return
    subprocess.run(["rustc", "-g", "-C", "opt-level=0", os.path.join(HERE, "rust.rs"), "-o", path("rust")], check=True)
    script("rust", "rust")


def case_core():
    """gcore writes what gdb then reads: threads, their stacks, what they have for themselves."""
    core = path("process.core")
    if os.path.exists(core):
        os.unlink(core)
    got = watch.run([LINCHPIN, "gdb", "-nx", "-batch", "-ex", "break here", "-ex", "continue", "-ex", "gcore " + core, "-ex", "continue", "-ex", "continue", "--", path("process")], LIMIT)
    text = got.stdout + got.stderr
    assert f"Saved corefile {core}" in text and "exited normally" in text, text
    read = watch.run([*GDB, "-ex", "bt", "-ex", "thread apply all -q print mine", "-ex", "info proc exe", "-ex", "print $_siginfo.si_signo", "-ex", "x/i $pc", path("process"), core], LIMIT)
    os.unlink(core)
    lines = plain(read.stdout)
    for wanted in ("#0  here (step=1) at", "in other (to=ADDR) at", "$1 = 6", "$2 = 77", f"exe = '{path('process')}'"):
        assert any(wanted in line for line in lines), (wanted, read.stdout, read.stderr)


def case_files():
    """Files by the protocol: the program's view of /proc, nothing of the host's, nothing written, and what a debugger that is not on this machine asks first."""
    def name(p):
        return p.encode().hex()

    for options, probed in (((), ""), (("-appdebug_allow_remote",), "F-1,2")):
        with Program(path("basic"), options=("-appdebug", *options)) as p:
            c = p.connect()
            assert c.ask("vFile:setfs:0") == "F0" and c.ask(f"vFile:open:{name('just probing')},0,1c0") == probed
            thread = re.search(r"thread:([0-9a-f]+);", c.ask("?")).group(1)
            pid = int(thread, 16)
            file = c.ask(f"vFile:open:{name(f'/proc/{pid}/maps')},0,0")
            assert file == "F0", file
            text, at = "", 0
            while (piece := c.ask(f"vFile:pread:0,1000,{at:x}")) != "F0;":
                length, _, data = piece.partition(";")
                text += data
                at += int(length[1:], 16)
            wire = path("basic").encode().decode("latin-1") # as bytes are kept here
            assert f"{wire}\n" in text and "linchpin-vm" not in text, text
            assert c.ask("vFile:close:0") == "F0" and c.ask("vFile:close:0") == "F-1,9" and c.ask("vFile:pread:0,1000,0") == "F-1,9"
            assert c.ask(f"vFile:readlink:{name(f'/proc/{pid}/exe')}") == f"F{len(wire):x};{wire}"
            assert c.ask(f"vFile:open:{name('/nowhere')},0,0") == "F-1,2" and c.ask(f"vFile:open:{name('/tmp/new')},601,1b6") == "F-1,1e"
            assert c.ask("vFile:unlink:" + name("/nowhere")) == "" and c.ask("vFile:open:xx,0,0") == "F-1,16"
            many = [c.ask(f"vFile:open:{name(path('basic'))},0,0") for _ in range(33)]
            assert many == [f"F{i:x}" for i in range(32)] + ["F-1,18"], many
            c.send("vFile:fstat:1")
            stat = c.receive_raw()
            assert stat.startswith(b"F40;"), stat
            size = int.from_bytes(stat[4 + 28:4 + 36], "big")
            assert size == os.path.getsize(path("basic")), (stat, size)
            c.close()
            text, status = p.end()
            assert status == 3 and text == "basic 90 5 120 16\n", (text, status)


def case_machine():
    """What lldb asks for: the machine, the process, what is mapped at an address."""
    with Program(path("basic")) as p:
        c = p.connect()
        triple = "triple:" + b"x86_64-pc-linux-gnu".hex() + ";ptrsize:8;endian:little;"
        stop = c.ask("?")
        pid = re.search(r"thread:([0-9a-f]+);", stop).group(1)
        pc, sp = (int.from_bytes(bytes.fromhex(re.search(n + ":([0-9a-f]{16});", stop).group(1)), "little") for n in ("10", "07"))
        assert c.ask("qHostInfo") == triple and c.ask("qProcessInfo") == f"pid:{pid};ostype:linux;" + triple
        regions, at = [], 0
        while at < (1 << 64) - 1:
            start, size, prot = re.fullmatch(r"start:([0-9a-f]+);size:([0-9a-f]+);(?:permissions:([rwx]*);)?", c.ask(f"qMemoryRegionInfo:{at:x}")).groups()
            assert int(start, 16) == at and int(size, 16) > 0, (start, at)
            at += int(size, 16)
            regions.append((int(start, 16), at, prot))
        assert c.ask("qMemoryRegionInfo:") == "E01"
        found = {a: [prot for low, high, prot in regions if low <= a < high] for a in (pc, sp, 16)}
        assert found == {pc: ["r-x".replace("-", "")], sp: ["rw"], 16: [None]}, found
        assert c.ask("vCont;c") == "W03"


LLDB = [("breakpoint set -n add", "where = basic`add"), ("continue", "stop reason = breakpoint 1.1"), ("bt", "basic`main(argc=1"), ("thread step-over", "stop reason = step over"), ("frame variable", "(int) x = 0"),
        ("print (int)twice(21)", "(int) $0 = 42"), ("watchpoint set variable total", "Watchpoint created"), ("continue", "stop reason = watchpoint 1"), ("watchpoint delete -f", "removed"),
        ("breakpoint delete -f", "removed"), ("memory region $pc", "r-x"), ("breakpoint set -n factorial", "factorial"), ("continue", "factorial(n=5)"), ("breakpoint delete -f", "removed"), ("finish", "Return value: (int)"),
        ("register write rax 7", ""), ("register read rax rip", "rax = 0x0000000000000007"), ("thread list", "stop reason = step out"), ("continue", "exited with status = 3")]


def case_lldb():
    """lldb itself, where there is one: what each command must print."""
    if not shutil.which("lldb"):
        print("  lldb is missing: not tried")
        return
    with Program(path("basic")) as p:
        words = ["-o", f"gdb-remote {p.port}"] + [w for command, _ in LLDB for w in ("-o", command)]
        got = watch.run(["lldb", "-x", "-b", *words, path("basic")], LIMIT)
        parts = re.split(r"^\(lldb\) (.*)$", got.stdout, flags=re.MULTILINE)
        answers = list(zip(parts[1::2], parts[2::2]))[2:]
        assert [command for command, _ in answers] == [command for command, _ in LLDB], got.stdout + got.stderr
        for (command, wanted), (_, answer) in zip(LLDB, answers):
            assert wanted in answer, (command, wanted, got.stdout)


def case_commands():
    dialogue("commands", "commands")


def case_breaks():
    dialogue("breaks", "breaks")


# --- the protocol, by hand ------------------------------------------------------------------------------------------------

class Program:
    """A guest that waits for a debugger at a port."""

    def __init__(self, *words, options=("-appdebug",), stdin=None):
        self.process = subprocess.Popen([LINCHPIN, *options, "--", *words], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.port = None
        for line in self.process.stdout:
            found = re.search(r"target remote :(\d+)", line)
            if found:
                self.port = int(found.group(1))
                break
        assert self.port, "no line `target remote`"

    def connect(self):
        return Client(self.port)

    def end(self, limit=LIMIT):
        try:
            text, _ = self.process.communicate(timeout=watch.patience(limit))
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError("the program does not end") from None
        return text, self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


class Client:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.settimeout(watch.patience(30))
        self.buffer = b""

    def send(self, text):
        data = text.encode("latin-1")
        self.socket.sendall(b"$" + data + b"#%02x" % (sum(data) & 0xff))

    def receive(self):
        while True:
            found = re.search(rb"\$([^#]*)#[0-9a-f]{2}", self.buffer)
            if found:
                self.buffer = self.buffer[found.end():]
                self.socket.sendall(b"+")
                return found.group(1).decode("latin-1")
            more = self.socket.recv(65536)
            assert more, "the connection is gone"
            self.buffer += more

    def receive_raw(self):
        """Bytes, unescaped."""
        return re.sub(rb"}(.)", lambda m: bytes([m.group(1)[0] ^ 0x20]), self.receive().encode("latin-1"), flags=re.DOTALL)

    def ask(self, text):
        self.send(text)
        return self.receive()

    def drain(self):
        """Reads what has come, and does not wait."""
        while select.select([self.socket], [], [], 0)[0] and self.socket.recv(65536):
            pass

    def answers(self, text, expected):
        """Asks while answers to other packets may still come."""
        self.send(text)
        got = ""
        while not re.search(r"\$" + expected + "[^$]*#", got):
            more = self.socket.recv(65536).decode("latin-1")
            if not more:
                return False
            got = got[-4096:] + more
        return True

    def close(self):
        self.socket.close()


def case_interrupt():
    """Threads that run, wait in calls and spin stop, and go on: 20 times after all of them are there."""
    with Program(path("spin")) as p:
        c = p.connect()
        assert c.ask("?").startswith("T05"), "no stop at the start"
        times, end = 0, time.monotonic() + watch.patience(LIMIT)
        while times < 20:
            assert time.monotonic() < end, threads
            c.send("vCont;c")
            time.sleep(0.02)  # it is to run for a while
            c.socket.sendall(b"\x03")
            stop = c.receive()
            assert stop.startswith("T02"), stop
            threads = c.ask("qXfer:threads:read::0,4000")
            times += threads.count("<thread ") == 4
        assert c.ask("D") == "OK"
        c.close()
        p.process.send_signal(signal.SIGUSR1)
        text, status = p.end()
        assert status == 0 and text == "ready\ndone\n", (text, status)


def case_reattach():
    """A debugger leaves, another one comes; a second one at the same time is turned away."""
    with Program(path("spin"), options=("-appdebug_enable",)) as p:
        assert p.process.stdout.readline() == "ready\n"
        for i in range(5):
            c = p.connect()
            assert c.ask("?").startswith("T05")
            other = socket.create_connection(("127.0.0.1", p.port))
            other.settimeout(watch.patience(30))
            assert other.recv(1) == b"", "two debuggers at once"
            other.close()
            if i % 2:
                assert c.ask("D") == "OK"
            else:
                c.send("vCont;c")
            c.close()
        p.process.send_signal(signal.SIGUSR1)
        text, status = p.end()
        assert status == 0 and text == "done\n", (text, status)


def case_cut():
    """The connection is cut at a breakpoint, and amid a packet: the program goes on as if nobody had been there."""
    for last in (b"", b"$m0,", b"$vCont;s", b"\x03$", b"-"):
        with Program(path("basic")) as p:
            c = p.connect()
            c.ask("?")
            assert c.ask("vCont;c:7fffffff") == "E01", "nobody is let go"
            entry = int(re.search(r"10:([0-9a-f]{16});", c.ask("?")).group(1), 16)
            assert c.ask(f"Z0,{int.from_bytes(entry.to_bytes(8, 'big'), 'little'):x},1") == "OK"
            stop = c.ask("vCont;c")
            assert stop.startswith("T05") and "swbreak" in stop, stop
            c.socket.sendall(last)
            c.close()
            text, status = p.end()
            assert status == 3 and text == "basic 90 5 120 16\n", (text, status)


def case_killed():
    """gdb is killed while the program runs, and while it stands."""
    for commands in (["-ex", "continue"], ["-ex", "shell kill -STOP $PPID"]):
        with Program(path("spin")) as p:
            gdb = subprocess.Popen([*GDB, "-ex", f"target remote 127.0.0.1:{p.port}", "-ex", "echo here\\n", *commands], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            said = ""
            for line in gdb.stdout:
                said += line
                if line.startswith("here"):
                    break
            gdb.kill()
            gdb.communicate()
            assert "\nhere" in said, f"gdb has not come so far: {said}"
            assert p.process.stdout.readline() == "ready\n"
            p.process.send_signal(signal.SIGUSR1)
            text, status = p.end()
            assert status == 0 and text == "done\n", (text, status)


def garbage(r):
    """A packet that is nearly right, or nothing like one."""
    heads = ["g", "G", "p", "P", "m", "M", "X", "H", "T", "Z", "z", "vCont", "vCont;", "vFile:", "vCont;r", "qXfer:", "qXfer:features:read:", "q", "Q", "qSupported:", "QPassSignals:", "?", "!", "v", "F",
             "qXfer:auxv:read::", "qXfer:threads:read::", "qRcmd,", "vFile:open:", "vFile:pread:", "Z0,", "Z2,", "z4,", "Hgp", "Hc", "qSymbol:", "_", "qSearch:memory:",
             "vFile:close:", "vFile:fstat:", "vFile:readlink:", "vFile:open:2f70726f632f73656c662f", "qSymbol::", "qGetTLSAddr:", "qMemoryRegionInfo:", "qHostInfo", "qXfer:siginfo:read::", "Tp", "qThreadExtraInfo,"]
    alphabet = "0123456789abcdef,:;.-=*~}{#pxX" + "".join(map(chr, (0, 1, 127, 200, 255)))
    text = r.choice(heads) + "".join(r.choice(alphabet) for _ in range(r.choice((0, 1, 3, 8, 20, 200, 20000))))
    return text.replace("k", "").replace("#", "}\x03" if r.random() < 0.5 else "")


def fuzz(seconds, seed):
    r = random.Random(seed)
    end = time.monotonic() + seconds
    done = 0
    while time.monotonic() < end:
        with Program(path("basic")) as p:  # what garbage does to its registers is not looked at
            c = p.connect()
            for _ in range(300):
                text = garbage(r)
                if re.match(r"vCont;?[cCsSr]|D|vKill|[csCSkR]", plain_packet(text)):
                    continue
                data = text.encode("latin-1")
                if r.random() < 0.2:
                    c.socket.sendall(bytes(r.randrange(256) for _ in range(r.randrange(30))).replace(b"$", b"").replace(b"\x03", b""))
                c.socket.sendall(b"$" + data + b"#%02x" % ((sum(data) + (r.random() < 0.1)) & 0xff))
                c.drain()
                done += 1
            assert c.answers("?", r"T05.*thread:"), f"no answer any more (seed {seed})"
            assert p.process.poll() is None, f"the program has ended (seed {seed})"
    return done


def plain_packet(text):
    """As the stub reads it."""
    return re.sub("}(.)", lambda m: chr(ord(m.group(1)) ^ 0x20), text, flags=re.DOTALL)


def sensible(r, threads, places):
    """A packet that does something, with values that mean something."""
    signals = [n for n in range(1, 40) if n not in (17, 18, 21, 22)]  # those stop the process, and the stub with it
    thread, place = r.choice(threads), r.choice(places) + r.choice((0, 0, 1, 8, -8, 64, 4096))
    return r.choice(("vCont;c", f"vCont;s:{thread}", f"vCont;s:{thread};c", f"vCont;r{place:x},{place + 32:x}:{thread}", f"vCont;C{r.choice(signals):02x}:{thread};c", f"Hg{thread}", "g", "qXfer:threads:read::0,4000",
                     f"Z0,{place:x},1", f"z0,{place:x},1", f"Z1,{place:x},1", f"Z2,{place:x},{r.choice((1, 8, 100)):x}", f"z2,{place:x},8", f"Z4,{place:x},8", f"z4,{place:x},8", f"m{place:x},40", f"T{thread}", "\x03"))


def fuzz_running(seconds, seed):
    """The same with threads that run: they are let go, stepped, stopped, given signals, between garbage. What becomes of the program is not looked at; the stub must answer, or have told the program's end."""
    r = random.Random(seed)
    end = time.monotonic() + seconds
    done = 0
    while time.monotonic() < end:
        with Program(path("spin")) as p:
            c = p.connect()
            stop = c.ask("?")
            threads = [re.search(r"thread:([0-9a-f]+);", stop).group(1), "-1", "0"]
            places = [int.from_bytes(bytes.fromhex(re.search(n + ":([0-9a-f]{16});", stop).group(1)), "little") for n in ("10", "07")]
            for _ in range(150):
                text = sensible(r, threads, places) if r.random() < 0.7 else garbage(r)
                if re.match(r"D|vKill|k", plain_packet(text)):
                    continue
                data = text.encode("latin-1")
                try:
                    c.socket.sendall(data if text == "\x03" else b"$" + data + b"#%02x" % (sum(data) & 0xff))
                    c.drain()
                except OSError:  # the program has ended
                    break
                done += 1
            try:
                c.socket.sendall(b"\x03")
                c.drain()
                alive = c.answers("?", r"(T[0-9a-f][0-9a-f]|[WX][0-9a-f][0-9a-f])")
            except ConnectionError:
                alive = False
            c.close()
            if alive:
                p.process.kill()
            text, _ = p.end()  # without an answer it must have ended
            assert "linchpin" not in text, f"{text} (seed {seed})"
    return done


def case_garbage():
    fuzz(3, 1)


def case_garbage_long():
    seed = random.randrange(1 << 30) if SEED is None else SEED
    print(f"  seed {seed}", flush=True)
    print(f"  {fuzz(SECONDS / 2, seed)} packets to a program that stands, {fuzz_running(SECONDS / 2, seed)} to one that runs")


def case_silent():
    """Options: a port of one's own, a socket, nothing printed."""
    with contextlib.closing(socket.socket()) as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    with Program(path("basic"), options=("-appdebug", "-appdebug_server_port", str(port))) as p:
        assert p.port == port, (p.port, port)
        c = p.connect()
        assert c.ask("?").startswith("T05")
        end = c.ask("vCont;c")
        assert end == "W03", end
    where = path("socket")
    if os.path.exists(where):
        os.unlink(where)
    p = subprocess.Popen([LINCHPIN, "-appdebug_enable", "-appdebug_silent", "-appdebug_connection", "unix:" + where, "--", path("spin")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        s = socket.socket(socket.AF_UNIX)
        end = time.monotonic() + watch.patience(30)
        while s.connect_ex(where):
            assert time.monotonic() < end, "nobody waits at the socket"
            time.sleep(0.01)
        s.sendall(b"$?#3f")
        got = b""
        while b"#" not in got:
            got += s.recv(4096)
        assert b"$T05" in got, got
        s.close()
        assert p.stdout.readline() == "ready\n"
        p.send_signal(signal.SIGUSR1)
        assert p.communicate(timeout=watch.patience(LIMIT))[0] == "done\n"
    finally:
        if p.poll() is None:
            p.kill()
            p.communicate()
        os.unlink(where)


def case_follow():
    """Children run without a debugger, and so do programs that are executed natively; what they have open is theirs. What gdb cannot follow it says."""
    for options in ([], ["-follow_execv"]):
        got = watch.run([LINCHPIN, "gdb", "-nx", "-batch", "-ex", "break in_child", "-ex", "break in_parent", "-ex", "continue", "-ex", "continue", *options, "--", path("follow"), path("basic")], LIMIT)
        text = got.stdout + got.stderr
        assert "Breakpoint 2, in_parent ()" in text and "Breakpoint 1, " not in text, text
        assert "child 7, program 0, shell 5\n" in text and "basic 90 5 120 16\n" in text and "linchpin:" not in text, text
        says = "process [0-9]+ is executing new program: " + path("basic") if options else f"The program executes {path('basic')}, which this debugger does not see.\n"
        assert re.search(says, text), text
    # a child that is kept waits until it is detached from
    got = watch.run([LINCHPIN, "gdb", "-nx", "-batch", "-ex", "set detach-on-fork off", "-ex", "catch fork", "-ex", "continue", "-ex", "next", "-ex", "info inferiors", "-ex", "info threads", "-ex", "thread 2.1", "-ex", "bt", "-ex", "detach inferiors 2", "-ex", "inferior 1",
                     "-ex", "delete", "-ex", "set detach-on-fork on", "-ex", "continue", "--", path("follow")], LIMIT)
    text = got.stdout + got.stderr
    for wanted in ("* 1    process", "  2    process", "#0  <unavailable> in ?? ()", "[Inferior 2 (process", "child 7, program 0, shell 5\n"):
        assert wanted in text, (wanted, text)
    # or until the connection is cut
    for last in ("D;{child:x}", "?", None):
        with Program(path("follow"), options=("-appdebug", "-appdebug_forks")) as p:
            c = p.connect()
            assert "fork-events+" in c.ask("qSupported:multiprocess+;fork-events+")
            stop = c.ask("vCont;c")
            child = int(re.search("fork:p([0-9a-f]+)[.]", stop).group(1), 16)
            assert c.ask(f"Tp{child:x}.{child:x}") == "OK" and c.ask(f"vCont;c:p{child:x}.-1").startswith("E.only one process")
            if last:
                c.ask(last.format(child=child))
            c.close()
            text, status = p.end()
            assert text == "child 7, program 0, shell 5\n" and status == 1, (text, status)


def case_excluded():
    """A program that is excluded runs at once; one that it executes waits for a debugger, or, by another name, does not."""
    words = ["-appdebug", "-appdebug_exclude", path("follow"), "-appdebug-exclude", "true", "-appdebug_exclude", "sh", "-follow_execv"]
    got = watch.run([LINCHPIN, *words, "-appdebug_exclude", path("basic"), "--", path("follow"), path("basic")], LIMIT)
    assert "child 7, program 0, shell 5\n" in got.stdout and got.stdout.endswith("basic 90 5 120 16\n") and got.stderr == "", (got.stdout, got.stderr)
    with Program(path("follow"), path("basic"), options=words) as p:
        c = p.connect()
        assert c.ask("?").startswith("T05")
        c.close()
        text, status = p.end()
        assert status == 3 and text.endswith("basic 90 5 120 16\n"), (text, status)


def case_waits():
    """The tool stops the program, which waits for a debugger: the stop is told when one comes, without text that nobody waits for."""
    with Program(path("basic"), options=("-appdebug_enable", "-t", path("asks.so"), "-what", "wait")) as p:
        for line in p.process.stdout:
            if line == "the tool waits\n":
                break
        c = p.connect()
        c.send("?")
        c.send("qC")
        stop = c.receive()
        current = c.receive()
        assert stop.startswith("T05") and current.startswith("QC"), (stop, current)
        assert c.ask("vCont;c") == "W03"


def case_others():
    """The tool hears of every thread that is stopped with another one; the debugger kills the program, and the tool hears of the end of each, once."""
    with Program(path("spin"), options=("-appdebug", "-t", path("asks.so"), "-what", "others")) as p:
        c = p.connect()
        c.ask("?")
        c.send("vCont;c")
        assert p.process.stdout.readline() == "ready\n"
        for _ in range(2):
            c.socket.sendall(b"\x03")
            assert c.receive().startswith("T02")
            assert bytes.fromhex(c.ask("qRcmd," + b"others".hex())) == b"4 threads\n"
            c.send("vCont;c")
        c.socket.sendall(b"\x03")
        assert c.receive().startswith("T02")
        c.send("k")
        text, status = p.end()
        assert status == -signal.SIGKILL, status
        ends = text.splitlines()
        assert len(set(ends)) == len(ends) == 5 and ends[4] == "the end, -1" and all(re.fullmatch(r"the end of thread \d+", line) for line in ends[:4]), text


def case_ends():
    """A thread that alone is stepped ends: the debugger hears that nobody is left to stop, and can let the others go."""
    with Program(path("calls"), "threads") as p:
        c = p.connect()
        c.ask("qSupported:no-resumed+")
        c.ask("?")
        c.send("vCont;c")
        assert p.process.stdout.readline() == "ready\n"
        c.socket.sendall(b"\x03")
        first = re.search(r"thread:([0-9a-f]+);", c.receive()).group(1)
        others = [t for t in re.findall(r'id="([0-9a-f]+)"', c.ask("qXfer:threads:read::0,4000")) if t != first]
        # it leaves by the exit system call, as the engine is told to make it
        pc = int.from_bytes(bytes.fromhex(c.ask(f"Hg{others[0]}") and c.ask("p10")), "little")
        assert c.ask(f"M{pc:x},2:0f05") == "OK"
        assert c.ask("P0=" + (60).to_bytes(8, "little").hex()) == "OK" and c.ask("P10=" + pc.to_bytes(8, "little").hex()) == "OK"
        assert c.ask(f"vCont;s:{others[0]}") == "N"
        assert c.ask("qC").startswith("QC")


SHORT = ["commands", "breaks", "basic", "watches", "kernel", "elements", "calls", "descriptors", "threads", "signals", "vectors", "process", "core", "files", "machine", "forks", "forks_child", "vforks", "vforks_child", "vforks_exec", "vforks_ends", "execs", "exec_storm", "throws", "writes", "stripped", "interrupt", "reattach", "cut", "killed", "garbage", "silent", "follow", "excluded", "waits", "others", "ends"]
GUESTS = {"forks_child": "forks"}  # of scripts with another name
LONG = ["execs_ways", "python", "rust", "lldb", "garbage_long"]


def run(name):
    f = globals().get("case_" + name)
    if f:
        f()
    else:
        script(name, GUESTS.get(name, name))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long garbage_long goes on")
    parser.add_argument("--seed", type=int, help="of garbage_long's packets")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    globals()["SECONDS"], globals()["SEED"] = args.seconds, args.seed
    if not shutil.which("gdb"):
        print("skip: gdb is missing\n0 passed, 0 failed, 1 skipped")
        return 0
    build()
    cases = [n for n in SHORT + ([] if args.short else LONG) if not args.names or any(a in n for a in args.names)]
    failed = skipped = 0
    for name in cases:
        start = time.monotonic()
        try:
            run(name)
            print(f"ok   {name} ({time.monotonic() - start:.1f} s)", flush=True)
        except Skip as e:
            skipped += 1
            print(f"skip {name}: {e}", flush=True)
        except (AssertionError, OSError, subprocess.SubprocessError) as e:
            failed += 1
            print(f"FAIL {name}: {e}", flush=True)
    print(f"{len(cases) - failed - skipped} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 2 if not cases else failed != 0


if __name__ == "__main__":
    sys.exit(main())
