# SPDX-License-Identifier: Apache-2.0
"""heapcheck: faults that are known (heapfaults.c, heapfaults.cpp), the same programs without them, what memcheck says of both, and real programs, which have none."""
import functools
import glob
import json
import os
import re
import signal
import subprocess
import tempfile
import xml.etree.ElementTree

from harness import CALLS, ENV, HERE, LINCHPIN, equal, guest, need, run

SOURCES = {"heapfaults": "heapfaults.c", "heapfaults-cpp": "heapfaults.cpp"}
MEMCHECK = {"InvalidRead": "invalid-read", "InvalidWrite": "invalid-write", "InvalidFree": "invalid-free", "MismatchedFree": "mismatched-free", "Leak_DefinitelyLost": "leak-lost",
            "Leak_PossiblyLost": "leak-possible", "SyscallParam": "invalid-syscall", "Overlap": "overlap"}


def expected(source):
    """{case: {(kind, line)}}, from the marks in the source."""
    marks, case, helper = {}, None, None
    with open(os.path.join(HERE, source)) as f:
        for number, line in enumerate(f, 1):
            start = re.match(r"HERE void (\*?)(\w+)\(", line)
            if start and start[1]:
                helper = True  # of the case after it
                pending = set()
            elif start:
                case = start[2]
                marks[case] = pending if helper else set()
                helper = None
            fault = re.search(r"/\* FAULT ([a-z -]+) \*/", line)
            if fault:
                (pending if helper else marks[case]).update((kind, number) for kind in fault[1].split())
    return marks


def numbers(stdout):
    """{pid: case}; every child must have come to its end."""
    rows = [line.split() for line in stdout.splitlines()]
    for pid, case, status in rows:
        equal(case + " ends", status, "0")
    return {int(pid): case for pid, case, _ in rows}


def line_in(frames, source):
    """The line of the innermost frame that is in the source."""
    return next((line for file, line in frames if os.path.basename(file) == source), None)


@functools.lru_cache(None)
def heapcheck(program, source, how, words=()):
    """{case: {(kind, line)}} that heapcheck finds."""
    with tempfile.TemporaryDirectory() as d:
        got = run([LINCHPIN, "-api_calls", CALLS, "-t", "heapcheck", "-format", "json", "-o", os.path.join(d, "r"), *words, "--", guest(program), how])
        equal("status", (got.returncode, got.stderr), (0, ""))
        found = {}
        for pid, case in numbers(got.stdout).items():
            with open(os.path.join(d, f"r.{pid}")) as f:
                r = json.load(f)
            places = lambda stack: [(r["files"][p["file"]], p["line"]) for p in reversed([r["frames"][i] for i in stack["frames"]]) if "file" in p]
            found[case] = {(f["kind"], line_in(places(f["stacks"][0]), source)) for f in r.get("findings", [])}
            for f in r.get("findings", []):
                check_stacks(case, f)
        return found


def check_stacks(case, finding):
    """Where the block was allocated, and freed if it was, is told wherever there is a block."""
    titles = [s["title"] for s in finding["stacks"]]
    if "a block" in finding["text"] and "bytes in" not in finding["text"]:
        assert "the block was allocated" in titles, (case, finding)
    if "that was freed" in finding["text"]:
        assert "the block was freed" in titles, (case, finding)


def memcheck(program, source, how):
    need("valgrind")
    with tempfile.TemporaryDirectory() as d:
        got = run(["valgrind", "-q", "--leak-check=full", "--child-silent-after-fork=no", "--xml=yes", f"--xml-file={d}/%p", guest(program), how])
        equal("status", got.returncode, 0)
        found = {}
        for pid, case in numbers(got.stdout).items():
            tree = xml.etree.ElementTree.fromstring(whole_xml(os.path.join(d, str(pid)), glob.glob(d + "/*")))
            found[case] = set()
            for error in tree.iter("error"):
                kind = MEMCHECK.get(error.findtext("kind"))
                frames = [(f.findtext("file") or "", int(f.findtext("line") or 0)) for f in error.find("stack").iter("frame")]
                if kind:
                    found[case].add((kind, line_in(frames, source)))
        return found


