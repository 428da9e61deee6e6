// SPDX-License-Identifier: Apache-2.0
// Values in all parts of registers when a routine is called.
// counts: no
	.globl _start, at_back
	.text
	.type _start, @function
_start:
	lea stack_top(%rip), %rsp
	movabs $0x1112131415161718, %rax
	movabs $0x2122232425262728, %rcx
	movabs $0x3132333435363738, %rdx
	movabs $0x4142434445464748, %rbx
	call routine
at_back:
	mov $60, %eax
	xor %edi, %edi
	syscall
	.size _start, . - _start
	.type routine, @function
routine:
	xor %eax, %eax
	ret
	.size routine, . - routine
	.bss
	.balign 4096
stack:	.skip 65536
stack_top: .skip 64
//> refs
//= al 18 ah 17 cx 2728 edx 35363738 rbx 4142434445464748
//= rax 7718 rcx 2122232425262728 rdx 3132333455667788 rbx 4142434445464749
//> refs partial=yes
//= rcx 2122232425262728 rbx 4142434445464748
//= rax 4 rcx 2122232425262728 rdx 7 rbx 5
