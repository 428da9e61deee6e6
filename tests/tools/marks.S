/* SPDX-License-Identifier: Apache-2.0
 * Marks for the controller: three SSC marks (the second one twice), and an int3 that a tool must leave out. */
    .intel_syntax noprefix
    .globl _start
    .text
    .macro mark n
    mov ebx, \n
    .byte 0x64, 0x67, 0x90
    .endm
_start:
    mark 0x1111
    mov ecx, 2
1:  mark 0x2222
    dec ecx
    jnz 1b
    mark 0x3333
    int3
    xor edi, edi
    mov eax, 60
    syscall
    .section .note.GNU-stack, "", @progbits