def whole_xml(path, all_files):
    """A child's file has no beginning: its parent wrote that."""
    assert path in all_files, (path, all_files)
    with open(path) as f:
        text = f.read()
    return text if text.lstrip().startswith("<?xml") else "<valgrindoutput>" + text.replace("</valgrindoutput>", "") + "</valgrindoutput>"


def kinds(found):
    """memcheck tells freeing twice and freeing what is no block alike; its lines are not compared, because it takes those of inlined functions now and then."""
    return {"invalid-free" if kind == "double-free" else kind for kind, _ in found}


def faults(program):
    marks = expected(SOURCES[program])
    found = heapcheck(program, SOURCES[program], "bad")
    equal("cases", set(found), set(marks))
    for case in marks:
        equal(case, found[case], marks[case])


def twins(program):
    for case, found in heapcheck(program, SOURCES[program], "good").items():
        equal(case + " without its fault", found, set())


def against_memcheck(program):
    """All that memcheck finds is found; and where memcheck finds nothing, there is nothing but the fault that was put there."""
    marks = expected(SOURCES[program])
    theirs, ours = memcheck(program, SOURCES[program], "bad"), heapcheck(program, SOURCES[program], "bad")
    for case in marks:
        mine = kinds(ours[case])
        for kind in kinds(theirs[case]):
            assert kind in mine or (kind == "invalid-syscall" and mine & {"invalid-read", "invalid-write"}), (case, "memcheck finds", kind, "heapcheck", mine)
        extra = mine - kinds(theirs[case]) - kinds(marks[case])
        assert not extra, (case, "false alarms", extra)


def direct(words, status=0):
    """A run of one case of heapfaults as text: its child's results, and the exit status of the whole."""
    with tempfile.TemporaryDirectory() as d:
        for name, text in (("theirs", SUPPRESSION), ("ours", SUPPRESSION.replace("Memcheck:Free", "heapcheck:double-free"))):
            with open(os.path.join(d, name), "w") as f:
                f.write(text)
        got = run([LINCHPIN, "-t", "heapcheck", "-o", os.path.join(d, "r"), *[w.replace("DIR", d) for w in words], "--", guest("heapfaults"), "bad", "twice"])
        equal("status", (got.returncode, got.stderr), (0, ""))
        (pid, case, child), = [line.split() for line in got.stdout.splitlines()]
        equal("status of the child", int(child) >> 8, status)
        with open(os.path.join(d, "r." + pid)) as f:
            return f.read()


SUPPRESSION = """{
   known
   Memcheck:Free
   ...
   fun:tw*
}
"""


def exit_code():
    assert "\ndouble-free: " in direct(["-error_exitcode", "77"], 77)


def suppressed():
    """Valgrind's form and ours; neither for another routine."""
    for name in ("theirs", "ours"):
        text = direct(["-error_exitcode", "77", "-suppressions", "DIR/" + name])
        assert "double-free" not in text and "\nerrors: 0\nsuppressed: 1\n" in text, text
    printed = direct(["-gen_suppressions", "1"])
    assert re.search(r"^ +heapcheck:double-free\n +fun:twice$", printed, re.M), printed


def real_programs():
    """Nothing is wrong with them; what they lose, if anything, is for memcheck to say, too (docs/tools/heapcheck.md)."""
    for command in (["/bin/bash", "-c", "a=(1 2 3); echo ${a[@]/2/x}"], ["/usr/bin/perl", "-e", "print join ',', map {$_ * 2} 1..100"], ["/bin/ls", "-l", "/usr"]):
        with tempfile.TemporaryDirectory() as d:
            got = run([LINCHPIN, "-t", "heapcheck", "-leaks", "no", "-o", os.path.join(d, "r"), "--", *command])
            equal(command[0], (got.returncode, got.stderr, got.stdout), (0, "", run(command).stdout))
            with open(os.path.join(d, "r")) as f:
                assert "\nerrors: 0\n" in f.read(), command


def found_in(path, is_end):
    """The faults of heapends: its write, and what is lost if that is looked for (None: it need not be found)."""
    with open(path) as f:
        text = f.read()
    assert "\ninvalid-write: 1 bytes at " in text and "10 bytes" in text and "heapends:faults at heapends.c:" in text, text
    is_end = "\nleak-lost: 77 bytes in 1 blocks" in text if is_end is None else is_end
    assert ("\nleak-lost: 77 bytes in 1 blocks" in text) == is_end and "\nerrors: %d\n" % (1 + is_end) in text, text


