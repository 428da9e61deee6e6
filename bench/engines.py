# SPDX-License-Identifier: Apache-2.0
"""The table of what a workload is run under: nothing, Linchpin with and without a tool, and the peers. It starts nothing but
`--version` questions."""

import dataclasses
import os
import shutil
import subprocess


@dataclasses.dataclass(frozen=True)
class Engine:
    name: str
    prefix: tuple  # goes before the workload's command
    follow: tuple = None  # the same with children followed; None: it cannot
    peer: bool = False
    chatty: bool = False  # its tool writes into the program's output, which is therefore not compared
    note: str = ""
    group: str = ""  # only for workloads of that group
    short: bool = False  # on short inputs, and measured against native runs on those

    makes: str = ""  # a folder that must not be there before
    replays: bool = False  # what `record` has just made: takes no command, and makes no files

    def command(self, argv, follow):
        return list(self.follow if follow else self.prefix) + ([] if self.replays else argv)


def tool_engine(linchpin, tool_dir, label, tool, note, group="", knobs=(), short=False):
    """Linchpin with a tool of bench/tools, whose own report goes to /dev/null."""
    path = os.path.join(tool_dir, tool + ".so")
    if not os.path.exists(path):
        return []
    tail = ("-t", path, "-o", os.devnull, *knobs, "--")
    return [Engine(label, (linchpin, *tail), (linchpin, "-follow_execv", *tail), note=note, group=group, short=short)]


TOOLS = (("blocks", "bbcount", "block counting, BBL_InsertCall"), ("instructions", "inscount", "instruction counting, INS_InsertCall"),
         ("memory", "memtrace", "memory trace into a buffer, INS_InsertFillBuffer"), ("calls", "memcall", "a call with three arguments before every memory access"),
         ("callbacks", "syscalls", "functions at entry and exit of every system call", "events"),
         ("global", "private", "instructions counted by block, in one counter", "threads", ("-how", "global")),
         ("tls", "private", "the same in a counter of each thread, PIN_GetThreadData", "threads", ("-how", "tls")),
         ("register", "private", "the same, a tool register points to each thread's counter", "threads", ("-how", "register")),
         ("value", "private", "the same, a tool register is each thread's counter", "threads", ("-how", "value")))


# Bundled tools, each beside a peer that answers the same question.
BUNDLED = (("heapcheck", "heapcheck", "errors with the heap, as memcheck finds them; on short inputs, over native runs on those", ()),
           ("cache", "cache", "misses by routine in the two levels that cachegrind has; the same", ("-machine", "cachegrind")),
           ("profile", "profile", "instructions by routine and line with calls, for KCachegrind, as callgrind; the same", ("-format", "callgrind")),
           ("mix", "opcodemix", "how often each opcode was executed, as DynamoRIO's sample opcodes; the same", ()))

SLOW = (("records", "simtrace", "a record for a simulator from several calls at each instruction; on short inputs, over native runs on those", "single", (), True),)


def recorders(linchpin, root):
    """In this order: the others replay what the first has recorded."""
    where = os.path.join(root, "build", "bench", "recording")
    blocks = os.path.join(root, "build", "bench", "tools", "bbcount.so")
    again = (linchpin, "replay", where, "-replay:show_output")
    return [Engine("record", (linchpin, "record", "-o", where, "--"), note="linchpin record", makes=where),
            Engine("replay", again, replays=True, note="linchpin replay of that, no tool; files that the program makes are not compared"),
            Engine("replay-blocks", (*again, "-t", blocks, "-o", os.devnull), replays=True, note="the same under block counting")]


def own_engines(root, slow):
    linchpin = os.path.join(root, "build", "bin", "linchpin")
    tool_dir = os.path.join(root, "build", "bench", "tools")
    if not os.path.exists(linchpin):
        return []
    engines = [Engine("linchpin", (linchpin, "--"), (linchpin, "-follow_execv", "--"), note="no tool")]
    for tool in TOOLS + (SLOW if slow else ()):
        engines += tool_engine(linchpin, tool_dir, *tool)
    engines += recorders(linchpin, root) if slow else []
    for label, tool, note, knobs in BUNDLED if slow else ():
        engines += tool_engine(linchpin, os.path.join(root, "build", "lib", "linchpin", "tools"), label, tool, note, "single", knobs, True)
    return engines


