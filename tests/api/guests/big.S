// SPDX-License-Identifier: Apache-2.0
// counts: no
// A routine of more instructions than fit into 16 bits.
	.globl _start
	.text
_start:
	lea stack_top(%rip), %rsp
	call big
at_here:
	mov $0, %edi
	mov $60, %eax
	syscall
	.size _start, . - _start
	.type _start, @function
	.type big, @function
big:	.rept 40000
	nop
	inc %rax
	.endr
at_ret:	ret
	.size big, . - big
	.bss
	.balign 4096
stack:	.skip 4096
stack_top: .skip 8
//> big
//= 80001 instructions, 160001 bytes, the last is RET_NEAR
//= at the last one: at_ret
//= inside a callback: 80001 instructions
//= at_here
