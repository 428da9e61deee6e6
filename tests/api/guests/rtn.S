// SPDX-License-Identifier: Apache-2.0
// Two routines, one with two returns; seven arguments.
	.globl _start
	.text
	.type _start, @function
_start:
	lea stack_top(%rip), %rsp
	mov $1, %edi
	mov $2, %esi
	pushq $7
	call f
from1:	mov $0, %edi
	call f
from2:	pop %rdx
	mov $0, %edi
	mov $60, %eax
	syscall
	.size _start, . - _start
	.type f, @function
f:	test %edi, %edi
	jz 1f
	pushq $9
	mov $5, %edi
	call g
from3:	pop %rdx
	ret
1:	mov $77, %eax
	ret
	.size f, . - f
	.type g, @function
g:	lea 1(%rdi), %eax
	ret
	.size g, . - g
	.bss
	.balign 4096
stack:	.skip 4096
stack_top: .skip 64
//> rtn
//= load: main rtn
//= f at f, 24 bytes, rtn
//= g at g, 4 bytes, rtn
//= load: vdso 
//= f(0x1, 0x2, ..., 0x7) from from1
//= g(0x5, 0x2, ..., 0x9) from from3
//= in g at g
//= g returns 0x6
//= in g at g+3
//= f returns 0x6
//= f(0x0, 0x2, ..., 0x7) from from2
//= f returns 0x4d
//= unload rtn
//= unload [vdso]
//= fini 0
