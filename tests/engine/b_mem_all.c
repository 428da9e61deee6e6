// test[space]: cc=-DTAKE=take_space
// test[mappings]: cc=-DTAKE=take_mappings
// test: timeout=120
// SPDX-License-Identifier: Apache-2.0
// A program that maps all address space that there is, or as often as it may, and then runs code that it has not run before: functions of its own, signals, a child, code that it makes.
#include "b_check.h"
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { FUNCTIONS = 40000, SLOT = 16 };

static bool map(uint64_t bytes, int prot)
{
    return mmap(0, bytes, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED;
}

static inline void take_space(void)
{
    for (uint64_t bytes = 1ul << 46; bytes >= 4096; bytes /= 2)
        while (map(bytes, PROT_NONE))
            ;
}

/* Neighbours that the kernel cannot join. */
static inline void take_mappings(void)
{
    for (int i = 0; map(4096, i % 2 ? PROT_NONE : PROT_READ); i++)
        ;
}

/* FUNCTIONS functions, each of which adds its number to the argument; more than one region of the cache holds. */
static void make_functions(uint8_t *code)
{
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        uint8_t *at = code + i * SLOT;
        memcpy(at, "\x48\x8d\x87", 3); /* lea i(%rdi), %rax; ret */
        memcpy(at + 3, &i, sizeof i);
        at[7] = 0xc3;
    }
}

static uint64_t call_all(uint8_t *code)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < FUNCTIONS; i++)
        sum = ((uint64_t (*)(uint64_t))(code + i * SLOT))(sum);
    return sum;
}

static void handler(int sig) { say("signal %d\n", sig); }

static int by_value(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }

int main(void)
{
    uint8_t *code = mmap(0, FUNCTIONS * SLOT, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(code != MAP_FAILED);
    make_functions(code);
    signal(SIGUSR1, handler);
    TAKE();
    CHECK(!map(1 << 20, PROT_WRITE) && errno == ENOMEM);
    say("sum %lu\n", call_all(code));
    raise(SIGUSR1);
    char text[] = "the quick brown fox";
    qsort(text, strlen(text), 1, by_value);
    say("%s %g\n", text, strtod("1.25", 0));
    int status;
    pid_t pid = fork();
    if (!pid)
        _exit(call_all(code) % 100);
    CHECK(waitpid(pid, &status, 0) == pid);
    say("child %d\n", WEXITSTATUS(status));
    return 0;
}
