// The kernel starts a program with all registers zero, the flags at 0x202, x87 and MXCSR at their defaults, and an aligned stack.
// test: cc=-nostdlib -static
// test: args=x y
// test: status=3
    .globl _start
_start:
    pushfq
    or %rax, %rbx
    or %rcx, %rbx
    or %rdx, %rbx
    or %rsi, %rbx
    or %rdi, %rbx
    or %rbp, %rbx
    or %r8, %rbx
    or %r9, %rbx
    or %r10, %rbx
    or %r11, %rbx
    or %r12, %rbx
    or %r13, %rbx
    or %r14, %rbx
    or %r15, %rbx
    jnz bad
    pop %rax
    and $~0x10000, %eax             // RF may be left from the kernel's return
    cmp $0x202, %rax
    jne bad
    test $15, %rsp
    jnz bad
    ptest %xmm0, %xmm0
    jnz bad
    ptest %xmm15, %xmm15
    jnz bad
    stmxcsr -8(%rsp)
    cmpl $0x1f80, -8(%rsp)
    jne bad
    fnstcw -8(%rsp)
    cmpw $0x37f, -8(%rsp)
    jne bad
    rdfsbase %rax
    test %rax, %rax
    jnz bad
    mov (%rsp), %rdi                // argc
    cmpq $0, 8(%rsp,%rdi,8)
    jne bad
    mov $60, %eax
    syscall
bad:
    ud2
    .section .note.GNU-stack,"",@progbits
