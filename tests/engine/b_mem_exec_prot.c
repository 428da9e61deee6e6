// SPDX-License-Identifier: Apache-2.0
// Code in a page without PROT_EXEC faults at the fetch with si_addr = rip; with PROT_EXEC it runs; other protections still hold.
#include "b_check.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

static sigjmp_buf out;
static unsigned char *code;
static volatile int at_code, si_code;

static void on_segv(int sig, siginfo_t *si, void *ctx)
{
    ucontext_t *uc = ctx;
    (void)sig;
    at_code = si->si_addr == code && uc->uc_mcontext.gregs[REG_RIP] == (long)code;
    si_code = si->si_code;
    siglongjmp(out, 1);
}

static int try_call(void)
{
    if (sigsetjmp(out, 1)) {
        CHECK(at_code);
        return -si_code;
    }
    return ((int (*)(void))(uintptr_t)code)();
}

int main(void)
{
    struct sigaction sa = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO };
    sigaction(SIGSEGV, &sa, 0);
    code = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(code, "\xb8\x2a\0\0\0\xc3", 6); /* mov $42,%eax; ret */
    say("rw: %d\n", try_call());
    mprotect(code, 4096, PROT_READ | PROT_EXEC);
    say("rx: %d\n", try_call());
    mprotect(code, 4096, PROT_READ);
    say("r: %d\n", try_call());
    mprotect(code, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
    code[1] = 43;
    say("rwx: %d\n", try_call());
    munmap(code, 4096);
    say("gone: %d\n", try_call());
    return 0;
}
