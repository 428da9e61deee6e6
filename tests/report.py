#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""linchpin report and linchpin diff: what they read, what the page shows in a browser, how long they take. Chromium runs the page without a window; without Chromium (scripts/deps
report) those checks are skipped and said to be. usage: tests/report.py [--shots DIR] [name...]; --shots writes the pictures that docs/ has. The last line is `N passed, N failed`."""
import html
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

import report_data

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINCHPIN = os.path.join(os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build"))), "bin", "linchpin")
SOURCE = os.path.join(ROOT, "src", "report", "result.c")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SECONDS = 3  # of CPU, for 100 MB of results


def run(*words, cwd=None, ok=True):
    p = subprocess.run([LINCHPIN, *words], cwd=cwd, capture_output=True, text=True, timeout=120, check=False)
    if ok and p.returncode:
        raise AssertionError(f"{words}: {p.stderr}")
    return p


def need(condition, what):
    if not condition:
        raise AssertionError(str(what)[:2000])


def browser(*words):
    with tempfile.TemporaryDirectory(prefix="lp-chromium-") as profile:
        return subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}", "--virtual-time-budget=4000", *words],
                              capture_output=True, text=True, timeout=180, check=True).stdout


def dom(page, where="", raw=False):
    """The page as the browser has it after its script has run, without the data and the script."""
    text = browser("--dump-dom", f"file://{page}#{where}")
    need('data-ready="yes"' in text and "data-error" not in text, f"{where}: the script has failed: {re.findall('data-error=.[^>]*', text)}")
    text = re.sub(r"<script.*?</script>", "", text, flags=re.S)
    return text if raw else html.unescape(text)


def data_of(page):
    with open(page, encoding="utf-8") as f:
        text = f.read()
    need("http://" not in re.sub(r"http://www.w3.org/2000/svg", "", text) and "https://" not in text and "src=" not in text.split("<script id")[0], "the page asks the network for something")
    return json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.S).group(1))


def totals(tmp):
    """What is in the page adds up to what is in the file."""
    want = report_data.result(os.path.join(tmp, "a.json"), SOURCE)
    run("report", "a.json", "-o", "a.html", cwd=tmp)
    got = data_of(os.path.join(tmp, "a.html"))["results"][0]
    need(got["totals"] == want["totals"], got["totals"])
    for member, first in (("routines", 5), ("lines", 2), ("threads", 1), ("byimage", 1), ("instructions", 5)):
        need([sum(r[first + m] for r in got[member]) for m in range(3)] == want["totals"], member)
    need(got["tree"][0][8:] == [sum(s["values"][m] for s in want["stacks"]) for m in range(3)], got["tree"][0])
    hot = max(got["routines"], key=lambda r: r[5])
    need(hot[0] == "main" and hot[5] == sum(r["values"][0] for r in want["rows"] if r["routine"] == 0), hot)
    need(len(got["timeline"]["series"][0]["values"]) == 400 and got["findings"] == want["findings"], "timeline, findings")


def rest(tmp):
    """Results with almost nothing in them, members in another order, unknown members."""
    small = {"totals": [3], "rows": [{"values": [3]}], "surprise": [{"a": ["}", "\\\""]}], "metrics": [{"name": "n", "unit": "count", "what": "x"}], "tool": "t", "pid": 1, "program": "/p", "argv": [], "end": "signal", "status": 11, "version": 1, "format": "linchpin-result"}
    with open(os.path.join(tmp, "s.json"), "w", encoding="utf-8") as f:
        json.dump(small, f)
    run("report", "s.json", "-o", "s.html", cwd=tmp)
    got = data_of(os.path.join(tmp, "s.html"))["results"][0]
    need(got["totals"] == [3] and got["end"] == "signal" and got["byimage"] == [[-1, 3]], got)


def refused(tmp):
    for name, text, why in (("none.json", "", "not a result"), ("other.json", '{"format": "x"}', "not a result"), ("cut.json", '{"format": "linchpin-result", "version": 1, "rows": [{"values": [1', "not a result"),
                            ("later.json", '{"format": "linchpin-result", "version": 9, "metrics": [], "totals": []}', "version 9"),
                            *((f"text{i}.json", '{"format": "linchpin-result", "version": 1, "tool": "' + t + '"}', "an escape") for i, t in enumerate((r"\u00g0", r"\u12", r"\x41", "a\nb")))):
        with open(os.path.join(tmp, name), "w", encoding="utf-8") as f:
            f.write(text)
        p = run("report", name, cwd=tmp, ok=False)
        need(p.returncode == 1 and name in p.stderr and why in p.stderr and p.stderr.count("\n") == 1, p.stderr)
    need("No such file" in run("report", "missing.json", cwd=tmp, ok=False).stderr, "missing file")


def differences(tmp):
    a, b = (report_data.result(os.path.join(tmp, n + ".json"), SOURCE, seed=s, scale=k) for n, s, k in (("a", 1, 1.0), ("b", 2, 1.3)))
    out = run("diff", "a.json", "b.json", "-top", "0", cwd=tmp).stdout
    row = re.search(r"^ *(\d+) +(\d+) +([+-]\d+) +\S+  main  the program$", out, re.M)
    sums = [sum(r["values"][0] for r in d["rows"] if r["routine"] == 0) for d in (a, b)]
    need(row and [int(x) for x in row.groups()] == sums + [sums[1] - sums[0]], out)
    need(re.search(rf"^ *{a['totals'][1]} +{b['totals'][1]} .*l1d misses$", out, re.M), out)
    need("0 of " in run("diff", "a.json", "a.json", cwd=tmp).stdout, "a and a differ")
    need(re.search(r"result\.c:\d+$", run("diff", "a.json", "b.json", "-by", "line", cwd=tmp).stdout, re.M), "lines")


def tables(tmp):
    """Rows of tables are compared by their text columns; those that one has alone are new or gone; tables without such columns are left alone."""
    base = {"format": "linchpin-result", "version": 1, "tool": "t", "pid": 1, "program": "/p", "argv": [], "end": "exit", "status": 0, "metrics": [{"name": "n", "unit": "count", "what": "x"}], "totals": [1]}
    columns = [{"name": "place", "kind": "text"}, {"name": "kind", "kind": "text"}, {"name": "count", "kind": "count"}, {"name": "share", "kind": "percent"}]
    other = {"title": "lines", "columns": [{"name": "line", "kind": "address"}, {"name": "n", "kind": "count"}], "rows": [[4096, 1]]}
    for name, rows in (("a", [["p", "MOV", 10, 50.5], ["p", "ADD", 4, 1], ["q", "MOV", 7, 2]]), ("b", [["q", "MOV", 7, 2], ["p", "MOV", 13, 50.5], ["p", "SUB", 5, 1]])):
        with open(os.path.join(tmp, name + ".json"), "w", encoding="utf-8") as f:
            json.dump({**base, "tables": [other, {"title": "opcodes", "columns": columns, "rows": rows}]}, f)
    out = run("diff", "a.json", "b.json", cwd=tmp).stdout
    got = re.findall(r"^ *(\d+) +(\d+) +([+-]\d+) +(\S+)  (\S+  \S+)$", out.split("\nopcodes: count\n")[1], re.M)
    need(got == [("0", "5", "+5", "new", "p  SUB"), ("4", "0", "-4", "gone", "p  ADD"), ("10", "13", "+3", "+30.0%", "p  MOV")], out)
    need("3 of 4 rows differ; 1 are the same" in out and "lines:" not in out, out)
    run("report", "a.json", "b.json", "-o", "ab.html", cwd=tmp)
    table, = data_of(os.path.join(tmp, "ab.html"))["compare"]["tables"]
    need([(r[0], r[3], r[4]) for r in table["rows"]] == [("p  SUB", 0, 5), ("p  ADD", 4, 0), ("p  MOV", 10, 13), ("q  MOV", 7, 7)] and table["column"] == "count", table)


def speed(tmp):
    """100 MB of results; the page stays small, and its totals are those of the rows."""
    want = report_data.large(os.path.join(tmp, "big.json"), SOURCE, 100)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run("report", "big.json", "-o", "big.html", cwd=tmp)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    need(seconds < SECONDS, f"{seconds:.1f} s of CPU")
    size = os.path.getsize(os.path.join(tmp, "big.html"))
    need(size < 10e6, f"{size} bytes")
    got = data_of(os.path.join(tmp, "big.html"))["results"][0]
    need([sum(r[5 + m] for r in got["routines"]) for m in range(3)] == want["totals"], "totals")


def named(tmp):
    """Sources whose names need escapes in JSON are found, written by whomever; a name that is none leaves out its file only."""
    names = ["plain.c", "hö\U0001f600é.c", 'quote"s.c', "back\\slash.c", "tab\there.c"]
    paths = [os.path.join(tmp, n) for n in names]
    for p in paths:
        with open(p, "w", encoding="utf-8") as f:
            f.write(f"// {names.index(os.path.basename(p))}\n")
    result = {"format": "linchpin-result", "version": 1, "tool": "t", "pid": 1, "program": "/p", "argv": [], "end": "exit", "status": 0, "metrics": [{"name": "n", "unit": "count", "what": "x"}],
              "images": [{"name": "/p"}], "files": [*paths, "BAD"], "routines": [{"name": "main", "image": 0}], "rows": [{"routine": 0, "file": i, "line": 1, "values": [9 - i]} for i in range(len(paths) + 1)], "totals": [sum(9 - i for i in range(len(paths) + 1))]}
    for ascii_only in (True, False):
        for bad in (r"\ud800x", r"\udc00\ud800", r"a\u0000b"):
            with open(os.path.join(tmp, "n.json"), "w", encoding="utf-8") as f:
                f.write(json.dumps(result, ensure_ascii=ascii_only).replace("BAD", bad))
            run("report", "n.json", "-o", "n.html", cwd=tmp)
            got = data_of(os.path.join(tmp, "n.html"))["sources"]
            need(got == {p: f"// {i}\n" for i, p in enumerate(paths)}, got)


TYPED = """<script>
const say = t => document.body.append(Object.assign(document.createElement("p"), { className: "said", textContent: t }));
const press = k => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: k, bubbles: true }));
const first = () => [...document.querySelectorAll("main tbody tr td:first-child")].map(e => e.textContent);
for (const tab of shown().map(t => t[0])) { show(tab); say("TAB " + tab + " " + document.querySelector("main").innerHTML); }
press("4"); say("tab " + document.querySelector("[aria-selected=true]").textContent);
press("m"); say("metric " + document.querySelector("#metric").selectedOptions[0].textContent);
press("3"); const before = first()[0];
document.querySelectorAll("main th")[0].click(); say("by name " + (first()[0] < first()[1]) + " " + (first()[0] !== before));
document.querySelector("#search").value = "btree"; document.querySelector("#search").dispatchEvent(new Event("input")); say("found " + first().join(","));
press("Escape"); press("t"); say("theme " + document.documentElement.dataset.theme);
press("7"); const c = document.querySelector("canvas"); c.dispatchEvent(new MouseEvent("click", { clientX: c.getBoundingClientRect().left + 5, clientY: c.getBoundingClientRect().top + 55, bubbles: true }));
say("zoom " + (state.zoom > 0) + " " + (c.style.height !== ""));
press("Escape"); say("whole " + state.zoom);
dispatchEvent(new Event("beforeprint")); say("printed " + [...document.querySelectorAll("main h2")].map(e => e.textContent).join(","));
</script>"""
SHOWN = {"summary": ["instructions executed", "Hottest routines", "database -batch select </script> from t"], "routines": ["parse_statement", 'quote"d\\name'], "source": ["result_alloc(void *old", 'id="L20"'], "disassembly": ["vmulsd xmm0", "0x4000"],
         "tree": ["with what it calls", "hash_lookup"], "timeline": ["working set", "<svg"], "tables": ["reuse distance", "misses by set and time", "<canvas"], "findings": ["invalid-read", "allocated", "malloc"], "flame": ["<canvas"], "calls": ["callee"], "lines": ["result.c:"]}


def page(tmp):
    """In the browser: every tab, the keys, the search, sorting, zooming, printing. One run of it, because it is slow to start."""
    report_data.result(os.path.join(tmp, "a.json"), SOURCE)
    run("report", "a.json", "-o", "a.html", cwd=tmp)
    with open(os.path.join(tmp, "a.html"), encoding="utf-8") as f:
        text = f.read()
    with open(os.path.join(tmp, "typed.html"), "w", encoding="utf-8") as f:
        f.write(text.replace("</body>", TYPED + "</body>"))
    said = [html.unescape(t) for t in re.findall(r'<p class="said">(.*?)</p>', dom(os.path.join(tmp, "typed.html"), "summary&theme=light", raw=True), re.S)]
    tabs = {t.split(" ", 2)[1]: html.unescape(t.split(" ", 2)[2]) for t in said if t.startswith("TAB ")}
    for tab, wanted in SHOWN.items():
        for word in wanted:
            need(word in tabs.get(tab, ""), f"{tab}: no {word}")
    keys = [t for t in said if not t.startswith("TAB ")]
    need(keys[:7] == ["tab Lines4", "metric l1d misses", "by name true true", "found btree_balance,btree_insert", "theme dark", "zoom true true", "whole 0"], keys)
    need(all(t in keys[7] for t in ("Routines", "Flame graph", "Call tree", "levels")), keys)


def comparison(tmp):
    report_data.result(os.path.join(tmp, "a.json"), SOURCE)
    report_data.result(os.path.join(tmp, "b.json"), SOURCE, seed=2, scale=1.3)
    run("report", "a.json", "b.json", "-o", "ab.html", cwd=tmp)
    text = dom(os.path.join(tmp, "ab.html"))
    need("Totals" in text and "Routines by instructions" in text and re.search(r'class="(up|down)"', text), "comparison")


def shots(folder):
    with tempfile.TemporaryDirectory(prefix="lp-shots-") as tmp:
        report_data.result(os.path.join(tmp, "a.json"), SOURCE)
        run("report", "a.json", "-o", "a.html", cwd=tmp)
        for name, where in (("summary", "summary&theme=light"), ("flame", "flame&theme=dark"), ("source", "source&theme=light"), ("timeline", "timeline&theme=light")):
            browser("--window-size=1400,900", f"--screenshot={os.path.abspath(folder)}/report-{name}.png", f"file://{tmp}/a.html#{where}")


CHECKS = [totals, rest, refused, differences, tables, speed, named, page, comparison]
IN_BROWSER = {page, comparison}


def main():
    words = sys.argv[1:]
    if words[:1] == ["--shots"]:
        shots(words[1])
        return 0
    passed = failed = skipped = 0
    for check in CHECKS:
        if [w for w in words if not w.startswith("-")] and check.__name__ not in words:
            continue
        if check in IN_BROWSER and not CHROMIUM:
            print(f"skip {check.__name__}: there is no chromium (scripts/deps report)")
            skipped += 1
            continue
        with tempfile.TemporaryDirectory(prefix="lp-report-") as tmp:
            try:
                check(tmp)
                passed += 1
            except (AssertionError, subprocess.SubprocessError, OSError, ValueError) as e:
                failed += 1
                print(f"FAIL {check.__name__}: {e}")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
