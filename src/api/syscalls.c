/* SPDX-License-Identifier: Apache-2.0
 * System calls: the tool's callbacks at their entry and exit, and what it reads from the contexts there. The OS layer
 * says when (os/events.h). Callbacks run on the guest's thread under the client lock, unless the tool has allowed them
 * to run side by side. Rules A8 to A10. */
#include "api/callbacks.h"
#include "api/callback_list.h"
#include "opt/objects.h"
#include "api/tool.h"
#include "syscall_regs.h"
#include "linchpin/enums.h"
#include "os/events.h"
#include "os/os.h"
#include "os/thread.h"

#include <errno.h>
#include <stdarg.h>

/* syscall() in tools for IA-32 programs (src/launch/cc.c): nr is one of those programs' numbers. */
long lp_syscall_ia32(long nr, ...);
long lp_syscall_ia32(long nr, ...)
{
    u64 args[6];
    va_list ap;
    va_start(ap, nr);
    for (size_t i = 0; i < ARRAY_LEN(args); i++)
        args[i] = va_arg(ap, u64);
    va_end(ap);
    s64 r = os_syscall_of_narrow((u64)nr, args);
    if (r < 0)
        errno = (int)-r;
    return r < 0 ? -1 : r;
}

typedef void syscall_fn(THREADID, CONTEXT *, SYSCALL_STANDARD, void *);

static struct tool_callback *entry_list, *exit_list;
static bool concurrent;

static SYSCALL_STANDARD standard_of(enum os_convention how)
{
    static const SYSCALL_STANDARD by_convention[] = {[OS_SYSCALL_NATIVE] = SYSCALL_STANDARD_IA32E_LINUX,
        [OS_SYSCALL_INT80] = SYSCALL_STANDARD_IA32_LINUX, [OS_SYSCALL_PAGE] = SYSCALL_STANDARD_IA32E_LINUX_VSYSCALL};
    return by_convention[how];
}

static void call_all(struct tool_callback **list, enum os_convention how)
{
    struct bridge_state state;
    if (!*list)
        return;
    if (!concurrent)
        client_lock();
    callbacks_context(&state, &vm_tc.cpu);
    CALLBACKS_EACH(c, *list)
        ((syscall_fn *)c->fn)(vm_tc.id, (CONTEXT *)&state, standard_of(how), c->arg);
    context_give(&vm_tc.cpu, &state);
    if (!concurrent)
        client_unlock();
}

static void on_entry(enum os_convention how) { call_all(&entry_list, how); }
static void on_exit_(enum os_convention how) { call_all(&exit_list, how); }

static PIN_CALLBACK add(struct tool_callback **list, void *fn, void *arg)
{
    struct tool_callback *c = tool_callback_add(list, fn, arg);
    if (!os_syscalls_watched()) {
        os_events.syscall_exit = on_exit_;
        __atomic_store_n(&os_events.syscall_entry, on_entry, __ATOMIC_RELEASE);
        os_watch_syscalls();
    }
    return (PIN_CALLBACK)c;
}

PIN_CALLBACK PIN_AddSyscallEntryFunction(syscall_fn *fun, VOID *v) { return add(&entry_list, (void *)fun, v); }
PIN_CALLBACK PIN_AddSyscallExitFunction(syscall_fn *fun, VOID *v) { return add(&exit_list, (void *)fun, v); }

/* The functions are called with the context that the tool gives; nothing else happens. */
static void replay(struct tool_callback **list, THREADID tid, CONTEXT *ctxt, SYSCALL_STANDARD std)
{
    if (!concurrent)
        client_lock();
    CALLBACKS_EACH(c, *list)
        ((syscall_fn *)c->fn)(tid, ctxt, std, c->arg);
    if (!concurrent)
        client_unlock();
}

VOID PIN_ReplaySyscallEntry(THREADID tid, CONTEXT *ctxt, SYSCALL_STANDARD std) { replay(&entry_list, tid, ctxt, std); }
VOID PIN_ReplaySyscallExit(THREADID tid, CONTEXT *ctxt, SYSCALL_STANDARD std) { replay(&exit_list, tid, ctxt, std); }

void syscalls_allow_concurrent(void) { concurrent = true; }

/* --- contexts ----------------------------------------------------------------------------------------------- */

