# SPDX-License-Identifier: Apache-2.0
"""Results opened by the programs that they are for: speedscope's importer in a browser, callgrind_annotate, and a reader of callgrind's format that takes nothing but what its description allows."""
import base64
import collections
import html
import json
import os
import re
import shutil
import subprocess
import tempfile

import cases_trace
from cases_where import result, routine_of
from harness import LINCHPIN, Skip, callgrind, equal, guest, need, run, steps, tool
import watch

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# Shows the table of routines as soon as there is one.
SANDWICH = """;setInterval(() => { const tab = [...document.querySelectorAll("div")].find(e => /^\\S+Sandwich$/u.test(e.textContent)); if (tab) tab.click(); }, 100);"""


def speedscope():
    """Its own importer and its own sums: of each routine with what it calls and alone."""
    cases_trace.fetch_readers()
    page = os.path.join(cases_trace.READERS, "node_modules", "speedscope", "dist", "release", "index.html")
    if not os.path.exists(page):
        raise Skip("speedscope cannot be had")
    if not CHROMIUM:
        raise Skip("there is no chromium (scripts/deps report)")
    text = tool("profile -format speedscope", [guest("sorted")])
    with tempfile.TemporaryDirectory() as d:
        with open(os.path.join(d, "load.js"), "w", encoding="utf-8") as f:
            f.write(f'speedscope.loadFileFromBase64("result.json", {json.dumps(base64.b64encode(text.encode()).decode())}){SANDWICH}')
        got = run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={d}/profile", "--virtual-time-budget=8000", "--allow-file-access-from-files", "--dump-dom", f"file://{page}#localProfilePath={d}/load.js"])
    equal("status", got.returncode, 0)
    rows = {}
    for row in re.findall(r"<tr[^>]*>(.*?)</tr>", re.sub(r"<style.*?</style>", "", got.stdout, flags=re.S), re.S):
        cells = [html.unescape(re.sub(r"<[^>]*>", "", cell)) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)]
        if len(cells) == 3:
            rows[cells[2]] = tuple(int(cell.split(" ")[0].replace(",", "")) for cell in cells[:2])
    _, own, whole = callgrind("sorted")
    equal("rows", rows, {"sorted:_start": (steps("sorted"), steps("sorted") - whole["run"]), "sorted:run": (whole["run"], own["run"]), "sorted:recurse": (own["recurse"], own["recurse"])})


def letters():
    """Names with letters beyond ASCII, and with bytes that are no UTF-8: speedscope's file and JSON have the former as they are, and a reader takes both."""
    with tempfile.TemporaryDirectory() as d:
        source = os.path.join(d, "größe-日本.c")
        with open(source, "w") as f:
            f.write("__attribute__((noinline)) int größe(int n) { volatile int s = n; return s; }\nint main(int argc, char **argv) { (void)argv; return größe(argc) == 0; }\n")
        for name in (b"pr\xc3\xb6gramm", b"pr\xf6gramm", b"a\xed\xa0\x80b\xe0\x80\x80c\xf4\x90\x80\x80d"):
            program = os.path.join(os.fsencode(d), name)
            equal("gcc", run(["gcc", "-g", "-O1", source, "-o", program]).returncode, 0)
            shown = name.decode(errors="replace") if name == b"pr\xc3\xb6gramm" else None
            for form in ("speedscope", "json"):
                path = os.path.join(d, "out")
                equal(form, run([LINCHPIN, "-t", "profile", "-main", "-format", form, "-o", path, "--", program]).returncode, 0)
                with open(path, encoding="utf-8") as f:
                    text = f.read()
                got = json.loads(text)
                names = {x["name"] for x in (got["shared"]["frames"] if form == "speedscope" else got["routines"])}
                assert any(n.split(":")[-1] == "größe" for n in names) and "größe-日本.c" in text, names
                whole = got["name" if form == "speedscope" else "program"]
                assert os.path.basename(whole) == shown if shown else "\ufffd" in whole, whole


class Callgrind:
    """The costs of a file in callgrind's format: {(object, file, function): costs}, with calls {(caller, callee): (calls, cost)} and lines {(file, line): costs}. What the description does not allow fails."""

    def __init__(self, text):
        self.own, self.calls, self.lines = collections.Counter(), collections.defaultdict(lambda: [0, 0]), collections.Counter()
        lines = text.split("\n")
        assert lines[0] == "# callgrind format" and lines[1] == "version: 1" and lines[-1] == "", lines[:2]
        head = lines.index("")
        self.head = dict(re.fullmatch(r"(\w+): ?(.*)", line).groups() for line in lines[1:head])
        equal("positions", self.head["positions"], "line")
        self.events = self.head["events"].split()
        assert all(re.fullmatch(r"[A-Za-z]\w*", e) for e in self.events), self.events
        self.place, self.callee, self.file, self.pending = {}, {}, None, None
        for line in lines[head + 1:-1]:
            self.line(line)
        assert self.pending is None, "the file ends after a calls= line"

    def line(self, line):
        name, _, value = line.partition("=")
        if self.pending is None and name in ("ob", "fl", "fn") and value:
            self.place[name] = value
            self.file = value if name == "fl" else self.file
        elif self.pending is None and name == "fi" and value:
            self.file = value
        elif self.pending is None and name in ("cob", "cfi", "cfn") and value:
            self.callee[name] = value
        elif self.pending is None and name == "calls":
            self.pending = int(re.fullmatch(r"(\d+) \d+", value)[1])
        else:
            numbers = re.fullmatch(r"(\d+)((?: \d+)+)", line)
            assert numbers, f"line {line!r}"
            self.costs(int(numbers[1]), [int(n) for n in numbers[2].split()])

    def costs(self, line, values):
        assert len(values) == len(self.events), (line, values)
        function = tuple(self.place[k] for k in ("ob", "fl", "fn"))
        if self.pending is None:
            self.own[function] += values[0]
            self.lines[self.file, line] += values[0]
            return
        call = self.calls[function, tuple(self.callee[k] for k in ("cob", "cfi", "cfn"))]
        call[0] += self.pending
        call[1] += values[0]
        self.pending, self.callee = None, {}


