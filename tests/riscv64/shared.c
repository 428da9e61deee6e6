/* SPDX-License-Identifier: Apache-2.0
 * Code in a shared mapping of a file, which may be changed elsewhere: it has to be checked whenever it runs (E16),
 * which the port cannot do yet. It has to say so. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
    int fd = memfd_create("code", 0);
    if (fd < 0 || ftruncate(fd, 4096))
        return 2;
    uint32_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, fd, 0);
    code[0] = 0x00008067u; /* ret */
    __asm__ volatile("fence.i" ::: "memory");
    ((void (*)(void))code)();
    printf("came back\n");
    return 0;
}
