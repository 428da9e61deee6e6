// SPDX-License-Identifier: Apache-2.0
// 1000 rounds with a store, a load and a conditional move from memory that is executed in every second round.
	.globl _start, at_store, at_load, at_move, at_data
	.text
_start:
	mov $1000, %ecx
	lea at_data(%rip), %rbx
again:
at_store:
	mov %rcx, (%rbx)
at_load:
	mov 8(%rbx), %eax
	test $1, %cl
at_move:
	cmovz 16(%rbx), %rdx
	dec %ecx
	jnz again
	mov $60, %eax
	xor %edi, %edi
	syscall
	.data
	.balign 8
at_data:
	.quad 0, 0, 0
// A page takes 128 records of 32 bytes. A buffer counts as full where an eighth of it is left.
//> buffer
//= 2000 records, 1 buffers not full
// With the conditional move where it is executed; with a condition: every tenth store.
//> buffer predicated=1
//= 2500 records, 1 buffers not full
//> buffer then=1
//= 100 records, 1 buffers not full
// One for each block with the store.
//> buffer block=1
//= 1000 records, 1 buffers not full
