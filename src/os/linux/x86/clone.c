/* SPDX-License-Identifier: Apache-2.0
 * clone onto another stack; the guest's start state; segment bases. No state, no lock; only the calling thread. */
#include "os/linux/clone.h"

#include "arch/arch.h"
#include "context.h"
#include "os/linux/sys.h"
#include "sigframe32.h"

#include <asm/prctl.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

/* rdi: struct clone_call. The child's registers but rax and rsp are the parent's: rbx has the function, rbp its
 * argument. */
__asm__(".text\n"
        ".globl clone_on_stack\n"
        ".type clone_on_stack, @function\n"
        "clone_on_stack:\n"
        "    push %rbx\n"
        "    push %rbp\n"
        "    mov %rdi, %r11\n"
        "    mov 0(%r11), %rax\n"
        "    mov 8(%r11), %rdi\n"
        "    mov 16(%r11), %rsi\n"
        "    mov 24(%r11), %rdx\n"
        "    mov 32(%r11), %r10\n"
        "    mov 40(%r11), %r8\n"
        "    mov 48(%r11), %rbx\n"
        "    mov 56(%r11), %rbp\n"
        "    syscall\n"
        "    test %rax, %rax\n"
        "    jz 1f\n"
        "    pop %rbp\n"
        "    pop %rbx\n"
        "    ret\n"
        "1:  mov %rbp, %rdi\n"
        "    xor %ebp, %ebp\n"
        "    call *%rbx\n"
        "    ud2\n"
        ".size clone_on_stack, . - clone_on_stack\n");

_Static_assert(offsetof(struct clone_call, child) == 48 && offsetof(struct clone_call, arg) == 56,
               "used by the assembly above");

/* --- start state -------------------------------------------------------------------------------------------------- */

#define USER32_CS 0x23 /* of an IA-32 program */
#define XSAVE_SW_BYTES 464 /* of the legacy area: the kernel's, the hardware ignores them */

#define ERESTART_RESTARTBLOCK 516

static void load_xstate(struct cpu_state *c, const u8 *image, size_t n)
{
    if (!n)
        return;
    if (n > sizeof c->xsave)
        die(1, "the program's extended state is %lu bytes, more than the %lu that are provided for", n,
            sizeof c->xsave);
    memcpy(c->xsave, image, n);
    memset(c->xsave + XSAVE_SW_BYTES, 0, 512 - XSAVE_SW_BYTES);
}

static void load_regs(struct cpu_state *c, const struct user_regs_struct *r)
{
    const u64 gpr[GPR_COUNT] = {
        [RAX] = r->rax, [RCX] = r->rcx, [RDX] = r->rdx, [RBX] = r->rbx, [RSP] = r->rsp, [RBP] = r->rbp, [RSI] = r->rsi,
        [RDI] = r->rdi,
        [R8] = r->r8, [R9] = r->r9, [R10] = r->r10, [R11] = r->r11, [R12] = r->r12, [R13] = r->r13, [R14] = r->r14,
        [R15] = r->r15,
    };
    memcpy(c->gpr, gpr, sizeof gpr);
    c->pc = r->rip;
    c->flags = r->eflags;
}

/* In __kernel_vsyscall the last system call instruction, to whose end all of them return. 0: not there. */
static gpc_t find_int80(u64 function)
{
    const u8 *p = (const u8 *)function;
    for (u32 i = 0; p && i < 32; i++)
        if (p[i] == 0xcd && p[i + 1] == 0x80)
            return (gpc_t)(p + i);
    return 0;
}

void boot_load_state(struct cpu_state *c, const struct boot_info *boot)
{
    load_regs(c, &boot->regs);
    cpu_guest32 = arch_narrow = boot->regs.cs == USER32_CS;
    sigframe32_restorer[0] = boot->narrow_vdso.sigreturn;
    sigframe32_restorer[1] = boot->narrow_vdso.rt_sigreturn;
    cpu_guest32_call = find_int80(boot->narrow_vdso.call);
    c->gs_base = boot->regs.gs_base;
    load_xstate(c, boot->xstate, boot->xstate_bytes);
    arch_set_tls_base(boot->regs.fs_base);
}

