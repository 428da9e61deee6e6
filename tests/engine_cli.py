#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The linchpin command from outside: programs found as a shell finds them, scripts, statuses, and failing well.

FAILURES says for each wrong start the exit status and a word of the single line `linchpin: ...` on standard error. SAME is
run natively and under Linchpin and must not differ. HARD and SOFT are limits on memory under which a program is started. All
are done for each way of getting in, and so is the log. run.py calls this with --short; the last line is
`N passed, N failed`."""
import contextlib
import glob
import json
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

import watch

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
LINCHPIN = os.environ.get("LINCHPIN", os.path.join(BUILD, "bin", "linchpin"))
WAYS = {"ptrace": [], "inprocess": ["-injection", "inprocess"]}
ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/", "LC_ALL": "C"}

EHDR = "<16sHHIQQQIHHHHHH"
PHDR = "<IIQQQQQQ"
PT_LOAD, PT_INTERP = 1, 3


def elf(phdrs=None, interp=None, body=b"\xb8\x3c\x00\x00\x00\x31\xff\x0f\x05", cls=2, data=1, etype=2, machine=62, phoff=64,
        phentsize=56, phnum=None):
    """A small ELF program that calls exit(0); each argument can spoil it."""
    base, head = 0x10000, 64 + 56 * 2
    text = (interp + b"\0") if interp is not None else b""
    size = head + len(text) + len(body)
    table = phdrs if phdrs is not None else [(PT_LOAD, 5, 0, base, base, size, size, 4096)]
    if interp is not None:
        table = table + [(PT_INTERP, 4, head, base + head, base + head, len(text), len(text), 1)]
    ident = b"\x7fELF" + bytes([cls, data, 1]) + bytes(9)
    entry = base + head + len(text)
    header = struct.pack(EHDR, ident, etype, machine, 1, entry, phoff, 0, 0, 64, phentsize,
                         len(table) if phnum is None else phnum, 0, 0, 0)
    return (header + b"".join(struct.pack(PHDR, *p) for p in table)).ljust(head, b"\0") + text + body


def load(**fields):
    """One PT_LOAD entry that differs from a good one in the given fields."""
    good = {"flags": 5, "offset": 0, "vaddr": 0x10000, "filesz": 200, "memsz": 200, "align": 4096, **fields}
    return (PT_LOAD, good["flags"], good["offset"], good["vaddr"], good["vaddr"], good["filesz"], good["memsz"], good["align"])


# name: (contents, mode bits)
FILES = {
    "good": (elf(), 0o755),
    "plain.txt": (b"just text\n", 0o644),
    "empty": (b"", 0o755),
    "text": (b"echo no first line \"$0\" \"$#\" \"$2\"\ncat\nexit 6\n", 0o755),
    "text_bang": (b"#!./text\necho not by its first line \"$@\"\n", 0o755),
    "binary": (b"some\0bytes\n", 0o755),
    "no_x": (elf(), 0o644),
    "truncated": (elf()[:40], 0o755),
    "headers_cut": (elf()[:80], 0o755),
    "phoff": (elf(phoff=1 << 40), 0o755),
    "phentsize": (elf(phentsize=1), 0o755),
    "phnum0": (elf(phnum=0), 0o755),
    "no_load": (elf(phdrs=[(0, 0, 0, 0, 0, 0, 0, 0)]), 0o755),
    "filesz": (elf(phdrs=[load(filesz=200, memsz=100)]), 0o755),
    "filesz_only": (elf(phdrs=[load(), load(vaddr=0x20000, memsz=0)]), 0o755),
    "empty_far": (elf(phdrs=[load(), load(vaddr=(1 << 47) - 4096, filesz=0, memsz=0)]), 0o755),
    "kernel_address": (elf(phdrs=[load(vaddr=1 << 63)]), 0o755),
    "interp_missing": (elf(interp=b"/no/such/interpreter"), 0o755),
    "interp_directory": (elf(interp=b"/tmp"), 0o755),
    "interp_text": (elf(interp=b"/etc/passwd"), 0o755),
    "interp_offset": (elf(phdrs=[(PT_INTERP, 4, 1 << 40, 0, 0, 20, 20, 1), load()]), 0o755),
    "interp_open": (elf(phdrs=[(PT_INTERP, 4, 64, 0, 0, 9, 9, 1), load()]), 0o755),
    "interp_empty": (elf(interp=b"\0\0\0"), 0o755),
    "class": (elf(cls=0), 0o755),  # the kernel looks at neither class nor byte order
    "order": (elf(data=2), 0o755),
    "headers_out": (elf(phdrs=[load(filesz=2, memsz=2)]), 0o755),  # AT_PHDR is 0
    "tail_cut": (elf(phdrs=[load(flags=7, filesz=0x1800, memsz=0x3000)]), 0o755),
    "empty_first": (elf(etype=3, phdrs=[load(filesz=0, memsz=0), load()]), 0o755),
    "arm": (elf(cls=1, machine=40), 0o755),
    "aarch64": (elf(machine=183), 0o755),
    "big_endian": (elf(data=2, machine=62 << 8, etype=2 << 8), 0o755),
    "object": (elf(etype=1), 0o755),
    "core": (elf(etype=4), 0o755),
    "ia32": (elf(cls=1, machine=3), 0o755),
    "bad_bang": (b"#!/no/such/program\necho\n", 0o755),
    "bang_directory": (b"#!/tmp\n", 0o755),
    "bang_empty": (b"#!\n", 0o755),
    "bang_text": (b"#!/etc/passwd\n", 0o755),
    "bang_loop": (b"#!./bang_loop\n", 0o755),
    "script": (b"#!/bin/sh\necho \"$0\" \"$#\" \"$@\"\ncat\nexit 7\n", 0o755),
    "script_arg": (b"#! /bin/sh -e -u \necho never\n", 0o755),
    "script_e": (b"#!/bin/sh -e\nfalse\necho never\n", 0o755),
    "outer": (b"#!./script middle words\n", 0o755),
    "python": (b"#!/usr/bin/env python3\nimport sys\nprint(sys.argv)\nsys.exit(9)\n", 0o755),
    "no_newline": (b"#!/bin/echo", 0o755),
    "tool.txt": (b"not a tool", 0o755),
    "tool_object": (elf(etype=1), 0o755),
}

# words after linchpin, status, a word of the message
FAILURES = [
    ([], 1, "program"),
    (["--"], 1, "program"),
    (["--", "./nothing_here"], 127, "nothing_here"),
    (["--", "no-such-command-anywhere"], 127, "not found"),
    (["--", "/no/such/dir/prog"], 127, "No such file"),
    (["--", "./good/below"], 126, "Not a directory"),
    (["--", ""], 127, "not found"),
    (["--", "./"], 126, "directory"),
    (["--", "/etc"], 126, "directory"),
    (["--", "./no_x"], 126, "ermission"),
    (["--", "./plain.txt"], 126, "ermission"),
    (["--", "/dev/null"], 126, "ermission"),
    (["--", "./binary"], 126, "format"),
    (["-exec-path", "./text", "--", "text"], 126, "format"),
    (["--", "./truncated"], 126, "truncated"),
    (["--", "./headers_cut"], 126, "ELF"),
    (["--", "./phoff"], 126, "ELF"),
    (["--", "./phentsize"], 126, "ELF"),
    (["--", "./phnum0"], 126, "ELF"),
    (["--", "./no_load"], 126, "ELF"),
    (["--", "./filesz"], 126, "ELF"),
    (["--", "./filesz_only"], 126, "ELF"),
    (["-injection", "inprocess", "--", "./empty_far"], 126, "ELF"),
    (["--", "./kernel_address"], 126, "ELF"),
    (["--", "./interp_missing"], 126, "/no/such/interpreter"),
    (["--", "./interp_directory"], 126, "/tmp"),
    (["--", "./interp_text"], 126, "/etc/passwd"),
    (["--", "./interp_offset"], 126, "ELF"),
    (["--", "./interp_open"], 126, "ELF"),
    (["--", "./interp_empty"], 126, "ELF"),
    (["-injection", "inprocess", "--", "./interp_empty"], 126, "ELF"),
    (["-injection", "inprocess", "--", "./tail_cut"], 126, "cut short"),
    (["-injection", "inprocess", "--", "./empty_first"], 126, "empty"),
    (["--", "./arm"], 126, "ARM"),
    (["--", "./aarch64"], 126, "x86-64"),
    (["--", "./big_endian"], 126, "big_endian"),
    (["--", "./object"], 126, "object"),
    (["--", "./core"], 126, "core"),
    (["--", "./ia32"], 126, "program headers have a wrong size"),  # the header of a 64-bit file
    (["--", "./bad_bang"], 126, "/no/such/program"),
    (["--", "./bang_directory"], 126, "/tmp"),
    (["--", "./bang_empty"], 126, "bang_empty"),
    (["--", "./bang_text"], 126, "/etc/passwd"),
    (["--", "./bang_loop"], 126, "levels"),
    (["-no_such_option", "--", "./good"], 1, "-no_such_option"),
    (["word", "--", "./good"], 1, "word"),
    (["-trace_max_ins", "--", "./good"], 1, "-trace_max_ins"),
    (["-trace_max_ins", "many", "--", "./good"], 1, "many"),
    (["-trace_max_ins", "-3", "--", "./good"], 1, "-3"),
    (["-cc_memory_size", "12Q", "--", "./good"], 1, "12Q"),
    (["-injection", "magic", "--", "./good"], 1, "magic"),
    (["-tool_load_option", "lazy", "--", "./good"], 1, "deepbind"),
    (["-t"], 1, "-t"),
    (["-t", "--", "./good"], 1, "-t"),
    (["-t", "./no_tool.so", "--", "./good"], 1, "no_tool.so"),
    (["-t", "./tool.txt", "--", "./good"], 1, "tool.txt"),
    (["-t", "./tool_object", "--", "./good"], 1, "shared object"),
    (["-t", "/tmp", "--", "./good"], 1, "/tmp"),
    (["-t", "./good", "--", "./good"], 1, "shared object"),
    (["-t", "./tool.txt", "--", "./nothing_here"], None, "linchpin: "),
]

# command, standard input
SAME = [
    (["./good"], b""),
    (["./class"], b""),
    (["./order"], b""),
    (["./headers_out"], b""),
    (["true"], b""),
    (["false"], b""),
    (["sh", "-c", "exit 200"], b""),
    (["sh", "-c", "kill -9 $$"], b""),
    (["sh", "-c", "kill -SEGV $$"], b""),
    (["cat"], b"line\n" * 1000),
    (["./script", "a", "", "b c"], b"input\n"),
    (["./script_e"], b""),
    (["./script_arg"], b""),
    (["./outer", "one", "two"], b"deep\n"),
    (["./python", "x", "-c"], b""),
    (["./no_newline", "y"], b""),
    (["env", "-i", "A=1", "env"], b""),
    (["printf", "%s|", "--", "-t", "-h", ""], b""),
    (["sh", "-c", "echo out; echo err >&2; exit 3"], b""),
    (["sh", "-c", "cat; echo $PPID >/dev/null; ls"], b"x"),
    (["head", "-c", "3"], b"abcdef"),
]


# KiB. Under a hard limit the program runs as natively, or there is one line that says which limit is too small; under a soft one
# alone it must run as natively.
HARD = [("v", kib) for kib in (6000, 8000, 12000, 16000, 20000, 24000, 28000, 32000, 36000, 40000, 50000, 70000, 100000, 300000)] + \
       [("d", kib) for kib in (*range(1000, 9000, 100), 9000, 10000, 12000, 15000, 20000, 40000, 100000)]
SOFT = [("v", 20000), ("v", 200000), ("d", 1000), ("d", 20000)]
RESOURCES = {"v": resource.RLIMIT_AS, "d": resource.RLIMIT_DATA}
SHOW_LIMITS = ["sh", "-c", "ulimit -v; ulimit -Hv; ulimit -d; ulimit -Hd; grep -E 'address|data' /proc/self/limits; sh -c 'ulimit -v; ulimit -d'"]


def run(argv, cwd, stdin=b"", before=None):
    done = watch.run(argv, 60, text=False, cwd=cwd, env=ENV, input=stdin, preexec_fn=before)
    return done.returncode, done.stdout, done.stderr


def limiter(kind, kib, hard):
    def lower():
        most = resource.getrlimit(RESOURCES[kind])[1]
        resource.setrlimit(RESOURCES[kind], (kib * 1024, kib * 1024 if hard else most))
    return lower


def hard_check(kind, kib, cwd, way):
    argv, before = ["/bin/echo", "hi"], limiter(kind, kib, True)
    want, got = run(argv, cwd, before=before), run([LINCHPIN] + way + ["--"] + argv, cwd, before=before)
    lines = got[2].decode(errors="replace").splitlines()
    said = any(line.startswith("linchpin: ") and f"ulimit -H{kind}" in line for line in lines)
    # Near the edge the program itself may be refused what it has a right to: then its own message follows ours, or its loader crashes for want of memory (as natively under ulimit -v 1000), or it can do without.
    if got == want or (said and (got[0] != 0 and len(lines) <= 2 or got[:2] == want[:2] and len(lines) == 1)):
        return None
    return f"{got}, natively {want}"


def soft_check(kind, kib, cwd, way):
    before = limiter(kind, kib, False)
    want, got = run(SHOW_LIMITS, cwd, before=before), run([LINCHPIN] + way + ["--"] + SHOW_LIMITS, cwd, before=before)
    return None if want == got else f"{got}, natively {want}"


def log_check(cwd, way):
    """Facts of the start at level 1, traces at level 2, appended, in the same file for followed programs in other directories."""
    path = os.path.join(cwd, "log")
    if os.path.exists(path):
        os.remove(path)
    program = ["sh", "-c", "echo out; cd /; /bin/true"]
    got = run([LINCHPIN] + way + ["-logfile", "log", "-log", "1", "-follow_execv", "--"] + program, cwd)
    with open(path) as f:
        text = f.read()
    facts = [text.count(word) >= 2 for word in ("version ", "host memory ", "cache region ")]
    if got != (0, b"out\n", b"") or not all(facts) or "trace " in text or any(not line.startswith("linchpin: ") for line in text.splitlines()):
        return f"level 1: {got}, log {text!r}"
    got = run([LINCHPIN] + way + ["-logfile", path, "-log", "2", "--", "true"], cwd)
    with open(path) as f:
        more = f.read()
    if got != (0, b"", b"") or not more.startswith(text) or "linchpin: trace " not in more:
        return f"level 2: {got}"
    code, out, err = run([LINCHPIN] + way + ["-logfile", "no/such/dir/log", "--", "true"], cwd)
    return None if code == 1 and not out and b"no/such/dir/log" in err and err.count(b"\n") == 1 else f"no such directory: {code} {err}"


def ignored_check(cwd, way):
    """Options of Pin that mean nothing here do nothing, and level 1 names them; - and _ are one."""
    words = ["-mt", "-smc_strict", "1", "-restrict-memory", "0x1000:0x2000", "-p64", "other", "-inline", "1"]
    if run([LINCHPIN] + way + words + ["--", "echo", "out"], cwd) != (0, b"out\n", b""):
        return "they are not ignored"
    text = run([LINCHPIN] + way + ["-log", "1"] + words + ["--", "true"], cwd)[2].decode()
    said = re.findall(r"^linchpin: option (\S+) means nothing here", text, re.M)
    if said != ["-mt", "-smc_strict", "-restrict_memory", "-p64"]:
        return f"named: {said}"
    text = run([LINCHPIN] + way + ["-log", "1", "-xyzzy", "-inline_maxlen", "5", "-nocmov", "--", "true"], cwd)[2].decode()
    said = re.findall(r"^linchpin: option (\S+) means nothing here", text, re.M)
    return None if said == ["-inline_maxlen", "-nocmov"] else f"named after -xyzzy: {said}"


# Pin's switches: those of which something is done here, those that are accepted and ignored, and those that Pin takes after -xyzzy only.
CARRIED_OUT = """-follow_execv -injection,dynamic -logfile,log -unique_logfile -error_file,errors -unique_error_file -inline,0 -log_inline -assert_check_inline -cc_memory_size,1G
    -cc_memory_size_64,1G -limit_code_cache,1G -cc_memory_range,0x3100000000:0x3140000000 -pin_memory_range,0x2100000000:0x2140000000 -pin_memory_size,1G -reserve_memory,/dev/null
    -tool_load_option,deepbind -appdebug_silent -appdebug_exclude,x -probe -mesgon,log_final -region_max_bbls,3 -region_max_inss,20 -thread_stack_size,512
    -bridge_save_x87,0 -bridge_save_mxcsr,0 -bridge_set_mxcsr,0""".split()
SHOWN_ONLY = "-pid -t32 -t64 -pause_tool -pause -appdebug -appdebug_enable -appdebug_allow_remote -appdebug_connection -appdebug_server_port -help -version -t".split()
IGNORED = """-mt -ifeellucky -slow_asserts -smc_strict,1 -smc_support,0 -separate_memory -keep_threads -statistic -detach_reattach,1 -no_absolute_32bit_probes -late_injection
    -debug_instrumented_processes -log_server,x -p32,a -p64,b -symbol_path,z -tool_exit_timeout,5 -pin_image_memory_range,0x1000:0x2000 -restrict_memory,0x1000:0x2000
    -cache_block_size,65536 -high_water_mark,5 -comment,hello""".split()
DEVELOPERS = """-smc_check_all,1 -randomOffsetProbes,2 -inline_bridge,0 -inline_maxlen,50 -max_jit_recursion_level,1 -jit_all_exits,1 -liveness,0 -nocmov,1 -use_sahf,0 -bridge_save_fp,0
    -separately_handled_xmm,1 -sa_canonical,1 -generate_then_code_exception,1 -virtual_segments,1 -enable_vsm -max_rtn,5 -recycle_rtn,1 -txrep -emulate_tsx_as_aborted""".split()
OF_TOOLS = """-slow_asserts -discard_line_info,libc.so.6 -discard_line_info_all -support_jit_api -symbol_path,x -keep_contained_symbols -mesgon,log_final -statistic -debug_info_max_size,5
    -unrestricted_rtn_size -allow_probe_potential_branch_target -randomOffsetProbes,1""".split()
OF_TOOLS_CARRIED_OUT = "-logfile,log -unique_logfile -short_name -dwarf_file,a:b".split()


def every_option_check(cwd, way):
    """Every switch of Pin is carried out, or ignored, which -log 1 says; unknown ones are refused, and so are those of Pin's developers without -xyzzy."""
    def words(options):
        return [word for option in options for word in option.split(",")]

    def said(*command):
        status, _, err = run([LINCHPIN, *command, "--", "true"], cwd)
        return status, re.findall(r"^linchpin: option (\S+) means nothing here", err.decode(), re.M)
    for options, more in ((IGNORED, []), (DEVELOPERS, ["-xyzzy"])):
        got = said(*way, "-log", "1", *more, *words(options))
        if got != (0, [option.split(",")[0] for option in options]):
            return f"ignored: {got}"
    apart = {"-injection", "-logfile", "-unique_logfile", "-probe"}  # they change where the text goes, or what runs
    for option in CARRIED_OUT:
        name = option.split(",")[0]
        got = (0, []) if name in apart else said(*way, "-log", "1", *words([option]))
        known = run([LINCHPIN, *words([option]), "-version"], cwd)
        if got != (0, []) or known[0] or known[2]:
            return f"{option}: {got} {known}"
    help_text = run([LINCHPIN, "-help"], cwd)[1].decode()
    if missing := [name for name in SHOWN_ONLY if not re.search(rf"^ +{name}\b", help_text, re.M)]:
        return f"not in -help: {missing}"
    for option in DEVELOPERS:
        if said(*way, *words([option]))[0] != 1:
            return f"{option} without -xyzzy"
    got = said(*way, "-log", "1", "-t", "inscount", "-o", "out", *words(OF_TOOLS))
    if got != (0, [option.split(",")[0] for option in OF_TOOLS]):
        return f"of tools: {got}"
    got = said(*way, "-log", "1", "-t", "inscount", "-o", "out", *words(OF_TOOLS_CARRIED_OUT))
    return None if got == (0, []) else f"of tools, carried out: {got}"


