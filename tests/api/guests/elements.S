// SPDX-License-Identifier: Apache-2.0
// Gathers, masks, REP, XSAVE, lea, and branches through memory that is not there.
// counts: no
	.globl _start
	.text
_start:
	lea stack_top(%rip), %rsp
	lea data(%rip), %rbx
	vmovdqu index4(%rip), %ymm1
	vmovdqu mask4(%rip), %ymm2
	vmovdqu mask8(%rip), %ymm3
	vmovdqu index8(%rip), %ymm4
	mov $16, %r9d
at_first:
	vpgatherdd %ymm2, 4(%rbx,%ymm1,4), %ymm5
	vpgatherqq %ymm3, (%rbx,%ymm4,8), %ymm6
	vmovdqu mask4(%rip), %ymm2
	vpmaskmovd (%rbx), %ymm2, %ymm5
	vpxor %xmm8, %xmm8, %xmm8
	vpmaskmovd %ymm5, %ymm8, 64(%rbx)
	addl $1, 8(%rbx)
	push 16(%rbx)
	movaps (%rbx), %xmm0
	lea 5(%rbx,%r9,2), %rax
	.byte 0x64; lea 24(%rbx), %rax /* a segment that does not count */
	lea here(%rip), %rax
here:	mov -8(%rbx), %eax
	mov $3, %ecx
	lea (%rbx), %rsi
	lea 128(%rbx), %rdi
at_rep:	rep movsb
	mov $0, %ecx
	rep movsb
	mov $1, %ecx
	rep movsb
	mov $2, %r8d /* the same instruction again, with as many iterations as it had left when it was last seen */
1:	mov %r8d, %ecx
	rep movsb
	dec %r8d
	jnz 1b
	mov $3, %ecx
	mov $0x7f, %eax
	repne scasb
	mov $7, %eax
	mov $0, %edx
	lea area(%rip), %r12
	xsave (%r12)
	mov $3, %eax
	xsave (%r12)
	xrstor (%r12)
	mov $7, %eax
	xsavec (%r12)
	fxsave (%r12)
at_last:
	mov $131, %eax /* sigaltstack */
	lea alt(%rip), %rdi
	xor %esi, %esi
	syscall
	mov $13, %eax /* rt_sigaction(SIGSEGV) */
	mov $11, %edi
	lea action(%rip), %rsi
	xor %edx, %edx
	mov $8, %r10d
	syscall
	mov $1, %r13d
	lea 1f(%rip), %r14
	mov $0x10, %r15d
at_bad_jump:
	jmp *(%r15)
1:	lea 2f(%rip), %r14
	mov %rsp, %rbp
at_bad_call:
	call *8(%r15)
2:	lea 3f(%rip), %r14
	mov $0x10, %esp
at_bad_ret:
	ret
3:	mov $0, %edi
	mov $60, %eax
	syscall
handler: /* on its own stack: goes on at r14 */
	mov %r14, 168(%rdx)
	mov %rbp, 160(%rdx)
	ret
restore:
	mov $15, %eax
	syscall
	.data
	.balign 64
index4:	.long 0, 1, 2, 3, -1, 5, 6, 100
index8:	.quad 0, -1, 2, 3
mask4:	.long -1, 0, -1, 0x80000000, -1, 0x7fffffff, 0, -1
mask8:	.quad -1, -1, 0, -1
	.skip 64
data:	.skip 1024
	.balign 8
action:	.quad handler, 0x4c000000, restore, 0 /* SA_RESTORER | SA_NODEFER | SA_ONSTACK */
alt:	.quad alt_stack, 0, 32768
	.bss
	.balign 64
area:	.skip 4096
	.balign 4096
alt_stack: .skip 32768
stack:	.skip 65536
stack_top: .skip 8
//> elements
//= VPGATHERDD: LOAD data+4/4 on LOAD data+8/4 off LOAD data+12/4 on LOAD data+16/4 on LOAD data/4 on LOAD data+24/4 off LOAD data+28/4 off LOAD data+404/4 on
//=   memory 8 elements of 4, 32 bytes at 0x0: data+4 +0 mask 1 access 1, data+8 +4 mask 0 access 1, data+12 +8 mask 1 access 1, data+16 +12 mask 1 access 1, data +16 mask 1 access 1, data+24 +20 mask 0 access 1, data+28 +24 mask 0 access 1, data+404 +28 mask 1 access 1,
//=   masked on 1
//= VPGATHERQQ: LOAD data/8 on LOAD mask8+88/8 on LOAD data+16/8 off LOAD data+24/8 on
//=   memory 4 elements of 8, 32 bytes at 0x0: data +0 mask 1 access 1, mask8+88 +8 mask 1 access 1, data+16 +16 mask 0 access 1, data+24 +24 mask 1 access 1,
//=   masked on 1
//= VMOVDQU: LOAD mask4/32 on
//=   explicit mask4
//= VPMASKMOVD: LOAD data/32 on
//=   memory 8 elements of 4, 32 bytes at data: data +0 mask 1 access 1, data+4 +4 mask 0 access 1, data+8 +8 mask 1 access 1, data+12 +12 mask 1 access 1, data+16 +16 mask 1 access 1, data+20 +20 mask 0 access 1, data+24 +24 mask 0 access 1, data+28 +28 mask 1 access 1,
//=   masked on 1
//= VPMASKMOVD: STORE data+64/32 off
//=   memory 8 elements of 4, 32 bytes at data+64: data+64 +0 mask 0 access 2, data+68 +4 mask 0 access 2, data+72 +8 mask 0 access 2, data+76 +12 mask 0 access 2, data+80 +16 mask 0 access 2, data+84 +20 mask 0 access 2, data+88 +24 mask 0 access 2, data+92 +28 mask 0 access 2,
//=   masked on 0
//= ADD: LOAD data+8/4 on STORE data+8/4 on
//=   explicit data+8
//= PUSH: LOAD data+16/8 on STORE stack+65528/8 on
//=   explicit data+16
//= MOVAPS: LOAD data/16 on
//=   memory 4 elements of 4, 16 bytes at data: data +0 mask 1 access 1, data+4 +4 mask 1 access 1, data+8 +8 mask 1 access 1, data+12 +12 mask 1 access 1,
//=   masked on 1
//=   explicit data+37
//=   explicit data+24
//=   explicit here
//= MOV: LOAD mask8+88/4 on
//=   explicit mask8+88
//=   explicit data
//=   explicit data+128
//= rep: first 1 executing 1 rcx 3
//= rep: first 0 executing 1 rcx 2
//= rep: first 0 executing 1 rcx 1
//= rep: first 0 executing 0 rcx 0
//= rep: first 1 executing 1 rcx 1
//= rep: first 1 executing 1 rcx 2
//= rep: first 0 executing 1 rcx 1
//= rep: first 1 executing 1 rcx 1
//= rep: first 1 executing 1 rcx 3
//= rep: first 0 executing 1 rcx 2
//= rep: first 0 executing 1 rcx 1
//=   explicit area
//= XSAVE 832 bytes
//=   after it 832 bytes
//= XSAVE 576 bytes
//=   after it 576 bytes
//= XRSTOR 576 bytes
//=   after it 576 bytes
//= XSAVEC 832 bytes
//=   after it 832 bytes
//= FXSAVE 512 bytes
//=   after it 512 bytes
//= branch at at_bad_jump to 0x0 taken 1
//= branch at at_bad_call to 0x0 taken 1
//= branch at at_bad_ret to 0x0 taken 1
