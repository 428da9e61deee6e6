// SPDX-License-Identifier: Apache-2.0
// The status is 1 when the analysis routine's MXCSR is the program's after the call.
	.globl _start
	.text
_start:
	nop
at_change:
	nop
	stmxcsr word(%rip)
	xor %edi, %edi
	testl $0x200, word(%rip)	/* divisions by zero are masked */
	setz %dil
	mov $231, %eax
	syscall
	.bss
word:	.skip 8
//> mxcsr status=0
//> mxcsr engine=-bridge_save_mxcsr engine=0 status=1
//> mxcsr engine=-bridge_set_mxcsr engine=1 status=1
//> mxcsr engine=-bridge_set_mxcsr engine=0 status=0
