/* SPDX-License-Identifier: Apache-2.0
 * Makes the threads of a process that was attached to guest threads (adopt_threads of os.h). The launcher has stopped
 * every thread of the process and recorded its state (struct boot_thread). Each thread gets a descriptor and a stack of
 * the host's libc (donor.c), and the launcher starts it there in adopt_main.
 *
 * N3: an adopted thread keeps its clear_tid address in the kernel to its end, and its robust list until the guest
 * thread is over; then it takes libc's, and ends as a pthread does. The process' first thread ends bare (sys_thread.c,
 * T1). N4: from here to the guest's first instruction the thread handles no signal, because the return from a handler
 * would make the kernel forget how to go on with an interrupted sleep (restart_syscall). N5: while the engine is there,
 * a guest's rseq area is not registered with the kernel, which would look for critical sections at the wrong addresses;
 * the area shows no processor meanwhile. */
#include "os/os.h"

#include "arch/arch.h"
#include "os/linux/agent.h"
#include "os/linux/donor.h"
#include "os/hostlock.h"
#include "os/hostmem.h"
#include "os/events.h"
#include "os/linux/os_init.h"
#include "os/linux/signal.h"
#include "os/linux/sys.h"
#include "os/linux/clone.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#ifndef PR_GET_TID_ADDRESS
#define PR_GET_TID_ADDRESS 40
#endif
#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif
#define RSEQ_UNREGISTER 1
#define RSEQ_MIN_BYTES 32
#define RSEQ_ALIGN 32
#define RSEQ_CPU 4       /* offset of cpu_id in the area; the next line: of rseq_cs */
#define RSEQ_SECTION 8

struct adopted {
    struct donor donor;
    const struct boot_thread *rec;
    u32 turn;
};

/* Whose turn it is to register: numbers are given in the order of the launcher's list, beginning with the first
 * thread. */
static u32 turn;

static s64 raw(u64 nr, u64 a, u64 b, u64 c)
{
    return arch_raw_syscall(nr, a, b, c, 0, 0, 0);
}

u32 adopt_count(void) { return os_boot->mode == BOOT_ATTACH ? os_boot->nthreads : 0; }

/* --- what the kernel keeps for the thread ------------------------------------------------------------------------- */

static void take_rseq(const struct boot_thread *rec)
{
    struct os_thread *os = &vm_tc.os;
    u64 none = 0;
    if (!rec->rseq ||
        arch_raw_syscall(SYS_rseq, rec->rseq, rec->rseq_bytes, RSEQ_UNREGISTER, rec->rseq_signature, 0, 0) < 0)
        return;
    os->rseq = rec->rseq;
    os->rseq_bytes = rec->rseq_bytes;
    os->rseq_signature = rec->rseq_signature;
    sys_write(rec->rseq + RSEQ_SECTION, &none, sizeof none); /* the launcher has taken the thread out of it */
}

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

/* A guest's rseq(2): the area is noted here, and registered with the kernel at a detach. */
void sys_rseq(void)
{
    struct os_thread *os = &vm_tc.os;
    u64 area = sys_arg(0), bytes = sys_arg(1), flags = sys_arg(2), signature = sys_arg(3);
    u32 nowhere = ~0u;
    s64 r = 0;
    /* The program was launched, and has been told from its start that there is no rseq. */
    if (os_boot->mode != BOOT_ATTACH)
        r = -ENOSYS;
    else if (flags == RSEQ_UNREGISTER)
        r = !os->rseq || os->rseq != area || os->rseq_bytes != bytes ? -EINVAL
            : os->rseq_signature != (u32)signature                   ? -EPERM
            : sys_write(area + RSEQ_CPU, &nowhere, sizeof nowhere)   ? 0
                                                                     : -EFAULT;
    else if (flags || bytes < RSEQ_MIN_BYTES || area % RSEQ_ALIGN)
        r = -EINVAL;
    else if (os->rseq)
        r = os->rseq != area || os->rseq_bytes != bytes ? -EINVAL
            : os->rseq_signature != (u32)signature      ? -EPERM
                                                        : -EBUSY;
    if (r == 0) {
        os->rseq = flags ? 0 : area;
        os->rseq_bytes = (u32)bytes;
        os->rseq_signature = (u32)signature;
    }
    sys_finish(r);
}

/* The launcher has put this call before the guest's next instruction: it goes on with a sleep that the attach has
 * interrupted. Until it is made, a detach does not poke the thread, because any signal handler would spoil it. */
void sys_restart_syscall(void)
{
    s64 r = sys_call();
    vm_tc.os.restarts = 0;
    sys_finish(r);
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

static void wait_turn(const struct adopted *a)
{
    for (u32 now; (now = __atomic_load_n(&turn, __ATOMIC_SEQ_CST)) != a->turn;)
        hostlock_futex(&turn, FUTEX_WAIT, now);
}

static void next_turn(void)
{
    __atomic_add_fetch(&turn, 1, __ATOMIC_SEQ_CST);
    hostlock_futex(&turn, FUTEX_WAKE, INT_MAX);
}

static void adopt_main(void *arg)
{
    struct adopted *a = arg;
    stack_t alt;
    arch_host_fpu();
    donor_take(&a->donor);
    take_kernel_state(&alt);
    take_rseq(a->rec);
    boot_load_thread(&vm_tc.cpu, a->rec);
    vm_tc.os.restarts = *arch_syscall_word(&vm_tc.cpu, WORD_NUMBER) == SYS_restart_syscall;
    boot_load_bases(&vm_tc.cpu, a->rec);
    wait_turn(a);
    thread_register();
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
