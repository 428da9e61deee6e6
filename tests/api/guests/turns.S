// SPDX-License-Identifier: Apache-2.0
// at_turn goes to at_end by its branch, and then by the way without it, which is in the same trace. At at_case the tool
// changes the version.
// modes: plain nolink far slow
	.globl _start, at_turn, at_end, at_case
	.text
_start:
	xor %eax, %eax
	call at_turn
	mov $1, %eax
	test %eax, %eax
	call at_turn
	jmp at_case
at_turn:
	je taken
	jmp at_end
taken:	jmp at_end
at_end:	ret
at_case:
	mov $231, %eax
	xor %edi, %edi
	syscall
//> turns
//= turn in version 0
//= trace in version 1
//= trace in version 1
//= turn in version 0
//= trace in version 1
//= trace in version 3
//> turns second=1
//= turn in version 0
//= trace in version 1
//= trace in version 1
//= turn in version 0
//= trace in version 2
//= trace in version 3
