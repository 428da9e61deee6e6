// SPDX-License-Identifier: Apache-2.0
// A program whose headers no segment maps: the kernel gives AT_PHDR 0, and nothing in memory says where the program lies.
// test: cc=-nostdlib -static -Wl,--no-warn-rwx-segments
// test[omagic]: cc=-Wl,-N
// test[nmagic]: cc=-Wl,-n
// test[pie]: cc=-static-pie -Wl,-N
// test: status=42
    .globl _start
_start:
    incl count(%rip)
    mov $60, %eax
    mov count(%rip), %edi
    syscall
    .data
count:
    .long 41
    .bss
    .skip 9000
    .section .note.GNU-stack, "", @progbits