def carried_out_check(cwd, way):
    """Options of Pin that mean something: error records, a log of each process, a pause, traces of one block."""
    status, _, err = run([LINCHPIN] + way + ["-error_file", "records", "-falafel&<", "--", "true"], cwd)
    with open(os.path.join(cwd, "records")) as f:
        text = f.read()
    if status != 1 or b"-falafel" not in err or "<severity>FATAL ERROR</severity>\n  <text>unknown option -falafel&amp;&lt; (" not in text:
        return f"-error_file: {status} {text!r}"
    run([LINCHPIN] + way + ["-error_file", "each", "-unique_error_file", "-falafel", "--", "true"], cwd)
    if [name for name in os.listdir(cwd) if re.fullmatch(r"each\.\d+", name)] == [] or os.path.exists(os.path.join(cwd, "each")):
        return "-unique_error_file"
    run([LINCHPIN] + way + ["-logfile", "single", "-unique_logfile", "-log", "1", "--", "true"], cwd)
    if [name for name in os.listdir(cwd) if re.fullmatch(r"single\.\d+", name)] == [] or os.path.exists(os.path.join(cwd, "single")):
        return "-unique_logfile"
    out = run([LINCHPIN] + way + ["-pause", "1", "--", "echo", "out"], cwd)[1].decode()
    if not re.fullmatch(r"Pausing for 1 seconds to attach to process with pid \d+\nTo attach .*\nResuming\nout\n", out):
        return f"-pause: {out!r}"
    traces = [len(re.findall(r"^linchpin: trace ", run([LINCHPIN] + way + ["-log", "2", "-no_join", *words, "--", "true"], cwd)[2].decode(), re.M))
              for words in ([], ["-region-max-bbls", "1"])]
    return None if traces[1] > traces[0] * 1.2 else f"-region_max_bbls 1: {traces} traces"


