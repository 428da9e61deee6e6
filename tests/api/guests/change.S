// SPDX-License-Identifier: Apache-2.0
// The tool deletes instructions and inserts jumps; the guest's status says which of its checks failed.
	.globl _start
	.text
	.macro check reg value
	inc %ebp
	movabs $\value, %r9
	cmp %r9, \reg
	jne bad
	.endm
_start:
	lea stack_top(%rip), %rsp
	xor %ebp, %ebp
	mov $5, %eax
at_delete:
	add $1, %eax /* gone */
	check %rax 5
at_delete_jmp:
	jmp bad /* gone */
	cmp %eax, %eax
at_delete_jcc:
	je bad /* gone */
	inc %ebp
	mov $10, %ebx
at_jump_before:
	inc %ebx /* a jump to at_target1 in front of it */
	jmp bad
at_target1:
	check %rbx 10
at_jump_after:
	inc %ebx /* a jump to at_target2 behind it */
	jmp bad
at_target2:
	check %rbx 11
	mov $7, %eax
	mov $8, %ecx
at_indirect:
	jmp bad /* gone; calls give G0 = at_target3, then jmp *G0 */
at_target3:
	check %rax 7
	check %rcx 8
	lea at_target4(%rip), %rcx
at_indirect_app:
	jmp bad /* gone; jmp *%rcx */
at_target4:
	mov %rcx, %rdx
	lea at_target4(%rip), %r10
	sub %r10, %rdx
	check %rdx 0
	lea at_target5(%rip), %rax
at_indirect_rax:
	nop /* behind it jmp *%rax */
	jmp bad
at_target5:
	mov %rsp, %r14
	call f
	sub %rsp, %r14
	check %r14 0
	mov $39, %eax
at_syscall:
	syscall /* gone: the tool sets rax */
	check %rax 4242
	mov $5, %ecx
1:
at_count:
	dec %ecx /* G2 counts */
	jnz 1b
	movabs $0x1112131415161718, %rax
	mov %rax, %rcx
	mov %rax, %rdx
	mov %rax, %rbx
at_parts:
	nop /* ax, ch, edx, rbx are returned 0xffff...a1, ...a2, ...a3, ...a4 */
	check %rax 0x111213141516ffa1
	check %rcx 0x111213141516a218
	check %rdx 0xffffffa3
	check %rbx 0xffffffffffffffa4
	cmp %eax, %eax
at_flags:
	nop /* flags with carry and without zero are returned */
	inc %ebp
	jnc bad
	jz bad
at_list:
	nop
	mov $3, %ecx
	lea text(%rip), %rsi
	lea copy(%rip), %rdi
at_rep:
	rep movsb /* gone */
	check %rcx 3
at_last_jmp:
	jmp bad /* gone, the last of its trace */
	mov $0, %edi
out:	mov $60, %eax
	syscall
bad:	mov %ebp, %edi
	jmp out
f:
at_ret:	ret /* gone: the tool pops */
	jmp bad
	.data
text:	.ascii "abc"
	.bss
copy:	.skip 8
	.balign 4096
stack:	.skip 4096
stack_top: .skip 8
//> change
//= claimed 30 from inst_g0 to inst_g29, then *invalid*
//= after at_jump_after
//= ret to at_target5+8
//= taken, though deleted f
//= count 1
//= count 2
//= count 3
//= count 4
//= count 5
//= after the loop 5, narrow 0x1
//= list 1 0x2 at_list 3
//= list 1 0x2 at_list 4
//= before rep 3
//= after rep 3
