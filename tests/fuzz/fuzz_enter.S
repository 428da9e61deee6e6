/* SPDX-License-Identifier: Apache-2.0
 * Into a case and out of it: all registers from fuzz_in and fuzz_xin, all registers to fuzz_out and fuzz_xout. The offsets are those of
 * struct run_in and run_out (asserted in fuzz_run.c). FS and GS bases are the case's own while it runs. */
#define GPR(n) (8 * (n))
#define RIP 128
#define FLAGS 136
#define FS 144
#define GS 152
#define XMASK 160
/* in struct stops (asserted in fuzz_stops.c) */
#define STOP_FS 184
#define STOP_GS 192

    .text
    .globl fuzz_enter
fuzz_enter:
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    mov %rsp, fuzz_host_sp(%rip)
    rdfsbase %rax
    mov %rax, host_fs(%rip)
    rdgsbase %rax
    mov %rax, host_gs(%rip)
    movb $1, fuzz_in_case(%rip)
    mov fuzz_in+XMASK(%rip), %eax
    xor %edx, %edx
    xrstor64 fuzz_xin(%rip)
    mov fuzz_in+FS(%rip), %rax
    wrfsbase %rax
    mov fuzz_in+GS(%rip), %rax
    wrgsbase %rax
    mov fuzz_in+GPR(1)(%rip), %rcx
    mov fuzz_in+GPR(2)(%rip), %rdx
    mov fuzz_in+GPR(3)(%rip), %rbx
    mov fuzz_in+GPR(5)(%rip), %rbp
    mov fuzz_in+GPR(6)(%rip), %rsi
    mov fuzz_in+GPR(7)(%rip), %rdi
    mov fuzz_in+GPR(8)(%rip), %r8
    mov fuzz_in+GPR(9)(%rip), %r9
    mov fuzz_in+GPR(10)(%rip), %r10
    mov fuzz_in+GPR(11)(%rip), %r11
    mov fuzz_in+GPR(12)(%rip), %r12
    mov fuzz_in+GPR(13)(%rip), %r13
    mov fuzz_in+GPR(14)(%rip), %r14
    mov fuzz_in+GPR(15)(%rip), %r15
    pushq fuzz_in+FLAGS(%rip)
    popfq
    mov fuzz_in+GPR(0)(%rip), %rax
    mov fuzz_in+GPR(4)(%rip), %rsp
    .globl fuzz_go
fuzz_go:
    jmp *fuzz_in+RIP(%rip)

    .globl fuzz_leave
fuzz_leave:
    mov %rax, fuzz_out+GPR(0)(%rip)
    mov %rcx, fuzz_out+GPR(1)(%rip)
    mov %rdx, fuzz_out+GPR(2)(%rip)
    mov %rbx, fuzz_out+GPR(3)(%rip)
    mov %rsp, fuzz_out+GPR(4)(%rip)
    mov %rbp, fuzz_out+GPR(5)(%rip)
    mov %rsi, fuzz_out+GPR(6)(%rip)
    mov %rdi, fuzz_out+GPR(7)(%rip)
    mov %r8, fuzz_out+GPR(8)(%rip)
    mov %r9, fuzz_out+GPR(9)(%rip)
    mov %r10, fuzz_out+GPR(10)(%rip)
    mov %r11, fuzz_out+GPR(11)(%rip)
    mov %r12, fuzz_out+GPR(12)(%rip)
    mov %r13, fuzz_out+GPR(13)(%rip)
    mov %r14, fuzz_out+GPR(14)(%rip)
    mov %r15, fuzz_out+GPR(15)(%rip)
    mov fuzz_host_sp(%rip), %rsp
    pushfq
    popq fuzz_out+FLAGS(%rip)
    pushq $0x202
    popfq
    rdfsbase %rax
    mov %rax, fuzz_out+FS(%rip)
    rdgsbase %rax
    mov %rax, fuzz_out+GS(%rip)
    mov host_fs(%rip), %rax
    wrfsbase %rax
    mov host_gs(%rip), %rax
    wrgsbase %rax
    mov fuzz_in+XMASK(%rip), %eax
    xor %edx, %edx
    xsave64 fuzz_xout(%rip)

    .globl fuzz_abort
fuzz_abort:
    movb $0, fuzz_in_case(%rip)
    mov fuzz_in+XMASK(%rip), %eax
    xor %edx, %edx
    xrstor64 initial(%rip)
    fninit
    ldmxcsr mxcsr(%rip)
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret

/* Signal handler: back to the program's own segment bases and flags before any C code. It returns to the case when fuzz_on_signal says so. */
    .globl fuzz_handler
fuzz_handler:
    pushq $0x202
    popfq
    cmpb $0, fuzz_in_case(%rip)
    je fuzz_on_signal
    rdfsbase %rax
    mov %rax, fuzz_out+FS(%rip)
    rdgsbase %rax
    mov %rax, fuzz_out+GS(%rip)
    mov host_fs(%rip), %rax
    wrfsbase %rax
    mov host_gs(%rip), %rax
    wrgsbase %rax
    sub $8, %rsp
    call fuzz_on_signal
    add $8, %rsp
    test %eax, %eax
    jz 1f
    mov fuzz_out+FS(%rip), %rax
    wrfsbase %rax
    mov fuzz_out+GS(%rip), %rax
    wrgsbase %rax
1:  ret

/* The marker of `stops`: kill(self, SIGSTOP), with the address of fuzz_stops as a third argument, which the kernel does not look at. */
    .globl fuzz_stop
fuzz_stop:
    mov $62, %eax
    mov $19, %esi
    lea fuzz_stops(%rip), %rdx
    syscall
    ret

/* The handler of `stops`: as fuzz_handler, but nothing of fuzz_out changes, so that it may come anywhere between the markers. */
    .globl fuzz_stop_handler
fuzz_stop_handler:
    pushfq
    andq $0x204000, (%rsp) /* what rt_sigreturn does not put back */
    orq $0x202, (%rsp)
    popfq
    rdfsbase %rax
    mov %rax, fuzz_stops+STOP_FS(%rip)
    rdgsbase %rax
    mov %rax, fuzz_stops+STOP_GS(%rip)
    cmpb $0, fuzz_in_case(%rip)
    je 1f
    mov host_fs(%rip), %rax
    wrfsbase %rax
    mov host_gs(%rip), %rax
    wrgsbase %rax
1:  sub $8, %rsp
    call fuzz_on_stop
    add $8, %rsp
    mov fuzz_stops+STOP_FS(%rip), %rax
    wrfsbase %rax
    mov fuzz_stops+STOP_GS(%rip), %rax
    wrgsbase %rax
    ret

    .bss
    .globl fuzz_host_sp, fuzz_in_case
    .balign 8
fuzz_host_sp: .skip 8
host_fs: .skip 8
host_gs: .skip 8
fuzz_in_case: .skip 8
    .balign 64
initial: .skip 4096 /* zero header: every component to its initial state */
    .section .rodata
    .balign 4
mxcsr: .long 0x1f80
    .section .note.GNU-stack, "", @progbits
