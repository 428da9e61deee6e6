/* SPDX-License-Identifier: Apache-2.0
 * New processes: fork and similar calls, vfork and posix_spawn's clone, processes in the memory of another one. Decodes
 * clone and clone3. Ends the process. Owns process_lock. On the guest's thread.
 *
 *  FK1  fork: all engine locks are held across it, so the child's copy of the engine is whole. A plain fork is libc's,
 *       which also puts libc's own state right and runs the tool's atfork handlers; any other is a bare clone, with
 *       libc's idea of the thread's id set by the kernel (CLONE_CHILD_SETTID). So is a plain one where there is no
 *       tool and libc has never made a thread here: then nothing of its state can be amid a change.
 *  FK2  vfork (CLONE_VM|CLONE_VFORK) is a real vfork. The child runs on a host stack of its own, but with the parent's
 *       host TLS and so its vm_tc: the parent is suspended meanwhile. It saves what it needs before and puts it back
 *       afterwards, with signals blocked all the time.
 *  FK3  A process made by CLONE_VM alone runs at the same time as its parent, so it needs a TLS of its own for the
 *       host's libc. A pthread is made that ends by a bare exit, unseen by libc; the new process takes over its
 *       descriptor and stack.
 *  FK5  A fork costs for each mapping, for each page that the parent has touched, and most for each page that parent or
 *       child then writes to. So what a fork writes to is together (FORK_WRITES, the end of struct thread), what runs
 *       in each child is linked together (src/fork.ld), neighbouring mappings have the same flags, and the tables of
 *       the cache, which most children only read, are in one large page (cache/tables.c). */
#include "arch/arch.h"
#include "base/options.h"
#include "os/linux/agent.h"
#include "os/linux/donor.h"
#include "os/gmap.h"
#include "os/linux/filefd.h"
#include "os/linux/hostfd.h"
#include "os/hostlock.h"
#include "os/linux/hostmalloc.h"
#include "os/linux/hoststack.h"
#include "os/linux/hosttask.h"
#include "os/linux/limits.h"
#include "os/linux/mdwe.h"
#include "os/events.h"
#include "os/linux/procfs.h"
#include "os/linux/signal_private.h"
#include "os/linux/sys.h"
#include "os/linux/clone.h"
#include "os/os.h"
#include "os/record.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>

#define STACK_ALIGN 64ul
#define USER_END ((1ul << 47) - PAGE_BYTES)
#define TID_FLAGS ((u64)(CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | CLONE_SETTLS))
/* Flags whose work we do in the child instead of the kernel: its TLS is the host's, its handlers are the engine's. */
#define OUR_FLAGS ((u64)(CLONE_SETTLS | CLONE_CLEAR_SIGHAND))

static struct hostlock lock FORK_WRITES = HOSTLOCK(LOCK_PROCESS);

void process_lock(void)
{
    hostlock_take(&lock);
}

void process_unlock(void)
{
    hostlock_give(&lock);
}

static bool held_up FORK_WRITES;
static u32 busy FORK_WRITES; /* how many threads make threads or processes, or end; a detach sleeps on it */

bool process_begin(void)
{
    process_lock();
    bool ok = !held_up;
    if (ok)
        process_busy();
    process_unlock();
    return ok;
}

void process_busy(void) { __atomic_add_fetch(&busy, 1, __ATOMIC_SEQ_CST); }

void process_idle(void)
{
    __atomic_sub_fetch(&busy, 1, __ATOMIC_SEQ_CST);
    if (UNLIKELY(__atomic_load_n(&held_up, __ATOMIC_SEQ_CST)))
        hostlock_futex(&busy, FUTEX_WAKE, INT_MAX);
}

void process_hold_new(bool on)
{
    process_lock();
    __atomic_store_n(&held_up, on, __ATOMIC_SEQ_CST);
    process_unlock();
    for (u32 n; on && (n = __atomic_load_n(&busy, __ATOMIC_SEQ_CST));)
        hostlock_futex(&busy, FUTEX_WAIT, n);
}

