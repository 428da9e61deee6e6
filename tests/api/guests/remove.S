// SPDX-License-Identifier: Apache-2.0
// A loop and a function that it calls; the tool takes its instrumentation back after some turns.
	.globl _start
	.text
_start:
	lea stack_top(%rip), %rsp
	mov $10, %ebx
	jmp again
again:
at_loop:
	nop
	call f
	dec %ebx
	jnz again
at_end:	mov $0, %edi
	mov $60, %eax
	syscall
	ud2
f:
at_f:	nop
	ret
	.bss
	.balign 4096
stack:	.skip 4096
stack_top: .skip 8
//> remove how=all
//= instrumented loop 2 f 2, called loop 3 f 2
//> remove how=range
//= instrumented loop 2 f 1, called loop 3 f 10
//> remove how=callback
//= instrumented loop 2 f 2, called loop 1 f 1
//> remove how=none
//= instrumented loop 1 f 1, called loop 10 f 10
