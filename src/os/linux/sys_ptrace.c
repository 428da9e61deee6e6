/* SPDX-License-Identifier: Apache-2.0
 * ptrace among guests. A process that asks to be traced goes on natively from there: its tracer wants to see, stop and
 * change the program, and would find the engine in its registers and its code elsewhere. For the tool that is a detach.
 * A vfork child, which shares its parent's engine, a process with other threads, and one that another guest attaches to
 * stay; what such a process executes is not followed. On the guest's thread, no lock held. */
#include "arch/arch.h"
#include "os/events.h"
#include "os/linux/agent.h"
#include "os/linux/hostfd.h"
#include "os/linux/limits.h"
#include "os/linux/rseq.h"
#include "os/linux/signal_private.h"
#include "os/linux/sys.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_alone(void)
{
    thread_list_lock();
    bool alone = thread_first() == &vm_tc && !vm_tc.next;
    thread_list_unlock();
    return alone && !vm_tc.os.vfork_child && !vm_tc.os.foreign_mm;
}

/* --- who traces this process? ------------------------------------------------------------------------------------- */

static int tracer_at_start;

/* A number of /proc/WHO/status; 0: it cannot be known. */
static int status_field(const char *who, const char *field)
{
    char text[1024];
    snprintf(text, sizeof text, "/proc/%s/status", who);
    int fd = open(text, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n < 0 ? 0 : n] = 0;
    const char *at = strstr(text, field);
    return at ? atoi(at + strlen(field)) : 0;
}

static int tracer(void) { return status_field("thread-self", "\nTracerPid:"); }

void ptrace_init(void) { tracer_at_start = tracer(); }

/* Whoever has traced the process from its start traces Linchpin, and means it. */
bool ptrace_is_traced(void)
{
    int now = vm_tc.os.traced ? 0 : tracer();
    return vm_tc.os.traced || (now && now != tracer_at_start);
}

/* --- a process that asks for it ----------------------------------------------------------------------------------- */

/* On to the call itself, which the guest makes natively: the tracer is to see nothing of the engine's. Comes back only
 * where a port cannot do it yet. */
static void leave_engine(void)
{
    struct os_thread *os = &vm_tc.os;
    struct cpu_state at_call = vm_tc.cpu;
    u64 tls = vm_tc.vm.pause_tls = arch_tls_base(); /* what the tool's functions are shown, and leave changed */
    arch_restart_syscall(&at_call, sys_nr());
    if (os_events.tool_leaves)
        os_events.tool_leaves();
    fflush(NULL);
    agent_give_protections();
    hostfd_close_all();
    limits_leave();
    signal_leave();
    rseq_interrupt(&vm_tc); /* takes the engine's descriptor out of the area */
    arch_set_tls_base(tls);
    sigframe_go_native(&at_call, os, os->guest_mask);
}

static void be_traced(void)
{
    if (signal_defer_syscall())
        return;
    if (SIGFRAME_GOES_NATIVE && is_alone())
        leave_engine();
    s64 r = sys_call_at_once();
    sys_finish(r);
    if (r == 0 && !vm_tc.os.vfork_child)
        msg("ptrace: the process asks to be traced and has other threads: its tracer sees the engine's registers and "
            "code, not the program's");
    vm_tc.os.traced |= r == 0;
    signal_unblock();
}

/* --- a process that traces another one ---------------------------------------------------------------------------- */

static bool has_engine(int pid)
{
    char path[64], line[4096];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *f = fopen(path, "re");
    while (f && !found && fgets(line, sizeof line, f))
        found = strstr(line, "/linchpin-vm\n") != NULL;
    if (f)
        fclose(f);
    return found;
}

/* A child of the tracer's own is left alone: it is about to execute the program that is to be traced, natively. */
static bool is_own_child(int pid)
{
    char who[16];
    snprintf(who, sizeof who, "%d", pid);
    return status_field(who, "\nPPid:") == getpid();
}

/* A tracer that shares its memory with the traced process is a part of it: LeakSanitizer's, whose findings are as
 * natively (b_san). */
static void trace_other(void)
{
    int pid = (int)sys_arg(1);
    s64 r = sys_call();
    if (r == 0 && !vm_tc.os.foreign_mm && !is_own_child(pid) && has_engine(pid))
        msg("ptrace: process %d runs under Linchpin, too: its tracer sees the engine's registers and code, not the "
            "program's (linchpin detach %d, before it is traced, makes it native)", pid, pid);
    sys_finish(r);
}

void sys_ptrace(void)
{
    switch (sys_arg(0)) {
    case PTRACE_TRACEME: be_traced(); return;
    case PTRACE_ATTACH:
    case PTRACE_SEIZE: trace_other(); return;
    default: sys_pass();
    }
}
