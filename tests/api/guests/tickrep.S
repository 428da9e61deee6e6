// SPDX-License-Identifier: Apache-2.0
// As tick, with repeated string instructions: each iteration is counted as it is begun, one at least, wherever a tick or a fault interrupts it. In a round, 20 instructions that do not repeat and
// 100 + 1 + 64 + 11 (the last faults) + 3 iterations (the last finds what it looks for), and 3 of the fault's handler.
// counts: no
// modes: plain one nolink far
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
	mov $10, %eax /* mprotect(PROT_NONE) */
	mov $guard, %edi
	mov $4096, %esi
	syscall
	mov $38, %eax /* setitimer(ITIMER_REAL, 100 us) */
	xor %edi, %edi
	lea timer(%rip), %rsi
	xor %edx, %edx
	syscall
again:
	incq at_rounds(%rip)
	mov $page, %edi
	mov $100, %ecx
	mov $7, %eax
	rep stosb
	rep stosl /* none */
	mov $page, %esi
	mov $page + 1024, %edi
	mov $64, %ecx
	rep movsq
	mov $guard - 40, %edi
	mov $20, %ecx
	stc
	rep stosl /* faults; 2 bytes */
	jnc wrong
	cmp $10, %ecx
	jne wrong
	mov $page + 98, %edi
	mov $50, %ecx
	repe scasb
	cmp $47, %ecx
	jne wrong
	nop
	cmpq $300, at_ticks(%rip)
	jb again
	mov $60, %eax
	xor %edi, %edi
	syscall
wrong:
	mov $60, %eax
	mov $1, %edi
	syscall
tick:
	incq at_ticks(%rip)
	ret
fault:
	addq $2, 168(%rdx) /* the context's instruction pointer */
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
at_counts: /* instructions at start and end, in a round, for a tick; without system calls */
	.quad 17, 20 + 100 + 1 + 64 + 11 + 3 + 3, 3
	.bss
	.balign 4096
page:
	.skip 4096
guard:
	.skip 4096
//> tick
//= exact
//> tick engine=-no_merge
//= exact
//> tick engine=-no_spread
//= exact
