// SPDX-License-Identifier: Apache-2.0
// A local routine that is called once.
	.globl _start
	.text
	.type _start, @function
_start:
	lea stack_top(%rip), %rsp
	call f
	mov %eax, %edi
	mov $60, %eax
	syscall
	.size _start, . - _start
	.type f, @function
f:	xor %eax, %eax
	jmp 1f
1:	nop
	ret
	.size f, . - f
	.type g, @function
g:	ret
	.size g, . - g
	.bss
	.balign 4096
stack:	.skip 4096
stack_top: .skip 64
//> places
//= the first section has 0 bytes and the name ""
//= f has 4 instructions
//= g is new now, without a symbol
//= the program starts: image places, f is known
//= first: an instruction of an open routine
//= second: a routine
//= third: an instruction of an open routine
//= fourth: a routine, by the routine's function
//= fifth: a trace
//= sixth: a block, by the trace's function
//= seventh: an instruction of a trace
//= eighth: an instruction, by its function
//= f in routine f, open
//= f in routine f, traced
//= f+2 in routine f, open
//= f+2 in routine f, traced
//= f+4 in routine f, open
//= f+4 in routine f, traced
//= f+5 in routine f, open
//= f+5 in routine f, traced
//> places from=ins what=call err=yes status=1
//= ~linchpin: RTN_InsertCall: RTN_InsertCall is NOT supported from the tool's TRACE or INS instrumentation callback .called at tools/places.cpp:\d+.
//> places from=trace what=replace err=yes status=1
//= linchpin: RTN_Replace: RTN_Replace is NOT supported from the tool's TRACE or INS instrumentation callback
//> places from=trace what=signature err=yes status=1
//= ~linchpin: RTN_ReplaceSignature: RTN_ReplaceSignature is NOT supported from .* .called at tools/places.cpp:\d+.
