// SPDX-License-Identifier: Apache-2.0
// Every general register has a value of its own. at_leafN are places for the short form of the bridge, one for each register.
	.globl _start, at_here, at_end
	.text
_start:
	lea stack_top(%rip), %rsp
	pushq $0xcd7 /* CF PF AF ZF SF OF DF */
	popfq
	movabs $0x0102030405060708, %rax
	movabs $0x1112131415161718, %rbx
	movabs $0x2122232425262728, %rcx
	movabs $0x3132333435363738, %rdx
	movabs $0x4142434445464748, %rsi
	movabs $0x5152535455565758, %rdi
	movabs $0x6162636465666768, %rbp
	movabs $0x8182838485868788, %r8
	movabs $0x9192939495969798, %r9
	movabs $0xa1a2a3a4a5a6a7a8, %r10
	movabs $0xb1b2b3b4b5b6b7b8, %r11
	movabs $0xc1c2c3c4c5c6c7c8, %r12
	movabs $0xd1d2d3d4d5d6d7d8, %r13
	movabs $0xe1e2e3e4e5e6e7e8, %r14
	movabs $0xf1f2f3f4f5f6f7f8, %r15
at_here:
	nop
	.altmacro
	.macro place n
at_leaf\n:
	nop
	.endm
	.set i, 0
	.rept 49
	place %i
	.set i, i + 1
	.endr
	cld
	mov $60, %eax
	mov $7, %edi
	syscall
	.bss
	.balign 4096
stack:	.skip 4096
stack_top: .skip 8
//> regs status=7
//= rax 0x102030405060708
//= rbx 0x1112131415161718
//= rcx 0x2122232425262728
//= rdx 0x3132333435363738
//= rsi 0x4142434445464748
//= rdi 0x5152535455565758
//= rbp 0x6162636465666768
//= rsp stack_top
//= r8 0x8182838485868788
//= r9 0x9192939495969798
//= r10 0xa1a2a3a4a5a6a7a8
//= r11 0xb1b2b3b4b5b6b7b8
//= r12 0xc1c2c3c4c5c6c7c8
//= r13 0xd1d2d3d4d5d6d7d8
//= r14 0xe1e2e3e4e5e6e7e8
//= r15 0xf1f2f3f4f5f6f7f8
//= eax 0x5060708
//= ebx 0x15161718
//= ecx 0x25262728
//= edx 0x35363738
//= esi 0x45464748
//= edi 0x55565758
//= ebp 0x65666768
//= r8d 0x85868788
//= r15d 0xf5f6f7f8
//= ax 0x708
//= bx 0x1718
//= cx 0x2728
//= dx 0x3738
//= si 0x4748
//= di 0x5758
//= bp 0x6768
//= r8w 0x8788
//= r15w 0xf7f8
//= al 0x8
//= ah 0x7
//= bl 0x18
//= bh 0x17
//= cl 0x28
//= ch 0x27
//= dl 0x38
//= dh 0x37
//= sil 0x48
//= dil 0x58
//= bpl 0x68
//= r8b 0x88
//= r15b 0xf8
//= rflags 0xed7
//= rip at_here
//= 49 registers
