// SPDX-License-Identifier: Apache-2.0
// Gathers of every width of index and element; one that faults in the middle (its handler makes the page accessible), and one whose registers the CPU refuses.
// counts: no
// The exit status counts what the handler finds wrong: address, place, kind of access, elements and mask so far.
	.globl _start, at_table, at_other, at_twice
	.text
.macro fresh
	vmovdqu pattern(%rip), %ymm5
.endm
_start:
	lea stack_top(%rip), %rsp
	lea at_table(%rip), %rbx
	xor %r12d, %r12d
	vmovdqu index4(%rip), %ymm1
	vmovdqu index8(%rip), %ymm4
	fresh
	vmovdqu mask4(%rip), %ymm2
	vpgatherdd %ymm2, 4(%rbx,%ymm1,4), %ymm5
	fresh
	vmovdqu mask4(%rip), %ymm2
	vgatherdps %xmm2, (%rbx,%xmm1,4), %xmm5
	fresh
	vmovdqu mask4(%rip), %ymm2
	vpgatherqd %xmm2, (%rbx,%xmm4,8), %xmm5 /* two elements of four bytes */
	fresh
	vmovdqu mask4(%rip), %ymm2
	vgatherqps %xmm2, (%rbx,%ymm4,8), %xmm5 /* four of them */
	fresh
	vmovdqu mask8(%rip), %ymm2
	vpgatherdq %ymm2, (%rbx,%xmm1,8), %ymm5
	fresh
	vmovdqu mask8(%rip), %ymm2
at_twice:
	vpgatherqq %ymm2, (%rbx,%ymm4,8), %ymm5
	fresh
	vpxor %xmm2, %xmm2, %xmm2
	vgatherdpd %xmm2, (%rbx,%xmm1,8), %xmm5 /* nothing but the upper half */
	mov $13, %eax /* rt_sigaction(SIGSEGV), rt_sigaction(SIGILL) */
	mov $11, %edi
	lea action(%rip), %rsi
	xor %edx, %edx
	mov $8, %r10d
	syscall
	mov $13, %eax
	mov $4, %edi
	syscall
	mov $9, %eax /* mmap: two pages, the second one without access */
	mov $0x10000000, %edi
	mov $8192, %esi
	mov $3, %edx
	mov $0x32, %r10d
	mov $-1, %r8
	xor %r9d, %r9d
	syscall
	lea 4096(%rax), %r13
	movl $0x11111111, -8(%r13)
	movl $0x22222222, -4(%r13)
	mov %r13, %rdi
	mov $4096, %esi
	xor %edx, %edx
	mov $10, %eax /* mprotect */
	syscall
	vmovdqu steps(%rip), %ymm1 /* -8, -4, 0, 4 */
	fresh
	vpcmpeqd %ymm2, %ymm2, %ymm2
at_fault:
	vpgatherdd %xmm2, (%r13,%xmm1), %xmm5
	lea 1f(%rip), %r14
	.byte 0xc4, 0xc2, 0x55, 0x90, 0x6c, 0x0d, 0x00 /* vpgatherdd %ymm5, (%r13,%ymm1), %ymm5: #UD */
1:	mov %r12d, %edi
	mov $231, %eax
	syscall
handler: /* rdi: number, rdx: ucontext */
	mov %rdx, %r15
	cmp $4, %edi
	je 2f
	mov 16(%rsi), %rcx /* si_addr */
	cmp %r13, %rcx
	setne %cl
	add %cl, %r12b
	mov 168(%rdx), %rcx
	lea at_fault(%rip), %rax
	cmp %rcx, %rax
	setne %cl
	add %cl, %r12b
	mov 192(%rdx), %ecx /* error code: a read */
	and $2, %ecx
	add %ecx, %r12d
	mov 224(%rdx), %rcx /* fpstate: xmm2 and xmm5 */
	mov 160+32(%rcx), %rax
	test %rax, %rax /* two elements done */
	setne %al
	add %al, %r12b
	cmpl $0x22222222, 160+84(%rcx)
	setne %al
	add %al, %r12b
	mov %r13, %rdi
	mov $4096, %esi
	mov $3, %edx
	mov $10, %eax
	syscall
	movl $0x33333333, (%r13)
	movl $0x44444444, 4(%r13)
	mov %r12, 72(%r15) /* r12 of the context: the count */
	ret
2:	mov %r14, 168(%rdx)
	ret
restore:
	mov $15, %eax
	syscall
	.data
	.balign 32
