// SPDX-License-Identifier: Apache-2.0
// The tool changes registers; the guest's status says which of its checks failed.
	.globl _start
	.text
	.macro check reg value
	inc %ebp
	movabs $\value, %r9
	cmp %r9, \reg
	jne bad
	.endm
_start:
	lea stack_top(%rip), %rsp
	xor %ebp, %ebp
	mov $21, %ebx
	mov $7, %ecx
at_return:
	nop
	check %rcx 42
	check %rbx 21
at_return_after:
	mov $50, %ebx
	check %rbx 100
	mov $11, %edx
	mov $12, %r12d
	movabs $0x1112131415161718, %rax
at_reference:
	nop
	check %rdx 111
	check %r12 13
	check %rax 0x1112131415165a18
	movabs $0x0102030405060708, %rax
	movq %rax, %xmm3
at_xmm:	nop
	movq %xmm3, %rax
	check %rax 0x1122334455667788
	inc %ebp
	xor %eax, %eax
at_flags:
	nop
	jnc bad
	mov $1, %eax; mov $2, %ebx; mov $3, %ecx; mov $4, %edx; mov $5, %esi; mov $6, %edi
	mov $8, %r8d; mov $9, %r9d; mov $10, %r10d; mov $11, %r11d; mov $12, %r12d; mov $13, %r13d; mov $14, %r14d
	movabs $0x1516171819202122, %r15
	cmp %eax, %eax
at_context:
	sub $3, %rax
at_leaf:
	mov $0, %edi
out:	mov $60, %eax
	syscall
bad:	mov %ebp, %edi
	jmp out
	.bss
	.balign 4096
stack:	.skip 4096
stack_top: .skip 8
//> modify
//= xmm3 0x102030405060708 0x0
//= flags 0x246
//= before: rax 0x1 rbx 0x2 rcx 0x3 rdx 0x4 rsi 0x5 rdi 0x6 rbp 0x8 rsp stack_top r8 0x8 r9 0x9 r10 0xa r11 0xb r12 0xc r13 0xd r14 0xe r15 0x1516171819202122 rflags 0x246 rip at_context eax 0x1 ax 0x1 al 0x1 ah 0x0 r15d 0x19202122 xmm3 0x1122334455667788
//= after: rax 0xfffffffffffffffe rbx 0x2 rcx 0x3 rdx 0x4 rsi 0x5 rdi 0x6 rbp 0x8 rsp stack_top r8 0x8 r9 0x9 r10 0xa r11 0xb r12 0xc r13 0xd r14 0xe r15 0x1516171819202122 rflags 0x293 rip at_leaf eax 0xfffffffe ax 0xfffe al 0xfe ah 0xff r15d 0x19202122 xmm3 0x1122334455667788
//= a leaf's context: rbx 0x2 flags 0x293
