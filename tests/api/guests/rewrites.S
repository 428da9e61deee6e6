// SPDX-License-Identifier: Apache-2.0
// From at_first to at_last every access goes to the page after the one that it names (tool rewrites). What stands in
// the page itself is wrong; the status says what was wrong first.
// counts: no
	.globl _start, at_first, at_last
	.text
_start:
	mov $158, %eax /* arch_prctl(ARCH_SET_GS) */
	mov $0x1001, %edi
	mov $page + 0x200, %esi
	syscall
	mov $7, %eax /* cpuid: movdir64b */
	xor %ecx, %ecx
	cpuid
	mov %ecx, %ebp
	mov $page + 0x100, %esp
at_first:
	push $5 /* the stack */
	pop %rbx
	pushq word
	pop %rcx
	pushq word
	popq result
	mov $0, %esi /* a string whose source is addressed through gs */
	mov $result + 8, %edi
	movsb %gs:(%rsi), (%rdi)
	pushq %gs:8
	pop %rdx
	mov %gs, %eax /* selectors */
	push %rax
	pop %gs
	mov selector, %gs
	mov $1, %r8d /* far transfers */
	ljmp *far
	mov $0, %r8d
behind:	lcall *call
	mov %cs, %eax
	push %rax
	push $returned
	lretq
	mov $0, %r8d
returned:
	mov %rsp, %r9
	mov %ss, %eax
	push %rax
	push %r9
	pushfq
	mov %cs, %eax
	push %rax
	push $interrupted
	iretq
	mov $0, %r8d
interrupted:
	bt $28, %ebp
	jnc at_last
	mov $page + 0x380, %r11d
	movdir64b page + 0x340, %r11
at_last:
	xor %edi, %edi
	.macro check number, value, operand
	mov $\number, %edi
	cmpq $\value, \operand
	jne end
	.endm
	mov %rsp, %rax
	check 1, page + 0x100, %rax
	check 2, 5, %rbx
	check 3, 6, %rcx
	check 4, 6, result + 4096
	check 5, 0x77, result + 8 + 4096
	check 6, 0x99, %rdx
	check 7, 1, %r8
	check 8, 2, %r10
	check 9, page + 0x100, %r9
	bt $28, %ebp
	jnc passed
	check 10, 0x1234, page + 0x380 + 4096
passed:	xor %edi, %edi
end:	mov $231, %eax
	syscall
	.data
	.balign 4096
page:	.skip 0x200
	.quad 0, 1 /* gs:0 */
	.skip 0xf0
word:	.quad 1
result:	.quad 0, 0
selector: .quad 0xffff
far:	.long wrong
	.word 0x33
call:	.long wrong
	.word 0x33
	.balign 4096
	.skip 0x200
	.quad 0x77, 0x99
	.skip 0xf0
	.quad 6, 0, 0, 0
	.long behind
	.word 0x33
	.long called
	.word 0x33
	.org page + 4096 + 0x340
	.quad 0x1234
	.balign 4096
	.text
wrong:	mov $99, %edi
	jmp end
called:	mov $2, %r10d
	mov 4096(%rsp), %eax /* pushed there: the return address, and the selector */
	add $8, %rsp
	jmp *%rax
//> rewrites
//= ~ (29|31) accesses moved
