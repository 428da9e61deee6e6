#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who installs packages: make deps, make run and make check, and never plain make.

make runs with stand-ins for dpkg-query, apt-get, apt-cache and sudo, which say what a case wants and write down how they were called; nothing is built, nothing is installed. run.py calls this
with --short; the last line is `N passed, N failed`."""
import os
import sys
import tempfile

import watch

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
QUERY = """#!/bin/sh
shift 2
for package; do [ "$package" = "$MISSING" ] || echo "installed $package"; done
"""
RECORD = """#!/bin/sh
echo "${0##*/} $*" >>"$CALLS"
exit 1
"""
SUDO = """#!/bin/sh
[ "$1" = -n ] && shift
exec "$@"
"""


def make(goals, missing, top):
    """Its status, what it says, and the calls of apt."""
    calls = os.path.join(top, "calls")
    open(calls, "w").close()
    env = dict(os.environ, PATH=os.path.join(top, "bin") + ":" + os.environ["PATH"], CALLS=calls, MISSING=missing, MAKEFLAGS="", TMPDIR=top,
               POLICY_RC_D=os.path.join(top, "policy"))
    got = watch.run(["make", "BUILD=" + os.path.join(top, "build"), *goals], 120, cwd=ROOT, env=env)
    with open(calls) as f:
        return got.returncode, got.stdout + got.stderr, [line for line in f.read().splitlines() if " install " in line]


# A goal that needs the packages and no compiler: the first object's directory is not even made before them.
OBJECT = "{top}/build/obj/src/base/base.c.o"
CASES = [  # goals, what is missing, what must be installed; what make says otherwise
    ([OBJECT], "libzydis-dev", [], "make deps"),
    (["all"], "libzydis-dev", [], "make deps"),
    (["install", "DESTDIR={top}/root"], "libzydis-dev", [], "make deps"),
    (["deps"], "libzydis-dev", ["libzydis-dev"], ""),
    (["run"], "libzydis-dev", ["libzydis-dev"], ""),
    (["check"], "libcmocka-dev", ["libcmocka-dev"], ""),
    (["deps"], "", [], ""),
]


def wrong(goals, missing, installs, says, top):
    """None, or what is."""
    status, text, calls = make([goal.format(top=top) for goal in goals], missing, top)
    if bool(status) != bool(missing) or says not in text or missing not in text:
        return f"status {status}: {text}"
    if len(calls) != len(installs) or not all(package in call.split() for package, call in zip(installs, calls)):
        return f"calls of apt: {calls}, not of {installs}"
    return f"built although something is missing: {text}" if os.path.exists(os.path.join(top, "build", "obj")) else None


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="lp-packages-") as top:
        os.mkdir(os.path.join(top, "bin"))
        for name, text in {"dpkg-query": QUERY, "apt-get": RECORD, "apt-cache": RECORD, "sudo": SUDO}.items():
            with open(os.path.join(top, "bin", name), "w") as f:
                f.write(text)
            os.chmod(f.name, 0o755)
        for goals, missing, installs, says in CASES:
            why = wrong(goals, missing, installs, says, top)
            passed, failed = passed + (not why), failed + bool(why)
            if why:
                print(f"FAIL make {' '.join(goals)}: {why}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
