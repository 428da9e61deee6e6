// An instruction that jumps to itself, until a signal's handler moves on; and tight loops of one and two instructions.
#include "a_guest.h"
#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>

extern char self_jump[], self_loop[];
static int seen;

static void handler(int sig, siginfo_t *si, void *context)
{
    (void)sig, (void)si;
    greg_t *rip = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    if (*rip == (greg_t)self_jump) {
        struct itimerval off = {{0, 0}, {0, 0}};
        setitimer(ITIMER_REAL, &off, NULL);
        seen++;
        *rip += 2;
    } else if (*rip == (greg_t)self_loop && rip[REG_RCX - REG_RIP] != 1) { // a second tick may come before the loop has gone on
        struct itimerval off = {{0, 0}, {0, 0}};
        setitimer(ITIMER_REAL, &off, NULL);
        seen += 100;
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_RCX] = 1;
    }
}

int main(void)
{
    struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    struct itimerval timer = {{0, 10000}, {0, 10000}}, off = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &sa, NULL);
    for (int i = 0; i < 5; i++) {
        setitimer(ITIMER_REAL, &timer, NULL);
        __asm__ volatile("self_jump: jmp self_jump");
        setitimer(ITIMER_REAL, &off, NULL);
    }
    setitimer(ITIMER_REAL, &timer, NULL);
    uint64_t turns = 1ul << 62;
    __asm__ volatile("self_loop: loop self_loop" : "+c"(turns));
    setitimer(ITIMER_REAL, &off, NULL);
    printf("%d %lu\n", seen, turns);
    return 0;
}
