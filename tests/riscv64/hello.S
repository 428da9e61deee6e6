/* SPDX-License-Identifier: Apache-2.0
 * Raw system calls: write and exit. 10 + 4 * 1000 instructions, as can be counted here. */
	.text
	.globl _start
_start:
	li t0, 1000
1:	addi t0, t0, -1
	addi t1, t1, 3
	xor t2, t1, t0
	bnez t0, 1b
	li a0, 1
	lla a1, text
	li a2, 6
	li a7, 64
	ecall
	li a0, 7
	li a7, 93
	ecall
	.section .rodata
text:
	.ascii "hello\n"
	.section .note.GNU-stack, "", @progbits