def pin_check(cwd, way):
    """The command pin says what goes wrong as Pin does: a line with its class on standard output and in the log."""
    pin, log = [os.path.join(ROOT, "share", "pin-compat", "pin")] + way, os.path.join(cwd, "pin.log")
    for words, text in ((["-logfile"], r"\[tid:\d+\] missing argument for -logfile: .*"), (["-t", "./nowhere.so", "--", "true"], r"Unable to resolve tool path: .*"),
                        (["-t", "tool.so"], r"Missing application name: .*"), (["-falafel", "--", "true"], "unknown option -falafel .*"), (["-xyzzy", "-assert", "--", "true"], "Testing assertions")):
        if os.path.exists(log):
            os.unlink(log)
        status, out, err = run(pin + words, cwd)
        with open(log) as f:
            said = f.read()
        if status != 1 or not re.fullmatch(f"E: {text}\n", out.decode()) or not re.fullmatch(f"E:  {text}\n", said) or not err.startswith(b"linchpin: "):
            return f"{words}: {status} {out} {err} {said!r}"
    os.unlink(log)
    status, out, err = run(pin + ["-falafel", "-logfile", "named", "--", "true"], cwd)
    with open(os.path.join(cwd, "named")) as f:
        if status != 1 or os.path.exists(log) or not f.read().startswith("E:  unknown option -falafel"):
            return f"-logfile: {status} {out} {err}"
    if b"General switches" not in run(pin + ["-help", "-logfile", "x"], cwd)[1] or not re.match(rb"Pin: pin-3\.31.*\nCopyright", run(pin + ["-version"], cwd)[1]):
        return "-help or -version"
    status, out, err = run([LINCHPIN] + way + ["-falafel", "--", "true"], cwd)
    return None if (status, out) == (1, b"") and err and not os.path.exists(log) else f"linchpin: {status} {out} {err}"


