// SPDX-License-Identifier: Apache-2.0
// Threads made with CLONE_PIDFD, one after the other: each runs and ends, although its creator goes on at once and uses its stack for other things.
#include "b_check.h"
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>

#define THREADS 500

static char stack[65536] __attribute__((aligned(64)));
static int alive;

/* A thread that ends at once. */
static long make_thread(int *pidfd)
{
    unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_PIDFD | CLONE_CHILD_CLEARTID;
    register long r10 __asm__("r10") = (long)&alive, r8 __asm__("r8") = 0;
    long result;
    __asm__ volatile("syscall\n\t"
                     "test %%eax, %%eax\n\t"
                     "jnz 1f\n\t"
                     "mov $60, %%eax\n\t"
                     "xor %%edi, %%edi\n\t"
                     "syscall\n"
                     "1:"
                     : "=a"(result) : "0"(SYS_clone), "D"(flags), "S"(stack + sizeof stack), "d"(pidfd), "r"(r10), "r"(r8) : "rcx", "r11", "memory");
    return result;
}

int main(void)
{
    for (int i = 0; i < THREADS; i++) {
        int pidfd = -1;
        alive = 1;
        CHECK(make_thread(&pidfd) > 0 && pidfd >= 0);
        while (__atomic_load_n(&alive, __ATOMIC_ACQUIRE))
            syscall(SYS_futex, &alive, FUTEX_WAIT, 1, NULL, NULL, 0);
        CHECK(close(pidfd) == 0);
    }
    say("%d threads\n", THREADS);
    return 0;
}
