# SPDX-License-Identifier: Apache-2.0
"""Tests of the tools of probe mode: heapwrap, iolatency and lockwait, on programs whose numbers are known."""
import glob
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile

from harness import CALLS, ENV, LINCHPIN, equal, guest, run, tool


def watched(words, command, status=0):
    """The results, those of children of a fork, and what the program has printed, which is as natively but for addresses."""
    with tempfile.TemporaryDirectory() as d:
        name, *options = words.split()
        results = os.path.join(d, "r")
        got = run([LINCHPIN, "-api_calls", CALLS, "-t", name, *options, "-format", "json", "-o", results, "--", *command])
        equal("status and errors", (got.returncode, got.stderr), (status, ""))
        with open(results) as f:
            own = json.load(f)
        children = []
        for path in glob.glob(results + ".*"):
            with open(path) as f:
                children.append(json.load(f))
        return own, children, got.stdout


def totals(r):
    return {m["name"]: n for m, n in zip(r["metrics"], r["totals"])}


def rows(r, title):
    t = next(t for t in r["tables"] if t["title"].startswith(title))
    return [dict(zip([c["name"] for c in t["columns"]], row)) for row in t["rows"]]


# --- heapwrap -------------------------------------------------------------------------------------------------------------
OWN = {"allocations": 138, "allocated": 44409, "frees": 136}


def heap(how, name="wrapped"):
    """What the program itself has allocated, its kinds of wrong frees, and the results of its children."""
    r, children, out = watched("heapwrap -top 0", [guest(name), *([how] if how else [])])
    equal("output", out, "done\n")
    left = rows(r, "not freed")
    others = [row for row in left if not re.search(r"at wrapped\.cpp:\d+$", row["allocated"])]  # of libstdc++ and ld.so
    sums = totals(r)
    equal("live", (sums["live-blocks"], sums["live-bytes"]), (sum(row["blocks"] for row in left), sum(row["bytes"] for row in left)))
    sums["allocations"] -= sum(row["blocks"] for row in others)
    sums["allocated"] -= sum(row["bytes"] for row in others)
    own = [(row["bytes"], row["blocks"], re.sub(r":\d+$", "", row["allocated"])) for row in left if row not in others]
    return {k: sums[k] for k in OWN}, own, sorted(f["kind"] for f in r.get("findings", [])), sums["errors"], children


def heapwrap(name):
    equal("numbers", heap("", name)[:4], (OWN, [(246, 2, f"{name}:base() at wrapped.cpp")], [], 0))


def heapwrap_threads(name):
    """4 threads that allocate 1000 times each; what libc frees at their end is no error. The threads' own blocks are one each."""
    sums, own, kinds, errors, _ = heap("threads", name)
    equal("errors", (kinds, errors), ([], 0))
    equal("left", own, [(246, 2, f"{name}:base() at wrapped.cpp")])
    equal("blocks", (sums["allocations"], sums["frees"]), (OWN["allocations"] + 4004, OWN["frees"] + 4004))


def heapwrap_wrong():
    sums, own, kinds, errors, _ = heap("wrong")
    equal("kinds", (kinds, errors), (["double-free", "invalid-free", "mismatched-free", "mismatched-size"], 4))
    equal("numbers", sums, {"allocations": 138 + 4, "allocated": 44409 + 9 + 5 + 40 + 24, "frees": 136 + 4})
    text = tool("heapwrap", [guest("wrapped"), "wrong"], expect_out="done\n")
    for line in (r"double-free: free of a block of 9 bytes that was freed", r"mismatched-free: delete of a block of 5 bytes from malloc",
                 r"invalid-free: free of an address 8 bytes inside a block of 40 bytes", r"mismatched-size: delete of 16 bytes, and the block has 24",
                 r"    wrapped:wrong\(\) at wrapped.cpp:\d+"):
        assert re.search(f"^{line}$", text, re.M), (line, text)


def heapwrap_fork():
    sums, own, kinds, _, children = heap("fork")
    equal("parent", (sums, kinds), (OWN, []))
    equal("children", len(children), 1)
    child = totals(children[0])
    equal("child", (child["allocations"], child["allocated"], child["frees"], child["errors"]), (7, 70, 7, 0))
    left = {re.sub(r" at .*", "", row["allocated"]): row["blocks"] for row in rows(children[0], "not freed")}
    equal("the parent's blocks", (left["wrapped:base()"], left["wrapped:Early::Early()"]), (2, 1))


def heapwrap_throw():
    """new that fails, 3 times: an exception each, and 2 blocks after it."""
    sums, own, kinds, _, _ = heap("throw")
    equal("numbers", (sums["allocations"], sums["frees"], kinds), (138 + 9, 136 + 9, []))


