/* SPDX-License-Identifier: Apache-2.0
 * Into and out of the code cache (E3), copies that may fault, the gate for system calls made from host code.
 * Between vm_enter_begin and vm_enter_end the guest's state is still whole in the context. tp is never changed. */
#include "arch/riscv64/cpu_offsets.h"

#define FRAME 224

	.macro context reg
	lui \reg, %tprel_hi(vm_tc)
	add \reg, \reg, tp, %tprel_add(vm_tc)
	addi \reg, \reg, %tprel_lo(vm_tc)
	.endm

/* The registers that neither the context's base (t6) nor the way in (t0) needs, and not tp. */
	.macro guest_registers op
	\op ra, CPU_GPR+1*8(t6)
	\op gp, CPU_GPR+3*8(t6)
	.irp n, 6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
	\op x\n, CPU_GPR+\n*8(t6)
	.endr
	.endm

	.macro fp_registers op
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	\op f\n, CPU_FPR+\n*8(t6)
	.endr
	.endm

	.macro host_registers op, fop
	\op ra, 0(sp)
	\op gp, 8(sp)
	\op s0, 16(sp)
	\op s1, 24(sp)
	\op s2, 32(sp)
	\op s3, 40(sp)
	\op s4, 48(sp)
	\op s5, 56(sp)
	\op s6, 64(sp)
	\op s7, 72(sp)
	\op s8, 80(sp)
	\op s9, 88(sp)
	\op s10, 96(sp)
	\op s11, 104(sp)
	\fop fs0, 112(sp)
	\fop fs1, 120(sp)
	\fop fs2, 128(sp)
	\fop fs3, 136(sp)
	\fop fs4, 144(sp)
	\fop fs5, 152(sp)
	\fop fs6, 160(sp)
	\fop fs7, 168(sp)
	\fop fs8, 176(sp)
	\fop fs9, 184(sp)
	\fop fs10, 192(sp)
	\fop fs11, 200(sp)
	.endm

	.option norvc
	.text
	.globl vm_enter, vm_enter_begin, vm_enter_end, vm_exit, vm_resume
	.type vm_enter, @function
vm_enter:
	addi sp, sp, -FRAME
	host_registers sd, fsd
	context t6
	sd sp, CPU_HOST_SP(t6)
vm_enter_begin:
	lui t0, %tprel_hi(vm_tc + TC_PENDING)
	add t0, t0, tp, %tprel_add(vm_tc + TC_PENDING)
	lbu t0, %tprel_lo(vm_tc + TC_PENDING)(t0) /* came since the dispatcher looked: from here on the handler redirects */
	bnez t0, vm_resume
	ld t0, CPU_FCSR(t6)
	fscsr t0
	fp_registers fld
	guest_registers ld
	ld sp, CPU_GPR+2*8(t6)
	ld t0, CPU_ENTER(t6)
	ld t6, CPU_GPR+31*8(t6)
	jr t0 /* the guest's is in its slot (arch_enter_cache) */
vm_enter_end:

/* t0: the number of the exit; the guest's t0 and t1 are in their slots. */
vm_exit:
	context t1
	sd t0, CPU_EXIT_ID(t1)
	sd t6, CPU_GPR+31*8(t1)
	mv t6, t1
	ld t0, CPU_SLOT(t6)
	sd t0, CPU_GPR+5*8(t6)
	ld t1, CPU_SLOT+8(t6)
	guest_registers sd
	sd sp, CPU_GPR+2*8(t6)
	fp_registers fsd
	frcsr t0
	sd t0, CPU_FCSR(t6)
	ld sp, CPU_HOST_SP(t6)
	j leave_cache

/* From a signal handler: the state is in the context already. */
vm_resume:
	context t6
	li t0, EXIT_RESUME
	sd t0, CPU_EXIT_ID(t6)
leave_cache:
	fscsr zero
	host_registers ld, fld
	addi sp, sp, FRAME
	ret
	.size vm_enter, . - vm_enter

/* size_t arch_fault_copy(void *dst, const void *src, size_t bytes): bytes copied. a2: the rest. */
	.globl arch_fault_copy, safe_copy_begin, safe_copy_landing
	.type arch_fault_copy, @function
arch_fault_copy:
	mv a3, a2
	or t0, a0, a1
	andi t0, t0, 7
	bnez t0, 2f
	li t1, 8
safe_copy_begin:
1:	bltu a2, t1, 2f
	ld t0, 0(a1)
	sd t0, 0(a0)
	addi a1, a1, 8
	addi a0, a0, 8
	addi a2, a2, -8
	j 1b
2:	beqz a2, safe_copy_landing
	lbu t0, 0(a1)
	sb t0, 0(a0)
	addi a1, a1, 1
	addi a0, a0, 1
	addi a2, a2, -1
	j 2b
safe_copy_landing:
	sub a0, a3, a2
	ret
	.size arch_fault_copy, . - arch_fault_copy

/* s64 arch_gate_syscall(u64 nr, const u64 args[6]) */
	.globl arch_gate_syscall, host_gate_begin, host_gate_call, host_gate_after, host_gate_abort
	.type arch_gate_syscall, @function
arch_gate_syscall:
	mv a7, a0
	mv t0, a1
	ld a0, 0(t0)
	ld a1, 8(t0)
	ld a2, 16(t0)
	ld a3, 24(t0)
	ld a4, 32(t0)
	ld a5, 40(t0)
host_gate_begin:
	lui t0, %tprel_hi(vm_tc + TC_PENDING)
	add t0, t0, tp, %tprel_add(vm_tc + TC_PENDING)
	lbu t0, %tprel_lo(vm_tc + TC_PENDING)(t0)
	bnez t0, host_gate_abort
host_gate_call:
	ecall
host_gate_after:
	ret
host_gate_abort:
	li a0, -512
	ret
	.size arch_gate_syscall, . - arch_gate_syscall

/* s64 arch_raw_syscall(nr, a, b, c, d, e, f) */
	.globl arch_raw_syscall
	.type arch_raw_syscall, @function
arch_raw_syscall:
	mv t0, a0
	mv a0, a1
	mv a1, a2
	mv a2, a3
	mv a3, a4
	mv a4, a5
	mv a5, a6
	mv a7, t0
	ecall
	ret
	.size arch_raw_syscall, . - arch_raw_syscall

/* void arch_call_on_stack(u64 sp, void (*fn)(void *), void *arg) */
	.globl arch_call_on_stack
	.type arch_call_on_stack, @function
arch_call_on_stack:
	addi sp, sp, -16
	sd ra, 0(sp)
	sd s0, 8(sp)
	mv s0, sp
	mv sp, a0
	mv a0, a2
	jalr a1
	mv sp, s0
	ld ra, 0(sp)
	ld s0, 8(sp)
	addi sp, sp, 16
	ret
	.size arch_call_on_stack, . - arch_call_on_stack

	.globl arch_trap, arch_trap_after
	.type arch_trap, @function
arch_trap:
	ebreak
arch_trap_after:
	ret
	.size arch_trap, . - arch_trap
	.section .note.GNU-stack, "", @progbits