/* Where the standard keeps argument n (SYSCALL_NUMBER_REG: the number and the result). */
static u64 *reg_of(const char *call, const CONTEXT *ctxt, SYSCALL_STANDARD std, int n, u64 *mask)
{
    struct bridge_state *s = (struct bridge_state *)ctxt;
    if (!s)
        api_misuse(call, NULL, 0, "the context is NULL");
    if (std != SYSCALL_STANDARD_IA32E_LINUX && std != SYSCALL_STANDARD_IA32_LINUX &&
        std != SYSCALL_STANDARD_IA32E_LINUX_VSYSCALL)
        api_misuse(call, NULL, 0, "%d is not a system call standard of this platform", (int)std);
    if (n > 5)
        api_misuse(call, NULL, 0, "a system call has arguments 0 to 5, not %d", n);
    bool int80 = std == SYSCALL_STANDARD_IA32_LINUX;
    *mask = int80 ? 0xffffffffu : ~0ul;
    return &s->gpr[n < 0 ? syscall_number_reg : int80 ? syscall_int80_reg[n] : syscall_arg_reg[n]];
}

static u64 get(const char *call, const CONTEXT *ctxt, SYSCALL_STANDARD std, int n)
{
    u64 mask, *reg = reg_of(call, ctxt, std, n, &mask);
    return *reg & mask;
}

static void set(const char *call, CONTEXT *ctxt, SYSCALL_STANDARD std, int n, u64 value)
{
    u64 mask, *reg = reg_of(call, ctxt, std, n, &mask);
    *reg = value & mask;
}

static int argument(UINT32 n) { return n > 5 ? 6 : (int)n; }

ADDRINT PIN_GetSyscallNumber(const CONTEXT *ctxt, SYSCALL_STANDARD std)
{
    ADDRINT number = get(__func__, ctxt, std, -1);
    return std == SYSCALL_STANDARD_IA32E_LINUX_VSYSCALL ? VSYSCALL_NR : number;
}
VOID PIN_SetSyscallNumber(CONTEXT *ctxt, SYSCALL_STANDARD std, ADDRINT value)
{
    if (std == SYSCALL_STANDARD_IA32E_LINUX_VSYSCALL)
        api_misuse(__func__, NULL, 0, "a call of the vsyscall page has no number: its target says what is done");
    set(__func__, ctxt, std, -1, value);
}
ADDRINT PIN_GetSyscallArgument(const CONTEXT *ctxt, SYSCALL_STANDARD std, UINT32 n)
{
    return get(__func__, ctxt, std, argument(n));
}
VOID PIN_SetSyscallArgument(CONTEXT *ctxt, SYSCALL_STANDARD std, UINT32 n, ADDRINT value)
{
    set(__func__, ctxt, std, argument(n), value);
}

/* The error in a result, 0: none. */
static u64 error_of(u64 result, SYSCALL_STANDARD std)
{
    s64 r = std == SYSCALL_STANDARD_IA32_LINUX ? (s32)result : (s64)result;
    return r < 0 && r >= -SYSCALL_MAX_ERROR ? (u64)-r : 0;
}

ADDRINT PIN_GetSyscallReturn(const CONTEXT *ctxt, SYSCALL_STANDARD std)
{
    u64 r = get(__func__, ctxt, std, -1);
    return error_of(r, std) ? (ADDRINT)-1 : r;
}

ADDRINT PIN_GetSyscallErrno(const CONTEXT *ctxt, SYSCALL_STANDARD std)
{
    return error_of(get(__func__, ctxt, std, -1), std);
}

VOID PIN_SetSyscallReturn(CONTEXT *ctxt, SYSCALL_STANDARD std, ADDRINT value) { set(__func__, ctxt, std, -1, value); }

/* The error's number, or its negative, as the kernel returns it. */
VOID PIN_SetSyscallErrno(CONTEXT *ctxt, SYSCALL_STANDARD std, ADDRINT value)
{
    ADDRINT error = (INT64)value < 0 ? -value : value;
    if (error > SYSCALL_MAX_ERROR)
        api_misuse(__func__, NULL, 0, "%ld is not an error number", (INT64)value);
    set(__func__, ctxt, std, -1, -error);
}
