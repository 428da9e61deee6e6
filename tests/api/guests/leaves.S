// SPDX-License-Identifier: Apache-2.0
// A loop with an instruction at which the tool takes itself out, the first time, having changed its result. The rule
// (A61): the call is not made again, so the later rounds have their own results: 42 of the first, 2 of each other.
// counts: no
	.globl _start
	.text
_start:
	mov $1000, %ebx
	xor %r12d, %r12d
round:
	mov $1, %eax
	movd %eax, %xmm0
	movd %eax, %xmm1
at_change:
	paddd %xmm1, %xmm0
	movd %xmm0, %eax
	add %rax, %r12
	dec %ebx
	jnz round
	mov $1, %edi
	cmp $2040, %r12
	jne end
	xor %edi, %edi
end:
	mov $231, %eax
	syscall
//> leaves
//= detached after 1 calls
