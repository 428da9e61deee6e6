// SPDX-License-Identifier: Apache-2.0
// Flags and registers that are set, then not needed, then written anew.
	.globl _start, at_start, at_first, at_here, at_last
	.text
_start:
	mov $0, %ecx
	mov $0, %edx
at_start:
	mov $4, %ebx
	mov $0x5555, %edi
	mov $0x6666, %esi
again:	jmp at_first
at_first:
	mov $0x1111, %ecx
	mov $0x2222, %edx
	cmp $3, %ebx
	lea 1(%rdi), %rdi
	lea 1(%rsi), %rsi
at_here:
	xor %ecx, %ecx
	mov $0, %edx
	add $1, %rax
at_last:
	dec %ebx
	jnz again
	mov $60, %eax
	xor %edi, %edi
	syscall
//> seen
//= flags 0 rcx 0 rdx 0
//= flags 0 rcx 1111 rdx 2222
//= rdi 5556 rsi 6667
//= flags 44 rcx 1111 rdx 2222
//= rdi 5557 rsi 6668
//= flags 95 rcx 1111 rdx 2222
//= rdi 5558 rsi 6669
//= flags 91 rcx 1111 rdx 2222
//= rdi 5559 rsi 666a
//= sum 0
//> seen part=1
//= rdi 5556 rsi 6667
//= rdi 5557 rsi 6668
//= rdi 5558 rsi 6669
//= rdi 5559 rsi 666a
//= sum 12350
