// Calls and returns in unusual forms: ret imm16, a call to the next instruction, push and ret, call through a popped pointer.
#include "a_guest.h"

long call_ret_imm(long), call_next(long), call_push_ret(long), call_rsp(long), call_jump_back(long), call_nested(long);
__asm__(".text\n"
        "call_ret_imm: push $1; push $2; push $3; call 1f; mov %rdi, %rax; ret; 1: mov 8(%rsp), %rcx; add %rcx, %rdi; ret $24\n"
        "call_next: call 1f; 1: pop %rax; lea 1b(%rip), %rcx; sub %rcx, %rax; add %rdi, %rax; ret\n"
        "call_push_ret: lea 1f(%rip), %rcx; push %rcx; ret; ud2; 1: lea 5(%rdi), %rax; ret\n"
        "call_rsp: lea 2f(%rip), %rcx; push %rcx; mov %rsp, %rdx; call *(%rdx); pop %rcx; ret; 2: lea 7(%rdi), %rax; ret\n"
        "call_jump_back: mov %rdi, %rax; call 1f; ud2; 1: add $8, %rsp; inc %rax; ret\n"
        "call_nested: lea 9f(%rip), %rcx; push %rcx; lea 8f(%rip), %rcx; push %rcx; mov %rdi, %rax; ret; 8: inc %rax; ret; 9: add %rax, %rax; ret\n");

int main(void)
{
    for (long i = 0; i < 3; i++) {
        printf("%ld %ld %ld", call_ret_imm(i), call_next(i), call_push_ret(i));
        printf(" %ld %ld %ld\n", call_rsp(i), call_jump_back(i), call_nested(i));
    }
    return 0;
}
