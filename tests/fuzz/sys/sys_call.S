/* SPDX-License-Identifier: Apache-2.0
 * The system call with every register known before and recorded after it, and loads and stores that may fault. Uses no thread pointer. */
    .text
    .globl sys_call_recorded, sys_after_call, sys_probe_load, sys_probe_store, sys_probe_run, sys_probe_failed, sys_load_at, sys_store_at, sys_restorer, sys_raw

#define NR_EXIT 60
#define NR_SIGRETURN 15

sys_call_recorded: /* rdi: struct call */
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    push %rdi
    mov %rsp, 216(%rdi)
    mov %rdi, %r15 /* preserved: the call's record */
    mov 208(%rdi), %r14
    mov $0x1111222233334444, %rbx
    mov $0x5555666677778888, %rbp
    mov $0x99990000aaaabbbb, %r12
    mov $0xccccddddeeeeffff, %r13
    movq %rbx, %xmm0
    movq %r12, %xmm15
    punpcklqdq %xmm15, %xmm0
    punpcklqdq %xmm0, %xmm15
    mov 0(%r15), %rax
    mov 16(%r15), %rsi
    mov 24(%r15), %rdx
    mov 32(%r15), %r10
    mov 40(%r15), %r8
    mov 48(%r15), %r9
    mov 8(%r15), %rdi
    cmp $1, %rbp /* known flags */
    pushfq
    popq 192(%r15)
    syscall
sys_after_call:
    test %rax, %rax
    jnz 1f
    test %r14, %r14
    jnz child_exits
1:  mov %rax, 56(%r15)
    mov %rax, 64(%r15)
    mov %rcx, 72(%r15)
    mov %rdx, 80(%r15)
    mov %rbx, 88(%r15)
    mov %rsp, 96(%r15)
    mov %rbp, 104(%r15)
    mov %rsi, 112(%r15)
    mov %rdi, 120(%r15)
    mov %r8, 128(%r15)
    mov %r9, 136(%r15)
    mov %r10, 144(%r15)
    mov %r11, 152(%r15)
    mov %r12, 160(%r15)
    mov %r13, 168(%r15)
    mov %r14, 176(%r15)
    movdqu %xmm0, 224(%r15)
    movdqu %xmm15, 240(%r15)
    pop %rdi
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret

child_exits: /* perhaps on its parent's stack: nothing is pushed */
    mov $NR_EXIT, %eax
    mov $7, %edi
    syscall
    hlt

sys_probe_load: /* rdi: address, rsi: where the value goes */
sys_load_at:
    mov (%rdi), %rax
    mov %rax, (%rsi)
    mov $1, %eax
    ret
sys_probe_store:
sys_store_at:
    mov %rsi, (%rdi)
    mov $1, %eax
    ret
sys_probe_run: /* what is there returns here, or a handler does */
    call *%rdi
    ret
sys_probe_failed:
    xor %eax, %eax
    ret

sys_restorer:
    mov $NR_SIGRETURN, %eax
    syscall

sys_raw: /* number, then up to six arguments */
    mov %rdi, %rax
    mov %rsi, %rdi
    mov %rdx, %rsi
    mov %rcx, %rdx
    mov %r8, %r10
    mov %r9, %r8
    mov 8(%rsp), %r9
    syscall
    ret

    .section .note.GNU-stack, "", @progbits