static s64 raw(u64 nr, u64 a, u64 b, u64 c)
{
    return arch_raw_syscall(nr, a, b, c, 0, 0, 0);
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

#define MAX_EXIT_HOOKS 16
static void (*exit_hooks[MAX_EXIT_HOOKS])(int status);
static u32 nexit_hooks;
static int ender FORK_WRITES; /* the thread that ends the process; 0: none yet */

void os_at_exit(void (*hook)(int status))
{
    u32 i = __atomic_fetch_add(&nexit_hooks, 1, __ATOMIC_RELAXED);
    if (i >= MAX_EXIT_HOOKS)
        BUG("more than %u exit hooks", MAX_EXIT_HOOKS);
    exit_hooks[i] = hook;
}

/* Runs the hooks on the thread that ends the process. Another thread that wants to end the process, too, waits here for
 * its own end. If a hook itself ends the process, there is nothing more to do. */
void process_run_exit_hooks(int status)
{
    int nobody = 0, self = (int)raw(SYS_gettid, 0, 0, 0); /* a thread of the tool may end the process, too */
    if (!__atomic_compare_exchange_n(&ender, &nobody, self, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        if (nobody != self)
            __atomic_store_n(&vm_tc.vm.epoch, ~0ul, __ATOMIC_RELEASE); /* the thread will never be in the cache again */
        os_events.leave_guest();
        while (nobody != self)
            raw(SYS_ppoll, 0, 0, 0);
        return;
    }
    for (u32 n = __atomic_load_n(&nexit_hooks, __ATOMIC_ACQUIRE); n; n--)
        exit_hooks[n - 1](status);
    if (options.tool)
        fflush(NULL);
}

void os_process_exit_hook(void);
void os_process_exit_hook(void)
{
    if (!vm_tc.os.vfork_child && !vm_tc.os.foreign_mm)
        process_run_exit_hooks(-1);
}

void os_process_kill(void)
{
    os_end_signal = SIGKILL;
    process_run_exit_hooks(-1);
    for (;;)
        raw(SYS_kill, (u64)raw(SYS_getpid, 0, 0, 0), SIGKILL, 0);
}

void os_process_exit(int status)
{
    if (!vm_tc.os.vfork_child && !vm_tc.os.foreign_mm)
        process_run_exit_hooks(status);
    raw(SYS_exit_group, (u64)status, 0, 0);
    __builtin_unreachable();
}

void sys_exit_group(void)
{
    if (!signal_defer_syscall())
        os_process_exit((int)sys_arg(0));
}

/* unshare, setns: some namespaces are only for a process with one thread. */
void sys_alone(void)
{
    bool rests = agent_rest();
    if (sys_nr() == SYS_unshare && sys_arg(0) & CLONE_FILES)
        filefd_off();
    sys_pass();
    if (rests)
        agent_start();
}

/* --- fork (FK1) --------------------------------------------------------------------------------------------------- */

void process_before_fork(void)
{
    process_lock();
    procread_before_fork();
    mem_lock();
    hoststack_before_fork();
    os_events.code_before_fork();
    if (os_events.images_before_fork)
        os_events.images_before_fork();
    arch_fork(true);
    thread_list_lock();
    gmap_before_fork();
    hostmalloc_before_fork();
    sys_before_fork();
    limits_before_fork();
    signal_before_fork();
    hostfd_lock();
}

void process_after_fork(bool child)
{
    hostfd_after_fork(child);
    signal_after_fork();
    limits_after_fork();
    sys_after_fork(child);
    hostmalloc_after_fork(child);
    gmap_after_fork(child);
    if (child)
        thread_after_fork();
    thread_list_unlock();
    arch_fork(false);
    if (os_events.images_after_fork)
        os_events.images_after_fork();
    os_events.code_after_fork(child);
    hoststack_after_fork(child);
    if (child) {
        mem_lock_reset();
        hostlock_reset(&lock);
        ender = 0;
        held_up = false;
        busy = 1; /* this fork itself */
        agent_after_fork();
        hosttask_after_fork();
        if (os_events.tool_threads_gone)
            os_events.tool_threads_gone();
        if (os_events.debug_forked)
            os_events.debug_forked();
        mdwe_after_fork_child();
    } else {
        mem_unlock();
    }
    procread_after_fork(child);
    if (!child)
        process_unlock();
}

static bool needs_libc(const struct clone_args *a)
{
    return (options.tool || !__libc_single_threaded) && !(a->flags & ~TID_FLAGS) && a->exit_signal == SIGCHLD &&
           !a->set_tid_size;
}

/* A clone as the guest asked for it, but without a new stack: parent and child go on on copies of this one. */
static s64 bare_fork(const struct clone_request *q)
{
    struct clone_args a = q->a;
    a.flags = (a.flags & ~OUR_FLAGS) | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
    a.stack = a.stack_size = a.tls = 0;
    a.child_tid = (u64)thread_host_tid_address();
    if (q->clone3)
        return raw(SYS_clone3, (u64)&a, sizeof a, 0);
    u64 arg[5] = {a.flags | a.exit_signal, 0, a.parent_tid, [CLONE_ARG_CHILD_TID] = a.child_tid};
    return arch_raw_syscall(SYS_clone, arg[0], arg[1], arg[2], arg[3], arg[4], 0);
}

static s64 plain_fork(const struct clone_request *q)
{
    int pid = fork();
    if (pid < 0)
        return -errno;
    if (pid && q->a.flags & CLONE_PARENT_SETTID)
        sys_write(q->a.parent_tid, &pid, sizeof pid);
    return pid;
}

/* CLONE_CLEAR_SIGHAND: the kernel would reset the engine's handlers, too. So the guest's actions are set to the default
 * as by its own system calls. */
static void clear_handlers(void)
{
    struct cpu_state saved = vm_tc.cpu;
    for (u64 sig = 1; sig <= 64; sig++) {
        u64 act[4] = {0}; /* handler, flags, restorer, mask */
        u64 args[4] = {sig, 0, (u64)act, sizeof(u64)};
        for (int set = 0; set < 2; set++) {
            *arch_syscall_word(&vm_tc.cpu, WORD_NUMBER) = SYS_rt_sigaction;
            for (int i = 0; i < 4; i++)
                *arch_syscall_word(&vm_tc.cpu, (u32)i) = args[i];
            sys_rt_sigaction();
            if ((s64)*arch_syscall_word(&vm_tc.cpu, WORD_RESULT) || act[0] == (u64)SIG_DFL || act[0] == (u64)SIG_IGN)
                break;
            memset(act, 0, sizeof act);
            args[1] = (u64)act;
            args[2] = 0;
        }
    }
    vm_tc.cpu = saved;
}

/* Sets the state of a child of fork. The kernel starts a process without a robust list. */
static void fork_child_state(const struct clone_request *q, bool bare)
{
    struct os_thread *os = &vm_tc.os;
    os->leader = true;
    os->parent_tid = 0;
    os->vfork_child = os->foreign_mm = os->own_fds = false;
    os->vfork_state = NULL;
    if (bare)
        raw(SYS_set_robust_list, os->host_robust_head, os->host_robust_bytes, 0);
    signal_after_fork_child();
    thread_start_state(q, arch_tls_base());
    raw(SYS_set_tid_address, os->clear_tid, 0, 0);
    if (q->a.flags & CLONE_CLEAR_SIGHAND)
        clear_handlers();
}

/* Returns the parent's result, or 0 in the child. While CLONE_VFORK without CLONE_VM suspends the parent, its other
 * threads wait for the engine's locks: usually such a child only executes a program, so they do not wait long. */
static s64 do_fork(const struct clone_request *q)
{
    bool bare = !needs_libc(&q->a), debugged = !bare && os_events.debug_fork;
    if (debugged)
        os_events.debug_fork(OS_FORK_BEFORE, 0);
    if (os_events.fork)
        os_events.fork(OS_FORK_BEFORE);
    process_before_fork();
    s64 r = bare ? bare_fork(q) : plain_fork(q);
    if (r == 0)
        vm_tc.os.same_fds = q->a.flags & CLONE_FILES;
    process_after_fork(r == 0);
    if (r == 0)
        fork_child_state(q, bare);
    else
        *arch_syscall_word(&vm_tc.cpu, WORD_RESULT) = (u64)r;
    if (os_events.fork)
        os_events.fork(r == 0 ? OS_FORK_CHILD : OS_FORK_PARENT);
    if (debugged)
        os_events.debug_fork(r == 0 ? OS_FORK_CHILD : OS_FORK_PARENT, (int)r);
    return r;
}

/* --- children in the parent's memory ------------------------------------------------------------------------------ */

/* Makes the guest's call with another stack and TLS (0: none), and without the flags that are emulated. */
static s64 clone_with_stack(const struct clone_request *q, u64 sp, u64 tls, void (*child)(void *), void *arg)
{
    struct clone_args a = q->a;
    sp &= ~(STACK_ALIGN - 1);
    a.flags = (a.flags & ~OUR_FLAGS) | (tls ? CLONE_SETTLS : 0);
    a.tls = tls;
    struct clone_call c = {.child = child, .arg = arg};
    if (q->clone3) {
        a.stack = sp - PAGE_BYTES; /* its lower end */
        a.stack_size = PAGE_BYTES;
        c.nr = SYS_clone3;
        c.args[0] = (u64)&a;
        c.args[1] = sizeof a;
        return clone_on_stack(&c);
    }
    c.nr = SYS_clone;
    u64 args[5] = {a.flags | a.exit_signal, sp, a.parent_tid, [CLONE_ARG_CHILD_TID] = a.child_tid,
                   [CLONE_ARG_TLS] = a.tls};
    memcpy(c.args, args, sizeof args);
    return clone_on_stack(&c);
}

struct vfork_saved {
    struct cpu_state cpu;
    struct os_thread os;
    void *run_frame;
    struct vm_calls calls;
    u64 epoch_floor;
};

static struct sig_table *child_table(const struct clone_request *q, struct sig_table *parent)
{
    return q->a.flags & CLONE_SIGHAND ? parent : signal_table_copy(parent);
}

/* HF4, in the new process. */
static void take_fds(const struct clone_request *q)
{
    vm_tc.os.own_fds = !(q->a.flags & CLONE_FILES);
    if (vm_tc.os.own_fds)
        hostfd_mark_copies();
}

static void vfork_child(void *arg)
{
    const struct clone_request *q = arg;
    take_fds(q);
    hostfd_unlock();
    bool tells = !vm_tc.os.vfork_child && !vm_tc.os.foreign_mm && os_events.debug_vfork;
    if (!vm_tc.os.vfork_child)
        vm_tc.os.vfork_parent = vm_tc.os.tid;
    vm_tc.os.vfork_child = true;
    vm_tc.os.leader = true;
    vm_tc.os.vfork_state = NULL;
    vm_tc.os.late_pending = 0;
    vm_tc.os.rseq = 0; /* the kernel gives such a child none */
    thread_start_state(q, arch_tls_base());
    if (q->a.flags & CLONE_CLEAR_SIGHAND)
        clear_handlers();
    signal_unblock();
    if (os_syscalls_watched())
        os_events.syscall_exit(OS_SYSCALL_NATIVE);
    if (tells)
        os_events.debug_vfork(OS_VFORK_CHILD, vm_tc.os.tid);
    os_events.run();
    BUG("a vfork child came back from its run");
}

/* FK2. No low number of the host's is among the descriptors that the child gets (HF2). The parent stands still from the
 * clone on, so the child gives the lock back. */
static s64 do_vfork(const struct clone_request *q)
{
    struct host_stack *stack = hoststack_get();
    if (!stack)
        return -EAGAIN;
    struct vfork_saved saved = {vm_tc.cpu, vm_tc.os, vm_tc.vm.run_frame, vm_tc.vm.calls, vm_tc.vm.epoch_floor};
    u64 tls = arch_tls_base();
    struct sig_table *table = child_table(q, saved.os.sigs);
    vm_tc.os.sigs = table;
    hostfd_lock();
    s64 r = clone_with_stack(q, (u64)stack->base + stack->bytes, 0, vfork_child, (void *)q);
    if (r < 0)
        hostfd_unlock();
    free(vm_tc.os.vfork_state);
    bool executed = vm_tc.os.vfork_executes;
    vm_tc.cpu = saved.cpu;
    vm_tc.os = saved.os;
    vm_tc.vm.run_frame = saved.run_frame;
    vm_tc.vm.calls = saved.calls;
    vm_tc.vm.epoch_floor = saved.epoch_floor;
    arch_set_tls_base(tls);
    if (UNLIKELY(os_stops_threads))
        os_events.leave_call(); /* the child has entered the same call */
    if (r > 0 && !vm_tc.os.vfork_child && !vm_tc.os.foreign_mm && os_events.debug_vfork)
        os_events.debug_vfork(executed ? OS_VFORK_EXECUTED : OS_VFORK_DONE, (int)r);
    if (table != saved.os.sigs)
        signal_table_free(table);
    hoststack_put(stack);
    return r;
}

/* --- a process of its own in this memory (FK3) -------------------------------------------------------------------- */

struct foreign {
    struct donor donor;
    const struct clone_request *q;
    const struct thread *creator;
    u64 creator_tls;
    u32 steps; /* that it has done: 1 its descriptors, 2 all of its start */
};

static void did_step(struct foreign *d)
{
    __atomic_fetch_add(&d->steps, 1, __ATOMIC_RELEASE);
    raw(SYS_futex, (u64)&d->steps, FUTEX_WAKE_PRIVATE, 1);
}

static void wait_for_step(struct foreign *d, u32 step)
{
    for (u32 now; (now = __atomic_load_n(&d->steps, __ATOMIC_ACQUIRE)) < step;)
        raw(SYS_futex, (u64)&d->steps, FUTEX_WAIT_PRIVATE, now);
}

/* The start of such a process, on the donor's stack and with the donor's descriptor. */
static void foreign_main(void *arg)
{
    struct foreign *d = arg;
    const struct thread *creator = d->creator;
    donor_take(&d->donor);
    take_fds(d->q);
    did_step(d);
    raw(SYS_set_robust_list, vm_tc.os.host_robust_head, vm_tc.os.host_robust_bytes, 0);
    vm_tc.cpu = creator->cpu;
    vm_tc.cpu.sysret = 0;
    vm_tc.os.sigs = child_table(d->q, creator->os.sigs);
    vm_tc.os.leader = vm_tc.os.foreign_mm = true;
    vm_tc.os.seccomp_strict = creator->os.seccomp_strict;
    vm_tc.os.seccomp_filters = creator->os.seccomp_filters;
    thread_start_state(d->q, d->creator_tls);
    thread_register();
    signal_thread_start(creator->os.guest_mask);
    if (d->q->a.flags & CLONE_CLEAR_SIGHAND)
        clear_handlers();
    did_step(d);
    os_events.run();
    BUG("a process in another's memory came back from its run");
}

/* The donor stays with the new process. When that has ended nobody needs it any more, but its memory is used again only
 * in a child of fork. */
static s64 do_foreign(const struct clone_request *q)
{
    struct foreign d = {.q = q, .creator = &vm_tc, .creator_tls = arch_tls_base()};
    process_lock();
    s64 r = donor_make(&d.donor);
    if (!r) {
        hostfd_lock(); /* HF2 */
        r = clone_with_stack(q, d.donor.sp, (u64)d.donor.thread, foreign_main, &d);
        if (r > 0)
            wait_for_step(&d, 1);
        hostfd_unlock();
        if (r > 0)
            wait_for_step(&d, 2);
    }
    process_unlock();
    return r;
}

/* --- decoding ----------------------------------------------------------------------------------------------------- */

static s64 check_request(const struct clone_args *a)
{
    u64 f = a->flags;
    if (f & CLONE_PIDFD && f & CLONE_PARENT_SETTID && a->pidfd == a->parent_tid)
        return -EINVAL;
    if (f & CLONE_FS && f & (CLONE_NEWNS | CLONE_NEWUSER))
        return -EINVAL;
    if ((f & CLONE_SIGHAND && !(f & CLONE_VM)) || (f & CLONE_SIGHAND && f & CLONE_CLEAR_SIGHAND) ||
        (f & CLONE_THREAD && !(f & CLONE_SIGHAND)))
        return -EINVAL;
    return f & CLONE_SETTLS ? tls_base_check(a->tls) : 0;
}

static s64 carry_out(const struct clone_request *q)
{
    u64 f = q->a.flags;
    if (f & CLONE_THREAD)
        return thread_create(q);
    if (!(f & CLONE_VM))
        return do_fork(q);
    return f & CLONE_VFORK ? do_vfork(q) : do_foreign(q);
}

static void make(const struct clone_request *q)
{
    s64 r = check_request(&q->a);
    if (r) {
        sys_finish(r);
        return;
    }
    if (signal_defer_syscall())
        return;
    filefd_note_clone(q->a.flags);
    if (!process_begin()) {
        sys_restart();
        signal_set_attention();
        return;
    }
    r = carry_out(q);
    process_idle();
    *arch_syscall_word(&vm_tc.cpu, WORD_RESULT) = (u64)r;
    signal_unblock();
}

s64 os_spawn_thread(void (*setup)(void *arg), void *arg)
{
    struct clone_request q = {.a = {.flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                                             CLONE_SYSVSEM},
                              .setup = setup, .arg = arg};
    u64 all = ~0ul, old;
    if (!vm_tc.os.sigs || vm_tc.os.vfork_child || vm_tc.os.foreign_mm || os_record || !process_begin())
        return -EAGAIN;
    arch_raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (u64)&all, (u64)&old, sizeof all, 0, 0); /* T3 */
    s64 r = thread_create(&q);
    arch_raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (u64)&old, 0, sizeof old, 0, 0);
    process_idle();
    return r;
}

