#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the command says of itself: tools, help, "did you mean", completion, the manual page, what is installed. usage: tests/command.py [name...]
The last line is `N passed, N failed`."""
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
LINCHPIN = os.path.join(BUILD, "bin", "linchpin")
TOOLS = os.path.join(BUILD, "lib", "linchpin", "tools")
ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/", "LC_ALL": "C"}


def run(*words, **more):
    return subprocess.run([LINCHPIN, *words], capture_output=True, text=True, timeout=120, env=ENV, **more)


def need(condition, what):
    if not condition:
        raise AssertionError(what)


def names():
    return sorted(f[:-3] for f in os.listdir(TOOLS) if f.endswith(".so"))


def tools(_):
    """Every tool that is there is listed, with a text."""
    out = run("tools").stdout
    for name in names():
        need(re.search(rf"^  {name} +\S", out, re.M), f"{name} is not in the list, or without a text:\n{out}")


def helps(_):
    done = run("help")
    topics = re.findall(r"^  (\w+) ", done.stdout, re.M)
    need(len(topics) >= 6, done.stdout)
    for topic in topics + ["cc", "-stats", "detach"]:
        p = run("help", topic)
        need(p.returncode == 0 and p.stdout, f"help {topic}: {p}")
    every, testing = run("-help").stdout, run("-help-testing").stdout
    need("-no_link" in testing and "-no_link" not in every and "-random_flush" not in every and "testing" not in every.replace("-help-testing", "").replace("for testing the engine", ""), every)
    need("-stats" in every and "-stats" not in testing, testing)


NEAR = [  # words, what is meant
    (["-t", "inscont", "--", "true"], "no tool inscont: did you mean inscount?"),
    (["-t", "callgarph", "--", "true"], "no tool callgarph: did you mean callgraph?"),
    (["-folow_execv", "--", "true"], "unknown option -folow_execv: did you mean -follow_execv?"),
    (["-stat", "--", "true"], "unknown option -stat: did you mean -stats?"),
    (["toosl"], "unknown command toosl: did you mean linchpin tools?"),
    (["doctr"], "unknown command doctr: did you mean linchpin doctor?"),
    (["help", "atach"], "no topic atach: did you mean attach?"),
    (["-t", "inscount", "-bi", "ins", "--", "true"], "unknown option -bi: did you mean -by?"),
]
FAR = [(["-t", "zzzzzzzz", "--", "true"], "no tool zzzzzzzz"), (["-zzzzzzzz", "--", "true"], "unknown option -zzzzzzzz"), (["zzzzzzzz", "--", "true"], "'zzzzzzzz' stands"),
       (["-t", "inscount", "-zzzzzzzz", "--", "true"], "unknown option -zzzzzzzz")]


def near(_):
    """The error is the last line and a short one; a name is proposed when one is near, and not when none is."""
    for words, what in NEAR + FAR:
        p = run(*words)
        last = p.stderr.splitlines()[-1]
        need(p.returncode == 1 and last.startswith("linchpin: " + what) and len(last) < 120, f"{words}: {p}")
        need(("did you mean" in last) == ((words, what) in NEAR), f"{words}: {p}")
        need(len(p.stderr.splitlines()) <= 3, f"{words}: {p}")


def tool_help(_):
    """Without a program, with the tool's own options first, as a success and without a complaint."""
    for way in ([], ["-injection", "inprocess"]):
        p = run(*way, "-t", "inscount", "-help")
        options = re.findall(r"^-(\S+)", p.stderr, re.M)
        need(p.returncode == 0 and options[0] == "by" and "control" in options and "linchpin:" not in p.stderr, f"{p}")
    need(run("help", "dcache").returncode == 0, "help dcache")


IGNORED = r"^linchpin: option (\S+) means nothing here: it is ignored$"


def tool_ignored(_):
    """Options that every tool has under Pin and that mean nothing here do nothing, and level 1 names them."""
    words = ["-t", "inscount", "-symbol_path", "/x", "-slow-asserts", "1", "-keep_contained_symbols", "-o", "/dev/null", "--", "echo", "out"]
    p = run(*words)
    need((p.returncode, p.stdout, p.stderr) == (0, "out\n", ""), f"{p}")
    p = run("-log", "1", *words)
    need(re.findall(IGNORED, p.stderr, re.M) == ["-symbol_path", "-slow_asserts", "-keep_contained_symbols"], f"{p}")


