/* SPDX-License-Identifier: Apache-2.0
 * IA-32 instructions that 64-bit code does not have, or has otherwise: all forms of push and pop, pusha, enter, leave,
 * flags on the stack, inc and dec of one byte, decimal arithmetic, absolute addresses, addresses that wrap, FS and GS,
 * strings, calls and returns with all operands. No libc. Writes a checksum of all results, and exits with 0. */
	.macro FOLD reg
	imul $31, sum, %ebp
	add \reg, %ebp
	mov %ebp, sum
	.endm

	.data
sum:	.long 1
var:	.long 0x11223344, 0x55667788
table:	.long leaf, leaf2
	.fill 300
text:	.ascii "................................"
copy:	.fill 64
digits:	.ascii "0123456789abcdef"
esp0:	.long 0

	.text
	.globl _start
_start:
	mov %esp, esp0
	/* pushes: registers, constants of all sizes, memory, the stack pointer itself */
	mov $0x12345678, %eax
	push %eax
	push $-2
	push $0x7abbccdd
	pushl var
	push %esp
	pop %ebx
	sub %esp, %ebx
	FOLD %ebx
	pushl 4(%esp)
	pop %ecx
	FOLD %ecx
	pop %ecx
	FOLD %ecx
	pop %ecx
	FOLD %ecx
	pop %ecx
	FOLD %ecx
	popl var+4
	mov var+4, %ecx
	FOLD %ecx
	pushw $0x1234
	pushw var
	pop %ecx
	FOLD %ecx
	push $0x44556677
	popl (%esp)          /* to where the stack pointer is after it */
	mov -4(%esp), %ecx
	FOLD %ecx
	mov esp0, %esp
	push %esp
	pop %esp
	mov esp0, %ecx
	sub %esp, %ecx
	FOLD %ecx
	/* pusha, popa, enter, leave */
	mov $1, %eax
	mov $2, %ebx
	mov $3, %ecx
	mov $4, %edx
	mov $5, %esi
	mov $6, %edi
	pusha
	mov $9, %eax
	mov $9, %edi
	movl $77, 16(%esp)   /* ebx */
	popa
	lea (%eax,%ebx,8), %ecx
	lea (%ecx,%edi,4), %ecx
	FOLD %ecx
	mov $0x100, %ebp
	enter $16, $0
	movl $5, -16(%ebp)
	mov (%ebp), %ecx
	leave
	FOLD %ecx
	mov esp0, %ecx
	sub %esp, %ecx
	FOLD %ecx
	/* flags */
	xor %eax, %eax
	stc
	pushf
	pop %ecx
	and $0x8d5, %ecx
	FOLD %ecx
	push $0x8d7
	popf
	pushf
	pop %ecx
	and $0x8d5, %ecx
	FOLD %ecx
	std
	pushf
	popf
	mov $text+31, %edi
	mov $digits+15, %esi
	mov $16, %ecx
	rep movsb
	cld
	FOLD %edi
	mov $0x7fffffff, %eax
	inc %eax
	pushf
	pop %ecx
	and $0x8d5, %ecx
	FOLD %ecx
	dec %eax
	dec %esp
	inc %esp
	FOLD %eax
	inc %cx
	FOLD %ecx
	/* decimal */
	mov $0x79, %al
	add $0x35, %al
	daa
	FOLD %eax
	mov $0x12, %al
	sub $0x35, %al
	das
	FOLD %eax
	mov $0x39, %ax
	add $0x38, %al
	aaa
	FOLD %eax
	mov $0x0205, %ax
	sub $9, %al
	aas
	FOLD %eax
	mov $123, %al
	aam
	FOLD %eax
	aad
	FOLD %eax
	stc
	.byte 0xd6           /* salc */
	FOLD %eax
	into
	.byte 0x82, 0xc0, 5  /* add $5,%al by its other name */
	FOLD %eax
	/* addresses: absolute, wrapping, moves of the accumulator */
	mov var, %eax
	FOLD %eax
	mov %eax, var+4
	mov var+5, %al
	FOLD %eax
	mov %al, var+6
	mov var+4, %ecx
	FOLD %ecx
	mov $0xfffffff0, %ebx
	lea var+16, %edx
	mov (%ebx,%edx), %ecx
	FOLD %ecx
	mov $-1, %esi
	mov var+4(,%esi,4), %ecx
	FOLD %ecx
	lea 0x10(%ebx,%ebx,2), %ecx
	FOLD %ecx
	mov $var, %ebx
	mov $4, %al
	xlat
	FOLD %eax
	/* segments */
	xor %ecx, %ecx
	mov %ds, %ecx
	FOLD %ecx
	mov %cs, %ecx
	FOLD %ecx
	push %es
	pop %ecx
	FOLD %ecx
	push %ds
	pop %es
	mov %fs, %ecx
	FOLD %ecx
	sub $16, %esp        /* set_thread_area, with a base in the middle of `table` */
	movl $-1, (%esp)
	movl $table+128, 4(%esp)
	movl $0xfffff, 8(%esp)
	movl $0x51, 12(%esp)
	mov $243, %eax
	mov %esp, %ebx
	int $0x80
	FOLD %eax
	mov (%esp), %eax
	lea 3(,%eax,8), %eax
	mov %eax, %gs
	mov %gs, %ecx
	FOLD %ecx
	movl $0xabcd, table+124
	mov %gs:-4, %ecx
	FOLD %ecx
	mov $-4, %esi
	mov %gs:(%esi), %ecx
	FOLD %ecx
	mov %gs:4(%esi,%esi), %ah
	FOLD %eax
	pushl %gs:(%esi)
	pop %ecx
	FOLD %ecx
	addl $5, %gs:-4
	xchg %ecx, %gs:(%esi)
	FOLD %ecx
	mov $2, %edi
	movd %gs:-8(%esi,%edi,4), %xmm1
	movd %xmm1, %ecx
	FOLD %ecx
	mov $1, %edi
	vmovd %gs:-4(%esi,%edi,4), %xmm1
	vmovd %xmm1, %ecx
	FOLD %ecx
	mov %esp, %esi       /* through the stack pointer */
	neg %esi
	mov %gs:-4(%esp,%esi), %ecx
	FOLD %ecx
	mov %esp, %ebx
	mov $-4, %esp
	mov %gs:(%esp), %ecx
	mov %ebx, %esp
	FOLD %ecx
	movl $leaf, %gs:16
	mov $20, %eax
	call *%gs:16
	FOLD %eax
	call *%gs:12(,%edi,4)
	FOLD %eax
	xor %ecx, %ecx
	mov %cx, %gs
	/* calls, jumps, returns */
	mov $5, %eax
	call leaf
	FOLD %eax
	mov $1, %ecx
	call *table(,%ecx,4)
	FOLD %eax
	mov $leaf2, %edx
	call *%edx
	FOLD %eax
	push $1
	push $2
	call pops
	FOLD %eax
	mov esp0, %ecx
	sub %esp, %ecx
	sub $16, %ecx
	FOLD %ecx
	mov $3, %ecx
