// SPDX-License-Identifier: Apache-2.0
// A store, a load from a place that the tool has moved, and a function of which only parts of the registers are arguments.
	.globl _start, at_function
	.type at_function, @function
	.text
_start:
	lea stack_top(%rip), %rsp
	lea room(%rip), %rbx
	mov $2, %ecx
at_store:
	mov %ecx, 8(%rbx,%rcx,4)
at_load:
	mov room(%rip), %r12
	movabs $0x12345678fffffff0, %rdi
	movabs $0x1234567812348765, %rsi
	movabs $0x12345678000000f1, %rdx
	movabs $0x1234567812345678, %rcx
	call at_function
	mov %r12d, %edi
	mov $231, %eax
	syscall
at_function:
	ret
	.size at_function, . - at_function
	.bss
room:	.skip 64
	.skip 4096
stack_top: .skip 8
//> given status=77
//= before
//= stored to room+16
//= after
//= the operand is moved, its address room
//= called with 0xfffffffffffffff0 0x8765 0xfffffffffffffff1 0x1234567812345678
//= the same room+16
