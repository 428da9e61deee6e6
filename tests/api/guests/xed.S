// SPDX-License-Identifier: Apache-2.0
// For tools that check what XED's functions say of bytes of their own, and do not care for the program.
// modes: plain
	.globl _start
	.text
_start:
	mov $60, %eax
	xor %edi, %edi
	syscall
//> xedforms
//= xedforms: right
//> xedencode
//= xedencode: right
