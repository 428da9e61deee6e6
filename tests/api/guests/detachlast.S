// SPDX-License-Identifier: Apache-2.0
// A program that ends right after the instruction at which the tool takes itself out. The rule: fini functions do not
// run after PIN_Detach, also when the end comes first.
// counts: no
	.globl _start
	.text
_start:
at_detach:
	nop
	mov $3, %edi
	mov $231, %eax
	syscall
//> detachlast status=3
//= detached
