// A position-independent program without interpreter and without libc.
// test: cc=-nostdlib -static-pie
// test: status=7
    .globl _start
_start:
    lea 1f(%rip), %rax
    call 1f
1:  pop %rdx
    cmp %rax, %rdx
    jne bad
    lea table(%rip), %rcx
    movslq 4(%rcx), %rax
    add %rcx, %rax
    jmp *%rax
bad:
    ud2
good:
    mov $60, %eax
    mov $7, %edi
    syscall
    ud2
    .section .rodata
table:
    .long bad - table, good - table
    .section .note.GNU-stack,"",@progbits
