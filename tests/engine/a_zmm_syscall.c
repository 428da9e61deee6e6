// The upper vector state (zmm halves, zmm16 to zmm31, mask registers) stays over system calls, indirect jumps and faults.
// test: cc=-mavx512f -mavx512bw
#include "a_guest.h"
#include <signal.h>

#define EACH(X) X(0) X(5) X(15) X(16) X(17) X(24) X(30) X(31)
#define LOAD(n) "vmovdqu64 64*" #n "(%[in]), %%zmm" #n "\n"
#define STORE(n) "vmovdqu64 %%zmm" #n ", 64*" #n "(%[out])\n"
static uint64_t in[32 * 8], out[32 * 8];

static void nothing(int sig)
{
    (void)sig;
}

static void run(long number)
{
    uint64_t mask = 0x123456789abcdef0, k;
    memset(out, 0, sizeof out);
    __asm__ volatile(EACH(LOAD) "kmovq %[mask], %%k5\n"
                     "mov $20, %%ebx; 1: lea 2f(%%rip), %%rdx; jmp *%%rdx; ud2; 2: mov %[n], %%rax; xor %%edi, %%edi; syscall; int3; dec %%ebx; jnz 1b\n" EACH(STORE)
                     "kmovq %%k5, %[k]; vzeroupper"
                     : [k] "=&r"(k), "=m"(out)
                     : [mask] "r"(mask), [n] "r"(number), [in] "r"(in), [out] "r"(out), "m"(in)
                     : "rax", "rbx", "rcx", "rdx", "rdi", "r11", "k5", "xmm0", "xmm5", "xmm15", "xmm16", "xmm17", "xmm24", "xmm30", "xmm31", "memory", "cc");
    unsigned same = 0;
    for (int i = 0; i < 32; i++)
        same |= (unsigned)(memcmp(in + i * 8, out + i * 8, 64) == 0) << i;
    printf("%ld: same %x mask %d\n", number, same, k == mask);
}

int main(void)
{
    if (!__builtin_cpu_supports("avx512bw")) {
        puts("no");
        return 0;
    }
    signal(SIGTRAP, nothing);
    for (unsigned i = 0; i < 32 * 8; i++)
        in[i] = 0x9e3779b97f4a7c15 * (i + 1);
    run(110);   // getppid
    run(24);    // sched_yield
    run(100000);
    return 0;
}
