// SPDX-License-Identifier: Apache-2.0
// A function that calls another, which the tool replaces: 2 * 5 + 1, or 5 + 1000 + 1. The program calls it too, with 5: 1006 % 256 = 238.
	.globl _start, at_outer, at_inner, at_end
	.type at_outer, @function
	.type at_inner, @function
	.text
_start:
	lea stack_top(%rip), %rsp
at_call:
	mov $5, %edi
	call at_outer
	mov %eax, %edi
	mov $231, %eax
	syscall
at_outer:
	call at_inner
	lea 1(%rax), %rax
	ret
	.size at_outer, . - at_outer
at_inner:
	lea (%rdi,%rdi), %rax
	ret
	.size at_inner, . - at_inner
at_end:
	.bss
	.skip 65536
stack_top: .skip 8
//> nativecall status=238
//= native 1: result 11, counted none, replaced 0
//= native 0: result 1006, counted some, replaced 1
//= then: status 1006, counted 3, replaced 1
