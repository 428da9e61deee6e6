// SPDX-License-Identifier: Apache-2.0
// For counting: nested loops, recursion, a jump table, string instructions with counts 0, 1 and many, system calls in between.
	.globl _start
	.text
_start:
	lea stack_top(%rip), %rsp
	mov $50, %r12d
outer:
	mov $20, %ebx
inner:
	mov %ebx, %eax
	and $3, %eax
	jmp *table(,%rax,8)
c0:	inc %r13
	jmp next
c1:	add $2, %r13
	jmp next
c2:	mov $5, %ecx
1:	loop 1b
	jmp next
c3:	test $4, %bl
	cmovz %r13, %r14
	jz next
	dec %r13
next:
	dec %ebx
	jnz inner
	mov %r12, %rcx
	lea buffer(%rip), %rdi
	mov %rdi, %rsi
	rep stosb
	mov $0, %ecx
	rep movsb
	mov $1, %ecx
	rep stosl
	lea buffer(%rip), %rdi
	mov $200, %ecx
	mov $1, %al
	repne scasb
	mov $39, %eax /* getpid */
	syscall
	dec %r12d
	jnz outer
	mov $12, %edi
	call fib
	mov %eax, %edi
	and $127, %edi
	mov $231, %eax
	syscall
fib:	cmp $2, %edi
	jb 1f
	push %rdi
	dec %edi
	call fib
	pop %rdi
	push %rax
	sub $2, %edi
	call fib
	pop %rdx
	add %rdx, %rax
	ret
1:	mov %edi, %eax
	ret
	.data
	.balign 8
table:	.quad c0, c1, c2, c3
	.bss
	.balign 4096
buffer:	.skip 4096
stack:	.skip 8192
stack_top: .skip 8
//> traces status=16
//= traces: right
//> instlib status=16
//= instlib: right
