// SPDX-License-Identifier: Apache-2.0
// Three functions that the tool replaces. The status is 0 if rax, x87 and vector registers are as they should be after
// each of them.
// counts: no
	.globl _start, divides, keeps, changes
	.type divides, @function
	.type keeps, @function
	.type changes, @function
	.text
divides:
	mov $0, %eax
	ret
	.size divides, . - divides
keeps:	ret
	.size keeps, . - keeps
changes: ret
	.size changes, . - changes
_start:
	pxor %xmm6, %xmm6
	mov $1, %ebx
	ldmxcsr wants /* a division by 0 faults */
	call divides
	cmp $7, %rax
	jne end
	inc %ebx
	stmxcsr word
	cmpl $0x1d80, word
	jne end
	inc %ebx
	fld1
	call keeps
	call look
	jnz end
	inc %ebx
	call changes
	call look
	jns end
	xor %ebx, %ebx
end:	mov %ebx, %edi
	mov $231, %eax
	syscall
look:	movq %xmm6, %rax /* 0: nothing has changed; less than 0: the top of the x87 stack has been negated */
	test %rax, %rax
	jnz 1f
	fsts word
	mov word, %eax
	and $0x80000000, %eax
1:	ret
	.data
wants:	.long 0x1d80
word:	.long 0
//> standin
//= Exception Code: SIMD_DIVIDE_BY_ZERO(0x11). E
