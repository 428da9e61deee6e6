/* SPDX-License-Identifier: Apache-2.0
 * Into and out of the code cache (E3), copies that may fault, the gate for system calls made from host code.
 * Between vm_enter_begin and vm_enter_end the guest's state is still whole in the context. */
#include "arch/x86/cpu_offsets.h"

#define CTX(o) %fs:vm_tc@tpoff + o
#include "arch/x86/xstate_asm.h"

	.text; .p2align 4
	.globl vm_enter, vm_enter_begin, vm_enter_end, vm_exit, vm_resume, vm_gate_flushed
	.type vm_enter, @function
vm_enter:
	push %rbx
	push %rbp
	push %r12
	push %r13
	push %r14
	push %r15
	sub $8, %rsp /* analysis routines are called from here: aligned */
	mov %rsp, CTX(CPU_HOST_SP)
vm_enter_begin:
	cmpb $0, CTX(TC_PENDING) /* a signal that came since the dispatcher has looked: from here on the handler redirects */
	jne vm_resume
	mov %fs:0, %rdi
	lea vm_tc@tpoff + CPU_XSAVE(%rdi), %rdi
	LOAD_XSTATE
	pushq CTX(CPU_FLAGS)
	popfq
	mov CTX(CPU_GPR+0*8), %rax
	mov CTX(CPU_GPR+2*8), %rdx
	mov CTX(CPU_GPR+3*8), %rbx
	mov CTX(CPU_GPR+5*8), %rbp
	mov CTX(CPU_GPR+6*8), %rsi
	mov CTX(CPU_GPR+7*8), %rdi
	mov CTX(CPU_GPR+8*8), %r8
	mov CTX(CPU_GPR+9*8), %r9
	mov CTX(CPU_GPR+10*8), %r10
	mov CTX(CPU_ENTER_HOME), %r11
	mov CTX(CPU_GPR+12*8), %r12
	mov CTX(CPU_GPR+13*8), %r13
	mov CTX(CPU_GPR+14*8), %r14
	mov CTX(CPU_GPR+15*8), %r15
	mov CTX(CPU_ENTER_SP), %rsp
	mov (%rsp), %rsp
	mov CTX(CPU_GPR+1*8), %rcx
	jmp *CTX(CPU_ENTER)
vm_enter_end:

vm_gate_flushed:
	movq $EXIT_GATE, CTX(CPU_EXIT_ID)
vm_exit:
	mov %rax, CTX(CPU_GPR+0*8)
	mov %rcx, CTX(CPU_GPR+1*8)
	mov %rdx, CTX(CPU_GPR+2*8)
	mov %rbx, CTX(CPU_GPR+3*8)
	mov %rsp, CTX(CPU_GPR+4*8)
	mov %rbp, CTX(CPU_GPR+5*8)
	mov %rsi, CTX(CPU_GPR+6*8)
	mov %rdi, CTX(CPU_GPR+7*8)
	mov %r8, CTX(CPU_GPR+8*8)
	mov %r9, CTX(CPU_GPR+9*8)
	mov %r10, CTX(CPU_GPR+10*8)
	mov %r11, CTX(CPU_GPR+11*8)
	mov %r12, CTX(CPU_GPR+12*8)
	mov %r13, CTX(CPU_GPR+13*8)
	mov %r14, CTX(CPU_GPR+14*8)
	mov %r15, CTX(CPU_GPR+15*8)
	mov CTX(CPU_HOST_SP), %rsp
	pushfq
	popq CTX(CPU_FLAGS)
	pushq $0x202
	popfq
	mov %fs:0, %rdi
	lea vm_tc@tpoff + CPU_XSAVE(%rdi), %rdi
	SAVE_XSTATE
	jmp leave_cache

/* From a signal handler: the state is in the context already. */
vm_resume:
	movq $EXIT_RESUME, CTX(CPU_EXIT_ID)
	pushq $0x202
	popfq
	fninit
	pushq $MXCSR_DEFAULT
	ldmxcsr (%rsp)
	lea 8(%rsp), %rsp
leave_cache:
	lea 8(%rsp), %rsp
	pop %r15
	pop %r14
	pop %r13
	pop %r12
	pop %rbp
	pop %rbx
	ret
	.size vm_enter, . - vm_enter

