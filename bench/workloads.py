# SPDX-License-Identifier: Apache-2.0
"""The table of workloads: what is run, on which input, and what of its output must equal the native run's. It runs nothing.

A workload's `argv` and `stdin` may name `{in}` (its input), `{in2}`, `{size}` (its size parameter), `{out}` (a file it makes,
which is compared), `{guest}` (the folder of our own scripts), `{built}` (that of our own programs), `{work}` (a folder of its own) and `{cc1}`."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    argv: tuple
    size: object  # for a full run: 2 to 6 seconds natively
    quick: object  # for --quick; None: not part of it
    short: object = None  # for engines that are too slow for more; None: as for --quick
    group: str = "single"  # single: counts in the geometric mean; threads: two threads, and the same work with one; cold: little but cold code; ia32: 32-bit programs, with a mean of their own (ia32.py); events: system calls, signals, code that changes
    input: str = ""  # the kind of generated input, of that size
    input2: tuple = ()  # a second input: kind, size
    stdin: str = ""
    out: str = ""  # suffix of the file it makes
    copy: bool = False  # the input is a folder, each run works on a fresh copy of it, and `{in}` is the copy
    drop: str = None  # lines of output that differ from run to run
    stderr: bool = False  # standard error is compared, too
    follow: bool = False  # its children are followed
    repeat: int = 1  # runs of the command in one measurement
    needs: str = ""  # the program, where argv[0] does not say it
    one: str = ""  # the workload that does the same work with one thread


SH = ("/bin/sh", "-c")

WORKLOADS = (
    Workload("bzip2", ("bzip2", "-9c", "{in}"), 40_000_000, 4_000_000, 1_000_000, input="corpus"),
    Workload("gzip", ("gzip", "-9nc", "{in}"), 40_000_000, 5_000_000, 1_000_000, input="corpus"),
    Workload("xz", ("xz", "-6cT1", "{in}"), 6_000_000, 800_000, 300_000, input="corpus"),
    Workload("cc1", ("{cc1}", "-quiet", "-O2", "-fpreprocessed", "{in}", "-o", "{out}"), 200_000, 15_000, 5_000, input="csource", out=".s", needs="gcc"),
    Workload("perl", ("perl", "{guest}/mix.pl", "{size}"), 400, 60, 15),
    Workload("python", ("python3", "{guest}/mix.py", "{size}"), 220, 20, 8),
    Workload("sqlite", ("sqlite3", ":memory:"), 500_000, 50_000, 15_000, input="sql", stdin="{in}"),
    Workload("gnugo", ("gnugo", "--mode", "gtp", "--level", "8", "--seed", "1"), 15, None, 2, input="gtp", stdin="{in}"),
    Workload("stockfish", ("stockfish", "bench", "16", "1", "{size}"), 13, 8, 6, drop="^info|time|Nodes/second", stderr=True),
    Workload("hmmer", ("hmmsearch", "--max", "--noali", "--cpu", "0", "--seed", "1", "{in2}", "{in}"), 6000, None, 300, input="proteins",
             input2=("profile", 200), drop="^#|^// |^CPU time|Mc/sec"),
    Workload("povray", ("povray", "+I{guest}/scene.pov", "+O{out}", "+FP", "+W{size}", "+H180", "+A0.1", "+WT1", "-J", "-D", "-GA"), 220, None, 10,
             out=".ppm", drop="^# Render Date"),
    Workload("x264", ("x264", "--quiet", "--no-progress", "--threads", "1", "--preset", "medium", "-o", "{out}", "{in}"), 220, None, 8,
             input="film", out=".264"),
    Workload("gap", ("gap", "-A", "-q", "-r", "-b", "{in}", "{guest}/groups.g"), 6, None, 0, input="rounds"),
    Workload("lua", ("lua5.4", "{guest}/mix.lua", "{size}"), 250, 25, 8),
    Workload("threads-1t", ("{built}/threads", "1", "{size}"), 8000, 1000, group="threads", needs="gcc"),
    Workload("threads-2t", ("{built}/threads", "2", "{size}"), 8000, 1000, group="threads", needs="gcc", one="threads-1t"),
    Workload("xz-1t", ("xz", "-6cT+1", "--block-size=1MiB", "{in}"), 6_000_000, None, group="threads", input="corpus"),
    Workload("xz-2t", ("xz", "-6cT2", "--block-size=1MiB", "{in}"), 6_000_000, 1_500_000, group="threads", input="corpus", one="xz-1t"),
    Workload("pigz-2t", ("pigz", "-9nc", "-p", "2", "{in}"), 40_000_000, None, group="threads", input="corpus"),
    # Two search threads visit other nodes in every run: the work is bounded by nodes, and only the positions are compared.
    Workload("stockfish-2t", ("stockfish", "bench", "16", "2", "{size}", "default", "nodes"), 50_000, None, group="threads",
             drop="^info|^bestmove|time|Nodes", stderr=True),
    Workload("syscalls", ("{built}/events", "syscalls", "{size}"), 5_000_000, 500_000, group="events", needs="gcc"),
    Workload("signals", ("{built}/events", "signals", "{size}"), 800_000, 80_000, group="events", needs="gcc"),
    Workload("code-flip", ("{built}/changing", "flip", "{size}"), 5_000_000, 500_000, group="events", needs="gcc"),
    Workload("code-count", ("{built}/changing", "count", "{size}"), 5_000_000, 500_000, group="events", needs="gcc"),
    Workload("true", ("/bin/true",), 0, 0, group="cold", repeat=20),
    Workload("git-status", ("git", "-C", "{in}", "--no-optional-locks", "status", "--short"), 1000, 1000, group="cold", input="repository", repeat=10),
    Workload("gcc-hello", ("gcc", "-O2", "-o", "{out}", "{in}"), 0, 0, group="cold", input="hello", out=".exe", follow=True, repeat=3),
    Workload("python-pass", ("python3", "-c", "pass"), 0, 0, group="cold", repeat=10),
    Workload("make-project", ("make", "-s", "-C", "{in}"), 5, None, group="cold", input="project", copy=True, out="/prog", follow=True),
)
