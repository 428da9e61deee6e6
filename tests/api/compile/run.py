#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tool headers by themselves: every source here in every language standard with every compiler that is there, without a warning; then, with a stand-in for the engine (host.c),
what knobs, texts, sets and objects do; then the commands `linchpin cc` and `linchpin new`, and makefiles written for Pin. Prints one line for each failure and a total.
usage: run.py [--short] [options|plain|elements|helpers|instrument]... (only these; BUILD in the environment; default build); make check-api-headers. --short: each compiler with one standard, the oldest and the newest"""
import os, re, shutil, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir))
import watch  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "../../.."))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
SHORT = "--short" in sys.argv
LINCHPIN = os.path.join(BUILD, "bin/linchpin")
INCLUDE = os.environ.get("PIN_INCLUDE", os.path.join(ROOT, "include"))  # the headers, or a copy of them with a fault (tests/api/spoil.py)
ONLY = [word for word in sys.argv[1:] if not word.startswith("-")]
WARN = [*(["-w"] if "PIN_INCLUDE" in os.environ else ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]), "-I" + INCLUDE, "-idirafter", os.path.join(INCLUDE, "extras")]
CXX = [c for c in ("g++", "clang++") if shutil.which(c)]
CC = [c for c in ("gcc", "clang") if shutil.which(c)]
failures, skipped, total = [], [], 0


def check(name, ok, detail=""):
    global total
    total += 1
    if not ok:
        failures.append(name)
        print(f"FAIL {name}\n{detail}")


def run(words, **kw):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=watch.patience(300), **kw)


def builds(name, words, **kw):
    p = run(words, **kw)
    check(name, p.returncode == 0 and not p.stdout, p.stdout)
    return p.returncode == 0


def prints(name, words, status, expected, **kw):
    p = run(words, **kw)
    check(name, p.returncode == status and p.stdout == expected, f"status {p.returncode}, wanted {status}\n--- got\n{p.stdout}--- wanted\n{expected}")


def standards(compiler):
    if SHORT:
        return ("c++11",) if compiler == CXX[0] else ("c++20",)
    return "c++11", "c++14", "c++17", "c++20"


# The C library has names of registers too, in <signal.h>: whichever header comes first, a tool's are Pin's.
CLASH = ("#include <signal.h>\n", '#include "pin.%s"\n', "int numbers[] = {REG_RAX == 10, REG_R8 == 11, REG_RIP == REG_INST_PTR, REG_CR2 == 233};\n"
         "typedef char right[REG_RAX == 10 && REG_R15 == 18 && REG_RIP == 26 ? 1 : -1];\n")


# A program of Pin's kit has the types from the headers of the components, without pin.H; a tool has both.
ATOMIC = "#include \"atomic.hpp\"\nUINT32 add(volatile UINT32 *p, ADDRINT n) { return ATOMIC::OPS::Increment(p, n); }\n"


def compile_components(tmp):
    for name, text in (("program", ATOMIC), ("before", ATOMIC + '#include "pin.H"\n'), ("after", '#include "pin.H"\n' + ATOMIC)):
        with open(f"{tmp}/{name}.cpp", "w") as f:
            f.write(text)
        for cc in CXX:
            builds(f"components {name} {cc}", [cc, *WARN, "-I" + os.path.join(ROOT, "include/components"), "-std=c++11", "-c", f"{tmp}/{name}.cpp", "-o", f"{tmp}/out.o"])


def compile_clash(tmp):
    for cc, suffix, header in ((CC[0], "c", "h"), (CXX[0], "cpp", "H"), (CXX[-1], "cpp", "H")):
        for order in ((0, 1), (1, 0)):
            with open(f"{tmp}/clash.{suffix}", "w") as f:
                f.write("".join(CLASH[i] for i in order).replace("%s", header) + CLASH[2])
            builds(f"register names {cc}, {'signal.h' if order[0] == 0 else 'pin.' + header} first", [cc, *WARN, "-D_GNU_SOURCE", "-Wno-pedantic", "-fsyntax-only", f"{tmp}/clash.{suffix}"])


def compile_all(tmp):
    compile_clash(tmp)
    compile_components(tmp)
    for cxx in CXX:
        for std in standards(cxx):
            for src in ("instrument", "process", "examples", "options", "elements", "helpers"):
                how = ["-O2", "-fPIC", "-c", "-o", f"{tmp}/x.o"] if std == "c++17" else ["-fsyntax-only"]
                builds(f"{src}.cpp {cxx} {std}", [cxx, f"-std={std}", *WARN, *how, f"{HERE}/{src}.cpp"])
        for std in ("gnu++98",) if SHORT else ("gnu++98", "c++11", "c++17"):
            quiet = ["-Wno-pedantic", "-Wno-long-long", "-Wno-variadic-macros"] if std == "gnu++98" else []
            builds(f"old.cpp {cxx} {std}", [cxx, f"-std={std}", "-DPIN_2_COMPAT", *WARN, *quiet, "-fPIC", "-c", f"{HERE}/old.cpp", "-o", f"{tmp}/x.o"])
    for cc in CC:
        for std in ("c11", "gnu17"):
            builds(f"plain.c {cc} {std}", [cc, f"-std={std}", *WARN, "-fPIC", "-c", f"{HERE}/plain.c", "-o", f"{tmp}/x.o"])


TEXTS = """5-5   42 0xff 0x000000ff a  |   1.50 1,234,567 0x10 TRUE 32 -3 0x
4ac a/b 84 1024 2
2101111111 16
01181924%d
W: a warning
"""


def run_options(tmp):
    host, tool = f"{tmp}/host", f"{tmp}/options.so"
    if not builds("host.c", [CC[0], "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-rdynamic", f"{HERE}/host.c", "-o", host]):
        return
    if not builds("options.so", [CXX[0], "-std=c++17", *WARN, "-shared", "-fPIC", f"{HERE}/options.cpp", f"{HERE}/second.cpp", "-o", tool]):
        return
    log = ["-logfile", f"{tmp}/log"]
    plain = "o=out.txt flag=0 on=1 sum=7 last=-1 rate=0.5 address=0x10 range=0x1:0x2 name=n list=\n"
    texts = TEXTS % 12288
    prints("knobs: defaults", [host, "-t", tool, *log, "--", "ls", "-flag"], 0, plain + texts)
    check("log file", os.path.exists(f"{tmp}/log") and open(f"{tmp}/log").read() == "logged 1\nW: a warning\n")
    given = ["-o", "x", "-flag", "-on", "0", "-sum", "5", "-sum", "0x10", "-last", "4", "-last", "-9", "-list", "a", "-list", "b c", "-rate", "2.25", "-address", "0xfff", "-range", "0x10:32", "-x:name", "y",
             "-else-where", "z"]
    prints("knobs: all given", [host, "-t", tool, *given, *log, "--", "ls"], 0,
           "o=x flag=1 on=0 sum=21 last=-9 rate=2.25 address=0xfff range=0x10:0x20 name=y list=a(a)b c(b c)\n" + texts)
    prints("knobs: options of linchpin before -t", [host, "-t", tool, "-flag", *log], 0, plain.replace("flag=0", "flag=1") + texts)
    prints("knobs: unknown ones after -xyzzy", [host, "-t", tool, *log, "-xyzzy", "-zork", "5", "-flag", "1", "--"], 0, plain.replace("flag=0", "flag=1") + texts)
    for name, words, message in (("unknown", ["-nope"], "unknown option -nope"), ("twice", ["-o", "a", "-o", "b"], "option -o given twice: trying to overwrite write-once knob"), ("no value", ["-o"], "option -o needs a value"),
                                 ("not a number", ["-sum", "5x"], "option -sum: '5x' is not a number"), ("too big", ["-sum", "4294967296"], "option -sum: '4294967296' is not a number")):
        p = run([host, "-t", tool, *words, "--", "ls"])
        check(f"knobs: {name}", p.returncode == 1 and p.stdout.startswith(f"E: tool: {message}\n") and "\n-sum  [default 7]\n\tadds up\n" in p.stdout, p.stdout)
    p = run([host, "-t", tool, "-help", "--"])
    names = [l.split()[0] for l in p.stdout.splitlines() if l.startswith("-")]
    check("knobs: -help", p.returncode == 1 and "These are the options:" in p.stdout and "-else_where" in names and "-x:name" in names and "-logfile" in names, p.stdout)


def run_plain(tmp):
    host, tool = f"{tmp}/host", f"{tmp}/plain.so"
    if not builds("plain.so", [CC[0], "-std=c11", *WARN, "-shared", "-fPIC", f"{HERE}/plain.c", "-o", tool]):
        return
    rest = f"1/8 11/8 16/0 4/1 10 4\ninsert 7 1 1 {HERE}/plain.c 1 1\nins 7\nstart 1\n3 0\n"
    prints("C knobs: defaults", [host, "-t", tool, "--", "ls"], 0, "o=plain.out flag=0 number=-3 limit=10 rate=0.5\n" + rest)
    prints("C knobs: given", [host, "-t", tool, "-flag", "-number", "-7", "-limit", "0x20", "-rate", "3", "-o", "q", "--"], 0, "o=q flag=1 number=-7 limit=32 rate=3\n" + rest)
    p = run([host, "-t", tool, "-limit", "x", "--"])
    check("C knobs: not a number", p.returncode == 1 and p.stdout.startswith("E: tool: option -limit: not a number\n"), p.stdout)


def run_elements(tmp):
    for cxx, cc in zip(CXX, CC):
        exe, obj = f"{tmp}/elements", f"{tmp}/elements_c.o"
        if builds(f"elements_c.c {cc}", [cc, "-std=c11", *WARN, "-c", f"{HERE}/elements_c.c", "-o", obj]) and builds(f"elements {cxx}", [cxx, "-O2", *WARN, f"{HERE}/elements.cpp", obj, "-o", exe]):
            prints(f"elements {cxx}", [exe], 0, "10 8 10 64 13 104 205 306 3\n8 99 103 204 305\n")


def run_helpers(tmp):
    exe, obj = f"{tmp}/helpers", f"{tmp}/helpers.o"
    if not builds("helpers.o", [CXX[0], *WARN, "-c", f"{HERE}/helpers.cpp", "-o", obj]):
        return
    api = [n for n in re.findall(r"\bU (\w+)$", run(["nm", "-u", obj]).stdout, re.M) if re.match(r"(PIN|INS|BBL|TRACE|RTN|IMG|REG|CHILD_PROCESS|xed)_", n)]
    if builds("helpers", [CXX[0], "-no-pie", obj, *(f"-Wl,--defsym={n}=0" for n in api), "-o", exe]): # they are not called
        prints("helpers", [exe], 0, "001000 1 5 1\n010 110\n0011\n111111\n# address miss hit\n0x1000                        0            3 \n122x0\n")


def exported(text):
    """The names that nm prints, without the version and its own name."""
    return sorted(line.split()[-1].split("@@")[0] for line in text.splitlines() if "@@" in line)


def run_commands(tmp):
    env = {k: v for k, v in os.environ.items() if k not in ("CC", "CXX")}
    prints("new", [LINCHPIN, "new", "mine"], 0, "wrote mine.cpp\nbuild it:  linchpin cc mine.cpp -o mine.so\nrun it:    linchpin -t ./mine.so -- ls\n", cwd=tmp)
    prints("new: not twice", [LINCHPIN, "new", "mine"], 1, "linchpin: new: mine.cpp: exists already\n", cwd=tmp)
    check("new: C", run([LINCHPIN, "new", "plainer.c"], cwd=tmp).returncode == 0)
    for cxx, cc in zip(CXX, CC):
        e = dict(env, CXX=cxx, CC=cc)
        builds(f"cc {cxx}", [LINCHPIN, "cc", "mine.cpp", "-Wall", "-Wextra", "-Werror"], cwd=tmp, env=e)
        builds(f"cc {cc}", [LINCHPIN, "cc", "plainer.c", "-o", "p.so", "-Wall", "-Wextra", "-Werror"], cwd=tmp, env=e)
        builds(f"cc {cxx}: a source for Pin 2", [LINCHPIN, "cc", f"{HERE}/old.cpp", "-o", "old.so"], cwd=tmp, env=e)
        builds(f"cc {cxx}: -c", [LINCHPIN, "cc", "-c", "mine.cpp", "-o", "mine.o", "-Werror"], cwd=tmp, env=e)
        builds(f"cc {cxx}: link", [LINCHPIN, "cc", "mine.o", "-o", "mine2.so"], cwd=tmp, env=e)
    for tool in ("mine.so", "p.so", "old.so"): # C++, C and a source for Pin 2, under the engine itself
        p = run([LINCHPIN, "-t", f"./{tool}", "--", "/bin/true"], cwd=tmp, env=env)
        check(f"run {tool}", p.returncode == 0 and (tool == "old.so" or re.fullmatch(r"instructions: [1-9]\d{3,}\n", p.stdout)), p.stdout)
    p = run(["nm", "-D", "--defined-only", "mine.so"], cwd=tmp)
    check("cc: exports only main", exported(p.stdout) == ["lp_abi_version", "main"], p.stdout)
    p = run([LINCHPIN, "cc", "absent.cpp"], cwd=tmp, env=env)
    check("cc: the compiler's errors", p.returncode == 1 and "absent.cpp" in p.stdout, p.stdout)
    p = run([LINCHPIN, "cc", "mine.cpp"], cwd=tmp, env=dict(env, CXX="no-such-compiler", PATH="/usr/bin:/bin"))
    check("cc: no compiler", p.returncode == 127 and "no-such-compiler" in p.stdout, p.stdout)
    for text, needed in (("#include <string>\nstd::string s;", False), ("using namespace std;\nstring s;", False), ("string s;", True), ("using std::string;\nstring s;", False),
                         ("// string s;\n/* cerr << */ const char *t = \"cerr << endl\";", False), ("void f() { cerr << 1; }", True), ("int x = a.string(1) + p->cerr;", False), ("void f() { GetLock(&l, 1); }", True),
                         ("void f() { my.GetLock(&l, 1); }", False), ("int list = 3;", False), ("list<int> l;", True)):
        with open(f"{tmp}/probe.cpp", "w") as f:
            f.write(text + "\n")
        p = run([LINCHPIN, "cc", "--compat-flags", "probe.cpp"], cwd=tmp)
        check(f"Pin 2 or not: {text!r}", p.returncode == 0 and ("-DPIN_2_COMPAT" in p.stdout) == needed, p.stdout)


def run_makefiles(tmp):
    with open(f"{tmp}/makefile", "w") as f:
        f.write("include $(PIN_ROOT)/source/tools/Config/makefile.config\nTEST_TOOL_ROOTS := mine old\n"
                "$(OBJDIR)own$(OBJ_SUFFIX): old.cpp | $(OBJDIR)\n\t$(CXX) $(TOOL_CXXFLAGS) $(COMP_OBJ)$@ $<\n"
                "$(OBJDIR)own$(PINTOOL_SUFFIX): $(OBJDIR)own$(OBJ_SUFFIX)\n\t$(LINKER) $(TOOL_LDFLAGS) $(LINK_EXE)$@ $^ $(TOOL_LPATHS) $(TOOL_LIBS)\n"
                "include $(TOOLS_ROOT)/Config/makefile.default.rules\n")
    shutil.copy(f"{HERE}/old.cpp", tmp)
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "TARGET", "OBJDIR")}
    pin_root = f"PIN_ROOT={ROOT}/share/pin-compat"
    p = run(["make", pin_root, f"LINCHPIN={LINCHPIN}", "all", "obj-intel64/own.so"], cwd=tmp, env=env)
    made = [f for f in ("mine.so", "old.so", "own.so") if os.path.exists(f"{tmp}/obj-intel64/{f}")]
    check("makefiles for Pin", p.returncode == 0 and len(made) == 3, p.stdout)


def run_kit(tmp):
    """Makefiles that call the compiler themselves, with directories and libraries of Pin's kit, against an installation."""
    p = run(["make", "-s", "-C", ROOT, "install-dev", f"PREFIX={tmp}/kit"], env={k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "DESTDIR")})
    check("install-dev", p.returncode == 0, p.stdout)
    kit = f"{tmp}/kit/share/linchpin/pin"
    crt = f"{kit}/intel64/runtime/pincrt"
    with open(f"{tmp}/kit.cpp", "w") as f:
        f.write('#include "pin.H"\n#include "instlib.H"\nextern "C" {\n#include "xed-interface.h"\n}\nstatic std::string text("made before main");\n'
                'int main(int argc, char **argv) { return PIN_Init(argc, argv) || text.empty(); }\n')
    includes = ["source/include/pin", "source/include/pin/gen", "extras/components/include", "extras/xed-intel64/include/xed", "source/tools/InstLib"]
    builds("kit: compile", ["g++", "-fPIC", "-DTARGET_IA32E", "-DHOST_IA32E", "-DTARGET_LINUX", "-DPIN_CRT=1", *[f"-I{kit}/{i}" for i in includes], "-c", "kit.cpp", "-o", "kit.o"], cwd=tmp)
    builds("kit: link", ["g++", "-shared", f"{crt}/crtbeginS.o", "-Wl,-Bsymbolic", f"-Wl,--version-script={kit}/source/include/pin/pintool.ver", "-o", "kit.so", "kit.o", f"-L{crt}", f"-L{kit}/intel64/lib",
                         f"-L{kit}/intel64/lib-ext", "-lpin", "-lxed", f"{crt}/crtendS.o", "-lpin3dwarf", "-ldl-dynamic", "-nostdlib", "-lstlport-dynamic", "-lm-dynamic", "-lc-dynamic", "-lunwind-dynamic"], cwd=tmp)
    p = run(["nm", "-D", "--defined-only", "kit.so"], cwd=tmp)
    check("kit: exports only main", exported(p.stdout) == ["lp_abi_version", "main"], p.stdout)
    run_components(tmp, kit, includes)
    with open(f"{tmp}/makefile2", "w") as f:
        f.write("include $(PIN_HOME)/source/tools/makefile.gnu.config\nall: obj/old.so\nobj/old.o: old.cpp\n\tmkdir -p obj; $(CXX) $(PIN_CXXFLAGS) -c -o $@ $<\n"
                "obj/old.so: obj/old.o $(PIN_LIBNAMES)\n\t$(PIN_LD) $(PIN_LDFLAGS) $(LINK_DEBUG) ${LINK_OUT}$@ $< ${PIN_LPATHS} $(PIN_LIBS) $(DBG)\n")
    p = run(["make", "-f", "makefile2", f"PIN_HOME={kit}", f"LINCHPIN={LINCHPIN}"], cwd=tmp)
    check("makefile.gnu.config", p.returncode == 0 and os.path.exists(f"{tmp}/obj/old.so"), p.stdout)


