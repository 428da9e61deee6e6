# SPDX-License-Identifier: Apache-2.0
"""Runs one command and says what it cost: CPU time (user and system) of its whole process tree, wall time, peak memory,
and a digest of what it wrote. Owns process creation and reaping of the benchmark. It knows no workload and no engine.

A command is started by a small program (start.c), for a process's peak memory begins with that of the process that forked it. It
ends at once, and its child becomes ours.

The runner makes itself a child subreaper: a process that the command leaves behind (the launcher's injector is one, it
detaches by a double fork) becomes our child, is waited for and its time counted. So no cost of an engine hides."""

import ctypes
import dataclasses
import hashlib
import os
import re
import signal
import subprocess
import tempfile
import time

PR_SET_CHILD_SUBREAPER = 36
START = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "build", "bench", "start")
STRAY_SECONDS = 10.0  # how long a process left behind may go on before it is ended


@dataclasses.dataclass
class Sample:
    cpu_s: float
    wall_s: float
    rss_kb: int
    status: int  # exit status, or minus the signal's number
    digest: str
    error: str = ""  # why the run does not count; "" when it does
    tail: str = ""  # the end of stderr, for the report of a failure


def become_subreaper():
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


class Reaper:
    """Waits for every child until there is none, adds up their times, and ends what outlives its limit."""

    def __init__(self, pid, starter, timeout_s):
        self.pid, self.starter, self.deadline = pid, starter, time.monotonic() + timeout_s
        self.cpu_s, self.rss_kb, self.status, self.timed_out = 0.0, 0, None, False
        self.main_end = None

    def reap_all(self):
        delay = 0.0005
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                self._check_deadline()
                time.sleep(delay)
                delay = min(delay * 1.5, 0.02)
                continue
            if pid == self.starter:
                continue
            self.cpu_s += usage.ru_utime + usage.ru_stime
            self.rss_kb = max(self.rss_kb, usage.ru_maxrss)
            if pid == self.pid:
                self.status = os.waitstatus_to_exitcode(status)
                self.main_end = time.monotonic()
                self.deadline = min(self.deadline, self.main_end + STRAY_SECONDS)
                delay = 0.0005

    def _check_deadline(self):
        if time.monotonic() < self.deadline:
            return
        self.timed_out = True
        for pid in children_of(os.getpid()):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.deadline = time.monotonic() + 1.0  # grandchildren come to us next


def children_of(pid):
    """The direct children of a process, all of which this runner itself started or inherited."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return [int(word) for word in f.read().split()]


def hash_stream(sha, file, drop):
    if drop is None:
        for block in iter(lambda: file.read(1 << 20), b""):
            sha.update(block)
        return
    pattern = re.compile(drop.encode())
    for line in file:
        if not pattern.search(line):
            sha.update(line)


def digest_output(streams, out_paths, drop):
    """One digest over the output streams and the files that the command made, less the lines that match `drop`."""
    sha = hashlib.sha256()
    for stream in streams:
        stream.seek(0)
        hash_stream(sha, stream, drop)
    for path in out_paths:
        sha.update(b"\0file\0")
        try:
            with open(path, "rb") as f:
                hash_stream(sha, f, drop)
        except FileNotFoundError:
            sha.update(b"missing")
    return sha.hexdigest()


def read_tail(file, limit=2000):
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - limit))
    return file.read().decode(errors="replace").strip()


def start_command(argv, **streams):
    """The starter, and the pid of the command that it has made."""
    read, write = os.pipe()
    try:
        starter = subprocess.Popen([START, str(write)] + argv, pass_fds=(write,), **streams)
    except FileNotFoundError as e:
        raise SystemExit(f"bench: {e.filename} is not there (run make bench-tools first)") from None
    finally:
        os.close(write)
    with open(read, "rb") as f:
        return starter, int(f.read() or b"0")


def run_once(argv, *, cwd, env, stdin_path, out_paths, drop, stderr, timeout_s):
    for path in out_paths:
        if os.path.exists(path):
            os.unlink(path)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, \
            open(stdin_path or os.devnull, "rb") as stdin:
        start = time.monotonic()
        starter, pid = start_command(argv, stdin=stdin, stdout=out, stderr=err, cwd=cwd, env=env)
        reaper = Reaper(pid, starter.pid, timeout_s)
        reaper.reap_all()
        starter.returncode = 0  # reaped here, not by Popen
        sample = Sample(reaper.cpu_s, (reaper.main_end or time.monotonic()) - start, reaper.rss_kb, reaper.status,
                        digest_output([out, err] if stderr else [out], out_paths, drop), tail=read_tail(err))
    if reaper.timed_out:
        sample.error = f"not finished after {timeout_s:.0f} s"
    elif sample.status < 0:
        sample.error = f"died by {signal.Signals(-sample.status).name}"
    elif sample.status != 0:
        sample.error = f"exit status {sample.status}"
    return sample
