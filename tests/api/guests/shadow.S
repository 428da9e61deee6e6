// SPDX-License-Identifier: Apache-2.0
// Memory that is not there: the tool gives every access to [VIRTUAL, +64K) the address in `at_shadow` instead. Even the stack is there. The guest's status says which of its checks failed.
// counts: no
	.set VIRTUAL, 0x30000000
	.globl _start
	.text
	.macro check reg value
	inc %r15d
	movabs $\value, %r14
	cmp %r14, \reg
	jne bad
	.endm
_start:
	lea real_top(%rip), %rsp
	xor %r15d, %r15d
	mov $158, %eax /* arch_prctl(ARCH_SET_FS): operands through fs: too */
	mov $0x1002, %edi
	mov $VIRTUAL+0x2000, %esi
	syscall
	mov $158, %eax
	mov $0x1001, %edi
	mov $VIRTUAL+0x3000, %esi
	syscall
	mov $VIRTUAL, %ebx
	mov $2, %ecx
at_first:
	movabs $0x1122334455667788, %rax
	mov %rax, (%rbx)
	mov 4(%rbx), %eax
	check %rax 0x11223344
	movb $0x99, 7(%rbx)
	mov -1(%rbx,%rcx,4), %dl
	movzbl %dl, %edx
	check %rdx 0x99
	mov $0xab, %eax
	mov %ah, 1(%rbx)         /* high byte registers: no extension bit */
	xchg %bh, (%rbx)         /* rbx is base and operand */
	mov $VIRTUAL, %ebx
	mov (%rbx), %rax
	check %rax 0x9922334455660000
	addq $5, (%rbx)
	lock xadd %rcx, (%rbx)
	check %rcx 0x9922334455660005
	mov (%rbx), %rax
	check %rax 0x9922334455660007
	mov VIRTUAL, %rax        /* no base */
	check %rax 0x9922334455660007
	movabs VIRTUAL, %rax     /* the address in the encoding */
	check %rax 0x9922334455660007
	mov $0x55, %al
	movabs %al, VIRTUAL+9
	movabs %eax, VIRTUAL+16
	movabs %ax, VIRTUAL+24
	movzbl 9(%ebx), %edx     /* 32-bit address */
	check %rdx 0x55
	movzwl 24(%rbx), %edx
	check %rdx 0x55
	mov $0x77, %eax
	mov %rax, %fs:8
	mov %rax, %gs:16
	incq %fs:8
	mov $VIRTUAL+0x2000, %edx
	mov 8(%rdx), %rax
	check %rax 0x78
	mov $VIRTUAL+0x3000, %edx
	mov 16(%rdx), %rax
	check %rax 0x77
	movdqu (%rbx), %xmm1     /* vectors, legacy and VEX, two and three bytes */
	vmovdqu %xmm1, 0x40(%rbx)
	vmovdqu %xmm1, %xmm9
	mov $VIRTUAL+0x80, %r9d
	vmovdqu %xmm9, (%r9)
	mov (%r9), %rax
	check %rax 0x9922334455660007
	mov $5, %ecx
	andn (%r9), %rcx, %rax   /* VEX with a general register */
	check %rax 0x9922334455660002
	mov $0x1234, %eax
	cmpxchg %rcx, (%r9)
	check %rax 0x9922334455660007
	mov $1, %edx
	mov $0, %ecx
	mov $3, %ebp
	mov (%r9), %eax
	mov 4(%r9), %edx
	mov $0x10, %ecx
	push %rbx
	mov $0x20, %ebx
	cmpxchg8b (%r9)
	pop %rbx
	mov (%r9), %rax
	check %rax 0x1000000020
	/* the stack */
	mov $VIRTUAL+0x8000, %esp
	mov $0x1111, %eax
	push %rax
	push $-5
	pushq (%r9)
	push %rsp
	pushw %ax
	pop %cx
	check %rcx 0x1111
	pop %rdx
	check %rdx VIRTUAL+0x7fe8
	pop 0x20(%r9)
	mov 0x20(%r9), %rdx
	check %rdx 0x1000000020
	pop %rdx
	check %rdx -5
	pop (%rsp)
	mov (%rsp), %rdx
	check %rdx 0x1111
	check %rsp VIRTUAL+0x8000
	stc
	pushfq
	clc
	popfq
	inc %r15d
	jnc bad
	pushfq
	pop %rdx
	and $0x101, %edx
	check %rdx 1
	push $0x246
	popfw
	lea 6(%rsp), %rsp
	lea 1(%r15), %r15d
	jnz bad
	call f
	check %rax 0x4242
	lea f(%rip), %rdx
	mov %rdx, 0x30(%rbx)
	mov $0, %eax
	call *0x30(%rbx)
	check %rax 0x4242
	mov $0, %eax
	call *%rdx
	check %rax 0x4242
	mov $6, %ecx
	push $7
	call g                   /* ret $8 */
	check %rsp VIRTUAL+0x8000
	lea 1f(%rip), %rdx
	mov %rdx, 0x38(%rbx)
	mov $1, %eax
	mov $2, %ecx
	jmp *0x38(%rbx)