BAD_TOOL = """#include "pin.H"
#include <cstdlib>
static VOID Crash() { *(volatile int *)8 = 1; }
static VOID Nothing() {}
static VOID Instruction(INS ins, VOID *)
{
    if (getenv("BAD_TOOL_AFTER"))
        INS_InsertCall(ins, IPOINT_AFTER, AFUNPTR(Nothing), IARG_END);
    INS_InsertCall(ins, IPOINT_BEFORE, AFUNPTR(Crash), IARG_END);
}
int main(int argc, char **argv)
{
    PIN_Init(argc, argv);
    INS_AddInstrumentFunction(Instruction, 0);
    PIN_StartProgram();
}
"""


def pin_tool_check(cwd, way):
    """So it says what a tool does wrong: its mistakes (E:), with the line of its source, and its faults (C:), with what it touched."""
    pin, log = [os.path.join(ROOT, "share", "pin-compat", "pin")] + way, os.path.join(cwd, "pin.log")
    with open(os.path.join(cwd, "bad.cpp"), "w") as f:
        f.write(BAD_TOOL)
    built = run([LINCHPIN, "cc", "bad.cpp", "-o", "bad.so"], cwd)
    if built[0]:
        return f"linchpin cc: {built}"
    crash = r"Tool \(or Pin\) caused signal; .* signal 11 .* Access Type: write\. Access Address: 0x8\."
    mistake = r"INS_InsertCall: Inserting IPOINT_AFTER with invalid instruction: .* \(called at .*bad\.cpp:8\)"
    for environment, status, letter, text in (([], -11, "C", crash), (["env", "BAD_TOOL_AFTER=1"], 1, "E", mistake)):
        if os.path.exists(log):
            os.unlink(log)
        got = run([*environment, *pin, "-t", "./bad.so", "--", "/bin/true"], cwd)
        with open(log) as f:
            said = f.read()
        if got[0] not in (status, 128 - status) or not re.fullmatch(f"{letter}: {text}\n", got[1].decode()) or not re.fullmatch(f"{letter}:  {text}\n", said) or not got[2].startswith(b"linchpin: "):
            return f"{letter}: {got} {said!r}"
    return None


def stats_check(cwd, way):
    """The table names every place; the JSON has the same, its cycles and counters are those of the run, as are its bytes."""
    code, out, err = run([LINCHPIN] + way + ["-stats", "--", "true"], cwd)
    if code or out or any(word not in err for word in (b"VM: system calls", b"traces made", b"exit records", b"host memory resident")):
        return f"table: {code} {err}"
    table = err
    code, out, err = run([LINCHPIN] + way + ["-stats_json", "stats", "--", "true"], cwd)
    with open(os.path.join(cwd, "stats")) as f:
        got = json.load(f)
    cycles, counters = got["cycles"], got["counters"]
    entered = cycles["program and analysis routines"]["times"]
    if code or out or err or any(cycles[place]["cycles"] <= 0 for place in ("start", "program and analysis routines", "translation: decoding", "translation: writing code")):
        return f"JSON: {code} {err} {got}"
    named = {"traces made", "direct links", "system calls in the cache", "system calls in the VM", "cache flushes", "cache regions reclaimed", "writes to code pages", "stale checked traces", "traces invalidated",
             "signals delivered", "guest bytes translated", "cache bytes of traces"}
    if not named <= set(counters) or set(got["indirect branches"]) != {"indirect jumps", "indirect calls", "returns"} or any(name.encode() not in table for name in [*named, *cycles, *got["indirect branches"], *got["memory"]]):
        return f"something is missing: {got}"
    if not counters["entries into the cache"] <= entered or cycles["translation: decoding"]["times"] < counters["traces made"] or counters["traces made"] < 50:
        return f"JSON does not agree with itself: {got}"
    memory = got["memory"]
    kinds = [memory[kind] for kind in ("code of traces", "exit stubs and literals", "trace records", "exit records", "maps and counters of traces", "index of the cache", "directory of traces")]
    if min(kinds) <= 0 or sum(kinds) > memory["host memory resident"] or memory["host memory resident"] > memory["host memory mapped"] \
            or memory["code of traces"] < counters["cache bytes of traces"] or not 0 < counters["guest bytes in the cache, once"] <= counters["guest bytes translated"]:
        return f"bytes: {got}"
    code, out, err = run([LINCHPIN] + way + ["-stats_json", "no/such/dir/stats", "--", "true"], cwd)
    return None if code == 0 and b"no/such/dir/stats" in err else f"no such directory: {code} {err}"


def reclaim_check(cwd, way):
    """Without a limit, a program that makes its code anew all the time gets by with the cache that its live code needs: regions of dead traces are used again."""
    guest, rounds = os.path.join(cwd, "smc_many"), "3000"
    subprocess.run(["gcc", "-D_GNU_SOURCE", "-O1", os.path.join(ROOT, "tests", "engine", "a_smc_many.c"), "-o", guest], check=True)
    want, got = run([guest, rounds], cwd), run([LINCHPIN] + way + ["-stats_json", "stats", "--", guest, rounds], cwd)
    with open(os.path.join(cwd, "stats")) as f:
        stats = json.load(f)
    counters = stats["counters"]
    if want != got:
        return f"{got}, natively {want}"
    good = counters["cache regions reclaimed"] >= 2 and stats["memory"]["code of traces"] < counters["cache bytes of traces"] / 2
    return None if good else f"the cache has grown: {stats}"


# N signals to a handler, N calls of mprotect, code changed N times, and 2 N calls of getppid by two threads.
EVENTS = """
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int handled, n;

static void handler(int sig) { handled += sig == SIGUSR1; }

static void *thread(void *arg)
{
    for (int i = 0; i < n; i++)
        syscall(SYS_getppid);
    return arg;
}

int main(int argc, char **argv)
{
    static const unsigned char code[] = {0xb8, 0, 0, 0, 0, 0xc3}; /* mov $0,%eax; ret */
    unsigned char *page = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_t t[2];
    int pid = getpid(), good = 0;
    n = argc > 1 ? atoi(argv[1]) : 0;
    signal(SIGUSR1, handler);
    for (int i = 0; i < n; i++)
        syscall(SYS_kill, pid, SIGUSR1);
    for (int i = 0; i < n; i++)
        syscall(SYS_mprotect, page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
    memcpy(page, code, sizeof code);
    good += ((int (*)(void))page)();
    for (int i = 0; i < n; i++) {
        memcpy(page + 1, &i, sizeof i);
        good += ((int (*)(void))page)() == i;
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, thread, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return good != n || handled != n;
}
"""


def counts_check(cwd, way):
    """What the program does N times more often is counted N times more, by all threads together; each time that the cache was left has a reason."""
    with open(os.path.join(cwd, "events.c"), "w") as f:
        f.write(EVENTS)
    subprocess.run(["gcc", "-D_GNU_SOURCE", "-O1", "events.c", "-o", "events", "-pthread"], cwd=cwd, check=True)
    n, seen = 300, []
    for count in (0, n):
        code, out, err = run([LINCHPIN] + way + ["-no_variants", "-stats_json", "stats", "--", os.path.join(cwd, "events"), str(count)], cwd)  # each change is translated
        with open(os.path.join(cwd, "stats")) as f:
            seen.append(json.load(f))
        times = {place: row["times"] for place, row in seen[-1]["cycles"].items()}
        left = sum(value for place, value in times.items() if place.startswith("VM: ") and place != "VM: other")
        if code or out or err or left != times["program and analysis routines"] or times["VM: emulated instructions"] != seen[-1]["counters"]["instructions emulated"]:
            return f"{count}: {code} {err} {seen[-1]}"
    more = {name: value - seen[0]["counters"][name] for name, value in seen[1]["counters"].items()}
    good = more["signals delivered"] == n and more["system calls in the VM"] == 2 * n and more["writes to code pages"] + more["stale checked traces"] == n and more["traces invalidated"] == n
    good &= abs(more["system calls in the cache"] - 3 * n) <= 8  # threads may wait for each other, in either run
    good &= more["writes to code pages"] > 0 and seen[1]["cycles"]["VM: changed code"]["times"] == seen[1]["counters"]["stale checked traces"]
    if not good:
        return f"{more}"
    got = run([LINCHPIN] + way + ["-stats_json", "stats", "--", os.path.join(cwd, "events"), str(n)], cwd)
    if got != (0, b"", b""):
        return f"with variants: {got}"
    with open(os.path.join(cwd, "stats")) as f:
        stale = json.load(f)["counters"]["stale checked traces"]
    return None if stale < n / 2 else f"{stale} changes of a constant were translated, although variants are kept"