# --- iolatency ------------------------------------------------------------------------------------------------------------
def iolatency():
    with tempfile.TemporaryDirectory() as d:
        path = os.path.realpath(os.path.join(d, "file"))
        native = run([guest("timed"), path])
        r, children, out = watched("iolatency -top 0", [guest("timed"), path])
    equal("output", (native.returncode, out), (0, native.stdout))
    table = {(row["call"], re.sub(r"pipe:.*", "pipe", row["file"])): row for row in rows(r, "calls by file")}
    got = {key: (row["calls"], row["errors"], row["bytes"]) for key, row in table.items() if key[1] in (path, "/nonexistent/file", "(no file)")}
    equal("calls", got, {
        ("open", path): (4, 0, 0), ("close", path): (4, 0, 0), ("sync", path): (2, 0, 0),
        ("write", path): (52, 0, 50000 + 7 + 40), ("read", path): (20 + 1 + 51 + 1, 0, 2000 + 40 + 50000 + 4096),
        ("open", "/nonexistent/file"): (1, 1, 0), ("read", "(no file)"): (1, 1, 0)})
    equal("bytes", (totals(r)["read"], totals(r)["written"]), (2000 + 40 + 50000 + 4096 + 5, 50047 + len(out)))
    for key, row in table.items():
        assert 0 < row["mean"] <= row["longest"] <= row["time"] and row["half-below"] <= row["99%-below"] <= row["longest"], (key, row)
    waited = table["read", "pipe"]
    equal("the read that waits", (waited["calls"], waited["bytes"], 20000000 < waited["longest"] < 5000000000), (1, 5, True))
    count = {}
    for row in rows(r, "how many calls"):
        key = row["call"], re.sub(r"pipe:.*", "pipe", row["file"])
        count[key] = count.get(key, 0) + row["calls"]
    equal("histogram", count, {key: row["calls"] for key, row in table.items()})
    equal("child", [(c["totals"][0], totals(c)["written"]) for c in children], [(1, 5)])


# --- lockwait -------------------------------------------------------------------------------------------------------------
def locks_of(name):
    r, _, out = watched("lockwait -top 0", [guest(name)])
    by_address = {int(row["address"], 16) if isinstance(row["address"], str) else row["address"]: row for row in rows(r, "locks")}
    at = {m[1]: by_address[int(m[2], 16)] for m in re.finditer(r"^(\w+) 0x([0-9a-f]+)", out, re.M)}
    return r, at, out


def counts(row):
    return row["kind"], row["calls"], row["contended"], row["refused"]


def lockwait_mutexes():
    r, at, out = locks_of("locks")
    equal("busy", (at["busy"]["kind"], at["busy"]["calls"], at["busy"]["refused"]), ("mutex", 3000, 0))
    equal("held", counts(at["held"]), ("mutex", 2, 1, 0))
    equal("waited", counts(at["waited"])[:2], ("mutex", 2))  # and a wait for the condition
    equal("recursive", counts(at["recursive"]), ("mutex", 4, 0, 0))
    equal("taken", counts(at["taken"]), ("mutex", 3, 0, 2))
    m = re.search(r"^held \S+ wait (\d+) (\d+) hold (\d+) (\d+)$", out, re.M)
    low, high, hold_low, hold_high = map(int, m.groups())
    assert low <= at["held"]["longest"] <= high, (low, at["held"], high)
    assert hold_low <= at["held"]["held"] <= hold_high + 50000000, (hold_low, at["held"], hold_high)  # two holds
    sites = [row for row in rows(r, "call sites") if re.fullmatch(r"locks:wait_for_held at locks.c:\d+", row["called"])]
    equal("site", [counts(row) for row in sites], [("mutex", 1, 1, 0)])


def lockwait_others():
    r, at, _ = locks_of("waits")
    equal("rwlock", counts(at["shared"]), ("rwlock", 6, 2, 1))
    assert 20000000 < at["shared"]["longest"] < 5000000000, at["shared"]
    equal("mutex", counts(at["mutex"]), ("mutex", 1, 0, 0))
    equal("condition", counts(at["never"]), ("cond", 1, 0, 1))
    assert 19000000 < at["never"]["waited"] == totals(r)["cond-wait"], at["never"]
    equal("where", at["never"]["where"].split("+")[0], "waits:.bss")


CLOSES = """
import os, resource
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
os.closerange(3, 20000)
user = os.open("user", os.O_WRONLY | os.O_CREAT, 0o600)
os.dup2(user, 2)
for number in [*range(4000, 4200), *range(16300, 16384)]:
    if number < hard:
        os.dup2(user, number)
os.write(2, b"mine")
"""


