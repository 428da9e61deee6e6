// SPDX-License-Identifier: Apache-2.0
// The interrupted rip and rsp make sense: within the function that runs, within the stack; return address and frame chain are native.
#include "b_check.h"
#include <execinfo.h>
#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>

static volatile int hits, inside, stop;
static char *stack_top;
extern char busy_end[];

static __attribute__((noinline)) void busy(void)
{
    __asm__ volatile("1: addl $0, %0; cmpl $0, %1; je 1b\n.globl busy_end\nbusy_end:" : "+m"(hits) : "m"(stop) : "cc");
}

/* One shot each time: however slow the handler is, the loop goes on between two ticks. */
static void arm(void)
{
    setitimer(ITIMER_REAL, &(struct itimerval){ .it_value = { 0, 1000 } }, 0);
}

static void on_tick(int sig, siginfo_t *si, void *ctx)
{
    greg_t *r = ((ucontext_t *)ctx)->uc_mcontext.gregs;
    void *frames[16];
    (void)sig, (void)si;
    hits++;
    if (r[REG_RIP] >= (long)busy && r[REG_RIP] < (long)busy_end) {
        inside++;
        CHECK(r[REG_RSP] < (long)stack_top && r[REG_RSP] > (long)&frames);
        CHECK((r[REG_CSGSFS] & 0xffff) == 0x33 && (r[REG_EFL] & 0x200));
        int n = backtrace(frames, 16), found = 0;
        for (int i = 0; i < n; i++)
            found |= frames[i] >= (void *)busy && frames[i] < (void *)busy_end;
        CHECK(found);
    }
    stop = inside >= 20;
    if (!stop)
        arm();
}

int main(void)
{
    char top;
    void *warm[4];
    stack_top = &top + 256;
    backtrace(warm, 4); /* loads libgcc outside of the handler */
    struct sigaction sa = { .sa_sigaction = on_tick, .sa_flags = SA_SIGINFO };
    sigaction(SIGALRM, &sa, 0);
    arm();
    busy();
    CHECK(inside >= 20);
    say("where ok\n");
    return 0;
}
