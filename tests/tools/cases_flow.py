# SPDX-License-Identifier: Apache-2.0
"""Tests of the tools that follow data and threads: lockprof, race, taint, memtrace."""
import collections
import os
import re
import tempfile

from harness import LINCHPIN, equal, field, guest, need, run, tool

PRINT = os.path.join(os.path.dirname(LINCHPIN), "linchpin-memtrace")


# --- lockprof -------------------------------------------------------------------------------------------------------------
def lockprof():
    """Numbers of the guest's source; times lie between two that the guest took itself, inside and outside of what is measured."""
    with tempfile.NamedTemporaryFile("r") as results:
        got = run([LINCHPIN, "-t", "lockprof", "-top", "0", "-o", results.name, "--", guest("locks")])
        equal("status and errors", (got.returncode, got.stderr), (0, ""))
        text = results.read()
    at = dict(re.findall(r"^(\w+) (0x[0-9a-f]+)", got.stdout, re.M))

    def row(name):
        return re.search(rf"^mutex {at[name]}: locked (\d+) times, (\d+) contended .*?, (\d+) refused; waited [\d.]+ s \(longest ([\d.]+) s\), held [\d.]+ s \(longest ([\d.]+) s\)\n((?:    .*\n)*)", text, re.M)
    equal("busy", (row("busy")[1], row("busy")[3]), ("3000", "0"))
    equal("held", row("held").groups()[:3], ("2", "1", "0"))
    wait_low, wait_high, hold_low, hold_high = (int(n) / 1e9 for n in re.search(r"wait (\d+) (\d+) hold (\d+) (\d+)", got.stdout).groups())
    rounding = 1e-6
    assert wait_low - rounding <= float(row("held")[4]) <= wait_high + rounding, (wait_low, row("held")[4], wait_high)
    assert hold_low - rounding <= float(row("held")[5]) <= hold_high + rounding, (hold_low, row("held")[5], hold_high)
    assert re.search(r"1 locks +1 contended, .*: locks:wait_for_held at locks.c:\d+", row("held")[6]), row("held")[6]
    # Twice by the callers; once more after the wait for the condition, unless that was true at once.
    assert row("waited")[1] in ("2", "3") and row("waited")[2] in ("0", "1"), row("waited")[0]
    equal("recursive", row("recursive").groups()[:3], ("4", "0", "0"))
    equal("taken", row("taken").groups()[:3], ("1", "0", "2"))


# --- race -----------------------------------------------------------------------------------------------------------------
def race(name):
    """Against what the guest is known to be."""
    with tempfile.NamedTemporaryFile("r") as results:
        got = run([LINCHPIN, "-t", "race", "-o", results.name, "--", guest("racy"), name])
        equal("status and errors", (got.returncode, got.stderr), (0, ""))
        text = results.read()
    found = re.findall(r"^race at (0x[0-9a-f]+): .*racy.c:\d+; .*racy.c:\d+$", text, re.M)
    equal("races", field(text, r"^(\d+) races$"), len(found))
    equal("addresses", found, got.stdout.split() if name.startswith("race-") else [])


def race_drd(name):
    """What the guest is known to be, against DRD."""
    need("valgrind")
    drd = run(["valgrind", "-q", "--tool=drd", guest("racy"), name]).stderr
    equal("DRD", bool(re.search("Conflicting", drd)), name.startswith("race-"))


# --- taint ----------------------------------------------------------------------------------------------------------------
def tried_out(command, text):
    """By trying out: which bytes of the output change with which byte of the input. {output byte: set of input bytes}"""
    depends = collections.defaultdict(set)
    base = run(command, input=text, encoding="latin-1").stdout
    for i in range(len(text.rstrip())):  # without the end of the line
        for bit in (1, 2, 4, 16):
            other = run(command, input=text[:i] + chr(ord(text[i]) ^ bit) + text[i + 1:], encoding="latin-1").stdout
            for k in range(min(len(base), len(other))):
                if base[k] != other[k]:
                    depends[k].add(i)
    return depends


def tainted(words, command, text):
    lines = re.findall(r"^output 1\+(\d+):(.*)$", tool("taint -bytes 1 " + words, command, expect_out=None, stdin=text), re.M)
    return {int(k): {int(i) for i in re.findall(r"input\+(\d+)", what)} for k, what in lines}


