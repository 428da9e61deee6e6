/* SPDX-License-Identifier: Apache-2.0
 * See fault.h. classify is async-signal-safe; raise runs on the guest's thread in host code. */
#include "os/fault.h"

#include "arch/arch.h"
#include "os/linux/signal_private.h"

#include <string.h>

#define TRAP_X87 16
#define TRAP_SIMD 19
#define TRAP_PAGE 14
#define TRAP_GENERAL 13
#define TRAP_ALIGNMENT 17
#define ERR_WRITE 2
#define ERR_EXECUTE 16
#define STACK_FAULT_CODE 8 /* FPE_FLTSUB: what the kernel gives for an x87 stack fault */

static u8 access_of(u64 err)
{
    return err & ERR_EXECUTE ? FAULT_ACCESS_EXECUTE : err & ERR_WRITE ? FAULT_ACCESS_WRITE : FAULT_ACCESS_READ;
}

static void memory(struct os_fault_info *out, const siginfo_t *info, u64 trapno, u64 err, u64 pc)
{
    if (info->si_signo == SIGBUS)
        out->kind = info->si_code == BUS_ADRALN ? FAULT_MISALIGNED : FAULT_NO_PAGE;
    else if (info->si_code == SEGV_MAPERR || info->si_code == SEGV_ACCERR)
        out->kind = info->si_code == SEGV_MAPERR ? FAULT_UNMAPPED : FAULT_DENIED;
    else
        out->kind = arch_insn_is_privileged(pc) ? FAULT_PRIVILEGED : FAULT_PROTECTION;
    out->has_address =
        trapno == TRAP_PAGE && (out->kind == FAULT_UNMAPPED || out->kind == FAULT_DENIED || out->kind == FAULT_NO_PAGE);
    if (!out->has_address)
        return;
    out->address = (u64)info->si_addr;
    out->access = access_of(err);
}

static void arithmetic(struct os_fault_info *out, int code, u64 trapno)
{
    static const u8 fp[] = {[FPE_FLTDIV] = FAULT_FP_DIVIDE, [FPE_FLTOVF] = FAULT_FP_OVERFLOW,
        [FPE_FLTUND] = FAULT_FP_UNDERFLOW, [FPE_FLTRES] = FAULT_FP_INEXACT,
        [FPE_FLTINV] = FAULT_FP_INVALID, [STACK_FAULT_CODE] = FAULT_FP_STACK};
    if (code == FPE_INTDIV || code == FPE_INTOVF) {
        out->kind = code == FPE_INTDIV ? FAULT_INT_DIVIDE : FAULT_INT_OVERFLOW;
        return;
    }
    out->kind = trapno == TRAP_SIMD ? FAULT_SIMD : FAULT_X87;
    out->fp = code > 0 && code < (int)ARRAY_LEN(fp) ? fp[code] : FAULT_FP_OTHER;
}

void fault_classify(struct os_fault_info *out, const void *siginfo, u64 trapno, u64 err, u64 pc)
{
    const siginfo_t *info = siginfo;
    memset(out, 0, sizeof *out);
    out->kind = FAULT_OTHER;
    switch (info->si_signo) {
    case SIGSEGV:
    case SIGBUS:
        memory(out, info, trapno, err, pc);
        break;
    case SIGILL:
        out->kind = info->si_code == ILL_PRVOPC ? FAULT_PRIVILEGED : FAULT_ILLEGAL;
        break;
    case SIGFPE:
        arithmetic(out, info->si_code, trapno);
        break;
    case SIGTRAP:
        out->kind = info->si_code == TRAP_TRACE ? FAULT_STEP : FAULT_BREAKPOINT;
        break;
    }
}

/* --- raising -------------------------------------------------------------------------------------------------- */