def peer_engines():
    engines = []
    if shutil.which("valgrind"):
        valgrind = ("valgrind", "-q", "--tool=none")
        engines.append(Engine("valgrind", valgrind, (*valgrind, "--trace-children=yes"), peer=True, note="--tool=none"))
        lackey = ("valgrind", "-q", "--tool=lackey", "--log-file=" + os.devnull)
        engines.append(Engine("lackey", lackey, peer=True, short=True, group="single", note="Valgrind's --tool=lackey, counts of instructions, blocks and accesses; on short inputs, over native runs on those"))
        memcheck = ("valgrind", "-q", "--tool=memcheck", "--leak-check=full", "--log-file=" + os.devnull)
        engines.append(Engine("memcheck", memcheck, peer=True, short=True, group="single", note="Valgrind's --tool=memcheck, with leaks; on short inputs, over native runs on those"))
        for tool, *options in (("cachegrind", "--cache-sim=yes", "--cachegrind-out-file=" + os.devnull), ("callgrind", "--callgrind-out-file=" + os.devnull)):
            prefix = ("valgrind", "-q", "--tool=" + tool, *options, "--log-file=" + os.devnull)
            engines.append(Engine(tool, prefix, peer=True, short=True, group="single", note=f"Valgrind's --tool={tool}; on short inputs, over native runs on those"))
    if shutil.which("qemu-x86_64"):
        engines.append(Engine("qemu", ("qemu-x86_64", "-cpu", "max"), peer=True, note="user mode; cannot follow children"))
    home = os.environ.get("DYNAMORIO_HOME")
    if home:
        engines += dynamorio_engines(home)
    return engines


def dynamorio_engines(home):
    drrun = os.path.join(home, "bin64", "drrun")
    engines = [Engine("dynamorio", (drrun, "--"), (drrun, "--"), peer=True, note="no client")]
    for sample in ("bbcount", "inscount", "opcodes"):
        client = os.path.join(home, "samples", "bin64", f"lib{sample}.so")
        if os.path.exists(client):
            prefix = (drrun, "-c", client, "--")
            engines.append(Engine("dr-" + sample, prefix, prefix, peer=True, chatty=True, note=f"its sample {sample}; output not compared"))
    return engines


def select_engines(root, peers, only):
    """Native first, always: everything is measured against it."""
    engines = [Engine("native", (), ())] + own_engines(root, peers or only) + (peer_engines() if peers or only else [])
    if not only:
        return engines
    unknown = set(only) - {e.name for e in engines}
    if unknown:
        raise SystemExit(f"bench: no such engine, or not installed: {', '.join(sorted(unknown))} (there are: "
                         f"{', '.join(e.name for e in engines)})")
    return [e for e in engines if e.name == "native" or e.name in only]


def first_line(argv):
    """What a command says in its first line; nothing where it fails."""
    try:
        out = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    lines = out.stdout.decode(errors="replace").strip().splitlines()
    return lines[0] if lines else ""


def read_versions(root, engines):
    """What was measured: our commit and the versions of the peers."""
    versions = {"linchpin": first_line(["git", "-C", root, "describe", "--always", "--dirty"])}
    questions = {"valgrind": ["valgrind", "--version"], "lackey": ["valgrind", "--version"], "memcheck": ["valgrind", "--version"], "cachegrind": ["valgrind", "--version"],
                 "callgrind": ["valgrind", "--version"], "qemu": ["qemu-x86_64", "--version"]}
    for engine in engines:
        if engine.name in questions:
            versions[engine.name] = first_line(questions[engine.name])
        elif engine.name == "dynamorio":
            versions[engine.name] = first_line([engine.prefix[0], "-version"])
    return versions
