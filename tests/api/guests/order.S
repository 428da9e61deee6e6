// SPDX-License-Identifier: Apache-2.0
// One instruction with many calls, a loop for conditional calls, cmov, fcmov and rep for predicated ones.
	.globl _start
	.text
_start:
	lea stack_top(%rip), %rsp
at_order:
	mov $6, %eax
loop:
at_if:	dec %eax
	jnz loop
	mov $7, %eax
	cmp $8, %eax
at_two:	lea 1(%rax), %rcx
	jnc cmovz_not
	mov $1, %edx
	test %edx, %edx
cmovz_not:
	cmovz %edx, %eax
cmovnz_yes:
	cmovnz %edx, %eax
	lea stack(%rip), %rdi
	mov $0, %ecx
rep_zero:
	rep stosb
	mov $3, %ecx
rep_three:
	rep stosb
	mov $2, %ecx
	lea stack(%rip), %rsi
rep_gs:
	rep lodsb %gs:(%rsi)
	fld1
	fldz
	test %edx, %edx
fcmovb_not:
	fcmovb %st(1), %st
fcmovnb_yes:
	fcmovnb %st(1), %st
	movabs $0x100000000, %rcx
rep_narrow:			// by ecx, which is 0
	addr32 rep stosb
	mov %ecx, %edi
	mov $60, %eax
	syscall
	.bss
	.balign 4096
stack:	.skip 4096
stack_top: .skip 8
//> order
//= before first - 1
//= before first
//= before default 0, of the trace function
//= before default 1
//= before default 2
//= before default 3, of the second function
//= before default + 1
//= before last
//= after first
//= after last
//= if rax 0x6
//= by 3 rax 0x6
//= if rax 0x5
//= by 4 rax 0x4
//= if rax 0x4
//= if rax 0x3
//= by 3 rax 0x3
//= if rax 0x2
//= if rax 0x1
//= first bit rax 0x7
//= next bit rax 0x7
//= next bit rax 0x7
//= cmovz_not does not execute
//= cmovnz_yes executes
//= cmovnz_yes predicated
//= rep_zero does not execute
//= rep_three executes
//= rep_three predicated
//= rep_three executes
//= rep_three predicated
//= rep_three executes
//= rep_three predicated
//= rep_gs executes
//= rep_gs predicated
//= rep_gs executes
//= rep_gs predicated
//= fcmovb_not does not execute
//= fcmovnb_yes executes
//= fcmovnb_yes predicated
//= rep_narrow does not execute