void boot_load_thread(struct cpu_state *c, const struct boot_thread *t)
{
    load_regs(c, &t->regs);
    load_xstate(c, t->xstate, t->xstate_bytes);
}

void boot_save_thread(struct boot_thread *t, const struct cpu_state *c, u64 tls, bool xstate)
{
    const u64 *g = c->gpr;
    t->regs = (struct user_regs_struct){
        .rax = g[RAX], .rcx = g[RCX], .rdx = g[RDX], .rbx = g[RBX], .rsp = g[RSP], .rbp = g[RBP], .rsi = g[RSI],
        .rdi = g[RDI],
        .r8 = g[R8], .r9 = g[R9], .r10 = g[R10], .r11 = g[R11], .r12 = g[R12], .r13 = g[R13], .r14 = g[R14],
        .r15 = g[R15],
        .rip = c->pc, .eflags = c->flags, .fs_base = tls, .gs_base = c->gs_base, .orig_rax = (u64)-1,
    };
    t->xstate_bytes = xstate ? context_xstate_bytes() : 0;
    memcpy(t->xstate, c->xsave, t->xstate_bytes);
}

void boot_load_bases(struct cpu_state *c, const struct boot_thread *t)
{
    c->gs_base = t->regs.gs_base;
    arch_set_tls_base(t->regs.fs_base);
}

void boot_set_start(struct boot_thread *t, void (*fn)(void *), void *arg, u64 sp, u64 tls)
{
    t->start = t->regs;
    t->start.rip = (u64)fn;
    t->start.rdi = (u64)arg;
    t->start.rsp = (sp & ~63ul) - 8; /* aligned as at a function's start */
    t->start.rbp = 0;
    t->start.eflags = 0x202;
    t->start.orig_rax = (u64)-1;
    t->start.fs_base = tls;
}

u64 boot_thread_pc(const struct boot_thread *t) { return t->regs.rip; }
u64 boot_thread_call(const struct boot_thread *t) { return t->regs.orig_rax; }
u64 boot_tls_in_cache(const struct boot_thread *t) { return t->regs.gs_base; }
bool boot_call_restarts(const struct boot_thread *t) { return t->regs.rax == (u64)-ERESTART_RESTARTBLOCK; }

/* --- segment bases ------------------------------------------------------------------------------------------------ */

#define BASE_ALWAYS_VALID ((1ul << 47) - PAGE_BYTES)

/* May a segment base be this? The kernel's rule for FS and GS is the same, so the kernel is asked for GS, which has the
 * guest's FS base. */
s64 tls_base_check(u64 base)
{
    if (base < BASE_ALWAYS_VALID)
        return 0;
    u64 tls = arch_tls_base();
    s64 r = arch_raw_syscall(SYS_arch_prctl, ARCH_SET_GS, base, 0, 0, 0, 0);
    arch_set_tls_base(tls);
    return r;
}

static s64 set_base(u64 code, u64 base)
{
    s64 r = tls_base_check(base);
    if (r)
        return r;
    if (code == ARCH_SET_FS)
        arch_set_tls_base(base);
    else
        vm_tc.cpu.gs_base = base;
    return 0;
}

#define ARCH_SHSTK_FIRST 0x5001
#define ARCH_SHSTK_LAST 0x5005

void sys_arch_prctl(void)
{
    u64 code = sys_arg(0), addr = sys_arg(1), value = 0;
    switch (code) {
    case ARCH_SET_FS:
    case ARCH_SET_GS:
        sys_finish(set_base(code, addr));
        return;
    case ARCH_GET_FS:
    case ARCH_GET_GS:
        value = code == ARCH_GET_FS ? arch_tls_base() : vm_tc.cpu.gs_base;
        sys_finish(sys_write(addr, &value, sizeof value) ? 0 : -EFAULT);
        return;
    case ARCH_SHSTK_FIRST ... ARCH_SHSTK_LAST:
        sys_finish(-EOPNOTSUPP); /* calls and returns in the cache are not the guest's */
        return;
    default:
        sys_pass();
    }
}