def taint_flows():
    text = "abcdefghijklmnop"
    expected, got = tried_out([guest("flows")], text), tainted("", [guest("flows")], text)
    for k in range(32):
        turned = {4, 5, 6, 7} if k % 16 in (4, 5, 6, 7) else None  # bswap: no move, so all bytes for each
        equal(f"output byte {k}", got[k], turned or expected[k])
        assert expected[k] <= got[k], k
    results = tool("taint -argv 1 -bytes 1", [guest("flows"), "xyz"], expect_out=None, stdin=text)
    equal("argument", re.search(r"^output 1\+15:(.*)$", results, re.M)[1], " argv[1]+1")
    branches = re.findall(r"^branch at 0x[0-9a-f]+, flows:main at flows.c:(\d+): (.*)$", results, re.M)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "flows.c")) as f:
        line = next(n for n, source in enumerate(f, 1) if "if (in[7] > 100)" in source)
    equal("branches", branches, [(str(line), "input+7")])
    equal("sum", field(results, r"^output 1: (\d+) of (\d+) bytes"), (24, 32))


def taint_passes():
    """Past the program's memory, through pipes and in pieces."""
    with tempfile.TemporaryDirectory() as d:
        with open(os.path.join(d, "in"), "w") as f:
            f.write("abcdefghijklmnopqr")
        text = tool("taint -fd 100 -bytes 1", [guest("passes"), os.path.join(d, "in"), os.path.join(d, "copy")], expect_out="abcdefghopmnxmn.ijqrqrqrqr")
    got = {(int(fd), int(k)): what.strip() for fd, k, what in re.findall(r"^output (\d+)\+(\d+):(.*)$", text, re.M)}
    input_of = lambda *numbers: ["" if n is None else f"input+{n}" for n in numbers]
    by_fd = lambda fd: [got[key] for key in sorted(got) if key[0] == fd]
    equal("standard output", by_fd(1), input_of(0, 1, 2, 3, 4, 5, 6, 7, 14, 15, 12, 13, None, 12, 13, None, None, None, *[16, 17] * 4))
    equal("copy_file_range", by_fd(101), input_of(8, 9, 10, 11))
    equal("sendmsg", by_fd(103), input_of(14, 15, 12, 13))
    equal("into the pipe", by_fd(102), input_of(4, 5, 6, 7, None, 12, 13, 16, 17, 16, 17, 16, 17))
    equal("tee", by_fd(104), input_of(16, 17))


def taint_program(command):
    """Nothing that does depend on the input is missed in a real program."""
    need(command[0])
    text = "hello, wide world\n"
    expected, got = tried_out(command, text), tainted("-addresses 1", command, text)
    assert expected, "nothing depends on anything"
    for k, inputs in expected.items():
        assert inputs <= got[k], f"output byte {k}: {got[k]}, depends on {inputs}"


# --- memtrace -------------------------------------------------------------------------------------------------------------
def memtrace(options):
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "trace.zst")
        summary = tool(f"memtrace -trace {path} {options}", [guest("sorted")])
        got = run([PRINT, path])
        equal("reader", (got.returncode, got.stderr), (0, ""))
        region = options if "control" in options else ""
        expected = [line for line in tool("pinatrace " + region, [guest("sorted")]).splitlines(True) if not line.startswith(("reads:", "writes:"))]
        assert expected and got.stdout == "".join(expected), "another trace than pinatrace's"
        equal("summary", (field(summary, r"^accesses: (\d+)$"), field(summary, r"^file-bytes: (\d+)$")), (len(expected), os.path.getsize(path)))
        assert os.path.getsize(path) < len(expected) * 32 / 4 or len(expected) < 1000, "not compressed"


def memtrace_threads():
    """Each thread's accesses are as many as pinatrace's, in a trace that is cut into small buffers."""
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "trace.zst")
        tool(f"memtrace -trace {path} -pages 1", [guest("calls")], status=3, expect_out="done\n")
        lines = run([PRINT, "-threads", path]).stdout.splitlines()
    by_thread = collections.Counter(line.split()[0] for line in lines)
    equal("threads", sorted(by_thread), ["0", "1", "2", "3", "4"])
    equal("alike", len({by_thread[t] for t in "1234"}), 1)


