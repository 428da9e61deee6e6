# SPDX-License-Identifier: Apache-2.0
"""Cases: archivers, sqlite3, git, openssl, and stress-ng's stressors that verify themselves."""

from harness import Case

CORPUS = "mkdir c; for i in 1 2 3 4 5 6; do seq $((i * 1000)) 7 90000 > c/f$i; cp $GUEST/list.c c/l$i; done; touch -d @1000000000 c/* c\n"
TAR = "tar --sort=name --owner=0 --group=0 --numeric-owner"


def round_trip(name, short):
    """Packed under the engine, unpacked natively, and the other way round."""
    return Case("archive-" + name, CORPUS + f"tar cf c.tar c; touch -d @1000000000 c.tar; run {name} -k c.tar; ls c.tar.*; sha256sum < $(ls c.tar.*); mv c.tar old; run {name} -d $(ls c.tar.?*); cmp old c.tar && echo same; "
                f"run {name} -dc < /etc/passwd > /dev/null 2>&1; echo $?", needs=(name,), short=short)


ARCHIVES = [
    Case("archive-tar", CORPUS + f"run {TAR} -cf c.tar c; sha256sum c.tar; mkdir o; run tar xf c.tar -C o; diff -r c o/c && echo same; run tar tvf c.tar", short=True),
    Case("archive-tar-children", CORPUS + f"for z in gzip bzip2 xz zstd; do follow {TAR} -c --$z -f c.$z c; follow tar -tf c.$z | sha256sum; mkdir o.$z; follow tar xf c.$z -C o.$z; diff -r c o.$z/c && echo $z same; done",
         needs=("bzip2", "xz", "zstd"), short=True),
    round_trip("gzip", True), round_trip("bzip2", True), round_trip("xz", True),
    Case("archive-zstd", CORPUS + "tar cf c.tar c; run zstd -q -19 -T2 c.tar; run zstd -q -dc c.tar.zst | cmp - c.tar && echo same; run zstd -t -q c.tar.zst; echo $?", needs=("zstd",), short=True),
    Case("archive-cpio", CORPUS + "find c | sort | run cpio -o --quiet -H newc --reproducible | sha256sum", needs=("cpio",)),
]

SQL = r"""CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL); WITH RECURSIVE g(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM g WHERE i<5000) INSERT INTO t SELECT i, 'n'||(i*37%101), i/7.0 FROM g;
CREATE INDEX tb ON t(b); SELECT b, count(*), round(avg(c),3) FROM t GROUP BY b ORDER BY 2 DESC, 1 LIMIT 8; BEGIN; UPDATE t SET c=c*2 WHERE a%2; ROLLBACK; SELECT sum(c) FROM t; PRAGMA integrity_check;
SELECT group_concat(b, ',') FROM (SELECT DISTINCT b FROM t ORDER BY b LIMIT 9); SELECT json_extract('{"a":[1,2,{"b":3}]}','$.a[2].b'); .dump t"""

DATABASES = [
    Case("sqlite3", f"run sqlite3 x.db <<'END' | sha256sum\n{SQL}\nEND\nrun sqlite3 x.db 'select count(*), max(c) from t; vacuum; pragma integrity_check'; run sqlite3 x.db 'select nothing' ; echo $?",
         needs=("sqlite3",), short=True),
]

