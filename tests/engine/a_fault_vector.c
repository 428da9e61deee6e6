// Vector faults: alignment, partial gathers with the mask that is left, masked stores that touch nothing bad, and xmm values kept.
// test: cc=-mavx2
#include "a_fault.h"

__asm__(".bss; .balign 64; room: .skip 256; .text");
FAULT_SEQ(unaligned_load, "movaps room+1(%rip), %xmm0");
FAULT_SEQ(unaligned_store, "movntdq %xmm0, room+8(%rip)");
FAULT_SEQ(unaligned_operand, "paddd room+4(%rip), %xmm0");
FAULT_SEQ(vex_aligned, "vmovaps room+16(%rip), %ymm0");
FAULT_SEQ(cmpxchg, "lock cmpxchg16b room+8(%rip)");
static uint64_t seen[4];

static void gather_handler(int sig, siginfo_t *si, void *context)
{
    (void)sig;
    ucontext_t *uc = context;
    memcpy(seen, uc->uc_mcontext.fpregs->_xmm, 16);         // xmm0: what was gathered
    memcpy(seen + 2, uc->uc_mcontext.fpregs->_xmm + 2, 16); // xmm2: the mask that is left
    printf("gather at %lx: %lx %lx mask %lx %lx\n", (uint64_t)si->si_addr, seen[0], seen[1], seen[2], seen[3]);
    uc->uc_mcontext.gregs[REG_RIP] += 6; // over the gather
}

int main(void)
{
    fault_install();
    fault_try(unaligned_load);
    fault_try(unaligned_store);
    fault_try(unaligned_operand);
    fault_try(vex_aligned);
    fault_try(cmpxchg);
    uint8_t *m = arena_map(0, 1, PROT_READ | PROT_WRITE);
    for (unsigned i = 0; i < PAGE / 4; i++)
        ((uint32_t *)m)[i] = i;
    struct sigaction sa = {.sa_sigaction = gather_handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(SIGSEGV, &sa, NULL);
    uint32_t index[4] = {5, 9, 2000, 3}, mask[4] = {~0u, ~0u, ~0u, ~0u};
    __asm__ volatile("vpxor %%xmm0, %%xmm0, %%xmm0; movdqu %1, %%xmm1; movdqu %2, %%xmm2; vpgatherdd %%xmm2, (%0,%%xmm1,4), %%xmm0" ::"r"(m), "m"(index), "m"(mask) : "xmm0", "xmm1", "xmm2", "memory");
    mask[2] = mask[3] = 0;
    uint32_t out[4];
    __asm__ volatile("movdqu %2, %%xmm2; vmaskmovps %%xmm2, %%xmm2, 0xff8(%1); vmaskmovps 0xff8(%1), %%xmm2, %%xmm0; movdqu %%xmm0, %0" : "=m"(out) : "r"(m), "m"(*(uint32_t(*)[4])(mask)) : "xmm0", "xmm2", "memory");
    printf("%x %x %x %x\n", out[0], out[1], out[2], out[3]);
    return 0;
}
