/* SPDX-License-Identifier: Apache-2.0
 * Arguments of analysis calls that are a system call's: number, arguments, result. Code as in bridge_args.c. */
#include "arch/x86/bridge.h"

#include "opt/objects.h"
#include "arch/x86/facts.h"
#include "arch/x86/syscall_regs.h"
#include "linchpin/iarg.h"
#include "os/thread.h"

static bool is_sysarg(u16 iarg)
{
    return iarg == IARG_SYSCALL_NUMBER || iarg == IARG_SYSARG_VALUE || iarg == IARG_SYSARG_REFERENCE ||
           iarg == IARG_SYSRET_VALUE || iarg == IARG_SYSRET_ERRNO;
}

/* The registers by both conventions, because the call itself does not say which one is meant. */
u16 bridge_sysarg_expose(const struct call_arg *a)
{
    if (a->iarg != IARG_SYSARG_REFERENCE || a->index > 5)
        return 0;
    return (u16)(1u << syscall_arg_reg[a->index] | 1u << syscall_int80_reg[a->index]);
}

static void misuse(const struct bridge *g, const struct call *c, const char *what)
{
    api_misuse("INS_InsertCall", c->file, c->line, "%s (instruction at 0x%lx)", what, g->in->pc);
}

/* From the result in `to`, sign-extended: the error's number (0: none), or -1 if it is an error. */
static void take_error(struct bridge *g, enum gpr to, bool number)
{
    u8 ext = (u8)(to >> 3);
    EMIT(&g->e, 0x48 | ext, 0x81, (u8)(0xf8 | (to & 7))); /* cmp $-4095,%to: unsigned, below is no error */
    emit_u32(&g->e, (u32)-SYSCALL_MAX_ERROR);
    if (number) {
        EMIT(&g->e, 0x73, 9); /* jae: an error */
        EMIT(&g->e, 0x48 | ext, 0xc7, (u8)(0xc0 | (to & 7))); /* mov $0,%to */
        emit_u32(&g->e, 0);
        EMIT(&g->e, 0xeb, 3);
        EMIT(&g->e, 0x48 | ext, 0xf7, (u8)(0xd8 | (to & 7))); /* neg %to */
    } else {
        EMIT(&g->e, 0x72, 7); /* jb */
        EMIT(&g->e, 0x48 | ext, 0xc7, (u8)(0xc0 | (to & 7))); /* mov $-1,%to */
        emit_u32(&g->e, (u32)-1);
    }
}

static void load_result(struct bridge *g, const struct call *c, enum gpr to, bool number, bool int80)
{
    if (g->place != BRIDGE_AFTER)
        misuse(g, c, "the result of a system call is known after it only: IPOINT_AFTER");
    bridge_load_gpr(g, to, syscall_number_reg);
    if (int80)
        EMIT(&g->e, (u8)(0x48 | (to >> 3) << 2 | to >> 3), 0x63, (u8)(0xc0 | (to & 7) << 3 | (to & 7))); /* movslq */
    take_error(g, to, number);
}

static void load_argument(struct bridge *g, const struct call *c, const struct call_arg *a, enum gpr to, bool int80)
{
    if (g->place == BRIDGE_AFTER)
        misuse(g, c, "number and arguments of a system call are known before it only: IPOINT_BEFORE");
    if (a->iarg != IARG_SYSCALL_NUMBER && a->index > 5)
        misuse(g, c, "a system call has arguments 0 to 5");
    enum gpr reg = a->iarg == IARG_SYSCALL_NUMBER ? syscall_number_reg
                   : int80                        ? syscall_int80_reg[a->index]
                                                  : syscall_arg_reg[a->index];
    if (a->iarg == IARG_SYSARG_REFERENCE) {
        bridge_context_address(g, to, BRIDGE_GPR(reg));
        return;
    }
    bridge_load_gpr(g, to, reg);
    if (int80)
        /* mov %e,%e */
        EMIT(&g->e, (u8)(0x40 | (to >> 3) << 2 | to >> 3), 0x89, (u8)(0xc0 | (to & 7) << 3 | (to & 7)));
}

bool bridge_sysarg_load(struct bridge *g, const struct call *c, const struct call_arg *a, enum gpr to)
{
    if (!is_sysarg(a->iarg))
        return false;
    if (!(facts_of(g->ins)->flags & FACT_FLAG_SYSCALL))
        misuse(g, c, "an argument of a system call, but this is not a system call");
    bool int80 = g->in->cls != INSN_SYSCALL;
    if (a->iarg == IARG_SYSRET_VALUE || a->iarg == IARG_SYSRET_ERRNO)
        load_result(g, c, to, a->iarg == IARG_SYSRET_ERRNO, int80);
    else
        load_argument(g, c, a, to, int80);
    return true;
}
