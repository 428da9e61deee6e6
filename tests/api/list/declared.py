# SPDX-License-Identifier: Apache-2.0
"""Which names of the API the headers declare: one source with a line for each name, compiled once; a line with an error is a name that is not there."""
import os
import re
import subprocess

# Classes of the table that are templates, or have another name here.
CLASSES = {"KNOB": "KNOB<INT32>", "KNOBVALUE": "KNOBVALUE<INT32>", "KNOBVALUE_LIST": "KNOBVALUE_LIST<INT32>", "REGISTER_SET": "REGSET", "OPTIONAL_VALUE": "OPTIONAL_VALUE<int>",
           "COUNTED_PTR": "COUNTED_PTR<int>", "CPTR": "CPTR<int>", "_PinPargClass": "_PinPargClass<int>", "COMPRESSOR_COUNTER": "COMPRESSOR_COUNTER<ADDRINT, UINT32, COUNTER_ARRAY<UINT64, 1> >",
           "CACHE": "CACHE<CACHE_SET::DIRECT_MAPPED, 64, CACHE_ALLOC::STORE_ALLOCATE>"}
# By the beginning of a class's name, where it is not the group's.
OF_CLASS = (("Call", "CALLSTACK"), ("ISHELL", "DEBUGGER_SHELL"), ("ICUSTOM_", "DEBUGGER_SHELL"), ("STARTUP_", "DEBUGGER_SHELL"))
NAMESPACES = {"INSTLIB": "INSTLIB", "CONTROLLER": "CONTROLLER", "XED": "", "UTILHDR": ""}
# What is C++ by nature has no C form: texts, templates, knobs as objects, and what is written with them.
CXX_ONLY_GROUPS = {"KNOB", "MISC", "MESSAGE", "INSTLIB", "CONTROLLER", "UTILHDR", "REGSET"}
CXX_ONLY = {"AssertString", "DEBUG_INTERPRETER_CALLBACK", "GET_TARGET_DESCRIPTION_CALLBACK", "MESSAGE_CALLBACK", "PIN_RemoveDebugInterpreter", "operator++", "operator--", "_PinParg"}
IN_ENGINE = {"MilliSecondsElapsed", "PIN_WriteErrorMessage"}  # of those groups, and functions of the engine all the same
IN_C = {"REGSET_Clear", "REGSET_Insert", "REGSET_Remove", "REGSET_Contains", "REGSET_AddAll", "MilliSecondsElapsed", "PIN_WriteErrorMessage"}


def wanted_in_c(row):
    if row["name"] in IN_C:
        return True
    return row["kind"] in ("function", "typedef", "iarg") and row["group"] not in CXX_ONLY_GROUPS and row["name"] not in CXX_ONLY and "::" not in row["name"]


def cxx_line(number, row):
    name, kind = row["name"], row["kind"]
    space = NAMESPACES.get(row["group"], "LEVEL_PINCLIENT")
    if space == "INSTLIB":
        space = next((s for start, s in OF_CLASS if name.startswith(start)), space)
    space += "::" if space or "::" not in name else ""
    if kind == "macro":
        return None
    if kind == "iarg":
        return f"inline int f{number}() {{ return {name}; }}"
    if "::" in name:
        cls, member = name.rsplit("::", 1)
        spelled = f"{space}{CLASSES.get(cls, cls)}"
        if kind == "ctor":
            return f"typedef {spelled} t{number}; enum {{ e{number} = sizeof(t{number}) }};"
        return f"struct s{number} : {spelled} {{ using {spelled}::{member}; }};"
    if name.startswith("operator"):
        return f"inline void f{number}(REG r) {{ r{name[8:]}; }}"
    return f"namespace n{number} {{ using {space}{name}; }}"


def c_line(number, row):
    if row["kind"] == "iarg":
        return f"enum {{ e{number} = {row['name']} }};"
    return f"typedef __typeof__({row['name']}) t{number};" if row["kind"] == "typedef" else f"typedef __typeof__(&{row['name']}) t{number};"


def failing_lines(command, text, folder, suffix):
    path = os.path.join(folder, "declared" + suffix)
    with open(path, "w") as f:
        f.write(text)
    done = subprocess.run(command + ["-w", "-fmax-errors=0", "-fsyntax-only", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = {int(n) for n in re.findall(rf"{re.escape(path)}:(\d+):\d+: error", done.stdout)}
    # An error elsewhere would hide all the others.
    other = [l for l in done.stdout.splitlines() if re.search(r": (fatal )?error", l) and not l.startswith(path)]
    return lines, other


def probe(rows, lines, head, command, folder, suffix):
    """Names of the rows that are not declared, and errors of the headers themselves."""
    text, at = head, {}
    for row, line in zip(rows, lines):
        if row["kind"] == "macro":
            line = f"#ifndef {row['name']}\n#error {row['name']}\n#endif"
        at[text.count("\n") + 1 + line.count("\n") // 2] = row["name"]
        text += line + "\n"
    bad, other = failing_lines(command, text, folder, suffix)
    return {at[n] for n in bad if n in at}, other


def missing(rows, root, folder):
    """(names not declared for C++, names not declared for C, errors of the headers)."""
    os.makedirs(folder, exist_ok=True)
    include = ["-I" + os.path.join(root, "include"), "-idirafter", os.path.join(root, "include", "extras")]
    extras = sorted(f for f in os.listdir(os.path.join(root, "include", "extras")) if f.endswith((".H", ".hpp")))
    # pin_cache.H wants to be told what a counter is.
    head = "#include \"pin.H\"\ntypedef UINT64 CACHE_STATS;\n" + "".join(f"#include \"{f}\"\n" for f in extras)
    cxx, other = probe(rows, [cxx_line(i, r) for i, r in enumerate(rows)], head, ["g++", "-std=c++17", "-DPIN_2_COMPAT"] + include, folder, ".cpp")
    c_rows = [r for r in rows if wanted_in_c(r)]
    c, more = probe(c_rows, [c_line(i, r) for i, r in enumerate(c_rows)], "#include \"pin.h\"\n#include \"xed-interface.h\"\n", ["gcc", "-std=gnu11"] + include, folder, ".c")
    return cxx, c, other + more
