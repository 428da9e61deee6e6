// SPDX-License-Identifier: Apache-2.0
// AVX-512 registers, where the CPU has them: read and changed by the tool. On other CPUs nothing is done.
	.globl _start
	.text
_start:
	mov $7, %eax
	xor %ecx, %ecx
	cpuid
	xor %edi, %edi
	bt $16, %ebx
	jnc out
	vmovdqu64 pattern(%rip), %zmm1
	vmovdqu64 pattern(%rip), %zmm17
	mov $0xabcd, %eax
	kmovw %eax, %k3
at_here:
	nop
	inc %edi
	vmovdqu64 %zmm1, buffer(%rip)
	cmpq $0x77, buffer+56(%rip)
	jne out
	inc %edi
	vmovdqu64 %zmm18, buffer(%rip)
	cmpq $0x88, buffer+40(%rip)
	jne out
	inc %edi
	kmovw %k4, %eax
	cmp $0x1234, %eax
	jne out
	inc %edi
	vmovdqu64 %zmm17, buffer(%rip)
	cmpq $0x99, buffer+8(%rip)
	jne out
	xor %edi, %edi
out:	mov $60, %eax
	syscall
	.data
pattern: .quad 1, 2, 3, 4, 5, 6, 7, 8
buffer: .skip 64
//> zmm
//= as it should be
