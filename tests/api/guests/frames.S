// SPDX-License-Identifier: Apache-2.0
// ud2 on a stack that is not there, with a handler for it: the kernel raises SIGSEGV instead, whose frame fails too.
// counts: no
	.globl _start
	.text
_start:
	mov $13, %eax /* rt_sigaction(SIGILL), and SIGSEGV */
	mov $4, %edi
	lea action(%rip), %rsi
	xor %edx, %edx
	mov $8, %r10d
	syscall
	mov $13, %eax
	mov $11, %edi
	syscall
	mov $64, %esp
	ud2
handler:
	mov $231, %eax
	mov $1, %edi
	syscall
restore:
	mov $15, %eax
	syscall
	.data
	.balign 8
action:	.quad handler, 0x04000000, restore, 0
//> frames status=-11
//= signal 4, an exception, handled
//= signal 11, handled
//= signal 11, handled
//= fatal 11
