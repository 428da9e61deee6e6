# SPDX-License-Identifier: Apache-2.0
"""Runs programs that may hang. A hang ends after its limit with a description of what every process and thread waited for, and
nothing that was started is left; no test can keep the whole suite waiting."""
import contextlib
import os
import select
import signal
import subprocess
import tempfile
import time

# A shell without jobs starts what it puts into the background with these ignored, and so would all programs be that are tested.
for ignored in (signal.SIGINT, signal.SIGQUIT):
    if signal.getsignal(ignored) is signal.SIG_IGN:
        signal.signal(ignored, signal.SIG_DFL)


class Hang(Exception):
    """Something did not end in time; the text says what its processes did."""


def read(path):
    try:
        with open(path, "rb") as f:
            return f.read().decode(errors="replace").strip("\0\n")
    except OSError:  # it ended meanwhile, or we may not look
        return ""


def parents():
    """The parent and the session of every process that is not a zombie."""
    found = {}
    for name in os.listdir("/proc"):
        fields = read(f"/proc/{name}/stat").rpartition(")")[2].split() if name.isdigit() else []
        if fields and fields[0] != "Z":
            found[int(name)] = int(fields[1]), int(fields[3])
    return found


def inside(pid, folder):
    try:
        return os.readlink(f"/proc/{pid}/cwd").startswith(folder)
    except OSError:
        return False


def descendants(top, folder=None):
    """The process, what it has started, what belongs to its session, and what works in the folder: a daemon has left both parent and session."""
    known, members = parents(), {top}
    members |= {pid for pid in known if folder and inside(pid, folder)}
    while True:
        more = {pid for pid, (parent, session) in known.items() if parent in members or session in members} - members
        if not more:
            return sorted(members & known.keys())
        members |= more


def tasks(pid):
    try:
        return sorted(os.listdir(f"/proc/{pid}/task"))
    except OSError:  # it ended meanwhile
        return []


def describe(pids):
    """What the processes are and where each of their threads is."""
    lines = []
    for pid in pids:
        lines.append(f"process {pid}: {read(f'/proc/{pid}/cmdline').replace(chr(0), ' ')[:300]}")
        for task in tasks(pid):
            base = f"/proc/{pid}/task/{task}"
            state = [line.split()[1] for line in read(base + "/status").splitlines() if line.startswith(("State:", "SigPnd:", "SigBlk:", "TracerPid:"))]
            lines.append(f"  thread {task} {read(base + '/comm')}: state, tracer, pending, blocked {' '.join(state)}; {read(base + '/wchan')}; {read(base + '/syscall')}")
    return "\n".join(lines)


def end_all(top, folder=None):
    """Ends all of them; again, until a pass finds none, because they may fork meanwhile."""
    for _ in range(500):
        left = descendants(top, folder)
        if not left:
            return
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def patience(seconds):
    """A limit is said for a machine that does nothing else. Where more wants to run than there are processors, all takes so much longer."""
    return seconds * min(10.0, max(1.0, os.getloadavg()[0] / os.cpu_count()))


def ends(poll, timeout, at_most):
    """Whether something ends in time. The load may grow while it runs."""
    begin, passed = time.monotonic(), 0
    while passed < (limit := min(patience(timeout), at_most)):
        if poll.poll((limit - passed) * 1000):
            return True
        passed = time.monotonic() - begin
    return False


def wait(process, timeout, folder=None, at_most=float("inf")):
    """The wait status of a process that leads its session, and None; or None and what it and its own did when time was up: the timeout, as patience has it, or at_most. Nothing is left of them."""
    pidfd, poll, hang, begin = os.pidfd_open(process.pid), select.poll(), None, time.monotonic()
    poll.register(pidfd, select.POLLIN)
    if not ends(poll, timeout, at_most):
        hang = f"still running after {time.monotonic() - begin:.0f} s\n" + describe(descendants(process.pid, folder))
    end_all(process.pid, folder)  # before the number of the process is free for another
    os.close(pidfd)
    status = os.waitpid(process.pid, 0)[1]
    process.returncode = os.waitstatus_to_exitcode(status)
    return (status, None) if hang is None else (None, hang)


def input_of(data):
    """A file to read it from: a pipe that has it all already, as long as it fits."""
    if data is None:
        return open(os.devnull, "rb")
    if len(data) > 65536:
        f = tempfile.TemporaryFile()
        f.write(data)
        f.seek(0)
        return f
    end, start = os.pipe()
    os.write(start, data)
    os.close(start)
    return open(end, "rb", 0)


def run(command, timeout, text=True, input=None, encoding="utf-8", **more):
    """As subprocess.run with its output captured, but through files: a process that a killed one leaves behind cannot keep us waiting."""
    with input_of(input.encode(encoding) if isinstance(input, str) else input) as fin, tempfile.TemporaryFile() as fout, tempfile.TemporaryFile() as ferr:
        process = subprocess.Popen(command, stdin=fin, stdout=fout, stderr=ferr, start_new_session=True, **more)
        hang = wait(process, timeout)[1]
        fout.seek(0)
        ferr.seek(0)
        out, err = fout.read(), ferr.read()
        if hang:
            raise subprocess.TimeoutExpired(command, timeout, out, err + b"\n" + hang.encode())
        if text:
            out, err = out.decode(encoding, errors="replace"), err.decode(encoding, errors="replace")
        return subprocess.CompletedProcess(command, process.returncode, out, err)


@contextlib.contextmanager
def limit(seconds):
    """The block ends within the time, as patience has it, or with Hang. For the main thread."""
    seconds = round(patience(seconds))

    def stop(*_):
        raise Hang(f"not ended after {seconds} s\n" + describe([p for p in descendants(os.getpid()) if p != os.getpid()]))
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
