// test: hard
// test: cc=-no-pie
// SPDX-License-Identifier: Apache-2.0
// 32-bit system calls by int $0x80 from 64-bit code, where the kernel has them: write, getpid, close, and an unknown number.
#include "b_check.h"
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf out;
static char text[] = "written by int 0x80\n";

static void on_segv(int sig)
{
    (void)sig;
    siglongjmp(out, 1);
}

static long int80(long nr, long a, long b, long c)
{
    long ret;
    __asm__ volatile("int $0x80" : "=a"(ret) : "0"(nr), "b"(a), "c"(b), "d"(c) : "r8", "r9", "r10", "r11", "memory");
    return ret;
}

int main(void)
{
    signal(SIGSEGV, on_segv);
    if (sigsetjmp(out, 1)) {
        say("no 32-bit calls here\n");
        return 0;
    }
    CHECK(int80(20, 0, 0, 0) == getpid());
    say("write %ld\n", int80(4, 1, (long)text, sizeof text - 1));
    say("close %ld\n", int80(6, 999, 0, 0));
    say("unknown %ld\n", int80(9999, 0, 0, 0));
    return 0;
}
