// SPDX-License-Identifier: Apache-2.0
// As storm.S, for instructions that the engine makes several of: operands far from the cache or through gs, x87 saves, and those that the tool changes. Status 2: a wrong value.
// counts: no
#include "storm.inc"
	.globl _start
	.text
_start:
	take_signals
	mov $158, %eax /* arch_prctl(ARCH_SET_GS) */
	mov $0x1001, %edi
	lea buffer(%rip), %rsi
	syscall
	start_timer
	mov $20000, %r12d
	lea f(%rip), %r13
	lea buffer(%rip), %rbx
	movq $0, sum(%rip)
again:
	await_signal 10000
	mov $39, %eax
	syscall
at_first:
	incq sum(%rip)
	mov %gs:8, %rax
	incq %gs:16
	fnstenv 512(%rbx)
	fxsave 1024(%rbx)
	push %r12
	pop %rax
	pushq 16(%rbx)
	popq 24(%rbx)
	pushfq
	popfq
	call f
	call *%r13
	mov %rbx, %rsi
	lea 64(%rbx), %rdi
	movsq
	mov $3, %ecx
	rep movsb
at_gone:
	syscall
at_jump:
	ud2
	hlt
at_landing:
	dec %r12d
	jnz again
at_last:
	mov $2, %edi
	cmpq $20000, sum(%rip)
	jne out
	cmpq $20000, 16(%rbx)
	jne out
	cmpq $20000, 24(%rbx)
	jne out
	mov $0, %edi
out:	mov $60, %eax
	syscall
f:	ret
handler:
	incq at_hits(%rip)
	ret
	.data
