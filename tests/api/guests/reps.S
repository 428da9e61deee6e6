// SPDX-License-Identifier: Apache-2.0
// REP instructions with two iterations, with none, ended by what they find, and by a count of 32 bits.
	.globl _start, at_first, at_last, at_alone
	.text
_start:
	mov $page, %edi
	mov $2, %ecx
	mov $7, %eax
at_first:
	rep stosb
	rep stosb
	mov $page, %edi
	mov $5, %ecx
	repe scasb
	mov $page, %edi
	mov $page + 8, %esi
	mov $5, %ecx
	repne cmpsb
	movabs $0x100000000, %rcx
	addr32 rep movsb
	inc %rcx
	addr32 rep movsb
at_last:
	mov $3, %ecx
at_alone:
	rep stosb
	rep stosb
	mov $231, %eax
	xor %edi, %edi
	syscall
	.bss
	.balign 4096
page:	.skip 64
//> reps
//= before 2 0
//= after 1 1
//= predicated 1 1
//= odd 1
//= before 1 1
//= after 0 2
//= predicated 0 2
//= before 0 2 not executed
//= after 0 2 not executed
//= before 5 0
//= after 4 1
//= predicated 4 1
//= before 4 1
//= after 3 2
//= predicated 3 2
//= odd 3
//= before 3 2
//= after 2 3
//= predicated 2 3
//= before 5 0
//= after 4 1
//= predicated 4 1
//= before 4 1
//= after 3 2
//= predicated 3 2
//= odd 3
//= before 3 2
//= after 2 3
//= predicated 2 3
//= before 4294967296 3 not executed
//= after 4294967296 3 not executed
//= before 4294967297 3
//= after 0 4
//= predicated 0 4
//= alone 2 5
//= alone 1 6
//= alone 0 7
