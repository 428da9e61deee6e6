// SPDX-License-Identifier: Apache-2.0
// 300 copies of 400 bytes while signals come, whose handler copies 3 bytes.
// counts: no
#include "storm.inc"
	.globl _start
	.text
_start:
	take_signals
	start_timer
	mov $300, %r12d
again:
	lea buffer(%rip), %rsi
	lea buffer+1024(%rip), %rdi
	mov $400, %ecx
at_loop:
	rep movsb
	dec %r12d
	jnz again
	xor %edi, %edi
	mov $231, %eax
	syscall
handler:
	push %rcx
	push %rsi
	push %rdi
	lea buffer+2048(%rip), %rsi
	lea buffer+3072(%rip), %rdi
	mov $3, %ecx
at_handler:
	rep movsb
	pop %rdi
	pop %rsi
	pop %rcx
	ret
//> repstorm
//= loop 300 of 120000, handler right
//> repstorm after=1
//= loop 300 of 120000, handler right
//= after 120000, handler right
