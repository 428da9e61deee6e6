// SPDX-License-Identifier: Apache-2.0
// Alignment checks on, from at_first to at_last; the status is 4 when they are on at the end of it, and
// more when the direction flag is set that a routine of the tool leaves set.
// counts: no
	.globl _start
	.text
_start:
	lea stack_top(%rip), %rsp
	pushfq
	orl $0x40000, (%rsp)
	popfq
at_first:
	mov $20, %ecx
l:	dec %ecx
	lea (%rcx,%rcx), %rdx
	jnz l
	pushfq
	pop %rdi
	push %rdi
	andl $~0x40000, (%rsp)
	popfq
at_last:
	shr $16, %edi
	and $4, %edi
at_backwards:
	nop
	pushfq
	pop %rsi
	shr $10, %esi
	and $1, %esi
	or %esi, %edi
	mov $231, %eax
	syscall
	.bss
	.balign 16
	.skip 4096
stack_top: .skip 8
//> unaligned status=4
//= 132 calls, AC seen 66 times
