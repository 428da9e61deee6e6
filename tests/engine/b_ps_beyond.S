// SPDX-License-Identifier: Apache-2.0
// A program made by hand: its first segment lies beyond the end of its file, its headers are in no segment, and it runs all the same.
// test: cc=-nostdlib -static -Wl,--oformat=binary -Wl,--build-id=none -Wl,-Ttext=0x400000
// test: status=42
    .text
    .globl _start
    .set base, 0x400000
    .set page, 4096
ehdr:
    .byte 0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0
    .short 2, 62              /* ET_EXEC, EM_X86_64 */
    .long 1
    .quad _start
    .quad phdr - ehdr
    .quad 0
    .long 0
    .short 64, 56, 2, 0, 0, 0
phdr:
    .long 1, 4                /* PT_LOAD, PF_R */
    .quad 0x100000, base - 16 * page, base - 16 * page, page, page, page
    .long 1, 7
    .quad page, base + page, base + page, end - code, end - code, page
    .fill page - (. - ehdr), 1, 0
code:
_start:
    incl count(%rip)
    mov $60, %eax
    mov count(%rip), %edi
    syscall
count:
    .long 41
end:
    .section .note.GNU-stack, "", @progbits
