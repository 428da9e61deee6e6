// SPDX-License-Identifier: Apache-2.0
// Registers that rdtsc writes, needed behind the instructions that are stamped.
	.globl _start, at_first, at_last
	.text
_start:
	mov $3, %ebx
again:	mov $0x1111, %eax
	mov $0x2222, %ecx
	movabs $0x3333333333333333, %rdx
	jmp at_first
at_first:
	lea 1(%rsi), %rdi
	nop
	add %rcx, %rdi
at_last:
	nop
	add %rax, %rdi
	add %rdx, %rdi
	dec %ebx
	jnz again
	mov $0, %edi
	mov $60, %eax
	syscall
//> stamp
//= rax 1111 rcx 2222 rdx 3333333333333333
//= rax 1111 rcx 2222 rdx 3333333333333333
//= rax 1111 rcx 2222 rdx 3333333333333333
//= 9 stamps, the last there
