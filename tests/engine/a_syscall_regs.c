// A system call changes rax, rcx and r11 only: rcx is the next address, r11 the flags, everything else stays.
#include "a_guest.h"
#include <sys/syscall.h>

struct regs {
    uint64_t r[16]; // as the encoding numbers them, and [4] the flags
};
void call(struct regs *in, struct regs *out);
extern char call_after[];
#define EACH(X) X(0, rax) X(1, rcx) X(2, rdx) X(3, rbx) X(5, rbp) X(6, rsi) X(7, rdi) X(8, r8) X(9, r9) X(10, r10) X(11, r11) X(12, r12) X(13, r13) X(14, r14)
#define LOAD(n, reg) "mov 8*" #n "(%r15), %" #reg "\n"
#define STORE(n, reg) "mov %" #reg ", 8*" #n "(%r15)\n"
__asm__(".text\ncall: push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15; push %rsi\n"
        "mov %rdi, %r15\n pushq 32(%r15); popfq\n" EACH(LOAD) "syscall\ncall_after: mov (%rsp), %r15\n" EACH(STORE)
        "pushfq; popq 32(%r15)\n pop %rsi; pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx; ret\n");

int main(void)
{
    static const long numbers[] = {SYS_getppid, SYS_sched_yield, SYS_close, 100000, SYS_brk, SYS_getuid};
    for (int i = 0; i < 6; i++)
        for (uint64_t fl = 0x246; fl <= 0xad7; fl += 0x891) {
            struct regs in, out;
            for (unsigned k = 0; k < 16; k++)
                in.r[k] = 0x1111111111111111ul * k;
            in.r[0] = (uint64_t)numbers[i];
            in.r[4] = fl;
            in.r[7] = -1ul; // a bad first argument
            call(&in, &out);
            printf("%ld:", numbers[i]);
            for (unsigned k = 1; k < 15; k++)
                if (k == 1)
                    printf(" rcx %d", out.r[1] == (uint64_t)call_after);
                else if (k == 11)
                    printf(" r11 %lx", out.r[11]);
                else if (k != 4 && out.r[k] != in.r[k])
                    printf(" r%u changed", k);
            printf(" flags %lx", out.r[4]);
            if (i == 2 || i == 3)
                printf(" result %ld", (long)out.r[0]);
            printf("\n");
        }
    return 0;
}
