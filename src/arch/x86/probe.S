/* SPDX-License-Identifier: Apache-2.0
 * From native guest code to host code and back (docs/design/probes.md, PB3 to PB6). A probe's island has moved rsp
 * below the red zone and calls arch_probe_entry, so the return address says which probe it is. Below it stand, on the
 * guest's stack: flags, rax, rcx, rdx, rsi, rdi, r8, r10, r11, the signal mask. All signals are blocked before the FS
 * base is the host's, and until it is the guest's again. Offsets are those of struct native_thread (native.c checks
 * them). */
#include "arch/x86/cpu_offsets.h"

#define CTX(o) %fs:vm_tc@tpoff + o
#include "arch/x86/xstate_asm.h"

#define NT_HOST_FS 0
#define NT_GUEST_FS 24
#define NT_LOW 32
#define NT_HIGH 40
#define NT_TID_WORD 48
#define NT_TID 56
#define PAGE_LOCK 4      /* of struct native_page */
#define TABLE_SHIFT 20 /* of 32 bits: 4096 entries */

#define CPU_PC 128
#define CPU_GUEST_FS 152 /* slot[0] */
#define CPU_MASK 160     /* slot[1] */
#define CPU_DUE 168      /* slot[2] */
#define FRAME 216        /* from the mask to the guest's sp */
#define SYS_rt_sigprocmask 14
#define SYS_sched_yield 24
#define SIG_SETMASK 2
#define ODD_FLAGS 0x40500 /* direction, alignment check, trap */

	.section .rodata
	.p2align 3
all_signals: .quad -1

	.text; .p2align 5
	.globl arch_probe_entry, arch_native_call, arch_native_back, arch_native_leave, arch_native_left
	.globl arch_native_find_begin, arch_native_find_end
	.type arch_probe_entry, @function
arch_probe_entry:
	pushfq
	push %rax
	push %rcx
	push %rdx
	push %rsi
	push %rdi
	push %r8
	push %r10
	push %r11
	testl $ODD_FLAGS, 64(%rsp)
	jnz odd_flags
even_flags:
	lea -8(%rsp), %rsp
	mov $SYS_rt_sigprocmask, %eax
	mov $SIG_SETMASK, %edi
	lea all_signals(%rip), %rsi
	mov %rsp, %rdx
	mov $8, %r10d
	syscall
	rdfsbase %rax
	mov %rax, %rdx
	shr $12, %rdx
	imul $0x9e3779b1, %edx, %edx
	shr $TABLE_SHIFT, %edx
	lea native_table(%rip), %rcx
	mov (%rcx,%rdx,8), %rcx
	test %rcx, %rcx
	jz slow
	cmp NT_GUEST_FS(%rcx), %rax
	jne slow
	cmp NT_LOW(%rcx), %rsp
	jb slow
	cmp NT_HIGH(%rcx), %rsp
	jae slow
	mov NT_TID_WORD(%rcx), %rdx
	test %rdx, %rdx
	jz slow
	mov (%rdx), %edx
	cmp NT_TID(%rcx), %edx
	jne slow
known:
	mov NT_HOST_FS(%rcx), %rdx
	wrfsbase %rdx
	mov %rax, CTX(CPU_GUEST_FS)
	mov 0(%rsp), %rax
	mov %rax, CTX(CPU_MASK)
	mov 8(%rsp), %rax
	mov %rax, CTX(CPU_GPR+11*8)
	mov 16(%rsp), %rax
	mov %rax, CTX(CPU_GPR+10*8)
	mov 24(%rsp), %rax
	mov %rax, CTX(CPU_GPR+8*8)
	mov 32(%rsp), %rax
	mov %rax, CTX(CPU_GPR+7*8)
	mov 40(%rsp), %rax
	mov %rax, CTX(CPU_GPR+6*8)
	mov 48(%rsp), %rax
	mov %rax, CTX(CPU_GPR+2*8)
	mov 56(%rsp), %rax
	mov %rax, CTX(CPU_GPR+1*8)
	mov 64(%rsp), %rax
	mov %rax, CTX(CPU_GPR+0*8)
	mov 72(%rsp), %rax
	mov %rax, CTX(CPU_FLAGS)
	mov 80(%rsp), %rax
	mov %rax, CTX(CPU_PC)
	lea FRAME(%rsp), %rax
	mov %rax, CTX(CPU_GPR+4*8)
	mov %rbx, CTX(CPU_GPR+3*8)
	mov %rbp, CTX(CPU_GPR+5*8)
	mov %r9, CTX(CPU_GPR+9*8)
	mov %r12, CTX(CPU_GPR+12*8)
	mov %r13, CTX(CPU_GPR+13*8)
	mov %r14, CTX(CPU_GPR+14*8)
	mov %r15, CTX(CPU_GPR+15*8)
	mov CTX(CPU_HOST_SP), %rsp
	mov %fs:0, %rdi
	lea vm_tc@tpoff + CPU_XSAVE(%rdi), %rdi
	SAVE_XSTATE
	xor %ebp, %ebp
	call *arch_probe_entered(%rip)


