// SPDX-License-Identifier: Apache-2.0
// Conditional branches of every condition, taken and not; loops; all kinds of jumps, calls and returns. Flags and registers are checked on both ways.
	.globl _start
	.text
_start:
	lea stack_top(%rip), %rsp
	lea table(%rip), %rbx
	xor %ecx, %ecx
at_first:
	xor %eax, %eax /* ZF PF, no CF SF OF */
	jz t1
	ud2
t1:	jnz bad
	jc bad
	jnc t2
	ud2
t2:	js bad
	jo bad
	jp t3
	ud2
t3:	jg bad
	jle t4
	ud2
t4:	ja bad
	stc
	jbe t5
	ud2
t5:	jc t6 /* CF survives the calls */
	ud2
t6:	mov $2, %ecx
l1:	loop l1
	jrcxz t7
	ud2
t7:	mov $3, %ecx
	cmp %eax, %eax
	loopne bad
	loope t8
	ud2
t8:	jmp t9
	ud2
t9:	lea t10(%rip), %rax
	jmp *%rax
	ud2
t10:	jmp *(%rbx)
	ud2
t11:	call f
after1:	call *8(%rbx)
after2:	lea f(%rip), %r11
	call *%r11
after3:	push %rax
	call g
after4:	jmp end
end:
	mov $0, %edi
out:	mov $60, %eax
	syscall
bad:	mov $1, %edi
	jmp out
	.section .text.f, "ax"
f:	ret
g:	ret $8
at_last:
	nop
	.data
	.balign 4096
table:	.quad t11, f
	.bss
	.balign 4096
stack:	.skip 4096
stack_top: .skip 8
//> branch
//= JZ at_first+2: taken t1, else at_first+4
//=   taken at_first+2 to t1, rip t1, rcx 0x0
//= JNZ t1: not taken bad, else t1+2
//=   after t1, rip t1+2, rcx 0x0
//= JB t1+2: not taken bad, else t1+4
//=   after t1+2, rip t1+4, rcx 0x0
//= JNB t1+4: taken t2, else t1+6
//=   taken t1+4 to t2, rip t2, rcx 0x0
//= JS t2: not taken bad, else t2+2
//=   after t2, rip t2+2, rcx 0x0
//= JO t2+2: not taken bad, else t2+4
//=   after t2+2, rip t2+4, rcx 0x0
//= JP t2+4: taken t3, else t2+6
//=   taken t2+4 to t3, rip t3, rcx 0x0
//= JNLE t3: not taken bad, else t3+2
//=   after t3, rip t3+2, rcx 0x0
//= JLE t3+2: taken t4, else t3+4
//=   taken t3+2 to t4, rip t4, rcx 0x0
//= JNBE t4: not taken bad, else t4+2
//=   after t4, rip t4+2, rcx 0x0
//= JBE t4+3: taken t5, else t4+5
//=   taken t4+3 to t5, rip t5, rcx 0x0
//= JB t5: taken t6, else t5+2
//=   taken t5 to t6, rip t6, rcx 0x0
//= LOOP l1: taken l1, else l1+2
//=   taken l1 to l1, rip l1, rcx 0x1
//= LOOP l1: not taken l1, else l1+2
//=   after l1, rip l1+2, rcx 0x0
//= JRCXZ l1+2: taken t7, else l1+4
//=   taken l1+2 to t7, rip t7, rcx 0x0
//= LOOPNE t7+7: not taken bad, else t7+9
//=   after t7+7, rip t7+9, rcx 0x2
//= LOOPE t7+9: taken t8, else t7+11
//=   taken t7+9 to t8, rip t8, rcx 0x1
//= JMP t8: taken t9, else t8+2
//=   taken t8 to t9, rip t9, rcx 0x1
//= JMP t9+7: taken t10, else t9+9
//=   taken t9+7 to t10, rip t10, rcx 0x1
//= JMP t10: taken t11, else t10+2
//=   taken t10 to t11, rip t11, rcx 0x1
//= CALL_NEAR t11: taken f, else after1
//=   taken t11 to f, rip f, rcx 0x1
//= RET_NEAR f: taken after1, else g
//=   taken f to after1, rip after1, rcx 0x1
//= CALL_NEAR after1: taken f, else after2
//=   taken after1 to f, rip f, rcx 0x1
//= RET_NEAR f: taken after2, else g
//=   taken f to after2, rip after2, rcx 0x1
//= CALL_NEAR after2+7: taken f, else after3
//=   taken after2+7 to f, rip f, rcx 0x1
//= RET_NEAR f: taken after3, else g
//=   taken f to after3, rip after3, rcx 0x1
//= CALL_NEAR after3+1: taken g, else after4
//=   taken after3+1 to g, rip g, rcx 0x1
//= RET_NEAR g: taken after4, else at_last
//=   taken g to after4, rip after4, rcx 0x1
//= JMP after4: taken end, else end
//=   taken after4 to end, rip end, rcx 0x1
//> branch leaf=1
//= 21 taken, 8 fell through
