/* SPDX-License-Identifier: Apache-2.0
 * Makes the threads of a process that was attached to guest threads (adopt_threads of os.h). The launcher has stopped
 * every thread of the process and recorded its state (struct boot_thread). Each thread gets a descriptor and a stack of
 * the host's libc (donor.c), and the launcher starts it there in adopt_main.
 *
 * N3: an adopted thread keeps its clear_tid address in the kernel to its end, and its robust list until the guest
 * thread is over; then it takes libc's, and ends as a pthread does. The process' first thread ends bare (sys_thread.c,
 * T1). N4: from here to the guest's first instruction the thread handles no signal, because the return from a handler
 * would make the kernel forget how to go on with an interrupted sleep (restart_syscall). N5: a thread keeps its
 * rseq area; the launcher has taken it out of the section that it was in (rseq.c). */
#include "os/os.h"

#include "arch/arch.h"
#include "os/native.h"
#include "os/linux/agent.h"
#include "os/linux/donor.h"
#include "os/hostlock.h"
#include "os/hostmem.h"
#include "os/events.h"
#include "os/linux/os_init.h"
#include "os/linux/rseq.h"
#include "os/linux/signal.h"
#include "os/linux/sys.h"
#include "os/linux/clone.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#ifndef PR_GET_TID_ADDRESS
#define PR_GET_TID_ADDRESS 40
#endif
#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif

#define SECOND_NS 1000000000ul
#define MILLISECOND_NS 1000000ul

struct adopted {
    struct donor donor;
    const struct boot_thread *rec;
    u32 turn;
};

/* Whose turn it is to register: numbers are given in the order of the launcher's list, beginning with the first
 * thread. In probe mode the tool is told in that order, too (adopt_told). */
static u32 turn;

static s64 raw(u64 nr, u64 a, u64 b, u64 c)
{
    return arch_raw_syscall(nr, a, b, c, 0, 0, 0);
}

u32 adopt_tid(void)
{
    u32 own = (u32)raw(SYS_gettid, 0, 0, 0);
    bool on_agent = adopt_count() && os_boot->control.state == BOOT_COMING_UP && vm_tc.os.tid == (int)own;
    return on_agent ? (u32)((const struct boot_thread *)os_boot->extra)->tid : own;
}

bool os_is_former(u64 at)
{
    for (u32 i = 0; i < os_boot->nformer; i++) {
        const struct boot_range *end = (const void *)os_boot->former[i].end;
        for (const struct boot_range *r = (const void *)os_boot->former[i].start; r < end; r++)
            if (at >= r->start && at < r->end)
                return true;
    }
    return false;
}

u32 adopt_count(void) { return os_boot->mode == BOOT_ATTACH ? os_boot->nthreads : 0; }

/* --- what the kernel keeps for the thread ------------------------------------------------------------------------- */

static void take_kernel_state(stack_t *alt)
{
    struct os_thread *os = &vm_tc.os;
    u64 bytes;
    os->tid = (int)raw(SYS_gettid, 0, 0, 0);
    os->leader = os->tid == (int)raw(SYS_getpid, 0, 0, 0);
    os->adopted = true;
    raw(SYS_prctl, PR_GET_TID_ADDRESS, (u64)&os->clear_tid, 0);
    raw(SYS_get_robust_list, 0, (u64)&os->robust_head, (u64)&bytes);
    raw(SYS_sigaltstack, 0, (u64)alt, 0);
}

static void set_alt_stack(const stack_t *alt)
{
    struct os_thread *os = &vm_tc.os;
    bool off = alt->ss_flags & SS_DISABLE;
    os->alt_sp = off ? 0 : (u64)alt->ss_sp;
    os->alt_bytes = off ? 0 : alt->ss_size;
    os->alt_flags = ((u32)alt->ss_flags & SS_AUTODISARM) | (off ? (u32)SS_DISABLE : 0);
}

static u64 now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * SECOND_NS + (u64)t.tv_nsec;
}

static u64 time_left(const struct os_thread *os)
{
    u64 now = now_ns();
    return os->timeout_end > now ? os->timeout_end - now : 0;
}

static void take_timeout(const struct boot_timeout *left)
{
    vm_tc.os.timeout = *left;
    vm_tc.os.timeout_end = now_ns() + left->left_ns;
    vm_tc.os.timeout_pc = arch_pc(&vm_tc.cpu);
}

