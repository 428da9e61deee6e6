/* SPDX-License-Identifier: Apache-2.0
 * Code that is written while the program runs: a function of two instructions, changed and called again. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int main(void)
{
    uint32_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long sum = 0;
    for (uint32_t i = 0; i < 3; i++) {
        code[0] = 0x00050513u | (i + 5) << 20; /* addi a0, a0, i + 5 */
        code[1] = 0x00008067u;                 /* ret */
        __asm__ volatile("fence.i" ::: "memory");
        for (long n = 0; n < 100; n++)
            sum += ((long (*)(long))code)(n);
    }
    printf("%ld\n", sum);
    return sum == 3 * 4950 + 100 * (5 + 6 + 7) ? 0 : 1;
}
