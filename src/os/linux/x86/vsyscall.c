/* SPDX-License-Identifier: Apache-2.0
 * The vsyscall page: three fixed addresses, and a call of one of them is a system call. There is nothing to translate
 * (the page may be execute-only), so the call is carried out here. On the guest's thread, no state. */
#include "os/os.h"

#include "arch/arch.h"
#include "os/events.h"
#include "os/linux/sys.h"
#include "os/record.h"
#include "os/thread.h"

#include <sys/syscall.h>

#define VSYSCALL_PAGE 0xffffffffff600000ul

static const struct {
    u32 off, nr;
} entries[] = {{0, SYS_gettimeofday}, {0x400, SYS_time}, {0x800, SYS_getcpu}};

static void make_call(u32 nr)
{
    struct cpu_state *c = &vm_tc.cpu;
    *arch_syscall_word(c, WORD_RESULT) = (u64)arch_raw_syscall(
        nr, *arch_syscall_word(c, 0), *arch_syscall_word(c, 1), *arch_syscall_word(c, 2), 0, 0, 0);
}

static void carry_out(u32 nr)
{
    if (UNLIKELY(os_record) && !vm_tc.os.vfork_child)
        record_page_call(nr, make_call);
    else
        make_call(nr);
}

/* The tool sees it at the call; at the page's address if that is not where the guest comes from. */
static void call_seen(u32 nr, u64 back)
{
    struct cpu_state *c = &vm_tc.cpu;
    bool at_call = arch_undo_call(c, back);
    u64 at = arch_pc(c);
    os_events.syscall_entry(OS_SYSCALL_PAGE);
    if (arch_pc(c) != at)
        return; /* the tool has sent the guest elsewhere */
    carry_out(nr);
    arch_set_sp(c, arch_sp(c) + (at_call ? 0 : sizeof back));
    arch_set_pc(c, back);
    os_events.syscall_exit(OS_SYSCALL_PAGE);
}

bool os_call_special_page(void)
{
    struct cpu_state *c = &vm_tc.cpu;
    u64 back;
    for (size_t i = 0; i < ARRAY_LEN(entries); i++) {
        if (arch_pc(c) != VSYSCALL_PAGE + entries[i].off)
            continue;
        if (os_safe_copy(&back, (void *)arch_sp(c), sizeof back) != sizeof back)
            return false;
        if (os_syscalls_watched()) {
            call_seen(entries[i].nr, back);
            return true;
        }
        carry_out(entries[i].nr);
        arch_set_sp(c, arch_sp(c) + sizeof back);
        arch_set_pc(c, back);
        if (UNLIKELY(os_events.kernel_wrote != NULL))
            os_events.kernel_wrote();
        return true;
    }
    return false;
}
