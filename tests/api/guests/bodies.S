// SPDX-License-Identifier: Apache-2.0
// Flags and registers that are needed across analysis calls; the exit status counts the ways that flags have led.
	.globl _start, at_first, at_ways, at_last
	.text
_start:
	mov $12, %ebx
	mov $0x100, %r13d
	mov $0x10000, %r14d
	xor %r12d, %r12d
	xor %r15d, %r15d
	mov $0x1234567, %ecx
	movd %ecx, %xmm8
	movd %ebx, %xmm0
at_first:
again:	lea 5(%rbx), %rax
	lea (%rax,%rax,2), %rdx
	cmp $7, %ebx
	lea 1(%rdx), %rcx
	lea 2(%rdx), %rsi
	lea (%rax,%rsi), %rdi
	jb 1f
	jz 2f
at_ways:
	lea 1(%r15), %r15
	jmp 3f
1:	lea 10(%r15), %r15
	jmp 3f
2:	lea 100(%r15), %r15
3:	xor $1, %r12d
	dec %ebx
	jnz again
at_last:
	movd %xmm8, %eax
	sub $0x1234567, %eax
	add %eax, %r15d
	movd %xmm0, %eax
	sub $12, %eax
	add %eax, %r15d
	mov %r15d, %edi
	mov $60, %eax
	syscall
//> bodies body=narrow status=165
//= 23456789 0 0 0 0 0 table 0 0 0, status 165
//> bodies body=scaled status=165
//= 0 0 0 0 0 0 table 0 ffffffffffffffff 0, status 165
//> bodies body=joined status=165
//= 0 1ca 0 0 0 0 table 0 0 0, status 165
//> bodies body=rax status=165
//= 0 0 6bd 0 0 0 table 0 0 0, status 165
//> bodies body=part status=165
//= 0 0 0 251 0 0 table 0 0 0, status 165
//> bodies body=ways status=165
//= 0 0 0 0 25254b 0 table 0 0 0, status 165
//> bodies body=signed status=165
//= 0 0 0 0 0 fffffffffffffe41 table 0 0 0, status 165
//> bodies body=homes status=165
//= 0 0 0 0 0 0 homes 7 0 7 ffffffffffffffff table 0 0 0, status 165
//> bodies body=vector status=165
//= 0 0 0 0 0 0 vector 79c table 0 0 0, status 165
