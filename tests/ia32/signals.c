/* SPDX-License-Identifier: Apache-2.0
 * Signals in an IA-32 program: frames of both kinds, what is in them, faults with their addresses, an alternate stack,
 * masks, waits, floating point state, a handler that changes the context and one that leaves by longjmp. Prints what
 * it sees: the same natively and under the engine. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define CHECK(what) printf("%s: %s\n", #what, (what) ? "yes" : "no")

static volatile int count, last_code;
static void *volatile last_addr;
static sigjmp_buf back;

static void plain(int sig) { count += sig; }

static void with_info(int sig, siginfo_t *info, void *uc)
{
    ucontext_t *u = uc;
    count += sig;
    last_code = info->si_code;
    last_addr = info->si_addr;
    CHECK(u->uc_mcontext.gregs[REG_EIP] != 0);
    CHECK((u->uc_mcontext.gregs[REG_CS] & 0xffff) == 0x23 && (u->uc_mcontext.gregs[REG_DS] & 0xffff) == 0x2b);
    CHECK((u->uc_mcontext.gregs[REG_GS] & 0xffff) != 0);
}

static void leaves(int sig, siginfo_t *info, void *uc)
{
    (void)uc;
    last_addr = info->si_addr;
    siglongjmp(back, sig);
}

/* The instruction that faulted is 2 bytes long. */
static void steps_over(int sig, siginfo_t *info, void *uc)
{
    ucontext_t *u = uc;
    (void)sig;
    last_addr = info->si_addr;
    u->uc_mcontext.gregs[REG_EIP] += 2;
    u->uc_mcontext.gregs[REG_EAX] = 0x1234;
}

static char stack[65536];

static void faults(void)
{
    stack_t ss = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction a = {.sa_sigaction = leaves, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaltstack(&ss, NULL);
    sigaction(SIGSEGV, &a, NULL);
    sigaction(SIGFPE, &a, NULL);
    sigaction(SIGILL, &a, NULL);
    char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!sigsetjmp(back, 1))
        page[123] = 1;
    CHECK(last_addr == page + 123);
    if (!sigsetjmp(back, 1))
        __asm__ volatile("push 8(%0)" : : "r"(page));
    CHECK(last_addr == page + 8);
    if (!sigsetjmp(back, 1))
        __asm__ volatile("mov %%esp, %%esi; mov %0, %%esp; pushl $5; mov %%esi, %%esp" : : "r"(page + 64) : "esi");
    CHECK(last_addr == page + 60);
    volatile int zero = 0;
    if (!sigsetjmp(back, 1))
        count /= zero;
    if (!sigsetjmp(back, 1))
        __asm__ volatile("ud2");
    puts("faults are over");
    a.sa_sigaction = steps_over;
    sigaction(SIGSEGV, &a, NULL);
    unsigned eax;
    __asm__ volatile("mov (%1), %%eax" : "=a"(eax) : "b"(page + 20));
    CHECK(last_addr == page + 20 && eax == 0x1234);
    munmap(page, 4096);
}

static void on_stack(int sig)
{
    char here;
    stack_t now;
    sigaltstack(NULL, &now);
    CHECK(&here > stack && &here < stack + sizeof stack);
    CHECK(now.ss_flags == SS_ONSTACK);
    count += sig;
}

static void alternate(void)
{
    stack_t ss = {.ss_sp = stack, .ss_size = sizeof stack}, old;
    struct sigaction a = {.sa_handler = on_stack, .sa_flags = SA_ONSTACK};
    CHECK(sigaltstack(&ss, NULL) == 0);
    sigaction(SIGUSR1, &a, NULL);
    raise(SIGUSR1);
    sigaltstack(NULL, &old);
    CHECK(old.ss_sp == stack && old.ss_flags == 0 && old.ss_size == sizeof stack);
}

