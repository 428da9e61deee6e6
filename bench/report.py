# SPDX-License-Identifier: Apache-2.0
"""Turns samples into results: the JSON file, the tables as text and Markdown, the comparison with an earlier result, docs/bench.md.
It measures nothing. A figure is the least CPU time of an engine's good runs over the native least; where any run of an
engine failed, the failure is shown instead of a figure."""

import dataclasses
import json
import math
import os
import platform
import subprocess
import time

import plot

FORMAT = 1
NATIVE_SHORT = "native, short input"  # the row of native runs for engines that get short inputs
GROUPS = (("single", "Single-threaded: CPU time over native"), ("threads", "Threads: CPU time over native"),
          ("ia32", "IA-32 programs (Debian's i386 packages): CPU time over native"),
          ("events", "System calls, signals and code that changes: CPU time over native"), ("cold", "Little but cold code: CPU time of one run"))


# --- the result ------------------------------------------------------------------------------------------------------------

def read_machine():
    model = ""
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
        for line in f:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    memory_kb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 1024
    return {"cpu": model, "cpus": os.cpu_count(), "memory_gb": round(memory_kb / 1e6, 1), "kernel": platform.release(),
            "distribution": read_distribution(), "libc": "-".join(platform.libc_ver())}


def read_distribution():
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        return ""