/* vm_tc.cpu is where the guest goes on. Its pc is a continuation in an island, which takes the red zone back. A thread
 * that is stopped before arch_native_left may be sent to the beginning, and looks at CPU_DUE again (PB12): so nothing
 * is changed here that is not loaded from the context. */
arch_native_leave:
to_guest:
	cmpq $0, CTX(CPU_DUE)
	jne due
	mov %fs:0, %rdi
	lea vm_tc@tpoff + CPU_XSAVE(%rdi), %rdi
	LOAD_XSTATE
	mov CTX(CPU_GPR+4*8), %rcx
	lea -FRAME(%rcx), %rcx
	mov CTX(CPU_PC), %rax
	mov %rax, 80(%rcx)
	mov CTX(CPU_FLAGS), %rax
	mov %rax, 72(%rcx)
	mov CTX(CPU_GPR+0*8), %rax
	mov %rax, 64(%rcx)
	mov CTX(CPU_GPR+1*8), %rax
	mov %rax, 56(%rcx)
	mov CTX(CPU_GPR+2*8), %rax
	mov %rax, 48(%rcx)
	mov CTX(CPU_GPR+6*8), %rax
	mov %rax, 40(%rcx)
	mov CTX(CPU_GPR+7*8), %rax
	mov %rax, 32(%rcx)
	mov CTX(CPU_GPR+8*8), %rax
	mov %rax, 24(%rcx)
	mov CTX(CPU_GPR+10*8), %rax
	mov %rax, 16(%rcx)
	mov CTX(CPU_GPR+11*8), %rax
	mov %rax, 8(%rcx)
	mov CTX(CPU_MASK), %rax
	mov %rax, 0(%rcx)
	mov CTX(CPU_GPR+3*8), %rbx
	mov CTX(CPU_GPR+5*8), %rbp
	mov CTX(CPU_GPR+9*8), %r9
	mov CTX(CPU_GPR+12*8), %r12
	mov CTX(CPU_GPR+13*8), %r13
	mov CTX(CPU_GPR+14*8), %r14
	mov CTX(CPU_GPR+15*8), %r15
	mov CTX(CPU_GUEST_FS), %rax
	mov %rcx, %rsp
	wrfsbase %rax
arch_native_left:
	mov $SYS_rt_sigprocmask, %eax
	mov $SIG_SETMASK, %edi
	mov %rsp, %rsi
	xor %edx, %edx
	mov $8, %r10d
	syscall
	lea 8(%rsp), %rsp
	pop %r11
	pop %r10
	pop %r8
	pop %rdi
	pop %rsi
	pop %rdx
	pop %rcx
	pop %rax
	popfq
	ret

due:
	mov CTX(CPU_HOST_SP), %rsp
	call *arch_probe_due(%rip)
	jmp to_guest

odd_flags:
	pushq $0x202
	popfq
	jmp even_flags

/* The thread is looked for, or made known, on a stack of its own; one at a time. rax: FS base. */
arch_native_find_begin:
slow:
	mov native_page(%rip), %rdx
	add $PAGE_LOCK, %rdx
	mov $1, %ecx
	xchg %ecx, (%rdx)
	test %ecx, %ecx
	jz 2f
	push %rax
	mov $SYS_sched_yield, %eax
	syscall
	pop %rax
	jmp slow
2:	mov %rsp, %rsi
	mov %rax, %rdi
	lea native_stack + 16384(%rip), %rsp
	push %r9
	push %r9
	push %rsi
	push %rdi
	call native_find
	pop %rdi
	pop %rsi
	pop %r9
	pop %r9
	mov %rsi, %rsp
	mov native_page(%rip), %rcx
	movl $0, PAGE_LOCK(%rcx)
	mov %rax, %rcx
	mov %rdi, %rax
	test %rcx, %rcx
	jnz known
	push %rax
	mov $SYS_sched_yield, %eax /* another thread is about to make what this one needs */
	syscall
	pop %rax
	jmp slow
arch_native_find_end:
	.size arch_probe_entry, . - arch_probe_entry

/* void arch_native_call(u64 *resume, u64 next) */
	.type arch_native_call, @function
arch_native_call:
	push %rbx
	push %rbp
	push %r12
	push %r13
	push %r14
	push %r15
	sub $8, %rsp
	mov %rsp, (%rdi)
	test %rsi, %rsi
	jnz 1f
	mov %rsp, %rsi
1:	mov %rsi, CTX(CPU_HOST_SP)
	jmp to_guest
	.size arch_native_call, . - arch_native_call

/* void arch_native_back(u64 resume) */
	.type arch_native_back, @function
arch_native_back:
	mov %rdi, %rsp
	add $8, %rsp
	pop %r15
	pop %r14
	pop %r13
	pop %r12
	pop %rbp
	pop %rbx
	ret
	.size arch_native_back, . - arch_native_back

	.section .note.GNU-stack, "", @progbits
