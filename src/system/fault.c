/* SPDX-License-Identifier: Apache-2.0
 * A fault of the tool's: QEMU would die of it and say nothing. What was counted until then is written, after a message
 * that says where the fault was. Faults of QEMU's own code are left to it. */
#include "system/system.h"

#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

/* Is the code the tool's, or the plugin's? */
static const char *owner(u64 pc, u64 *offset)
{
    Dl_info at, own;
    if (!dladdr((void *)pc, &at) || !at.dli_fname || !dladdr((void *)owner, &own))
        return NULL;
    *offset = pc - (u64)at.dli_fbase;
    return strcmp(at.dli_fname, asked.tool) == 0 || at.dli_fbase == own.dli_fbase ? at.dli_fname : NULL;
}

static void faulted(int number, siginfo_t *info, void *context)
{
    static volatile sig_atomic_t once;
    u64 pc = fault_pc(context), offset;
    const char *whose = owner(pc, &offset);
    signal(number, SIG_DFL); /* a second one, or one of QEMU's, ends it as ever */
    if (!whose || once)
        return;
    once = 1;
    msg("%s faults at offset 0x%lx (signal %d, address 0x%lx): what was counted until then is written, and the system "
        "ends", whose, offset, number, (u64)info->si_addr);
    callbacks_system_ends();
    _exit(1);
}

void fault_watch(void)
{
    struct sigaction act = {.sa_sigaction = faulted, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    for (u32 i = 0; i < ARRAY_LEN(signals); i++)
        sigaction(signals[i], &act, NULL);
}
