#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The benchmark itself: what it makes of samples that are given here, and that a short real run measures what it says. No time is asserted."""

import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import building
import watch

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
sys.path.insert(0, os.path.join(ROOT, "bench"))
import report  # noqa: E402

passed, failed = 0, 0


def check(name, good, seen=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAIL {name}: {seen}")


def sample(cpu_s, wall_s=1.0, error=""):
    return {"cpu_s": cpu_s, "wall_s": wall_s, "rss_kb": 2048, "status": 0, "digest": "", "error": error, "tail": ""}


def made_up():
    """Two programs, one with two threads and one; an engine of ours, one on short inputs, one that fails."""
    engines = [("native", False, False), ("linchpin", False, False), ("slow", True, True), ("broken", True, False)]
    rows = {
        "a": {"native": [sample(2.0), sample(1.0)], "linchpin": [sample(1.5), sample(2.0)], "slow": [sample(30.0)], report.NATIVE_SHORT: [sample(0.1)], "broken": [sample(0, error="died")]},
        "b": {"native": [sample(1.0)], "linchpin": [sample(6.0)], "slow": [], "broken": [sample(2.0)]},
        "i386-a": {"native": [sample(2.0)], "linchpin": [sample(5.0)]},
        "t1": {"native": [sample(4.0, 4.0)], "linchpin": [sample(8.0, 8.0)]},
        "t2": {"native": [sample(4.0, 2.0)], "linchpin": [sample(8.0, 5.0)]},
    }
    groups = {"a": "single", "b": "single", "i386-a": "ia32", "t1": "threads", "t2": "threads"}
    return {"format": report.FORMAT, "date": "2000-01-01 00:00", "seconds": 60, "quick": False, "rounds": 2, "peer_rounds": 1, "load_average": 0.0,
            "machine": {"cpu": "none", "cpus": 2, "memory_gb": 1, "kernel": "0", "distribution": "none", "libc": "none"}, "versions": {"linchpin": "0"}, "packages": {"p": "1"},
            "engines": [{"name": n, "note": "", "peer": peer, "short": short} for n, peer, short in engines],
            "workloads": [{"name": n, "group": g, "size": 1, "follow": False, "one": "t1" if n == "t2" else ""} for n, g in groups.items()],
            "skipped": [], "samples": rows}


def check_report():
    result = made_up()
    text = report.text_tables(result)
    check("best run over best native run, and their mean", re.search(r"^geometric mean +3\.00 ", text, re.M) and re.search(r"^a +1\.00 s +1\.50 +300\.00 +FAIL: died$", text, re.M), text)
    check("an engine is not shown where it was not run", re.search(r"^workload +native +linchpin$", text, re.M), text)
    check("IA-32 programs have a mean of their own", re.search(r"^i386-a +2\.00 s +2\.50\ngeometric mean +2\.50$", text, re.M), text)
    check("scaling", re.search(r"^t2 +2\.00 +1\.60 \(-20%\)$", text, re.M), text)
    check("a peer's failure is not ours", report.failures(result) == [], report.failures(result))
    later = made_up()
    later["samples"]["b"]["linchpin"] = [sample(3.0)]
    check("comparison", re.search(r"^b +linchpin +6\.00 +3\.00 +-50\.0%", report.compare(result, later), re.M), report.compare(result, later))
    with tempfile.TemporaryDirectory() as folder:
        report.write_docs(result, folder)
        with open(os.path.join(folder, "bench.md"), encoding="utf-8") as f:
            text = f.read()
        root = xml.etree.ElementTree.parse(os.path.join(folder, "bench.svg")).getroot()
        check("page", "| t2 | 2.00 | 1.60 (-20%) |" in text and "+0 MB" in text and "bench.svg" in text, text)
        check("picture", root.tag.endswith("svg") and any(node.text == "3.00" for node in root.iter() if node.tag.endswith("text")))


def bench(*words):
    return subprocess.run([sys.executable, os.path.join(ROOT, "bench", "bench.py"), *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=watch.patience(300), check=False)


def check_run():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        done = bench("--quick", "--runs", "1", "--engine", "linchpin", "--engine", "value", "--only", "true", "--only", "threads-1t", "--only", "threads-2t", "--json", path)
        check("run", done.returncode == 0, done.stdout)
        if done.returncode:
            return
        result = report.load(path)
        check("machine and versions", result["machine"]["cpus"] and result["machine"]["kernel"] and result["versions"]["linchpin"], result)
        check("scaling is measured", len(report.scaling_rows(result)) == 2, report.scaling_rows(result))
        memory = {e: report.best(result, "true", e, "rss_kb") for e in ("native", "linchpin")}
        check("memory is the program's, not the runner's", 0 < memory["native"] < 4096 < memory["linchpin"], memory)
        again = bench("--report", path, "--compare", path)
        check("reported again", again.returncode == 0 and "+0.0%" in again.stdout and "Scaling" in again.stdout, again.stdout)
        done = bench("--only", "no-such")
        check("unknown workload", done.returncode and "no workload no-such" in done.stdout, done.stdout)


def check_counters():
    """The tool of the columns about counters counts the same in all its ways, and as many as single steps do natively."""
    seen, steps = {}, os.path.join(BUILD, "tests", "stepcount")
    error = building.whole(steps, ["gcc", "-O2", "-D_GNU_SOURCE", os.path.join(ROOT, "tests", "tools", "stepcount.c"), "-o", steps])
    env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "GLIBC_TUNABLES": "glibc.pthread.rseq=0"}  # the engine has none, so libc takes the same way in both
    native = subprocess.run(["setarch", "-R", steps, "/bin/true"], capture_output=True, text=True, timeout=watch.patience(120), check=False, env=env).stderr if not error else error
    for how in ("global", "tls", "register", "value"):
        run = subprocess.run(["setarch", "-R", os.path.join(BUILD, "bin", "linchpin"), "-t", os.path.join(BUILD, "bench", "tools", "private.so"), "-how", how, "--", "/bin/true"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=watch.patience(120), check=False, env=env)
        seen[how] = run.stdout
    counted = re.search(r"^steps: (\d{4,})$", native, re.M)
    check("counters", counted and set(seen.values()) == {f"instructions: {counted[1]}\n"}, (seen, native))


def check_probes():
    """All kinds of probes are placed, a thousand of them too, and the program computes the same."""
    run = subprocess.run([sys.executable, os.path.join(ROOT, "bench", "probes.py"), "--short"], capture_output=True, text=True, timeout=watch.patience(120), check=False)
    lines = [line.split(":")[0] for line in run.stdout.splitlines()]
    check("probes", run.returncode == 0 and lines == ["a probe with an empty function", "a replaced signature", "1000 probes that are never hit"], (run.stdout, run.stderr))


check_report()
check_run()
check_counters()
check_probes()
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
