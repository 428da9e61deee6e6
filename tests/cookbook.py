#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of docs/cookbook.md and docs/tutorial.md on docs/examples/demo.c, and compares what they print with what stands there: the same lines in the same order, but for numbers; `...` stands for any lines.
Also that docs/api.md is what scripts/gen-api-docs makes. The last line is `N passed, N failed`."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
EXAMPLES = os.path.join(ROOT, "docs", "examples")


def commands(page):
    """(command, expected lines) of the blocks of a page that begin with $."""
    with open(os.path.join(ROOT, "docs", page), encoding="utf-8") as f:
        blocks = re.findall(r"^```\n(\$ .*?)^```$", f.read(), re.M | re.S)
    for block in blocks:
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            lines = part.splitlines()
            yield lines[0], lines[1:]


def plain(line):
    """Without numbers and the width of columns."""
    return re.sub(r"\s+", " ", re.sub(r"[-+]?\d[\d.,]*", "#", re.sub(r"(demo\.c:)(\d+)", lambda m: m[1] + "".join(chr(97 + int(d)) for d in m[2]), line))).strip()


def fits(want, got):
    """Do the lines come in this order, with nothing between them but where `...` allows it?"""
    at, free = 0, False
    for line in want:
        if line.strip() == "...":
            free = True
            continue
        while free and at < len(got) and plain(got[at]) != plain(line):
            at += 1
        if at == len(got) or plain(got[at]) != plain(line):
            return f"no line like {line!r}"
        at, free = at + 1, False
    return None if free or at == len(got) else f"{got[at]!r} does not stand there"


def run(page, tmp):
    env = {**os.environ, "PATH": os.path.join(BUILD, "bin") + ":" + os.environ["PATH"], "LC_ALL": "C"}
    for command, want in commands(page):
        p = subprocess.run(command, shell=True, cwd=tmp, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=240, check=False)
        wrong = fits(want, p.stdout.splitlines())
        yield f"{page}: {command}", wrong and f"{wrong}:\n{p.stdout}"


def main():
    passed = failed = 0
    rows = [("api.md", subprocess.run([os.path.join(ROOT, "scripts", "gen-api-docs"), "--check"], capture_output=True, text=True, check=False))]
    results = [(name, None if p.returncode == 0 else p.stdout) for name, p in rows]
    for page in ("cookbook.md", "tutorial.md"):
        with tempfile.TemporaryDirectory(prefix="lp-cookbook-") as tmp:
            for name in os.listdir(EXAMPLES):
                shutil.copy(os.path.join(EXAMPLES, name), tmp)
            subprocess.run(["gcc", "-g", "-O1", "demo.c", "-o", "demo"], cwd=tmp, check=True)
            results += list(run(page, tmp))
    for name, wrong in results:
        passed, failed = passed + (not wrong), failed + bool(wrong)
        if wrong:
            print(f"FAIL {name}: {wrong}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
