// SPDX-License-Identifier: Apache-2.0
// A function with three names; those without an underscore at their start are preferred. It has no debug information.
// counts: no
	.globl _start, a_long_name, _z, at_function
	.type a_long_name, @function
	.type _z, @function
	.type at_function, @function
	.text
a_long_name:
at_function:
_z:	ret
	.size _z, . - _z
	.size a_long_name, . - a_long_name
	.size at_function, . - at_function
_start:
	call _z
	mov $231, %eax
	xor %edi, %edi
	syscall
//> aliases
//= a_long_name, no line
//> aliases tool=-short_name
//= _z, no line
//> aliases tool=-short_name tool=0
//= a_long_name, no line
