# SPDX-License-Identifier: Apache-2.0
"""Faults of what is code in the headers of tools: header_faults.tsv has for a name the file below include/, the text that stands once there, what stands there instead (\\n is a new line), and the test
that must fail with it: a case of a guest (`TOOL GUEST NUMBER`, or a word of its settings instead of the number), or a source of tests/api/compile. The headers are copied, and the tests use the copy."""
import csv
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
COMPILE = os.path.join(TESTS, "compile")


def lines(text):
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], text)


class Fault:
    def __init__(self, api, row):
        self.api, self.name, self.test, self.file = api, row["name"], row["test"], os.path.join(api.ROOT, "include", row["file"])
        self.old, self.new = lines(row["old"]), lines(row["new"])
        self.words = self.test.split()
        self.top = os.path.join(api.BUILD, "tests", "api", "spoilt")

    def sources(self):
        if len(self.words) == 1:
            return [os.path.join(COMPILE, self.test + ".cpp"), os.path.join(COMPILE, "run.py")]
        return [os.path.join(TESTS, "tools", self.words[0] + ".cpp"), os.path.join(TESTS, "guests", self.words[1])]

    def hash(self):
        what = hashlib.sha256("\0".join((self.old, self.new, self.test)).encode())
        for path in self.sources():
            with open(path, "rb") as f:
                what.update(f.read())
        return what.hexdigest()[:12]

    def put_in(self):
        with open(self.file) as f:
            text = f.read()
        if text.count(self.old) != 1:
            raise SystemExit(f"{self.name}: {self.file} has {self.old!r} {text.count(self.old)} times, not once")
        shutil.rmtree(self.top, ignore_errors=True)
        include = os.path.join(self.top, "include")
        shutil.copytree(os.path.join(self.api.ROOT, "include"), include)
        with open(os.path.join(include, os.path.relpath(self.file, os.path.join(self.api.ROOT, "include"))), "w") as f:
            f.write(text.replace(self.old, self.new))
        return include

    def seen(self):
        """The words of the test that fails, or None."""
        include = self.put_in()
        return self.compiled(include) if len(self.words) == 1 else self.golden()

    def compiled(self, include):
        done = subprocess.run([sys.executable, os.path.join(COMPILE, "run.py"), "--short", self.test], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=self.top, env=dict(os.environ, PIN_INCLUDE=include))
        said = re.search(r"^FAIL .*", done.stdout, re.M)
        return said[0] if done.returncode and said else None

    def golden(self):
        """`linchpin cc` takes the headers beside it."""
        tool, guest, case = self.words
        bin_dir = os.path.join(self.top, "build", "bin")
        os.makedirs(bin_dir)
        shutil.copy(self.api.LINCHPIN, bin_dir)
        out = os.path.join(self.top, tool + ".so")
        done = subprocess.run([os.path.join(bin_dir, "linchpin"), "cc", "-g0", os.path.join(TESTS, "tools", tool + ".cpp"), "-o", out], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            return f"it cannot be compiled: {done.stdout.splitlines()[0] if done.stdout else ''}"
        usual, self.api.tool_path = self.api.tool_path, lambda name: out
        try:
            g = self.api.Guest(os.path.join(TESTS, "guests", guest))
            mine = [c for n, c in enumerate(g.cases) if c[0].split()[0] == tool and (case == str(n) or case in shlex.split(c[0]))] or [c for c in g.cases if c[0].split()[0] == tool]
            for command, want in mine:
                bad = self.api.golden_case(g, command, want, g.modes[0])[0]
                if bad:
                    return re.sub(r"\s+", " ", " ".join(bad[:2]))[:160]
        finally:
            self.api.tool_path = usual
        return None


def load(api):
    with open(os.path.join(HERE, "header_faults.tsv"), newline="") as f:
        return {row["name"]: Fault(api, row) for row in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE)}
