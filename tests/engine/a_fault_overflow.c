// Stack overflow: the handler runs on the alternate stack and jumps out; three times.
#include "a_guest.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>

static sigjmp_buf out;
static char *top;

static void handler(int sig, siginfo_t *si, void *context)
{
    (void)context;
    long used = top - (char *)si->si_addr;
    printf("signal %d code %d near the limit %d\n", sig, si->si_code, used > 900 * 1024 && used < 1200 * 1024);
    siglongjmp(out, 1);
}
static __attribute__((noinline)) int descend(volatile int *up)
{
    volatile int here[64];
    here[0] = *up + 1;
    return *up < 0 ? 0 : descend(here) + here[0];
}

int main(void)
{
    static char stack[65536];
    struct rlimit lim;
    stack_t ss = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    volatile int zero = 0;
    top = (char *)&lim;
    CHECK(getrlimit(RLIMIT_STACK, &lim) == 0);
    lim.rlim_cur = 1 << 20;
    CHECK(setrlimit(RLIMIT_STACK, &lim) == 0);
    CHECK(sigaltstack(&ss, NULL) == 0 && sigaction(SIGSEGV, &sa, NULL) == 0);
    for (volatile int i = 0; i < 3; i++)
        if (sigsetjmp(out, 1) == 0)
            printf("%d\n", descend(&zero));
    return 0;
}