def ends():
    """What was found is told however the program ends; lost blocks where it ends, and when it is asked so far."""
    for how, status in (("", 3), ("int", -signal.SIGINT), ("segv", -signal.SIGSEGV), ("abort", -signal.SIGABRT), ("exec", 0)):
        with tempfile.TemporaryDirectory() as d:
            got = run([LINCHPIN, "-t", "heapcheck", "-o", d + "/r", "--", guest("heapends"), how])
            equal(how, got.returncode, status)
            found_in(d + "/r", None if how == "segv" else how != "exec")  # a register may still lead to the block at a fault
    with tempfile.TemporaryDirectory() as d:
        p = subprocess.Popen([LINCHPIN, "-t", "heapcheck", "-o", d + "/r", "--", guest("heapends"), "wait"], env=ENV, stdout=subprocess.PIPE, text=True)
        try:
            equal("up", p.stdout.readline(), "up\n")
            for command, is_end in (("dump", True), ("dump", True), ("detach", False)):
                equal(command, run([LINCHPIN, command, str(p.pid)]).returncode, 0)
                found_in(d + "/r", is_end)
        finally:
            p.kill()
            p.communicate()


def attached():
    """After an attach the blocks that come are watched."""
    with tempfile.TemporaryDirectory() as d:
        p = subprocess.Popen([guest("heapends"), "late"], env=ENV, stdout=subprocess.PIPE, text=True)
        try:
            equal("up", p.stdout.readline(), "up\n")
            equal("attach", run([LINCHPIN, "-pid", str(p.pid), "-t", "heapcheck", "-o", d + "/r"]).returncode, 0)
            p.send_signal(signal.SIGUSR1)
            equal("the faults are done", p.stdout.readline(), "up\n")
            equal("dump", run([LINCHPIN, "dump", str(p.pid)]).returncode, 0)
            found_in(d + "/r", True)
            p.terminate()
            equal("end", p.wait(60), -signal.SIGTERM)
            found_in(d + "/r", True)
        finally:
            p.kill()
            p.communicate()


def refused_options():
    """What would have no effect is refused; and what it has by itself is not."""
    got = run([LINCHPIN, "-t", "heapcheck", "-by", "thread", "--", "/bin/echo", "run"])
    equal("-by thread", (got.returncode, got.stdout), (1, ""))
    assert "it tells errors by their stacks" in got.stderr, got.stderr
    got = run([LINCHPIN, "-t", "heapcheck", "-by", "line", "--", "/bin/echo", "run"])
    equal("-by line", (got.returncode, got.stdout), (0, "run\n"))


def regions():
    """Errors of a thread, or of a region, and no others."""
    for words, found in (["-tid", "0"], True), (["-tid", "9"], False), (["-control", "start:symbol:twice"], True), (["-control", "start:symbol:twice,stop:icount:1"], False):
        text = direct(words)
        equal(" ".join(words), "\ndouble-free: " in text, found)
        equal("note", "the region never began" in text, words[-1] == "9")


def malloctrace_stacks():
    """Three blocks of one place are one row, with the place's line."""
    source = SOURCES["heapfaults"]
    (_, line), = expected(source)["overwritten"]
    with tempfile.TemporaryDirectory() as d:
        got = run([LINCHPIN, "-t", "malloctrace", "-summary", "1", "-stack", "2", "-o", os.path.join(d, "r"), "--", guest("heapfaults"), "bad", "overwritten"])
        pid = got.stdout.split()[0]
        with open(os.path.join(d, "r." + pid)) as f:
            text = f.read()
    assert f"not freed: 51 bytes in 3 blocks, allocated\n    heapfaults:overwritten at {source}:{line}\n    heapfaults:main at " in text, text


def cases():
    for program in SOURCES:
        for f in (faults, twins, against_memcheck):
            yield f"heapcheck-{f.__name__}-{program}", f, (program,)
    for f in (exit_code, suppressed, ends, attached, refused_options, regions, real_programs):
        yield "heapcheck-" + f.__name__, f, ()
    yield "malloctrace-stacks", malloctrace_stacks, ()
