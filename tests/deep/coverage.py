# SPDX-License-Identifier: Apache-2.0
"""What of the engine the tests have reached: reads what gcov has counted in a build with --coverage. Used by run.py; writes the whole result to a file, never runs a test itself.

Lines and branches of a header are counted once, whatever includes it. A branch is one way out of a condition; those that only exceptions could take are not there in C.
"""
import collections
import glob
import json
import os
import subprocess


class Coverage:
    def __init__(self):
        self.lines = collections.defaultdict(dict)      # file: {line: count}
        self.branches = collections.defaultdict(dict)   # file: {(line, number): count}
        self.functions = collections.defaultdict(dict)  # file: {(line, name): count}

    def read(self, build, root):
        """Adds up all objects of a build; one that no process has written counts too, with nothing reached."""
        notes = glob.glob(os.path.join(build, "obj", "src", "**", "*.gcno"), recursive=True)
        for note in sorted(notes):
            done = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", note], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
            for text in done.stdout.splitlines():
                self.add(json.loads(text), root)
        return len(notes)

    def add(self, data, root):
        for entry in data["files"]:
            name = os.path.relpath(os.path.join(root, entry["file"]), root)
            if not name.startswith("src" + os.sep):
                continue
            for f in entry["functions"]:
                self.count(self.functions[name], (f["start_line"], f["demangled_name"]), f["execution_count"])
            for line in entry["lines"]:
                self.count(self.lines[name], line["line_number"], line["count"])
                for i, branch in enumerate(line["branches"]):
                    self.count(self.branches[name], (line["line_number"], i), branch["count"])

    @staticmethod
    def count(table, key, n):
        table[key] = table.get(key, 0) + n

    def figures(self, folder):
        """(reached, all) of lines, branches and functions of the files in a folder; None: of all."""
        rows = []
        for table in (self.lines, self.branches, self.functions):
            counts = [n for name, part in table.items() if folder in (None, os.path.dirname(name)) for n in part.values()]
            rows.append((sum(n > 0 for n in counts), len(counts)))
        return rows

    def folders(self):
        return sorted({os.path.dirname(name) for name in self.lines})

    def table(self):
        """Lines of a Markdown table: the whole and each folder."""
        out = ["| folder | lines | branches | functions |", "| --- | --- | --- | --- |"]
        for folder in [None] + self.folders():
            cells = [f"{100 * hit / of:.1f}% of {of}" if of else "-" for hit, of in self.figures(folder)]
            out.append(f"| {folder or 'all'} | {' | '.join(cells)} |")
        return out

    def missed(self):
        """Functions that were never reached, as file:line name."""
        return [f"{name}:{line} {function}" for name in sorted(self.functions) for (line, function), n in sorted(self.functions[name].items()) if n == 0]
