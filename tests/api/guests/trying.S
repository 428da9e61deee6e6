// SPDX-License-Identifier: Apache-2.0
// Faults in the tool's routines, which are called at at_try and get an address. The program has handlers of its own, which must not hear of them unless the tool says so: status 9.
// counts: no
	.globl _start
	.text
_start:
	mov $13, %eax /* rt_sigaction(SIGSEGV) */
	mov $11, %edi
	lea action(%rip), %rsi
	xor %edx, %edx
	mov $8, %r10d
	syscall
	mov $9, %eax /* mmap of a page that may be read only, then one that may not be accessed */
	mov $0x20000000, %edi
	mov $8192, %esi
	mov $1, %edx
	mov $0x32, %r10d
	mov $-1, %r8
	xor %r9d, %r9d
	syscall
	mov $10, %eax /* mprotect */
	mov $0x20001000, %edi
	mov $4096, %esi
	xor %edx, %edx
	syscall
	lea at_word(%rip), %rdi
	mov $0, %ebx
at_try:
	nop
	mov $0, %edi
at_exit:
	mov $231, %eax
	syscall
handler:
	mov $9, %edi
	mov $231, %eax
	syscall
restore:
	mov $15, %eax
	syscall
	.data
	.balign 8
at_word: .quad 77
action:	.quad handler, 0x04000000, restore, 0
//> trying what=handled
//= handler: ACCESS_INVALID_ADDRESS class 2 write to 0x18 tid 0
//= went on with 5
//= fini 0
//> trying what=outer
//= inner
//= handler: ACCESS_INVALID_ADDRESS class 2 write to 0x18 tid 0
//= went on with 5
//= fini 0
//> trying what=global
//= inner
//= global
//= handler: ACCESS_INVALID_ADDRESS class 2 write to 0x18 tid 0
//= went on with 5
//= fini 0
//> trying what=ended status=-11 err=yes
//= ~ linchpin: the tool faulted with signal 11 in Poke \(trying\.so \+ 0x[0-9a-f]+\); thread 0, guest pc at_try\. Exception Code: ACCESS_INVALID_ADDRESS\(0x1\)\. Exception Address: 0x[0-9a-f]+\. Access Type: write\. Access Address: 0x18\.
//> trying what=unhandled status=-11 err=yes
//= ~ linchpin: the tool faulted with signal 11 in Poke .*
//> trying what=library status=-11 err=yes
//= ~ linchpin: the tool faulted with signal 11 in .*lib\S+ .*, called from Library \(trying\.so .*
//> trying what=divide status=-8 err=yes
//= ~ linchpin: the tool faulted with signal 8 in Divide .*Exception Code: INT_DIVIDE_BY_ZERO.*
//> trying what=divided
//= handler: INT_DIVIDE_BY_ZERO class 4 tid 0
//= went on with 5
//= fini 0
//> trying what=raise status=9
//= handler: ACCESS_INVALID_ADDRESS class 2 write to 0x18 tid 0
//= fini 9
//> trying what=execute status=4
//= handler: ACCESS_INVALID_ADDRESS class 2 write to 0x18 tid 0
//= signals are open
//= fini 4
//> trying what=nested status=-11 err=yes
//= ~ linchpin: the tool faulted with signal 11 in Faulty .*
//> trying what=memory
//= copied 8, 77
//= copied 0 from nowhere: ACCESS_INVALID_ADDRESS read 0x18, instruction 0x0
//= copied 0 to nowhere: ACCESS_INVALID_ADDRESS write 0x18, instruction 0x0
//= copied 0 to what is read only: ACCESS_DENIED write 0x20000000, instruction 0x0
//= copied 0 from what is closed: ACCESS_DENIED read 0x20001000, instruction 0x0
//= copied 4096 of 4100: ACCESS_DENIED read 0x20001000, instruction 0x0
//= copied 0 from a strange place: ACCESS_INVALID_ADDRESS read 0x8000000000000000, instruction 0x0
//= read 1 1 0 0 1, write 1 0 0 0 0 1
//= code 90 bf at at_try
//= fini 0
//> trying what=fetch status=6
//= fetched at at_exit-5
//= fini 6
//> trying what=info
//= empty 1
//= Exception Code: ACCESS_MISALIGNED(0x4). Exception Address: 0x1234. Access Type: execute. Access Address: 0x5678.
//= class 2, access fault 1, floating point errors 0
//= Exception Code: SIMD_OVERFLOW(0x12). Exception Address: 0xabc. class 5
//= classes 3 4 7 6
//= fini 0
