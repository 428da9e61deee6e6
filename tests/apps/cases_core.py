# SPDX-License-Identifier: Apache-2.0
"""Cases: coreutils one by one, shells, the classic text tools, make and the compilers."""

from harness import Case

# The input that most of the coreutils cases work on.
LINES = r'''awk 'BEGIN { s = 1; for (i = 0; i < 3000; i++) { s = (s * 69069 + 12345) % 4294967296; printf "%d word%d line %d\n", s % 1000, s % 97, i } }' > in
'''

COREUTILS = {
    "ls": "mkdir d; touch d/a d/b; chmod 640 d/*; touch -d 2001-01-01 d/* ; run ls -ln --time-style=+%F d; run ls -R /usr/include/linux | head -200",
    "cat": "run cat -n in | sha256sum; run cat in in | sha256sum; run cat missing; echo $?",
    "sort": "run sort -k2,2 -k1,1n in | sha256sum; run sort -u -R --random-source=in in | sha256sum; run sort --parallel=2 -S 1M in in in | sha256sum",
    "uniq": "sort -k2,2 in | cut -d' ' -f2 | run uniq -c",
    "wc": "run wc in; run wc -lmL in",
    "head": "run head -n 5 in; run head -c 100 in; run head -n -2990 in",
    "tail": "run tail -n 5 in; run tail -c +50000 in | sha256sum",
    "cut": "run cut -d' ' -f1,3 in | sha256sum; run cut -c2-5 in | sha256sum",
    "tr": "run tr a-z A-Z < in | sha256sum; run tr -cd '0-9\\n' < in | sha256sum; run tr -s 'd' < in | sha256sum",
    "paste": "cut -c1-3 in > a; run paste -d, a a in | sha256sum",
    "join": "sort -k2,2 in > a; run join -1 2 -2 2 a <(head -200 a) | sha256sum",
    "comm": "sort in > a; sort -r in | sort > b; echo more >> b; run comm -3 a b",
    "nl": "run nl -ba in | sha256sum",
    "od": "run od -An -tx1 in | sha256sum; run od -tf8 in | sha256sum",
    "base64": "run base64 in | tee e | sha256sum; run base64 -d e | cmp - in && echo same",
    "sums": "run md5sum in; run sha1sum in; run sha512sum in; run b2sum in; run cksum in; run sum in; sha256sum in > s; run sha256sum -c s",
    "split": "run split -b 7000 -d in part.; cat part.* | cmp - in && ls part.*",
    "csplit": "run csplit -s in 100 '{3}'; wc -l xx*",
    "cp": "mkdir -p t/u; cp in t/u/f; run cp -a t t2; diff -r t t2 && find t2 | sort; run cp in t; cmp in t/in && echo same",
    "mv": "cp in a; run mv a b; mkdir d; run mv b d/; find . -name b -o -name d | sort",
    "rm": "mkdir -p d/e; touch d/e/f; run rm -r d; run rm d; echo $?; ls",
    "ln": "run ln -s in l; run readlink l; run ln in h; stat -c %h in; run readlink -f l | sed 's,.*/,,'",
    "mkdir": "run mkdir -p a/b/c; run mkdir a; echo $?; run rmdir a/b/c; find a",
    "chmod": "run chmod 4751 in; stat -c %a in; run chmod g+w,o= in; stat -c %a in",
    "stat": "touch -d @1000000000 in; run stat -c '%s %F %a %Y %h' in; run touch -d 2020-02-02T02:02:02 in; stat -c %y in",
    "du": "mkdir d; cp in d; run du -b d/in; run du -a --apparent-size -B1 d | grep in",
    "df": "run df --output=target / | tail -1",
    "date": "run date -u -d @1234567890 +%FT%T; run date -u -d '2024-02-29 +1 year' +%F; run date --rfc-3339=seconds -u -d @0",
    "seq": "run seq 1 3 20; run seq -w 0.5 0.25 2; run seq 100000 | sha256sum",
    "expr": "run expr 6 \\* 7; run expr abcdef : 'abc\\(.*\\)'; run expr 1 = 2; echo $?",
    "factor": "run factor 18446744073709551557 1234567890123456789 97; seq 2 200 | run factor | sha256sum",
    "numfmt": "echo 123456789 | run numfmt --to=iec; echo 1.5G | run numfmt --from=iec",
    "printf": "run printf '%05d|%x|%s|%q\\n' 42 255 word 'a b'; run echo -e 'a\\tb'",
    "dd": "run dd if=in of=o bs=512 skip=3 count=20 status=none; sha256sum o; run dd if=/dev/zero bs=1M count=8 status=none | sha256sum",
    "tee": "cat in | run tee a b | sha256sum; cmp a b && echo same",
    "xargs": "seq 50 | run xargs -n 7 echo; seq 8 | follow xargs -P2 -I{} sh -c 'exit 0'; echo $?",
    "find": "mkdir -p a/b; touch a/1.c a/b/2.c a/b/3.h; run find a -name '*.c' | sort; run find a -type f -exec basename {} \\; | sort",
    "env": "run env -i A=1 B=2 printenv B; follow env -i A=1 /bin/sh -c 'echo $A'; run printenv HOME | sed 's,.*/,,'",
    "timeout": "run timeout 0.2 sleep 5; echo $?; follow timeout -s KILL 0.2 sleep 5; echo $?; run timeout 5 true; echo $?",
    "nice": "run nice -n 5 nice; run nohup true; echo $?",
    "true": "run true; echo $?; run false; echo $?; run test 3 -gt 2; echo $?; run sleep 0.01; echo $?",
    "id": "run id -u; run uname -s; run nproc; run basename /a/b.c .c; run dirname /a/b; run pwd | sed 's,.*/,,'",
    "tac": "run tac in | sha256sum; run rev in | sha256sum; run fold -w 10 in | sha256sum; run fmt in | sha256sum; run pr -t -3 in | sha256sum",
    "shuf": "run shuf --random-source=in in | sha256sum; run shuf -i 1-20 --random-source=in | tr '\\n' ' '",
    "install": "run install -m 750 -D in x/y/z; stat -c %a x/y/z; run mktemp -u XXXXXXXX | wc -c; run truncate -s 5000 t; stat -c %s t",
}
COREUTILS_SHORT = {"ls", "cat", "sort", "uniq", "wc", "tr", "join", "od", "base64", "sums", "split", "cp", "rm", "stat", "date", "seq", "expr", "factor", "printf", "dd",
                   "tee", "xargs", "find", "env", "timeout", "true", "id", "tac", "shuf", "head"}