GIT_ENV = """export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@localhost GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@localhost GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z'
export GIT_CONFIG_NOSYSTEM=1
git config --global gc.auto 0; git config --global init.defaultBranch main; git config --global pack.threads 2
"""
GIT = [
    Case("git-basic", GIT_ENV + r"""follow git init -q r; cd r; for i in $(seq 30); do seq $i $((i * 20)) > f$i; done; follow git add .; follow git commit -qm first; seq 9 > f3; rm f4
      follow git status --short; follow git commit -qam second; follow git log --oneline --stat; follow git diff HEAD~1 | sha256sum; run git rev-parse HEAD; run git cat-file -p HEAD""",
         needs=("git",), short=True),
    Case("git-branches", GIT_ENV + r"""git init -q r; cd r; seq 100 > f; git add .; git commit -qm one; follow git checkout -q -b side; sed -i 5s/5/five/ f; follow git commit -qam side
      follow git checkout -q main; sed -i 90s/90/ninety/ f; follow git commit -qam main; follow git merge -q -m merge side; follow git log --graph --oneline; run git blame -s f | sha256sum
      follow git rebase -q side~1; sed -i 5s/.*/conflict/ f; follow git stash -q; follow git stash pop -q; follow git grep -n conflict; follow git tag v1; run git describe --tags""", needs=("git",)),
    Case("git-gc-clone", GIT_ENV + r"""git init -q r; for i in $(seq 60); do seq $i $((i * 50)) > r/f$i; done; git -C r add .; git -C r commit -qm all; for i in $(seq 20); do seq $i 400 > r/f$i; git -C r commit -qam "$i"; done
      follow git -C r gc -q; follow git -C r fsck --full --no-dangling; follow git clone -q r copy; diff -r -x .git r copy && echo same; git -C copy log --oneline | sha256sum; follow git clone -q --bare file://$PWD/r bare; git -C bare rev-parse HEAD""",
         needs=("git",), timeout_s=240),
]

OPENSSL = [
    Case("openssl-digest", "seq 100000 > in; for d in md5 sha1 sha256 sha512 sha3-256 blake2b512 sm3; do run openssl dgst -$d in; done; run openssl mac -digest SHA256 -macopt hexkey:0102 -in in HMAC", needs=("openssl",), short=True),
    Case("openssl-cipher", "seq 50000 > in; for c in aes-128-cbc aes-256-ctr aes-256-gcm chacha20 camellia-256-cbc aria-128-ctr des-ede3-cbc; do run openssl enc -$c -K 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f -iv 00112233445566778899aabbccddeeff -in in 2>&1 | sha256sum; "
         "done; run openssl enc -aes-256-cbc -pbkdf2 -iter 2000 -S 0011223344556677 -pass pass:x -in in -out e; run openssl enc -d -aes-256-cbc -pbkdf2 -iter 2000 -S 0011223344556677 -pass pass:x -in e | cmp - in && echo same",
         needs=("openssl",), short=True),
    Case("openssl-keys", "run openssl genrsa -out k 2048 2>/dev/null; openssl rsa -in k -check -noout; run openssl rsa -in k -pubout -out p 2>/dev/null; echo data > d; run openssl dgst -sha256 -sign k -out s d; "
         "run openssl dgst -sha256 -verify p -signature s d; run openssl ecparam -name prime256v1 -genkey -noout -out e; run openssl ec -in e -check -noout 2>&1; "
         "run openssl req -x509 -new -key k -subj /CN=localhost -days 1 -out c && openssl verify -CAfile c c; run openssl genpkey -algorithm ed25519 | wc -l", needs=("openssl",), short=True),
    Case("openssl-speed", "run openssl speed -seconds 1 -bytes 1024 aes-128-cbc sha256 2>/dev/null | grep -c k; run openssl speed -seconds 1 rsa1024 ecdsap256 2>/dev/null | grep -cE 'rsa|ecdsa'; run openssl prime -generate -bits 128 | wc -l",
         needs=("openssl",)),
]

