/* SPDX-License-Identifier: Apache-2.0
 * Vector, x87 and other extended state into an XSAVE image at rdi and back, in macros for enter.S (A59). XSAVE and
 * XRSTOR take hundreds of cycles. Moves of the components in use take tens, and serve as long as neither x87 is in use
 * nor a component of which this file does not know (xstate_quick in context.c). The image is as XSAVE makes it, but
 * that the bytes of components in their initial state are not written. Both change rax, rcx, rdx, r8, r9; loading rsi,
 * too. */
#define QUICK_COMPONENTS 0
#define QUICK_AVX 8
#define QUICK_OPMASK 16
#define QUICK_ZMM_HI256 24
#define QUICK_HI16_ZMM 32
#define QUICK_PKRU 40
#define QUICK_MXCSR_MASK 48

#define BIT_AVX 0x4
#define BIT_OPMASK 0x20
#define BIT_ZMM_HI256 0x40
#define BIT_HI16_ZMM 0x80
#define BIT_PKRU 0x200
#define MXCSR_DEFAULT 0x1f80
#define QUICK(o) xstate_quick + o(%rip)

#define LOW 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define HIGH 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31

/* After it x87 and MXCSR are as the host's functions want them. */
	.macro SAVE_XSTATE
	mov QUICK(QUICK_COMPONENTS), %r8
	test %r8, %r8
	jz .Lwhole\@
	mov $1, %ecx
	xgetbv /* what is in use */
	not %r8
	test %r8d, %eax
	jnz .Lwhole\@
	or $2, %eax
	test $(BIT_AVX | BIT_ZMM_HI256), %al
	jz 1f
	or $BIT_AVX, %eax
1:	mov %eax, %r9d
	mov %r9, 512(%rdi)
	mov QUICK(QUICK_MXCSR_MASK), %eax
	mov %eax, 28(%rdi)
	stmxcsr 24(%rdi)
	test $BIT_AVX, %r9b
	jnz 2f
	.irp n, LOW
	movups %xmm\n, 160+16*\n(%rdi)
	.endr
	jmp 4f
2:	mov QUICK(QUICK_AVX), %rax
	.irp n, LOW
	vmovups %xmm\n, 160+16*\n(%rdi)
	vextractf128 $1, %ymm\n, 16*\n(%rdi,%rax)
	.endr
	test $BIT_ZMM_HI256, %r9b
	jz 3f
	mov QUICK(QUICK_ZMM_HI256), %rax
	.irp n, LOW
	vextractf64x4 $1, %zmm\n, 32*\n(%rdi,%rax)
	.endr
3:	vzeroupper
4:	test $BIT_HI16_ZMM, %r9b
	jz 5f
	mov QUICK(QUICK_HI16_ZMM), %rax
	.irp n, HIGH
	vmovups %zmm\n, 64*(\n-16)(%rdi,%rax)
	.endr
5:	test $BIT_OPMASK, %r9b
	jz 6f
	mov QUICK(QUICK_OPMASK), %rax
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7
	kmovq %k\n, 8*\n(%rdi,%rax)
	.endr
6:	test $BIT_PKRU, %r9d
	jz 7f
	xor %ecx, %ecx
	rdpkru
	mov QUICK(QUICK_PKRU), %rcx
	mov %eax, (%rdi,%rcx)
7:	cmpl $MXCSR_DEFAULT, 24(%rdi)
	je .Ldone\@
	jmp 8f
.Lwhole\@:
	mov CTX(CPU_XSAVE_MASK), %eax
	mov CTX(CPU_XSAVE_MASK+4), %edx
	xsave64 (%rdi)
	fninit
8:	pushq $MXCSR_DEFAULT
	ldmxcsr (%rsp)
	lea 8(%rsp), %rsp
.Ldone\@:
	.endm

/* A component that is to be in its initial state, and is not after host code, is cleared. */
	.macro LOAD_XSTATE
	mov QUICK(QUICK_COMPONENTS), %r8
	mov 512(%rdi), %r9
	test %r8, %r8
	jz .Lwhole\@
	not %r8
	test %r8, %r9
	jnz .Lwhole\@
	mov %r9d, %eax
	and $(BIT_AVX | BIT_ZMM_HI256), %eax
	cmp $BIT_ZMM_HI256, %eax
	je .Lwhole\@
	test $2, %r9b
	jz .Lwhole\@
	mov $1, %ecx
	xgetbv
	mov %eax, %esi
	test %r8d, %esi /* x87, above all */
	jnz .Lwhole\@
	mov %r9d, %eax
	not %eax
	and %eax, %esi /* what has to be cleared */
	test $BIT_PKRU, %esi
	jnz .Lwhole\@
	ldmxcsr 24(%rdi)
	test $(BIT_AVX | BIT_ZMM_HI256), %sil
	jz 1f
	vzeroupper
1:	test $BIT_AVX, %r9b
	jnz 2f
	.irp n, LOW
	movups 160+16*\n(%rdi), %xmm\n
	.endr
	jmp 4f
2:	mov QUICK(QUICK_AVX), %rax
	.irp n, LOW
	vmovups 160+16*\n(%rdi), %xmm\n
	vinsertf128 $1, 16*\n(%rdi,%rax), %ymm\n, %ymm\n
	.endr
	test $BIT_ZMM_HI256, %r9b
	jz 4f
	mov QUICK(QUICK_ZMM_HI256), %rax
	.irp n, LOW
	vinsertf64x4 $1, 32*\n(%rdi,%rax), %zmm\n, %zmm\n
	.endr
4:	test $BIT_HI16_ZMM, %r9b
	jz 5f
	mov QUICK(QUICK_HI16_ZMM), %rax
	.irp n, HIGH
	vmovups 64*(\n-16)(%rdi,%rax), %zmm\n
	.endr
	jmp 6f
5:	test $BIT_HI16_ZMM, %sil
	jz 6f
	.irp n, HIGH
	vpxord %zmm\n, %zmm\n, %zmm\n
	.endr
6:	test $BIT_OPMASK, %r9b
	jz 7f
	mov QUICK(QUICK_OPMASK), %rax
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7
	kmovq 8*\n(%rdi,%rax), %k\n
	.endr
	jmp 8f
7:	test $BIT_OPMASK, %sil
	jz 8f
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7
	kxorq %k\n, %k\n, %k\n
	.endr
8:	test $BIT_PKRU, %r9d
	jz .Ldone\@
	xor %ecx, %ecx
	rdpkru
	mov QUICK(QUICK_PKRU), %r8
	cmp %eax, (%rdi,%r8)
	je .Ldone\@
	mov (%rdi,%r8), %eax
	wrpkru
	jmp .Ldone\@
.Lwhole\@:
	mov CTX(CPU_XSAVE_MASK), %eax
	mov CTX(CPU_XSAVE_MASK+4), %edx
	xrstor64 (%rdi)
.Ldone\@:
	.endm
