// test: cc=-no-pie
// test: needs=gdb
// test: needs=strace
// test: timeout=120
// test: modes=plain,inproc
// test[apart]: args=debug
// test[follow]: args=debug
// test[follow]: opts=-follow_execv
// SPDX-License-Identifier: Apache-2.0
// A debugger and a tracer of system calls run this program again: breakpoint, step, watchpoint, a fault and the calls
// are the program's, whether or not the engine follows it.
#include "b_check.h"
#include <signal.h>
#include <sys/syscall.h>

static volatile int watched;

__attribute__((noinline)) static int middle(int n)
{
    watched = n + 1;
    return watched * 2;
}

__attribute__((noinline)) static void fail(int n) { *(volatile int *)(long)n = 1; }

static int work(void)
{
    int n = middle(20);
    syscall(SYS_getpgid, 0);
    fail(n);
    return 0;
}

int main(int argc, char **argv)
{
    char command[4096];
    if (argc < 2)
        return work();
    snprintf(command, sizeof command, "gdb -nx -batch -ex 'break middle' -ex run -ex 'info args' -ex 'watch watched'"
        " -ex continue -ex 'print watched' -ex finish -ex 'x/i $pc' -ex stepi -ex delete -ex continue -ex bt %s"
        " 2>/dev/null"
        " | grep -v '^\\[\\|^Using\\|^$' | sed 's/0x7[0-9a-f]\\{11\\}/ADDRESS/g'", argv[0]);
    CHECK(system(command) == 0);
    snprintf(command, sizeof command, "strace -qq -e trace=getpgid %s 2>&1 | sed 's/= [1-9].*/= GROUP/'", argv[0]);
    CHECK(system(command) == 0);
    return 0;
}
