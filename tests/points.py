#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Simulation points: what the tool bbv writes, against single steps; what `linchpin points` makes of it, against the same method written plainly
here. usage: tests/points.py [name...]. The last line is `N passed, N failed`."""
import collections
import csv
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tests", "tools")]
import harness  # noqa: E402
from harness import LINCHPIN, equal  # noqa: E402


def need(condition, what):
    if not condition:
        raise AssertionError(what)


# --- the method, plainly ------------------------------------------------------------------------------------------------

M = (1 << 64) - 1


def mix(x):
    x = (x + 0x9e3779b97f4a7c15) & M
    x = ((x ^ x >> 30) * 0xbf58476d1ce4e5b9) & M
    x = ((x ^ x >> 27) * 0x94d049bb133111eb) & M
    return x ^ x >> 31


def rand(seed, a, b):
    return (mix((mix((mix(seed) + a) & M) + b & M) & M) >> 11) * 2.0 ** -53


def distance(a, b):
    s = 0.0
    for x, y in zip(a, b):
        s += (x - y) * (x - y)
    return s


def project(vectors, dims, seed):
    rows = []
    for v in vectors:
        length, row = sum(v.values()), [0.0] * dims
        for block, n in v.items():
            for d in range(dims):
                row[d] += n / length * (2 * rand(seed, block, d) - 1)
        rows.append(row)
    return rows


class Means:
    """k-means from one start."""

    def __init__(self, rows, weights, k, seed, steps):
        self.rows, self.weights, self.k = rows, weights, k
        self.labels = [None] * len(rows)
        self.start(seed)
        for _ in range(steps):
            if not self.assign():
                break
            self.move()
            self.fill()
        self.assign()
        self.move()
        used = [i for i in range(self.k) if self.sizes[i] > 0]
        self.labels = [used.index(label) for label in self.labels]
        self.centres, self.sizes, self.k = [self.centres[i] for i in used], [self.sizes[i] for i in used], len(used)

    def start(self, seed):
        far, self.centres = [1.0] * len(self.rows), []
        for i in range(self.k):
            total = 0.0
            for f, w in zip(far, self.weights):
                total += f * w
            at, chosen = rand(seed, self.k, i) * total, len(self.rows) - 1
            for j, (f, w) in enumerate(zip(far, self.weights)):
                at -= f * w
                if at < 0:
                    chosen = j
                    break
            self.centres.append(list(self.rows[chosen]))
            new = [distance(r, self.rows[chosen]) for r in self.rows]
            far = new if i == 0 else [min(f, n) for f, n in zip(far, new)]

    def assign(self):
        before, self.distortion = list(self.labels), 0.0
        for i, r in enumerate(self.rows):
            near = [distance(r, c) for c in self.centres]
            self.labels[i] = near.index(min(near))
            self.distortion += min(near) * self.weights[i]
        return before != self.labels

    def move(self):
        dims = len(self.rows[0])
        self.sizes, self.centres = [0.0] * self.k, [[0.0] * dims for _ in range(self.k)]
        for i, r in enumerate(self.rows):
            self.sizes[self.labels[i]] += self.weights[i]
            c = self.centres[self.labels[i]]
            for d in range(dims):
                c[d] += r[d] * self.weights[i]
        self.centres = [[x / s for x in c] if s > 0 else c for c, s in zip(self.centres, self.sizes)]

    def fill(self):
        for i in range(self.k):
            if self.sizes[i] > 0:
                continue
            far = [distance(r, self.centres[label]) for r, label in zip(self.rows, self.labels)]
            if max(far) > 0:
                self.labels[far.index(max(far))] = i
                self.move()

    def score(self):
        n, k, dims = len(self.rows), self.k, len(self.rows[0])
        variance = max(self.distortion / (n - k) if n > k else 0, 1e-12)
        s = 0.0
        for w in self.sizes:
            s += w * math.log(w) - w * math.log(n) - w / 2 * math.log(2 * math.pi) - w * dims / 2 * math.log(variance) - (w - k) / 2
        return s - k * (dims + 1) / 2 * math.log(n)


def best_of(rows, weights, maxk=30, seeds=5, steps=100, seed=1, good=0.9):
    tried = []
    for k in range(1, min(maxk, (len(rows) + 2) // 3) + 1):
        best = None
        for s in range(seeds):
            m = Means(rows, weights, k, seed + 1 + s, steps)
            if best is None or m.distortion < best.distortion:
                best = m
        tried.append(best)
    scores = [m.score() for m in tried]
    limit = min(min(scores) + good * (max(scores) - min(scores)), max(scores))
    return next(m for m, s in zip(tried, scores) if s >= limit)


def reference(vectors, dims=15, seed=1, **options):
    rows, whole = project(vectors, dims, seed), sum(sum(v.values()) for v in vectors)
    weights = [sum(v.values()) / whole * len(vectors) for v in vectors]
    chosen = best_of(rows, weights, seed=seed, **options)
    points = []
    for k in range(chosen.k):
        near = [(distance(r, chosen.centres[k]), i) for i, r in enumerate(rows) if chosen.labels[i] == k]
        share = sum(sum(v.values()) for v, label in zip(vectors, chosen.labels) if label == k) / whole
        points.append((min(near)[1], share))
    error = collections.Counter()
    for v in vectors:
        for block, n in v.items():
            error[block] += n / whole
    for i, share in points:
        for block, n in vectors[i].items():
            error[block] -= n / sum(vectors[i].values()) * share
    return chosen.labels, points, sum(map(abs, error.values())) / 2


# --- runs ---------------------------------------------------------------------------------------------------------------

def build():
    harness.OUT = os.path.join(harness.BUILD, "tests", "points")
    os.makedirs(harness.OUT, exist_ok=True)
    for name in ("stepcount", "counted", "sorted", "calls"):
        source, *flags = harness.GUESTS[name]
        subprocess.run(["gcc", os.path.join(harness.HERE, source), *flags, "-o", harness.guest(name)], check=True)


def points(where, *words, status=0):
    got = subprocess.run([LINCHPIN, "points", *words], capture_output=True, text=True, timeout=300, cwd=where)
    equal("status", (got.returncode, got.stderr if status == 0 else ""), (status, ""))
    return got.stdout if status == 0 else got.stderr


def read(where, name):
    with open(os.path.join(where, name)) as f:
        return f.read()


def write_vectors(path, vectors):
    with open(path, "w") as f:
        f.write("# made by a test\n")
        for v in vectors:
            f.write("T" + " ".join(f":{b + 1}:{n}" for b, n in v.items()) + "\n")


def read_vectors(path):
    with open(path) as f:
        return [{int(b) - 1: int(n) for b, n in re.findall(r":(\d+):(\d+)", line)} for line in f]


def compare(where, name, vectors, **options):
    words = [w for k, v in options.items() for w in ("-" + {"maxk": "maxk", "dims": "dim", "seeds": "seeds", "steps": "iterations", "seed": "seed", "good": "bic"}[k], str(v))]
    out = points(where, name + ".bb", *words, "-o", "got")
    labels, chosen, error = reference(vectors, **options)
    equal("labels", [int(line.split()[0]) for line in read(where, "got.labels").splitlines()], labels)
    equal("points", read(where, "got.simpoints"), "".join(f"{i} {k}\n" for k, (i, _) in enumerate(chosen)))
    equal("weights", read(where, "got.weights"), "".join(f"{share:.6f} {k}\n" for k, (_, share) in enumerate(chosen)))
    starts = [0]
    for v in vectors:
        starts.append(starts[-1] + sum(v.values()))
    rows = [line.split(",") for line in read(where, "got.regions.csv").splitlines()[1:]]
    equal("regions", [(int(r[3]), int(r[4])) for r in rows], [(starts[i], starts[i + 1]) for i, _ in chosen])
    equal("error", re.search(r"whole run: ([\d.]+)%", out)[1], f"{100 * error:.2f}")
    return chosen


def phases(seed, n, kinds, noise):
    """Vectors of a program with so many phases, which come back."""
    r = random.Random(seed)
    means = [{b: r.randint(1, 1000) for b in r.sample(range(200), 20)} for _ in range(kinds)]
    return [{b: max(1, int(x * (1 + noise * r.uniform(-1, 1)))) for b, x in means[i * kinds // n % kinds if i < n // 2 else r.randrange(kinds)].items()} for i in range(n)]


# --- cases --------------------------------------------------------------------------------------------------------------

def random_vectors(where):
    """The same clusters as the plain method has, with all options; and the phases that were put in are found. With seed 32 the score that is
    wanted is rounded up beyond the best one."""
    for seed, n, kinds, noise, options in ((1, 60, 4, 0.05, {"maxk": 9}), (2, 40, 3, 0.3, {"maxk": 8, "dims": 5, "seeds": 3}), (3, 25, 25, 1, {"maxk": 40, "good": 1, "seeds": 1}),
                                              (32, 25, 25, 1, {"maxk": 40, "good": 1, "seeds": 1}), (4, 30, 2, 0, {"seed": 77, "steps": 1, "maxk": 5})):
        vectors = phases(seed, n, kinds, noise)
        write_vectors(os.path.join(where, "v.bb"), vectors)
        chosen = compare(where, "v", vectors, **options)
        if noise <= 0.05:
            equal("phases found", len(chosen), kinds)


def same_vectors(where):
    """Nothing differs: one point, which is all; also a single interval."""
    for n in (1, 20):
        vectors = [{0: 10, 5: 90}] * n
        write_vectors(os.path.join(where, "v.bb"), vectors)
        equal("points", [share for _, share in compare(where, "v", vectors)], [1.0])


def real_vectors(where):
    """Of a program: every instruction is in one interval and one block, intervals are as long as they were wanted, and the clusters are those of the plain method."""
    got = harness.run([LINCHPIN, "-t", "bbv", "-interval", "500", "-vectors", "v", "-o", "sum", "--", harness.guest("counted")], cwd=where)
    equal("status", (got.returncode, got.stderr), (0, ""))
    vectors = read_vectors(os.path.join(where, "v.T.0.bb"))
    steps = harness.steps("counted")
    equal("instructions", sum(sum(v.values()) for v in vectors), steps)
    at = 0
    for i, v in enumerate(vectors[:-1]):
        at += sum(v.values())
        need(0 <= at - 500 * (i + 1) < 50, f"interval {i} ends at {at}")
    blocks = [line.split("\t") for line in read(where, "v.blocks").splitlines()[1:]]
    executed = collections.Counter(harness.stepped_addresses("counted"))
    counted = collections.Counter()
    for v in vectors:
        counted.update(v)
    ins = {int(b[0]) - 1: int(b[2]) for b in blocks}
    need(all(n % ins[b] == 0 for b, n in counted.items()), "a part of a block was counted")
    heads = collections.Counter()
    for b in blocks:
        heads[b[1][2:]] += counted[int(b[0]) - 1] // int(b[2])
    need(all(heads[a] == executed[a] or heads[a] < executed[a] for a in heads) and max(heads.values()) <= max(executed.values()), "a block was counted more often than its first instruction was executed")
    equal("its sum", int(read(where, "sum").split()[0]), steps)
    harness.run([LINCHPIN, "-t", "bbv", "-interval", "20000", "-vectors", "s", "--", harness.guest("sorted")], cwd=where)
    compare(where, "s.T.0", read_vectors(os.path.join(where, "s.T.0.bb")), maxk=4, seeds=2)


def threads(where):
    """Each thread has vectors of its own; children of fork, too."""
    got = harness.run([LINCHPIN, "-t", "bbv", "-interval", "50000", "-vectors", "v", "--", harness.guest("calls")], cwd=where)
    equal("status", got.returncode, 3)
    sums = {f: sum(sum(v.values()) for v in read_vectors(os.path.join(where, f))) for f in os.listdir(where) if f.endswith(".bb")}
    equal("threads", len(sums), 5)
    need(sum(sums.values()) == int(got.stderr.split()[0]) and all(n > 200000 for f, n in sums.items() if f != "v.T.0.bb"), f"{sums} {got.stderr}")
    got = harness.run([LINCHPIN, "-t", "bbv", "-interval", "1000", "-vectors", "f", "--", "/bin/sh", "-c", "(exit 3); echo $?"], cwd=where)
    equal("output", (got.returncode, got.stdout), (0, "3\n"))
    files = sorted(f for f in os.listdir(where) if f.startswith("f") and f.endswith(".bb"))
    equal("files of both processes", len(files), 2)
    parent, child = (sum(sum(v.values()) for v in read_vectors(os.path.join(where, f))) for f in sorted(files, key=len))
    need(child < parent / 2, f"{child} instructions of the child, {parent} of the parent")


def rows_of(where, name):
    with open(os.path.join(where, name), encoding="utf-8") as f:
        return list(csv.DictReader(f))


def same_addresses(*words, cwd):
    """Where caches are compared, addresses must be the same in every run."""
    got = harness.run(["setarch", "-R", LINCHPIN, *words], cwd=cwd)
    equal("status", (got.returncode, got.stderr), (0, ""))


def figures(where):
    """Figures of intervals add up to what the tools say that model one thing each."""
    guest = harness.guest("sorted")
    same_addresses("-t", "bbv", "-figures", "-interval", "5000", "-vectors", "v", "-o", "sum", "--", guest, cwd=where)
    sums = collections.Counter()
    for row in rows_of(where, "v.T.0.figures.csv"):
        sums.update({name: int(n) for name, n in row.items()})
    results = {}
    for tool, *words in (["cache"], ["bpred"], ["ldstmix"], ["jumpmix"], ["cache", "-l1d", "1,2,64", "-l1i", "1,2,64", "-l2", "4,4,64", "-l3", "8,2,64"]):
        same_addresses("-t", tool, *words, "-format", "json", "-o", "result", "--", guest, cwd=where)
        with open(os.path.join(where, "result"), encoding="utf-8") as f:
            results[tool, len(words)] = json.load(f)
    wrong = sum(row[2] for row in table(results["bpred", 0], "predictors") if row[0] != "conditional, bimodal")
    loads = {row[0]: row[1] for row in table(results["ldstmix", 0], "accesses")}
    want = {level: row[2] for level in ("l1i", "l1d", "l2", "l3") for row in table(results["cache", 0], "levels") if row[0] == level}
    want |= {"mispredicted": wrong, "loads": loads["ins-load"] + loads.get("ins-both", 0), "stores": loads["ins-store"] + loads.get("ins-both", 0), "instructions": harness.steps("sorted")}
    want["cycles"] = want["instructions"] + 15 * wrong + 10 * (want["l1i"] + want["l1d"]) + 30 * want["l2"] + 150 * want["l3"]
    equal("figures", {name: sums[name] for name in want}, want)
    need(want["l1d"] > 0 and want["mispredicted"] > 100 and sums["calls"] > 0 and 0 < sums["branches"] < want["instructions"] / 2, f"{sums}")
    same_addresses("-t", "bbv", "-figures", "-l1", "1,2", "-l2", "4,4", "-l3", "8,2", "-interval", "5000", "-vectors", "s", "-o", "sum", "--", guest, cwd=where)
    small = {name: sum(int(row[name]) for row in rows_of(where, "s.T.0.figures.csv")) for name in ("l1i", "l1d", "l2", "l3")}
    want = {row[0]: row[2] for row in table(results["cache", 8], "levels") if row[0] in small}
    equal("a small machine", small, want)
    need(min(want.values()) > 0 and want["l1d"] > want["l2"] > want["l3"], f"{want}")


def table(result, title):
    return next(t["rows"] for t in result["tables"] if t["title"] == title)


def predictions(where):
    """What the points foretell is their figures, each times its weight; figures count in distances as they are told to."""
    vectors = phases(3, 40, 3, 0.05)
    write_vectors(os.path.join(where, "v.bb"), vectors)
    r, start, rates = random.Random(5), 0, []
    with open(os.path.join(where, "v.figures.csv"), "w", encoding="utf-8") as f:
        f.write("start,instructions,cycles,none\n")
        for v in vectors:
            length = sum(v.values())
            cycles = int(length * r.uniform(1, 4))
            rates.append(cycles / length)
            f.write(f"{start},{length},{cycles},0\n")
            start += length
    for share in (0, 2):
        points(where, "v.bb", "-o", "got", "-maxk", "8", "-figures", str(share), "-page")
        labels = [int(line.split()[0]) for line in read(where, "got.labels").splitlines()]
        chosen = {int(k): int(i) for i, k in (line.split() for line in read(where, "got.simpoints").splitlines())}
        equal("labels", labels, joined_labels(vectors, rates, share))
        whole, foretold, variance = sum(r * sum(v.values()) for r, v in zip(rates, vectors)) / start, 0, 0
        for k, i in chosen.items():
            mine = [(sum(v.values()), rate) for v, rate, label in zip(vectors, rates, labels) if label == k]
            n = sum(length for length, _ in mine)
            mean = sum(length * rate for length, rate in mine) / n
            variance += (n / start) ** 2 * sum(length * (rate - mean) ** 2 for length, rate in mine) / n
            foretold += n / start * rates[i]
        cycles, none = rows_of(where, "got.prediction.csv")
        for name, want in (("whole", whole), ("points", foretold), ("deviation", variance ** 0.5), ("error", foretold / whole - 1)):
            need(abs(float(cycles[name]) - want) < 1e-5, f"{name} with share {share}: {cycles[name]}, not {want}")
        equal("a figure that is never there", (none["whole"], none["error"]), ("0", "0.000000"))
    for name in ("got.phases.svg", "got.clusters.svg"):
        xml.etree.ElementTree.parse(os.path.join(where, name))
    equal("triangles", read(where, "got.phases.svg").count("class='mark'"), len(chosen))
    equal("dots", read(where, "got.clusters.svg").count("<circle"), len(vectors) + len(chosen))
    page = read(where, "got.html")
    need("http" not in page.replace("http://www.w3.org/2000/svg", "") and page.count("<svg") == 2 and f"{1000 * foretold:.4f}" in page, "the page")


def joined_labels(vectors, rates, share):
    """The plain method, where a vector has a dimension more for each figure; the figure `none` has no spread, and is 0."""
    if not share:
        return reference(vectors, maxk=8)[0]
    rows, whole = project(vectors, 15, 1), sum(sum(v.values()) for v in vectors)
    weights = [sum(v.values()) / whole * len(vectors) for v in vectors]

    def moments(column):
        mean = sum(x * w / len(vectors) for x, w in zip(column, weights))
        return mean, sum((x - mean) ** 2 * w / len(vectors) for x, w in zip(column, weights))

    wanted = sum(moments([row[d] for row in rows])[1] for d in range(15)) * share / 2
    mean, spread = moments(rates)
    for row, rate in zip(rows, rates):
        row += [max(-3, min(3, (rate - mean) / spread ** 0.5)) * wanted ** 0.5, 0.0]
    return best_of(rows, weights, maxk=8).labels


def pinpoints(where):
    """One command: the same as by two, also of a program that fails or cannot be started."""
    guest = harness.guest("sorted")
    for words, status in ((["-o", "p", "-interval", "5000", "-maxk", "6", "--", guest], 0), (["-interval", "5000", "--", "/bin/sh", "-c", "exit 3"], 0), (["-o", "none", "--", "/nonexistent"], 127)):
        got = subprocess.run([LINCHPIN, "pinpoints", *words], capture_output=True, text=True, timeout=300, cwd=where)
        equal("status", (words[-1], got.returncode), (words[-1], status))
        need(("ended with status 3" in got.stderr) == (words[-1] == "exit 3") and ("left no vectors" in got.stderr) == bool(status), got.stderr)
        need(status or ("for 1000 instructions" in got.stdout and "from points" in got.stdout), got.stdout)
    need(os.path.exists(os.path.join(where, "sh.html")) and os.path.exists(os.path.join(where, "p.html")), "there is no page")
    before = read(where, "p.simpoints")
    points(where, "p.T.0.bb", "-o", "again", "-maxk", "6", "-figures", "1")
    equal("the same by hand", read(where, "again.simpoints"), before)
    got = subprocess.run([LINCHPIN, "pinpoints", "-o", "p"], capture_output=True, text=True, timeout=60, cwd=where)
    need(got.returncode == 1 and "no program given" in got.stderr, got.stderr)


def inputs(where):
    """Two inputs of one program, at other addresses: what they do both has one point, with a weight in each."""
    for name, prefix in (("a", 0), ("b", 100)):
        kinds = phases(1, 30, 3, 0.02)
        if name == "b":
            kinds = kinds[:10] + phases(9, 10, 1, 0.02)
        write_vectors(os.path.join(where, name + ".T.0.bb"), [{b + prefix: n for b, n in v.items()} for v in kinds])
        with open(os.path.join(where, name + ".blocks"), "w") as f:
            f.write("# number\n" + "".join(f"{b + 1 + prefix}\t0x{b}\t1\t1\tprog+0x{b:x}\n" for b in range(200)))
    out = points(where, "a.T.0.bb", "b.T.0.bb", "-o", "all", "-maxk", "8")
    need("4 points for all inputs; each by itself would need 5 in all" in out, out)
    shares = [[float(line.split()[0]) for line in read(where, f"all.{i}.weights").splitlines()] for i in range(2)]
    need(all(abs(sum(s) - 1) < 1e-5 for s in shares) and sum(1 for a, b in zip(*shares) if a > 0 and b > 0) == 1, f"{shares}")
    os.remove(os.path.join(where, "b.blocks"))
    need("b.blocks" in points(where, "a.T.0.bb", "b.T.0.bb", status=1), "a missing file of blocks is not named")


BAD = [  # contents of a file, words, what is said
    ("T:1:5\nX\n", [], "v.bb:2: a line begins with T or #"), ("T:1:\n", [], "v.bb:1:"), ("T:0:4\n", [], "no block has the number 0"), ("# nothing\n", [], "there is no vector in it"),
    ("T:1:5 :2\n", [], "v.bb:1:"), ("T:1:5\n", ["-maxk", "0"], "-maxk wants a number from 1"), ("T:1:5\n", ["-maxk", "x"], "-maxk wants a number"), ("T:1:5\n", ["-bic", "2"], "-bic wants a number from 0 to 1"),
    ("T:1:5\n", ["-frob", "2"], "-frob is no option"), ("T:1:5\n", ["-o", "none/x"], "none/x.simpoints: No such file"), ("T:1:5\n", ["missing.bb"], "missing.bb: No such file"),
]


BAD_FIGURES = [
    ("start,instructions,cycles\n0,10,5\n10,9,5\n", ["-figures", "-1"], "-figures wants a number from 0 to 1000"), ("begin,instructions,cycles\n", [], "column 1 is begin, not start"),
    ("start,instructions\n", [], "v.figures.csv:1: the file has 2 columns"), ("start,instructions,cycles\n0,10,5\n", [], "fewer rows than vectors"),
    ("start,instructions,cycles\n0,10,5\n10,9,5\n19,1,1\n", [], "v.figures.csv:4: there are more rows than vectors"), ("start,instructions,cycles\n0,10,5\n10,8,5\n", [], "v.figures.csv:3: this is not the interval"),
    ("start,instructions,cycles\n0,10,5,6\n10,9,5\n", [], "v.figures.csv:2: a row has 3 numbers"), ("start,instructions,cycles\n0,10,x\n10,9,5\n", [], "v.figures.csv:2: a row has 3 numbers"),
]


def mistakes(where):
    for text, words, said in BAD:
        with open(os.path.join(where, "v.bb"), "w") as f:
            f.write(text)
        out = points(where, "v.bb", *words, status=1)
        need(said in out and out.count("\n") == 1, f"{text!r} {words}: {out!r}")
    for text, words, said in BAD_FIGURES:
        for name, content in (("v.bb", "T:1:5 :2:5\nT:1:9\n"), ("v.figures.csv", text)):
            with open(os.path.join(where, name), "w") as f:
                f.write(content)
        out = points(where, "v.bb", *words, status=1)
        need(said in out and out.count("\n") == 1, f"{text!r} {words}: {out!r}")
    os.remove(os.path.join(where, "v.figures.csv"))
    need("there is no file of figures beside v.bb" in points(where, "v.bb", "-figures", "1", status=1), "-figures without figures")
    got = subprocess.run([LINCHPIN, "-t", "bbv", "-l1", "1,3", "--", "/bin/true"], capture_output=True, text=True, timeout=60, cwd=where)
    need(got.returncode == 1 and "-l1, -l2 and -l3 want" in got.stderr, got.stderr)
    need("no file of block vectors" in points(where, status=1), "no words")
    need("-maxk N" in points(where, "-help"), "-help")


CASES = (random_vectors, same_vectors, real_vectors, figures, predictions, pinpoints, threads, inputs, mistakes)


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("-")]
    build()
    passed = failed = 0
    for case in CASES:
        if words and not any(w in case.__name__ for w in words):
            continue
        with tempfile.TemporaryDirectory() as where:
            try:
                case(where)
                passed += 1
            except (AssertionError, subprocess.SubprocessError) as e:
                print(f"FAIL {case.__name__}: {e}")
                failed += 1
    print(f"{passed} passed, {failed} failed")
    sys.exit(2 if not passed + failed else 1 if failed else 0)


main()
