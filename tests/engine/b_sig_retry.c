// SPDX-License-Identifier: Apache-2.0
// A SIGSEGV handler that makes the page accessible lets the access run again: 500 pages, reads, writes, rep stos, push.
#include "b_check.h"
#include <signal.h>
#include <sys/mman.h>

enum { PAGES = 500 };
static char *area;
static int faults;

static void on_segv(int sig, siginfo_t *si, void *uc)
{
    char *page = (char *)((uintptr_t)si->si_addr & ~4095ul);
    (void)sig, (void)uc;
    if (page < area || page >= area + PAGES * 4096)
        _exit(99);
    faults++;
    CHECK(mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0);
}

int main(void)
{
    struct sigaction sa = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO };
    sigaction(SIGSEGV, &sa, 0);
    area = mmap(0, PAGES * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 100; i++)
        area[i * 4096 + i] = i;
    for (int i = 100; i < 200; i++)
        CHECK(((volatile char *)area)[i * 4096 + 7] == 0);
    char *d = area + 200 * 4096 + 5;
    long n = 100 * 4096 - 10;
    __asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(0x33) : "memory");
    CHECK(n == 0 && area[200 * 4096 + 5] == 0x33 && area[300 * 4096 - 6] == 0x33 && area[300 * 4096 - 5] == 0);
    for (int i = 300; i < 400; i++)
        CHECK(__atomic_fetch_add((int *)(area + i * 4096 + 4), i, __ATOMIC_SEQ_CST) == 0);
    for (int i = 400; i < 499; i++) { /* both pages of a crossing access fault in turn */
        long *cross = (long *)(area + i * 4096 + 4092);
        __asm__ volatile("addq %1, %0" : "+m"(*cross) : "r"((long)i) : "cc");
        CHECK(*cross == i);
    }
    unsigned sum = 0;
    for (int i = 0; i < PAGES * 4096; i++)
        sum = sum * 31 + area[i];
    say("faults %d sum %u\n", faults, sum);
    return 0;
}
