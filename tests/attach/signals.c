// SPDX-License-Identifier: Apache-2.0
// Signals without end, on alternate stacks, while state that only registers hold has to stay: rounding modes, vector registers, segment bases. Queued signals come all, in order, once. SIGUSR1 ends the program.
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define QUEUED (SIGRTMIN + 4)

static volatile int over;
static unsigned long wrong, alarms, faults, queued, steps, stacks;

static void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    __atomic_add_fetch(&wrong, 1, __ATOMIC_SEQ_CST);
}

// --- a stack for handlers ----------------------------------------------------------------------------------------------------

static __thread char *alt;
#define ALT_BYTES 65536

static void use_alt_stack(void)
{
    stack_t ss = {.ss_size = ALT_BYTES};
    ss.ss_sp = mmap(NULL, ALT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (sigaltstack(&ss, NULL))
        fail("sigaltstack");
    alt = ss.ss_sp; // from here on a handler is there
    __atomic_add_fetch(&stacks, 1, __ATOMIC_SEQ_CST);
}

static void check_alt_stack(int on)
{
    stack_t ss;
    sigaltstack(NULL, &ss);
    if (alt && (ss.ss_sp != alt || ss.ss_size != ALT_BYTES || !(ss.ss_flags & SS_ONSTACK) != !on))
        fail("the alternate stack is another one");
}

static void on_alarm(int sig, siginfo_t *info, void *ucontext)
{
    char here;
    int err = errno;
    (void)sig, (void)info, (void)ucontext;
    if (alt && (&here < alt || &here >= alt + ALT_BYTES))
        fail("a handler is not on its stack");
    check_alt_stack(1);
    __atomic_add_fetch(&alarms, 1, __ATOMIC_SEQ_CST);
    errno = err;
}

// --- faults ------------------------------------------------------------------------------------------------------------------------

static __thread sigjmp_buf back;

static void on_segv(int sig, siginfo_t *info, void *ucontext)
{
    (void)sig, (void)ucontext;
    if (info->si_addr != (void *)0x1000)
        fail("a fault at another address");
    siglongjmp(back, 1);
}

static void *faulter(void *arg)
{
    use_alt_stack();
    while (!over) {
        if (!sigsetjmp(back, 1))
            *(volatile int *)0x1000 = 1;
        faults++;
        check_alt_stack(0);
    }
    return arg;
}

// --- queued signals ------------------------------------------------------------------------------------------------------------------

static pthread_t receiver_thread;
static int next_value;

static void on_queued(int sig, siginfo_t *info, void *ucontext)
{
    (void)sig, (void)ucontext;
    if (info->si_value.sival_int != next_value++)
        fail("a queued signal is missing or came twice");
    __atomic_add_fetch(&queued, 1, __ATOMIC_SEQ_CST);
}

static void *receiver(void *arg)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, QUEUED);
    use_alt_stack();
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    for (unsigned n = 0; !over; n++)
        if (n % 2)
            usleep(500);
    return arg;
}

static void *sender(void *arg)
{
    unsigned long sent = 0;
    while (!over) {
        union sigval v = {.sival_int = (int)sent};
        if (pthread_sigqueue(receiver_thread, QUEUED, v) == 0)
            sent++;
        while (sent - __atomic_load_n(&queued, __ATOMIC_SEQ_CST) > 50 && !over)
            usleep(100);
    }
    return arg;
}

// --- registers -----------------------------------------------------------------------------------------------------------------------

static __thread unsigned long own = 0x5a5a;

static void *keeper(void *arg)
{
    static unsigned long page[512] = {77};
    int mode = arg ? FE_UPWARD : FE_TOWARDZERO;
    use_alt_stack();
    fesetround(mode);
    syscall(SYS_arch_prctl, ARCH_SET_GS, page);
    while (!over) {
        unsigned long out[2], in[2] = {0x1234567890abcdef, 0xfedcba0987654321}, gs;
        __asm__ volatile("movdqu %2, %%xmm15; mov $100000, %%ecx; 1: dec %%ecx; jnz 1b; movdqu %%xmm15, %0; mov %%gs:0, %1" : "=m"(out), "=r"(gs) : "m"(in) : "ecx", "xmm15", "cc");
        if (memcmp(in, out, sizeof in))
            fail("a vector register has changed");
        if (gs != 77)
            fail("the GS base has changed");
        if (fegetround() != mode)
            fail("the rounding mode has changed");
        if (own != 0x5a5a)
            fail("a thread's variable has changed");
        if (sched_getcpu() < 0)
            fail("sched_getcpu");
        __atomic_add_fetch(&steps, 1, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

static void handle(int sig, void (*f)(int, siginfo_t *, void *), int flags)
{
    struct sigaction act = {.sa_sigaction = f, .sa_flags = SA_SIGINFO | flags};
    sigaction(sig, &act, NULL);
}

int main(void)
{
    pthread_t t;
    sigset_t set;
    int sig;
    struct itimerval timer = {{0, 1000}, {0, 1000}};
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, QUEUED);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    handle(SIGALRM, on_alarm, SA_ONSTACK | SA_RESTART);
    handle(SIGSEGV, on_segv, SA_ONSTACK);
    handle(QUEUED, on_queued, SA_ONSTACK);
    pthread_create(&receiver_thread, NULL, receiver, NULL);
    pthread_create(&t, NULL, sender, NULL);
    pthread_create(&t, NULL, faulter, NULL);
    pthread_create(&t, NULL, keeper, NULL);
    pthread_create(&t, NULL, keeper, (void *)1);
    setitimer(ITIMER_REAL, &timer, NULL);
    while (stacks < 4 || !alarms || !faults || !queued || !steps)
        usleep(1000);
    puts("ready");
    fflush(stdout);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigwait(&set, &sig);
    over = 1;
    printf("%lu wrong%s\n", wrong, alarms && faults && queued && steps ? "" : ", not everything ran");
    fflush(stdout);
    _exit(wrong || !alarms || !faults || !queued || !steps);
}
