// SPDX-License-Identifier: Apache-2.0
// 3000 rounds of accesses of many kinds, while signals come: r11 in use, REP with and without a count, flags that stay needed, calls through registers and memory, all registers in use, system calls,
// faults that are made good. Addresses depend on what was computed before: a register or flag that is lost shows in them.
// counts: no
	.globl _start, at_first, at_last
	.text
_start:
	lea stack_top(%rip), %rsp
	mov $13, %eax /* rt_sigaction(SIGALRM) */
	mov $14, %edi
	lea alarm_action(%rip), %rsi
	xor %edx, %edx
	mov $8, %r10d
	syscall
	mov $13, %eax /* rt_sigaction(SIGSEGV) */
	mov $11, %edi
	lea fault_action(%rip), %rsi
	xor %edx, %edx
	mov $8, %r10d
	syscall
	mov $38, %eax /* setitimer(ITIMER_REAL, 200 us) */
	xor %edi, %edi
	lea timer(%rip), %rsi
	xor %edx, %edx
	syscall
	mov $3000, %r12d
	xor %r15d, %r15d
at_first:
round:
	lea data(%rip), %r11
	mov (%r11), %rax
	add %r12, %rax
	mov %rax, 8(%r11)
	imul $0x343fd, %r15, %r15
	add %rax, %r15
	adc 16(%r11), %r15
	mov %r15d, %eax
	and $7, %eax
	mov (%r11,%rax,8), %rdx
	add %rdx, %r15
	push %r11
	push %r12
	pop %rcx
	pop %r11
	cmp data(%rip), %rcx
	jb 1f
	incq 24(%r11)
1:	lea leaf(%rip), %r11
	call *%r11
	lea table(%rip), %r11
	call *8(%r11)
	mov %r15d, %edx
	and $63, %edx
	lea data(%rip), %rsi
	lea copy(%rdx), %rdi
	mov $7, %ecx
	rep movsb
	rep stosq
	mov $5, %ecx
	mov $1, %al
	repne scasb
	jz 2f
	add $3, %r15
2:	mov $2, %ecx
	lea data(%rip), %rsi
	lea data(%rip), %rdi
	cmp $1, %r15b /* flags over REP */
	rep lodsq
	adc $0, %r15
	.rept 40
	mov data(%rip), %rax
	add %rax, %r15
	.endr
	stc
	jmp 3f
3:	adc data(%rip), %r15 /* flags are needed from the first instruction on */
	adc data+8(%rip), %r15
	push %rbx
	push %rbp
	mov (%rsp), %rax
	lea data(%rip), %rbp
	mov %r15d, %ebx
	and $7, %ebx
	mov (%rbp,%rbx,8), %rcx
	mov (%rbp), %rdx
	mov 8(%rbp), %rsi
	mov 16(%rbp), %rdi
	mov 24(%rbp), %r8
	mov 32(%rbp), %r9
	mov 40(%rbp), %r10
	mov 48(%rbp), %r11
	mov 56(%rbp), %r13
	lea (%rdx,%rsi), %r14
	add %r13, %r14
	add %r11, %r14
	add %r10, %r14
	add %r9, %r14
	add %r8, %r14
	add %rdi, %r14
	add %rcx, %r14
	add %r14, %r15
	pop %rbp
	pop %rbx
	test $1, %r15b
	cmovz data+16(%rip), %rax
	add %rax, %r15
	test $15, %r12b
	jnz 4f
	mov $39, %eax /* getpid */
	syscall
4:	test $63, %r12b
	jnz 5f
	xor %edi, %edi /* SIG_BLOCK: a signal that comes in the calls of an instruction which then faults makes them run again (A5) */
	call mask_alarm
	xor %r11d, %r11d
	mov 8(%r11), %rax /* the handler gives it an address */
	add %rax, %r15
	mov $1, %edi /* SIG_UNBLOCK */
	call mask_alarm
5:	lea done(%rip), %r11
	jmp *%r11
done:
	dec %r12d
	jnz round
at_last:
	xor %edi, %edi
	mov $231, %eax
	syscall
mask_alarm:
	mov $14, %eax /* rt_sigprocmask */
	lea alarm_mask(%rip), %rsi
	xor %edx, %edx
	mov $8, %r10d
	syscall
	ret
leaf:
	mov table(%rip), %rax
	ret
leaf2:
	mov 8(%rsp), %rcx
	xchg %rax, copy+80(%rip)
	ret
on_alarm:
	push %rax
	incq alarms(%rip)
	mov alarms(%rip), %r11
	push %r11
	pop %rax
	pop %rax
	ret
on_fault:
	lea data(%rip), %rax
	mov %rax, 40+3*8(%rdx) /* r11 in the context's registers */
	ret
restore:
	mov $15, %eax
	syscall
	.data
	.balign 8
table:	.quad leaf, leaf2
data:	.quad 0x12345, 0, 7, 0, 0x9876543210, 5, 0xfffffffffffffff0, 1
alarm_action:	.quad on_alarm, 0x14000000, restore, 0 /* SA_RESTORER | SA_RESTART */
fault_action:	.quad on_fault, 0x04000004, restore, 0 /* SA_RESTORER | SA_SIGINFO */
alarm_mask:	.quad 1 << 13
timer:	.quad 0, 200, 0, 200
	.bss
	.balign 4096
alarms:	.skip 8
copy:	.skip 4088
stack:	.skip 65536
stack_top: .skip 8
//> records
//= 264808 records, hash 822c57a3b28ad5ab
//> records engine=-no_carry
//= 264808 records, hash 822c57a3b28ad5ab
//> records reg=1
//= 264808 records, hash 25cb6ef437a8ac4b
//> records calls=1 pages=1
//= 264808 records, hash 822c57a3b28ad5ab
//= 81092 calls
//> records two=1
//= 123762 records, hash 5867e3ce3f883a97
//= 141046 records, hash f9924c7e3d03f994
// To the end of a buffer and not beyond: with room left for the records of a trace, and where each record looks for room.
//> records guard=1 pages=1
//= 264808 records, hash 822c57a3b28ad5ab
//= ~ up to 1(1[2-9]|2[0-8]) records in 1 pages
//> records guard=1 pages=1 reg=1
//= 264808 records, hash 25cb6ef437a8ac4b
//= ~ up to 1(1[2-9]|2[0-8]) records in 1 pages
//> records guard=1 pages=1 calls=1
//= 264808 records, hash 822c57a3b28ad5ab
//= 81092 calls
//= ~ up to 1(1[2-9]|2[0-8]) records in 1 pages
//> records guard=1 pages=1 two=1
//= 123762 records, hash 5867e3ce3f883a97
//= 141046 records, hash f9924c7e3d03f994
//= up to 128 records in 1 pages
//> records guard=1 pages=1 two=1 engine=-no_inline
//= 123762 records, hash 5867e3ce3f883a97
//= 141046 records, hash f9924c7e3d03f994
//= up to 128 records in 1 pages
//> records values=1
//= 264808 records, hash 822c57a3b28ad5ab
//= values 1b3c9364707c4ef6
