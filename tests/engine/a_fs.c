// FS: the TLS pointer by its own word, by rdfsbase and by arch_prctl; accesses of many kinds; a base changed and put back.
// test: cc=-mfsgsbase
#include "a_guest.h"
#include <asm/prctl.h>
#include <sys/syscall.h>

static _Alignas(16) uint64_t other[8] = {11, 12, 13, 14, 15, 16, 17, 18};
static __thread uint64_t local[4] = {21, 22, 23, 24};

int main(void)
{
    uint64_t self, base = 0, r[6], old;
    __asm__ volatile("mov %%fs:0, %0" : "=r"(self)); // the ABI keeps the pointer there
    CHECK(syscall(SYS_arch_prctl, ARCH_GET_FS, &base) == 0);
    printf("%d %d\n", self == base, self == __builtin_ia32_rdfsbase64());
    int64_t at = (int64_t)((uintptr_t)local - base);
    __asm__ volatile("mov %%fs:(%1), %0" : "=r"(r[0]) : "r"(at));
    __asm__ volatile("mov $0, %%eax; lock xadd %0, %%fs:8(%1,%%rax)" : "+r"(r[0]) : "r"(at) : "rax", "memory");
    printf("%lu %lu\n", r[0], local[1]);
    __asm__ volatile("rdfsbase %[old]\n wrfsbase %[o]\n mov %%fs:0, %[a]\n mov %%fs:8, %k[b]\n addq $5, %%fs:16\n"
                     "movaps %%fs:32, %%xmm7\n movq %%xmm7, %[c]\n mov $0x18, %%edx\n mov %%fs:(%%rdx), %%dh\n movzbl %%dh, %k[d]\n wrfsbase %[old]"
                     : [old] "=&r"(old), [a] "=&r"(r[0]), [b] "=&r"(r[1]), [c] "=&r"(r[2]), [d] "=&Q"(r[3])
                     : [o] "r"(other)
                     : "memory", "xmm7", "rdx");
    printf("%lu %lu %lu %lu %lu\n", r[0], r[1], r[2], r[3], other[2]);
    CHECK(old == base);
    uint32_t low;
    __asm__ volatile("rdfsbase %0" : "=r"(low));
    printf("%d\n", low == (uint32_t)base);
    // the system call as well, with nothing of libc in between
    __asm__ volatile("mov %[n], %%eax; mov %[set], %%edi; mov %[o], %%rsi; syscall; mov %%fs:24, %[r]\n"
                     "mov %[n], %%eax; mov %[set], %%edi; mov %[old], %%rsi; syscall"
                     : [r] "=&b"(r[0])
                     : [n] "i"(SYS_arch_prctl), [set] "i"(ARCH_SET_FS), [o] "r"(other), [old] "r"(old)
                     : "rax", "rdi", "rsi", "rcx", "r11", "memory");
    printf("%lu %lu\n", r[0], local[0]);
    return 0;
}
