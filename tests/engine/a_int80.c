// The 32-bit system call gate from 64-bit code: getpid, write below 4 GiB, an unknown number, and the registers it keeps.
#include "a_guest.h"

static long gate(long n, long b, long c, long d)
{
    long r;
    __asm__ volatile("int $0x80" : "=a"(r) : "a"(n), "b"(b), "c"(c), "d"(d) : "memory");
    return r;
}

int main(void)
{
    char *low = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    CHECK(low != MAP_FAILED);
    memcpy(low, "through the gate\n", 17);
    printf("pid %d\n", gate(20, 0, 0, 0) == getpid());
    fflush(stdout);
    printf("write %ld\n", gate(4, 1, (long)low, 17));
    printf("unknown %ld\n", gate(9999, 1, 2, 3));
    uint64_t di = 0x1300000013;
    register uint64_t a12 __asm__("r12") = 0x1200000012;
    long r;
    __asm__ volatile("int $0x80" : "=a"(r), "+D"(di), "+r"(a12) : "0"(20l) : "memory", "r8", "r9", "r10", "r11");
    printf("%lx %lx %d\n", a12, di, r == getpid());
    return 0;
}
