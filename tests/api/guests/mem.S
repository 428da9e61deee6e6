// SPDX-License-Identifier: Apache-2.0
// All addressing forms and implicit accesses.
	.globl _start
	.text
_start:
	lea stack_top(%rip), %rsp
	mov $158, %eax /* arch_prctl(ARCH_SET_FS, tls) */
	mov $0x1002, %edi
	lea tls(%rip), %rsi
	syscall
	mov $158, %eax /* arch_prctl(ARCH_SET_GS, tls2) */
	mov $0x1001, %edi
	lea tls2(%rip), %rsi
	syscall
	lea data(%rip), %rax
	lea data+64(%rip), %rbx
	mov $2, %ecx
	mov $3, %r11d
	lea data+128(%rip), %r12
	lea data+192(%rip), %r13
	mov %rsp, %rbp
	mov $-1, %r10
at_first:
	mov (%rax), %dl
	mov 8(%rax), %dx
	mov -8(%rbx), %edx
	mov (%rax,%rcx), %rdx
	mov 4(%rax,%rcx,2), %rdx
	mov 16(%rbx,%r11,8), %rdx
	mov (%r12), %rdx
	mov (%r13), %rdx
	mov 0x100(%rax,%r10,4), %rdx
	mov data(,%rcx,4), %rdx
	mov data+24, %edx
	mov data+32(%rip), %rdx
	mov (%eax), %edx
	mov -16(%rbp), %rdx
	mov 8(%rsp), %rdx
	mov -8(%rsp,%rcx,8), %rdx
	mov %fs:16, %rdx
	mov %fs:8(%rcx), %rdx
	mov %gs:24, %rdx
	mov %dl, 40(%rax)
	movw $5, 42(%rax)
	add %rdx, 48(%rax)
	addl $1, 56(%rax)
	cmpq $0, 64(%rax)
	xchg %rdx, 72(%rax)
	lock xadd %edx, 80(%rax)
	movdqu (%rbx), %xmm0
	movups %xmm0, 16(%rbx)
	movsd 32(%rbx), %xmm1
	lea 8(%rax), %rdx
	push %rax
	push 8(%rax)
	pushq $5
	pop %rdx
	pop 16(%rax)
	pop %rdx
	pushfq
	popfq
	push %rsp
	pop %rsp
	call f
	lea data(%rip), %rsi
	lea data+64(%rip), %rdi
	movsb
	movsq
	stosl
	lodsw
	scasb
	cmpsl
	mov $3, %ecx
	rep movsb
	mov $0, %ecx
	rep stosq
	enter $16, $0
	leave
	lea target(%rip), %rdx
	mov %rdx, data+256(%rip)
	lea data+256(%rip), %rax
	jmp *(%rax)
target:
	lea f(%rip), %rdx
	mov %rdx, (%rax)
	call *(%rax)
	lea data(%rip), %rbx
	mov $5, %al
	xlat
	cmpxchg %rcx, data(%rip)
	nop
at_last:
	mov $0, %edi
	mov $60, %eax
	syscall
f:	cmpq $0, data+256(%rip)
	ret
	.data
	.balign 4096
data:	.skip 512
tls:	.skip 64
tls2:	.skip 64
	.bss
	.balign 4096
