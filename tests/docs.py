#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what the documentation says of the source.

    docs.py [--short]     checks; reads files only
    docs.py --rules       prints each rule, where it is defined and who cites it

Names: every file, function, option and make target that README.md, CONTRIBUTING.md and docs/design/*.md put into
backquotes exists, and so does the target of every link. In a table row that has `function()` and a source file,
that file defines the function.

Rules: docs/design/README.md lists the prefixes, with the files that define the rules of each and their range. A rule
is defined once, in its file, and the numbers have no gap. Every rule that a comment or a note cites is defined, and
every rule is cited by a comment of the source or of a test, other than the one that defines it.

The game of CONTRIBUTING.md: there is an answer to each question, each function of an answer is defined in one of the
files of the same answer, and README.md or docs/ has each of its names, so that a newcomer can find it there.

What tools rely on: docs/conformance.md names a test for each row, and what it quotes stands there.

Text of src/: lines of at most 120 columns, but for generated tables (WIDE); every file begins with the SPDX line and a
paragraph about itself; files that comments name exist.

The last line is `N passed, N failed`.
"""
import collections
import glob
import io
import os
import re
import sys
import tokenize

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NOTES = ["README.md", "CONTRIBUTING.md", "docs/design/*.md"]
TREES = ["src", "include", "tests", "tools", "scripts", "share", "bench", "docs", ".ci"]
CITING = ["src", "tests", "include", "tools", "scripts"]
SOURCE = (".c", ".h", ".H", ".S", ".cpp", ".cc", ".hpp", ".py", ".list", ".txt", ".mk")
FILE = re.compile(r"[\w.*+/-]*\.(?:c|h|H|S|py|md|cpp|hpp|tsv|txt|list|mk|rules|config)|[\w.*-]+(?:/[\w.*-]+)*/")
DEFINED_IN_NOTE = re.compile(r"^- \*\*([A-Z]{1,2})(\d+)\b", re.M)
DEFINED_IN_SOURCE = re.compile(r"^ \*\s+([A-Z]{1,2})(\d+)  ?(?=[A-Za-z`])", re.M)
PREFIX_ROW = re.compile(r"^\| ([A-Z]{1,2})(\d+) to \1(\d+) \| (.+?) \|", re.M)
COLUMNS = 120
WIDE = {"src/arch/x86/xed_table.h": "made by scripts/gen-xed", "src/arch/x86/reg_table.h": "made by scripts/gen-regs"}
HEAD = re.compile(r"/\* SPDX-License-Identifier: Apache-2\.0\n \* \S.{20}")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
NAMED_FILE = re.compile(r"(?<![\w./<-])(?:[\w-]+/)*[\w-]+\.(?:c|h|S|tsv|md|py|list)\b(?!>)")
NOT_RULES = {  # what looks like a rule in a comment and is none
    "C11": "the language", "C99": "the language", "C17": "the language",
    "ST0": "a register", **{f"R{n}": "a register" for n in range(8, 16)},
}


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as f:
        return f.read()


def notes():
    return [os.path.relpath(path, ROOT) for pattern in NOTES for path in sorted(glob.glob(os.path.join(ROOT, pattern)))]


def files(trees):
    for tree in trees:
        for folder, _, names in os.walk(os.path.join(ROOT, tree)):
            for name in sorted(names):
                yield os.path.relpath(os.path.join(folder, name), ROOT)


def make_targets(text):
    for name in re.findall(r"^([a-z][\w-]*)\s*:", text, re.M):
        yield name
    for list_name, prefix in re.findall(r"^\$\((\w+):%=([\w-]*)%\)\s*:", text, re.M):
        for part in re.search(rf"^{list_name} := (.*)", text, re.M)[1].split():
            yield prefix + part


class Tree:
    """What there is: paths, words of the sources, make targets."""

    def __init__(self):
        self.paths = list(files(TREES)) + [name for name in os.listdir(ROOT) if os.path.isfile(os.path.join(ROOT, name))]
        self.words, self.targets = set(), set()
        for path in self.paths:
            if path.endswith(SOURCE) or path.startswith(("scripts", "share")):
                self.words.update(re.findall(r"\w+", read(path)))
            if path.endswith(".mk") or path == "Makefile":
                self.targets.update(make_targets(read(path)))

    def files_called(self, name, near):
        """Paths that a note means by a name: from the root, from src/, from the note's folder, or the end of a path."""
        beside = os.path.normpath(os.path.join(os.path.dirname(near), name))
        if name.endswith("/"):
            places = (name, os.path.join("src", name), beside)
            return [place for place in places if os.path.isdir(os.path.join(ROOT, place))]
        pattern = re.compile("(?:.*/)?" + re.escape(name).replace(r"\*", "[^/]*"))
        return [path for path in self.paths if path == beside or pattern.fullmatch(path)]