1:	check %rax 1
	check %rcx 2
	mov $77, %ebp
	enter $24, $0
	check %rsp VIRTUAL+0x7fe0
	check %rbp VIRTUAL+0x7ff8
	leave
	check %rbp 77
	check %rsp VIRTUAL+0x8000
	push %fs
	pop %rdx
	check %rdx 0
	/* strings */
	mov $0x0807060504030201, %rax
	mov %rax, 0x200(%rbx)
	mov $VIRTUAL+0x200, %esi
	mov $VIRTUAL+0x204, %edi
	movsq                    /* overlaps itself */
	check %rsi VIRTUAL+0x208
	check %rdi VIRTUAL+0x20c
	mov 0x204(%rbx), %rax
	check %rax 0x0807060504030201
	std
	mov $VIRTUAL+0x300, %edi
	mov $0x5a, %al
	stosb
	cld
	check %rdi VIRTUAL+0x2ff
	mov 0x300(%rbx), %dl
	movzbl %dl, %edx
	check %rdx 0x5a
	mov $VIRTUAL+0x200, %esi
	lodsl
	check %rax 0x04030201
	check %rsi VIRTUAL+0x204
	mov $VIRTUAL+0x200, %esi
	mov $VIRTUAL+0x400, %edi
	mov $20, %ecx
	rep movsb
	check %rcx 0
	check %rdi VIRTUAL+0x414
	mov 0x408(%rbx), %eax
	check %rax 0x08070605
	mov $VIRTUAL+0x200, %esi
	mov $VIRTUAL+0x400, %edi
	movb $0, 0x40a(%rbx)
	mov $20, %ecx
	repe cmpsb
	check %rcx 9
	check %rsi VIRTUAL+0x20b
	mov $VIRTUAL+0x400, %edi
	mov $-1, %ecx
	mov $4, %al
	repne scasb
	check %rdi VIRTUAL+0x404
	mov $VIRTUAL+0x500, %edi
	mov $0, %ecx
	rep stosq
	check %rdi VIRTUAL+0x500
	movabs $0xffffffff00000000+VIRTUAL+0x200, %rsi
	movabs $0xffffffff00000000+VIRTUAL+0x600, %rdi
	addr32 movsl             /* 32-bit pointers: their upper halves are cleared */
	check %rsi VIRTUAL+0x204
	check %rdi VIRTUAL+0x604
	mov 0x600(%rbx), %eax
	check %rax 0x04030201
	mov $-0x1e00, %rsi
	mov $VIRTUAL+0x700, %edi
	movsb %fs:(%rsi), %es:(%rdi)
	mov 0x700(%rbx), %dl
	movzbl %dl, %edx
	check %rdx 1
	/* the rest */
	mov $VIRTUAL+0x200, %ebx
	mov $2, %al
	xlat
	movzbl %al, %eax
	check %rax 3
	pcmpeqd %xmm2, %xmm2
	mov $VIRTUAL+0x800, %edi
	maskmovdqu %xmm2, %xmm9
	mov $VIRTUAL, %ebx
	mov 0x800(%rbx), %rax
	check %rax 0x9922334455660007
	check %rdi VIRTUAL+0x800
	fld1
	fstpt 0x900(%rbx)
	fldt 0x900(%rbx)
	fistpl 0x910(%rbx)
	fxsave 0x1000(%rbx)
	mov 0x1000(%rbx), %ax
	movzwl %ax, %eax
	check %rax 0x37f
	fnstenv 0xa00(%rbx)
	mov 0xa00(%rbx), %ax
	movzwl %ax, %eax
	check %rax 0x37f
	xor %ecx, %ecx
	cmovz 0x910(%rbx), %ecx
	check %rcx 1
at_last:
	mov $0, %edi
	mov %r15d, %edx
	cmp $59, %edx
	je out
	mov $255, %edi
out:	mov $60, %eax
	syscall
f:	mov $0x4242, %eax
	ret
g:	ret $8
bad:	mov %r15d, %edi
	jmp out
	.bss
	.balign 4096
at_shadow: .skip 65536
	.skip 4096
real_top: .skip 8
//> shadow
//= after: at_shadow+32744 at_shadow+160
//> shadow app=1
//= after: at_shadow+32744 at_shadow+160
