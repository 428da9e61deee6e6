// SPDX-License-Identifier: Apache-2.0
// A loop that never leaves the cache by itself: a signal that a Then call brings ends it, whichever form the If call has.
// counts: no
#include "storm.inc"
	.globl _start
	.text
_start:
	take_signals
	xor %ebx, %ebx
at_first:
	inc %rbx
at_last:
	jmp at_first
handler:
	incq at_hits(%rip)
	mov $60, %eax
	xor %edi, %edi
	syscall
//> once raise=before
//= at_first 10 after 0
//= raised 1, came 1