C_TOOL = '#include "pin.h"\nPIN_KNOB_UINT(limit, "limit", 3, "how many")\nint main(int argc, char **argv)\n{\n    if (PIN_Init(argc, argv)) { PIN_KnobSummary(stderr); return 1; }\n    PIN_StartProgram(NULL);\n}\n'


def c_tool(tmp):
    """The same for a tool in C, whose main comes back."""
    with open(os.path.join(tmp, "c.c"), "w") as f:
        f.write(C_TOOL)
    need(run("cc", "c.c", "-o", "c.so", cwd=tmp).returncode == 0, "cc")
    p = run("-t", "./c.so", "-limt", "4", "--", "true", cwd=tmp)
    need(p.returncode == 1 and re.fullmatch(r"linchpin: option -limt: unknown: did you mean -limit\? \(.*\)\n", p.stderr), f"{p}")
    p = run("-log", "1", "-t", "./c.so", "-support_jit_api", "1", "-limit", "4", "-discard_line_info", "x", "--", "echo", "out", cwd=tmp)
    need((p.returncode, p.stdout, re.findall(IGNORED, p.stderr, re.M)) == (0, "out\n", ["-support_jit_api", "-discard_line_info"]), f"{p}")
    p = run("-t", "./c.so", "-help", cwd=tmp)
    need(p.returncode == 0 and p.stderr == "-limit  [default 3]\n\thow many\n", f"{p}")


def attach(tmp):
    """What the tool says while it starts comes to the terminal that asked, not to the process' own standard error."""
    path = os.path.join(tmp, "err")
    for _ in range(20):  # in some of them the process is still in its execve
        with open(path, "w") as err, subprocess.Popen(["sleep", "100"], stderr=err) as process:
            p = run("-pid", str(process.pid), "-t", "inscount", "-bi", "ins")
            process.kill()
        with open(path) as f:
            text = f.read()
        need(p.returncode == 1 and "did you mean -by?" in p.stderr and "inscount: how many" in p.stderr and not text, f"{p}, the process: {text!r}")


def on_terminal(words, **env):
    pid, fd = pty.fork()
    if not pid:
        os.execve(LINCHPIN, ["linchpin", *words], {**ENV, "TERM": "xterm", **env})
    out = b""
    while True:
        try:
            piece = os.read(fd, 65536)
        except OSError:
            break
        if not piece:
            break
        out += piece
    os.waitpid(pid, 0)
    return out


def colour(_):
    need(b"\033[1m" in on_terminal(["-help"]), "no bold heading on a terminal")
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        need(b"\033" not in on_terminal(["-help"], **env), f"{env}")
    need("\033" not in run("-help").stdout, "bold in a pipe")


BASH = """source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _linchpin; printf '%s\\n' "${COMPREPLY[@]}\""""


def completion(tmp):
    path = os.path.join(tmp, "linchpin.bash")
    with open(path, "w") as f:
        f.write(run("completion", "bash").stdout)

    def completed(*words):
        return subprocess.run(["bash", "-c", BASH, "bash", path, LINCHPIN, *words], capture_output=True, text=True, check=True, timeout=60).stdout.split()
    need(completed("-sta") == ["-stats", "-stats_json"], completed("-sta"))
    need(completed("-t", "insc") == ["inscount"], completed("-t", "insc"))
    need(completed("doc") == ["doctor"], completed("doc"))
    need(completed("help", "atta") == ["attach"], completed("help", "atta"))
    need("-no_link" not in completed("-"), "testing switches")
    need("true" in completed("--", "tru"), "programs")
    zsh = run("completion", "zsh").stdout
    need(zsh.startswith("#compdef linchpin\n") and "'-stats[" in zsh and "-no_link" not in zsh, zsh)
    if shutil.which("zsh"):
        with open(os.path.join(tmp, "_linchpin"), "w") as f:
            f.write(zsh)
        p = subprocess.run(["zsh", "-n", "_linchpin"], cwd=tmp, capture_output=True, text=True, check=False)
        need(p.returncode == 0 and not p.stderr, p.stderr)