/* The thread is still before its wait: it makes the guest's own call, and the launcher sees to the time. */
void adopt_give_timeout(struct thread *t, struct boot_timeout *left)
{
    u64 *nr = arch_syscall_word(&t->cpu, WORD_NUMBER);
    left->nr = 0;
    if (!t->os.timeout.nr || arch_pc(&t->cpu) != t->os.timeout_pc || *nr != SYS_restart_syscall)
        return;
    *left = t->os.timeout;
    left->left_ns = time_left(&t->os);
    left->noted = 0;
    *nr = left->nr;
}

/* The wait is made again, with what is left of its time in place of the guest's argument. */
static void go_on_waiting(void)
{
    struct os_thread *os = &vm_tc.os;
    u64 ns = time_left(os), own = sys_arg((int)os->timeout.arg);
    struct timespec left = {(time_t)(ns / SECOND_NS), (long)(ns % SECOND_NS)};
    *arch_syscall_word(&vm_tc.cpu, WORD_NUMBER) = os->timeout.nr;
    os->argument = os->timeout.ms ? (ns + MILLISECOND_NS - 1) / MILLISECOND_NS : (u64)&left;
    os->has_argument = true;
    sys_carry_out();
    os->has_argument = false;
    if (arch_pc(&vm_tc.cpu) == os->timeout_pc) { /* a signal came first */
        *arch_syscall_word(&vm_tc.cpu, WORD_NUMBER) = SYS_restart_syscall;
        return;
    }
    if (os->timeout.nr == SYS_recvmmsg && (s64)*arch_syscall_word(&vm_tc.cpu, WORD_RESULT) > 0)
        sys_write(own, &left, sizeof left); /* the kernel says what is left of it */
    os->timeout.nr = 0;
}

/* The launcher has put this call before the guest's next instruction: it goes on with a sleep that the attach has
 * interrupted. Until it is made, a detach does not poke the thread, because any signal handler would spoil it. */
void sys_restart_syscall(void)
{
    if (vm_tc.os.timeout.nr) {
        go_on_waiting();
        return;
    }
    s64 r = sys_call();
    vm_tc.os.restarts = 0;
    sys_finish(r);
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

static void wait_turn(u32 whose)
{
    for (u32 now; (now = __atomic_load_n(&turn, __ATOMIC_SEQ_CST)) != whose;)
        hostlock_futex(&turn, FUTEX_WAIT, now);
}

static void next_turn(void)
{
    __atomic_add_fetch(&turn, 1, __ATOMIC_SEQ_CST);
    hostlock_futex(&turn, FUTEX_WAKE, INT_MAX);
}

void adopt_told(void)
{
    next_turn();
    wait_turn(os_boot->nthreads);
}

static void adopt_main(void *arg)
{
    struct adopted *a = arg;
    stack_t alt;
    arch_host_fpu();
    donor_take(&a->donor);
    take_kernel_state(&alt);
    rseq_adopt(a->rec->rseq, a->rec->rseq_bytes, a->rec->rseq_signature);
    vm_tc.os.dispatch = a->rec->dispatch;
    boot_load_thread(&vm_tc.cpu, a->rec);
    take_timeout(&a->rec->timeout);
    vm_tc.os.restarts =
        *arch_syscall_word(&vm_tc.cpu, WORD_NUMBER) == SYS_restart_syscall && !a->rec->timeout.nr;
    boot_load_bases(&vm_tc.cpu, a->rec);
    wait_turn(a->turn);
    thread_register();
    if (!os_native)
        next_turn();
    signal_thread_start(a->rec->sigmask);
    set_alt_stack(&alt);
    process_idle();
    os_events.run();
    thread_finish();
    donor_end(&a->donor);
}

/* --- the agent ---------------------------------------------------------------------------------------------------- */

void adopt_threads(void)
{
    struct boot_thread *rec = (struct boot_thread *)os_boot->extra;
    struct adopted *a = calloc(os_boot->nthreads, sizeof *a);
    if (!a)
        hostmem_die("the program's threads");
    for (u32 i = 0; i < os_boot->nthreads; i++) {
        a[i].rec = &rec[i];
        a[i].turn = i;
        if (rec[i].dispatch.mode)
            sys_watch_all();
        s64 err = donor_make(&a[i].donor);
        if (err)
            die(1, "cannot make a thread of the engine's for each of the program's (%u): error %ld", os_boot->nthreads,
                -err);
        process_busy(); /* until the thread is in the list of threads, which a detach waits for */
        boot_set_start(&rec[i], adopt_main, &a[i], a[i].donor.sp, (u64)a[i].donor.thread);
    }
    agent_adopts();
    agent_be();
}

void adopt_end_program(int status)
{
    for (;;)
        arch_raw_syscall(SYS_exit_group, (u64)status, BOOT_END_PROGRAM, 0, 0, 0, 0);
}