/* Floating point state is the interrupted code's again after the handler, which has used all of it. */
static void spoils(int sig)
{
    (void)sig;
    __asm__ volatile("fninit; fldpi; fldpi; pxor %%xmm3, %%xmm3" : : : "xmm3");
}

static void floating(void)
{
    double x87, sse = 2.5, out;
    signal(SIGUSR2, spoils);
    __asm__ volatile("fldl %4\n\tmovsd %4, %%xmm3\n\tint $0x80\n\tfstpl %0\n\tmovsd %%xmm3, %1"
                     : "=m"(x87), "=m"(out) : "a"(SYS_tgkill), "b"(getpid()), "m"(sse), "c"(syscall(SYS_gettid)),
                     "d"(SIGUSR2) : "xmm3", "memory");
    printf("%g %g\n", x87, out);
}

static void masks(void)
{
    sigset_t set, old, pending;
    struct timespec wait = {0, 50000000};
    siginfo_t info;
    signal(SIGUSR1, plain);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, &old);
    count = 0;
    raise(SIGUSR1);
    sigpending(&pending);
    CHECK(count == 0 && sigismember(&pending, SIGUSR1));
    CHECK(sigtimedwait(&set, &info, &wait) == SIGUSR1 && info.si_pid == getpid());
    CHECK(sigtimedwait(&set, &info, &wait) == -1 && errno == EAGAIN);
    raise(SIGUSR1);
    CHECK(sigsuspend(&old) == -1 && errno == EINTR && count == SIGUSR1);
    raise(SIGUSR1);
    CHECK(ppoll(NULL, 0, NULL, &old) == -1 && errno == EINTR && count == 2 * SIGUSR1);
    raise(SIGUSR1);
    CHECK(pselect(0, NULL, NULL, NULL, NULL, &old) == -1 && errno == EINTR && count == 3 * SIGUSR1);
    sigprocmask(SIG_SETMASK, &old, NULL);
    CHECK(nanosleep(&wait, NULL) == 0);
}

/* The old calls, which libc does not make any more. */
static void old_calls(void)
{
    struct { void *handler; unsigned mask, flags; void *restorer; } was;
    unsigned set = 1u << (SIGUSR1 - 1), old;
    CHECK(syscall(SYS_sigaction, SIGUSR1, NULL, &was) == 0 && was.handler == plain);
    CHECK(syscall(SYS_sigprocmask, SIG_BLOCK, &set, &old) == 0);
    count = 0;
    raise(SIGUSR1);
    CHECK(syscall(SYS_sigpending, &set) == 0 && set == 1u << (SIGUSR1 - 1));
    CHECK(count == 0 && syscall(SYS_sigprocmask, SIG_SETMASK, &old, NULL) == 0 && count == SIGUSR1);
    CHECK(syscall(SYS_sigaction, 99, NULL, NULL) == -1 && errno == EINVAL);
    CHECK(syscall(SYS_sigprocmask, SIG_BLOCK, (void *)1, NULL) == -1 && errno == EFAULT);
}

int main(void)
{
    struct sigaction a = {.sa_sigaction = with_info, .sa_flags = SA_SIGINFO};
    signal(SIGUSR1, plain);
    raise(SIGUSR1);
    CHECK(count == SIGUSR1);
    sigaction(SIGUSR2, &a, NULL);
    union sigval value = {.sival_int = 77};
    sigqueue(getpid(), SIGUSR2, value);
    CHECK(count == SIGUSR1 + SIGUSR2 && last_code == SI_QUEUE);
    faults();
    alternate();
    floating();
    masks();
    old_calls();
    timer_t timer;
    struct itimerspec when = {.it_value = {0, 10000000}};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    sigset_t set, old;
    signal(SIGUSR1, plain);
    count = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, &old); /* it may come before the wait */
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &when, NULL) == 0);
    CHECK(sigsuspend(&old) == -1 && count == SIGUSR1);
    fflush(stdout);
    kill(getpid(), SIGTERM);
    return 1;
}
