# SPDX-License-Identifier: Apache-2.0
"""Cases: interpreters, JIT compilers and managed languages. Their programs stand in guest/."""

import glob

from harness import Case

# Python's own tests, from Debian's libpython3.*-testsuite. Durations and temporary names differ from run to run.
PYTHON_TESTS = glob.glob("/usr/lib/python3.*/test/test_threading.py")
PYTHON_CLEAN = ((r"\b\d+(\.\d+)? (ms|sec|min)( \d+(\.\d+)? (ms|sec))?", "TIME"), (r"^\d+:\d\d:\d\d (load avg: [\d.]+ )?", ""), (r"\[\d+/\d+\]", "[N]"),
                (r"(Ran \d+ tests?) in .*", r"\1"))


def python_test(name, timeout_s=300, short=False):
    """The verdict of each test is compared: with -v every one is a line."""
    script = f"run python3 -m unittest -v test.{name} > out 2>&1; s=$?; grep -E '^(test|[A-Za-z_.]+ \\(|OK|FAILED|Ran)|\\.\\.\\. ' out | grep -oE '^(test\\w+ \\([^)]*\\)|OK.*|FAILED.*|Ran [0-9]+)|\\.\\.\\. .*$'; echo status $s"
    return Case("python-" + name, script, needs=("python3",), needs_file=PYTHON_TESTS[0] if PYTHON_TESTS else "test_threading.py of libpython3-testsuite",
                clean=PYTHON_CLEAN, timeout_s=timeout_s, short=short)


PYTHON = [
    Case("python-basic", "run python3 $GUEST/basic.py", needs=("python3",), short=True),
    Case("python-threads", "run python3 $GUEST/threads.py", needs=("python3",), short=True),
    Case("python-processes", "follow python3 $GUEST/processes.py", needs=("python3",), short=True),
    Case("python-signals", "run python3 $GUEST/signals.py", needs=("python3",), short=True),
    Case("python-asyncio", "run python3 $GUEST/sockets.py", needs=("python3",)),
] + [python_test(name) for name in ("test_re", "test_json", "test_dict", "test_generators", "test_struct", "test_float", "test_math", "test_signal", "test_threading", "test_thread",
                                    "test_queue", "test_subprocess", "test_posix", "test_mmap", "test_select", "test_zlib", "test_hashlib", "test_pickle",
                                    "test_ctypes", "test_faulthandler", "test_fork1", "test_wait4", "test_selectors", "test_time", "test_decimal")]

PERL = [
    Case("perl-basic", "run perl $GUEST/basic.pl", needs=("perl",), short=True),
    Case("perl-processes", "follow perl $GUEST/processes.pl", needs=("perl",), short=True),
]

JITS = [
    Case("lua", "run lua5.4 $GUEST/basic.lua", needs=("lua5.4",), short=True),
    Case("luajit", "run luajit $GUEST/basic.lua; run luajit -joff $GUEST/basic.lua; run luajit -Ohotloop=2 $GUEST/basic.lua", needs=("luajit",)),
    Case("node-version", "run node --version", needs=("node",)),
    Case("node-jit", "run node $GUEST/jit.js", needs=("node",), timeout_s=180),
    Case("node-workers", "run node $GUEST/workers.js", needs=("node",), timeout_s=180),
    Case("node-wasm", "run node $GUEST/wasm.js", needs=("node",), timeout_s=180),
    Case("java-interpreter", "cp $GUEST/Threads.java .; javac -d . Threads.java; run java -Xint -Xmx128m -cp . Threads", needs=("javac",), timeout_s=240),
    Case("java-jit", "cp $GUEST/Threads.java .; javac -d . Threads.java; run java -Xmx128m -cp . Threads", needs=("javac",), timeout_s=240),
    Case("java-source", "cp $GUEST/Threads.java .; run java -Xmx256m Threads.java", needs=("javac",), timeout_s=300),
]

COMPILED = [
    Case("go", "mkdir m; cp $GUEST/routines.go m/main.go; cd m; export GOCACHE=$HOME/cache GOFLAGS=-mod=mod GO111MODULE=off GOPATH=$HOME/go; go build -o ../prog main.go; cd ..; run ./prog; GOMAXPROCS=1 run ./prog",
         needs=("go",), timeout_s=240),
    Case("rust", "rustc -O -o prog $GUEST/threads.rs; run ./prog", needs=("rustc",), timeout_s=240),
]

CASES = PYTHON + PERL + JITS + COMPILED
