// A signal handler patches the code that it interrupted, like a debugger's breakpoint: int3 in, the old byte back, and on.
#include "a_guest.h"
#include <signal.h>
#include <ucontext.h>

static uint8_t *m, saved;
static int hits;

static void handler(int sig, siginfo_t *si, void *context)
{
    (void)sig, (void)si;
    greg_t *rip = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    CHECK(*rip == (greg_t)(m + 6));
    hits++;
    m[5] = saved;
    *rip -= 1;
}

int main(void)
{
    struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &sa, NULL);
    m = arena_map(0, 1, PROT_READ | PROT_WRITE | PROT_EXEC);
    static const uint8_t code[] = {0xb8, 5, 0, 0, 0, 0x83, 0xc0, 0x02, 0x01, 0xc0, 0xc3}; // mov $5; add $2; add %eax, %eax
    memcpy(m, code, sizeof code);
    saved = m[5];
    int sum = 0;
    for (int i = 0; i < 500; i++) {
        if (i % 3)
            m[5] = 0xcc;
        int r = code_call(m);
        CHECK(r == 14);
        sum += r;
    }
    printf("%d hits, %d\n", hits, sum);
    return 0;
}
