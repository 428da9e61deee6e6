// SPDX-License-Identifier: Apache-2.0
// A few instructions of each kind, with a label for every one of which tool values knows what must be said.
	.globl _start
	.text
	.type _start, @function
_start:
at_start:
	mov $3, %ecx
at_loop:
	call at_leaf
at_dec:
	dec %ecx
at_jnz:
	jnz at_loop
at_exit:
	mov $60, %eax
	xor %edi, %edi
at_syscall:
	syscall
	.size _start, . - _start
	.balign 32
	.type at_leaf, @function
at_leaf:
at_load:
	mov at_word(%rip), %rax
at_update:
	add %eax, at_word(%rip)
at_byte:
	movzbl at_bytes+3(%rip), %edx
at_push:
	push %rbx
at_pop:
	pop %rbx
at_cmov:
	cmovz at_word(%rip), %rdx
	mov $at_bytes, %edi
at_stos:
	stosb
at_vector:
	movups at_bytes(%rip), %xmm5
at_lea:
	lea 8(%rbx,%rcx,4), %rsi
at_nop:
	nopl (%rax)
at_jump:
	jmp at_ret
	int3
at_ret:
	ret
at_leaf_end:
	.size at_leaf, . - at_leaf
	.data
	.balign 16
at_word:
	.quad 7
	.quad 0
at_bytes:
	.quad 1, 2
//> values
//= values: right
