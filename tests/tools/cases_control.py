# SPDX-License-Identifier: Apache-2.0
"""Tests of the controller and InstLib (include/extras), and of regions in the bundled tools: events against single steps."""
import collections
import os
import re
import subprocess
import tempfile

from harness import ENV, LINCHPIN, equal, field, groups, guest, routine_sizes, run, stepped_addresses, steps, steps_by_routine, table, tool
import watch


# --- the controller -----------------------------------------------------------------------------------------------------
def events(options, name, status=0):
    got = run([LINCHPIN, "-t", guest("control.so"), *options.split(), "--", guest(name)])
    equal("status", got.returncode, status)
    return got.stderr.splitlines()


def at_steps(name, kind, *indices):
    """The event's lines when it comes before these steps."""
    return [f"0 {k} {stepped_addresses(name)[i]} {i}" for k, i in zip(kind.split(), indices)]


def control_icount():
    whole = f"executed {steps('counted')}, icount {steps('counted')}, filtered {steps('counted')}"
    for options in ("-control start:icount:1000,stop:icount:500", "-skip 1000 -length 500", "-control start:icount:1000,name:a -control stop:icount:500,waitfor:a",
                    "-control stop:icount:500,waitfor:a -control start:icount:1000,name:a", "-control precond:icount:400,start:icount:600,stop:icount:500"):
        equal(options, events(options, "counted"), at_steps("counted", "start stop", 1000, 1500) + [whole])
    equal("repeat", events("-control start:icount:1000,repeat:3", "counted")[:-1], at_steps("counted", "start start start", 1000, 2000, 3000))
    equal("for ever", len(events("-control mine:icount:100,repeat -control start:icount:0", "counted")) - 2, (steps("counted") - 1) // 100)
    equal("default", events("", "counted")[:-1], [line + " bcast" for line in at_steps("counted", "start", 0)])
    equal("no default", events("-controller-default-start 0", "counted"), [whole])
    equal("length only", events("-length 7", "counted")[:-1], at_steps("counted", "start stop", 0, 7))


def control_places():
    at = stepped_addresses("counted")
    leaf = "%x" % {n: a for a, n in routine_sizes("counted")}["leaf"]
    calls = [i for i, a in enumerate(at) if a == leaf]
    equal("counts", events("-control start:address:leaf:count3,stop:address:leaf:count2,repeat:2", "counted")[:-1], at_steps("counted", "start stop start stop", calls[2], calls[4], calls[7], calls[9]))
    for place in ("leaf", "0x" + leaf, f"counted+0x{int(leaf, 16) - 0x400000:x}"):
        equal(place, events(f"-control start:address:{place}:count500,repeat", "counted")[:-1], at_steps("counted", "start start start", calls[499], calls[999], calls[1499]))
    equal("old", events("-start_address leaf:3 -stop_address leaf:5", "counted")[:-1], at_steps("counted", "start stop", calls[2], calls[4]))
    equal("old, length", events("-start_address leaf:3 -length 10", "counted")[:-1], at_steps("counted", "start stop", calls[2], calls[2] + 10))
    equal("then icount", events("-control start:address:leaf,stop:icount:1,repeat:2", "counted")[:-1], at_steps("counted", "start stop start stop", calls[0], calls[0] + 1, calls[1], calls[1] + 1))
    equal("functions", events("-control start:enter_func:leaf,stop:exit_func:leaf", "counted")[:-1], at_steps("counted", "start stop", calls[0], calls[0] + 1))
    equal("image", events("-control start:image:counted:count5", "counted")[:-1], at_steps("counted", "start", 4))


def control_instructions():
    rep = max(i for i, a in enumerate(stepped_addresses("counted")) if stepped_addresses("counted").count(a) == 100)  # rep stosd; cld is in front of it
    cld = rep - 100
    for alarm in ("itext:fc", "iclass:CLD", "isa_category:FLAGOP"):
        equal(alarm, events(f"-control start:{alarm}", "counted")[:-1], at_steps("counted", "start", cld))
    equal("syscall", events("-control start:isa_category:SYSCALL", "counted")[:-1], at_steps("counted", "start", steps("counted") - 1))


def control_handlers():
    leaf = "%x" % {n: a for a, n in routine_sizes("counted")}["leaf"]
    lines = events("-control start:address:leaf -context 1 -late 1", "counted")
    equal("context and late", lines[:-1], [f"0 start {leaf} 3 context {leaf}", f"0 late start {leaf} 4 context {leaf}"])
    with tempfile.NamedTemporaryFile("r") as f:
        chain = "start:address:leaf,stop:icount:1"
        events(f"-control {chain} -controller-log 1 -controller-olog {f.name}", "counted")
        equal("log", f.read(), f"TID0 ip:0x{leaf} event:start by:0 of {chain}\nTID0 ip:0x{int(leaf, 16) + 4:x} event:stop by:1 of {chain}\n")


def control_threads():
    def starts(options, name="calls"):
        return [line.split() for line in events(options, name, 3) if " start " in line]
    equal("each", sorted(e[0] for e in starts("-control start:address:leaf_routine:count10")), ["1", "2", "3", "4"])
    equal("one", [e[0] for e in starts("-control start:address:leaf_routine:tid2")], ["2"])
    got = starts("-control start:address:leaf_routine:count100:global:bcast")
    equal("together", (len(got), got[0][-1]), (1, "bcast"))
    got = starts("-control start:address:outer_routine:bcast")
    equal("all along", len(got), 1)
    got = starts("-crowd 1 -control start:address:outer_routine:bcast,stop:icount:1:tid9", "crowd")
    equal("all at once", len(got), 1)


def control_marks():
    at = stepped_marks()
    equal("marks", events("-skip_int3 -control start:ssc:2222,stop:ssc:3333", "marks")[:-1], [f"0 start {at[0x2222][0]}", f"0 stop {at[0x3333][0]}"])
    equal("second", events("-skip_int3 -control start:ssc:2222:count2 -control stop:ssc:4444", "marks")[:-1], [f"0 start {at[0x2222][1]}"])
    equal("old", events("-skip_int3 -start_ssc_mark 1111 -stop_ssc_mark 2222:2", "marks")[:-1], [f"0 start {at[0x1111][0]}", f"0 stop {at[0x2222][1]}"])
    lines = events("-control start:int3", "marks")
    equal("int3", (lines[0].split()[1], lines[0].split()[3], len(lines)), ("start", "13", 2))


def stepped_marks():
    """By mark: the nop's address and how many instructions come before it; the program is short enough to write that down: mov, nop, mov, (mov, nop, dec, jnz) twice, mov, nop."""
    text = run(["objdump", "-d", guest("marks")]).stdout
    nops = re.findall(r"^ *([0-9a-f]+):\s+64 67 90", text, re.M)
    equal("marks", len(nops), 3)
    return {0x1111: [f"{nops[0]} 1"], 0x2222: [f"{nops[1]} 4", f"{nops[1]} 8"], 0x3333: [f"{nops[2]} 12"]}


def control_signal():
    got = run([LINCHPIN, "-t", guest("control.so"), "-control", "start:signal:10:count2,stop:signal:12", "--", "/bin/sh", "-c", "trap : USR1 USR2; kill -USR1 $$; kill -USR2 $$; kill -USR1 $$; kill -USR2 $$; kill -USR2 $$"])
    equal("status", got.returncode, 0)
    equal("events", [line.split()[:2] for line in got.stderr.splitlines()[:-1]], [["0", "start"], ["0", "stop"]])


def while_cat_works(options, write):
    """cat under the tool; `write` is called before each event is waited for, which comes while cat works."""
    with subprocess.Popen([LINCHPIN, "-t", guest("control.so"), *options, "--", "/bin/cat"], env=ENV, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
        os.set_blocking(p.stderr.fileno(), False)
        seen = b""
        for event in ("start", "stop"):
            write(event)
            while b"\n" not in seen:
                p.stdin.write(b"line\n")
                p.stdin.flush()
                equal("cat", p.stdout.readline(), b"line\n")
                seen += p.stderr.read() or b""
            line, seen = seen.split(b"\n", 1)
            equal("event", line.split()[1], event.encode())
        p.stdin.close()
        equal("status", p.wait(watch.patience(60)), 0)


def control_interactive():
    """Each event is asked for through the pipe: by its name, or by anything else."""
    with tempfile.TemporaryDirectory() as d:
        for text in ("{}\n", "1\n"):
            pipe = os.path.join(d, "pipe" + text[0])
            os.mkfifo(pipe)

            def write(event):
                with open(pipe, "w") as f:
                    f.write(text.format(event))
            while_cat_works(["-control", "start:interactive,stop:interactive", "-interactive_file", pipe], write)


def control_timeout():
    while_cat_works(["-control", "start:timeout:20,stop:timeout:30"], lambda event: None)


def control_wrong():
    for chain, why in (("start", "without an alarm"), ("begin:icount:1", "no event begin"), ("start:address", "without a value"), ("start:icount:x", "no number"), ("start:icount:1:often", "no modifier"),
                       ("start:itext:abc", "not the bytes"), ("repeat", "no alarm"), ("uniform:5:5:1", "longer than its length"), ("uniform:5", "is expected"), ("start:moon:1", "no alarm moon")):
        got = run([LINCHPIN, "-t", guest("control.so"), "-control", chain, "--", "/bin/true"])
        equal(chain, got.returncode, 1)
        assert why in got.stderr and chain in got.stderr, got.stderr
    with tempfile.NamedTemporaryFile("w") as f:
        for text, why in (("a,0,1,2", "six fields"), ("a,0,1,x,5,1", "'x'"), ("a,0,1,9,5,1", "ends after it begins"), (None, "No such file")):
            f.seek(0)
            f.truncate()
            f.write(text or "")
            f.flush()
            got = run([LINCHPIN, "-t", guest("control.so"), "-regions:in", f.name if text else "/nonexistent", "--", "/bin/true"])
            assert got.returncode == 1 and why in got.stderr, got.stderr


# --- regions of the bundled tools -----------------------------------------------------------------------------------------
def counted_region(chain):
    """Steps of `counted` in the region: from its start on, before its stop."""
    at = stepped_addresses("counted")
    leaf = "%x" % {n: a for a, n in routine_sizes("counted")}["leaf"]
    calls = [i for i, a in enumerate(at) if a == leaf]
    return at, {"start:icount:1000,stop:icount:501": [range(1000, 1501)], "start:symbol:leaf:count10,stop:symbol:leaf:count5": [range(calls[9], calls[14])],
                "start:icount:6300,stop:icount:7": [range(6300, 6307)], "start:icount:100,stop:icount:3,repeat:2": [range(100, 103), range(203, 206)],
                "uniform:10:1000:3": [range(0, 10), range(1000, 1010), range(2000, 2010)]}[chain]


REGIONS = ("start:icount:1000,stop:icount:501", "start:symbol:leaf:count10,stop:symbol:leaf:count5", "start:icount:6300,stop:icount:7", "start:icount:100,stop:icount:3,repeat:2", "uniform:10:1000:3")


def region_of_tools(chain):
    """Each tool sees the instructions of the region and no others: against single steps, and lackey's or the whole trace's accesses."""
    at, ranges = counted_region(chain)
    expected = [at[i] for r in ranges for i in r]
    run_tool = lambda words: tool(f"{words} -control {chain}", [guest("counted")])
    equal("itrace", [line.split()[1] for line in run_tool("itrace").splitlines()], expected)
    for by in ("ins", "bbl", "thread"):
        equal("inscount " + by, field(run_tool("inscount -by " + by), r"^instructions: (\d+)$"), len(expected))
    text = {line.split()[1]: line.split("  ", 1)[1].split() for line in tool("itrace -text 1", [guest("counted")]).splitlines()}
    opcodes = collections.Counter(text[a][0] for a in expected)
    mix = table(run_tool("opcodemix -top 0"))
    equal("opcodemix", (mix["*total"], mix.get("JNZ", 0), mix.get("DEC", 0)), (len(expected), opcodes["jnz"], opcodes["dec"]))
    by_routine = collections.Counter("leaf" if text[a][0] == "ret" or (text[a][0] == "add" and "rbx," in text[a]) else "_start" for a in expected)
    equal("by routine", {k.split(":")[1]: v["*total"] for k, v in groups(run_tool("opcodemix -by routine")).items()}, dict(by_routine))
    equal("proccount", field(run_tool("proccount"), r"^instructions: (\d+)$"), len(expected))
    equal("profile", field(run_tool("profile"), r"^instructions: (\d+)$"), len(expected))
    kinds = run_tool("jumpmix")
    assert ("return" in kinds) == bool(opcodes["ret"]) and (not opcodes["ret"] or field(kinds, r"^return +(\d+) ") == opcodes["ret"]), kinds
    reads = sum(text[a][0] in ("ret",) or (text[a][0] == "mov" and "[rsi]" in text[a][-1]) for a in expected)
    equal("pinatrace", field(run_tool("pinatrace -count 1"), r"^reads: (\d+) "), reads)
    equal("allcache", field(run_tool("allcache"), r"^l1i +(\d+) "), len(expected))
    lines = {int(a, 16) // 64 for a in expected}
    assert len(lines) <= field(run_tool("footprint"), r"^executed +(\d+) ") <= len(lines) + 1
    for name in ("dcache", "bpred", "edgecount", "calltrace", "coverage", "catmix", "regmix", "ldstmix"):
        run_tool(name)


def region_threads():
    """The region of one thread, and that of all from when one comes to a place."""
    text = tool("inscount -by thread -control start:symbol:leaf_routine:tid2,stop:icount:1000:tid2", [guest("calls")], status=3, expect_out="done\n")
    equal("one", re.findall(r"^instructions: \d+$|thread \d+$", text, re.M), ["instructions: 1000"])  # one row is not told apart
    text = tool("inscount -by thread -control start:symbol:main:bcast", [guest("calls")], status=3, expect_out="done\n")
    equal("all", len(re.findall(r" thread \d+$", text, re.M)), 5)


def instlib_follow():
    """The children have the tool and its options: each counts its own start."""
    command = ["/bin/sh", "-c", "/bin/true; /bin/true; exit 0"]
    got = run([LINCHPIN, "-follow_execv", "-t", guest("control.so"), "-follow", "-control", "start:icount:100", "--", *command])
    equal("status", got.returncode, 0)
    equal("starts", [(line.split()[1], line.split()[3]) for line in got.stderr.splitlines() if " start " in line], [("start", "100")] * 3)


def instlib_filter():
    by_routine = steps_by_routine("counted")
    equal("routine", events("-filter_rtn leaf", "counted")[-1].split()[-1], str(by_routine["leaf"]))
    text = events("-filter_no_shared_libs", "blocks-fixed")[-1]
    main = [a for a in stepped_addresses("blocks-fixed") if 0x400000 <= int(a, 16) < 0x500000]
    equal("library", text.split()[-1], str(len(main)))


def cases():
    for i, chain in enumerate(REGIONS):
        yield f"region-{i}", region_of_tools, (chain,)
    for f in (region_threads, control_icount, control_places, control_instructions, control_handlers, control_threads, control_marks, control_signal, control_interactive, control_timeout, control_wrong,
              instlib_filter, instlib_follow):
        yield f.__name__, f, ()
