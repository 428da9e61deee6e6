// SPDX-License-Identifier: Apache-2.0
// 300 copies of 400 bytes while signals come, whose handler copies 3 bytes.
// counts: no
	.globl _start
	.text
_start:
	lea stack_top(%rip), %rsp
	mov $13, %eax /* rt_sigaction(SIGALRM) */
	mov $14, %edi
	lea action(%rip), %rsi
	xor %edx, %edx
	mov $8, %r10d
	syscall
	mov $38, %eax /* setitimer(ITIMER_REAL, 300 us) */
	xor %edi, %edi
	lea timer(%rip), %rsi
	xor %edx, %edx
	syscall
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
restore:
	mov $15, %eax
	syscall
	.data
	.balign 8
action:	.quad handler, 0x14000000, restore, 0 /* SA_RESTORER | SA_RESTART */
timer:	.quad 0, 300, 0, 300
	.bss
	.balign 4096
buffer:	.skip 4096
stack:	.skip 65536
stack_top: .skip 8
//> repstorm
//= loop 300 of 120000, handler right