def manual(_):
    text = run("manual").stdout
    for word in [r"\-follow_execv", ".B doctor", ".B inscount", ".SH ATTACH"]:
        need(word in text, f"{word} is not in the manual")
    if shutil.which("man"):
        p = subprocess.run(["man", "-l", "--warnings", "-"], input=text, capture_output=True, text=True, env={**ENV, "MANWIDTH": "80"}, check=False)
        need(p.returncode == 0 and not p.stderr and "-follow_execv" in p.stdout, p.stderr)


def make(*words):
    return subprocess.run(["make", "--no-print-directory", f"BUILD={BUILD}", *words], cwd=ROOT, capture_output=True, text=True, check=True, timeout=600).stdout


def files(tree):
    return sorted(os.path.relpath(os.path.join(folder, f), tree) for folder, _, found in os.walk(tree) for f in found)


def install(tmp):
    """What is installed works from there, pkg-config builds a tool, uninstall takes all away and nothing else."""
    prefix = os.path.join(tmp, "usr")
    os.makedirs(os.path.join(prefix, "bin"))
    with open(os.path.join(prefix, "bin", "mine"), "w") as f:
        f.write("not linchpin's")
    make("install", f"PREFIX={prefix}")
    got = files(prefix)
    for path in ("bin/linchpin", "share/man/man1/linchpin.1", "share/bash-completion/completions/linchpin", "share/zsh/site-functions/_linchpin", "lib/pkgconfig/linchpin.pc", "lib/linchpin/tools/list.tsv"):
        need(path in got, f"{path} is not installed: {got}")
    with open(os.path.join(prefix, "share/bash-completion/completions/linchpin")) as f:
        need(f.read() == run("completion", "bash").stdout, "another completion is installed")
    p = subprocess.run([os.path.join(prefix, "bin", "linchpin"), "-t", "inscount", "--", "true"], capture_output=True, text=True, check=False)
    need(p.returncode == 0 and re.search(r"\d", p.stderr), f"{p}")
    if shutil.which("pkg-config"):
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "linchpin"], env={**ENV, "PKG_CONFIG_PATH": prefix + "/lib/pkgconfig"}, capture_output=True, text=True, check=True).stdout.split()
        subprocess.run([LINCHPIN, "new", "mine"], cwd=tmp, check=True, capture_output=True)
        subprocess.run(["g++", "mine.cpp", *flags, "-o", "mine.so"], cwd=tmp, check=True)
        need("instructions: " in run("-t", "./mine.so", "--", "true", cwd=tmp).stderr, "a tool built by pkg-config's flags")
    make("uninstall", f"PREFIX={prefix}")
    need(files(prefix) == ["bin/mine"] and not os.path.exists(os.path.join(prefix, "lib", "linchpin")), f"left after uninstall: {files(prefix)}")


def deb(tmp):
    if not shutil.which("dpkg-deb"):
        return
    path = os.path.join(ROOT, make("deb").splitlines()[-1])
    listed = subprocess.run(["dpkg-deb", "-c", path], capture_output=True, text=True, check=True).stdout
    need("./usr/bin/linchpin\n" in listed and "./usr/share/man/man1/linchpin.1.gz\n" in listed and "root/root" in listed, listed)
    fields = subprocess.run(["dpkg-deb", "-f", path], capture_output=True, text=True, check=True).stdout
    need("Package: linchpin\n" in fields and "libc6" in fields and "libzydis" in fields, fields)
    subprocess.run(["dpkg-deb", "-x", path, tmp], check=True)
    need(os.access(os.path.join(tmp, "usr/lib/linchpin/linchpin-vm"), os.X_OK), "no engine in the package")


CHECKS = [tools, helps, near, tool_help, tool_ignored, c_tool, attach, colour, completion, manual, install, deb]


def main():
    wanted = [a for a in sys.argv[1:] if not a.startswith("-")]
    passed = failed = 0
    for check in CHECKS:
        if wanted and check.__name__ not in wanted:
            continue
        with tempfile.TemporaryDirectory(prefix="lp-cmd-") as tmp:
            try:
                check(tmp)
                passed += 1
            except (AssertionError, subprocess.SubprocessError, OSError) as e:
                failed += 1
                print(f"FAIL {check.__name__}: {getattr(e, 'stderr', None) or e}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
