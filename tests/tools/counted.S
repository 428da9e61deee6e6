/* SPDX-License-Identifier: Apache-2.0
 * A program without libc whose numbers can be written down: each loop and its counts are in tests/tools/run.py. */
    .intel_syntax noprefix
    .globl _start
    .bss
    .balign 64
area: .skip 65536
    .text
    .type leaf, @function
    .type _start, @function
leaf:                           /* 2 instructions */
    add rbx, 1
    ret
_start:
    xor ebx, ebx                /* 2 */
    mov ecx, 1000
1:  call leaf                   /* 1000 * (3 + 2): 1000 calls, 999 taken branches */
    dec ecx
    jnz 1b
    lea r12, [rip + leaf]       /* 2 */
    mov ecx, 500
2:  call r12                    /* 500 * (3 + 2): 500 indirect calls, 499 taken */
    dec ecx
    jnz 2b
    lea rsi, [rip + area]       /* 2 */
    mov ecx, 1024
3:  mov rax, [rsi]              /* 1024 * 5: 1024 reads and 1024 writes of 8 bytes, one of each to each line */
    mov [rsi + 8], rax
    add rsi, 64
    dec ecx
    jnz 3b
    lea rdi, [rip + area]       /* 5: 100 iterations, writes of 4 bytes; then none */
    mov ecx, 100
    cld
    rep stosd
    rep stosd
    mov eax, 60                 /* 3 */
    xor edi, edi
    syscall
    .section .note.GNU-stack, "", @progbits
