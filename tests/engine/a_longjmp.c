// setjmp and longjmp across many frames, repeatedly, and from a signal handler with the mask restored.
#include "a_guest.h"
#include <setjmp.h>
#include <signal.h>

static jmp_buf out;
static sigjmp_buf from_signal;

static __attribute__((noinline)) int descend(int n)
{
    volatile int keep = n;
    if (n == 0)
        longjmp(out, 42);
    if (keep < 0)
        return 0;
    return descend(n - 1) + keep;
}
static void handler(int sig)
{
    siglongjmp(from_signal, sig);
}

int main(void)
{
    volatile int total = 0, faults = 0;
    for (volatile int i = 0; i < 200; i++) {
        int r = setjmp(out);
        if (r == 0)
            descend(i * 10);
        total += r;
    }
    printf("%d\n", total);
    signal(SIGSEGV, handler);
    signal(SIGUSR1, handler);
    for (volatile int i = 0; i < 100; i++) {
        int sig = sigsetjmp(from_signal, 1);
        if (sig == 0) {
            if (i & 1)
                raise(SIGUSR1);
            else
                *(volatile int *)16 = 1;
        }
        faults += sig;
    }
    sigset_t now;
    sigprocmask(SIG_BLOCK, NULL, &now);
    printf("%d %d %d\n", faults, sigismember(&now, SIGSEGV), sigismember(&now, SIGUSR1));
    return 0;
}