# Stressor -> operations and options. --verify makes a stressor check its own results; a wrong one makes the status 2. Bounded by
# operations, so that both sides do the same; its time limit is a failure. (Not in the list: sem and syscall, which natively hang
# now and then until their time limit.)
STRESS = {
    "cpu": ("--cpu-ops 100", True), "cpu-fp": ("--cpu-ops 100 --cpu-method float80", False), "vm": ("--vm-ops 2000 --vm-bytes 8M", True),
    "fork": ("--fork-ops 200", True), "vfork": ("--vfork-ops 200", True), "clone": ("--clone-ops 200", True), "exec": ("--exec-ops 50", False),
    "sigq": ("--sigq-ops 2000", True), "signal": ("--signal-ops 5000", True), "sigsegv": ("--sigsegv-ops 200", True), "sigfpe": ("--sigfpe-ops 200", True),
    "sigtrap": ("--sigtrap-ops 200", False), "sigpending": ("--sigpending-ops 1000", False), "sigsuspend": ("--sigsuspend-ops 500", False), "sigrt": ("--sigrt-ops 1000", False),
    "sigabrt": ("--sigabrt-ops 50", False), "sigchld": ("--sigchld-ops 200", False), "timer": ("--timer-ops 200", False), "itimer": ("--itimer-ops 200", False),
    "pthread": ("--pthread-ops 200", True), "futex": ("--futex-ops 2000", True), "mutex": ("--mutex-ops 2000", False), "sem-sysv": ("--sem-sysv-ops 500", False),
    "mmap": ("--mmap-ops 20 --mmap-bytes 4M", True), "mremap": ("--mremap-ops 50 --mremap-bytes 2M", False), "mprotect": ("--mprotect-ops 500", False), "brk": ("--brk-ops 1000", False),
    "stack": ("--stack-ops 1", False), "bigheap": ("--bigheap-ops 50 --bigheap-growth 64K", False), "malloc": ("--malloc-ops 5000", False), "stackmmap": ("--stackmmap-ops 5", False),
    "context": ("--context-ops 2000", True), "longjmp": ("--longjmp-ops 20000", False), "switch": ("--switch-ops 5000", False), "pipe": ("--pipe-ops 2000", True),
    "matrix": ("--matrix-ops 20 --matrix-size 64", False), "vecmath": ("--vecmath-ops 200", False), "vecwide": ("--vecwide-ops 20", False), "bsearch": ("--bsearch-ops 5", False),
    "qsort": ("--qsort-ops 2", False), "str": ("--str-ops 100", False), "zlib": ("--zlib-ops 5", False), "crypt": ("--crypt-ops 2", False), "funccall": ("--funccall-ops 20", False),
    "jpeg": ("--jpeg-ops 2", False), "regs": ("--regs-ops 20", False), "fp": ("--fp-ops 10", False), "atomic": ("--atomic-ops 500", False), "memcpy": ("--memcpy-ops 20", False),
    "poll": ("--poll-ops 500", False), "eventfd": ("--eventfd-ops 2000", False), "epoll": ("--epoll-ops 300", False), "sock": ("--sock-ops 50", False), "shm": ("--shm-ops 10", False),
    "wait": ("--wait-ops 200", False), "kill": ("--kill-ops 2000", False), "zombie": ("--zombie-ops 200", False), "daemon": ("--daemon-ops 50", False), "icache": ("--icache-ops 200", False),
    "far-branch": ("--far-branch-ops 10", False), "goto": ("--goto-ops 100", False), "rseq": ("--rseq-ops 100", False), "vdso": ("--vdso-ops 20000", False),
    "tsc": ("--tsc-ops 1000", False), "membarrier": ("--membarrier-ops 10", False),
}


def stressor(name, options, short):
    base = {"cpu-fp": "cpu"}.get(name, name)
    return Case("stress-" + name, f"run stress-ng --temp-path . --verify --{base} 1 {options} --timeout 60 > out 2> err; s=$?; [ $SECONDS -lt 60 ] || echo operations not done in time; grep -hE 'stress-ng: (fail|error)|^linchpin:' out err; echo status $s",
                needs=("stress-ng",), short=short, timeout_s=100, clean=((r"\[\d+\]", "[PID]"),))


STRESSORS = [stressor(name, options, short) for name, (options, short) in STRESS.items()]

# Bounded by time: its handler reads a pipe until it is empty while a child refills it, and natively too the child keeps up with it in about every fourth run.
SIGIO = [Case("stress-sigio", "run stress-ng --temp-path . --verify --sigio 1 --timeout 3 > out 2> err; s=$?; grep -hE 'stress-ng: (fail|error)|^linchpin:' out err; echo status $s",
              needs=("stress-ng",), timeout_s=60, clean=((r"\[\d+\]", "[PID]"),))]

CASES = ARCHIVES + DATABASES + GIT + OPENSSL + STRESSORS + SIGIO
