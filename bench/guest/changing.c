/* SPDX-License-Identifier: Apache-2.0
 * Benchmark workload: a store into a writable and executable page, then a call of a function there: changing KIND N.
 *   data    the store is beside the code
 *   same    it puts the bytes there that are there already
 *   flip    it puts one of two instructions there
 *   count   it puts the next number into an instruction
 *   operand the same, into one that adds
 *   jump    it makes a jump go to one of 64 other functions
 *   call    and so a call
 *   places  count, in 256 functions in turn
 *   new     it puts one of 65536 functions there */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const uint8_t code[] = {0xb8, 0, 0, 0, 0, 0x90, 0x90, 0x90, 0xc3}; /* mov $0, %eax; nop; nop; nop; ret */
static const uint8_t nops[] = {0x90, 0x90, 0x90}, twice[] = {0x8d, 0x04, 0x00}; /* lea (%rax,%rax), %eax */

#define OTHERS 64
#define SLOT 16u
static uint32_t (*volatile call)(void);

/* xor %eax, %eax; add $i, %eax; ret */
static void operand(uint8_t *m, uint32_t i)
{
    static const uint8_t add[] = {0x31, 0xc0, 0x05, 0, 0, 0, 0, 0xc3};
    memcpy(m, add, sizeof add);
    memcpy(m + 3, &i, sizeof i);
}

/* jmp or call other; inc %eax; ret */
static void branch(uint8_t *m, uint8_t op, uint32_t i)
{
    static const uint8_t end[] = {0xff, 0xc0, 0xc3};
    int32_t rel = (int32_t)(4096 + (i * 29u % OTHERS) * SLOT - 5);
    m[0] = op;
    memcpy(m + 1, &rel, sizeof rel);
    memcpy(m + 5, end, sizeof end);
}

static void place(uint8_t *m, uint32_t i)
{
    uint8_t *at = m + i % 256 * SLOT;
    memcpy(at, code, sizeof code);
    memcpy(at + 1, &i, sizeof i);
    call = (uint32_t (*)(void))at;
}

/* mov $5, %eax; mov $7, %ecx; mov $9, %edx; eight times add, sub, xor or and of two of them; ret */
static void new(uint8_t *m, uint32_t i)
{
    static const uint8_t moves[] = {0xb8, 5, 0, 0, 0, 0xb9, 7, 0, 0, 0, 0xba, 9, 0, 0, 0}, op[] = {0x01, 0x29, 0x31, 0x21},
                         registers[] = {0xc8, 0xd0, 0xd1, 0xc1};
    memcpy(m, moves, sizeof moves);
    for (uint32_t k = 0, x = i * 0x9e3779b1u >> 16; k < 8; k++, x >>= 2) {
        m[sizeof moves + 2 * k] = op[x & 3];
        m[sizeof moves + 2 * k + 1] = registers[(x + k) & 3];
    }
    m[sizeof moves + 16] = 0xc3;
}

static void change(uint8_t *m, const char *kind, uint32_t i)
{
    if (!strcmp(kind, "data"))
        *(volatile uint32_t *)(m + 256) = i;
    else if (!strcmp(kind, "same"))
        memcpy(m + 5, nops, sizeof nops);
    else if (!strcmp(kind, "flip"))
        memcpy(m + 5, i % 2 ? twice : nops, sizeof nops);
    else if (!strcmp(kind, "operand"))
        operand(m, i);
    else if (!strcmp(kind, "jump") || !strcmp(kind, "call"))
        branch(m, kind[0] == 'j' ? 0xe9 : 0xe8, i);
    else if (!strcmp(kind, "places"))
        place(m, i);
    else if (!strcmp(kind, "new"))
        new(m, i);
    else
        memcpy(m + 1, &i, sizeof i);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    uint8_t *m = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m == MAP_FAILED)
        return 1;
    memcpy(m, code, sizeof code);
    memcpy(m + 1, &argc, sizeof argc);
    for (uint32_t i = 0; i < OTHERS; i++) {
        memcpy(m + 4096 + i * SLOT, code, sizeof code);
        memcpy(m + 4096 + i * SLOT + 1, &i, sizeof i);
    }
    call = (uint32_t (*)(void))m;
    uint32_t sum = 0;
    for (long i = 0, n = atol(argv[2]); i < n; i++) {
        change(m, argv[1], (uint32_t)i);
        sum = sum * 31 + call();
    }
    printf("%x\n", sum);
    return 0;
}
