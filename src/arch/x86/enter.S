/* SPDX-License-Identifier: Apache-2.0
 * Into and out of the code cache (E3), copies that may fault, the gate for system calls made from host code.
 * Between vm_enter_begin and vm_enter_end the guest's state is still whole in the context. */
#include "arch/x86/cpu_offsets.h"

#define CTX(o) %fs:vm_tc@tpoff + o

	.text
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
	mov %fs:0, %rcx
	lea vm_tc@tpoff(%rcx), %rcx
	mov CPU_XSAVE_MASK(%rcx), %eax
	mov CPU_XSAVE_MASK+4(%rcx), %edx
	xrstor64 CPU_XSAVE(%rcx)
	pushq CPU_FLAGS(%rcx)
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
	mov %fs:0, %rcx
	lea vm_tc@tpoff(%rcx), %rcx
	mov CPU_XSAVE_MASK(%rcx), %eax
	mov CPU_XSAVE_MASK+4(%rcx), %edx
	xsave64 CPU_XSAVE(%rcx)
	jmp leave_cache

/* From a signal handler: the state is in the context already. */
vm_resume:
	movq $EXIT_RESUME, CTX(CPU_EXIT_ID)
leave_cache:
	pushq $0x202
	popfq
	fninit
	pushq $0x1f80
	ldmxcsr (%rsp)
	lea 16(%rsp), %rsp
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
	popq CTX(CPU_BRIDGE + 144)
	pushq $0x202 /* the guest's direction, alignment check and trap flags are not for host code */
	popfq
	xor %ecx, %ecx
	cmpb $0, CTX(TC_COMPLETING)
	je 1f
	mov CTX(CPU_BRIDGE + 144), %ecx
	and $0x100, %ecx
	xor %rcx, CTX(CPU_BRIDGE + 144) /* the engine's own steps: not for the tool to see */
1:	mov %rcx, CTX(CPU_BRIDGE + 176)
	mov %fs:0, %rcx
	lea vm_tc@tpoff(%rcx), %rcx
	mov CPU_XSAVE_MASK(%rcx), %eax
	mov CPU_XSAVE_MASK+4(%rcx), %edx
	xsave64 CPU_BRIDGE+192(%rcx)
	fninit
	pushq $0x1f80
	ldmxcsr (%rsp)
	lea 8(%rsp), %rsp
	ret
bridge_restore_all:
	mov %fs:0, %rcx
	lea vm_tc@tpoff(%rcx), %rcx
	mov CPU_XSAVE_MASK(%rcx), %eax
	mov CPU_XSAVE_MASK+4(%rcx), %edx
	xrstor64 CPU_BRIDGE+192(%rcx)
	mov CTX(CPU_BRIDGE + 176), %rcx
	or %rcx, CTX(CPU_BRIDGE + 144)
	pushq CTX(CPU_BRIDGE + 144)
	popfq
	ret
bridge_restore_end:

/* size_t arch_fault_copy(void *dst, const void *src, size_t bytes): bytes copied. rep movsb leaves the rest in rcx. */
	.globl arch_fault_copy, safe_copy_insn, safe_copy_landing
	.type arch_fault_copy, @function
arch_fault_copy:
	mov %rdx, %rax
	mov %rdx, %rcx
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