PLAIN_APPLICATION = """#include "atomic.hpp"
#include "types.h"
#include "types_marker.h"
#include "util.hpp"
#include <stdio.h>
static volatile UINT32 n = 5;
int main()
{
    ADDRINT v = 0;
    std::string s = " 0x1fg";
    ATOMIC::OPS::MaxValue(&n, 9u);
    ATOMIC::OPS::Increment<UINT32>(&n, 1, ATOMIC::BARRIER_CS_NEXT);
    size_t used = UTIL::ParseUnsigned(s.begin(), s.end(), 0, &v) - s.begin();
    printf("%u %lu %lu %s\\n", ATOMIC::OPS::Load(&n), used, (unsigned long)v, UTIL::GetHexString(255u, true, 4).c_str());
}
"""


def run_components(tmp, kit, includes):
    """An application may use the components, which need neither pin.H nor a library; a tool that asks for an executable stack loads."""
    with open(f"{tmp}/app.cpp", "w") as f:
        f.write(PLAIN_APPLICATION)
    if builds("components: an application", ["g++", "-std=c++98", "-Wall", "-Wextra", "-Werror", f"-I{kit}/extras/components/include", "app.cpp", "-o", "app", f"-L{kit}/extras/components/lib/intel64", "-latomic"], cwd=tmp):
        prints("components: its values", [f"{tmp}/app"], 0, "10 5 31 0x00ff\n")
    p = run(["g++", "-H", "-fsyntax-only", f"-I{kit}/extras/components/include", "app.cpp"], cwd=tmp)
    check("components: without pin.H", "pin.H" not in p.stdout, p.stdout)
    with open(f"{tmp}/tool.cpp", "w") as f:
        f.write('#include "pin.H"\n#include <os-apis.h>\n#include "types.h"\nSTATIC UINT64 pid = NATIVE_PID_CURRENT;\n'
                'int main(int argc, char **argv) { if (PIN_Init(argc, argv) || !pid) return 1; PIN_StartProgram(); }\n')
    how = [LINCHPIN, "cc", "tool.cpp", "-o", "stack.so", "-Wl,-z,execstack", *[f"-I{kit}/{i}" for i in includes]]
    if builds("components: a tool", how, cwd=tmp):
        prints("a tool that asks for an executable stack", [LINCHPIN, "-t", "./stack.so", "--", "/bin/echo", "runs"], 0, "runs\n", cwd=tmp)


