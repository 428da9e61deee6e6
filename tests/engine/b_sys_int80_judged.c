// test: hard
// SPDX-License-Identifier: Apache-2.0
// Who else decides about calls by int $0x80: a dispatch that is to catch calls, filters, strict mode. The filter holds for code
// that comes after it, too, far from all that was there.
#include "b_check.h"
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

static sigjmp_buf out;
static volatile siginfo_t seen;
static volatile char selector;
static long (*call_at)(long nr);
static const unsigned char code[] = {0x53, 0x48, 0x89, 0xf8, 0xbb, 5, 0, 0, 0, 0xcd, 0x80, 0x5b, 0xc3}; // int80(rdi, 5)

static void on_segv(int sig)
{
    (void)sig;
    siglongjmp(out, 1);
}

static void on_sys(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)context;
    selector = 0;
    seen = *info;
}

static void place(int flags)
{
    char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    CHECK(p != MAP_FAILED);
    memcpy(p, code, sizeof code);
    call_at = (long (*)(long))p;
}

static void child(const char *what, void (*f)(void))
{
    int st;
    pid_t pid = fork();
    if (!pid) {
        f();
        _exit(0);
    }
    CHECK(waitpid(pid, &st, 0) == pid);
    say("%s: %x\n", what, st);
}

static void caught(void)
{
    struct sigaction act = {.sa_sigaction = on_sys, .sa_flags = SA_SIGINFO};
    sigaction(SIGSYS, &act, NULL);
    if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, 0, 0, &selector) != 0) {
        say("no dispatch\n");
        return;
    }
    say("let through %ld\n", call_at(20) - getpid());
    selector = 1;
    long r = call_at(6);
    say("caught %ld: code %d errno %d call %d arch %x at %ld\n", r, seen.si_code, seen.si_errno, seen.si_syscall, seen.si_arch,
        (long)((char *)seen.si_call_addr - (char *)call_at));
}

static void filtered(void)
{
    struct sock_filter insn[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_I386, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 77),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog prog = {4, insn};
    CHECK(call_at(20) == getpid());
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == 0);
    say("here %ld %ld\n", call_at(20), call_at(24));
    place(MAP_32BIT);
    say("far %ld %ld\n", call_at(20), call_at(24));
}

static void strict(void)
{
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
    write(1, "strict\n", 7);
    call_at(20);
    write(1, "alive\n", 6);
    syscall(SYS_exit, 1);
}

static void strict_exit(void)
{
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
    call_at(1);
}

int main(void)
{
    place(0);
    signal(SIGSEGV, on_segv);
    if (sigsetjmp(out, 1)) {
        say("no 32-bit calls here\n");
        return 0;
    }
    call_at(20);
    signal(SIGSEGV, SIG_DFL);
    child("dispatch", caught);
    child("filter", filtered);
    child("strict", strict);
    child("strict, exit", strict_exit);
    return 0;
}