# Loads a file, waits for its window's title, and asks it for functions: it answers whether it has them. $1: the file, the rest: functions.
ASK_KCACHEGRIND = r"""
send() { dbus-send --session --print-reply=literal --dest="$@"; }
kcachegrind "$1" 2>/dev/null & app=$!
while kill -0 $app 2>/dev/null; do
    name=$(send org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus.ListNames | grep -o 'org.kde.kcachegrind[^ ]*' | head -1)
    [ "$name" ] && title=$(send $name /kcachegrind/MainWindow_1 org.freedesktop.DBus.Properties.Get string:org.qtproject.Qt.QWidget string:windowTitle 2>/dev/null) &&
        case $title in *"$1"*) break ;; esac
done
echo $title
shift
for function; do
    send $name /kcachegrind/MainWindow_1 org.kde.kcachegrind.setFunction string:"$function"
done
kill $app
"""


def kcachegrind():
    """KCachegrind itself opens what we write, without a screen: it has the command and the functions that are in it, and no others."""
    for program in ("kcachegrind", "dbus-run-session", "dbus-send"):
        if not shutil.which(program):
            raise Skip(f"{program} is missing (apt-get install kcachegrind dbus)")
    text = tool("profile -format callgrind", [guest("sorted-lines")])
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "callgrind.out.1")
        with open(path, "w") as f:
            f.write(text)
        env = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "HOME": d, "XDG_RUNTIME_DIR": d, "LC_ALL": "C.UTF-8"}
        got = subprocess.run(["dbus-run-session", "--", "sh", "-c", ASK_KCACHEGRIND, "sh", path, "run", "recurse", "no_such_function"], env=env, capture_output=True, text=True, timeout=watch.patience(120))
    title, *answers = got.stdout.split("\n")
    assert path in title and guest("sorted-lines") in title, (got.stdout, got.stderr)
    equal("functions", [a.split()[-1] for a in answers if a], ["true", "true", "false"])


def callgrind_format():
    """Each routine is one function, inlined code of headers too; a command of several lines stays one."""
    with tempfile.TemporaryDirectory() as d:
        for name, text in (("h.h", "static inline __attribute__((always_inline)) int twice(int n)\n{\n    int sum = 0;\n    for (volatile int i = 0; i < n; i++)\n        sum += i;\n    return sum;\n}\n"),
                           ("m.c", '#include "h.h"\n__attribute__((noinline)) int leaf(int n) { return twice(n) + 1; }\nint main(int argc, char **argv)\n{\n    (void)argv;\n    return leaf(argc * 500) == 0;\n}\n')):
            with open(os.path.join(d, name), "w") as f:
                f.write(text)
        program = os.path.join(d, "m")
        equal("gcc", run(["gcc", "-g", "-O1", os.path.join(d, "m.c"), "-o", program]).returncode, 0)
        command = [program, "two\nlines"]
        text = tool("profile -main -format callgrind", command)
        read = Callgrind(text)
        r = result("profile -main -by routine", command)
        mine = {routine_of(r, row): row["values"][0] for row in r["rows"]}
        functions = collections.Counter()
        for (_, _, name), cost in read.own.items():
            functions[name] += cost
        equal("functions", dict(functions), mine)
        equal("leaf is one function", sum(f[2] == "leaf" for f in read.own), 1)
        inlined = sum(n for (file, _), n in read.lines.items() if file.endswith("/h.h"))
        assert inlined > 2000 and sum(read.own.values()) == int(read.head["summary"]) == r["totals"][0], (inlined, read.head)
        call, = [c for (a, b), c in read.calls.items() if (a[2], b[2]) == ("main", "leaf")]
        equal("main calls leaf", call, [1, mine["leaf"]])
        need("callgrind_annotate")
        with open(os.path.join(d, "out"), "w") as f:
            f.write(text)
        shown = run(["callgrind_annotate", "--threshold=100", "--inclusive=yes", f.name])
        equal("callgrind_annotate", (shown.returncode, shown.stderr), (0, ""))
        number = lambda name: int(re.search(rf"^ *([\d,]+) .*[hm]\.[hc]:{name} ", shown.stdout, re.M)[1].replace(",", ""))
        equal("inclusive", (number("leaf"), number("main")), (mine["leaf"], mine["leaf"] + mine["main"]))
    for words in ("cache -by line", "bpred -by line", "inscount -by line", "malloctrace -by line"):
        out = tool(f"{words} -format callgrind", [guest("sorted-lines")])
        assert sum(Callgrind(out).own.values()) == int(Callgrind(out).head["summary"].split()[0]), words


def cases():
    for f in (speedscope, letters, kcachegrind, callgrind_format):
        yield "readers-" + f.__name__, f, ()