def defines(path, function):
    text = read(path)
    if path.endswith(".S"):
        return re.search(rf"^{function}:|\b{function}\b.*\bFUNC|FUNC.*\b{function}\b", text, re.M)
    if path.endswith(".py"):
        return re.search(rf"^\s*def {function}\(", text, re.M)
    return re.search(rf"^[a-zA-Z_][^;=\n]*\b{function}\([^;\n]*$", text, re.M) or re.search(rf"^\s*#\s*define {function}\(", text, re.M)


def wrong_name(tree, note, name):
    """What is wrong with a name in backquotes; None: nothing, or it is no name of ours."""
    if name.startswith(("/", "build/", "~", "%", "$", "<", "http")):
        return None
    target = re.match(r"make ([a-z][\w-]*)", name)
    if target:
        return None if target[1] in tree.targets else "no such make target"
    if FILE.fullmatch(name):
        name = name.replace("NAME", "*")
        return None if tree.files_called(name, note) else "no such file"
    word = re.fullmatch(r"-?(\w+)(?:\(\))?", name)
    if word and ("_" in word[1] or name.endswith("()")) and word[1] not in tree.words:
        return "the source does not have this word"
    return None


def wrong_names(tree):
    for note in notes():
        text = re.sub(r"^```.*?^```", "", read(note), flags=re.M | re.S)
        for name in sorted(set(re.findall(r"`([^`\n]+)`", text))):
            yield f"{note}: `{name}`", wrong_name(tree, note, name)
        for link in sorted(set(re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text))):
            path = os.path.join(ROOT, os.path.dirname(note), link)
            yield f"{note}: link to {link}", None if os.path.exists(path) else "nothing is there"
        for line in text.splitlines():
            yield from wrong_rows(tree, note, line)


def wrong_rows(tree, note, line):
    functions = re.findall(r"`(\w+)\(\)`", line)
    if not line.startswith("|") or not functions:
        return
    named = [path for name in re.findall(r"`([^`]+\.[cShp]+y?)`", line) for path in tree.files_called(name, note)]
    for function in functions if named else ():
        found = any(defines(path, function) for path in named)
        yield f"{note}: `{function}()` in {', '.join(named)}", None if found else "it is not defined there"


class Game:
    """The questions and answers of CONTRIBUTING.md."""

    def __init__(self, tree):
        text = read("CONTRIBUTING.md").split("## Where is", 1)[1]
        asked, answered = text.split("<details>", 1)
        self.tree = tree
        self.questions = re.findall(r"^(\d+)\. ", asked, re.M)
        self.answers = dict(re.findall(r"^(\d+)\. (.*?)(?=^\d+\. |^$|^</)", answered, re.M | re.S))
        pages = ["README.md"] + [path for path in tree.paths if path.startswith("docs/") and path.endswith(".md")]
        self.pages = "\n".join(map(read, pages))

    def wrong(self):
        for number in self.questions:
            yield f"CONTRIBUTING.md: question {number}", self.wrong_answer(self.answers.get(number))
        good = len(self.questions) == len(self.answers)
        yield "CONTRIBUTING.md: answers", None if good else f"{len(self.answers)} to {len(self.questions)} questions"

    def wrong_answer(self, answer):
        if not answer:
            return "it has no answer"
        names = re.findall(r"`([^`]+)`", answer)
        files = [path for name in names if FILE.fullmatch(name) for path in self.tree.files_called(name, "CONTRIBUTING.md")]
        links = [link for link in re.findall(r"\]\(([^)]+)\)", answer) if os.path.exists(os.path.join(ROOT, link))]
        if not files and not links:
            return "the answer names no file"
        for name in names:
            function = re.fullmatch(r"\w+", name) and "_" in name
            if function and not any(defines(path, name) for path in files):
                return f"`{name}` is not defined in {', '.join(files)}"
            if name not in self.pages and os.path.basename(name) not in self.pages:
                return f"no page of the documentation has `{name}`"
        return None


def wrong_text(tree):
    """Lines that are too wide, files without a head, and names of files in comments, of src/."""
    names = {os.path.basename(path) for path in tree.paths}
    for path in tree.paths:
        if not path.startswith("src/") or not path.endswith((".c", ".h", ".S")):
            continue
        text = read(path)
        wide = [n for n, line in enumerate(text.splitlines(), 1) if len(line) > COLUMNS and path not in WIDE]
        yield f"{path}: width", f"lines {wide} have more than {COLUMNS} columns" if wide else None
        yield f"{path}: head", None if HEAD.match(text) else "it does not begin with the SPDX line and what it is about"
        named = {name for comment in COMMENT.findall(text) for name in NAMED_FILE.findall(comment)}
        gone = sorted(name for name in named if os.path.basename(name) not in names and not name.startswith("sys/"))
        yield f"{path}: files in comments", f"there is no {', '.join(gone)}" if gone else None


