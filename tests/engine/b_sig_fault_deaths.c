// SPDX-License-Identifier: Apache-2.0
// Faults without a handler, with the signal blocked or ignored, in a handler of the same signal, on a bad stack: all are deaths.
#include "b_check.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void fault(void)
{
    *(volatile int *)16 = 1;
}

static void again(int sig)
{
    (void)sig;
    fault();
}

static void divide(void)
{
    __asm__ volatile("xor %%ecx, %%ecx; div %%ecx" ::: "eax", "ecx", "edx", "cc");
}

static void child(int how)
{
    sigset_t all;
    struct sigaction sa = { .sa_handler = again };
    sigfillset(&all);
    switch (how) {
    case 0: fault(); break;
    case 1: sigprocmask(SIG_BLOCK, &all, 0); fault(); break;
    case 2: signal(SIGSEGV, SIG_IGN); fault(); break;
    case 3: sigaction(SIGSEGV, &sa, 0); fault(); break;
    case 4: sigaction(SIGSEGV, &sa, 0); sigprocmask(SIG_BLOCK, &all, 0); fault(); break;
    case 5: sigaction(SIGSEGV, &sa, 0); __asm__ volatile("mov $64, %%rsp; push $1" ::: "memory"); break;
    case 6: sa.sa_flags = SA_RESETHAND | SA_NODEFER; sigaction(SIGSEGV, &sa, 0); fault(); break;
    case 7: __asm__ volatile("ud2"); break;
    case 8: __asm__ volatile("int3"); break;
    case 9: divide(); break;
    case 10: abort(); break;
    case 11: signal(SIGABRT, SIG_IGN); abort(); break;
    case 12: __asm__ volatile("jmp *%0" ::"r"(0x123456l)); break;
    case 13: __asm__ volatile("mov $0x8000000000000000, %%rax; jmp *%%rax" ::: "rax"); break;
    case 14: sa.sa_flags = SA_ONSTACK; sigaction(SIGSEGV, &sa, 0); sigaltstack(&(stack_t){ (void *)0x10000, 0, 65536 }, 0); fault(); break;
    }
    _exit(44);
}

int main(void)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    for (int how = 0; how < 15; how++) {
        int status;
        pid_t pid = fork();
        if (!pid)
            child(how);
        CHECK(waitpid(pid, &status, 0) == pid);
        say("%d: %x\n", how, status);
    }
    return 0;
}
