/* SPDX-License-Identifier: Apache-2.0
 * Guest threads: each is a pthread of the host's libc, which so knows every thread. Makes them, ends them, and does for
 * them what the kernel would do at their end, because the kernel's own records are the host libc's. On the thread
 * concerned.
 *
 *  T1  The guest's clear_tid address is cleared by the kernel, which does so when the thread does not count any more;
 *      the guest may rely on it. A thread that the kernel alone ends (the process' first, a child of fork, a process in
 *      another's memory: thread_is_bare) has the address registered all the time, and so has one that was there before
 *      the engine (adopt.c). A pthread has libc's address registered until thread_finish; that one is then cleared by
 *      whoever joins the thread (hoststack.c).
 *  T2  The guest's robust list is the one that the kernel knows as long as the guest's thread lives, so that the kernel
 *      deals with it at a death by signal or exit_group. A pthread gets libc's list back last.
 *  T3  A new thread has its tid published, is in the list of threads and has its signals set up before its creator goes
 *      on; the creator holds process_lock and blocks signals meanwhile. */
#include "arch/arch.h"
#include "base/options.h"
#include "os/linux/hostfd.h"
#include "os/linux/hostmalloc.h"
#include "os/linux/hoststack.h"
#include "os/linux/hosttask.h"
#include "os/events.h"
#include "os/linux/rseq.h"
#include "os/linux/signal.h"
#include "os/linux/sys.h"
#include "os/linux/clone.h"
#include "os/record.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/statfs.h>
#include <sys/syscall.h>

#ifndef PR_GET_TID_ADDRESS
#define PR_GET_TID_ADDRESS 40
#endif
#ifndef PIDFD_THREAD
#define PIDFD_THREAD 0200 /* O_EXCL */
#endif
#define ROBUST_LIST_LIMIT 2048
/* Not every architecture has a recorder. */
#pragma weak record_thread_made
#pragma weak record_thread_starts
#pragma weak record_thread_ends
#pragma weak record_owner_died
#define TCB_SEARCH_WORDS 1024

static s64 tid_offset;    /* of libc's tid field in its thread descriptor */
/* What the first thread has ended with: the process' status unless it ends by exit_group or a signal. */
static s32 leader_status;
static bool leader_gone FORK_WRITES;

static s64 raw(u64 nr, u64 a, u64 b, u64 c)
{
    return arch_raw_syscall(nr, a, b, c, 0, 0, 0);
}

static s64 futex(const void *addr, int op, u32 value)
{
    return raw(SYS_futex, (u64)addr, (u64)op, value);
}

/* --- identity ---------------------------------------------------------------------------------------------------- */

bool thread_is_bare(void)
{
    return vm_tc.os.leader || vm_tc.os.vfork_child;
}

static int *tid_field(pthread_t thread) { return (int *)((u8 *)thread + tid_offset); }

int *thread_host_tid_address(void) { return tid_field(pthread_self()); }

void thread_join(pthread_t thread)
{
    __atomic_store_n(tid_field(thread), 0, __ATOMIC_RELEASE); /* the kernel has cleared the guest's instead (T1) */
    int err = pthread_join(thread, NULL);
    if (err)
        BUG("pthread_join of an ended guest thread: error %d", err);
}

static void find_tid_field(void)
{
    int *field = NULL, *tcb = (int *)pthread_self(), tid = (int)raw(SYS_gettid, 0, 0, 0);
    if (raw(SYS_prctl, PR_GET_TID_ADDRESS, (u64)&field, 0) < 0)
        for (int i = 0; i < TCB_SEARCH_WORDS && !field; i++)
            if (tcb[i] == tid)
                field = tcb + i;
    if (!field || *field != tid)
        die(1, "cannot find the thread id in the C library's thread descriptor");
    tid_offset = (u8 *)field - (u8 *)tcb;
}

static void save_host_robust(void)
{
    raw(SYS_get_robust_list, 0, (u64)&vm_tc.os.host_robust_head, (u64)&vm_tc.os.host_robust_bytes);
}

void thread_init_first(bool guest)
{
    find_tid_field();
    save_host_robust();
    vm_tc.os.tid = (int)raw(SYS_gettid, 0, 0, 0);
    vm_tc.os.leader = guest;
}

/* --- start -------------------------------------------------------------------------------------------------------- */

struct thread_start {
    const struct clone_request *q;
    const struct thread *creator; /* stands still until `answer` is set */
    u64 creator_tls;
    struct host_stack *stack;
    s32 answer;                   /* 0: none yet; tid, or negative error */
    s32 go;                       /* the creator has done what it wanted with the tid */
    s32 gone;                     /* the thread has seen that, and does not look at this struct any more */
};