def comments(path):
    """The comments of a source, as one text."""
    text = read(path)
    if path.endswith(".py"):
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        return "\n".join(t.string for t in tokens if t.type == tokenize.COMMENT or t.string.startswith(('"""', "'''")))
    if path.endswith((".list", ".txt", ".mk")):
        return text
    return "\n".join(re.findall(r"/\*.*?\*/|//[^\n]*|^\s*#[^\n]*|\bassert\([^\n]*", text, re.S | re.M))


class Rules:
    def __init__(self):
        self.table = {}    # prefix -> (files, last number)
        self.defined = collections.defaultdict(list)
        self.cited = collections.defaultdict(set)
        for prefix, first, last, where in PREFIX_ROW.findall(read("docs/design/README.md")):
            self.table[prefix] = (re.findall(r"`([^`]+)`|\]\(([^)]+)\)", where), int(first), int(last))
        prefixes = "|".join(sorted(self.table, key=len, reverse=True))
        self.cite = re.compile(rf"(?<![\w$%/.+-])({prefixes})(\d{{1,2}})(?!\w)(?: to \1(\d{{1,2}})|-\1(\d{{1,2}}))?")
        for note in notes():
            self.read_note(note)
        for path in files(CITING):
            if path.endswith(SOURCE):
                self.read_source(path)

    def read_note(self, note):
        text = read(note)
        for prefix, number in DEFINED_IN_NOTE.findall(text):
            self.define(prefix, number, note)
        if os.path.basename(note) != "README.md":
            self.read_cites(re.sub(r"`[^`\n]*`", "", DEFINED_IN_NOTE.sub("", text)), note)

    def read_source(self, path):
        text = comments(path)
        if path.startswith("src/"):
            for prefix, number in DEFINED_IN_SOURCE.findall(text):
                self.define(prefix, number, path)
            text = DEFINED_IN_SOURCE.sub(" * ", text)
        self.read_cites(text, path)

    def define(self, prefix, number, path):
        if prefix + number not in NOT_RULES:
            self.defined[prefix, int(number)].append(path)

    def read_cites(self, text, path):
        for prefix, number, to, dash in self.cite.findall(text):
            for n in range(int(number), int(to or dash or number) + 1):
                if f"{prefix}{n}" not in NOT_RULES:
                    self.cited[prefix, n].add(path)

    def where(self, prefix):
        return {"docs/design/" + link if link else name for name, link in self.table[prefix][0]}

    def wrong(self):
        for prefix, (_, first, last) in sorted(self.table.items()):
            numbers = sorted(n for p, n in self.defined if p == prefix)
            good = numbers == list(range(1, last + 1)) and first == 1
            yield f"docs/design/README.md: {prefix}{first} to {prefix}{last}", None if good else f"defined are {numbers}"
        for (prefix, n), paths in sorted(self.defined.items()):
            yield f"{prefix}{n}", self.wrong_rule(prefix, n, paths)
        for (prefix, n), paths in sorted(self.cited.items()):
            if (prefix, n) not in self.defined:
                yield f"{prefix}{n}", f"{', '.join(sorted(paths))} cites it, and nothing defines it"

    def wrong_rule(self, prefix, n, paths):
        if prefix not in self.table:
            return f"{', '.join(paths)} defines it, and docs/design/README.md does not list the prefix"
        if len(paths) > 1 or paths[0] not in self.where(prefix):
            return f"defined in {', '.join(paths)}; docs/design/README.md says {', '.join(sorted(self.where(prefix)))}"
        if not any(path.endswith(SOURCE) for path in self.cited[prefix, n]):
            return f"no comment or test cites it ({paths[0]})"
        return None


def wrong_conformance():
    """Each row of docs/conformance.md names tests, and what it quotes of them stands in one of them."""
    page = "docs/conformance.md"
    for row in re.findall(r"^\|(.*)\|$", read(page), re.M):
        cells = row.replace("\\|", "\0").split("|")
        if len(cells) != 3 or cells[0].strip() in ("behaviour", "---"):
            continue
        files, quotes = (re.findall(r"`([^`]+)`", cell.replace("\0", "|")) for cell in cells[1:])
        gone = [path for path in files if not os.path.isfile(os.path.join(ROOT, path))]
        text = "" if gone else "\n".join(map(read, files))
        lost = [quote for quote in quotes if quote not in text]
        reason = f"there is no {', '.join(gone)}" if gone else "no test" if not files or not quotes else f"{lost} is not in {', '.join(files)}" if lost else None
        yield f"{page}: {cells[0].strip()}", reason


def main(args):
    rules = Rules()
    if args == ["--rules"]:
        for (prefix, n), paths in sorted(rules.defined.items()):
            print(f"{prefix}{n} {', '.join(paths)}: {', '.join(sorted(rules.cited[prefix, n]))}")
        return 0
    tree = Tree()
    results = [*wrong_names(tree), *rules.wrong(), *Game(tree).wrong(), *wrong_text(tree), *wrong_conformance()]
    for what, reason in results:
        if reason:
            print(f"FAIL {what}: {reason}")
    failed = sum(1 for _, reason in results if reason)
    print(f"{len(results) - failed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