/* Around analysis routines that may touch anything (A5): on the host stack, scratch registers saved. Flags, vector and
 * x87 state into the context and back. */
	.globl bridge_save_all, bridge_restore_all, bridge_restore_end
bridge_save_all:
	pushfq
	popq %rax
	mov %rax, CTX(CPU_BRIDGE + 144)
	movq $0, CTX(CPU_BRIDGE + 176)
	test $0x40500, %eax /* the guest's direction, alignment check and trap flags are not for host code */
	jnz odd_flags
save_vectors:
	mov %fs:0, %rdi
	lea vm_tc@tpoff + CPU_BRIDGE + 192(%rdi), %rdi
	SAVE_XSTATE
	ret
odd_flags:
	pushq $0x202
	popfq
	cmpb $0, CTX(TC_COMPLETING)
	je save_vectors
	and $0x100, %eax
	xor %rax, CTX(CPU_BRIDGE + 144) /* the engine's own steps: not for the tool to see */
	mov %rax, CTX(CPU_BRIDGE + 176)
	jmp save_vectors
bridge_restore_all:
	mov %fs:0, %rdi
	lea vm_tc@tpoff + CPU_BRIDGE + 192(%rdi), %rdi
	LOAD_XSTATE
	mov CTX(CPU_BRIDGE + 176), %rax
	or CTX(CPU_BRIDGE + 144), %rax
	test $0x244500, %eax /* TF DF NT AC ID */
	jz common_flags
	push %rax
	popfq
	ret
common_flags:
	cld /* a routine may have left it set */
	mov %eax, %ecx
	shr $11, %ecx
	and $1, %ecx
	mov %al, %ah
	add $0x7f, %cl /* OF */
	sahf
	ret
bridge_restore_end:

/* size_t arch_fault_copy(void *dst, const void *src, size_t bytes): bytes copied. rep movsb leaves the rest in rcx. A
 * word and 64 bytes, which are asked for often, are copied in less time than that takes; if they fault, byte by
 * byte. */
	.globl arch_fault_copy, safe_copy_word, safe_copy_insn, safe_copy_landing
	.type arch_fault_copy, @function
arch_fault_copy:
	mov %rdx, %rax
	mov %rdx, %rcx
	cmp $8, %rdx
	jne 1f
safe_copy_word:
	mov (%rsi), %rdx
	mov %rdx, (%rdi)
	ret
1:	cmp $64, %rdx
	jne safe_copy_insn
	movups (%rsi), %xmm0
	movups 16(%rsi), %xmm1
	movups 32(%rsi), %xmm2
	movups 48(%rsi), %xmm3
	movups %xmm0, (%rdi)
	movups %xmm1, 16(%rdi)
	movups %xmm2, 32(%rdi)
	movups %xmm3, 48(%rdi)
	ret
safe_copy_insn:
	rep movsb
safe_copy_landing:
	sub %rcx, %rax
	ret
	.size arch_fault_copy, . - arch_fault_copy

/* s64 arch_gate_syscall(u64 nr, const u64 args[6]) */
	.globl arch_gate_syscall, host_gate_begin, host_gate_call, host_gate_after, host_gate_abort
	.type arch_gate_syscall, @function
arch_gate_syscall:
	mov %rdi, %rax
	mov %rsi, %r11
	mov 0(%r11), %rdi
	mov 8(%r11), %rsi
	mov 16(%r11), %rdx
	mov 24(%r11), %r10
	mov 32(%r11), %r8
	mov 40(%r11), %r9
host_gate_begin:
	cmpb $0, %fs:vm_tc@tpoff + TC_PENDING
	jne host_gate_abort
host_gate_call:
	syscall
host_gate_after:
	ret
host_gate_abort:
	mov $-512, %rax
	ret
	.size arch_gate_syscall, . - arch_gate_syscall

	.globl arch_trap, arch_trap_after
	.type arch_trap, @function
arch_trap:
	int3
arch_trap_after:
	ret
	.size arch_trap, . - arch_trap
	.section .note.GNU-stack, "", @progbits