stack:	.skip 4096
stack_top: .skip 64
//> mem
//= MOV: op 0 R data 1
//=   read data 1
//= MOV: op 0 R data+8 2
//=   read data+8 2
//= MOV: op 0 R data+56 4
//=   read data+56 4
//= MOV: op 0 R data+2 8
//=   read data+2 8
//= MOV: op 0 R data+8 8
//=   read data+8 8
//= MOV: op 0 R data+104 8
//=   read data+104 8
//= MOV: op 0 R data+128 8
//=   read data+128 8
//= MOV: op 0 R data+192 8
//=   read data+192 8
//= MOV: op 0 R data+252 8
//=   read data+252 8
//= MOV: op 0 R data+8 8
//=   read data+8 8
//= MOV: op 0 R data+24 4
//=   read data+24 4
//= MOV: op 0 R data+32 8
//=   read data+32 8
//= MOV: op 0 R data 4
//=   read data 4
//= MOV: op 0 R stack+4080 8
//=   read stack+4080 8
//= MOV: op 0 R stack_top+8 8
//=   read stack_top+8 8
//= MOV: op 0 R stack_top+8 8
//=   read stack_top+8 8
//= MOV: op 0 R tls+16 8
//=   read tls+16 8
//= MOV: op 0 R tls+10 8
//=   read tls+10 8
//= MOV: op 0 R tls2+24 8
//=   read tls2+24 8
//= MOV: op 0 W data+40 1
//=   write data+40 1
//= MOV: op 0 W data+42 2
//=   write data+42 2
//= ADD: op 0 RW data+48 8
//=   read data+48 8
//=   write data+48 8
//= ADD: op 0 RW data+56 4
//=   read data+56 4
//=   write data+56 4
//= CMP: op 0 R data+64 8
//=   read data+64 8
//= XCHG: op 0 RW data+72 8
//=   read data+72 8
//=   write data+72 8
//= XADD_LOCK: op 0 RW data+80 4
//=   read data+80 4
//=   write data+80 4
//= MOVDQU: op 0 R data+64 16
//=   read data+64 16
//= MOVUPS: op 0 W data+80 16
//=   write data+80 16
//= MOVSD_XMM: op 0 R data+96 8
//=   read data+96 8
//= PUSH: op 0 W stack+4088 8
//=   write stack+4088 8
//= PUSH: op 0 R data+8 8
//= PUSH: op 1 W stack+4080 8
//=   read data+8 8
//=   write stack+4080 8
//= PUSH: op 0 W stack+4072 8
//=   write stack+4072 8
//= POP: op 0 R stack+4072 8
//=   read stack+4072 8
//= POP: op 0 W data+16 8
//= POP: op 1 R stack+4080 8
//=   read stack+4080 8
//=   write data+16 8
//= POP: op 0 R stack+4088 8
//=   read stack+4088 8
//= PUSHFQ: op 0 W stack+4088 8
//=   write stack+4088 8
//= POPFQ: op 0 R stack+4088 8
//=   read stack+4088 8
//= PUSH: op 0 W stack+4088 8
//=   write stack+4088 8
//= POP: op 0 R stack+4088 8
//=   read stack+4088 8
//= CALL_NEAR: op 0 W stack+4088 8
//=   write stack+4088 8
//= MOVSB: op 0 W data+64 1
//= MOVSB: op 1 R data 1
//=   read data 1
//=   write data+64 1
//= MOVSQ: op 0 W data+65 8
//= MOVSQ: op 1 R data+1 8
//=   read data+1 8
//=   write data+65 8
//= STOSD: op 0 W data+73 4
//=   write data+73 4
//= LODSW: op 0 R data+9 2
//=   read data+9 2
//= SCASB: op 0 R data+77 1
//=   read data+77 1
//= CMPSD: op 0 R data+11 4
//= CMPSD: op 1 R data+78 4
//=   read data+11 4
//=   read2 data+78
//= REP_MOVSB: op 0 W data+82 1
//= REP_MOVSB: op 1 R data+15 1
//=   read data+15 1
//=   write data+82 1
//= REP_MOVSB: op 0 W data+83 1
//= REP_MOVSB: op 1 R data+16 1
//=   read data+16 1
//=   write data+83 1
//= REP_MOVSB: op 0 W data+84 1
//= REP_MOVSB: op 1 R data+17 1
//=   read data+17 1
//=   write data+84 1
//= REP_STOSQ: op 0 W data+85 8
//=   write data+85 8
//= ENTER: op 0 W stack+4088 8
//=   write stack+4088 8
//= LEAVE: op 0 R stack+4088 8
//=   read stack+4088 8
//= MOV: op 0 W data+256 8
//=   write data+256 8
//= JMP: op 0 R data+256 8
//=   read data+256 8
//= MOV: op 0 W data+256 8
//=   write data+256 8
//= CALL_NEAR: op 0 R data+256 8
//= CALL_NEAR: op 1 W stack+4088 8
//=   read data+256 8
//=   write stack+4088 8
//= XLAT: op 0 R data+5 1
//=   read data+5 1
//= CMPXCHG: op 0 RW data 8
//=   read data 8
//=   write data 8
//> mem leaf=1
//= at_first: data
//= at_first+2: data+8
//= at_first+6: data+56
//= at_first+9: data+2
//= at_first+13: data+8
//= at_first+18: data+104
//= at_first+23: data+128
//= at_first+27: data+192
//= at_first+31: data+252
//= at_first+39: data+8
//= at_first+47: data+24
//= at_first+54: data+32
//= at_first+61: data
//= at_first+64: stack+4080
//= at_first+68: stack_top+8
//= at_first+73: stack_top+8
//= at_first+78: tls+16
//= at_first+87: tls+10
//= at_first+92: tls2+24
//= at_first+101: data+40
//= at_first+104: data+42
//= at_first+110: data+48
//= at_first+114: data+56
//= at_first+118: data+64
//= at_first+123: data+72
//= at_first+127: data+80
//= at_first+132: data+64
//= at_first+136: data+80
//= at_first+140: data+96
//= at_first+149: stack+4088
//= at_first+150: data+8
//= at_first+153: stack+4072
//= at_first+155: stack+4072
//= at_first+156: data+16
//= at_first+159: stack+4088
//= at_first+160: stack+4088
//= at_first+161: stack+4088
//= at_first+162: stack+4088
//= at_first+163: stack+4088
//= at_first+164: stack+4088
//= at_first+183: data+64
//= at_first+184: data+65
//= at_first+186: data+73
//= at_first+187: data+9
//= at_first+189: data+77
//= at_first+190: data+11
//= at_first+196: data+84
//= at_first+203: data+85
//= at_first+206: stack+4088
//= at_first+210: stack+4088
//= at_first+218: data+256
//= at_first+232: data+256
//= target+7: data+256
//= target+10: data+256
//= target+21: data+5
//= target+22: data
