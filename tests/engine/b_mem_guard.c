// SPDX-License-Identifier: Apache-2.0
// PROT_NONE and read-only pages fault with the right address and code, and become usable when the protection changes.
#include "b_check.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

static sigjmp_buf out;
static volatile char *seen_addr;
static volatile int seen_code;

static void on_segv(int sig, siginfo_t *si, void *uc)
{
    (void)sig, (void)uc;
    seen_addr = si->si_addr;
    seen_code = si->si_code;
    siglongjmp(out, 1);
}

static int faults(volatile char *p, int write)
{
    seen_addr = 0;
    seen_code = 0;
    if (sigsetjmp(out, 1))
        return seen_addr == p ? seen_code : -1;
    if (write)
        *p = 7;
    else
        (void)*p;
    return 0;
}

int main(void)
{
    struct sigaction sa = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO };
    CHECK(sigaction(SIGSEGV, &sa, 0) == 0);
    char *p = mmap(0, 4 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(mprotect(p + 4096, 4096, PROT_READ | PROT_WRITE) == 0 && mprotect(p + 8192, 4096, PROT_READ) == 0);
    say("none r%d w%d\n", faults(p + 123, 0), faults(p + 123, 1));
    say("rw r%d w%d\n", faults(p + 4096, 0), faults(p + 4096, 1));
    say("ro r%d w%d\n", faults(p + 8192 + 4095, 0), faults(p + 8192 + 4095, 1));
    CHECK(mprotect(p, 4096, PROT_READ | PROT_WRITE) == 0 && munmap(p + 4096, 4096) == 0);
    say("made rw r%d w%d\n", faults(p + 123, 0), faults(p + 123, 1));
    say("unmapped r%d w%d\n", faults(p + 4096, 0), faults(p + 4096, 1));
    say("null r%d w%d\n", faults((char *)8, 0), faults((char *)8, 1));
    return 0;
}
