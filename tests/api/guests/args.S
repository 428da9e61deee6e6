// SPDX-License-Identifier: Apache-2.0
// One instruction with everything, one for the short form; all registers checked afterwards.
	.globl _start
	.text
_start:
	lea stack_top(%rip), %rsp
	mov $1, %eax; mov $2, %ecx; mov $3, %edx; mov $4, %ebx; mov $5, %esi; mov $6, %edi
	mov $8, %r8d; mov $9, %r9d; mov $10, %r10d; mov $11, %r11d; mov $15, %r15d
	stc
at_here:
	inc %rbx /* keeps CF */
at_leaf:
	nop
	jnc bad
	cmp $1, %eax; jne bad
	cmp $2, %ecx; jne bad
	cmp $3, %edx; jne bad
	cmp $5, %ebx; jne bad
	cmp $5, %esi; jne bad
	cmp $6, %edi; jne bad
	cmp $8, %r8d; jne bad
	cmp $9, %r9d; jne bad
	cmp $10, %r10d; jne bad
	cmp $11, %r11d; jne bad
	cmp $15, %r15d; jne bad
	mov $0, %edi
out:	mov $60, %eax
	syscall
bad:	mov $1, %edi
	jmp out
	.bss
	.balign 4096
stack:	.skip 4096
stack_top: .skip 8
//> args
//= bool 1 0 uint32 0xfffffffe uint64 0xfedcba9876543210 addrint 0xffffffffffffffff ptr 0x1234
//= ten 0x9 0x8 0x2 0x3 0x5 0x6 0x1 0xb stack_top at_here
//= before at_here at_leaf thread 0
//= tsc grows rdx 0x3
//= preserve at_here at_leaf thread 0
//= after at_here at_leaf thread 0
//= rip after at_leaf 0x5 thread 0
//= tsc grows rdx 0x3
//= 0xf 0x9 0x8 0x2 0x3 0x5 0x6 0x1 0xb 0xa stack_top
//= fini 0 arg
