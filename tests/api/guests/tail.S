// SPDX-License-Identifier: Apache-2.0
// Routines that end in jumps to others: direct, conditional, indirect; a switch that stays inside; arguments and results by reference.
	.globl _start
	.text
	.type _start, @function
_start:
	lea stack_top(%rip), %rsp
	mov $4, %edi
	call direct
	mov $0, %edi
	call conditional
	mov $1, %edi
	call conditional
	mov $6, %edi
	call indirect
	mov %eax, %ebx
	mov $1, %edi
	call chain
	mov $2, %edi
	mov $3, %esi
	pushq $30
	pushq $20
	call arguments
after:	add $16, %rsp
	mov $2, %edi
	mov $3, %esi
	pushq $30
	pushq $20
at_site:
	call arguments
	add $16, %rsp
	mov $4, %edi
	call mutual
	mov %ebx, %edi /* 12 + 100, set by the tool */
	mov $60, %eax
	syscall
	.size _start, . - _start
	.type leaf, @function
leaf:	lea 1(%rdi), %eax
	ret
	.size leaf, . - leaf
	.type direct, @function
direct:	inc %edi
	jmp leaf
	.size direct, . - direct
	.type conditional, @function
conditional:
	test %edi, %edi
	jz leaf
	mov $9, %eax
	ret
	.size conditional, . - conditional
	.type indirect, @function
indirect:
	lea 1f(%rip), %rax
	jmp *%rax /* inside */
	ud2
1:	add %edi, %edi
	dec %edi
	jmp *pointer(%rip)
	.size indirect, . - indirect
	.type chain, @function
chain:	push %rdi
	call leaf
	pop %rdi
	jmp direct
	.size chain, . - chain
	.type mutual, @function
mutual:	jmp down
	.size mutual, . - mutual
	.type down, @function
down:	dec %edi /* returns come to one place, at several depths */
	jz 1f
	call mutual
	inc %eax
	ret
1:	mov $1, %eax
	ret
	.size down, . - down
	.type arguments, @function
arguments: /* rdi + rsi * 10 + 7th * 100 + 8th * 1000 */
	imul $10, %rsi, %rsi
	lea (%rdi,%rsi), %rax
	imul $100, 8(%rsp), %rcx
	add %rcx, %rax
	imul $1000, 16(%rsp), %rcx
	add %rcx, %rax
	ret
	.size arguments, . - arguments
	.data
pointer: .quad leaf
	.bss
	.balign 4096
stack:	.skip 4096
stack_top: .skip 64
//> tail status=112
//= direct: 1 blocks, 2 instructions in the last
//= conditional: 2 blocks, 2 instructions in the last
//= indirect: 2 blocks, 4 instructions in the last
//= leaf 6
//= direct 6
//= leaf 1
//= conditional 1
//= conditional 9
//= leaf 12
//= indirect 12
//= leaf 2
//= leaf 3
//= direct 3
//= chain 3
//= arguments 35055
//= at the call 2 3 20 30
//= arguments 38097
//= mutual 1
//= mutual 2
//= mutual 3
//= mutual 4
//= traces of leaf: yes
