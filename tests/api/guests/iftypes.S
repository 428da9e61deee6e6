// SPDX-License-Identifier: Apache-2.0
// Comes to at_loop with rcx from 10 down to 0. Then a load, a store, and neither.
	.globl _start
	.text
_start:
	mov $10, %ecx
at_loop:
	dec %rcx
	jns at_loop
at_load:
	mov word(%rip), %eax
at_store:
	mov %ax, word(%rip)
at_none:
	nop
	lea word(%rip), %rdi
	mov $0, %ecx
	rep stosb
	mov $5, %ecx
	rep stosb
	mov $0, %edi
	mov $60, %eax
	syscall
	.bss
word: .skip 8
// of 10..0: dirty, word, high and clean: more than 2 (8), all but 0 (10); moved and Compiled: 3 to 8 (6); joined: 3 (1)
//> iftypes
//= 1000: 4 read, 4 written
//= 0100: 2 read, 2 written
//= 0000: 0 read, 0 written
//= 5 stored, 0 walked
//= 8 6 1 10 10 8 6 8
