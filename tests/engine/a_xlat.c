// xlat with its implicit operands, with a segment override and with a 32-bit address.
#include "a_guest.h"
#include <sys/syscall.h>
#include <asm/prctl.h>

int main(void)
{
    uint8_t *low = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    CHECK(low != MAP_FAILED);
    for (int i = 0; i < 256; i++)
        low[i] = (uint8_t)(i * 7 + 1);
    for (unsigned i = 0; i < 256; i += 37) {
        uint64_t a = 0xabcdef00 | i, b = 0xabcdef00 | i, c = 0xabcdef00 | i;
        __asm__ volatile("xlat" : "+a"(a) : "b"(low));
        __asm__ volatile("addr32 xlat" : "+a"(b) : "b"(low + 0xdead00000000));
        CHECK(syscall(SYS_arch_prctl, ARCH_SET_GS, low) == 0);
        __asm__ volatile("xlat %%gs:(%%rbx)" : "+a"(c) : "b"(0ul));
        printf("%lx %lx %lx\n", a, b, c);
    }
    return 0;
}