def memtrace_wrong():
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "trace.zst")
        tool(f"memtrace -trace {path}", [guest("sorted")])
        with open(path, "rb") as f:
            data = f.read()
        for name, content, why in (("cut", data[:len(data) // 2], "ends before its end"), ("text", b"hello\n", "not a trace"), ("empty", b"", "not a trace")):
            with open(os.path.join(d, name), "wb") as f:
                f.write(content)
            got = run([PRINT, os.path.join(d, name)])
            assert got.returncode == 1 and why in got.stderr and name in got.stderr, got.stderr
        for words, why in ((["-trace", "/nonexistent/x"], "/nonexistent/x"), (["-trace", path, "-level", "1000"], "-level 1000")):
            got = run([LINCHPIN, "-t", "memtrace", *words, "--", "/bin/true"])
            assert got.returncode == 1 and why in got.stderr, got.stderr
        equal("usage", run([PRINT]).returncode, 1)


# --- memory that runs out -------------------------------------------------------------------------------------------------
def hungry(options, block, own=0, words=()):
    """(status, standard error, the tool's results, the lines of the program's file)"""
    with tempfile.TemporaryDirectory() as d:
        results, written = os.path.join(d, "results"), os.path.join(d, "written")
        got = run([LINCHPIN, *options.split(), "-t", guest("hungry.so"), "-o", results, "-block", str(block), *words, "--", guest("meals"), written, str(own)])
        with open(results) as f, open(written) as g:
            return got.returncode, got.stderr, f.read(), g.read()


def memory_limit(block):
    whole = "".join(f"line {i}\n" for i in range(200))
    equal("no limit", hungry("", block), (0, "", "end\n", whole))
    equal("enough", hungry("-pin_memory_size 1G", block), (0, "", "end\n", whole))
    status, errors, results, written = hungry("-pin_memory_size 64M", block)
    equal("status", status, 1)
    assert re.fullmatch(r"linchpin: out of memory: \d+ bytes were asked for, and with them tool and engine would have more than the 65536 KiB of -pin_memory_size; .*\n", errors), errors
    assert re.fullmatch(r"ran out at \d+ bytes\n", results), results
    lines = written.count("\n")
    equal("the program's file", written, "".join(f"line {i}\n" for i in range(lines)))
    assert 8 <= lines < 64, f"{lines} megabytes were given away"
    equal("the program's own memory", hungry("-pin_memory_size 300M", block, 400)[:3], (0, "", "end\n"))


def memory_of_tool(block):
    """A limit that the tool sets holds for its own memory, and is the program's, too; what it gives back when it has run out is used."""
    status, errors, results, written = hungry("", block, words=("-limit", "220"))
    equal("status", (status, errors), (0, ""))
    assert re.fullmatch(r"(ran out at \d+ bytes\n)+end\n", results), results
    equal("the program's file", written.count("\n"), 200)
    got = run([LINCHPIN, "-t", guest("hungry.so"), "-o", "/dev/null", "-limit", "500", "--", "/bin/sh", "-c", "ulimit -v"])
    equal("the program's limit", (got.returncode, got.stdout), (0, "512000\n"))


def memory_too_small():
    got = run([LINCHPIN, "-pin_memory_size", "1M", "-t", "inscount", "--", "/bin/true"])
    assert got.returncode == 1 and "-pin_memory_size" in got.stderr, (got.returncode, got.stderr)


def memory_reserved():
    """-reserve_memory: ranges of the file are memory, whether there is a tool or not; what is there stays; a bad file is a message."""
    look = ["/usr/bin/python3", "-c", "import ctypes as c; at = 0x2ae3f07000; print(c.string_at(at + 8191, 1)); c.memset(at, 65, 8192); print(c.string_at(at + 8190, 2))"]
    assert run(look).returncode == -11, "there is memory without the option"
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "ranges")
        for tool in ([], ["-t", "inscount"]):
            with open(path, "w") as f:
                f.write("2ae3f07000 2ae3f08fff data 0\n400000 401000 text 0\n0 1000\n")
            got = run([LINCHPIN, "-reserve_memory", path, *tool, "--", *look])
            equal("memory", (got.returncode, got.stdout.replace("\r", "")), (0, "b'\\x00'\nb'AA'\n"))
            with open(path, "w") as f:
                f.write("2ae3f07000 2ae3f08000\nnothing\n")
            got = run([LINCHPIN, "-reserve_memory", path, *tool, "--", *look])
            assert got.returncode == 1 and "line 2 of " in got.stderr, got.stderr


def memory_refused():
    """Where the kernel says no: a message, not an exception that nobody catches."""
    got = run(["/bin/sh", "-c", f"ulimit -v 1000000; exec {LINCHPIN} -t {guest('hungry.so')} -o /dev/null -block 1000 -- {guest('meals')} /dev/null 800"])
    assert got.returncode == 1 and "linchpin: no memory for tool and engine" in got.stderr and "ulimit" in got.stderr, (got.returncode, got.stderr)


def cases():
    for block in (1000, 1 << 20):
        yield f"memory-limit-{block}", memory_limit, (block,)
        yield f"memory-of-tool-{block}", memory_of_tool, (block,)
    names = run([guest("racy")]).stdout.split()
    assert names, "racy does not name its cases"
    for name in names:
        yield "race-" + name, race, (name,)
        if name != "fine-atomic":  # DRD does not know atomic variables
            yield "race-drd-" + name, race_drd, (name,)
    for command in (["base64"], ["rev"], ["tr", "a-z", "A-Z"], ["cat"]):
        yield "taint-" + command[0], taint_program, (command,)
    for i, options in enumerate(("", "-pages 1", "-level 19", "-control start:icount:5000,stop:icount:700")):
        yield f"memtrace-{i}", memtrace, (options,)
    for f in (lockprof, taint_flows, taint_passes, memtrace_threads, memtrace_wrong, memory_too_small, memory_reserved, memory_refused):
        yield f.__name__, f, ()
