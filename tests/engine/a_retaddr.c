// A function that changes its own return address, one that returns twice, and a return address read from the stack is the guest's.
#include "a_guest.h"

long ret_skip(long), ret_twice(long), ret_other(long);
extern char ret_after[];
void *ret_seen;
__asm__(".text\n"
        "ret_skip: call 1f; ret_after: inc %rdi; inc %rdi; mov %rdi, %rax; ret\n"
        "1: mov (%rsp), %rax; mov %rax, ret_seen(%rip); addq $3, (%rsp); ret\n" // behind the first inc, three bytes long
        "ret_twice: xor %eax, %eax; call 1f; add %rdi, %rax; cmp $5, %rcx; jne 2f; ret\n"
        "1: pop %rdx; mov $4, %ecx; jmp *%rdx\n"
        "2: inc %ecx; push %rdx; ret\n"
        "ret_other: lea 1f(%rip), %rax; push %rbp; mov %rsp, %rbp; xchg %rax, 8(%rbp); mov %rax, %rcx; leave; ret; ud2; 1: lea 50(%rdi), %rax; jmp *%rcx\n");

static __attribute__((noinline)) void *here(void)
{
    return __builtin_return_address(0);
}

int main(void)
{
    for (long i = 0; i < 3; i++)
        printf("%ld %ld %ld\n", ret_skip(i), ret_twice(i), ret_other(i));
    CHECK(ret_seen == (void *)ret_after);
    void *a = here();
    printf("in main %d\n", (char *)a > (char *)main && (char *)a < (char *)main + 400);
    return 0;
}