def changing_check(cwd, way):
    """Code in which only constants and the targets of branches change is not translated for each of them; other code is."""
    subprocess.run(["gcc", "-O1", os.path.join(ROOT, "bench", "guest", "changing.c"), "-o", "changing"], cwd=cwd, check=True)
    n, guest = 20000, os.path.join(cwd, "changing")
    for kind in ("data", "same", "flip", "count", "operand", "jump", "call", "places", "new"):
        words = [guest, kind, str(n)]
        native, got = run(words, cwd), run([LINCHPIN] + way + ["-stats_json", "stats", "--", *words], cwd)
        with open(os.path.join(cwd, "stats")) as f:
            stale = json.load(f)["counters"]["stale checked traces"]
        if got != native or (stale > n / 4) != (kind == "new"):
            return f"{kind}: {native} natively, {got}, {stale} of {n} changes translated"
    return None


# N small functions, made and then called, all of them twice.
CODE = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
    uint64_t sum = 0, n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    uint8_t *code = mmap(0, n * 16, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (uint32_t i = 0; i < n; i++) {
        memcpy(code + i * 16ul, "\\x48\\x8d\\x87\\0\\0\\0\\0\\xc3", 8); /* lea i(%rdi), %rax; ret */
        memcpy(code + i * 16ul + 3, &i, sizeof i);
    }
    for (uint64_t i = 0; i < 2 * n; i++)
        sum = ((uint64_t (*)(uint64_t))(code + i % n * 16))(sum);
    return printf("%lu\\n", sum) < 0;
}
"""


def short_check(cwd, way):
    """Where memory is short, the cache is flushed and used again: a program with more code than there is memory for runs."""
    with open(os.path.join(cwd, "code.c"), "w") as f:
        f.write(CODE)
    subprocess.run(["gcc", "-D_GNU_SOURCE", "-O1", "code.c", "-o", "code"], cwd=cwd, check=True)
    argv, before = [os.path.join(cwd, "code"), "150000"], limiter("v", 60000, True)
    want = run(argv, cwd, before=before)
    got = run([LINCHPIN] + way + ["-stats_json", "stats", "--"] + argv, cwd, before=before)
    lines = got[2].decode(errors="replace").splitlines()  # a mapping that the program can do without may be refused, and that is said
    if want[:2] != got[:2] or len(lines) > 1 or any("ulimit -Hv" not in line for line in lines):
        return f"{got}, natively {want}"
    with open(os.path.join(cwd, "stats")) as f:
        flushes = json.load(f)["counters"]["cache flushes"]
    return None if flushes else "the cache was never flushed: there was memory enough"


# many together|after N: threads that are all there at once, or one after another.
MANY = """
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t all;

static void *meet(void *arg)
{
    if (arg)
        pthread_barrier_wait(&all);
    return arg;
}

int main(int argc, char **argv)
{
    int together = argv[1][0] == 't', n = argc > 2 ? atoi(argv[2]) : 0;
    pthread_t t[256];
    pthread_barrier_init(&all, NULL, (unsigned)n);
    for (int i = 0; i < n; i++) {
        if (pthread_create(&t[i % 256], NULL, meet, together ? &all : NULL))
            return 1;
        if (!together)
            pthread_join(t[i % 256], NULL);
    }
    for (int i = 0; together && i < n; i++)
        pthread_join(t[i], NULL);
    return 0;
}
"""


# A thread that waits in a system call, in the code cache's gate or in the VM, while the program translates more than the cache may hold.
WAITS = """
import os, signal, sys, threading
ends = os.pipe()
waits = {"gate": lambda: os.read(ends[0], 1), "vm": lambda: signal.sigwait([signal.SIGUSR1])}
threading.Thread(target=waits[sys.argv[1]], daemon=True).start()
import json, re, unittest
os._exit(0)
"""


def waiting_check(cwd, way):
    """A thread that waits does not keep the code of flushed traces from being used again: the cache's limit holds (E10)."""
    limit = 1 << 20
    with open(os.path.join(cwd, "waits.py"), "w") as f:
        f.write(WAITS)
    for where in ("gate", "vm"):
        code, _, err = run([LINCHPIN] + way + ["-stats_json", "stats", "-cc_memory_size", str(limit), "--", "/usr/bin/python3", "waits.py", where], cwd)
        if code or err:
            return f"{where}: status {code} {err}"
        with open(os.path.join(cwd, "stats")) as f:
            got = json.load(f)
        if got["memory"]["code cache"] > 2 * limit or not got["counters"]["cache flushes"]:
            return f"{where}: {got['memory']}"
    return None


def memory_check(cwd, way):
    """A thread costs what is said of it, as long as it is there; a limit holds for the cache and all that is known of its traces."""
    with open(os.path.join(cwd, "many.c"), "w") as f:
        f.write(MANY)
    subprocess.run(["gcc", "-O1", "many.c", "-o", "many", "-pthread"], cwd=cwd, check=True)

    def measure(*words):
        code, out, err = run([LINCHPIN] + way + ["-stats_json", "stats", *words], cwd)
        with open(os.path.join(cwd, "stats")) as f:
            got = json.load(f)
        return got if not code and not out and not err else {"failed": (code, out, err)}

    guest, few, more = os.path.join(cwd, "many"), 2, 130
    rows = [measure("--", guest, how, str(n)) for how, n in (("together", few), ("together", more), ("after", more))]
    python, limit = ["--", "/usr/bin/python3", "-c", "import json, re"], 1 << 20
    rows += [measure(*python), measure("-cc_memory_size", str(limit), *python)]
    if any("memory" not in row for row in rows):
        return f"{rows}"
    memory = [row["memory"] for row in rows]
    each, mapped = memory[1]["mapped for each further thread"], [m["host memory mapped"] for m in memory]
    if not 0 < mapped[1] - mapped[0] <= (more - few) * each + (1 << 20) or mapped[2] - mapped[0] > 8 * each or not 0 < memory[1]["touched for each further thread"] < each:
        return f"threads: {memory[:3]}"
    records = [sum(m[kind] for kind in ("trace records", "exit records", "maps and counters of traces", "index of the cache", "directory of traces")) for m in memory]
    good = memory[3]["code cache"] > 2 * limit >= 2 * memory[4]["code cache"] and records[4] < 2 * limit < records[3] and rows[4]["counters"]["cache flushes"] > 0
    good &= all(m["code cache"] == m["code of traces"] + m["exit stubs and literals"] + m["routines of regions"] for m in memory)
    return None if good else f"limit: {memory[3:]}"


# 1000 calls and returns through the same two places, 500 jumps through a table of two, and nothing else that is indirect.
INDIRECT = """
        .globl _start
_start: mov $1000, %ebx
1:      lea f(%rip), %rax
        call *%rax
        test $1, %bl
        jnz 2f
        mov %ebx, %ecx
        shr %ecx
        and $1, %ecx
        jmp *table(,%rcx,8)
a:      nop
b:      nop
2:      dec %ebx
        jnz 1b
        mov $60, %eax
        xor %edi, %edi
        syscall
f:      ret
        .section .rodata
table:  .quad a, b
"""


