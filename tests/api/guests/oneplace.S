// SPDX-License-Identifier: Apache-2.0
// At one address two instructions of different length take turns that the VM completes. The call after each of them runs as often
// as it is executed.
// counts: no (blocks are left in their middle, where it writes code)
	.globl _start
	.text
_start:
	mov $10, %eax				// mprotect
	lea at_first(%rip), %rdi
	mov $4096, %esi
	mov $7, %edx
	syscall
	mov $500, %r12d
0:	movl $0x0005ae0f, at_first(%rip)	// fxsave area(%rip)
	lea area(%rip), %rax
	lea at_first+7(%rip), %rdx
	sub %rdx, %rax
	mov %eax, at_first+3(%rip)
	call at_first
	movw $0x35d9, at_first(%rip)		// fnstenv area(%rip); nop
	inc %eax
	mov %eax, at_first+2(%rip)
	movb $0x90, at_first+6(%rip)
	call at_first
	dec %r12d
	jnz 0b
	mov $231, %eax
	xor %edi, %edi
	syscall
	.balign 4096
at_first:
	.skip 7, 0x90
	ret
at_last:
	.balign 4096
	.bss
	.balign 64
area:	.skip 512
//> oneplace
//= fnstenv 500, fxsave 500
