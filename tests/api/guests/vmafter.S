// SPDX-License-Identifier: Apache-2.0
// Instructions that the VM completes: stores of x87 state, loads of segment registers. Each has a call before and a call after it.
	.globl _start
	.text
_start:
	mov $1000, %r12d
at_first:
	fld1
	fnstenv env(%rip)
	fstp %st
	fxsave area(%rip)
	xor %eax, %eax
	mov %eax, %gs
	dec %r12d
	jnz at_first
at_last:
	mov $231, %eax
	xor %edi, %edi
	syscall
	.bss
	.balign 64
area:	.skip 512
env:	.skip 64
//> vmafter
//= fld1 1000 1000 fnstenv 1000 1000 fstp 1000 1000 fxsave 1000 1000 xor 1000 1000 mov 1000 1000 dec 1000 1000 jnz 1000 1