def indirect_check(cwd, way):
    """Every indirect branch is counted once, whatever becomes of it; the first one to each target misses."""
    with open(os.path.join(cwd, "indirect.S"), "w") as f:
        f.write(INDIRECT)
    subprocess.run(["gcc", "-nostdlib", "-static", "-no-pie", "indirect.S", "-o", "indirect"], cwd=cwd, check=True)
    program = os.path.join(cwd, "indirect")
    code, out, err = run([LINCHPIN] + way + ["-stats", "--", program], cwd)
    if code or out or re.search(rb"^linchpin: indirect jumps +500 +498 +0 +2$", err, re.M) is None:
        return f"table: {code} {err}"
    code, out, err = run([LINCHPIN] + way + ["-stats_json", "stats", "--", program], cwd)
    with open(os.path.join(cwd, "stats")) as f:
        got = json.load(f)["indirect branches"]
    want = {name: {"executed": n, "table": n - targets, "directory": 0, "missed": targets} for name, n, targets in (("indirect jumps", 500, 2), ("indirect calls", 1000, 1), ("returns", 1000, 1))}
    return None if not code and not err and got == want else f"JSON: {code} {err} {got}"


def clone_check(cwd, way):
    """Functions that are called often are copied for their calls, and returns from the copies are not indirect any more; with -no_clone they all are."""
    guest = os.path.join(cwd, "clone")
    subprocess.run(["gcc", "-D_GNU_SOURCE", "-O1", os.path.join(ROOT, "tests", "engine", "a_clone.c"), "-o", guest], check=True)
    want, stats = run([guest], cwd), []
    for options in (["-clone_after", "20000"], ["-no_clone"]):
        got = run([LINCHPIN] + way + options + ["-stats_json", "stats", "--", guest], cwd)
        if got != want:
            return f"{options}: {got}, natively {want}"
        with open(os.path.join(cwd, "stats")) as f:
            stats.append(json.load(f))
    cloned, returns = [s["counters"]["functions cloned"] for s in stats], [s["indirect branches"]["returns"]["executed"] for s in stats]
    return None if cloned[0] >= 4 and cloned[1] == 0 and returns[0] < returns[1] / 2 else f"{cloned} functions cloned, {returns} returns"


def bind_check(cwd, way):
    """Links between traces leave registers in the context where a tool's routines are inlined; with -no_bind none does."""
    guest = os.path.join(cwd, "loops")
    subprocess.run(["gcc", "-D_GNU_SOURCE", "-O1", os.path.join(ROOT, "tests", "engine", "a_loops.c"), "-o", guest], check=True)
    tool, bound = os.path.join(cwd, "access.so"), []
    subprocess.run([LINCHPIN, "cc", os.path.join(ROOT, "tests", "api", "tools", "everyaccess.cpp"), "-o", tool], check=True)
    want = run([guest], cwd)
    for options in ([], ["-no_bind"]):
        got = run([LINCHPIN] + way + options + ["-stats_json", "stats", "-t", tool, "--", guest], cwd)
        if got != want:
            return f"{options}: {got}, natively {want}"
        with open(os.path.join(cwd, "stats")) as f:
            bound.append(json.load(f)["counters"]["of these, with registers in the context"])
    return None if bound[0] >= 50 and not bound[1] else f"{bound} such links"


