#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The linchpin command from outside: programs found as a shell finds them, scripts, statuses, and failing well.

FAILURES says for each wrong start the exit status and a word of the single line `linchpin: ...` on standard error. SAME is
run natively and under Linchpin and must not differ. Both are done for each way of getting in. run.py calls this with
--short; the last line is `N passed, N failed`."""
import os
import struct
import subprocess
import sys
import tempfile

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
    "text": (b"echo no first line\n", 0o755),
    "no_x": (elf(), 0o644),
    "truncated": (elf()[:40], 0o755),
    "headers_cut": (elf()[:80], 0o755),
    "phoff": (elf(phoff=1 << 40), 0o755),
    "phentsize": (elf(phentsize=1), 0o755),
    "phnum0": (elf(phnum=0), 0o755),
    "no_load": (elf(phdrs=[(0, 0, 0, 0, 0, 0, 0, 0)]), 0o755),
    "filesz": (elf(phdrs=[load(filesz=200, memsz=100)]), 0o755),
    "kernel_address": (elf(phdrs=[load(vaddr=1 << 63)]), 0o755),
    "interp_missing": (elf(interp=b"/no/such/interpreter"), 0o755),
    "interp_directory": (elf(interp=b"/tmp"), 0o755),
    "interp_text": (elf(interp=b"/etc/passwd"), 0o755),
    "interp_offset": (elf(phdrs=[(PT_INTERP, 4, 1 << 40, 0, 0, 20, 20, 1), load()]), 0o755),
    "interp_open": (elf(phdrs=[(PT_INTERP, 4, 64, 0, 0, 9, 9, 1), load()]), 0o755),
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
    (["--", "./empty"], 126, "format"),
    (["--", "./text"], 126, "format"),
    (["--", "./truncated"], 126, "truncated"),
    (["--", "./headers_cut"], 126, "ELF"),
    (["--", "./phoff"], 126, "ELF"),
    (["--", "./phentsize"], 126, "ELF"),
    (["--", "./phnum0"], 126, "ELF"),
    (["--", "./no_load"], 126, "ELF"),
    (["--", "./filesz"], 126, "ELF"),
    (["--", "./kernel_address"], 126, "ELF"),
    (["--", "./interp_missing"], 126, "/no/such/interpreter"),
    (["--", "./interp_directory"], 126, "/tmp"),
    (["--", "./interp_text"], 126, "/etc/passwd"),
    (["--", "./interp_offset"], 126, "ELF"),
    (["--", "./interp_open"], 126, "ELF"),
    (["--", "./arm"], 126, "ARM"),
    (["--", "./aarch64"], 126, "x86-64"),
    (["--", "./big_endian"], 126, "big_endian"),
    (["--", "./object"], 126, "object"),
    (["--", "./core"], 126, "core"),
    (["--", "./ia32"], 126, "IA-32"),
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


def run(argv, cwd, stdin=b""):
    done = subprocess.run(argv, cwd=cwd, env=ENV, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    return done.returncode, done.stdout, done.stderr


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


def attempt(check, *args):
    try:
        return check(*args)
    except subprocess.TimeoutExpired as e:
        return f"timeout: {e.stderr!r}"


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="lp-cli-") as cwd:
        for name, (data, mode) in FILES.items():
            path = os.path.join(cwd, name)
            with open(path, "wb") as f:
                f.write(data)
            os.chmod(path, mode)
        for way, options in WAYS.items():
            rows = [(words, attempt(failure_check, words, status, word, cwd, options)) for words, status, word in FAILURES]
            rows += [(argv, attempt(same_check, argv, stdin, cwd, options)) for argv, stdin in SAME]
            for words, wrong in rows:
                passed, failed = passed + (not wrong), failed + bool(wrong)
                if wrong:
                    print(f"FAIL {' '.join(words)} [{way}]: {wrong}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
