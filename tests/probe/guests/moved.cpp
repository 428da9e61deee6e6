/* SPDX-License-Identifier: Apache-2.0
 * Functions whose first bytes are met again, so that a probe moves the whole of them: by a loop, by a loop with a call
 * in it that may throw, by one that calls itself, and by one with a call through a register. One cannot be moved: it has
 * a jump through a register. Threads are in them all the time. */
#include <cstdio>
#include <pthread.h>

#define FUNCTION(name, text) \
    __asm__(".text; .p2align 4; .globl " #name "; .type " #name ",@function\n" #name ": .cfi_startproc\n" text "\n.cfi_endproc\n.size " #name ",.-" #name)

extern "C" {
long counts(long n);
long visits(long n, long at);
long factors(long n);
long jumps(long n, void *to);
long near_calls(long n);
long nothing(long n) { return n; }
void visit(long n, long at)
{
    if (n == at)
        throw n;
}
}

FUNCTION(counts, "xor %eax,%eax; 1: inc %eax; dec %rdi; jnz 1b; ret");
FUNCTION(visits, "push %rbx; .cfi_adjust_cfa_offset 8; .cfi_rel_offset rbx,0; mov %rdi,%rbx; 1: push %rsi; .cfi_adjust_cfa_offset 8; sub $8,%rsp; .cfi_adjust_cfa_offset 8; mov %rbx,%rdi; call visit;"
                 "add $8,%rsp; .cfi_adjust_cfa_offset -8; pop %rsi; .cfi_adjust_cfa_offset -8; dec %rbx; jnz 1b; mov %rsi,%rax; pop %rbx; .cfi_adjust_cfa_offset -8; .cfi_restore rbx; ret");
FUNCTION(factors, "mov $1,%al; 1: cmp $2,%rdi; jl 2f; push %rdi; .cfi_adjust_cfa_offset 8; dec %rdi; call factors; pop %rdi; .cfi_adjust_cfa_offset -8; imul %rdi,%rax; ret; 2: test %rdi,%rdi; jnz 3f; inc %rdi; jmp 1b;"
                  "3: mov $1,%eax; ret");
FUNCTION(jumps, "xor %eax,%eax; 1: inc %eax; dec %rdi; jnz 1b; lea 2f(%rip),%rcx; jmp *%rcx; 2: ret");
FUNCTION(near_calls, "push %rbx; .cfi_adjust_cfa_offset 8; .cfi_rel_offset rbx,0; mov %rdi,%rbx; 1: nop; lea nothing(%rip),%rsi; mov %rbx,%rdi; call *%rsi; dec %rbx; jnz 1b; mov %rbx,%rax; pop %rbx;"
                     ".cfi_adjust_cfa_offset -8; .cfi_restore rbx; ret");

static volatile bool ready;

static long work(int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++) {
        sum += counts(20) + visits(9, 99) + factors(6) + factors(0) + jumps(7, nullptr) + near_calls(5);
        try {
            sum += visits(9, 4);
        } catch (long at) {
            sum += 1000 * at;
        }
    }
    return sum;
}

static void *body(void *arg)
{
    *static_cast<long *>(arg) = work(2000);
    return nullptr;
}

int main()
{
    pthread_t thread[4];
    long result[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], nullptr, body, &result[i]);
    printf("%ld\n", work(100));
    for (int i = 0; i < 4; i++) {
        pthread_join(thread[i], nullptr);
        printf("%ld\n", result[i]);
    }
    return 0;
}