def of_running(options, cwd, what):
    """What /proc says of a running program and the engine in it, in lines."""
    process = subprocess.Popen([LINCHPIN, *options, "--", "cat"], cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    try:
        process.stdin.write(b"up\n")
        process.stdin.flush()
        process.stdout.readline()
        return [line for pid in watch.descendants(process.pid) for line in watch.read(f"/proc/{pid}/{what}").splitlines()]
    finally:
        process.stdin.close()
        watch.wait(process, 60)
        process.stdout.close()


def both_at_once(options, cwd):
    """The mappings, the engine's included, that are writable and executable at once."""
    return [line for line in of_running(options, cwd, "maps") if " rwx" in line]


def large_check(cwd, way):
    """The engine's tables are in a large page, where the kernel gives those that ask for them such pages, and in none with the option."""
    if "[madvise]" not in watch.read("/sys/kernel/mm/transparent_hugepage/enabled"):
        return None
    kib = [sum(int(line.split()[1]) for line in of_running([*way, *more], cwd, "smaps") if line.startswith("AnonHugePages:")) for more in ([], ["-no_large_pages"])]
    return None if kib[0] >= 2048 and kib[1] == 0 else f"{kib} KiB in large pages"


def wx_check(cwd, way):
    if not both_at_once(way, cwd):
        return "without -wx nothing is writable and executable: the test does not see the cache"
    left = both_at_once([*way, "-wx"], cwd)
    return f"writable and executable with -wx: {left}" if left else None


NO_PTRACE = ["setpriv", "--inh-caps", "-sys_ptrace", "--bounding-set", "-sys_ptrace"]
TOLD = {  # what a program does that is not as natively, and what Linchpin says then
    "int80": "32-bit system call 174 by int $0x80",
    "unseen80": "32-bit system call 75 by int $0x80, which the engine does not carry out:",
    "filter80": "32-bit system call 91 by int $0x80, which the engine does not carry out under a seccomp filter:",
    "code32": "0x23 at 0x12345678; 32-bit code is not run",
    "return32": "0x23 at 0x12345678; 32-bit code is not run",
    "seize": "runs under Linchpin, too",
    "filter": "tests the instruction pointer",
    "listener": "has a listener",
    "fixed": "where the engine is: ENOMEM",
    "mdwe": "not for what it executes now",
    "traceme": "has other threads",
    "exec": "does not take the program's seccomp filters",  # needs a capability
}
TOLD_OUT = {"int80": b"-38 -38 0\n", "unseen80": b"-14 -14 0\n", "filter80": b"-22 -22 0\n", "code32": b"2\n", "return32": b"2\n"}
TOLD_C = r"""
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
static int filter(struct sock_filter *f, int n)
{
    struct sock_fprog p = {(unsigned short)n, f};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p);
}
static void *waits(void *arg)
{
    for (;;)
        pause();
    return arg;
}
static void once(const char *what, char **argv)
{
    struct sock_filter f[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, 12}, {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
    static struct { unsigned version; int pid; } head = {0x20080522, 0};
    static unsigned none[6];
    pthread_t t;
    if (!strcmp(what, "filter") || !strcmp(what, "filter80")) {
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        printf("%d\n", filter(f + !!what[6], 2 - !!what[6]));
    } else if (!strcmp(what, "listener")) {
        struct sock_fprog p = {1, f + 1};
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        printf("%ld\n", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &p));
    } else if (!strcmp(what, "fixed")) {
        printf("%p\n", mmap((void *)0x6dffffc4c000, 4096, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    } else if (!strcmp(what, "mdwe")) {
        if (prctl(65, 1, 0, 0, 0) == 0)
            execv("/bin/true", argv);
    } else if (!strcmp(what, "traceme")) {
        pthread_create(&t, NULL, waits, NULL);
        printf("%ld\n", ptrace(PTRACE_TRACEME, 0, 0, 0));
    } else if (!strcmp(what, "exec")) {
        filter(f + 1, 1);
        syscall(SYS_capset, &head, none);
        execv("/bin/true", argv);
    }
}
static long int80(long nr, long a, long b)
{
    long r;
    __asm__ volatile("int $0x80" : "=a"(r) : "a"(nr), "b"(a), "c"(b) : "memory", "r8", "r9", "r10", "r11");
    return r;
}
static sigjmp_buf out;
static int faults;
static void on_segv(int sig)
{
    faults += sig == SIGSEGV;
    siglongjmp(out, 1);
}
static void to32(void)
{
    static struct __attribute__((packed)) { unsigned offset; unsigned short selector; } far = {0x12345678, 0x23};
    signal(SIGSEGV, on_segv);
    if (!sigsetjmp(out, 1))
        __asm__ volatile("ljmp *%0" : : "m"(far));
}
static void on_usr(int sig, siginfo_t *info, void *context)
{
    unsigned short cs = 0x23;
    (void)sig, (void)info;
    memcpy(&((ucontext_t *)context)->uc_mcontext.gregs[REG_CSGSFS], &cs, sizeof cs);
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] = 0x12345678;
}
static void return32(void)
{
    struct sigaction act = {.sa_sigaction = on_usr, .sa_flags = SA_SIGINFO};
    signal(SIGSEGV, on_segv);
    sigaction(SIGUSR1, &act, NULL);
    if (!sigsetjmp(out, 1))
        raise(SIGUSR1);
}
int main(int argc, char **argv)
{
    (void)argc;
    once(argv[1], argv);
    for (int i = 0; i < 2; i++) /* said once */
        if (!strcmp(argv[1], "int80"))
            printf("%ld ", int80(174, SIGUSR1, 0));
        else if (!strcmp(argv[1], "unseen80") || !strcmp(argv[1], "filter80"))
            printf("%ld ", argv[1][0] == 'u' ? int80(75, 99, 0) : int80(91, 1, 4096)); /* setrlimit, munmap: wrong ones */
        else if (!strcmp(argv[1], "code32"))
            to32();
        else if (!strcmp(argv[1], "return32"))
            return32();
    printf("%d\n", faults);
    if (!strcmp(argv[1], "seize")) {
        int fd[2];
        pid_t pid, child = pipe(fd) ? -1 : fork(); /* the child makes the process that is traced */
        if (!child) {
            if (!(pid = fork()))
                for (;;)
                    pause();
            if (write(fd[1], &pid, sizeof pid) < 0)
                return 1;
            return waitpid(pid, NULL, 0) != pid;
        }
        if (read(fd[0], &pid, sizeof pid) == sizeof pid)
            printf("%ld\n", ptrace(PTRACE_SEIZE, pid, 0, 0));
        kill(pid, SIGKILL);
        waitpid(pid, NULL, __WALL);
        waitpid(child, NULL, 0);
    }
    return 0;
}
"""


def told_check(cwd, way):
    """What a program does that is not as natively is said, once."""
    with open(os.path.join(cwd, "told.c"), "w") as f:
        f.write(TOLD_C)
    subprocess.run(["gcc", "-O1", "told.c", "-o", "told", "-pthread"], cwd=cwd, check=True)
    for what, word in TOLD.items():
        if what == "exec" and os.geteuid():
            continue
        code, out, err = run([LINCHPIN] + way + ["--", "./told", what], cwd)
        if err.count(b"\n") != 1 or word.encode() not in err or not out.endswith(TOLD_OUT.get(what, b"")):
            return f"{what}: {code} {out!r} {err!r}"
    return None


NOBODY, GAMES = 65534, 60


def copy_of_id(cwd, name, mode, uid=0, gid=0, capability=None):
    """id(1) that gets the privileges of a user, of a group, or a capability."""
    path = os.path.join(cwd, name)
    shutil.copyfile("/usr/bin/id", path)
    os.chown(path, uid, gid)
    os.chmod(path, mode)
    if capability is not None:
        os.setxattr(path, "security.capability", struct.pack("<IIIII", 0x02000001, 1 << capability, 0, 0, 0))


def privileged_check(cwd, way):
    """A program that would run without the privileges of its file is refused, or run without the engine; where the kernel gives them to a program that is traced, it has them."""
    copy_of_id(cwd, "id_user", 0o4755, uid=NOBODY)
    copy_of_id(cwd, "id_group", 0o2755, gid=GAMES)
    for argv, refused in ((["./id_user", "-u"], NO_PTRACE), (["./id_group", "-g"], NO_PTRACE), (["./id_group", "-g"], [])):
        want = run(argv, cwd)
        code, out, err = got = run(refused + [LINCHPIN] + way + ["--"] + argv, cwd)
        may = not way and not refused
        if got != want if may else code != 126 or out or b"-privileged_natively" not in err or err.count(b"\n") != 1:
            return f"{refused} {argv}: {got}, natively {want}"
        got = run(refused + [LINCHPIN] + way + ["-privileged_natively", "--"] + argv, cwd)
        if got != want:
            return f"{refused} {argv} -privileged_natively: {got}, natively {want}"
    return None


def powerless_check(cwd, way):
    """A program whose file gives nothing that it would have natively runs: its user has it all, or the process may not get more."""
    copy_of_id(cwd, "id_root", 0o4755)
    copy_of_id(cwd, "id_cap", 0o755, capability=13)
    copy_of_id(cwd, "id_user", 0o4755, uid=NOBODY)
    for argv in (["./id_root", "-u"], ["./id_cap", "-u"], ["setpriv", "--no-new-privs", "./id_user", "-u"]):
        at = -2
        want, got = run(argv, cwd), run(argv[:at] + [LINCHPIN] + way + ["--"] + argv[at:], cwd)
        if want != got:
            return f"{argv}: {got}, natively {want}"
    return None


# A machine on which an ordinary user can write nowhere.
READ_ONLY = """for place in $(cut -d' ' -f2 /proc/self/mounts); do mount -o remount,bind,ro "$place" 2>/dev/null; done
exec setpriv --reuid %d --regid %d --clear-groups env HOME=/nonexistent TMPDIR=/nonexistent "$@" """ % (NOBODY, NOBODY)


@contextlib.contextmanager
def installed():
    """The command where every user can read it: the project may be in a home that others cannot enter."""
    with tempfile.TemporaryDirectory(prefix="lp-installed-", dir="/tmp") as top:
        os.chmod(top, 0o755)
        for name in ("bin", "lib"):
            shutil.copytree(os.path.join(os.path.dirname(LINCHPIN), os.pardir, name), os.path.join(top, name))
        shutil.copytree(os.path.join(ROOT, "include"), os.path.join(top, "include", "linchpin-pin"))
        yield os.path.join(top, "bin", "linchpin")


def read_only_check(cwd, way):
    """A user who can write nowhere runs programs and tools; what has to write says what it cannot."""
    with installed() as linchpin, tempfile.TemporaryDirectory(prefix="lp-dir-", dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        with open(os.path.join(folder, "tool.cpp"), "w") as f:
            f.write("int main() { return 0; }\n")

        def there(*words):
            return run(["unshare", "-m", "sh", "-c", READ_ONLY, "sh", *words], folder)
        for place in (folder, "/tmp", "/var/tmp", "/dev/shm"):
            if there("touch", os.path.join(place, "lp-probe"))[0] == 0:
                return f"{place} can be written, and should not"
        program = ["sh", "-c", "echo hi; exec env A=1 sh -c 'exit 4'"]
        for options, said in (([], b""), (["-follow_execv"], b""), (["-follow_execv", "-t", "inscount"], b"instructions: "), (["-follow_execv", "-stats"], b"traces made")):
            code, out, err = there(linchpin, *way, *options, "--", *program)
            if (code, out) != (4, b"hi\n") or said not in err or not said and err:
                return f"{options}: {code} {out} {err}"
        for words in (["-t", "inscount", "-o", "result"], ["-logfile", "result"]):
            code, out, err = there(linchpin, *way, *words, "--", *program)
            if code != 1 or b"result" not in err or b"Read-only" not in err or err.count(b"\n") != 1:
                return f"{words}: {code} {out} {err}"
        code, out, err = there(linchpin, "cc", "tool.cpp", "-o", "tool.so")
        return None if code and b"Read-only" in err else f"cc: {code} {out} {err}"


NO_PROC = """umount -l /proc && exec "$@" """


def no_proc_check(cwd, way):
    """Without /proc there is one message, and tools can still be built; a program that loses it goes on, and what it executes runs natively, with a message."""
    def there(*words):
        return run(["unshare", "-m", "sh", "-c", NO_PROC, "sh", *words], cwd)
    for words in ([*way, "--", "true"], [*way, "-t", "inscount", "--", "true"], ["-pid", "1"], ["detach", "1"]):
        code, out, err = there(LINCHPIN, *words)
        if code != 1 or out or b"/proc is not mounted" not in err or err.count(b"\n") != 1:
            return f"{words}: {code} {out} {err}"
    with open(os.path.join(cwd, "noproc.cpp"), "w") as f:
        f.write("int main() { return 0; }\n")
    code, out, err = there(LINCHPIN, "cc", "noproc.cpp", "-o", "noproc.so")
    if code:
        return f"cc: {code} {err}"
    code, out, err = there(LINCHPIN, "doctor")
    if code != 1 or b"no /proc" not in out:
        return f"doctor: {code} {out} {err}"
    loses = ["unshare", "-m", "sh", "-c", "umount -l /proc; echo on; exec env A=1 sh -c 'echo next; exit 4'"]
    want, got = run(loses, cwd), run([LINCHPIN, *way, "--", *loses], cwd)
    if want != got:
        return f"{got}, natively {want}"
    code, out, err = run([LINCHPIN, *way, "-follow_execv", "--", *loses], cwd)
    return None if (code, out) == want[:2] and b"runs natively: /proc is not there" in err else f"followed: {code} {out} {err}, natively {want}"


def other_root_check(cwd, way):
    """What is executed in another root directory, where the linchpin command is not, runs natively, and a message says so."""
    os.makedirs(os.path.join(cwd, "root"), exist_ok=True)
    shutil.copy(os.path.join(cwd, "good"), os.path.join(cwd, "root", "good"))
    argv = ["/usr/sbin/chroot", "root", "/good"]
    code, out, err = run([LINCHPIN, *way, "-follow_execv", "--", *argv], cwd)
    return None if (code, out) == run(argv, cwd)[:2] and b"/good runs natively: " in err and err.count(b"\n") == 1 else f"{code} {out} {err}"


def failure_check(words, status, word, cwd, way):
    """None, or what is wrong."""
    code, out, err = run([LINCHPIN] + way + words, cwd)
    text = err.decode(errors="replace")
    if status is not None and code != status or code <= 0:
        return f"status {code}, not {status}: {text!r}"
    if out or text.count("\n") != 1 or not text.startswith("linchpin: ") or word not in text:
        return f"expected one line `linchpin: ...{word}...`, got {text!r} {out!r}"
    return None


def same_check(argv, stdin, cwd, way):
    want, got = run(argv, cwd, stdin), run([LINCHPIN] + way + ["--"] + argv, cwd, stdin)
    return None if want == got else f"{got}, natively {want}"


# What a program hears that executes such a file itself, and then does what execvp does.
NO_FORMAT = """import os
try: os.execv("./text", ["./text"])
except OSError as e: print(e.errno, flush=True)
os.execv("/bin/sh", ["/bin/sh", "./text", "a", "b"])"""


def shell_check(cwd, way):
    """A script without a first line that names its interpreter runs as execvp, here that of env, runs it."""
    for argv in (["./text", "one", "t w o"], ["text", "x"], ["./empty"], ["./text_bang", "y"]):
        path = dict(ENV, PATH=".:" + ENV["PATH"])
        want, got = (watch.run(words, 60, text=False, cwd=cwd, env=path, input=b"in")
                     for words in (["/usr/bin/env", *argv], [LINCHPIN, *way, "--", *argv]))
        if (want.returncode, want.stdout, want.stderr) != (got.returncode, got.stdout, got.stderr):
            return f"{argv}: {got}, with env {want}"
    for argv in (["env", "./text", "one", "two"], [sys.executable, "-c", NO_FORMAT]):
        want = run(argv, cwd, b"in")
        for options in ([], ["-follow_execv"]):
            got = run([LINCHPIN] + way + options + ["--"] + argv, cwd, b"in")
            if got != want:
                return f"{options} {argv}: {got}, natively {want}"
    return None


def ident_check(cwd, way):
    """A program with odd bytes where the kernel does not look is the tool's as any other: its symbols are found, and it is followed."""
    path, plain = os.path.join(cwd, "odd"), os.path.join(cwd, "even")
    source = "#include <stdio.h>\nint odd_function(void) { for (volatile int i = 0; i < 100000;) i++; return puts(\"odd\"); }\nint main(void) { return odd_function() < 0; }\n"
    subprocess.run(["gcc", "-g", "-O1", "-fno-inline", "-x", "c", "-", "-o", plain], input=source, text=True, check=True)
    with open(plain, "rb") as f:
        data = bytearray(f.read())
    data[4:7] = bytes([9, 2, 77])  # class, byte order, version
    with open(path, "wb") as f:
        f.write(data)
    os.chmod(path, 0o755)
    want = run(["./odd"], cwd)
    if want != (0, b"odd\n", b""):
        return f"natively {want}"
    for argv in (["./odd"], ["env", "./odd"]):
        out = os.path.join(cwd, "odd.out")
        got = run([LINCHPIN] + way + ["-follow_execv", "-t", "proccount", "-o", out, "--"] + argv, cwd)
        found = ""
        for name in glob.glob(out + "*"):  # of env, too
            with open(name) as f:
                found += f.read()
            os.unlink(name)
        if got != want or "odd_function" not in found:
            return f"{argv}: {got}, the tool finds\n{found}"
    return None


def attempt(check, *args):
    try:
        return check(*args)
    except subprocess.TimeoutExpired as e:
        return f"timeout: {e.stderr.decode(errors='replace')}"


def main():
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory(prefix="lp-cli-") as cwd:
        for name, (data, mode) in FILES.items():
            path = os.path.join(cwd, name)
            with open(path, "wb") as f:
                f.write(data)
            os.chmod(path, mode)
        for way, options in WAYS.items():
            rows = [(words, attempt(failure_check, words, status, word, cwd, options)) for words, status, word in FAILURES]
            rows += [(argv, attempt(same_check, argv, stdin, cwd, options)) for argv, stdin in SAME]
            rows += [([f"ulimit -{kind} {kib}"], attempt(hard_check, kind, kib, cwd, options)) for kind, kib in HARD]
            rows += [([f"ulimit -S{kind} {kib}"], attempt(soft_check, kind, kib, cwd, options)) for kind, kib in SOFT]
            rows += [(["-logfile"], attempt(log_check, cwd, options)), (["options of Pin that are ignored"], attempt(ignored_check, cwd, options)), (["every option of Pin"], attempt(every_option_check, cwd, options)), (["options of Pin"], attempt(carried_out_check, cwd, options)), (["the command pin"], attempt(pin_check, cwd, options)), (["the command pin", "tools"], attempt(pin_tool_check, cwd, options)), (["-stats"], attempt(stats_check, cwd, options)), (["-stats", "counts"], attempt(counts_check, cwd, options)), (["code that changes"], attempt(changing_check, cwd, options)), (["-stats", "memory"], attempt(memory_check, cwd, options)), (["-stats", "indirect branches"], attempt(indirect_check, cwd, options)), (["-no_clone"], attempt(clone_check, cwd, options)), (["-no_bind"], attempt(bind_check, cwd, options)), (["-wx"], attempt(wx_check, cwd, options)), (["-no_large_pages"], attempt(large_check, cwd, options))]
            rows += [(["no first line"], attempt(shell_check, cwd, options)), (["odd ELF header"], attempt(ident_check, cwd, options))]
            rows += [(["what is not as natively"], attempt(told_check, cwd, options))]
            rows += [(["short of memory"], attempt(short_check, cwd, options))]
            rows += [(["dead regions"], attempt(reclaim_check, cwd, options)), (["waiting threads"], attempt(waiting_check, cwd, options))]
            if os.geteuid() == 0:
                _, _, err = run(["unshare", "-m", "true"], cwd)
                if err:
                    print(f"skip read-only and without /proc [{way}]: no mounts can be changed here: {err.decode().strip()}")
                    skipped += 1
                else:
                    rows += [(["no place to write"], attempt(read_only_check, cwd, options)), (["no /proc"], attempt(no_proc_check, cwd, options))]
                rows += [(["another root directory"], attempt(other_root_check, cwd, options))]
                rows += [(["set-user-id"], attempt(privileged_check, cwd, options)), (["without privileges"], attempt(powerless_check, cwd, options))]
            else:
                print(f"skip set-user-id, read-only and without /proc [{way}]: only root can make the files and the mounts")
                skipped += 1
            for words, wrong in rows:
                passed, failed = passed + (not wrong), failed + bool(wrong)
                if wrong:
                    print(f"FAIL {' '.join(words)} [{way}]: {wrong}")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