def find_missing():
    """What is done with one compiler less is said, not left out silently."""
    for name in ("g++", "clang++", "gcc", "clang"):
        if name not in CXX + CC:
            skipped.append(name)
            print(f"skip all with {name}: it is not installed")


def some(tmp):
    parts = {"options": run_options, "plain": run_plain, "elements": run_elements, "helpers": run_helpers, "instrument": lambda tmp: builds("instrument.cpp", [CXX[0], "-std=c++17", *WARN, "-fsyntax-only", f"{HERE}/instrument.cpp"])}
    for name in ONLY:
        parts[name](tmp)
    finish()


def main():
    find_missing()
    with tempfile.TemporaryDirectory() as tmp:
        if ONLY:
            some(tmp)
            return
        compile_all(tmp)
        run_options(tmp)
        run_plain(tmp)
        run_elements(tmp)
        run_helpers(tmp)
        if os.path.exists(LINCHPIN):
            run_commands(tmp)
            run_makefiles(tmp)
            run_kit(tmp)
        else:
            check("linchpin is built", False, LINCHPIN + "\n")
    finish()


def finish():
    print(f"{total - len(failures)} passed, {len(failures)} failed" + (f", {len(skipped)} skipped" if skipped else ""))
    sys.exit(1 if failures else 0)


main()
