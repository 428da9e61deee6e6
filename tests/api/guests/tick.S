// SPDX-License-Identifier: Apache-2.0
// A timer's signals and a fault in every round, in the middle of basic blocks: each instruction is counted as often as it is begun, wherever its block is left. Its lengths are known, so
// the tool can say how many there must be, system calls not counted: 17 + 23 for each round (17 and 6 of the fault's handler) + 3 for each tick.
// counts: no
// modes: plain one nolink far
// not with: -no_inline
// (In slow, and with -no_inline, where they are calls, those of an instruction that faults run again when a tick came first: A5.)
	.globl _start, at_ticks, at_rounds, at_counts
	.text
_start:
	mov $13, %eax /* rt_sigaction(SIGALRM) */
	mov $14, %edi
	lea tick_action(%rip), %rsi
	xor %edx, %edx
	mov $8, %r10d
	syscall
	mov $13, %eax /* rt_sigaction(SIGSEGV) */
	mov $11, %edi
	lea fault_action(%rip), %rsi
	syscall
	mov $38, %eax /* setitimer(ITIMER_REAL, 100 us) */
	xor %edi, %edi
	lea timer(%rip), %rsi
	xor %edx, %edx
	syscall
	xor %r12d, %r12d
	mov $buffer, %ebx
	xor %ebp, %ebp
again:
	incq at_rounds(%rip)
	mov (%rbx), %rax
	lea 8(%rax), %rcx
	add %rcx, 8(%rbx)
	mov (%rbp), %rdx /* faults; 4 bytes */
	push %rcx
	pop %rcx
	xor %edx, %edx
	adc %rdx, %rcx
	test %rcx, %rcx
	js 1f
	mov %rcx, 16(%rbx)
	imul $3, %rcx, %rdx
	mov %rdx, 24(%rbx)
1:	nop
	cmpq $300, at_ticks(%rip)
	jb again
	mov $60, %eax
	xor %edi, %edi
	syscall
tick:
	incq at_ticks(%rip)
	ret
fault:
	addq $4, 168(%rdx) /* the context's instruction pointer */
	mov $7, %eax
	add $1, %eax
	cmp $8, %eax
	ret
restore:
	mov $15, %eax
	syscall
	.data
	.balign 8
tick_action:
	.quad tick, 0x04000000, restore, 0
fault_action:
	.quad fault, 0x04000004, restore, 0
timer:
	.quad 0, 100, 0, 100
at_ticks:
	.quad 0
at_rounds:
	.quad 0
at_counts: /* instructions at start and end, in a round, for a tick; without system calls, whose calls may run again (A5) */
	.quad 17, 23, 3
	.bss
	.balign 8
buffer:
	.skip 64
//> tick
//= exact
//> tick engine=-no_merge
//= exact
//> tick engine=-no_spread
//= exact
//> tick engine=-no_dead
//= exact
