// SPDX-License-Identifier: Apache-2.0
// Every kind of register has a value of its own. The tool reads them at at_show and changes some at the other labels; the exit status says which of the guest's checks failed.
	.globl _start
	.text
	.macro fail_if cond
	lea 1(%r15), %r15d
	j\cond bad
	.endm
	.macro check8 where, value
	movabs $\value, %r14
	cmp %r14, \where
	fail_if ne
	.endm
_start:
	lea stack_top(%rip), %rsp
	xor %r15d, %r15d
	mov $158, %eax
	mov $0x1002, %edi /* ARCH_SET_FS */
	lea fs_area(%rip), %rsi
	syscall
	mov $158, %eax
	mov $0x1001, %edi /* ARCH_SET_GS */
	lea gs_area(%rip), %rsi
	syscall
	fninit
	fldcw control(%rip)
	fldpi
	fld1
	ldmxcsr rounding(%rip)
	vmovdqu pattern(%rip), %ymm5
	vmovdqu pattern(%rip), %xmm15
	movabs $0x1112131415161718, %rbx
	mov $0x21, %ecx
	mov $0x31, %edx
	cmp %ecx, %ecx
at_show:
	nop
at_copy: /* what a tool writes into a copy does not arrive */
	nop
	check8 %rbx, 0x1112131415161718

	mov $1, %eax
at_execute: /* goes on at after_execute, not here */
	nop
	jmp bad
at_after_execute:
	setc %al
	fail_if nc /* CF: set by the tool, and setc has kept it */
	check8 %rbx, 0x2122232425262728
	vmovdqu %ymm5, buffer(%rip)
	check8 buffer(%rip), 0xa0a1a2a3a4a5a6a7
	check8 buffer+24(%rip), 0xb8b9babbbcbdbebf
	stmxcsr buffer(%rip)
	cmpl $0x3f80, buffer(%rip)
	fail_if ne
	fnstcw buffer(%rip)
	cmpw $0x037f, buffer(%rip)
	fail_if ne
	fstpt buffer(%rip)
	cmpw $0x4000, buffer+8(%rip) /* ST0 is pi now */
	fail_if ne
	mov %fs:0, %rax
	check8 %rax, 0x6666
	mov %gs:8, %rax
	check8 %rax, 0x7777

	mov $0x10, %ebx
	mov $0x20, %ecx
	vpxor %xmm6, %xmm6, %xmm6
at_partial:
	nop
	check8 %rbx, 0x3132333435363738
	check8 %rcx, 0x20 /* not among the registers to be written */
	vmovdqu %ymm6, buffer(%rip)
	check8 buffer+16(%rip), 0x4142434445464748
	stmxcsr buffer(%rip)
	cmpl $0x1f80, buffer(%rip)
	fail_if ne

	fninit
	fldz
	movabs $0x5152535455565758, %rax
	vzeroall
at_reference:
	nop
	check8 %rax, 0x515253545556abcd
	vmovdqu %ymm7, buffer(%rip)
	check8 buffer(%rip), 0x6162636465666768
	check8 buffer+24(%rip), 0x7172737475767778
	fstpt buffer(%rip)
	check8 buffer(%rip), 0x8000000000000000
	cmpw $0x4001, buffer+8(%rip)
	fail_if ne
	fnstcw buffer(%rip)
	cmpw $0x0f7f, buffer(%rip)
	fail_if ne

	movabs $0x8182838485868788, %r8
	movabs $0x9192939495969798, %rcx
	xor %eax, %eax
at_return:
	nop
	fail_if nz
	fail_if nc
	check8 %r8, 0x00000000deadbeef
	check8 %rcx, 0x9192939495969755
	stmxcsr buffer(%rip)
	cmpl $0x7f80, buffer(%rip)
	fail_if ne
	mov %fs:0, %rax
	check8 %rax, 0x7776

	vzeroall
	fninit
at_fpstate:
	nop
	fstpt buffer(%rip)
	check8 buffer(%rip), 0xa000000000000000
	movq %xmm9, %rax
	check8 %rax, 0x0102030405060708

	mov $100, %ebx
	vmovdqu pattern(%rip), %ymm3
at_save:
	vmovdqu %ymm3, buffer(%rip)
	check8 buffer+16(%rip), 0xb0b1b2b3b4b5b6b7
	check8 %rbx, 100
	mov $200, %ebx
	vzeroall
at_rollback: /* once: back to at_save */
	nop
	check8 %rbx, 200
	xor %r15d, %r15d
bad:	mov %r15d, %edi
	mov $60, %eax
	syscall
	.data
control: .short 0x027f
rounding: .long 0x5f80
	.balign 8
fs_area: .quad 0x5555
at_other: .quad 0x6666
gs_area:
at_third: .quad 0x7776, 0x7777
pattern: .quad 0xa0a1a2a3a4a5a6a7, 0xa8a9aaabacadaeaf, 0xb0b1b2b3b4b5b6b7, 0xb8b9babbbcbdbebf
	.bss
	.balign 4096
buffer:	.skip 64
stack:	.skip 4096
stack_top: .skip 8
//> context status=0
//= rbx 0x1112131415161718 bx 0x1718 bh 0x17 ecx 0x21
//= fs base fs_area gs base gs_area
//= cs 0x33 ss 0x2b
//= rip at_show eip at_show rflags 0x246 flags 0x246 status 0x44 df 0x0
//= fpcw 0x27f fpsw 0x3000 fptag 0xc0 full 0xfff mxcsr 0x5f80
//= st0 3fff 8000000000000000
//= st1 4000 c90fdaa22168c235
//= mm6 0x8000000000000000 mm7 0xc90fdaa22168c235
//= xmm5 a0a1a2a3a4a5a6a7 a8a9aaabacadaeaf
//= ymm5 a0a1a2a3a4a5a6a7 a8a9aaabacadaeaf b0b1b2b3b4b5b6b7 b8b9babbbcbdbebf
//= ymm15 a0a1a2a3a4a5a6a7 a8a9aaabacadaeaf 0 0
//= fxsave: fcw 0x27f fsw 0x3000 ftw 0xc0 mxcsr 0x5f80 xmm5 a0a1a2a3a4a5a6a7
//= fpstate: fcw 0x27f ymm5 upper b0b1b2b3b4b5b6b7
//= x87 register: fcw 0x27f
//= by value: ebx 0x15161718 eflags 0x246 fs base fs_area cs 0x33 mxcsr 0x5f80 fpcw 0x27f
//= by reference: ymm5 b8b9babbbcbdbebf st1 4000 mm7 c90fdaa22168c235 bx 1718
//= fxsave set: fcw 0x33f xmm5 0x1234 upper half as it was; the other's fcw 0x27f
//= header: all present 1, compact 0x0
//= r12 by its parts: 0x1112131415161728 0x1112131415163738 0x45464748
//= a context and its copies agree; states 1 1 1
//= own set when the thread began 0x1234567890
//= own in the context 0x1234567890
//= own after PIN_ExecuteAt 0x77
//= partial: rax 0x1 ymm5 b8b9babbbcbdbebf
//= saved rbx 0x64
//= rolled back
//= palette 1 rows 8 bytes 64
