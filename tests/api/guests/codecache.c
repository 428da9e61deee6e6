// SPDX-License-Identifier: Apache-2.0
// Calls at_hot 100 times; rewrites one generated function 15000 times and calls it each time; calls 6000 generated functions once each. Markers in between.
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define REWRITES 15000
#define FUNCTIONS 6000
#define STRIDE 64

typedef uint32_t function(void);

void at_hot(void);
void at_hot(void) { __asm__ volatile(""); }
void at_rewritten(void);
void at_rewritten(void) { __asm__ volatile(""); }
void at_end(void);
void at_end(void) { __asm__ volatile(""); }

static const uint8_t code[] = {0xb8, 0, 0, 0, 0, 0xeb, 0, 0xc3}; /* mov $n,%eax; jmp to the next instruction, in a trace of its own; ret */

static void generate(uint8_t *at, uint32_t n)
{
    memcpy(at, code, sizeof code);
    memcpy(at + 1, &n, 4);
}

int main(void)
{
    uint8_t *buf = mmap((void *)0x10000000, FUNCTIONS * STRIDE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (buf == MAP_FAILED)
        return 1;
    for (int i = 0; i < 100; i++)
        at_hot();
    for (uint32_t i = 0; i < REWRITES; i++) {
        generate(buf, i);
        if (((function *)buf)() != i)
            return 2;
    }
    at_rewritten();
    for (uint32_t i = 0; i < FUNCTIONS; i++)
        generate(buf + i * STRIDE, i * 3);
    for (uint32_t i = 0; i < FUNCTIONS; i++)
        if (((function *)(buf + i * STRIDE))() != i * 3)
            return 3;
    at_end();
    return 0;
}
//> codecache mode=events
//= init 1 wrong 0
//= inserted yes invalidated yes entered yes exited yes flushed 2
//> codecache mode=remove
//= made 1 at 0: 1 0 made 2 range: 1 0 made 3 instrumentation in range: made 4 all: made 5 calls 100 wrong 0
//> codecache mode=limits
//= at most 3 instructions: yes, 1 block: yes wrong 0
//> codecache mode=full
//= full yes flushed yes blocks yes grown yes wrong 0
//> codecache mode=reclaim
//= traces of it 15000 reserved less than a third of what they took
//> codecache mode=smc
//= changed 15000 other 0 wrong 0
