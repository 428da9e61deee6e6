/* SPDX-License-Identifier: Apache-2.0
 * System calls that the tool sees (os/events.h). A call that is put back because a signal came first, or that the
 * kernel wants to be made again after a handler, is one call: the tool saw its entry, and sees its exit when it is
 * complete. So the guest's pc and stack pointer are noted: a handler that returns there goes on with the same call, one
 * that leaves by longjmp does not. On the guest's thread, no lock held. */
#include "os/events.h"

#include "arch/arch.h"
#include "os/linux/signal_private.h"
#include "os/linux/sys.h"

#include <sys/syscall.h>

bool os_syscalls_watched(void) { return os_events.syscall_entry != NULL; }

void os_watch_syscalls(void) { sys_watch_class(CLASS_TOOL); }

/* --- calls put back ----------------------------------------------------------------------------------------- */

static void note_put_back(void)
{
    struct os_thread *os = &vm_tc.os;
    struct sys_put_back *p = &os->put_back[os->next_put_back++ % SYS_PUT_BACK];
    *p = (struct sys_put_back){arch_pc(&vm_tc.cpu), arch_sp(&vm_tc.cpu), true};
}

static struct sys_put_back *find_put_back(void)
{
    u64 pc = arch_pc(&vm_tc.cpu), sp = arch_sp(&vm_tc.cpu);
    for (u32 i = 0; i < SYS_PUT_BACK; i++)
        if (vm_tc.os.put_back[i].pc == pc && vm_tc.os.put_back[i].sp == sp)
            return &vm_tc.os.put_back[i];
    return NULL;
}

/* Is the call at the guest's pc one whose entry the tool has seen? Then the note of it is removed. */
static bool take_put_back(void)
{
    struct sys_put_back *p = find_put_back();
    bool same = p && p->here;
    if (p)
        *p = (struct sys_put_back){0};
    return same;
}

void sys_tool_handler_entered(void)
{
    for (u32 i = 0; i < SYS_PUT_BACK; i++)
        vm_tc.os.put_back[i].here = false;
}

void sys_tool_handler_left(void)
{
    struct sys_put_back *p = find_put_back();
    if (p)
        p->here = true;
}

/* --- calls -------------------------------------------------------------------------------------------------- */

bool sys_tool_enter(enum os_convention how)
{
    u64 at = arch_pc(&vm_tc.cpu);
    if (take_put_back())
        return true;
    if (signal_attention())
        return false; /* the signal is delivered first, then the instruction is executed again */
    os_events.syscall_entry(how);
    return arch_pc(&vm_tc.cpu) == at;
}

bool sys_tool_call(void (*carry_out)(void))
{
    struct cpu_state *c = &vm_tc.cpu;
    arch_syscall_move(c, SYSCALL_BEFORE);
    u64 at = arch_pc(c);
    if (!sys_tool_enter(OS_SYSCALL_NATIVE))
        return false;
    arch_syscall_move(c, SYSCALL_AFTER);
    arch_syscall_move(c, SYSCALL_ENTER);
    bool comes_back = sys_nr() != SYS_rt_sigreturn;
    carry_out();
    if (arch_pc(c) == at)
        note_put_back();
    else if (comes_back)
        os_events.syscall_exit(OS_SYSCALL_NATIVE);
    return comes_back && arch_pc(c) != at;
}

void os_int80_left(bool done)
{
    if (UNLIKELY(os_events.kernel_wrote != NULL) && done)
        os_events.kernel_wrote();
    if (!os_syscalls_watched())
        return;
    if (done)
        os_events.syscall_exit(OS_SYSCALL_INT80);
    else
        note_put_back();
}
