// SPDX-License-Identifier: Apache-2.0
// A function in a writable page, which the engine watches, is changed by the tool: by a plain store at at_store, by PIN_SafeCopy at at_copy, from an instrumentation function when at_instrumented is translated.
// The status is what the function gives afterwards.
// counts: no
	.globl _start
	.text
_start:
	mov $9, %eax
	mov $0x20000000, %edi
	mov $4096, %esi
	mov $7, %edx
	mov $0x32, %r10d
	mov $-1, %r8
	xor %r9d, %r9d
	syscall
	mov $0x20000000, %ebx
	movl $0x000005b8, (%rbx) /* mov $5,%eax; ret */
	movw $0xc300, 4(%rbx)
	call *%rbx
	mov %eax, %r12d
at_store:
	nop
	call *%rbx
	add %eax, %r12d
at_copy:
	nop
	call *%rbx
	add %eax, %r12d
	jmp at_instrumented
at_instrumented:
	nop
	call *%rbx
	add %eax, %r12d
	mov %r12d, %edi
	mov $231, %eax
	syscall
//> toolwrite status=62
