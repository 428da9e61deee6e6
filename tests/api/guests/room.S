// SPDX-License-Identifier: Apache-2.0
// Long runs of accesses without a branch, and among them string instructions that do nothing because their count is 0: 700 rounds, so that a buffer ends at every place of them.
	.globl _start, at_first, at_last
	.macro accesses n
	.rept \n
	mov 8(%rbx), %rax
	.endr
	.endm
	.text
_start:
	lea data(%rip), %rbx
	mov $700, %r12d
at_first:
again:	accesses 23
	xor %ecx, %ecx
	lea 64(%rbx), %rdi
	rep stosb
	accesses 17
	test %r12, %r12
	rep stosb
	accesses 19
	dec %r12d
	jnz again
	mov $700, %r12d
more:	accesses 61
	incq 16(%rbx)
	accesses 61
	dec %r12d
	jnz more
at_last:
	mov $60, %eax
	xor %edi, %edi
	syscall
	.data
	.balign 64
data:	.skip 256
//> room
//= 382200 records, 0 buffers with too many, weight 0
//> room two=1
//= 382200 records, 0 buffers with too many, weight 0
//> room weigh=1
//= 0 records, 0 buffers with too many, weight 935907