pattern: .quad 0xa0a0a0a0a0a0a0a0, 0xa1a1a1a1a1a1a1a1, 0xa2a2a2a2a2a2a2a2, 0xa3a3a3a3a3a3a3a3
index4: .long 0, 2, 1, 3, 0, 5, 4, -1
index8: .quad 1, 0, 3, 2
mask4: .long -1, -1, 0, -1, 0x80000000, 0x7fffffff, -1, -1
mask8: .quad -1, 0, 1 << 63, -1
steps: .long -8, -4, 0, 4, 0, 0, 0, 0
at_table:
	.long 0x100, 0x101, 0x102, 0x103, 0x104, 0x105, 0x106, 0x107, 0x108, 0x109, 0x10a, 0x10b, 0x10c, 0x10d, 0x10e, 0x10f
	.long 0x110, 0x111, 0x112, 0x113, 0x114, 0x115, 0x116, 0x117, 0x118, 0x119, 0x11a, 0x11b, 0x11c, 0x11d, 0x11e, 0x11f
at_other:
	.long 0x200, 0x201, 0x202, 0x203, 0x204, 0x205, 0x206, 0x207, 0x208, 0x209, 0x20a, 0x20b, 0x20c, 0x20d, 0x20e, 0x20f
	.long 0x210, 0x211, 0x212, 0x213, 0x214, 0x215, 0x216, 0x217, 0x218, 0x219, 0x21a, 0x21b, 0x21c, 0x21d, 0x21e, 0x21f
action:	.quad handler, 0x4000004, restore, 0
	.skip 8192
stack_top:
//> scattered
//= 8 elements: 0+4 at_table+4 4+4 at_table+12 8+4 off at_table+8 12+4 at_table+16 16+4 at_table+4 20+4 off at_table+24 24+4 at_table+20 28+4 at_table
//=   20300000201 204a1a1a1a1 a2a2a2a200000201 20000000205, mask 0 0 0 0
//= 4 elements: 0+4 at_table 4+4 at_table+8 8+4 off at_table+4 12+4 at_table+12
//=   20200000200 203a1a1a1a1 0 0, mask 0 0 0 0
//= 2 elements: 0+4 at_table+8 4+4 at_table
//=   20000000202 0 0 0, mask 0 0 0 0
//= 4 elements: 0+4 at_table+8 4+4 at_table 8+4 off at_table+24 12+4 at_table+16
//=   20000000202 204a1a1a1a1 0 0, mask 0 0 0 0
//= 4 elements: 0+8 at_table 8+8 off at_table+16 16+8 at_table+8 24+8 at_table+24
//=   20100000200 a1a1a1a1a1a1a1a1 20300000202 20700000206, mask 0 0 0 0
//= 4 elements: 0+8 at_table+8 8+8 off at_table 16+8 at_table+24 24+8 at_table+16
//=   20100000200 a1a1a1a1a1a1a1a1 20700000206 20500000204, mask 0 0 0 0
//= 2 elements: 0+8 off at_table 8+8 off at_table+16
//=   a0a0a0a0a0a0a0a0 a1a1a1a1a1a1a1a1 0 0, mask 0 0 0 0
//= 4 elements: 0+4 0x10000ff8 4+4 0x10000ffc 8+4 0x10001000 12+4 0x10001004
//= 4 elements: 0+4 off 0x10000ff8 4+4 off 0x10000ffc 8+4 0x10001000 12+4 0x10001004
//=   2222222211111111 4444444433333333 0 0, mask 0 0 0 0
//= 8 gathers, status 0
//> scattered same=1
//=   10300000101 104a1a1a1a1 a2a2a2a200000101 10000000105, mask 0 0 0 0
//=   10200000100 103a1a1a1a1 0 0, mask 0 0 0 0
//=   10000000102 0 0 0, mask 0 0 0 0
//=   10000000102 104a1a1a1a1 0 0, mask 0 0 0 0
//=   10100000100 a1a1a1a1a1a1a1a1 10300000102 10700000106, mask 0 0 0 0
//=   10300000102 a1a1a1a1a1a1a1a1 10700000106 10500000104, mask 0 0 0 0
//=   a0a0a0a0a0a0a0a0 a1a1a1a1a1a1a1a1 0 0, mask 0 0 0 0
//=   2222222211111111 4444444433333333 0 0, mask 0 0 0 0
//= 8 gathers, status 0
// The hardware does the same.
//> scattered plain=1
//=   10300000101 104a1a1a1a1 a2a2a2a200000101 10000000105, mask 0 0 0 0
//=   10200000100 103a1a1a1a1 0 0, mask 0 0 0 0
//=   10000000102 0 0 0, mask 0 0 0 0
//=   10000000102 104a1a1a1a1 0 0, mask 0 0 0 0
//=   10100000100 a1a1a1a1a1a1a1a1 10300000102 10700000106, mask 0 0 0 0
//=   10300000102 a1a1a1a1a1a1a1a1 10700000106 10500000104, mask 0 0 0 0
//=   a0a0a0a0a0a0a0a0 a1a1a1a1a1a1a1a1 0 0, mask 0 0 0 0
//=   2222222211111111 4444444433333333 0 0, mask 0 0 0 0
//= 8 gathers, status 0
