// No libc at all: write and exit from the first instruction on.
// test: cc=-nostdlib -static
// test: status=42
    .globl _start
_start:
    mov $1, %eax
    mov $1, %edi
    lea text(%rip), %rsi
    mov $6, %edx
    syscall
    cmp $6, %rax
    jne bad
    mov $60, %eax
    mov $42, %edi
    syscall
bad:
    ud2
    .section .rodata
text:
    .ascii "hello\n"
    .section .note.GNU-stack,"",@progbits
