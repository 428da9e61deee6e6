// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// PR_SET_SYSCALL_USER_DISPATCH: calls from outside a range come as SIGSYS while a byte of the thread says so; what the
// handler sees; threads, children and the next program start without it; wrong requests; deaths.
#include "b_check.h"
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
enum { OFF, OUTSIDE, INSIDE };
enum { ALLOW, BLOCK };

/* The same system call twice: once from the range that is allowed, once from elsewhere. */
__asm__(".text\n.balign 16\n"
        "allowed_begin:\n"
        "allowed_call: mov %rdi, %rax; mov %rsi, %rdi; mov %rdx, %rsi; mov %rcx, %rdx; mov %r8, %r10; mov %r9, %r8\n"
        "xor %r9d, %r9d; syscall; ret\n"
        "allowed_return: mov $15, %eax; syscall; hlt\n" /* the pc is that after the call */
        "allowed_end:\n"
        "other_call: mov %rdi, %rax; mov %rsi, %rdi; mov %rdx, %rsi; mov %rcx, %rdx; mov %r8, %r10; mov %r9, %r8\n"
        "xor %r9d, %r9d; syscall\n"
        "other_after: ret\n");
long allowed_call(long nr, ...), other_call(long nr, ...);
extern char allowed_begin[], allowed_end[], allowed_return[], other_after[];

static volatile char selector;
static volatile int caught;
static siginfo_t seen;
static greg_t seen_regs[NGREG];

static void on_sys(int sig, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    (void)sig;
    selector = ALLOW;
    caught++;
    seen = *info;
    memcpy(seen_regs, u->uc_mcontext.gregs, sizeof seen_regs);
    u->uc_mcontext.gregs[REG_RAX] = 4711;
}

static long set(long mode, const void *start, long bytes, const volatile void *byte)
{
    return allowed_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, mode, start, bytes, byte);
}

static long on(void) { return set(OUTSIDE, allowed_begin, allowed_end - allowed_begin, &selector); }

static void tell(const char *what, long result)
{
    const greg_t *r = seen_regs;
    say("%s: %ld, caught %d: code %d errno %d call %d arch %x at %d; rax %lld args %lld %lld %lld, rip %d rcx %d\n", what,
        result, caught, seen.si_code, seen.si_errno, seen.si_syscall, seen.si_arch,
        seen.si_call_addr == (void *)other_after, r[REG_RAX], r[REG_RDI], r[REG_RSI], r[REG_RDX],
        r[REG_RIP] == (greg_t)other_after, r[REG_RCX] == r[REG_RIP]);
}

static void wrong_requests(void)
{
    say("wrong: %ld %ld %ld %ld\n", set(7, 0, 0, 0), set(OFF, 0, 1, 0), set(OFF, 0, 0, &selector),
        set(OUTSIDE, (void *)4096, 0, &selector));
    say("wrong: %ld %ld %ld\n", set(OUTSIDE, (void *)4096, -4096, &selector), set(INSIDE, 0, 0, &selector),
        set(OUTSIDE, allowed_begin, 1, (void *)-4096l));
}

static void calls(void)
{
    CHECK(on() == 0);
    CHECK(other_call(SYS_getpid) == getpid() && !caught);
    selector = BLOCK;
    long r = other_call(SYS_close, 101l, 102l, 103l);
    tell("blocked", r);
    selector = BLOCK;
    r = allowed_call(SYS_getpid);
    long no_call = other_call(99999l, 1l, 2l, 3l);
    CHECK(r == getpid());
    tell("no such call", no_call);
    selector = BLOCK; /* libc's own calls are outside, too */
    r = getppid();
    CHECK(r == 4711 && caught == 3 && seen.si_syscall == SYS_getppid);
    selector = BLOCK;
    CHECK(set(OFF, 0, 0, 0) == 0);
    CHECK(other_call(SYS_getpid) == getpid() && caught == 3);
}

struct raw_action {
    void (*handler)(int, siginfo_t *, void *);
    unsigned long flags;
    void *restorer;
    unsigned long mask;
};

