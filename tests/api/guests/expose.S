// SPDX-License-Identifier: Apache-2.0
// IARG_EXPOSE: the routine runs with the guest's MXCSR and may change it. And calls of all kinds at one instruction, by CALL_ORDER.
	.globl _start
	.type _start, @function
	.text
_start:
	lea stack_top(%rip), %rsp
	ldmxcsr toward_zero(%rip)
at_hidden:
	nop /* the routine sees the host's and keeps what it does to itself */
	stmxcsr word(%rip)
	mov $1, %edi
	cmpl $0x7f80, word(%rip)
	jne out
at_exposed:
	nop
	stmxcsr word(%rip)
	mov $2, %edi
	cmpl $0x5f80, word(%rip)
	jne out
	call f
	mov $0, %edi
out:	mov $60, %eax
	syscall
	.size _start, . - _start
	.type f, @function
f:
at_f:	nop
	ret
	.size f, . - f
	.data
	.balign 4
toward_zero: .long 0x7f80
	.bss
word:	.skip 4
	.balign 4096
stack:	.skip 4096
stack_top: .skip 8
//> expose
//= hidden mxcsr 0x1f80
//= exposed mxcsr 0x7f80
//= instruction 50
//= block 100
//= routine, opened 150
//= trace 150
//= if 180
//= then
//= routine 200
//= anywhere 200
//= instruction 200
//= instruction 250
//= routine 300
//= instruction 301
