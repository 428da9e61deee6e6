// SPDX-License-Identifier: Apache-2.0
// Accesses to a table that the tool has translated to another one; and what is in memory and on the stack. The jumps go through the table as it is: only what tools are told is translated, but for the far
// return, which the engine carries out itself.
	.globl _start, at_table, at_other
	.text
_start:
	lea stack_top(%rip), %rsp
	lea at_table(%rip), %rbx
	push $5
	xor %r12d, %r12d
at_first:
	mov 8(%rbx), %rax
	mov %ax, 10(%rbx)
	addl $1, 16(%rbx)
	lock incb 24(%rbx)
	prefetcht0 32(%rbx)
	movups 32(%rbx), %xmm0
	lea 8(%rbx), %rsi
	lea 16(%rbx), %rdi
	cmpsb
	mov at_table+13, %al
	jmp *40(%rbx)
1:	call *48(%rbx)
at_last:
	mov %rbx, %rsp
	add $56, %rsp
	lretq
2:	mov $3, %r12d /* the table's own far pointer, where nothing is translated */
	jmp 4f
3:	mov $2, %r12d /* the other table's */
4:	lea stack_top(%rip), %rsp
	push $9
at_stack:
	push $11
	pop %rdi
	add %r12d, %edi
	mov $231, %eax
	syscall
6:	ret
	.data
	.balign 16
at_table:
	.quad 0x1000, 0x1001, 0x1002, 0x1003, 0x1004, 1b, 6b, 2b, 0x33
at_other:
	.quad 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 3b, 4b, 3b, 0x33
	.skip 8192
stack_top:
//> translate status=79
//= at_first: load at_table+8, 8 bytes
//=   read: at_table+8 is at_other+8
//= at_first+4: store at_table+10, 2 bytes
//=   write: at_table+10 is at_other+10
//= at_first+8: load at_table+16, 4 bytes rmw
//=   read: at_table+16 is at_other+16
//= at_first+8: store at_table+16, 4 bytes rmw
//=   write: at_table+16 is at_other+16
//= at_first+12: load at_table+24, 1 bytes atomic rmw
//=   read: at_table+24 is at_other+24
//= at_first+12: store at_table+24, 1 bytes atomic rmw
//=   write: at_table+24 is at_other+24
//= at_first+16: load at_table+32, 64 bytes prefetch
//=   read: at_table+32 is at_other+32
//= at_first+20: load at_table+32, 16 bytes
//=   read: at_table+32 is at_other+32
//= at_first+32: load at_table+8, 1 bytes
//=   read: at_table+8 is at_other+8
//= at_first+32: load at_table+16, 1 bytes
//=   read2: at_table+16 is at_other+16
//= at_first+33: load at_table+13, 1 bytes
//=   read: at_table+13 is at_other+13
//= at_first+40: load at_table+40, 8 bytes of the engine
//=   target at_last+17
//= at_first+43: load at_table+48, 8 bytes of the engine
//=   target at_last+23
//= at_last+7: load at_table+56, 8 bytes of the engine
//= at_last+7: load at_table+64, 8 bytes of the engine
//=   stack 0xb
//= status 79
//> translate status=80 values=1
//=   memory 0x1001 at at_table+8, stack 0x5
//=   memory 0x0 at at_table+10, stack 0x5
//=   memory 0x1002 at at_table+16, stack 0x5
//=   memory 0x3 at at_table+24, stack 0x5
//=   memory 0x1004 at at_table+32, stack 0x5
//=   memory 0x1004 at at_table+32, stack 0x5
//=   memory 0x1 at at_table+8, stack 0x5
//=   memory 0x0 at at_table+13, stack 0x5
//=   memory at_first+43 at at_table+40, stack 0x5
//=   memory at_stack+13 at at_table+48, stack 0x5
//=   stack 0xb
//= status 80