void sys_clone(void)
{
    struct clone_request q = {.a = {.flags = sys_arg(0) & 0xffffffff & ~(u64)CSIGNAL,
                                    .exit_signal = sys_arg(0) & CSIGNAL,
                                    .stack = sys_arg(1),
                                    .pidfd = sys_arg(2),
                                    .parent_tid = sys_arg(2),
                                    .child_tid = sys_arg(CLONE_ARG_CHILD_TID),
                                    .tls = sys_arg(CLONE_ARG_TLS)}};
    if (q.a.flags & CLONE_PIDFD && q.a.flags & CLONE_DETACHED) {
        sys_finish(-EINVAL);
        return;
    }
    q.a.flags &= ~(u64)CLONE_DETACHED;
    make(&q);
}

void sys_fork(void)
{
    struct clone_request q = {.a = {.exit_signal = SIGCHLD}};
    make(&q);
}

void sys_vfork(void)
{
    struct clone_request q = {.a = {.flags = CLONE_VM | CLONE_VFORK, .exit_signal = SIGCHLD}};
    make(&q);
}

/* Reads the structure as the kernel does: a longer one than we know is accepted if what follows is 0. */
static s64 read_clone_args(struct clone_args *a, u64 addr, u64 bytes)
{
    u8 rest[PAGE_BYTES];
    if (bytes > sizeof rest)
        return -E2BIG;
    if (bytes < CLONE_ARGS_SIZE_VER0)
        return -EINVAL;
    size_t got = os_safe_copy(rest, (const void *)addr, bytes);
    for (size_t i = sizeof *a; i < got; i++)
        if (rest[i])
            return -E2BIG;
    if (got < bytes)
        return -EFAULT;
    memset(a, 0, sizeof *a);
    memcpy(a, rest, bytes < sizeof *a ? bytes : sizeof *a);
    return 0;
}