void thread_start_state(const struct clone_request *q, u64 creator_tls)
{
    const struct clone_args *a = &q->a;
    struct os_thread *os = &vm_tc.os;
    if (a->stack)
        arch_set_sp(&vm_tc.cpu, a->stack);
    arch_set_tls_base(a->flags & CLONE_SETTLS ? a->tls : creator_tls);
    *arch_syscall_word(&vm_tc.cpu, WORD_RESULT) = 0;
    os->tid = (int)raw(SYS_gettid, 0, 0, 0);
    hosttask_forget(os->tid);
    if (os->leader && !os->vfork_child && !os->foreign_mm)
        leader_gone = false; /* a child of fork */
    os->robust_head = 0;
    os->dispatch.mode = 0; /* neither a thread nor a child of fork inherits it */
    os->clear_tid = a->flags & CLONE_CHILD_CLEARTID ? a->child_tid : 0;
    if (a->flags & CLONE_CHILD_SETTID)
        sys_write(a->child_tid, &os->tid, sizeof os->tid);
}

#define NEW_SPACES ((u64)(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWCGROUP))

/* pthreads share what the guest may not want to share: the new thread unshares it. */
static s64 unshare_unwanted(u64 flags)
{
    u64 shared = CLONE_FS | CLONE_FILES | CLONE_SYSVSEM;
    u64 leave = (shared & ~flags) | (flags & NEW_SPACES);
    return leave ? raw(SYS_unshare, leave, 0, 0) : 0;
}

static void set(s32 *word, s32 value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    futex(word, FUTEX_WAKE_PRIVATE, 1);
}

static void answer(struct thread_start *s, s32 value) { set(&s->answer, value); }

static void wait_for(const s32 *word)
{
    while (!__atomic_load_n(word, __ATOMIC_ACQUIRE))
        futex(word, FUTEX_WAIT_PRIVATE, 0);
}

/* The new thread takes over its creator's state and answers; *s is gone afterwards. False: it is not to run. */
static bool thread_begin(struct thread_start *s)
{
    s64 err = unshare_unwanted(s->q->a.flags);
    if (err < 0) {
        answer(s, (s32)err);
        return false;
    }
    vm_tc.cpu = s->creator->cpu;
    vm_tc.cpu.sysret = 0;
    vm_tc.os.sigs = s->creator->os.sigs;
    vm_tc.os.parent_tid = s->creator->os.tid;
    vm_tc.os.foreign_mm = s->creator->os.foreign_mm;
    vm_tc.os.seccomp_strict = s->creator->os.seccomp_strict;
    vm_tc.os.seccomp_filters = s->creator->os.seccomp_filters;
    save_host_robust();
    thread_start_state(s->q, s->creator_tls);
    if (s->q->setup)
        s->q->setup(s->q->arg);
    if (s->q->a.flags & CLONE_PARENT_SETTID)
        sys_write(s->q->a.parent_tid, &vm_tc.os.tid, sizeof vm_tc.os.tid);
    thread_register();
    if (record_thread_made)
        record_thread_made();
    signal_thread_start(s->creator->os.guest_mask);
    bool held = s->q->a.flags & CLONE_PIDFD;
    answer(s, vm_tc.os.tid);
    if (held) {
        wait_for(&s->go);
        set(&s->gone, 1);
    }
    return true;
}

static void *thread_main(void *arg)
{
    struct thread_start *s = arg;
    struct host_stack *stack = s->stack;
    if (thread_begin(s)) {
        if (record_thread_starts)
            record_thread_starts();
        os_events.run();
        thread_finish();
    }
    hoststack_put_ending(stack, pthread_self());
    return NULL;
}

static s64 start_pthread(struct thread_start *s)
{
    pthread_t thread;
    pthread_attr_t attr;
    s->stack = hoststack_get();
    if (!s->stack)
        return -EAGAIN;
    int err = pthread_attr_init(&attr);
    if (!err)
        err = pthread_attr_setstack(&attr, s->stack->base, s->stack->bytes);
    if (!err)
        err = hosttask_libc_create(&thread, &attr, thread_main, s);
    pthread_attr_destroy(&attr);
    if (!err)
        return 0;
    hoststack_put(s->stack);
    return -(err == ENOMEM ? EAGAIN : err);
}

/* The kernel's own order: the descriptor exists before the thread runs. */
static s64 give_pidfd(struct thread_start *s, s32 tid)
{
    s64 fd = raw(SYS_pidfd_open, (u64)tid, PIDFD_THREAD, 0);
    s32 value = (s32)fd;
    if (fd >= 0 && !sys_write(s->q->a.pidfd, &value, sizeof value))
        fd = -EFAULT;
    set(&s->go, 1);
    wait_for(&s->gone); /* *s ends with this function */
    return fd < 0 ? fd : tid;
}