/* Without a selector everything outside is caught, the return from the handler, too. */
static void without_selector(void)
{
    struct raw_action act = {on_sys, SA_SIGINFO | 0x04000000, allowed_return, 0}, old;
    CHECK(syscall(SYS_rt_sigaction, SIGSYS, &act, &old, 8) == 0);
    CHECK(set(OUTSIDE, allowed_begin, allowed_end - allowed_begin, NULL) == 0);
    long r = other_call(SYS_getuid, 7l), r2 = getppid();
    CHECK(set(OFF, 0, 0, 0) == 0);
    CHECK(r == 4711 && r2 == 4711 && caught == 5);
    CHECK(syscall(SYS_rt_sigaction, SIGSYS, &old, NULL, 8) == 0);
}

/* Newer kernels: only what is inside a range. */
static void inside(void)
{
    long r = set(INSIDE, other_call, other_after + 1 - (char *)other_call, NULL);
    long back = r ? 0 : other_call(SYS_getuid, 8l);
    int n = caught;
    CHECK(set(OFF, 0, 0, 0) == 0);
    say("inside: %ld %ld %d\n", r, back, n);
}

static void *thread(void *arg)
{
    *(long *)arg = other_call(SYS_getpid);
    return NULL;
}

static void others(const char *self)
{
    pthread_t t;
    long r = 0;
    int st;
    CHECK(on() == 0);
    CHECK(pthread_create(&t, NULL, thread, &r) == 0 && pthread_join(t, NULL) == 0);
    int n = caught;
    /* The child has the byte, but not the request. */
    selector = BLOCK;
    pid_t pid = (pid_t)allowed_call(SYS_clone, (long)SIGCHLD, 0l, 0l, 0l, 0l);
    if (!pid)
        _exit(other_call(SYS_getpid) == 4711 || caught != n);
    selector = ALLOW;
    CHECK(waitpid(pid, &st, 0) == pid);
    say("thread %d fork %d\n", r == getpid() && caught == n, st);
    pid = vfork();
    if (!pid) {
        char *argv[] = {(char *)self, "again", NULL};
        selector = BLOCK;
        allowed_call(SYS_execve, self, argv, NULL);
        _exit(9);
    }
    r = other_call(SYS_getuid); /* the byte is shared with the vfork child, the request was the parent's all the time */
    CHECK(waitpid(pid, &st, 0) == pid);
    say("vfork and exec %d, then %ld\n", st, r);
    CHECK(set(OFF, 0, 0, 0) == 0);
}

static void die_with(const char *what, int byte, const void *place, int how)
{
    sigset_t set_of;
    int st;
    fflush(stdout);
    pid_t pid = fork();
    if (!pid) {
        sigemptyset(&set_of);
        sigaddset(&set_of, SIGSYS);
        if (how == SIG_BLOCK)
            sigprocmask(SIG_BLOCK, &set_of, NULL);
        else if (how < 0)
            signal(SIGSYS, how == -1 ? SIG_IGN : SIG_DFL);
        set(OUTSIDE, allowed_begin, allowed_end - allowed_begin, place);
        selector = (char)byte;
        other_call(SYS_getuid);
        allowed_call(SYS_exit_group, 3l);
    }
    CHECK(waitpid(pid, &st, 0) == pid);
    say("%s: %d\n", what, WIFSIGNALED(st) ? WTERMSIG(st) : 1000 + WEXITSTATUS(st));
}

int main(int argc, char **argv)
{
    struct sigaction act = {.sa_sigaction = on_sys, .sa_flags = SA_SIGINFO};
    if (argc > 1)
        return other_call(SYS_getpid) != getpid();
    CHECK(sigaction(SIGSYS, &act, NULL) == 0);
    wrong_requests();
    calls();
    without_selector();
    inside();
    others(argv[0]);
    die_with("handled", BLOCK, (void *)&selector, 99);
    die_with("wrong byte", 2, (void *)&selector, 99);
    die_with("no byte", BLOCK, (void *)16, 99);
    die_with("blocked signal", BLOCK, (void *)&selector, SIG_BLOCK);
    die_with("ignored signal", BLOCK, (void *)&selector, -1);
    die_with("default action", BLOCK, (void *)&selector, -2);
    say("dispatch ok\n");
    return 0;
}
