// SPDX-License-Identifier: Apache-2.0
// A child that asks to be traced: its parent sees its signals, steps, registers, system calls and breakpoints as they
// are in the program, also through /proc/PID/mem.
#include "b_check.h"
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

long marked(long a, long b);
extern char marked_add[], marked_end[];
__asm__(".text; .globl marked, marked_add, marked_end\n"
        "marked: lea 1(%rdi),%rax; marked_add: add %rsi,%rax; marked_end: ret");

static volatile long global = 5;

static void child(void)
{
    CHECK(ptrace(PTRACE_TRACEME, 0, 0, 0) == 0);
    raise(SIGSTOP);
    long sum = marked(40, 1);
    syscall(SYS_getpgid, 0);
    _exit((int)(sum + global + marked(1, 1)));
}

static int next_stop(pid_t pid, int how)
{
    int status;
    CHECK(ptrace(how, pid, 0, 0) == 0 && waitpid(pid, &status, 0) == pid);
    return status;
}

static struct user_regs_struct regs_of(pid_t pid)
{
    struct user_regs_struct r;
    CHECK(ptrace(PTRACE_GETREGS, pid, 0, &r) == 0);
    return r;
}

static void poke_byte(pid_t pid, char *at, char byte)
{
    long word = ptrace(PTRACE_PEEKTEXT, pid, at, 0);
    CHECK(ptrace(PTRACE_POKETEXT, pid, at, (word & ~0xffl) | (unsigned char)byte) == 0);
}

int main(void)
{
    char path[64], int3 = (char)0xcc;
    int status;
    pid_t pid = fork();
    if (!pid)
        child();
    CHECK(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
    char first = *(char *)marked, third = *marked_end;
    poke_byte(pid, (char *)marked, int3);
    status = next_stop(pid, PTRACE_CONT);
    struct user_regs_struct r = regs_of(pid);
    say("stopped by %d at marked%+ld, arguments %lld %lld\n", WSTOPSIG(status), (long)(r.rip - (unsigned long)marked),
        r.rdi, r.rsi);
    poke_byte(pid, (char *)marked, first);
    r.rip = (unsigned long)marked;
    CHECK(ptrace(PTRACE_SETREGS, pid, 0, &r) == 0);
    for (int i = 0; i < 2; i++) {
        status = next_stop(pid, PTRACE_SINGLESTEP);
        r = regs_of(pid);
        say("step: signal %d, marked%+ld, rax %lld\n", WSTOPSIG(status), (long)(r.rip - (unsigned long)marked), r.rax);
    }
    r.rax = 100;
    CHECK(ptrace(PTRACE_SETREGS, pid, 0, &r) == 0 && ptrace(PTRACE_POKEDATA, pid, &global, 7l) == 0);
    snprintf(path, sizeof path, "/proc/%d/mem", pid);
    int mem = open(path, O_RDWR);
    CHECK(mem >= 0);
    do {
        next_stop(pid, PTRACE_SYSCALL);
        r = regs_of(pid);
    } while (r.orig_rax != SYS_getpgid);
    say("system call %lld with %lld\n", r.orig_rax, r.rdi);
    next_stop(pid, PTRACE_SYSCALL);
    say("it gave %s\n", (pid_t)regs_of(pid).rax == getpgid(pid) ? "the group" : "something else");
    CHECK(pwrite(mem, &int3, 1, (off_t)marked_end) == 1);
    status = next_stop(pid, PTRACE_CONT);
    r = regs_of(pid);
    say("stopped by %d at marked_end%+ld, rax %lld\n", WSTOPSIG(status),
        (long)(r.rip - (unsigned long)marked_end), r.rax);
    CHECK(pwrite(mem, &third, 1, (off_t)marked_end) == 1);
    r.rip = (unsigned long)marked_end;
    CHECK(ptrace(PTRACE_SETREGS, pid, 0, &r) == 0);
    status = next_stop(pid, PTRACE_CONT);
    say("exited %d with %d\n", WIFEXITED(status), WEXITSTATUS(status));
    return 0;
}
