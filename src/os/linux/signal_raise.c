/* SPDX-License-Identifier: Apache-2.0
 * Faults that the engine finds itself, where the CPU would have raised one: code that cannot be fetched or that is no
 * instruction. They are delivered as the CPU's are. */
#include "os/linux/signal_private.h"

#include "os/fault.h"
#include "os/linux/sys.h"
#include "os/os.h"

#define SEGV_INFO_MAPERR 1

static const struct fault {
    int sig, code;
    u64 trapno, err;
    bool with_cr2, at_pc;
} faults[] = {
    [OS_FAULT_EXEC_UNMAPPED] = {SIGSEGV, SEGV_INFO_MAPERR, 14, 0x14, true, false},
    [OS_FAULT_EXEC_PROTECTED] = {SIGSEGV, SEGV_ACCERR, 14, 0x15, true, false},
    [OS_FAULT_ILLEGAL] = {SIGILL, ILL_ILLOPN, 6, 0, false, true},
    [OS_FAULT_GENERAL] = {SIGSEGV, SI_KERNEL, 13, 0, false, false},
    [OS_FAULT_BUS] = {SIGBUS, BUS_ADRERR, 14, 0x14, true, false},
};

#define ERR_PRESENT 1 /* page fault error code: there is a page, it may not be used like this */

/* Does the processor find a page there? Not where all access is forbidden. Where nothing was touched yet the kernel
 * brings one in before it looks at the right to execute, as this read does. */
static bool page_is_present(u64 addr)
{
    u8 byte;
    return os_safe_copy(&byte, (const void *)addr, 1) == 1;
}

static struct fault fault_of(enum os_fault kind, u64 addr)
{
    struct fault f = faults[kind];
    bool canonical = (s64)(addr << 16) >> 16 == (s64)addr;
    if (kind == OS_FAULT_EXEC_UNMAPPED && !canonical)
        return faults[OS_FAULT_GENERAL];
    if (kind == OS_FAULT_EXEC_UNMAPPED && (s64)addr < 0)
        f.err |= ERR_PRESENT; /* the kernel says so of its own half, whatever is mapped there */
    if (kind == OS_FAULT_EXEC_PROTECTED && !page_is_present(addr))
        f.err &= ~(u64)ERR_PRESENT;
    return f;
}

/* A branch to an address that is not canonical faults where it is. That is known of calls, by where they would return
 * to; of other branches the target is all that is left (docs/limits.md). */
static void back_to_call(void)
{
    u64 back;
    if (os_safe_copy(&back, (void *)arch_sp(&vm_tc.cpu), sizeof back) == sizeof back)
        arch_undo_call(&vm_tc.cpu, back);
}

/* The fault goes into the slot and is not delivered here, because the caller may hold jit_lock, which writing a
 * frame may need. */
void os_raise_fault(enum os_fault kind, u64 addr)
{
    struct os_thread *os = &vm_tc.os;
    struct fault f = fault_of(kind, addr);
    signal_block_all();
    if (signal_slot_full())
        return; /* what came first goes first; the instruction will fault again */
    if (kind == OS_FAULT_EXEC_UNMAPPED && f.code == SI_KERNEL)
        back_to_call();
    siginfo_t info = {.si_signo = f.sig, .si_code = f.code};
    if (f.at_pc)
        info.si_addr = (void *)arch_pc(&vm_tc.cpu);
    else if (f.with_cr2)
        info.si_addr = (void *)addr;
    os->fault_trapno = f.trapno;
    os->fault_err = f.err;
    if (f.with_cr2)
        os->fault_cr2 = addr;
    sigframe_mark_fault(&vm_tc.cpu);
    os->pending_info = info;
    signal_set_attention();
}
