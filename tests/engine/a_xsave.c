// xsave, xsavec, xrstor and fxrstor of all components, done by the guest itself.
// test: cc=-mxsave -mxsavec -mavx
#include "a_guest.h"

static _Alignas(64) uint8_t area[16384], again[16384];

int main(void)
{
    uint64_t v[4] = {0x1111, 0x2222, 0x3333, 0x4444}, out[4], x;
    double d;
    __asm__ volatile("vmovdqu %1, %%ymm3; fninit; fldpi; mov $7, %%eax; xor %%edx, %%edx; xsave64 %0; vzeroall; fninit"
                     : "=m"(area)
                     : "m"(v)
                     : "rax", "rdx", "xmm3", "memory");
    memcpy(&x, area + 512, 8);
    printf("xstate_bv %lx mxcsr %x\n", x, *(uint32_t *)(area + 24));
    printf("xmm3 %lx\n", *(uint64_t *)(area + 160 + 48));
    *(uint64_t *)(area + 160 + 48) = 0x9999; // change it in memory, and take it back
    __asm__ volatile("mov $7, %%eax; xor %%edx, %%edx; xrstor64 %2; vmovdqu %%ymm3, %0; fstpl %1"
                     : "=m"(out), "=m"(d)
                     : "m"(area)
                     : "rax", "rdx", "xmm3", "memory");
    printf("%lx %lx %lx %lx %.10f\n", out[0], out[1], out[2], out[3], d);
    __asm__ volatile("vmovdqu %1, %%ymm4; mov $-1, %%eax; mov $-1, %%edx; xsavec64 %0" : "=m"(again) : "m"(v) : "rax", "rdx", "xmm4", "memory");
    memcpy(&x, again + 520, 8);
    printf("compact %d\n", (int)(x >> 63));
    __asm__ volatile("vpxor %%xmm4, %%xmm4, %%xmm4; mov $-1, %%eax; mov $-1, %%edx; xrstor64 %1; vmovdqu %%ymm4, %0; vzeroupper" : "=m"(out) : "m"(again) : "rax", "rdx", "xmm4", "memory");
    printf("%lx %lx %lx %lx\n", out[0], out[1], out[2], out[3]);
    __asm__ volatile("fxsave64 %0; pxor %%xmm4, %%xmm4; fxrstor64 %0; movdqu %%xmm4, %1" : "+m"(area), "=m"(out)::"xmm4");
    printf("%lx %lx\n", out[0], out[1]);
    return 0;
}