sum:	.quad 0
//> once
//= at_first 20000 after 20000
//= at_first+7 20000 after 20000
//= at_first+16 20000 after 20000
//= at_first+25 20000 after 20000
//= at_first+31 20000 after 20000
//= at_first+38 20000 after 20000
//= at_first+40 20000 after 20000
//= at_first+41 20000 after 20000
//= at_first+44 20000 after 20000
//= at_first+47 20000 after 20000
//= at_first+48 20000 after 20000
//= at_first+49 20000 taken 20000
//= at_first+54 20000 taken 20000
//= at_first+57 20000 after 20000
//= at_first+60 20000 after 20000
//= at_first+64 20000 after 20000
//= at_first+66 20000 after 20000
//= at_first+71 60000 after 60000
//= at_gone 20000 after 20000
//= at_jump 20000
//= at_landing 20000 after 20000
//= at_landing+3 20000 after 1 taken 19999
//> once leaf=1
//= at_first 20000 after 20000
//= at_first+7 20000 after 20000
//= at_first+16 20000 after 20000
//= at_first+25 20000 after 20000
//= at_first+31 20000 after 20000
//= at_first+38 20000 after 20000
//= at_first+40 20000 after 20000
//= at_first+41 20000 after 20000
//= at_first+44 20000 after 20000
//= at_first+47 20000 after 20000
//= at_first+48 20000 after 20000
//= at_first+49 20000 taken 20000
//= at_first+54 20000 taken 20000
//= at_first+57 20000 after 20000
//= at_first+60 20000 after 20000
//= at_first+64 20000 after 20000
//= at_first+66 20000 after 20000
//= at_first+71 60000 after 60000
//= at_gone 20000 after 20000
//= at_jump 20000
//= at_landing 20000 after 20000
//= at_landing+3 20000 after 1 taken 19999
//> once half=1
//= at_first 20000 after 20000
//= at_first+7 20000 after 20000
//= at_first+16 20000 after 20000
//= at_first+25 20000 after 20000
//= at_first+31 20000 after 20000
//= at_first+38 20000 after 20000
//= at_first+40 20000 after 20000
//= at_first+41 20000 after 20000
//= at_first+44 20000 after 20000
//= at_first+47 20000 after 20000
//= at_first+48 20000 after 20000
//= at_first+49 20000 taken 20000
//= at_first+54 20000 taken 20000
//= at_first+57 20000 after 20000
//= at_first+60 20000 after 20000
//= at_first+64 20000 after 20000
//= at_first+66 20000 after 20000
//= at_first+71 60000 after 60000
//= at_gone 20000 after 20000
//= at_jump 20000
//= at_landing 20000 after 20000
//= at_landing+3 20000 after 1 taken 19999
//> once rewrite=1
//= at_first 20000 after 20000
//= at_first+7 20000 after 20000
//= at_first+16 20000 after 20000
//= at_first+25 20000 after 20000
//= at_first+31 20000 after 20000
//= at_first+38 20000 after 20000
//= at_first+40 20000 after 20000
//= at_first+41 20000 after 20000
//= at_first+44 20000 after 20000
//= at_first+47 20000 after 20000
//= at_first+48 20000 after 20000
//= at_first+49 20000 taken 20000
//= at_first+54 20000 taken 20000
//= at_first+57 20000 after 20000
//= at_first+60 20000 after 20000
//= at_first+64 20000 after 20000
//= at_first+66 20000 after 20000
//= at_first+71 60000 after 60000
//= at_gone 20000 after 20000
//= at_jump 20000
//= at_landing 20000 after 20000
//= at_landing+3 20000 after 1 taken 19999
//> once leaf=1 rewrite=1
//= at_first 20000 after 20000
//= at_first+7 20000 after 20000
//= at_first+16 20000 after 20000
//= at_first+25 20000 after 20000
//= at_first+31 20000 after 20000
//= at_first+38 20000 after 20000
//= at_first+40 20000 after 20000
//= at_first+41 20000 after 20000
//= at_first+44 20000 after 20000
//= at_first+47 20000 after 20000
//= at_first+48 20000 after 20000
//= at_first+49 20000 taken 20000
//= at_first+54 20000 taken 20000
//= at_first+57 20000 after 20000
//= at_first+60 20000 after 20000
//= at_first+64 20000 after 20000
//= at_first+66 20000 after 20000
//= at_first+71 60000 after 60000
//= at_gone 20000 after 20000
//= at_jump 20000
//= at_landing 20000 after 20000
//= at_landing+3 20000 after 1 taken 19999
//> once raise=1
//= at_first 20000 after 20000
//= at_first+7 20000 after 20000
//= at_first+16 20000 after 20000
//= at_first+25 20000 after 20000
//= at_first+31 20000 after 20000
//= at_first+38 20000 after 20000
//= at_first+40 20000 after 20000
//= at_first+41 20000 after 20000
//= at_first+44 20000 after 20000
//= at_first+47 20000 after 20000
//= at_first+48 20000 after 20000
//= at_first+49 20000 taken 20000
//= at_first+54 20000 taken 20000
//= at_first+57 20000 after 20000
//= at_first+60 20000 after 20000
//= at_first+64 20000 after 20000
//= at_first+66 20000 after 20000
//= at_first+71 60000 after 60000
//= at_gone 20000 after 20000
//= at_jump 20000
//= at_landing 20000 after 20000
//= at_landing+3 20000 after 1 taken 19999
//= raised 43, came 43
//> once rewrite=1 raise=1
//= at_first 20000 after 20000
//= at_first+7 20000 after 20000
//= at_first+16 20000 after 20000
//= at_first+25 20000 after 20000
//= at_first+31 20000 after 20000
//= at_first+38 20000 after 20000
//= at_first+40 20000 after 20000
//= at_first+41 20000 after 20000
//= at_first+44 20000 after 20000
//= at_first+47 20000 after 20000
//= at_first+48 20000 after 20000
//= at_first+49 20000 taken 20000
//= at_first+54 20000 taken 20000
//= at_first+57 20000 after 20000
//= at_first+60 20000 after 20000
//= at_first+64 20000 after 20000
//= at_first+66 20000 after 20000
//= at_first+71 60000 after 60000
//= at_gone 20000 after 20000
//= at_jump 20000
//= at_landing 20000 after 20000
//= at_landing+3 20000 after 1 taken 19999
//= raised 43, came 43
//> once raise=then
//= at_first 20000 after 20000
//= at_first+7 20000 after 20000
//= at_first+16 20000 after 20000
//= at_first+25 20000 after 20000
//= at_first+31 20000 after 20000
//= at_first+38 20000 after 20000
//= at_first+40 20000 after 20000
//= at_first+41 20000 after 20000
//= at_first+44 20000 after 20000
//= at_first+47 20000 after 20000
//= at_first+48 20000 after 20000
//= at_first+49 20000 taken 20000
//= at_first+54 20000 taken 20000
//= at_first+57 20000 after 20000
//= at_first+60 20000 after 20000
//= at_first+64 20000 after 20000
//= at_first+66 20000 after 20000
//= at_first+71 60000 after 60000
//= at_gone 20000 after 20000
//= at_jump 20000
//= at_landing 20000 after 20000
//= at_landing+3 20000 after 1 taken 19999
//= raised 43, came 43
