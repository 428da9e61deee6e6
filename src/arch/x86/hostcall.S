/* SPDX-License-Identifier: Apache-2.0
 * Calls of host functions with arguments that are known at run time only, and the other way: host functions that take
 * any arguments (abi.h). Offsets are those of struct host_call. */
#define FN 0
#define GPR 8
#define RAX_IN 56
#define XMM 64
#define NSTACK 192
#define STACK 200
#define RET 208
#define XRET 224
#define BYTES 256

	.text
/* void abi_host_call(struct host_call *) */
	.globl abi_host_call
	.type abi_host_call, @function
abi_host_call:
	push %rbp
	mov %rsp, %rbp
	push %rbx
	sub $8, %rsp
	mov %rdi, %rbx
	mov NSTACK(%rbx), %rcx
	lea 15(,%rcx,8), %rax
	and $-16, %rax
	sub %rax, %rsp
	mov STACK(%rbx), %rsi
	mov %rsp, %rdi
	rep movsq
	movups XMM+0(%rbx), %xmm0
	movups XMM+16(%rbx), %xmm1
	movups XMM+32(%rbx), %xmm2
	movups XMM+48(%rbx), %xmm3
	movups XMM+64(%rbx), %xmm4
	movups XMM+80(%rbx), %xmm5
	movups XMM+96(%rbx), %xmm6
	movups XMM+112(%rbx), %xmm7
	mov GPR+0(%rbx), %rdi
	mov GPR+8(%rbx), %rsi
	mov GPR+16(%rbx), %rdx
	mov GPR+24(%rbx), %rcx
	mov GPR+32(%rbx), %r8
	mov GPR+40(%rbx), %r9
	mov RAX_IN(%rbx), %rax
	call *FN(%rbx)
	mov %rax, RET(%rbx)
	mov %rdx, RET+8(%rbx)
	movups %xmm0, XRET(%rbx)
	movups %xmm1, XRET+16(%rbx)
	lea -8(%rbp), %rsp
	pop %rbx
	pop %rbp
	ret
	.size abi_host_call, . - abi_host_call

/* void arch_call_on_stack(u64 sp, void (*fn)(void *), void *arg) */
	.globl arch_call_on_stack
	.type arch_call_on_stack, @function
arch_call_on_stack:
	push %rbp
	mov %rsp, %rbp
	mov %rdi, %rsp
	mov %rdx, %rdi
	call *%rsi
	leave
	ret
	.size arch_call_on_stack, . - arch_call_on_stack

/* Where thunks lead (abi_make_thunk): r11 is the thunk's data. */
	.globl abi_thunk_entry
	.type abi_thunk_entry, @function
abi_thunk_entry:
	push %rbp
	mov %rsp, %rbp
	sub $BYTES, %rsp
	mov %rdi, GPR+0(%rsp)
	mov %rsi, GPR+8(%rsp)
	mov %rdx, GPR+16(%rsp)
	mov %rcx, GPR+24(%rsp)
	mov %r8, GPR+32(%rsp)
	mov %r9, GPR+40(%rsp)
	mov %rax, RAX_IN(%rsp)
	movups %xmm0, XMM+0(%rsp)
	movups %xmm1, XMM+16(%rsp)
	movups %xmm2, XMM+32(%rsp)
	movups %xmm3, XMM+48(%rsp)
	movups %xmm4, XMM+64(%rsp)
	movups %xmm5, XMM+80(%rsp)
	movups %xmm6, XMM+96(%rsp)
	movups %xmm7, XMM+112(%rsp)
	movq $0, NSTACK(%rsp)
	lea 16(%rbp), %rax
	mov %rax, STACK(%rsp)
	mov %rsp, %rsi
	mov 0(%r11), %rax
	mov 8(%r11), %rdi
	call *%rax
	mov RET(%rsp), %rax
	mov RET+8(%rsp), %rdx
	movups XRET(%rsp), %xmm0
	movups XRET+16(%rsp), %xmm1
	leave
	ret
	.size abi_thunk_entry, . - abi_thunk_entry

/* A redirected system call (hostcalls.c): the registers are those of the instruction, and none changes but its own:
 * rax, rcx and r11. */
	.globl arch_host_syscall
	.type arch_host_syscall, @function
arch_host_syscall:
	cmp $512, %eax /* OS_HOST_CALLS */
	jae 1f
	lea os_host_calls(%rip), %rcx
	mov %eax, %r11d
	cmpb $0, (%rcx,%r11)
	jne 2f
1:	syscall
	ret
2:	push %rbp
	mov %rsp, %rbp
	push %r9
	push %r8
	push %r10
	push %rdx
	push %rsi
	push %rdi
	mov %rsp, %rsi
	mov %eax, %edi
	sub $512, %rsp
	and $-16, %rsp
	fxsave64 (%rsp)
	call os_host_syscall
	fxrstor64 (%rsp)
	lea -48(%rbp), %rsp
	pop %rdi
	pop %rsi
	pop %rdx
	pop %r10
	pop %r8
	pop %r9
	pop %rbp
	ret
	.size arch_host_syscall, . - arch_host_syscall

	.section .note.GNU-stack, "", @progbits
