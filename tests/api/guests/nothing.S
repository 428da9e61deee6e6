// SPDX-License-Identifier: Apache-2.0
// For tools that check by themselves and do not care for the program.
	.globl _start
	.text
_start:
	mov $60, %eax
	xor %edi, %edi
	syscall
at_end:
	ud2
//> registers
//= registers: right
//> xed
//= xed: right
