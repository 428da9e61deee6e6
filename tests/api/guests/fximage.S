// SPDX-License-Identifier: Apache-2.0
// xmm6, MXCSR and the x87 control word after each of two calls: the status has a bit for each change.
	.globl _start
	.text
_start:
	pxor %xmm6, %xmm6
	xor %edi, %edi
at_other:
	call look
at_x87:
	call look
	mov $231, %eax
	syscall
look:	shl $3, %edi
	movq %xmm6, %rax
	and $1, %eax
	or %eax, %edi
	stmxcsr word(%rip)
	mov word(%rip), %eax
	shr $14, %eax /* 2: flush to zero */
	and $2, %eax
	or %eax, %edi
	fstcw word(%rip)
	mov word(%rip), %eax
	not %eax
	shr $6, %eax /* 4: precision */
	and $4, %eax
	or %eax, %edi
	ret
	.bss
word:	.skip 8
//> fximage status=7
