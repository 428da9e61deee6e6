// SPDX-License-Identifier: Apache-2.0
// One thread spins until somebody sets its r12 (and looks at xmm5 then), one waits in read, with r13 and its result checked afterwards; the first then stops all from at_stop.
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

volatile int at_go; /* set by the tool */
static int fd[2];

void at_stop(void);
void at_stop(void) { __asm__ volatile(""); }

static void *spin(void *arg)
{
    uint64_t low = 0, r12 = 0;
    __asm__ volatile("xor %%r12d, %%r12d\n"
                     "pxor %%xmm5, %%xmm5\n"
                     ".globl at_spin\n"
                     "at_spin: cmp $0x5a, %%r12\n"
                     "jne at_spin\n"
                     ".globl at_spun\n"
                     "at_spun: movq %%xmm5, %0\n"
                     "mov %%r12, %1\n"
                     : "=r"(low), "=r"(r12) : : "r12", "xmm5", "cc");
    *(int *)arg = low == 0x1122334455667788 && r12 == 0x5a ? 0 : 1;
    return 0;
}

static void *wait_in_read(void *arg)
{
    char byte = 0;
    int64_t result;
    uint64_t r13;
    __asm__ volatile("xor %%r13d, %%r13d\n"
                     "xor %%eax, %%eax\n"
                     "syscall\n"
                     ".globl at_read\n"
                     "at_read: mov %%r13, %1\n"
                     : "=a"(result), "=r"(r13) : "D"(fd[0]), "S"(&byte), "d"(1) : "rcx", "r11", "r13", "memory");
    *(int *)arg = result == 1 && byte == 'x' && r13 == 77 ? 0 : 1;
    return 0;
}

static void *sleeper(void *arg)
{
    pause();
    return arg;
}

int main(void)
{
    pthread_t t[3];
    int bad[2] = {2, 2};
    if (pipe(fd) || pthread_create(&t[0], 0, spin, &bad[0]) || pthread_create(&t[1], 0, wait_in_read, &bad[1]) || pthread_create(&t[2], 0, sleeper, 0))
        return 1;
    while (!at_go)
        ;
    if (write(fd[1], "x", 1) != 1)
        return 2;
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    for (int i = 0; i < 10; i++)
        at_stop();
    return bad[0] ? 3 : bad[1] ? 4 : 0;
}
//> stop
//= spun 1 in read 1 changed 1 1 stopped by the program 10 wrong 0 status 0