BASH = {
    "loops": r'''follow bash -c '
      total=0
      for i in $(seq 1 200); do ((total += i * i)); done; echo $total
      n=27; steps=0; while ((n != 1)); do if ((n % 2)); then ((n = 3 * n + 1)); else ((n /= 2)); fi; ((steps++)); done; echo $steps
      declare -A m; for w in a b c a b a; do ((m[$w]++)); done; for k in a b c; do echo "$k=${m[$k]}"; done
      s="the quick brown fox"; echo ${s^^} ${s//o/0} ${#s} ${s:4:5}
      f() { local x=$1; ((x < 2)) && { echo $x; return; }; echo $(($(f $((x-1))) + $(f $((x-2))))); }; f 9' ''',
    "pipes": r'''follow bash -c 'seq 1 5000 | grep 7 | sed "s/7/seven/" | sort -r | tail -3; echo "${PIPESTATUS[*]}"
      false | true | false; echo "${PIPESTATUS[*]}"; set -o pipefail; false | true; echo $?
      yes | head -1000 | wc -l; diff <(seq 5) <(seq 2 6); exec 3<>f; echo data >&3; cat f; coproc cat; echo hi >&${COPROC[1]}; read -u ${COPROC[0]} x; echo got $x' ''',
    "heredocs": r'''follow bash -c 'x=5
      cat <<END
value $x $((x * 2)) $(echo sub)
END
      cat <<"END"
literal $x
END
      cat <<-END
	tabs
	END
      wc -w <<<"three little words"; while read -r a b; do echo "$b-$a"; done <<< "one two
three four"' ''',
    "traps": r'''follow bash -c '
      trap "echo usr1" USR1; kill -USR1 $$; trap "echo term; exit 7" TERM
      (trap "echo child exit" EXIT; exit 3); echo $?
      trap "echo leaving" EXIT
      sleep 30 & p=$!; kill $p; wait $p; echo "waited $?"
      trap "" INT; kill -INT $$; echo alive
      kill -TERM $$; echo not reached'; echo $?''',
    "jobs": r'''follow bash -c 'set -m
      sleep 0.1 & sleep 0.2 & wait; echo done
      (sleep 0.05; exit 4) & wait $!; echo $?
      sleep 1000 & kill -STOP %1; until jobs -s | grep Stopped >/dev/null; do :; done; echo stopped; kill -CONT %1; kill %1; wait %1; echo $?
      for i in 1 2 3 4; do (exit $i) & done; for i in 1 2 3 4; do wait -n; done; echo all' 2>/dev/null''',
    "death": r'''follow bash -c 'for s in TERM SEGV ABRT KILL HUP USR2 PIPE; do (ulimit -c 0; sh -c "kill -$s \$\$"); echo $s $?; done' 2>/dev/null''',
    "dash": r'''follow dash -c 'i=0; while [ $i -lt 300 ]; do i=$((i + 1)); done; echo $i; echo $(date -u -d @0 +%s) $(echo a | tr a b); (exit 9); echo $?; trap "echo bye" 0' ''',
    "script": r'''printf '#!/bin/bash\necho "$0 $# $1" | sed "s,.*/,,"\nexec printf "%%s\\n" end\n' > s; chmod +x s; follow ./s 'a b'; run ./s x y''',
}

