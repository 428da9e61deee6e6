# SPDX-License-Identifier: Apache-2.0
"""The ways in which the fuzzer runs its guest: a mode is words joined by `+`, each a tool or options of the engine, as light+no_lazy+one.

Tools of tests/api are built once more with arena.h, so that they see the code of cases only. This file owns the words and the tools; it runs no
guest.
"""
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
LINCHPIN = os.environ.get("LINCHPIN", os.path.join(BUILD, "bin", "linchpin"))
OUT = os.path.join(BUILD, "tests", "fuzz", "tools")
ARENA = os.path.join(HERE, "tools", "arena.h")
HEADERS = [ARENA, os.path.join(HERE, "tools", "probes.h"), os.path.join(HERE, "fuzz_stops.h")]
API = os.path.join(ROOT, "tests", "api", "tools")

ENGINE = {
    "plain": [],
    "one": ["-trace_max_ins", "1"],
    "three": ["-trace_max_ins", "3"],
    "far": ["-no_rip_near"],
    "nolink": ["-no_link"],
    "tiny": ["-cc_memory_size", "256K"],
    "flush": ["-random_flush", "100"],
    "clone": ["-clone_after", "1"],
}
SWITCHES = ["no_dead", "no_lazy", "no_bind", "no_carry", "no_fold", "no_partial", "no_light", "no_inline", "no_merge", "no_spread", "no_quick_save", "no_quick_decode"]
WORDS = {**ENGINE, **{s: ["-" + s] for s in SWITCHES}, "none": ["-" + s for s in SWITCHES]}
TOOLS = {"ins": "everyins", "light": "everylight", "access": "everyaccess", "fills": "everyfill", "events": "everyevent", "rewrite": "rewriteall"}
PROBES = {"counts": "c", "inlines": "ci", "records": "f", "mixed": "cf", "calls": "cis", "probes": "cifs"}  # seen.cpp with these groups (probes.h)
PLAIN = ["plain", "one", "far", "nolink", "tiny", "flush"]  # without a tool, as the long form takes them


def words(mode):
    return mode.split("+")


def is_known(mode):
    return all(w in WORDS or w in TOOLS or w in PROBES for w in words(mode)) and sum(w in TOOLS or w in PROBES for w in words(mode)) < 2


def tool(mode):
    return next((w for w in words(mode) if w in TOOLS or w in PROBES), None)


def is_slow(mode):
    """All of the guest takes many times longer, not only its cases."""
    return "flush" in words(mode) or "nolink" in words(mode)


def groups(mode):
    """Of probes, where what the tool sees is compared, too."""
    return PROBES.get(tool(mode))


def sees_dead(mode):
    """Are all registers kept for handlers of signals (O5 in docs/design/optimiser.md)?"""
    return not tool(mode) or "no_dead" in words(mode) or "none" in words(mode)


def options(mode):
    """Those of the engine, with the tool, up to its own options."""
    out = [o for w in words(mode) for o in WORDS.get(w, [])]
    return out + (["-t", build(TOOLS.get(tool(mode), "seen"))] if tool(mode) else [])


def build(name):
    """The tool, made anew when it is older than what it is made from."""
    out, own = os.path.join(OUT, name + ".so"), os.path.join(HERE, "tools", name + ".cpp")
    source = own if os.path.exists(own) else os.path.join(API, name + ".cpp")
    if not os.path.exists(out) or os.path.getmtime(out) <= max(map(os.path.getmtime, [source, LINCHPIN, *HEADERS])):
        os.makedirs(OUT, exist_ok=True)
        fresh = "%s.%d" % (out, os.getpid())  # another run may be at it
        subprocess.run([LINCHPIN, "cc", "-include", ARENA, source, "-o", fresh], check=True)
        os.replace(fresh, out)
    return out


def random_mode(rng):
    """A tool with up to three other words; one time in five none."""
    if rng.randrange(5) == 0:
        return rng.choice(PLAIN)
    more = rng.sample(SWITCHES + [w for w in ENGINE if w not in ("plain", "nolink")], rng.randrange(4))
    keep = ["no_dead"] if rng.randrange(2) and "no_dead" not in more else []
    return "+".join([rng.choice([*TOOLS, *PROBES])] + keep + more)
