// SPDX-License-Identifier: Apache-2.0
// A timer's signals while a loop runs 30000 times. Its instructions are executed so often, whatever the signals do; it does not come to its end before one signal has. Status 2: a flag of the engine's was seen.
// counts: no
#include "storm.inc"
	.globl _start
	.text
_start:
	take_signals
	start_timer
	mov $30000, %r12d
	lea f(%rip), %r13
	lea buffer(%rip), %rbx
again:
	await_signal 15000
	mov $39, %eax
	syscall
at_first:
	lea (%rbx), %rsi
	lea 64(%rbx), %rdi
	movsq
	push %r12
	pop %rax
	pushfq
	pop %rax
	test $1, %ah /* TF */
	jnz seen
	push %rax
	popfq
	call f
	call *%r13
	lea 1f(%rip), %rax
	jmp *%rax
1:	jmp 2f
2:	xadd %rax, (%rbx)
	cmp %rax, %rbx
	cmovz %rcx, %rdx
	mov $2, %ecx
3:	loop 3b
	dec %r12d
	jnz again
at_last:
	mov $0, %edi
out:	mov $60, %eax
	syscall
seen:	mov $2, %edi
	jmp out
f:	ret
handler:
	incq at_hits(%rip)
	ret
//> once
//= at_first 30000 after 30000
//= at_first+3 30000 after 30000
//= at_first+7 30000 after 30000
//= at_first+9 30000 after 30000
//= at_first+11 30000 after 30000
//= at_first+12 30000 after 30000
//= at_first+13 30000 after 30000
//= at_first+14 30000 after 30000
//= at_first+17 30000 after 30000 taken 0
//= at_first+19 30000 after 30000
//= at_first+20 30000 after 30000
//= at_first+21 30000 taken 30000
//= at_first+26 30000 taken 30000
//= at_first+29 30000 after 30000
//= at_first+36 30000 taken 30000
//= at_first+38 30000 taken 30000
//= at_first+40 30000 after 30000
//= at_first+44 30000 after 30000
//= at_first+47 30000 after 30000
//= at_first+51 30000 after 30000
//= at_first+56 60000 after 30000 taken 30000
//= at_first+58 30000 after 30000
//= at_first+61 30000 after 1 taken 29999
//> once leaf=1
//= at_first 30000 after 30000
//= at_first+3 30000 after 30000
//= at_first+7 30000 after 30000
//= at_first+9 30000 after 30000
//= at_first+11 30000 after 30000
//= at_first+12 30000 after 30000
//= at_first+13 30000 after 30000
//= at_first+14 30000 after 30000
//= at_first+17 30000 after 30000 taken 0
//= at_first+19 30000 after 30000
//= at_first+20 30000 after 30000
//= at_first+21 30000 taken 30000
//= at_first+26 30000 taken 30000
//= at_first+29 30000 after 30000
//= at_first+36 30000 taken 30000
//= at_first+38 30000 taken 30000
//= at_first+40 30000 after 30000
//= at_first+44 30000 after 30000
//= at_first+47 30000 after 30000
//= at_first+51 30000 after 30000
//= at_first+56 60000 after 30000 taken 30000
//= at_first+58 30000 after 30000
//= at_first+61 30000 after 1 taken 29999
//> once raise=1
//= at_first 30000 after 30000
//= at_first+3 30000 after 30000
//= at_first+7 30000 after 30000
//= at_first+9 30000 after 30000
//= at_first+11 30000 after 30000
//= at_first+12 30000 after 30000
//= at_first+13 30000 after 30000
//= at_first+14 30000 after 30000
//= at_first+17 30000 after 30000 taken 0
//= at_first+19 30000 after 30000
//= at_first+20 30000 after 30000
//= at_first+21 30000 taken 30000
//= at_first+26 30000 taken 30000
//= at_first+29 30000 after 30000
//= at_first+36 30000 taken 30000
//= at_first+38 30000 taken 30000
//= at_first+40 30000 after 30000
//= at_first+44 30000 after 30000
//= at_first+47 30000 after 30000
//= at_first+51 30000 after 30000
//= at_first+56 60000 after 30000 taken 30000
//= at_first+58 30000 after 30000
//= at_first+61 30000 after 1 taken 29999
//= raised 47, came 47
//> once half=1
//= at_first 30000 after 30000
//= at_first+3 30000 after 30000
//= at_first+7 30000 after 30000
//= at_first+9 30000 after 30000
//= at_first+11 30000 after 30000
//= at_first+12 30000 after 30000
//= at_first+13 30000 after 30000
//= at_first+14 30000 after 30000
//= at_first+17 30000 after 30000 taken 0
//= at_first+19 30000 after 30000
//= at_first+20 30000 after 30000
//= at_first+21 30000 taken 30000
//= at_first+26 30000 taken 30000
//= at_first+29 30000 after 30000
//= at_first+36 30000 taken 30000
//= at_first+38 30000 taken 30000
//= at_first+40 30000 after 30000
//= at_first+44 30000 after 30000
//= at_first+47 30000 after 30000
//= at_first+51 30000 after 30000
//= at_first+56 60000 after 30000 taken 30000
//= at_first+58 30000 after 30000
//= at_first+61 30000 after 1 taken 29999
//> folds
//= the rest is equal
//> once raise=then
//= at_first 30000 after 30000
//= at_first+3 30000 after 30000
//= at_first+7 30000 after 30000
//= at_first+9 30000 after 30000
//= at_first+11 30000 after 30000
//= at_first+12 30000 after 30000
//= at_first+13 30000 after 30000
//= at_first+14 30000 after 30000
//= at_first+17 30000 after 30000 taken 0
//= at_first+19 30000 after 30000
//= at_first+20 30000 after 30000
//= at_first+21 30000 taken 30000
//= at_first+26 30000 taken 30000
//= at_first+29 30000 after 30000
//= at_first+36 30000 taken 30000
//= at_first+38 30000 taken 30000
//= at_first+40 30000 after 30000
//= at_first+44 30000 after 30000
//= at_first+47 30000 after 30000
//= at_first+51 30000 after 30000
//= at_first+56 60000 after 30000 taken 30000
//= at_first+58 30000 after 30000
//= at_first+61 30000 after 1 taken 29999
//= raised 47, came 47