def read_packages(jobs):
    """The versions of the programs measured, as Debian counts them."""
    paths = sorted({job.argv[0] for job in jobs} | {os.path.realpath(job.argv[0]) for job in jobs})
    try:
        owners = subprocess.run(["dpkg-query", "-S"] + paths, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        names = sorted({line.split(":")[0] for line in owners.stdout.splitlines() if not line.startswith("diversion")} | {"libc6"})
        shown = subprocess.run(["dpkg-query", "-W", "-f=${Package} ${Version}\n"] + names, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               text=True, check=False)
    except OSError:
        return {}
    return dict(line.split() for line in shown.stdout.splitlines())


def build(bench, skipped, versions, started, quick):
    return {
        "format": FORMAT, "date": time.strftime("%Y-%m-%d %H:%M", time.gmtime(started)), "seconds": round(time.time() - started), "quick": quick,
        "rounds": bench.rounds, "peer_rounds": min(bench.rounds, bench.peer_rounds), "load_average": os.getloadavg()[0], "machine": read_machine(), "versions": versions,
        "packages": read_packages(bench.jobs),
        "engines": [{"name": e.name, "note": e.note, "peer": e.peer, "short": e.short} for e in bench.engines],
        "workloads": [{"name": j.name, "group": j.load.group, "size": j.size, "follow": j.load.follow, "one": j.load.one} for j in bench.jobs],
        "skipped": skipped,
        "samples": {job: {engine: [dataclasses.asdict(s) for s in samples] for engine, samples in row.items()}
                    for job, row in bench.samples.items()},
    }


def save(result, path):
    with open(path + ".part", "w", encoding="utf-8") as f:
        json.dump(result, f, indent=1)
    os.replace(path + ".part", path)


def load(path):
    with open(path, encoding="utf-8") as f:
        result = json.load(f)
    if result.get("format") != FORMAT:
        raise SystemExit(f"bench: {path} is not a result of this version of the benchmark")
    return result


# --- figures ---------------------------------------------------------------------------------------------------------------

def error_of(result, job, engine):
    samples = result["samples"][job].get(engine, [])
    return next((s["error"] for s in samples if s["error"]), "")


def best(result, job, engine, field="cpu_s"):
    """The least of the good runs; None where there is none or where any run failed."""
    samples = result["samples"][job].get(engine, [])
    if not samples or error_of(result, job, engine):
        return None
    return min(s[field] for s in samples)


def native_row(result, job, engine):
    """The native runs that an engine's are measured against: on the same input."""
    short = any(e["name"] == engine and e.get("short") for e in result["engines"])
    return NATIVE_SHORT if short and NATIVE_SHORT in result["samples"][job] else "native"


def ratio(result, job, engine):
    mine, native = best(result, job, engine), best(result, job, native_row(result, job, engine))
    return mine / native if mine is not None and native else None


def jobs_of(result, group):
    return [w["name"] for w in result["workloads"] if w["group"] == group]


def engine_names(result):
    return [e["name"] for e in result["engines"] if e["name"] != "native"]


def geometric_mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values else None


def mean_of(result, engine, group="single"):
    """The geometric mean over a group, and over how many of its workloads."""
    values = [r for r in (ratio(result, job, engine) for job in jobs_of(result, group)) if r]
    return geometric_mean(values), len(values)


def failures(result):
    """Failures of native and of our own engine; a peer's are shown but are not ours."""
    peers = {e["name"] for e in result["engines"] if e["peer"]}
    return [(job, engine, error_of(result, job, engine)) for job, row in result["samples"].items() for engine in row
            if engine not in peers and error_of(result, job, engine)]


# --- tables ----------------------------------------------------------------------------------------------------------------

def ratio_cell(result, job, engine):
    value = ratio(result, job, engine)
    if value is not None:
        return f"{value:.2f}"
    error = error_of(result, job, engine) or error_of(result, job, native_row(result, job, engine))
    return f"FAIL: {error}" if error else "-"


def cold_cell(result, job, engine):
    value = ratio(result, job, engine)
    if value is None:
        return ratio_cell(result, job, engine)
    extra = (best(result, job, engine) - best(result, job, "native")) * 1000
    return f"{extra:+.1f} ms ({value:.1f}x)"


def engines_of(result, group):
    """Those that were run on any workload of the group."""
    return [e for e in engine_names(result) if any(result["samples"][job].get(e) for job in jobs_of(result, group))]


def table_rows(result, group):
    """Header and rows of a group's table; nothing where the group was not run."""
    jobs, engines = jobs_of(result, group), engines_of(result, group)
    if not jobs:
        return []
    cold = group == "cold"
    rows = [["workload", "native"] + engines]
    for job in jobs:
        native = best(result, job, "native")
        shown = "FAIL: " + error_of(result, job, "native") if native is None else (f"{native * 1000:.1f} ms" if cold else f"{native:.2f} s")
        rows.append([job, shown] + [(cold_cell if cold else ratio_cell)(result, job, e) for e in engines])
    if group in ("single", "ia32"):
        rows.append(["geometric mean", ""] + [mean_cell(result, e, len(jobs), group) for e in engines])
    return rows


def scaling(result, two, one, engine):
    """Wall time of one thread over that of two, for the same work; None where either is missing."""
    single, double = best(result, one, engine, "wall_s"), best(result, two, engine, "wall_s")
    return single / double if single and double else None


def scaling_rows(result):
    """For each workload that was run with one thread and with two: how much faster two are, and how that compares with native."""
    pairs = [(w["name"], w["one"]) for w in result["workloads"] if w.get("one") and w["one"] in result["samples"]]
    engines = engines_of(result, "threads")
    rows = [["workload", "native"] + engines]
    for two, one in pairs:
        native = scaling(result, two, one, "native")
        cells = [scaling(result, two, one, e) for e in engines]
        if native:
            rows.append([two, f"{native:.2f}"] + [f"{v:.2f} ({(v / native - 1) * 100:+.0f}%)" if v else "-" for v in cells])
    return rows if len(rows) > 1 else []


def tables(result):
    """Titles and rows of all that there is to show."""
    shown = [(title, table_rows(result, group)) for group, title in GROUPS]
    shown.insert(2, ("Scaling: wall time of one thread over that of two for the same work (over native's)", scaling_rows(result)))
    return [(title, rows) for title, rows in shown if rows]


def mean_cell(result, engine, count, group):
    mean, used = mean_of(result, engine, group)
    if mean is None:
        return "-"
    return f"{mean:.2f}" + ("" if used == count else f" ({used} of {count})")


def memory_row(result):
    """The most that an engine's peak memory exceeds the native one's, over the single-threaded workloads."""
    cells = []
    for engine in engines_of(result, "single"):
        extra = [(best(result, j, engine, "rss_kb") - best(result, j, native_row(result, j, engine), "rss_kb")) / 1024 for j in jobs_of(result, "single")
                 if ratio(result, j, engine)]
        cells.append(f"{engine} {max(extra):+.0f} MB" if extra else f"{engine} -")
    return "peak memory over native, largest: " + ", ".join(cells)


def text_tables(result):
    parts = [describe(result)]
    for title, rows in tables(result):
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines = ["  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths))) for row in rows]
        parts.append(title + "\n" + "\n".join(lines))
    if engine_names(result) and jobs_of(result, "single"):
        parts.append(memory_row(result))
    parts += [f"FAILED: {job} under {engine}: {error}" for job, engine, error in failures(result)]
    return "\n\n".join(parts)


def markdown_table(rows):
    lines = ["| " + " | ".join(rows[0]) + " |", "| --- |" + " ---: |" * (len(rows[0]) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows[1:]])


def describe(result):
    m = result["machine"]
    peer_rounds = result.get("peer_rounds", result["rounds"]) if any(e["peer"] for e in result["engines"]) else result["rounds"]
    peers = "" if peer_rounds == result["rounds"] else f" (peers: of {peer_rounds})"
    text = (f"{result['date']} UTC, {m['cpu']}, {m['cpus']} CPUs, Linux {m['kernel']}, {m['distribution']}; best of {result['rounds']}{peers}, "
            f"{result['seconds'] // 60} minutes, load {result['load_average']:.1f} at the end.")
    return text + (" Short inputs (--quick)." if result["quick"] else "")


def compare(old, new):
    """For each workload and engine that both know: before, after, change."""
    rows = [["workload", "engine", "before", "after", "change"]]
    for job in [w["name"] for w in new["workloads"]]:
        for engine in engine_names(new):
            if job not in old["samples"]:
                continue
            before, after = ratio(old, job, engine), ratio(new, job, engine)
            if before and after:
                rows.append([job, engine, f"{before:.2f}", f"{after:.2f}", f"{(after / before - 1) * 100:+.1f}%"])
            elif before or after:
                rows.append([job, engine, ratio_cell(old, job, engine), ratio_cell(new, job, engine), ""])
    for engine in engine_names(new):
        shared = [j for j in jobs_of(new, "single") if j in old["samples"] and ratio(old, j, engine) and ratio(new, j, engine)]
        if shared:
            b, a = (geometric_mean([ratio(r, j, engine) for j in shared]) for r in (old, new))
            rows.append([f"geometric mean of {len(shared)}", engine, f"{b:.2f}", f"{a:.2f}", f"{(a / b - 1) * 100:+.1f}%"])
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    note = "" if old["quick"] == new["quick"] else "(one of the two is a --quick result: the inputs differ)\n"
    return f"\nagainst {old['date']} ({old['versions'].get('linchpin', '')}):\n{note}" + \
        "\n".join("  ".join(c.ljust(w) for c, w in zip(row, widths)) for row in rows)


# --- docs ------------------------------------------------------------------------------------------------------------------

INTRO = """# Benchmarks

Generated by `make bench` (`bench/bench.py --peers --docs`); do not edit. A figure is CPU time, user and system, of the whole process
tree over the native run's in the same interleaved measurement; absolute times mean little. Every run's output was compared with the native one, but where a note says otherwise:
a run that failed or whose output differed is shown as FAIL and counts in no mean.

"""


def engine_notes(result):
    lines = []
    for e in result["engines"]:
        if e["name"] != "native":
            # A tool's column is our own engine's version.
            version = result["versions"].get(e["name"]) or ("" if e["peer"] else result["versions"].get("linchpin", ""))
            lines.append(f"- **{e['name']}**: {e['note']}" + (f" ({version})" if version else ""))
    return "\n".join(lines)


def write_docs(result, folder):
    parts = [INTRO + describe(result), engine_notes(result)]
    charted = plot.write(result, folder, {job: {e: ratio(result, job, e) for e in engine_names(result)}
                                          for job in jobs_of(result, "single") + jobs_of(result, "threads")},
                         {e: mean_of(result, e)[0] for e in engine_names(result)})
    if charted:
        parts.append(f"![slowdown over native]({charted})")
    parts += [f"## {title}\n\n{markdown_table(rows)}" for title, rows in tables(result)]
    if engine_names(result):
        row = memory_row(result)
        parts.append(row[0].upper() + row[1:] + ".")
    parts += ["Skipped: " + "; ".join(f"{n} ({why})" for n, why in result["skipped"]) + "."] if result["skipped"] else []
    parts.append("Programs: " + ", ".join(f"{n} {v}" for n, v in result["packages"].items()) + ".")
    with open(os.path.join(folder, "bench.md"), "w", encoding="utf-8") as f:
        f.write("\n\n".join(parts) + "\n")
