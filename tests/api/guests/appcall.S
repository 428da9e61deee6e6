// SPDX-License-Identifier: Apache-2.0
// Functions that the tool calls: one without arguments, one that adds two integers and a number in xmm0.
	.globl _start, at_mark, at_sum
	.text
_start:
	lea stack_top(%rip), %rsp
at_call:
	mov marks(%rip), %edi
at_after:
	mov $231, %eax
	syscall
at_mark:
	incl marks(%rip)
	ret
at_sum:
	cvttsd2si %xmm0, %rax
	add %rdi, %rax
	add %rsi, %rax
	ret
	.data
marks:	.long 40
	.bss
	.skip 65536
stack_top: .skip 8
//> appcall status=41
//= at_mark: G0 7
//= at_sum: G0 7
//= sum 132
//= at_after: G0 3
