/* SPDX-License-Identifier: Apache-2.0
 * What the a_* guests share: checks that end the program, memory at a place that is the same in every run, and small pieces of
 * machine code. Nothing here hides a result: a guest prints what it sees. */
#ifndef A_GUEST_H
#define A_GUEST_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Far from where the kernel puts anything, so a guest may print these addresses. */
#define ARENA ((uint8_t *)0x200000000000)
#define PAGE 4096

#define CHECK(x)                                                                                                                \
    do {                                                                                                                        \
        if (!(x)) {                                                                                                             \
            fflush(stdout);                                                                                                     \
            fprintf(stderr, "line %d: %s\n", __LINE__, #x);                                                                     \
            abort();                                                                                                            \
        }                                                                                                                       \
    } while (0)

/* pages of memory at ARENA + at. */
static inline uint8_t *arena_map(size_t at, size_t pages, int prot)
{
    void *p = mmap(ARENA + at, pages * PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    CHECK(p == ARENA + at);
    return p;
}

typedef int int_fn(void);

/* mov $value, %eax; ret */
#define CODE_RETURN_BYTES 6
static inline void code_return(uint8_t *at, int value)
{
    uint8_t code[CODE_RETURN_BYTES] = {0xb8, 0, 0, 0, 0, 0xc3};
    memcpy(code + 1, &value, 4);
    memcpy(at, code, sizeof code);
}

static inline int code_call(const uint8_t *at)
{
    return ((int_fn *)(uintptr_t)at)();
}

#define FLAGS_ALL 0x8d5 /* CF PF AF ZF SF OF */
#endif