TEXT_TOOLS = [
    Case("grep", LINES + "run grep -c word9 in; run grep -nE '^(1|2)[0-9]+ .*7$' in | sha256sum; run grep -P '(\\d)\\1' in | sha256sum; run grep -rl stdio /usr/include/linux | sort | sha256sum; run grep nothing in; echo $?", short=True),
    Case("sed", LINES + r"""run sed -n '5,9p;$=' in; run sed -E 's/([0-9]+) (word)([0-9]+)/\3-\2-\1/;/9$/d' in | sha256sum; run sed -i 's/line/row/' in; sha256sum in""", short=True),
    Case("awk", LINES + r"""run awk '{ c[$2] += $1 } END { for (k in c) print k, c[k] }' in | sort; run awk 'BEGIN { for (i = 0; i < 200000; i++) s += sin(i) * i % 7; printf "%.6f\n", s }'""", short=True),
    Case("gawk", LINES + r"""run gawk '{ a[NR] = $1 } END { n = asort(a); print n, a[1], a[n]; print toupper(substr("abc", 2)), strftime("%F", 0, 1) }' in""", needs=("gawk",)),
    Case("bc", "echo 'scale=300; 4*a(1); 2^500; sqrt(2)' | run bc -l; echo '2 3 ^ p' | run dc 2>/dev/null; true", needs=("bc",), short=True),
    Case("diff", LINES + "sed 's/word5/sentence/' in > b; run diff in b | sha256sum; run diff -u in b > p; echo $?; run cmp in b; echo $?", short=True),
    # What the engine maps must not show: with randomisation off both maps are the same.
    Case("proc-maps", "setarch -R run cat /proc/self/maps | awk '{ print $1, $2, $6 }'", needs=("setarch",)),
    Case("file", "run file -b /bin/ls | cut -d, -f1-2; run file -b /etc/passwd", needs=("file",)),
]

PROJECT = "cp $GUEST/list.c $GUEST/list.h $GUEST/main.c $GUEST/shapes.cc .\n"

COMPILERS = [
    Case("gcc-project", PROJECT + "follow gcc -O2 -Wall -c main.c list.c && follow gcc -o prog main.o list.o && sha256sum main.o list.o prog && run ./prog 500 && run ./prog; echo $?",
         needs=("gcc",), short=True, timeout_s=180),
    Case("gxx-project", PROJECT + "follow g++ -O1 -std=c++17 -pthread -o shapes shapes.cc && sha256sum shapes && run ./shapes", needs=("g++",), timeout_s=240),
    Case("gxx-program", PROJECT + "g++ -O1 -std=c++17 -pthread -o shapes shapes.cc && run ./shapes", needs=("g++",), short=True),
    Case("clang-project", PROJECT + "follow clang -O1 -o prog main.c list.c && run ./prog 100; g++ -std=c++17 -fsanitize=undefined -o ub -x c++ - <<<'int main(int c,char**){return c-1;}' && run ./ub; echo $?",
         needs=("clang", "g++"), timeout_s=240),
    Case("static-program", PROJECT + "gcc -O2 -static -o s main.c list.c && run ./s 300; gcc -O2 -no-pie -o n main.c list.c && run ./n 300", needs=("gcc",), short=True),
    Case("musl-program", PROJECT + "musl-gcc -O2 -o m main.c list.c && run ./m 300; musl-gcc -O2 -static -o s main.c list.c && run ./s 300", needs=("musl-gcc",), short=True),
    Case("tcc", PROJECT + "run tcc -o prog main.c list.c && run ./prog 200; run tcc list.c -run main.c 150", needs=("tcc",)),
    Case("make", "printf 'all: a b c\\n\\tcat a b c\\na:\\n\\techo 1 > a\\nb: a\\n\\tsort a > b\\nc: b\\n\\ttr 1 2 < b > c\\n' > Makefile; follow make -j2; follow make; run make -n clean; echo $?",
         needs=("make",), short=True),
    Case("binutils", PROJECT + "gcc -g -c list.c; run objdump -d list.o | sha256sum; run readelf -a list.o | sha256sum; run nm list.o; run strip list.o; run size list.o; run ar rc l.a list.o; run ar t l.a",
         needs=("objdump",), short=True),
    Case("gdb", PROJECT + "gcc -g -o prog main.c list.c; run gdb -nx -batch -ex 'info line main' -ex 'ptype struct list' ./prog", needs=("gdb",), timeout_s=180),
]

# bash names the process in its message about one that died.
BASH_PID = ((r"^bash: line (\d+): +\d+ ", r"bash: line \1: PID "),)

CASES = ([Case("coreutils-" + name, LINES + script, short=name in COREUTILS_SHORT, clean=BASH_PID) for name, script in COREUTILS.items()]
         + [Case("bash-" + name, script, short=True, clean=BASH_PID) for name, script in BASH.items()] + TEXT_TOOLS + COMPILERS)