static const struct {
    u8 sig, code, trapno;
} raised[] = {
    [FAULT_UNMAPPED] = {SIGSEGV, SEGV_MAPERR, TRAP_PAGE},
    [FAULT_DENIED] = {SIGSEGV, SEGV_ACCERR, TRAP_PAGE},
    [FAULT_NO_PAGE] = {SIGBUS, BUS_ADRERR, TRAP_PAGE},
    [FAULT_MISALIGNED] = {SIGBUS, BUS_ADRALN, TRAP_ALIGNMENT},
    [FAULT_PROTECTION] = {SIGSEGV, SI_KERNEL, TRAP_GENERAL},
    [FAULT_ILLEGAL] = {SIGILL, ILL_ILLOPN, 6},
    [FAULT_PRIVILEGED] = {SIGSEGV, SI_KERNEL, TRAP_GENERAL},
    [FAULT_INT_DIVIDE] = {SIGFPE, FPE_INTDIV, 0},
    [FAULT_INT_OVERFLOW] = {SIGSEGV, SI_KERNEL, 4},
    [FAULT_BOUNDS] = {SIGSEGV, SI_KERNEL, 5},
    [FAULT_X87] = {SIGFPE, 0, TRAP_X87},
    [FAULT_SIMD] = {SIGFPE, 0, TRAP_SIMD},
    [FAULT_BREAKPOINT] = {SIGTRAP, SI_KERNEL, 3},
    [FAULT_STEP] = {SIGTRAP, TRAP_TRACE, 1},
    [FAULT_OTHER] = {SIGSEGV, SI_KERNEL, TRAP_GENERAL},
};

static int fp_code(u8 fp)
{
    static const u8 codes[] = {[FAULT_FP_OTHER] = FPE_FLTINV, [FAULT_FP_DIVIDE] = FPE_FLTDIV,
        [FAULT_FP_OVERFLOW] = FPE_FLTOVF, [FAULT_FP_UNDERFLOW] = FPE_FLTUND,
        [FAULT_FP_INEXACT] = FPE_FLTRES, [FAULT_FP_INVALID] = FPE_FLTINV, [FAULT_FP_STACK] = FPE_FLTINV};
    return codes[fp];
}

void fault_raise(const struct os_fault_info *f)
{
    struct os_thread *os = &vm_tc.os;
    siginfo_t info = {.si_signo = raised[f->kind].sig, .si_code = raised[f->kind].code};
    if (f->kind == FAULT_X87 || f->kind == FAULT_SIMD)
        info.si_code = fp_code(f->fp);
    bool paged = raised[f->kind].trapno == TRAP_PAGE;
    if (paged)
        info.si_addr = (void *)f->address;
    else if (info.si_signo != SIGSEGV && info.si_signo != SIGBUS)
        info.si_addr = (void *)arch_pc(&vm_tc.cpu);
    os->fault_trapno = raised[f->kind].trapno;
    os->fault_err = paged ? 4u | (f->access == FAULT_ACCESS_WRITE ? ERR_WRITE : 0) |
                                (f->access == FAULT_ACCESS_EXECUTE ? ERR_EXECUTE : 0) | (f->kind == FAULT_DENIED)
                          : 0;
    if (paged)
        os->fault_cr2 = f->address;
    if (!f->trap)
        sigframe_mark_fault(&vm_tc.cpu);
    signal_force(&info);
}

#define FLAG_AC (1u << 18)

static void misaligned_load(void)
{
    static const u64 words[2];
    __asm__ volatile("pushfq\n\t"
                     "orq %0, (%%rsp)\n\t"
                     "popfq\n\t"
                     "mov (%1), %%eax" ::"i"(FLAG_AC), "r"((const u8 *)words + 1) : "rax", "memory", "cc");
}

void signal_fault(int sig)
{
    switch (sig) {
    case SIGSEGV: __asm__ volatile("mov (%0), %%eax" ::"r"(1ul << 63) : "rax"); return; /* not canonical */
    case SIGBUS: misaligned_load(); return;
    case SIGILL: __asm__ volatile("ud2"); return;
    case SIGFPE: __asm__ volatile("div %0" ::"r"(0), "a"(0), "d"(0) : "cc"); return;
    case SIGTRAP: __asm__ volatile("int3"); return;
    }
}