1:	add %ecx, %eax
	loop 1b
	jecxz 2f
	ud2
2:	FOLD %eax
	mov $leaf3, %edx
	jmp *%edx
leaf3:
	/* strings of all sizes, and their results */
	mov $digits, %esi
	mov $copy, %edi
	mov $4, %ecx
	rep movsl
	movsw
	stosb
	mov $copy, %edi
	mov $'5', %al
	mov $16, %ecx
	repne scasb
	FOLD %ecx
	FOLD %edi
	mov $digits, %esi
	mov $copy, %edi
	mov $30, %ecx
	repe cmpsb
	FOLD %ecx
	/* other things with a memory operand and a register that has a high half */
	mov $0x1234, %ebx
	mov %bh, var
	add var, %bl
	FOLD %ebx
	bts %ebx, copy
	cmpxchg8b var
	FOLD %eax
	movzbl var+1, %ecx
	FOLD %ecx
	shld $5, %eax, var
	mov var, %ecx
	FOLD %ecx
	fldpi
	fistpl var
	mov var, %ecx
	FOLD %ecx
	crc32b var, %ecx
	FOLD %ecx
	/* writes the sum */
	mov sum, %eax
	mov $copy+16, %edi
3:	dec %edi
	mov %eax, %ebx
	and $15, %ebx
	mov digits(%ebx), %bl
	mov %bl, (%edi)
	shr $4, %eax
	jnz 3b
	movb $'\n', copy+16
	mov $4, %eax
	mov $1, %ebx
	mov %edi, %ecx
	mov $copy+17, %edx
	sub %edi, %edx
	int $0x80
	mov $1, %eax
	xor %ebx, %ebx
	int $0x80
leaf:
	add $7, %eax
	ret
leaf2:
	imul $3, %eax, %eax
	ret
pops:
	mov 4(%esp), %eax
	sub 8(%esp), %eax
	ret $8
	.section .note.GNU-stack, "", @progbits
