// SPDX-License-Identifier: Apache-2.0
// Six instructions.
	.globl _start
	.text
_start:
	mov $3, %ecx
	nop
at_here:
	nop
	mov $0, %edi
	mov $60, %eax
	syscall
//> toolreg
//= 1 1
//= 0 6
