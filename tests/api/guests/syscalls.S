// SPDX-License-Identifier: Apache-2.0
// System calls of every kind: in the cache and through the VM, failing, coming back twice, never, or elsewhere. The process' status is the result of the call at at_asked.
// counts: no (stepping an int is not what it seems)
	.globl _start
	.text
.macro call_ nr, a=0, b=0, c=0
	mov $\nr, %eax
	mov $\a, %edi
	mov $\b, %esi
	mov $\c, %edx
	mov $0x104, %r10d
	mov $0x105, %r8d
	mov $0x106, %r9d
	mov $0x111, %ecx
	mov $0x122, %r11d
.endm
_start:
	call_ 110 /* getppid: the kernel's alone */
at_getppid:
	syscall
	call_ 3, 77 /* close: the VM looks at it; EBADF */
at_close:
	syscall
	call_ 59, nowhere, 0, 0 /* execve: ENOENT */
at_execve:
	syscall
	call_ 1000 /* no such call */
at_nosys:
	syscall
	mov $20, %eax /* getpid of the 32-bit kind */
	mov $0x101, %ebx
	mov $0x102, %ecx
	mov $0x103, %edx
	mov $0x104, %esi
	mov $0x105, %edi
	mov $0x106, %ebp
at_int80:
	int $0x80
	mov $6, %eax /* close(77) likewise */
	mov $77, %ebx
	int $0x80
at_int80_close:
	call_ 24 /* sched_yield, whose answer the tests change */
at_asked:
	syscall
	mov %eax, %r12d
	call_ 58 /* vfork: the child first */
at_vfork:
	syscall
	test %eax, %eax
	jz out
	call_ 231
	mov %r12d, %edi
at_exit_group:
	syscall
out:
	call_ 60, 5
at_exit:
	syscall
	.data
nowhere: .asciz "/nowhere/at/all"
//> syscalls
//= entry 110 (0x0, 0x0, 0x0, 0x104, 0x105, 0x106) at at_getppid std 2 rcx 0x111 r11 0x122 thread 0
//= exit: a number errno 0 at at_getppid+2 std 2 rcx is pc 1
//= entry 3 (0x4d, 0x0, 0x0, 0x104, 0x105, 0x106) at at_close std 2 rcx 0x111 r11 0x122 thread 0
//= exit: -1 errno 9 at at_close+2 std 2 rcx is pc 1
//= entry 59 (nowhere, 0x0, 0x0, 0x104, 0x105, 0x106) at at_execve std 2 rcx 0x111 r11 0x122 thread 0
//= exit: -1 errno 2 at at_execve+2 std 2 rcx is pc 1
//= entry 1000 (0x0, 0x0, 0x0, 0x104, 0x105, 0x106) at at_nosys std 2 rcx 0x111 r11 0x122 thread 0
//= exit: -1 errno 38 at at_nosys+2 std 2 rcx is pc 1
//= entry 20 (0x101, 0x102, 0x103, 0x104, 0x105, 0x106) at at_int80 std 1 rcx 0x102 r11 0x202 thread 0
//= exit: a number errno 0 at at_int80+2 std 1 rcx is pc 0
//= entry 6 (0x4d, 0x102, 0x103, 0x104, 0x105, 0x106) at at_int80+12 std 1 rcx 0x102 r11 0x202 thread 0
//= exit: -1 errno 9 at at_int80_close std 1 rcx is pc 0
//= entry 24 (0x0, 0x0, 0x0, 0x104, 0x105, 0x106) at at_asked std 2 rcx 0x111 r11 0x122 thread 0
//= exit: 0 errno 0 at at_asked+2 std 2 rcx is pc 1
//= entry 58 (0x0, 0x0, 0x0, 0x104, 0x105, 0x106) at at_vfork std 2 rcx 0x111 r11 0x122 thread 0
//= child exit: 0 errno 0 at at_vfork+2 std 2 rcx is pc 1
//= child entry 60 (0x5, 0x0, 0x0, 0x104, 0x105, 0x106) at at_exit std 2 rcx 0x111 r11 0x122 thread 0
//= exit: a number errno 0 at at_vfork+2 std 2 rcx is pc 1
//= entry 231 (0x0, 0x0, 0x0, 0x104, 0x105, 0x106) at at_exit_group std 2 rcx 0x111 r11 0x122 thread 0
//= fini 0
//> syscalls quiet=1 number=24:1000 status=218
//= fini -38
//> syscalls quiet=1 ret=24:77 status=77
//= fini 77
//> syscalls quiet=1 errno=24:5 status=251
//= fini -5
//> syscalls quiet=1 errno=24:-5 status=251
//= fini -5
//> syscalls quiet=1 arg=231:0:9 status=9
//= fini 9
