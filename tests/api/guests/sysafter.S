// SPDX-License-Identifier: Apache-2.0
// Calls before and after system calls: results and errors, calls that the VM carries out, that come back twice, never or elsewhere. rbx has the place of a word that read fills.
// counts: no
	.globl _start
	.text
_start:
	lea stack_top(%rip), %rsp
at_first:
	mov $110, %eax /* getppid, in the cache otherwise */
	syscall
	mov $3, %eax /* close(77): through the VM, EBADF */
	mov $77, %edi
	mov $2, %esi
	mov $3, %edx
	mov $4, %r10d
	mov $5, %r8d
	mov $6, %r9d
	syscall
	mov $24, %eax /* sched_yield, whose number a reference changes */
	syscall
	mov $9, %eax /* mmap: a result with its top bit clear that is not an error */
	mov $0x20000000, %edi
	mov $4096, %esi
	mov $3, %edx
	mov $0x32, %r10d
	mov $-1, %r8
	xor %r9d, %r9d
	syscall
	mov $6, %eax /* close(77) by int $0x80: EBADF */
	mov $77, %ebx
	int $0x80
	mov $13, %eax /* rt_sigaction(SIGUSR1) */
	mov $10, %edi
	lea action(%rip), %rsi
	xor %edx, %edx
	mov $8, %r10d
	syscall
	mov $39, %eax
	syscall
	mov %eax, %edi
	mov $62, %eax /* kill: the call is complete, and its after-calls run, before the handler */
	mov $10, %esi
at_kill:
	syscall
	mov $58, %eax /* vfork */
at_vfork:
	syscall
	test %eax, %eax
	jz child
	mov $61, %eax /* wait4 */
	mov $-1, %edi
	xor %esi, %esi
	xor %edx, %edx
	xor %r10d, %r10d
	syscall
	mov $0, %edi
	mov $231, %eax
	syscall
child:
	mov $1, %edi
	mov $60, %eax
	syscall
handler:
	mov $102, %eax
	syscall
	ret
restore:
	mov $15, %eax
	syscall
at_last:
	.data
	.balign 8
action:	.quad handler, 0x04000000, restore, 0
	.bss
	.skip 65536
stack_top:
//> sysafter
//= before 110
//= after: 1 0 at 1
//= before 3 (77 2 3 4 5 6) same 77 6
//= after: -1 9 at 1
//= before 24
//= after: 0 0 at 1
//= before 9
//= after: 536870912 0 at 1
//= before 6 (77)
//= after: -1 9 at 1
//= before 13
//= after: 0 0 at 1
//= before 39
//= after: 1 0 at 1
//= before 62
//= after: 0 0 at 1
//= before 102
//= after: 1 0 at 1
//= before 15
//= before 58
//= before 60
//= after: 1 0 at 1
//= before 61
//= after: 1 0 at 1
//= before 231
//> sysafter watch=1 change=1
//= before 110
//= after: 1 0 at 1
//= before 3 (77 2 3 4 5 6) same 77 6
//= after: -1 9 at 1
//= before 24
//= after: -1 38 at 1
//= before 9
//= after: 536870912 0 at 1
//= before 6 (77)
//= after: -1 9 at 1
//= before 13
//= after: 0 0 at 1
//= before 39
//= after: 1 0 at 1
//= before 62
//= after: 0 0 at 1
//= before 102
//= after: 1 0 at 1
//= before 15
//= before 58
//= before 60
//= after: 1 0 at 1
//= before 61
//= after: 1 0 at 1
//= before 231
//> sysafter taken=1
//= 14 system calls, 0 taken
//> sysafter wrong=ret status=1 err=yes
//= ~ linchpin: INS_InsertCall: the result of a system call is known after it only: IPOINT_AFTER \(instruction at at_first\S*\) \(called at tools/sysafter.cpp:\d+\)
//> sysafter wrong=arg status=1 err=yes
//= ~ linchpin: INS_InsertCall: number and arguments .*
//> sysafter wrong=place status=1 err=yes
//= ~ linchpin: INS_InsertCall: an argument of a system call, but this is not a system call .*
