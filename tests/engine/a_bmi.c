// BMI1, BMI2, LZCNT, MOVBE and ADX with the flags that they leave.
#include "a_guest.h"

#define TWO(text)                                                                                                               \
    do {                                                                                                                        \
        uint64_t r = 0, fl;                                                                                                     \
        __asm__ volatile("xor %%eax, %%eax\n stc\n" text "\n pushfq\n pop %1" : "+&r"(r), "=&r"(fl) : "r"(a), "r"(b) : "rax", "rdx", "cc");  \
        printf("%-28s %016lx %03lx\n", text, r, fl & mask);                                                                     \
    } while (0)

int main(void)
{
    static const uint64_t in[][2] = {{0x123456789abcdef0, 0x0f0f00ff12340810}, {0, 5}, {~0ul, 0x3f08}, {1ul << 63, 1}};
    for (int i = 0; i < 4; i++) {
        uint64_t a = in[i][0], b = in[i][1], mask = 0x841; // CF, ZF, OF are defined by them all; the others not
        TWO("andn %2, %3, %0");
        TWO("pdep %2, %3, %0");
        TWO("pext %2, %3, %0");
        TWO("rorx $13, %2, %0");
        TWO("sarx %3, %2, %0");
        TWO("shlx %3, %2, %0");
        TWO("mov %3, %%rdx; mulx %2, %%rax, %0");
        TWO("bextr %3, %2, %0");
        TWO("bzhi %3, %2, %0");
        mask = 0x41;
        TWO("blsi %2, %0");
        TWO("blsr %2, %0");
        TWO("blsmsk %2, %0");
        TWO("lzcnt %2, %0");
        TWO("tzcnt %2, %0");
        mask = FLAGS_ALL;
        TWO("popcnt %2, %0");
        TWO("mov %2, %0; adcx %3, %0");
        TWO("mov %2, %0; adox %3, %0");
        TWO("mov %2, %0; adox %3, %0; adcx %2, %0; adox %2, %0");
        TWO("mov %2, -16(%%rsp); movbe -16(%%rsp), %0");
        TWO("mov %2, %0; bswap %0");
    }
    return 0;
}
