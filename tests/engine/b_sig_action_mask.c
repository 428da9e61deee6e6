// SPDX-License-Identifier: Apache-2.0
// sigaction's mask and flags as they come back: without SIGKILL and SIGSTOP, with all the flags that the kernel knows and no other.
#include "b_check.h"
#include <signal.h>
#include <sys/syscall.h>

struct kernel_action {
    void *handler;
    unsigned long flags;
    void *restorer;
    uint64_t mask;
};

int main(void)
{
    struct kernel_action act = { SIG_IGN, 0, 0, ~0ul }, old;
    for (int bit = -1; bit < 40; bit++) {
        act.flags = bit < 0 ? 0 : 1ul << bit;
        act.mask = bit < 0 ? ~0ul : 1ul << (bit + 3);
        CHECK(syscall(SYS_rt_sigaction, SIGUSR1, &act, 0, 8L) == 0 && syscall(SYS_rt_sigaction, SIGUSR1, 0, &old, 8L) == 0);
        say("%lx %lx: %lx %lx %d\n", act.flags, act.mask, old.flags, old.mask, old.handler == (void *)SIG_IGN);
    }
    return 0;
}
