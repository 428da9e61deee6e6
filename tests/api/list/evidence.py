# SPDX-License-Identifier: Apache-2.0
"""What the tests have really called. Functions of the engine: the records that -api_calls leaves for every tool that a test runs (src/api/reached.c). What is code in the headers: gcov's counts of
the header tests (tests/api/compile), built and run here once more for that. Macros and types: a source of those that has them in a line that was executed, or a tool that was run."""
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir))
import watch  # noqa: E402

ROW_BYTES, NAME_BYTES = 64, 60


def reached(folder):
    """{test: names} from the records of one suite."""
    found = {}
    for path in glob.glob(os.path.join(folder, "*")):
        with open(path, "rb") as f:
            data = f.read()
        rows = [data[i:i + ROW_BYTES] for i in range(0, len(data), ROW_BYTES)]
        found[os.path.basename(path)] = {r[:NAME_BYTES].split(b"\0")[0].decode() for r in rows if r[NAME_BYTES]}
    return found


def without_templates(text):
    while "<" in text:
        shorter = re.sub(r"<[^<>]*>", "", text)
        if shorter == text:
            break
        text = shorter
    return text


def function_name(demangled):
    """LEVEL_BASE::KNOB<int>::Value() const -> KNOB::Value"""
    text = re.sub(r"operator(<<|>>|<|>|\(\)|->)", "operator", demangled.replace("[abi:cxx11]", ""))
    text = without_templates(text).split("(")[0].split()[-1]
    parts = [p for p in text.split("::") if p and not re.match(r"LEVEL_|LP_C$|INSTLIB$|CONTROLLER$|\{anonymous", p)]
    return "::".join(parts[-2:])


def code_words(line):
    """Identifiers of a line of C++, without those in texts and comments."""
    line = re.sub(r'"(\\.|[^"\\])*"', "", line)
    return set(re.findall(r"[A-Za-z_]\w*", re.sub(r"//.*", "", line)))


def source_words(path):
    with open(path) as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    return set().union(*map(code_words, text.splitlines()))


class HeaderRun:
    """The header tests with counters: what each has executed."""

    def __init__(self, root, linchpin, folder):
        self.here, self.folder, self.linchpin = os.path.join(root, "tests", "api", "compile"), folder, linchpin
        self.tools = os.path.join(root, "tests", "api", "tools")
        self.flags = ["-std=c++17", "-O0", "--coverage", "-fPIC", "-w", "-I" + os.path.join(root, "include"), "-idirafter", os.path.join(root, "include", "extras")]
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)

    def run(self, words, status=0):
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=self.folder, timeout=watch.patience(300))
        if status is not None and done.returncode != status:
            raise RuntimeError(f"{' '.join(words)}: status {done.returncode}\n{done.stdout[-2000:]}")
        return done.stdout

    def build(self, name, more=(), link=()):
        self.run(["g++", *self.flags, "-c", os.path.join(self.here, name + ".cpp"), "-o", name + ".o"])
        return self.run(["g++", "--coverage", *link, name + ".o", *more, "-o", name])

    def everything(self):
        self.run(["gcc", "-std=gnu11", "-rdynamic", os.path.join(self.here, "host.c"), "-o", "host"])
        self.run(["g++", *self.flags, "-c", os.path.join(self.here, "second.cpp"), "-o", "second.o"])
        self.build("options", ["second.o"], ["-shared"])
        os.rename(os.path.join(self.folder, "options"), os.path.join(self.folder, "options.so"))
        for words, status in ((["--", "ls"], 0), (["-sum", "5", "-sum", "6", "-list", "a", "-list", "b", "-range", "0x10:32", "-flag", "--", "ls"], 0), (["-nope", "--", "ls"], 1)):
            self.run(["./host", "-t", "./options.so", "-logfile", "log", *words], status)
        self.run(["gcc", "-std=c11", "-I" + self.flags[-3][2:], "-c", os.path.join(self.here, "elements_c.c"), "-o", "elements_c.o"])
        self.build("elements", ["elements_c.o"])
        self.run(["./elements"])
        self.helpers()
        self.tool("inline", [[], *(["-set", f"end={how}"] for how in ("error", "fatal", "critical", "memory", "assert", "assertx", "assertq", "nyi", "print", "hooks"))])
        self.tool("instlib", [[], ["-set", "only=main"]])
        self.tool("follow", [[]])
        for name, guest in (("controller", "control.S"), ("warp", "control.S"), ("shell", "control.S"), ("callstack", "callstack.c")):
            self.tool(name, *self.golden(name, guest))

    def golden(self, tool, source):
        """The settings with which tests/api/run.py runs the tool on a guest, and the guest, which that has built."""
        program = os.path.join(os.path.dirname(self.folder), source.split(".")[0])
        labels = re.findall(r"^(\w+) \w (at_\w+)$", self.run(["nm", program]), re.M)
        with open(os.path.join(os.path.dirname(self.tools), "guests", source)) as f:
            cases = [shlex.split(more) for more in re.findall(rf"^//> {tool}\b(.*)$", f.read(), re.M)]
        places = [f"{name}=0x{address}" for address, name in labels]
        return [[w for setting in case + places if not setting.startswith(("status=", "err=")) for w in ("-set", setting)] for case in cases], program

    def helpers(self):
        self.run(["g++", *self.flags, "-c", os.path.join(self.here, "helpers.cpp"), "-o", "helpers.o"])
        symbols = self.run(["nm", "-u", "helpers.o"])
        api = [n for n in re.findall(r"\bU (\w+)$", symbols, re.M) if re.match(r"(PIN|INS|BBL|TRACE|RTN|IMG|REG|CHILD_PROCESS|xed)_", n)]
        self.run(["g++", "--coverage", "-no-pie", "helpers.o", *(f"-Wl,--defsym={n}=0" for n in api), "-o", "helpers"])  # they are not called
        self.run(["./helpers"])

    def tool(self, name, settings, program="/bin/true"):
        """One of tests/api/tools that writes its counts itself (the engine ends without a tool's destructors); its results are tests/api/run.py's affair."""
        self.run([self.linchpin, "cc", "-std=c++17", "-O0", "--coverage", "-w", "-c", os.path.join(self.tools, name + ".cpp"), "-o", name + ".o"])
        self.run([self.linchpin, "cc", "--coverage", "-Wl,-u,__gcov_dump", name + ".o", "-o", name + ".so"])
        for words in settings:
            self.run([self.linchpin, "-t", f"./{name}.so", *words, "--", program], None)

    def counts(self):
        """{source: (functions executed, words of lines executed)}"""
        found = {}
        for data in sorted(glob.glob(os.path.join(self.folder, "*.gcda"))):
            test = os.path.basename(data)[:-5]
            out = self.run(["gcov", "--json-format", "--stdout", data])
            functions, words = set(), set()
            for text in out.splitlines():
                for f in json.loads(text)["files"]:
                    functions |= {function_name(x["demangled_name"]) for x in f["functions"] if x["execution_count"]}
                    if f["file"].startswith((self.here, self.tools)):
                        words |= self.words_of(f)
            folder = self.here if os.path.exists(os.path.join(self.here, test + ".cpp")) else self.tools
            found[os.path.join(folder, test + ".cpp")] = (functions, words)
        return found

    @staticmethod
    def words_of(f):
        with open(f["file"]) as source:
            lines = source.read().splitlines()
        return set().union(*(code_words(lines[l["line_number"] - 1]) for l in f["lines"] if l["count"])) if f["lines"] else set()
