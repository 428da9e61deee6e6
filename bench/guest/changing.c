/* SPDX-License-Identifier: Apache-2.0
 * Benchmark workload: a store into a writable and executable page, then a call of a function there: changing KIND N.
 *   data    the store is beside the code
 *   same    it puts the bytes there that are there already
 *   flip    it puts one of two instructions there
 *   count   it puts the next number into an instruction */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const uint8_t code[] = {0xb8, 0, 0, 0, 0, 0x90, 0x90, 0x90, 0xc3}; /* mov $0, %eax; nop; nop; nop; ret */
static const uint8_t nops[] = {0x90, 0x90, 0x90}, twice[] = {0x8d, 0x04, 0x00}; /* lea (%rax,%rax), %eax */

static void change(uint8_t *m, const char *kind, uint32_t i)
{
    if (!strcmp(kind, "data"))
        *(volatile uint32_t *)(m + 256) = i;
    else if (!strcmp(kind, "same"))
        memcpy(m + 5, nops, sizeof nops);
    else if (!strcmp(kind, "flip"))
        memcpy(m + 5, i % 2 ? twice : nops, sizeof nops);
    else
        memcpy(m + 1, &i, sizeof i);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    uint8_t *m = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m == MAP_FAILED)
        return 1;
    memcpy(m, code, sizeof code);
    memcpy(m + 1, &argc, sizeof argc);
    uint32_t (*volatile call)(void) = (uint32_t (*)(void))m;
    uint32_t sum = 0;
    for (long i = 0, n = atol(argv[2]); i < n; i++) {
        change(m, argv[1], (uint32_t)i);
        sum = sum * 31 + call();
    }
    printf("%x\n", sum);
    return 0;
}