static s64 check_flags(const struct clone_args *a)
{
    if (!(a->flags & CLONE_SIGHAND) || !(a->flags & CLONE_VM) ||
        a->flags & (CLONE_NEWPID | CLONE_NEWUSER | CLONE_NEWTIME | CLONE_CLEAR_SIGHAND))
        return -EINVAL;
    if (a->set_tid_size) {
        msg("clone3: the id of a new thread cannot be chosen here (set_tid)");
        return -EPERM;
    }
    return a->flags & CLONE_SETTLS ? tls_base_check(a->tls) : 0;
}

/* May the caller make new namespaces? It is checked here, because a thread that is made and then refused could be
 * seen. */
static s64 check_rights(u64 flags)
{
    struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct d[2] = {{0}};
    if (!(flags & NEW_SPACES))
        return 0;
    return raw(SYS_capget, (u64)&h, (u64)d, 0) == 0 && d[0].effective & 1u << CAP_SYS_ADMIN ? 0 : -EPERM;
}

/* Can the descriptor be stored? As in the kernel, this is checked before there is a thread. */
static s64 check_pidfd(const struct clone_args *a)
{
    s32 value;
    return !(a->flags & CLONE_PIDFD) ||
                   (sys_read(&value, a->pidfd, sizeof value) && sys_write(a->pidfd, &value, sizeof value))
               ? 0
               : -EFAULT;
}

/* The host's threads are made by its library, which cannot put them into another control group. */
static s64 check_cgroup(const struct clone_args *a)
{
    struct statfs st;
    if (!(a->flags & CLONE_INTO_CGROUP))
        return 0;
    if (fstatfs((int)a->cgroup, &st) < 0 || st.f_type != CGROUP2_SUPER_MAGIC)
        return -EBADF;
    msg("clone3: a new thread cannot be put into another control group here (CLONE_INTO_CGROUP)");
    return -EINVAL;
}

static s64 create(const struct clone_request *q)
{
    s64 err = check_flags(&q->a);
    if (!err)
        err = check_rights(q->a.flags);
    if (!err)
        err = check_pidfd(&q->a);
    if (!err)
        err = check_cgroup(&q->a);
    if (err)
        return err;
    struct thread_start s = {.q = q, .creator = &vm_tc, .creator_tls = arch_tls_base()};
    process_lock(); /* T3 */
    err = start_pthread(&s);
    if (!err)
        wait_for(&s.answer);
    s64 r = err ? err : s.answer;
    if (r > 0 && q->a.flags & CLONE_PIDFD)
        r = give_pidfd(&s, s.answer);
    process_unlock();
    return r;
}

/* A replay needs the thread. What else the call has done, and what it has written, comes from the recording. */
static s64 create_replayed(const struct clone_request *q)
{
    struct clone_request plain = *q;
    plain.a.flags = (q->a.flags & CLONE_SETTLS) | CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                    CLONE_SYSVSEM;
    plain.a.set_tid_size = 0;
    return create(&plain);
}

s64 thread_create(const struct clone_request *q)
{
    return UNLIKELY(os_record == OS_REPLAYS) ? create_replayed(q) : create(q);
}

/* --- end: the robust list, as the kernel walks it (T2) ------------------------------------------------------------ */

struct robust_head {
    u64 next;
    s64 futex_offset;
    u64 pending;
};

/* Is the word, which is not 0, writable? The kernel tries an atomic or with 0, which wakes nobody. */
static bool word_is_writable(u64 addr)
{
    u32 nobody = 0;
    u64 op = FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 0);
    os_events.kernel_write(addr, addr + sizeof(u32));
    return arch_raw_syscall(SYS_futex, (u64)&nobody, FUTEX_WAKE_OP, 0, 0, addr, op) >= 0;
}

