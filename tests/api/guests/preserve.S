// SPDX-License-Identifier: Apache-2.0
// xmm5, xmm6 and the top of the x87 stack, looked at after each of three calls: the status has a bit for each change.
	.globl _start
	.text
_start:
	pxor %xmm5, %xmm5
	pxor %xmm6, %xmm6
	fldz
	xor %edi, %edi
at_saved:
	call look
at_none:
	call look
at_some:
	call look
	mov %edi, %eax		// the first look's third bit is the status' highest
	shr %eax
	and $0x80, %eax
	or %eax, %edi
	mov $231, %eax
	syscall
look:	shl $3, %edi
	movq %xmm5, %rax
	and $1, %eax
	or %eax, %edi
	movq %xmm6, %rax
	and $2, %eax
	or %eax, %edi
	fsts word(%rip)
	mov word(%rip), %eax
	shr $31, %eax
	shl $2, %eax
	or %eax, %edi
	ret
	.bss
word:	.skip 8
//> preserve status=5
//> preserve engine=-bridge_save_x87 engine=0 status=133
//> preserve engine=-bridge-save-x87 engine=1 status=5
