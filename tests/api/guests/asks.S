// SPDX-License-Identifier: Apache-2.0
// Instructions of several kinds, each once; the REP three times.
	.globl _start
	.text
_start:
	lea room(%rip), %rdi
at_move:
	mov $3, %ecx
at_store:
	mov %rcx, room(%rip)
	cmp %ecx, %ecx
at_conditional:
	cmovne %rdi, %rcx
at_twice:
	imul (%rdi,%rcx), %rcx
at_both:
	xadd %rcx, %rcx
	mov $3, %ecx
	lea stack_top(%rip), %rsp
at_push:
	push %rsp
	cmp %ecx, %ecx
at_branch:
	je at_rep
	ud2
at_rep:
	rep stosb
	mov $0, %edi
	mov $231, %eax
	syscall
	.bss
room:	.skip 64
	.skip 4096
stack_top: .skip 8
//> asks
//= at_move: taken 0, first 0
//= after it: taken 0, first 0
//= at_store: taken 0, first 0
//= after it: taken 0, first 0
//= at_conditional: taken 0, first 0
//= after it: taken 0, first 0
//= at_branch: taken 1, first 0
//= at_rep: taken 0, first 1
//= at_rep: taken 0, first 0
//= at_rep: taken 0, first 0
//= IMUL IMUL: reads rcx rdi rcx, writes rcx rflags; operands register memory register(implicit)
//= XADD XADD: reads rcx rcx, writes rcx rcx rflags; operands register register register(implicit)
//= PUSH PUSH: reads rsp, writes rsp; operands register memory(implicit) other(implicit)
//= REP_STOSB STOSB: reads rdi al rcx rflags, writes rdi rcx; operands memory(implicit) other(implicit) register(implicit) register(implicit) register(implicit)
