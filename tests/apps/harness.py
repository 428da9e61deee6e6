# SPDX-License-Identifier: Apache-2.0
"""Runs a case natively and under the engine and compares: exit status, standard output, standard error. Owns the case type, the folder
a case runs in, and the processes that it starts. It knows no program.

A case is a bash script. In it `run PROGRAM ...` runs a program under test and `follow PROGRAM ...` one whose children are
followed too; natively both just execute it. Everything else in the script is the case's own machinery and runs natively. Both
runs happen in the same, fresh folder, so that paths in the output agree."""

import dataclasses
import difflib
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import watch  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
DIFF_LINES = 30


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    script: str
    short: bool = False  # part of make check
    needs: tuple = ()  # programs; one missing: the case is skipped
    needs_file: str = ""
    timeout_s: int = 120  # of the run under the engine
    clean: tuple = ()  # (pattern, replacement) for what differs between any two runs: times, pids
    native_status: int = 0  # what the script must end with natively: a case that is itself broken is a failure


@dataclasses.dataclass
class Outcome:
    status: int
    stdout: str
    stderr: str
    hang: str  # what its processes did when time was up, or None


@dataclasses.dataclass
class Engine:
    run: str  # command prefixes, shell words
    follow: str


NATIVE = Engine("", "")


def default_engine():
    path = os.environ.get("LINCHPIN", os.path.join(BUILD, "bin", "linchpin"))
    quoted = "'" + path.replace("'", "'\\''") + "'"
    return path, Engine(f"{quoted} --", f"{quoted} -follow_execv --")


def find_missing(case, search):
    missing = [p for p in case.needs if not shutil.which(p, path=search)]
    if missing:
        return "no " + ", ".join(missing)
    if case.needs_file and not os.path.exists(case.needs_file):
        return f"no {case.needs_file}"
    return ""


def write_executable(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(path, 0o755)


class Runner:
    def __init__(self, engine, base):
        self.engine, self.base = engine, base
        # The distribution's programs first: a version manager's shims are scripts, and the program would be their child.
        self.search = "/usr/bin:/bin:" + os.environ.get("PATH", "") + ":/usr/games:/usr/sbin:/sbin"

    def run_side(self, case, engine, timeout_s):
        """One run of a case. The folder is made anew, so that both sides find the same."""
        folder = os.path.join(self.base, case.name)
        self.remove_folder(case)
        os.makedirs(os.path.join(folder, "bin"))
        os.makedirs(os.path.join(folder, "work"))
        write_executable(os.path.join(folder, "bin", "run"), f'#!/bin/sh\nexec {engine.run} "$@"\n')
        write_executable(os.path.join(folder, "bin", "follow"), f'#!/bin/sh\nexec {engine.follow} "$@"\n')
        return run_script(case.script, folder, self.environment(folder), timeout_s)

    def remove_folder(self, case):
        folder = os.path.join(self.base, case.name)
        if os.path.exists(folder):
            subprocess.run(["chmod", "-R", "u+rwX", folder], check=False)  # Go's caches are read-only
            shutil.rmtree(folder)

    def environment(self, folder):
        keep = {k: v for k, v in os.environ.items() if k in ("CARGO_HOME", "RUSTUP_HOME", "JAVA_HOME")}
        home = os.path.expanduser("~")
        keep.setdefault("RUSTUP_HOME", os.path.join(home, ".rustup"))
        work = os.path.join(folder, "work")
        return {**keep, "PATH": os.path.join(folder, "bin") + ":" + self.search, "HOME": work, "TMPDIR": work, "LC_ALL": "C", "TZ": "UTC",
                "TERM": "dumb", "GUEST": os.path.join(HERE, "guest"), "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}

    def check(self, case):
        """"" when the engine's run equals the native one, else what is wrong."""
        native = self.run_side(case, NATIVE, case.timeout_s)
        if native.hang or native.status != case.native_status or not native.stdout.strip():
            return describe_broken(native, case)
        guest = self.run_side(case, self.engine, case.timeout_s)
        return compare(native, guest, case)


def run_script(script, folder, env, timeout_s):
    """Output goes to files, not pipes: a daemon left by the script must not keep us waiting for the end of file."""
    out_path, err_path = os.path.join(folder, "stdout"), os.path.join(folder, "stderr")
    with open(out_path, "wb") as out, open(err_path, "wb") as err:
        child = subprocess.Popen(["bash", "-u", "-c", script], cwd=os.path.join(folder, "work"), env=env, stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=err, start_new_session=True)
        hang = watch.wait(child, timeout_s)[1]
    return Outcome(child.returncode, read_text(out_path), read_text(err_path), hang)


def read_text(path):
    with open(path, "rb") as f:
        return f.read().decode(errors="backslashreplace")


def clean_text(text, case):
    for pattern, replacement in case.clean:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    return text


def tail(text, lines=8):
    return "\n".join(text.rstrip().splitlines()[-lines:])


def describe_broken(native, case):
    if native.hang:
        return f"the native run: {native.hang}"
    if native.status != case.native_status:
        return f"the native run itself ended with {native.status}, not {case.native_status}\n{tail(native.stdout)}\n{tail(native.stderr)}"
    return "the native run wrote nothing, so there is nothing to compare"


def diff_texts(name, a, b):
    lines = list(difflib.unified_diff(a.splitlines(), b.splitlines(), f"native {name}", f"engine {name}", lineterm="", n=1))
    more = [f"... {len(lines) - DIFF_LINES} more lines"] if len(lines) > DIFF_LINES else []
    return "\n".join([line[:200] for line in lines[:DIFF_LINES]] + more)


def compare(native, guest, case):
    problems = []
    if guest.hang:
        problems.append(guest.hang)
    elif guest.status != native.status:
        problems.append(f"status {guest.status}, natively {native.status}")
    for name in ("stdout", "stderr"):
        a, b = (clean_text(getattr(side, name), case) for side in (native, guest))
        if a != b:
            problems.append(diff_texts(name, a, b))
    return "\n".join(problems)