#define CLONE3_FLAGS (0xfffffffful | CLONE_CLEAR_SIGHAND | CLONE_INTO_CGROUP)
#define PID_LEVELS 32 /* namespaces within namespaces */

/* What the kernel checks first, in its order. */
static s64 check_clone3(const struct clone_args *a, u64 bytes)
{
    u64 end;
    s32 tids[PID_LEVELS];
    if (a->set_tid_size > PID_LEVELS || !a->set_tid != !a->set_tid_size || a->exit_signal > SIGNALS)
        return -EINVAL;
    if (a->flags & CLONE_INTO_CGROUP && (a->cgroup > INT_MAX || bytes < CLONE_ARGS_SIZE_VER2))
        return -EINVAL;
    if (a->set_tid && !sys_read(tids, a->set_tid, a->set_tid_size * sizeof tids[0]))
        return -EFAULT;
    if (a->flags & ~CLONE3_FLAGS || a->flags & (CLONE_DETACHED | (CSIGNAL & ~CLONE_NEWTIME)))
        return -EINVAL;
    if (a->flags & (CLONE_THREAD | CLONE_PARENT) && a->exit_signal)
        return -EINVAL;
    return !a->stack != !a->stack_size || __builtin_add_overflow(a->stack, a->stack_size, &end) || end > USER_END
               ? -EINVAL
               : 0;
}

void sys_clone3(void)
{
    struct clone_request q = {.clone3 = true};
    s64 r = read_clone_args(&q.a, sys_arg(0), sys_arg(1));
    if (!r)
        r = check_clone3(&q.a, sys_arg(1));
    if (r) {
        sys_finish(r);
        return;
    }
    q.a.stack += q.a.stack_size;
    make(&q);
}
