// SPDX-License-Identifier: Apache-2.0
// A position-independent program without an interpreter, with a hole between its segments: the next small mapping would go there, the engine must not look for its place there.
// test: cc=-nostdlib -static-pie -Wl,-z,noexecstack -Wl,--section-start=.far=0x6000
// test: wrap=setarch -R
// test: status=42
    .globl _start
_start:
    mov value(%rip), %edi
    mov $60, %eax
    syscall
    .section .far, "aw", @progbits
value:
    .long 42
    .section .note.GNU-stack, "", @progbits
