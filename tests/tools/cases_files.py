# SPDX-License-Identifier: Apache-2.0
"""Tests of the tools' own files: they are out of the program's range and sight, and the program is out of theirs."""
import errno
import functools
import glob
import os
import tempfile

from harness import LINCHPIN, PROBED, TOOLS, equal, guest, run

SILENT = ("fence", "race", "lockprof")  # they write nothing about a program like this
KNOWN = 40  # what opener has opened at the end


def start(limit, command, where):
    """Without any descriptor but 0 to 2; limit: of descriptors, soft and hard."""
    words = ["/bin/sh", "-c", f"ulimit {limit}; exec \"$@\"", "sh", *command] if limit else command
    return run(words, cwd=where)


@functools.lru_cache(maxsize=None)
def natively(*arguments, limit=""):
    with tempfile.TemporaryDirectory() as where:
        got = start(limit, [guest("closer"), os.path.join(where, "data"), *arguments], where)
    equal("native status", (got.returncode, got.stderr), (0, ""))
    return got.stdout


def opener(options, limit=""):
    with tempfile.TemporaryDirectory() as where:
        got = start(limit, [LINCHPIN, *options.split(), "-t", guest("opener.so"), "-o", where, "--", guest("closer"), os.path.join(where, "data")], where)
        equal("status", (got.returncode, got.stderr), (0, ""))
        equal("what the program sees", got.stdout, natively(limit=limit))
        with open(os.path.join(where, "result")) as f:
            equal("what the tool sees", f.read(), f"{KNOWN} known\n")
        children = [open(f).read() for f in glob.glob(os.path.join(where, "child[0-9]*"))]
        equal("in children", children, ["child\n"] * 2)


def shown(name, text):
    """What a program under the tool sees; in probe mode its list of descriptors has the tool's (docs/design/probes.md)."""
    return [line for line in text.splitlines() if name not in PROBED or not line.startswith("/proc ")]


def bundled(name, limit="", room=True):
    """All files of the tool are whole although the program closes what it can. room: a hard limit leaves room for the tool."""
    with tempfile.TemporaryDirectory() as where:
        got = start(limit, [LINCHPIN, "-t", name, "-o", "results", "--", guest("closer"), "data", "short"], where)
        equal("status", (got.returncode, got.stderr), (0, ""))
        if room:
            equal("what the program sees", shown(name, got.stdout), shown(name, natively("short", limit=limit)))
        equal("its first descriptor", got.stdout.split("\n")[0], "first 3")
        with open(os.path.join(where, "data")) as f:
            equal("its own file", f.read(), "mine\n")
        results = [n for n in os.listdir(where) if n != "data" and os.path.getsize(os.path.join(where, n))]
        assert results or name in SILENT, f"{name} has written nothing"


def full(name):
    """A tool that cannot write says so once, and the program goes on."""
    with tempfile.TemporaryDirectory() as where:
        more = ["-trace", "/dev/full"] if name == "memtrace" else []
        got = start("", [LINCHPIN, "-t", name, "-o", "/dev/full", *more, "--", guest("closer"), "data", "short"], where)
        equal("status", got.returncode, 0)
        equal("what the program sees", shown(name, got.stdout), shown(name, natively("short")))
        said = f"E: /dev/full: {os.strerror(errno.ENOSPC)}; the rest of the results is lost\n"
        assert got.stderr == said * (1 + len(more) // 2) or (not got.stderr and name in SILENT), got.stderr


def shell():
    with tempfile.TemporaryDirectory() as where:
        got = start("", [LINCHPIN, "-t", "opcodemix", "-o", "mix", "--", "/bin/bash", "-c", "exec 3>foo; echo data >&3"], where)
        equal("status", (got.returncode, got.stderr), (0, ""))
        with open(os.path.join(where, "foo")) as f:
            equal("foo", f.read(), "data\n")
        with open(os.path.join(where, "mix")) as f:
            assert "*total" in f.read()


def cases():
    yield "files-shell", shell, ()
    for options in ("", "-injection inprocess"):
        for limit in ("", "-Sn 1024"): # the usual one
            yield "files-opener" + (options + limit).replace(" ", "-"), opener, (options, limit)
    for name in TOOLS:
        yield "files-" + name, bundled, (name,)
        yield "files-full-" + name, full, (name,)
    for name, limit, room in (("memtrace", "-Sn 16", True), ("inscount", "-Sn 5", True), ("memtrace", "-n 16", False), ("inscount", "-n 5", False)):
        yield "files-limit" + limit.replace(" ", ""), bundled, (name, limit, room)
