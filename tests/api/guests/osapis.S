// SPDX-License-Identifier: Apache-2.0
// Calls a function, changes its constant, and calls it again: the status is the sum of what it has returned, 1 + 20.
	.globl _start
	.text
_start:
	lea stack_top(%rip), %rsp
	mov $10, %eax /* mprotect(PROT_READ|PROT_WRITE|PROT_EXEC) */
	lea page(%rip), %rdi
	mov $4096, %esi
	mov $7, %edx
	syscall
	call function
	mov %eax, %ebx
	movl $20, function+1(%rip)
	call function
	lea (%rax,%rbx), %edi
	mov $231, %eax
	syscall
	.balign 4096
page:
function:
	mov $1, %eax
	ret
	.balign 4096
	.data
	.skip 8192
stack_top:
// counts: no
//> osapis status=21
//= os apis: right
//> osapis smc=on status=21
//= status 21
// The translation of before: the tool has said that there is no such code.
//> osapis smc=off status=2
//= status 2
