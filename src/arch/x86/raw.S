/* SPDX-License-Identifier: Apache-2.0
 * A system call of host code, by itself: unit tests link nothing else of the assembly. */
	.text; .p2align 4
/* s64 arch_raw_syscall(nr, a, b, c, d, e, f) */
	.globl arch_raw_syscall
	.type arch_raw_syscall, @function
arch_raw_syscall:
	mov %rdi, %rax
	mov %rsi, %rdi
	mov %rdx, %rsi
	mov %rcx, %rdx
	mov %r8, %r10
	mov %r9, %r8
	mov 8(%rsp), %r9
	syscall
	ret
	.size arch_raw_syscall, . - arch_raw_syscall

	.section .note.GNU-stack,"",@progbits