static void owner_died(u64 addr, bool pi, bool pending)
{
    u32 *word = (u32 *)addr, seen;
    if (addr % sizeof *word || !sys_read(&seen, addr, sizeof seen))
        return;
    if (pending && !pi && !(seen & FUTEX_TID_MASK)) {
        futex(word, FUTEX_WAKE, 1); /* the thread died between its unlock and its wake */
        return;
    }
    if ((seen & FUTEX_TID_MASK) != (u32)vm_tc.os.tid || !word_is_writable(addr))
        return;
    u32 dead;
    do {
        dead = (seen & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
        if ((seen & FUTEX_TID_MASK) != (u32)vm_tc.os.tid)
            return;
    } while (!__atomic_compare_exchange_n(word, &seen, dead, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    if (record_owner_died)
        record_owner_died(addr);
    /* Waiters of a priority-inheriting lock are the kernel's to wake, when the task ends. */
    if (!pi && seen & FUTEX_WAITERS)
        futex(word, FUTEX_WAKE, 1);
}

static void walk_robust_list(void)
{
    struct robust_head head;
    u64 list = vm_tc.os.robust_head;
    if (!list || !sys_read(&head, list, sizeof head))
        return;
    u64 at = head.next, next = 0;
    for (int n = 0; (at & ~1ul) != list && n < ROBUST_LIST_LIMIT; n++, at = next) {
        /* Read before the lock is released, because its next owner may free it. */
        bool more = sys_read(&next, at & ~1ul, sizeof next);
        if ((at & ~1ul) != (head.pending & ~1ul))
            owner_died((at & ~1ul) + (u64)head.futex_offset, at & 1, false);
        if (!more)
            break;
    }
    if (head.pending & ~1ul)
        owner_died((head.pending & ~1ul) + (u64)head.futex_offset, head.pending & 1, true);
}

/* T1 */
static void register_clear_tid(void)
{
    u64 addr = vm_tc.os.clear_tid;
    if (addr)
        os_events.kernel_write(addr, addr + sizeof(u32));
    raw(SYS_set_tid_address, addr, 0, 0);
}

/* With threads of the tool, which come and go, the kernel's number is of no use. A first thread that has ended counts
 * until the end of the process. */
u64 thread_guest_tasks(u64 all) { return hosttask_any() ? thread_count() + leader_gone : all; }

/* The last guest thread has ended: so does the process, which threads of the tool would keep alive. */
static void last_thread_gone(void)
{
    process_run_exit_hooks(leader_status);
    register_clear_tid();
    raw(SYS_exit_group, (u64)leader_status, 0, 0);
}

/* The guest thread is over, its pthread not yet. */
void thread_finish(void)
{
    walk_robust_list();
    arch_raw_syscall(SYS_set_robust_list, vm_tc.os.host_robust_head, vm_tc.os.host_robust_bytes, 0, 0, 0, 0);
    signal_thread_end();
    process_busy(); /* the thread is not in the list any more, but the guest still waits for its end */
    thread_unregister();
    if (!thread_count())
        last_thread_gone();
    if (record_thread_ends)
        record_thread_ends();
    if (!vm_tc.os.clear_tid)
        rseq_end_thread();
    register_clear_tid();
    process_idle();
}

/* Others go on, and are to see what the kernel would do later now, while they wait for their turn (RP5). */
static void end_recorded(void)
{
    walk_robust_list();
    raw(SYS_set_robust_list, 0, sizeof(struct robust_head), 0);
    raw(SYS_set_tid_address, 0, 0, 0);
    record_thread_ends();
}

static void end_bare_thread(s32 status) NORETURN;
static void end_bare_thread(s32 status)
{
    if (!vm_tc.os.vfork_child && !vm_tc.os.foreign_mm) {
        leader_status = status;
        leader_gone = true;
        if (os_events.thread_ends && thread_count() > 1) /* for the last thread this is done at the process' end */
            os_events.thread_ends(status);
    }
    if (!vm_tc.os.vfork_child) {
        thread_unregister();
        if (!thread_count() && !vm_tc.os.foreign_mm) {
            process_run_exit_hooks(status);
            raw(SYS_exit_group, (u64)status, 0, 0);
        }
        if (os_record && !vm_tc.os.foreign_mm)
            end_recorded();
        hostmalloc_thread_end();
    }
    raw(SYS_exit, (u64)status, 0, 0);
    __builtin_unreachable();
}

void os_thread_exit(int status)
{
    signal_block_all();
    if (thread_is_bare())
        end_bare_thread(status);
    vm_tc.vm.exit_code = status;
    os_events.end_run();
    __builtin_unreachable();
}

void sys_exit(void)
{
    if (!signal_defer_syscall())
        os_thread_exit((s32)sys_arg(0));
}

/* --- what the guest tells the kernel about its threads ------------------------------------------------------------ */

void sys_set_tid_address(void)
{
    vm_tc.os.clear_tid = sys_arg(0);
    if (thread_is_bare() || vm_tc.os.adopted)
        sys_pass();
    else
        sys_finish(vm_tc.os.tid);
}

void sys_set_robust_list(void)
{
    s64 r = sys_call();
    if (!r)
        vm_tc.os.robust_head = sys_arg(0);
    sys_finish(r);
}

/* The robust list that the guest has set; natively there is none before. */
static bool robust_head_of(int tid, u64 *head)
{
    bool found = false;
    thread_list_lock();
    for (struct thread *t = thread_first(); t && !found; t = t->next)
        if (t->os.tid == tid || (!tid && t == &vm_tc)) {
            *head = t->os.robust_head;
            found = true;
        }
    thread_list_unlock();
    return found;
}

void sys_get_robust_list(void)
{
    u64 head, bytes = sizeof(struct robust_head);
    if (!robust_head_of((int)sys_arg(0), &head)) {
        sys_pass();
        return;
    }
    bool ok = sys_write(sys_arg(2), &bytes, sizeof bytes) && sys_write(sys_arg(1), &head, sizeof head);
    sys_finish(ok ? 0 : -EFAULT);
}
