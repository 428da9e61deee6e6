// SPDX-License-Identifier: Apache-2.0
// Flags that are needed from the first instruction of a trace on, and registers that records want in front of instructions that do not touch them.
	.globl _start, at_first, at_last
	.text
_start:
	mov $2, %ebx
again:	mov $0x1111, %eax
	mov $0x2222, %ecx
	mov $0x3333, %r15d
	cmp $1, %ebx
	jmp at_first
at_first:
	mov %edx, %esi
	lea 1(%rsi), %rdi
	jne 1f
	mov $0x4444, %eax
at_last:
1:	dec %ebx
	jnz again
	xor %edi, %edi
	mov $60, %eax
	syscall
//> fillregs
//= c0ffee
//= 1111
//= 2222
//= 3333
//= c0ffee
//= 1111
//= 2222
//= 3333
//= c0ffee
//= 1111
//= 2222
//= 3333
//= c0ffee
//= 1111
//= 2222
//= 3333
//= c0ffee
//= 1111
//= 2222
//= 3333
//= c0ffee
//= 1111
//= 2222
//= 3333
//= c0ffee
//= 1111
//= 2222
//= 3333
//> fillregs two=1
//= c0ffee
//= 1111
//= 2222
//= 3333
//= c0ffee
//= 1111
//= 2222
//= 3333
//= c0ffee
//= 1111
//= 2222
//= 3333
//= c0ffee
//= 1111
//= 2222
//= 3333
//= c0ffee
//= 1111
//= 2222
//= 3333
//= c0ffee
//= 1111
//= 2222
//= 3333
//= c0ffee
//= 1111
//= 2222
//= 3333