def closed():
    """The program closes everything, and has a file of its own at every number that the tool may have had: the results are where they belong."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for options, name, limit in (("", "said", soft), ("-o results", "results", soft), ("-o results", "results", 1024)):
        with tempfile.TemporaryDirectory() as where:
            with open(os.path.join(where, "said"), "w") as said:
                status = subprocess.call([LINCHPIN, "-t", "heapwrap", *options.split(), "--", sys.executable, "-S", "-c", CLOSES], cwd=where, stderr=said, env=ENV,
                                         preexec_fn=lambda limit=limit: resource.setrlimit(resource.RLIMIT_NOFILE, (min(limit, hard), hard)))
            equal("status", status, 0)
            with open(os.path.join(where, "user")) as f:
                equal("the program's own file", f.read(), "mine")
            with open(os.path.join(where, name)) as f:
                text = f.read()
            assert text.startswith("heapwrap: ") and "\nerrors: 0\n" in text, text


SIGNALS = [s for s in range(1, 65) if s not in (9, 17, 18, 19, 20, 21, 22, 23, 28, 32, 33)]  # whose default action ends a process


def death(name, words, end):
    """Output and status are those of a native run, also what the program sees of its signals; the results are there, and say what the end was."""
    command = [guest(name), *words.split()]
    native = run(command)
    with tempfile.TemporaryDirectory() as d:
        results = os.path.join(d, "r")
        got = run([LINCHPIN, "-t", "heapwrap", "-top", "0", "-o", results, "--", *command])
        equal("output", (got.returncode, got.stdout, got.stderr), (native.returncode, native.stdout, native.stderr))
        with open(results) as f:
            text = f.read()
        assert text.split("\n")[0].endswith(", " + end if not end.startswith("signal ") else f"ended by {end} ({signal.strsignal(int(end[7:]))})"), text.split("\n")[0]
        assert re.search(rf"^ *2003 +2  {name}:main at deaths.c:\d+ *$", text, re.M), text
        return sorted(os.listdir(d))


def death_signals():
    """All signals that end a process by default."""
    for sig in SIGNALS:
        death("deaths", f"kill {sig}", f"signal {sig}" if sig < 32 else f"signal {sig}")


def death_of_children():
    """A child of vfork is no process of the tool's, nor one of a fork that nobody saw: its parent has the results."""
    for how, files in (("vfork", 2), ("fork", 2), ("rawfork", 1)):
        left = death("deaths", how, "status 44")
        equal(how, len(left), files)


def death_unasked():
    """A tool that has nothing to say at the end leaves all actions as they are."""
    with tempfile.TemporaryDirectory() as d:
        source = os.path.join(d, "silent.cpp")
        with open(source, "w") as f:
            f.write('#include "pin.H"\nint main(int argc, char **argv) { PIN_Init(argc, argv); PIN_StartProgramProbed(); }\n')
        equal("cc", run([LINCHPIN, "cc", source, "-o", source + ".so"]).returncode, 0)
        status = lambda *words: re.search(r"^SigCgt:\s*(\w+)$", run([*words, "/bin/cat", "/proc/self/status"]).stdout, re.M)[1]
        equal("caught", status(LINCHPIN, "-t", source + ".so", "--"), status())


def regions():
    """What counts instructions has no meaning here, and is refused."""
    for name in ("heapwrap", "iolatency", "lockwait"):
        got = run([LINCHPIN, "-t", name, "-stop_after", "1000", "--", "/bin/true"])
        equal(name, (got.returncode, "-stop_after means nothing here: the program runs natively" in got.stderr), (1, True))


def cases():
    for name in ("wrapped", "wrapped-static"):
        yield "probed-heapwrap-" + name, heapwrap, (name,)
        yield "probed-heapwrap-threads-" + name, heapwrap_threads, (name,)
    for name in ("deaths", "deaths-static"):
        for words, end in (("thread", "signal 11"), ("threads", "signal 11"), ("restored", "signal 15"), ("abort", "signal 6"), ("syscall", "status 43"), ("exit", "status 45"), ("inline-after", "status 41"),
                           ("inline-before", "status 42"), ("inline-register", "status 40"), ("inline-memory", "status 40"), ("inline-zero", "status 0"), ("return", "status 44")):
            yield f"probed-death-{name}-{words}", death, (name, words, end)
    for f in (death_signals, death_of_children, death_unasked, heapwrap_wrong, heapwrap_fork, heapwrap_throw, iolatency, lockwait_mutexes, lockwait_others, closed, regions):
        yield "probed-" + f.__name__, f, ()
