#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mistakes in tools: each gets one message with the file and the line, at compile time where the compiler can see it, else when the tool runs. Each row is a tool with one
mistake; its line is the one with the word HERE. The last line is `N passed, N failed`."""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINCHPIN = os.path.join(os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build"))), "bin", "linchpin")

HEAD = """#include "pin.H"
static UINT64 n;
static VOID One(UINT32 a) { n += a; }
static VOID Two(UINT32 a, ADDRINT b) { n += a + b; }
static VOID Any(UINT32 a, ...) { n += a; }
"""
MAIN = "int main(int c, char **v)\n{\n    PIN_Init(c, v);\n    INS_AddInstrumentFunction(Ins, 0);\n    PIN_StartProgram();\n    return 0;\n}\n"
C_HEAD = '#include "pin.h"\nstatic UINT64 n;\nstatic VOID one(UINT32 a) { n += a; }\n'
C_MAIN = "int main(int c, char **v)\n{\n    PIN_Init(c, v);\n    INS_AddInstrumentFunction(instrument, NULL);\n    PIN_StartProgram(NULL);\n}\n"


def calls(routine, arguments):
    return f"{HEAD}static VOID Ins(INS ins, VOID *)\n{{\n    INS_InsertCall(ins, IPOINT_BEFORE, {routine}, {arguments}); // HERE\n}}\n{MAIN}"


# name, source, where it is noticed (compile: by the compiler; end: the run ends with status 1; on: it goes on), the message. None: there is no mistake.
ROWS = [
    ("right", calls("AFUNPTR(Two)", "IARG_UINT32, 3, IARG_INST_PTR, IARG_END"), "on", None),
    ("any number", calls("AFUNPTR(Any)", "IARG_UINT32, 3, IARG_INST_PTR, IARG_THREAD_ID, IARG_END"), "on", None),
    ("too few", calls("AFUNPTR(Two)", "IARG_UINT32, 3, IARG_END"), "end", r"INS_InsertCall: 1 arguments are given, but Two\(unsigned int, unsigned long\) takes 2"),
    ("too few, as pin", calls("AFUNPTR(Two)", "IARG_UINT32, 3, IARG_END"), "on as pin", r"INS_InsertCall: 1 arguments are given, but Two\(unsigned int, unsigned long\) takes 2"),
    ("too many", calls("AFUNPTR(One)", "IARG_UINT32, 3, IARG_INST_PTR, IARG_END"), "on", r"INS_InsertCall: 2 arguments are given, but One\(unsigned int\) takes 1"),
    ("too few, uncast", calls("Two", "IARG_UINT32, 3, IARG_END"), "compile", r"fewer arguments than the analysis routine takes"),
    ("too many, uncast", calls("One", "IARG_UINT32, 3, IARG_INST_PTR, IARG_END"), "compile", r"more arguments than the analysis routine takes"),
    ("right, uncast", calls("Two", "IARG_CALL_ORDER, CALL_ORDER_FIRST, IARG_UINT32, 3, IARG_REG_VALUE, REG_RAX, IARG_END"), "on", None),
    ("no value", calls("AFUNPTR(One)", "IARG_UINT32, IARG_END"), "end", r"INS_InsertCall: IARG_UINT32 has no value: IARG_END follows"),
    ("no register", calls("AFUNPTR(One)", "IARG_REG_VALUE, IARG_END"), "end", r"INS_InsertCall: IARG_REG_VALUE has no value: IARG_END follows"),
    ("no value in the middle", calls("AFUNPTR(Two)", "IARG_UINT32, IARG_INST_PTR, IARG_END"), "end", r"INS_InsertCall: 1 arguments are given, but Two"),
    ("REG_INVALID", calls("AFUNPTR(One)", "IARG_REG_VALUE, REG_INVALID(), IARG_END"), "end", r"INS_InsertCall: IARG_REG_VALUE is given REG_INVALID, which is no register"),
    ("no IARG_END", calls("AFUNPTR(One)", "IARG_UINT32, 3"), "compile", r"INS_InsertCall: IARG_END is missing at the end of the list"),
    ("before PIN_Init", HEAD + "static VOID Ins(INS, VOID *) {}\nint main(int c, char **v)\n{\n    INS_AddInstrumentFunction(Ins, 0); // HERE\n    PIN_Init(c, v);\n    PIN_StartProgram();\n}\n",
     "end", r"INS_AddInstrumentFunction: PIN_Init has not been called before it"),
    ("fini before PIN_Init", HEAD + "static VOID Fini(INT32, VOID *) {}\nint main(int c, char **v)\n{\n    PIN_AddFiniFunction(Fini, 0); // HERE\n    PIN_Init(c, v);\n    PIN_StartProgram();\n}\n",
     "end", r"PIN_AddFiniFunction: PIN_Init has not been called before it"),
    ("no PIN_Init", HEAD + "int main(int, char **)\n{\n    PIN_StartProgram(); // HERE\n}\n", "end", r"PIN_StartProgram: PIN_Init has not been called before it"),
    ("symbols before PIN_Init", HEAD + "int main(int c, char **v)\n{\n    PIN_InitSymbols();\n    PIN_Init(c, v);\n    PIN_StartProgram();\n}\n", "on", None),
    ("no PIN_StartProgram", HEAD + "int main(int c, char **v) { // HERE\n    PIN_Init(c, v);\n}\n", "on", r"before it has started the program \(PIN_StartProgram\): its main has come back"),
    ("no symbols", HEAD + 'static VOID Img(IMG img, VOID *)\n{\n    if (RTN_Valid(RTN_FindByName(img, "no_such_routine"))) // HERE\n        n++;\n}\n' + MAIN.replace("INS_AddInstrumentFunction(Ins", "IMG_AddInstrumentFunction(Img"),
     "on", r"RTN_FindByName: there are no symbols, because PIN_InitSymbols has not been called"),
    ("C: too few", C_HEAD + "static VOID instrument(INS ins, VOID *v)\n{\n    (void)v;\n    INS_InsertCall(ins, IPOINT_BEFORE, (AFUNPTR)one, IARG_END); /* HERE */\n}\n" + C_MAIN, "end", r"INS_InsertCall: 0 arguments are given, but one takes 1"),
    ("C: no IARG_END", C_HEAD + "static VOID instrument(INS ins, VOID *v)\n{\n    (void)v;\n    INS_InsertCall(ins, IPOINT_BEFORE, (AFUNPTR)one, IARG_UINT32, 3); /* HERE */\n    n++;\n}\n" + C_MAIN, "end", r"is not an IARG; is IARG_END missing at the end of the list\?"),
]


def attempt(tmp, name, source, when, message):
    is_c = source.startswith(C_HEAD)
    path = os.path.join(tmp, "tool.c" if is_c else "tool.cpp")
    with open(path, "w", encoding="utf-8") as f:
        f.write(source)
    line = next((i for i, text in enumerate(source.splitlines(), 1) if "HERE" in text), 0)
    p = subprocess.run([LINCHPIN, "cc", os.path.basename(path), "-o", "tool.so"], cwd=tmp, capture_output=True, text=True, check=False)
    if when == "compile":
        return None if p.returncode and re.search(message, p.stderr) and f"{os.path.basename(path)}:{line}:" in p.stderr else p.stderr
    if p.returncode:
        return p.stderr
    as_pin = ["-pin_log", "pin.log"] if when == "on as pin" else []  # what the command pin of the kit's layout gives
    p = subprocess.run([LINCHPIN, *as_pin, "-t", "./tool.so", "--", "/bin/echo", "out"], cwd=tmp, capture_output=True, text=True, timeout=60, check=False)
    told = [text for text in p.stderr.splitlines() if text.startswith("linchpin: ")]
    if not message:
        return None if p.returncode == 0 and not p.stderr else p.stderr
    right = len(told) == 1 and re.search(message, told[0]) and f"{os.path.basename(path)}:{line})" in told[0]
    return None if right and p.returncode == (1 if when == "end" else 0) else f"status {p.returncode}, line {line}: {p.stderr}"


def main():
    passed = failed = 0
    for row in ROWS:
        with tempfile.TemporaryDirectory(prefix="lp-mistake-") as tmp:
            wrong = attempt(tmp, *row)
        passed, failed = passed + (not wrong), failed + bool(wrong)
        if wrong:
            print(f"FAIL {row[0]}: {wrong}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
