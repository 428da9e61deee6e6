# SPDX-License-Identifier: Apache-2.0
"""Which names of the tool API are checked, and which are only reached. Every line that a tool of tests/api/tools prints is compared (the guests say what it has to be), so a
name is checked when such a tool uses what it gives: its value is not thrown away, or it has none (then what it causes is what the tool prints). A name that is called only for
the sake of the call, or only by other suites, is reached. Read from the sources: a reader can do the same."""
import glob
import os
import re

MOST_USED = 300
GUESTS = os.path.join("tests", "api", "guests")
TOOLS = os.path.join("tests", "api", "tools")
OTHERS = os.path.join("tests", "api", "compile")  # their output is compared as well


def golden_tools(root):
    """Sources of the tools whose output a guest states."""
    names = set()
    for path in glob.glob(os.path.join(root, GUESTS, "*")):
        with open(path, errors="replace") as f:
            names |= set(re.findall(r"^//> (\w+)", f.read(), re.M))
    with open(os.path.join(root, "tests", "api", "whole.py")) as f: # holds what its tools print against readelf, nm and objdump
        names |= set(re.findall(r"[\"'](\w+)[\"']", f.read()))
    paths = [os.path.join(root, TOOLS, name + end) for name in names for end in (".cpp", ".c")]
    return [p for p in paths if os.path.exists(p)] + glob.glob(os.path.join(root, OTHERS, "*.c*"))


def plain(text):
    """Without comments and texts."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', '""', text, flags=re.S)


def used_values(text):
    """Words that stand in an expression, or are no call: {word}; and those that are called as a statement: {word}."""
    used, bare = set(), set()
    for m in re.finditer(r"\b[A-Za-z_]\w*(?:::\w+)?\b", text):
        ahead = text[max(0, m.start() - 200):m.start()].rstrip()
        cast = re.search(r"(\w*)\s*\([\w :*]+\)$", ahead)
        before = "" if not ahead else "cast" if cast and not cast[1] else ahead[-1]
        called = text[m.end():m.end() + 1] == "("
        (bare if called and before in (";", "{", "}", ")", "") else used).update((m[0], m[0].split("::")[-1]))
    for prefix in set(re.findall(r"\b(\w+_)##", text)): # macros that ask a whole list of such functions, and print
        used |= {prefix + word for word in re.findall(r"\b\w+\b", text)}
    return used, bare


def without_value(root):
    """Functions of the headers that return nothing."""
    names = set()
    for path in glob.glob(os.path.join(root, "include", "**", "*.h*"), recursive=True) + [os.path.join(root, "include", "pin.H")]:
        with open(path, errors="replace") as f:
            names |= set(re.findall(r"\b(?:VOID|void)\s+(\w+)\s*\(", f.read()))
    return names


def classify(rows, root):
    """({name: checked?} of the current names, the most used of those in their order)"""
    used, bare = set(), set()
    for path in golden_tools(root):
        with open(path, errors="replace") as f:
            u, b = used_values(plain(f.read()))
        used, bare = used | u, bare | b
    void = without_value(root)
    # A registration's value is a handle; what it is for is that the function is called.
    causes = lambda name: name in void or re.search(r"_Add\w*Function|_Insert\w*Call|_Replace\w*|_Init|^PIN_(Start|Remove|Set|Create|Spawn|Release|Get\w*Lock|Try)", name)
    current = [r for r in rows if r["status"] == "current"]
    member = lambda name: name.split("::")[-1]
    known = {r["name"]: member(r["name"]) in used or (member(r["name"]) in bare and bool(r["kind"] == "macro" or causes(member(r["name"])))) for r in current}
    most = sorted(current, key=lambda r: -int(r["uses"] or 0))[:MOST_USED]
    return known, [r["name"] for r in most]


def section(rows, root):
    known, most = classify(rows, root)
    lines = ["## Checked, or only reached", "", f"A tool's output is compared line by line (`tests/api/guests` states it). {sum(known.values())} of {len(known)} current names are checked: a tool there uses their value, or",
             f"they have none and what they cause is printed. Of the {len(most)} that public tools use most, " + ("all are." if all(known[n] for n in most) else f"{sum(known[n] for n in most)} are."),
             "", "- Only reached: " + ", ".join(f"`{n}`" for n in sorted(n for n in known if not known[n])) + "."]
    return lines, [n for n in most if not known[n]]
