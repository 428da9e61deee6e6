// SPDX-License-Identifier: Apache-2.0
// A call, a system call, a load and a store, and two functions that the tool replaces: sum (3, 4) and product (3, 4).
	.globl _start, sum, product
	.type sum, @function
	.type product, @function
	.text
_start:
	lea stack_top(%rip), %rsp
	mov $1, %edi
	mov $2, %esi
	mov $3, %edx
	mov $4, %ecx
	mov $5, %r8d
	mov $6, %r9d
at_call:
	call at_function
	lea data(%rip), %rbx
at_load:
	mov 8(%rbx), %rbp
at_store:
	mov %rbp, -8(%rbx)
	mov (%rbx), %r12 /* 30: the store went there; 20 was its own place's */
	mov $3, %edi
	mov $4, %esi
	call sum
	add %rax, %r12
	mov $3, %edi
	mov $4, %esi
	call product
	add %rax, %r12
	mov $1, %edi
	mov $2, %esi
	mov $3, %edx
	mov $4, %r10d
	mov $5, %r8d
	mov $6, %r9d
	mov $39, %eax /* getpid: takes none */
at_syscall:
	syscall
	mov %r12d, %edi
	mov $231, %eax
	syscall
at_function:
	lea (%rdi,%rsi), %rax
at_return:
	ret
	.size at_function, . - at_function
sum:	lea (%rdi,%rsi), %rax
	ret
	.size sum, . - sum
product:
	mov %rdi, %rax
	imul %rsi, %rax
	ret
	.size product, . - product
	.data
	.balign 8
	.quad 5
data:	.quad 10, 20, 30
	.skip 8192
stack_top:
// 30 + 12 + 7, and without the tool's changes 10 + 7 + 12
//> oldnames status=49
//= rbx rax; b.c 0 0x0000000000000012 0000000000000012 0x0000000000000012
//= caller 1 2 3 4 5 6
//= callee 1 2 3 4 5 6
//= result 3
//= data+16 from data
//= data from data
//= syscall 1 2 3 4 5 6
//= operands 8 8 rbx; -8 -8 rbx
//> oldnames ranges=1 status=29
//= caller 1 2 3 4 5 6
//= callee 1 2 3 4 5 6
//= result 3
//= result 3
//= syscall 1 2 3 4 5 6
