// SPDX-License-Identifier: Apache-2.0
// Symbols that compete: a short local name and a longer global one at one address; and behind a function with its size one that only unwind information knows.
	.globl _start, longer_and_global
	.text
	.type _start, @function
_start:
	mov $60, %eax
	xor %edi, %edi
	syscall
	.size _start, . - _start
	.type a, @function
	.type longer_and_global, @function
a:
longer_and_global:
	mov $1, %eax
	ret
	.size a, . - a
	.size longer_and_global, . - longer_and_global
	.type sized, @function
sized:	.cfi_startproc
	mov $2, %eax
	ret
	.cfi_endproc
	.size sized, . - sized
at_unnamed:
	.cfi_startproc
	mov $3, %eax
	nop
	ret
	.cfi_endproc
	.type last, @function
last:	.cfi_startproc
	ret
	.cfi_endproc
	.size last, . - last
//> names
//= _start, 9 bytes: _start
//= longer_and_global, 6 bytes: longer_and_global
//= sized, 6 bytes: sized
//= ~at_unnamed, 7 bytes: sub_[0-9a-f]+
//= last, 1 bytes: last
//= a: longer_and_global
//= longer_and_global: longer_and_global
//= sized: sized
