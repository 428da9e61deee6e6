// SPDX-License-Identifier: Apache-2.0
// Instructions whose registers the tool changes; rax = 0x1111111111111111, rbx = 0x2222..., rcx = 0x3333..., rdx = the address of data in front of each. The status counts what is wrong in flags and memory.
	.globl _start
	.text
.macro values
	mov $0x1111111111111111, %rax
	mov $0x2222222222222222, %rbx
	mov $0x3333333333333333, %rcx
	lea data(%rip), %rdx
.endm
_start:
	lea stack_top(%rip), %rsp
	xor %r12d, %r12d
	values
	stc
at_read:
	lea (%rax,%rbx), %rcx
	adc $0, %r12d
	sub $1, %r12d
	values
at_written:
	mov %rcx, %rax
	values
at_both:
	add $1, %rax
	values
at_narrow:
	add $1, %al
	values
at_narrow_written:
	mov %cx, %ax
	values
at_32:
	add $1, %eax
	values
at_32_written:
	mov %ecx, %eax
	values
at_tool:
	mov %rax, %rcx
	values
at_tool_written:
	mov %rcx, %rax
	values
at_base:
	mov 8(%rax), %rcx
	values
at_store:
	mov %rbx, 16(%rdx)
	cmp %rcx, 16(%rdx)
	setne %al
	add %al, %r12b
	values
at_rip:
	mov data+8(%rip), %rax
	values
at_count:
	shl %cl, %rdx
	values
	mov $7, %ebx
at_product:
	mul %rcx
	mov $158, %eax /* arch_prctl(ARCH_SET_FS) */
	mov $0x1002, %edi
	lea data(%rip), %rsi
	syscall
	values
at_tls:
	mov %fs:8, %rax
	values
at_swap:
	mov %rax, %rbx
at_high:
	add %ah, %al
	values
at_push:
	push %rax
	pop %rcx
	cmp %rcx, %rbx
	setne %al
	add %al, %r12b
	mov $13, %eax /* rt_sigaction(SIGSEGV) */
	mov $11, %edi
	lea action(%rip), %rsi
	xor %edx, %edx
	mov $8, %r10d
	syscall
	lea data(%rip), %rax
	mov $16, %ebx
at_fault:
	mov (%rax), %rcx
	lea 1f(%rip), %rax
at_branch:
	jmp *%rax
1:	mov %r12d, %edi
	mov $231, %eax
	syscall
handler: /* rax of the program as it has it; then on with memory to read in rbx */
	lea data(%rip), %rax
	cmp %rax, 144(%rdx)
	setne %cl
	cmpq $16, 128(%rdx)
	setne %al
	add %al, %cl
	movzbl %cl, %ecx
	add %rcx, 72(%rdx)
	lea data+8(%rip), %rax
	mov %rax, 128(%rdx)
	ret
restore:
	mov $15, %eax
	syscall
	.data
	.balign 8
data:	.quad 0x10, 0x18, 0x20, 0
action:	.quad handler, 0x4000004, restore, 0
	.skip 8192
stack_top:
// counts: no
//> changereg
//= at_read: rax 0x1111111111111111 rbx 0x2222222222222222 rcx 0x4444444444444444 rdx data tool 0x5555
//= at_written: rax 0x1111111111111111 rbx 0x3333333333333333 rcx 0x3333333333333333 rdx data tool 0x5555
//= at_both: rax 0x1111111111111111 rbx 0x2222222222222222 rcx 0x2222222222222223 rdx data tool 0x5555
//= at_narrow: rax 0x1111111111111123 rbx 0x2222222222222222 rcx 0x3333333333333333 rdx data tool 0x5555
//= at_narrow_written: rax 0x1111111111111111 rbx 0x2222222222223333 rcx 0x3333333333333333 rdx data tool 0x5555
//= at_32: rax 0x22222223 rbx 0x2222222222222222 rcx 0x3333333333333333 rdx data tool 0x5555
//= at_32_written: rax 0x1111111111111111 rbx 0x33333333 rcx 0x3333333333333333 rdx data tool 0x5555
//= at_tool: rax 0x1111111111111111 rbx 0x2222222222222222 rcx 0x5555 rdx data tool 0x5555
//= at_tool_written: rax 0x1111111111111111 rbx 0x2222222222222222 rcx 0x3333333333333333 rdx data tool 0x3333333333333333
//= at_base: rax 0x1111111111111111 rbx 0x2222222222222222 rcx 0x18 rdx data tool 0x5555
//= at_store: rax 0x1111111111111111 rbx 0x2222222222222222 rcx 0x3333333333333333 rdx data tool 0x5555
//= at_rip: rax 0x1111111111111111 rbx 0x18 rcx 0x3333333333333333 rdx data tool 0x5555
//= at_count: rax 0x1111111111111111 rbx 0x2222222222222222 rcx 0x3333333333333333 rdx 0x100800000000000 tool 0x5555
//= at_product: rax 0x6666666666666665 rbx 0x7 rcx 0x1 rdx data tool 0x5555
//= at_tls: rax 0x1111111111111111 rbx 0x18 rcx 0x3333333333333333 rdx data tool 0x5555
//= at_swap: rax 0x3333333333333333 rbx 0x2222222222222222 rcx 0x3333333333333333 rdx data tool 0x5555
//= at_push: rax 0x1111111111111111 rbx 0x2222222222222222 rcx 0x3333333333333333 rdx data tool 0x5555
//= at_fault: rax data rbx data+8 rcx 0x18 rdx 0x0 tool 0x5555
//= status 0
