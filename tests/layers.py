#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the folders of src/ against src/layers.list: who may include whose headers, and whose objects may use whose symbols.

    layers.py [--short]        checks; needs the objects of the engine (make all)
    layers.py --partial        the same with the objects that there are: an architecture may build a part of the engine only
    layers.py FROM TO          prints the arrows from one folder to another, allowed or not
    layers.py --write          writes the numbers of `left` lines anew, where they have fallen

Every arrow against the list is printed. A `left` line allows exactly as many as there are: one more is a failure, and so is a number that has fallen and still stands in
the list. The last line is `N passed, N failed`.
"""
import collections
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
LIST = os.path.join(ROOT, "src", "layers.list")
INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')
FUNCTION = re.compile(r"^[a-z][^\n]*\)(?: NORETURN)?;", re.M)
PROGRAMS = ("launch", "report", "points", "system")  # what is not the engine: its symbols are others
LEFT = re.compile(r"left (\S+) -> (\S+) (\d+) includes, (\d+) symbols")


class House:
    def __init__(self, text):
        self.order, self.uses, self.by, self.face, self.part, self.left, self.never, self.most = [], {}, {}, {}, {}, {}, {}, {}
        for number, line in enumerate(text.splitlines(), 1):
            line = line.split("#")[0].rstrip()
            word = line.split()
            if not word:
                continue
            if word[0] == "layer" and len(word) > 2:
                self.order.append(word[1])
            elif word[0] == "beside" and len(word) > 3:
                self.uses[word[1]] = word[2].split(",")
            elif word[0] == "by" and len(word) == 3:
                self.by[word[1]] = word[2].split(",")
            elif word[0] == "face" and len(word) > 2:
                self.face.setdefault(word[1], []).extend(word[2:])
            elif word[0] == "part" and len(word) > 2:
                self.part.update({header: word[1] for header in word[2:]})
            elif word[0] == "most" and len(word) == 3:
                self.most[word[1]] = int(word[2])
            elif word[0] == "never" and len(word) > 2:
                self.never.update({name: word[2:] for name in word[1].split(",")})
            elif LEFT.fullmatch(line):
                source, target, includes, symbols = LEFT.fullmatch(line).groups()
                self.left[source, target] = (int(includes), int(symbols))
            else:
                sys.exit(f"src/layers.list:{number}: not understood: {line}")
        self.folders = self.order + list(self.uses)

    def may(self, source, target):
        if source == target:
            return True
        if source in self.uses:
            return target in self.uses[source]
        if target in self.by:
            return source in self.by[target]
        return self.order.index(target) > self.order.index(source)

    def shows(self, source, target, header):
        """Is the header one that the other folder may see?"""
        return source == target or target not in self.face or header in self.face[target]


def folder(path):
    return path.split("/")[0]


def sources():
    for path in sorted(glob.glob(os.path.join(ROOT, "src", "*", "**", "*.[chS]"), recursive=True)):
        yield os.path.relpath(path, os.path.join(ROOT, "src"))


def included(path, name):
    """Where an include leads, from src/; None: not into it. Without a folder: beside the file itself, or the architecture's, of its own folder or the system's."""
    src = os.path.join(ROOT, "src")
    for place in (os.path.join(os.path.dirname(path), name), name):
        if os.path.exists(os.path.join(src, place)):
            return os.path.normpath(place)
    found = glob.glob(os.path.join(src, "arch", "*", name)) or glob.glob(os.path.join(src, "os", "*", "*", name))
    return os.path.relpath(found[0], src) if found else None


def include_arrows():
    for path in sources():
        with open(os.path.join(ROOT, "src", path)) as f:
            for name in (m.group(1) for m in map(INCLUDE.match, f) if m):
                target = included(path, name)
                if target and folder(target) != folder(path):
                    yield folder(path), folder(target), name, path


def objects():
    """Object -> source, of the engine."""
    found = {}
    for path in sources():
        if path.endswith(".h") or folder(path) in PROGRAMS:
            continue
        obj = os.path.join(BUILD, "obj", "src", path + ".o")
        if folder(path) in ("arch", "os") and not os.path.isdir(os.path.dirname(obj)):
            continue  # of another architecture than this build's
        if not os.path.exists(obj) and "--partial" in sys.argv:
            continue
        if not os.path.exists(obj):
            sys.exit(f"{obj} is not there: make all")
        found[obj] = path
    return found


def symbols():
    """(defined: symbol -> source, used: symbol -> sources) of the engine's objects."""
    defined, used, path_of = {}, collections.defaultdict(list), objects()
    for line in subprocess.run(["nm", "-A", *path_of], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines():
        obj, rest = line.split(":", 1)
        kind, name = rest.split()[-2:]
        if kind == "U":
            used[name].append(path_of[obj])
        elif kind.isupper():
            defined[name] = path_of[obj]
    return defined, used


def symbol_arrows():
    defined, used = symbols()
    for name, users in sorted(used.items()):
        if name in defined:
            for source in sorted({folder(u) for u in users} - {folder(defined[name])}):
                yield source, folder(defined[name]), name, ", ".join(u for u in users if folder(u) == source)


def against(house):
    """(from, to) -> ([texts of includes], [texts of symbols])"""
    found = collections.defaultdict(lambda: ([], []))
    for source, target, name, path in include_arrows():
        if path in house.part and target != "base":
            found[source, target][0].append(f"{path}, a part of {house.part[path]}, includes {name}")
        elif house.part.get(name) == path:
            continue
        elif not house.may(source, target):
            found[source, target][0].append(f"{path} includes {name}")
        elif not house.shows(source, target, name):
            found[source, target][0].append(f"{path} includes {name}, which is not for other folders")
    for source, target, name, users in symbol_arrows():
        if not house.may(source, target):
            found[source, target][1].append(f"{name}, used by {users}")
    return found


def words(house):
    """Lines with a word that their folder never has."""
    for path in sources():
        with open(os.path.join(ROOT, "src", path)) as f:
            for number, line in enumerate(f, 1):
                yield from (f"src/{path}:{number} has {w}" for w in house.never.get(folder(path), ()) if w in line)


def long_headers(house):
    """Headers that declare more functions than they may."""
    for header, most in house.most.items():
        with open(os.path.join(ROOT, "src", header)) as f:
            n = len(FUNCTION.findall(f.read()))
        if not 0 < n <= most:
            yield f"src/{header} declares {n} functions, {most} at most are allowed"


def write(house, found):
    with open(LIST) as f:
        lines = [line.rstrip("\n") for line in f if not line.startswith("left ")]
    for pair in sorted(found):
        now = tuple(map(len, found[pair]))
        was = house.left.get(pair, now)
        lines.append("left %s -> %s %d includes, %d symbols" % (*pair, min(was[0], now[0]), min(was[1], now[1])))
    with open(LIST, "w") as f:
        f.write("\n".join(lines) + "\n")


def judge(house, found):
    failed = 0
    for pair in sorted(set(found) | set(house.left)):
        now, left = tuple(map(len, found.get(pair, ((), ())))), house.left.get(pair, (0, 0))
        for texts, n, allowed, what in zip(found.get(pair, ((), ())), now, left, ("includes", "symbols")):
            if n > allowed:
                print("\n".join(f"{pair[0]} -> {pair[1]}: {t}" for t in texts))
                print(f"FAIL {pair[0]} -> {pair[1]}: {n} {what} against src/layers.list, {allowed} of them are left from before")
            elif n < allowed:
                print(f"FAIL {pair[0]} -> {pair[1]}: {n} {what} are left, src/layers.list says {allowed}: tests/layers.py --write")
            failed += n != allowed
    return failed


def main(args):
    with open(LIST) as f:
        house = House(f.read())
    strangers = sorted({folder(path) for path in sources()} - set(house.folders))
    if strangers:
        sys.exit(f"src/layers.list does not name {', '.join(strangers)}")
    if len(args) == 2:
        for arrows in (include_arrows(), symbol_arrows()):
            print("\n".join(f"{name}: {users}" for source, target, name, users in arrows if [source, target] == args))
        return 0
    found = against(house)
    if args == ["--write"]:
        write(house, found)
        return 0
    strange = list(words(house)) + list(long_headers(house))
    print("".join(f"FAIL {text}\n" for text in strange), end="")
    failed = judge(house, found) + len(strange)
    left = [sum(n) for n in zip(*house.left.values())] or [0, 0]
    print(f"{left[0]} includes and {left[1]} symbols are left")
    cases = len(house.folders) * (len(house.folders) - 1) + len(house.never) + len(house.most)
    print(f"{max(cases - failed, 0)} passed, {failed} failed")
    return int(failed > 0)


sys.exit(main(sys.argv[1:]))
