/* SPDX-License-Identifier: Apache-2.0
 * The smallest program that the ELF fuzzer damages: no C library; says something and ends. */
    .globl _start
_start:
    mov $1, %eax
    mov $1, %edi
    lea text(%rip), %rsi
    mov $5, %edx
    syscall
    incl count(%rip)
    mov count(%rip), %edi
    mov $60, %eax
    syscall
    .data
count: .long 4
text: .ascii "bare\n"
    .bss
    .skip 10000
    .section .note.GNU-stack, "", @progbits
