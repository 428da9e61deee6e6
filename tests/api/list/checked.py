# SPDX-License-Identifier: Apache-2.0
"""Which names of the tool API are checked, and which are only reached. A name is checked when a test has failed while the name was wrong: tests/api/spoil.py makes them wrong, one at a time, and spoilt.tsv
says which test saw it. Types, macros and members of classes of the headers that it cannot make wrong count as used where a tool of tests/api/tools, every line of whose output is compared, uses what
they give: that is read from the sources. All others are only reached."""
import csv
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


# Names that have nothing that a test could see, and why.
NOTHING = {"IARG_FAST_ANALYSIS_CALL": "x86-64 has one calling convention", "PIN_FAST_ANALYSIS_CALL": "x86-64 has one calling convention",
           "PHYSICAL_CONTEXT::PHYSICAL_CONTEXT": "only the engine makes such objects"}


def spoilt(root):
    """{name: what became of it} of spoilt.tsv"""
    with open(os.path.join(root, "tests", "api", "spoilt.tsv"), newline="") as f:
        return {row["name"]: row["result"] for row in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE)}


def used_names(current, root):
    used, bare = set(), set()
    for path in golden_tools(root):
        with open(path, errors="replace") as f:
            u, b = used_values(plain(f.read()))
        used, bare = used | u, bare | b
    void = without_value(root)
    # A registration's value is a handle; what it is for is that the function is called.
    causes = lambda name: name in void or re.search(r"_Add\w*Function|_Insert\w*Call|_Replace\w*|_Init|^PIN_(Start|Remove|Set|Create|Spawn|Release|Get\w*Lock|Try)", name)
    member = lambda name: name.split("::")[-1]
    return {r["name"] for r in current if member(r["name"]) in used or (member(r["name"]) in bare and bool(r["kind"] == "macro" or causes(member(r["name"]))))}


def classify(rows, root):
    """({name: caught, ends, unseen, nothing, used or reached} of the current names, the most used of those in their order)"""
    current, made = [r for r in rows if r["status"] == "current"], spoilt(root)
    used = used_names(current, root)
    kinds = {name: "nothing" if name in NOTHING else made.get(name) or ("used" if name in used else "reached") for name in (r["name"] for r in current)}
    most = sorted(current, key=lambda r: -int(r["uses"] or 0))[:MOST_USED]
    return kinds, [r["name"] for r in most]


def section(rows, root):
    kinds, most = classify(rows, root)
    count = lambda *wanted: sum(kind in wanted for kind in kinds.values())
    listed = lambda *wanted: ", ".join(f"`{n}`" for n in sorted(kinds) if kinds[n] in wanted) or "none"
    bad = [n for n in most if kinds[n] not in ("caught", "ends", "nothing")]
    lines = ["## Checked, or only reached", "", "A name is checked when a test has failed while that name was wrong. `make check-api-checked` makes names wrong, one at a time: a function gives 0, 1 or another text and does nothing,",
             "an argument of analysis calls has another value, code in the headers has a fault; `tests/api/spoilt.tsv` has for each the test that saw it and its words. `make check` tries some of them anew.", "",
             "| what | names |", "| --- | --- |",
             f"| checked: a test printed something else | {count('caught')} |", f"| checked: a test ended otherwise, refused by the engine or by a fault | {count('ends')} |",
             f"| nothing to see | {count('nothing')} |",
             f"| used: not made wrong; a tool whose output is compared uses what they give (read from the sources) | {count('used')} |",
             f"| only reached | {count('unseen', 'reached')} |", "",
             f"Of the {len(most)} that public tools use most, {len(most) - len(bad)} are checked or have nothing to see" + (f"; not: {', '.join(bad)}." if bad else "."), "",
             "- Only reached: made wrong, and no test saw it: " + listed("unseen") + ".", "- Only reached: not made wrong: " + listed("reached") + ".",
             "- Nothing to see: " + "; ".join(f"`{n}`: {why}" for n, why in NOTHING.items()) + "."]
    return lines, bad
