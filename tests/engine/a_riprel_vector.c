// RIP-relative operands of SSE, VEX and EVEX instructions, with immediates, compressed displacements and masks.
// test: cc=-mavx512f -mavx512vl -mavx512bw
#include "a_guest.h"

_Alignas(64) uint64_t cell[16];

#define RUN(text)                                                                                                               \
    do {                                                                                                                        \
        uint64_t a[8], out[8];                                                                                                  \
        for (unsigned i = 0; i < 16; i++)                                                                                       \
            cell[i] = 0x0123456789abcdef * (i + 1);                                                                             \
        for (unsigned i = 0; i < 8; i++)                                                                                        \
            a[i] = 0x1020304050607080 + i;                                                                                      \
        memset(out, 0, sizeof out);                                                                                             \
        __asm__ volatile("vmovdqu %1, %%ymm1; vmovdqu %1, %%ymm2; vmovdqu %1, %%ymm9\n" text "\nvmovdqu %%ymm1, %0; vzeroupper" \
                         : "=m"(*(uint64_t(*)[4])out)                                                                           \
                         : "m"(a)                                                                                               \
                         : "xmm1", "xmm2", "xmm9", "xmm16", "xmm17", "rax", "k1", "memory");                                    \
        printf("%s\n  %lx %lx %lx %lx cell %lx %lx\n", text, out[0], out[1], out[2], out[3], cell[0], cell[1]);                 \
    } while (0)

int main(void)
{
    if (!__builtin_cpu_supports("avx512vl")) {
        puts("no");
        return 0;
    }
    RUN("paddd cell(%%rip), %%xmm1");
    RUN("pshufd $0x1b, cell(%%rip), %%xmm1");
    RUN("cvtsi2sdq cell(%%rip), %%xmm1");
    RUN("pinsrw $3, cell+1(%%rip), %%xmm1");
    RUN("movlps %%xmm1, cell(%%rip)");
    RUN("vpaddd cell(%%rip), %%ymm2, %%ymm1");
    RUN("vpshufd $0x1b, cell+32(%%rip), %%ymm1");
    RUN("vperm2i128 $0x21, cell(%%rip), %%ymm9, %%ymm1");
    RUN("vbroadcastsd cell+8(%%rip), %%ymm1");
    RUN("vpinsrb $5, cell+3(%%rip), %%xmm2, %%xmm1");
    RUN("vextracti128 $1, %%ymm1, cell(%%rip)");
    RUN("vblendvpd %%ymm9, cell(%%rip), %%ymm2, %%ymm1");
    RUN("vmovdqu64 cell(%%rip), %%zmm16; vpaddd cell+64(%%rip), %%zmm16, %%zmm17; vextracti64x4 $1, %%zmm17, %%ymm1");
    RUN("vpaddd cell+4(%%rip)%{1to8%}, %%ymm2, %%ymm1");
    RUN("mov $0x5a, %%eax; kmovd %%eax, %%k1; vpaddd cell(%%rip), %%ymm2, %%ymm1%{%%k1%}");
    RUN("mov $0x0a, %%eax; kmovd %%eax, %%k1; vmovdqu64 %%ymm1, cell(%%rip)%{%%k1%}");
    RUN("vpternlogd $0x96, cell(%%rip), %%ymm2, %%ymm1");
    RUN("kmovd cell(%%rip), %%k1; vmovdqu32 cell(%%rip), %%ymm1%{%%k1%}%{z%}");
    RUN("mov $5, %%eax; bzhi %%rax, cell(%%rip), %%rax; vmovq %%rax, %%xmm2; rorx $9, cell(%%rip), %%rax; vmovq %%rax, %%xmm1");
    return 0;
}
