/* SPDX-License-Identifier: Apache-2.0
 * Signals: start and end of processes and threads, the kernel's side of actions (E12) and of masks (E11), death
 * (E14). Owns the action tables and the engine's signal stacks. Never looks at guest registers. Runs on the thread
 * concerned; tables are shared and have a lock. Invariants: signal_private.h. */
#include "os/linux/signal_private.h"

#include "os/hostmem.h"
#include "os/events.h"
#include "os/linux/overdue.h"
#include "os/linux/procfs.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif
#define HOST_SIGSETXID 33 /* the host's libc takes it when it makes its first thread */
#define ENGINE_FLAGS (SA_SIGINFO | SA_ONSTACK | SA_NODEFER)
/* Those flags of the guest's action that the kernel must know. */
#define KERNEL_FLAGS (SA_RESTART | SA_NOCLDSTOP | SA_NOCLDWAIT | SA_RESETHAND)

u64 signal_core_mask;
bool signal_sent_faults;
static u32 dying FORK_WRITES; /* the process is, by a signal */
int os_end_signal;
static struct sig_table process_table FORK_WRITES = {.lock = HOSTLOCK(LOCK_SIGNALS)};

/* Of the system call layer: runs the tool's functions for the end and writes out the engine's output. */
extern void os_process_exit_hook(void) __attribute__((weak));

/* --- actions ----------------------------------------------------------------------------------------------- */
/* Is it a signal that ends the program with a core (signal_core_mask)? The first one comes to the engine; where that
 * has no time for it, because a routine of the tool does not return, the next one kills. */
static bool makes_core(int sig, u64 handler)
{
    return handler == HANDLER_DEFAULT && signal_core_mask & SIG_BIT(sig);
}

/* What the kernel is told for a guest's action. The kernel has to carry SA_RESETHAND out, too: between the arrival
 * of a signal and its delivery another thread may get the signal again, and must then get the default action. The
 * engine's own signals must not be reset. */
static struct sig_action kernel_action(int sig, const struct sig_action *act)
{
    bool sync = signal_is_sync(sig), code = HANDLER_IS_CODE(act->handler);
    u64 flags = act->flags & KERNEL_FLAGS;
    bool core = makes_core(sig, act->handler);
    if (!sync && !code && !core && !signal_is_watched(sig))
        return (struct sig_action){.handler = act->handler, .flags = flags};
    if (!code && sig == SIGCHLD && act->handler == HANDLER_IGNORE)
        flags |= SA_NOCLDWAIT; /* this is what ignoring SIGCHLD means */
    if (sync || !code)
        flags = (flags & ~(u64)SA_RESETHAND) | (code ? 0 : SA_RESTART) | (core ? SA_RESETHAND : 0);
    return sigframe_engine_action((u64)signal_handler, flags | ENGINE_FLAGS, SIG_ASYNC);
}

void signal_set_kernel_action(int sig, const struct sig_action *act)
{
    s64 r = sigframe_action(sig, act, NULL);
    if (r < 0)
        BUG("rt_sigaction(%d) failed with %ld", sig, r);
}

static void note_fatal(int sig, u64 kernel_handler)
{
    struct sig_table *t = vm_tc.os.sigs ? vm_tc.os.sigs : &process_table;
    if (kernel_handler == HANDLER_DEFAULT &&
        !(SIG_BIT(sig) & (SIG_DEFAULT_IGNORED | SIG_DEFAULT_STOP | SIG_UNBLOCKABLE)))
        __atomic_or_fetch(&t->fatal, SIG_BIT(sig), __ATOMIC_RELAXED);
    else
        __atomic_and_fetch(&t->fatal, ~SIG_BIT(sig), __ATOMIC_RELAXED);
}

void signal_install(int sig, const struct sig_action *old, const struct sig_action *act)
{
    struct sig_action now = kernel_action(sig, act);
    note_fatal(sig, makes_core(sig, act->handler) ? HANDLER_DEFAULT : now.handler);
    /* True: the kernel need not be told. It always is of default and ignore, which also drop what is pending, and
     * after SA_RESETHAND, which may have changed the kernel's action already. */
    if (old && (signal_is_sync(sig) || HANDLER_IS_CODE(act->handler)) && !((now.flags | old->flags) & SA_RESETHAND)) {
        struct sig_action was = kernel_action(sig, old);
        if (was.handler == now.handler && was.flags == now.flags)
            return;
    }
    signal_set_kernel_action(sig, &now);
}

void signal_watch(u64 mask)
{
    struct sig_table *t = vm_tc.os.sigs ? vm_tc.os.sigs : &process_table;
    __atomic_or_fetch(&signal_tool_mask, mask, __ATOMIC_RELAXED);
    hostlock_take(&t->lock);
    for (int sig = 1; sig <= SIGNALS; sig++)
        if (mask & SIG_BIT(sig))
            signal_install(sig, NULL, &t->act[sig]);
    hostlock_give(&t->lock);
}

static void find_core_mask(void)
{
    struct rlimit core;
    if (SIGFRAME_GOES_NATIVE && getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_cur)
        signal_core_mask = SIG_BIT(SIGQUIT) | SIG_BIT(SIGABRT) | SIG_BIT(SIGXCPU) | SIG_BIT(SIGXFSZ);
}

/* A handler found at start is the host libc's, for the guest has none yet, or, after an attach, the guest's (N6). */
static void inherit_action(int sig, struct sig_action *act, bool attached)
{
    s64 r = sigframe_action(sig, NULL, act);
    if (r < 0)
        BUG("rt_sigaction(%d) failed with %ld", sig, r);
    bool foreign = HANDLER_IS_CODE(act->handler);
    if (foreign && !attached)
        memset(act, 0, sizeof *act);
    if (foreign || signal_is_sync(sig) || signal_core_mask & SIG_BIT(sig))
        signal_install(sig, NULL, act);
    else
        note_fatal(sig, act->handler);
}

struct sig_table *signal_table_copy(const struct sig_table *from)
{
    struct sig_table *t = hostmem_map(PAGE_UP(sizeof *t), PROT_READ | PROT_WRITE);
    if (!t)
        hostmem_die("a table of signal actions");
    hostlock_init(&t->lock, LOCK_SIGNALS);
    hostlock_take((struct hostlock *)&from->lock);
    memcpy(t->act, from->act, sizeof t->act);
    t->fatal = from->fatal;
    hostlock_give((struct hostlock *)&from->lock);
    return t;
}

void signal_table_free(struct sig_table *t)
{
    hostmem_unmap(t, PAGE_UP(sizeof *t));
}

static u64 mask_where(const struct sig_table *t, bool code)
{
    u64 mask = 0;
    for (int sig = 1; sig <= SIGNALS; sig++)
        if (code ? HANDLER_IS_CODE(t->act[sig].handler) : t->act[sig].handler == HANDLER_IGNORE)
            mask |= SIG_BIT(sig);
    return mask;
}

/* procfs_signal_view */
static bool view_thread(int tid, u64 *blocked, u64 *ignored, u64 *caught)
{
    thread_list_lock();
    struct thread *t = thread_first();
    while (t && t->os.tid != tid)
        t = t->next;
    bool known = t && t->os.sigs;
    if (known) {
        *blocked = t->os.guest_mask;
        *ignored = mask_where(t->os.sigs, false);
        *caught = mask_where(t->os.sigs, true);
    }
    thread_list_unlock();
    return known;
}

/* --- masks ------------------------------------------------------------------------------------------------- */
static void set_kernel_mask(u64 mask)
{
    __atomic_store_n(&vm_tc.os.kernel_mask, mask, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    arch_raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (u64)&mask, 0, sizeof mask, 0, 0);
}

void signal_block_all(void)
{
    set_kernel_mask(signal_closed_mask());
}

void signal_keep_back(u64 bits)
{
    __atomic_or_fetch(&vm_tc.os.late_pending, bits, __ATOMIC_RELAXED);
    __atomic_or_fetch(&vm_tc.os.kernel_mask, bits, __ATOMIC_RELAXED);
    arch_raw_syscall(SYS_rt_sigprocmask, SIG_BLOCK, (u64)&bits, 0, sizeof bits, 0, 0);
}

/* Opens the mask, unless the slot is full. The mask is closed before, so the slot does not change meanwhile (S4). */
void signal_unblock(void)
{
    u64 want = signal_kernel_mask_for(vm_tc.os.guest_mask);
    if (!signal_slot_full() && vm_tc.os.kernel_mask != want)
        set_kernel_mask(want);
}

bool signal_change_mask(u64 guest_mask)
{
    struct os_thread *os = &vm_tc.os;
    u64 want = signal_kernel_mask_for(guest_mask), old = os->guest_mask;
    /* Read before the look at the slot. A signal that comes after this is one that the old mask lets through, and so
     * does the new mask where the two are equal. */
    u64 was = __atomic_load_n(&os->kernel_mask, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (signal_attention())
        return false;
    os->guest_mask = guest_mask;
    /* What was put back and is open now is on its way. This is done before the call, which may put others back. */
    u64 late = __atomic_fetch_and(&os->late_pending, guest_mask, __ATOMIC_RELAXED);
    if (was != want) {
        os->kernel_mask = want; /* before the call: S3 */
        u64 args[6] = {SIG_SETMASK, (u64)&want, 0, sizeof want, 0, 0};
        if (arch_gate_syscall(SYS_rt_sigprocmask, args) == GATE_NOT_MADE) {
            os->guest_mask = old;
            __atomic_or_fetch(&os->late_pending, late, __ATOMIC_RELAXED);
            if (!signal_slot_full()) /* else the handler has closed it */
                os->kernel_mask = was;
            return false;
        }
    }
    return true;
}

bool signal_defer_syscall(void)
{
    signal_block_all();
    if (!signal_slot_full())
        return false;
    arch_restart_syscall(&vm_tc.cpu, *arch_syscall_word(&vm_tc.cpu, WORD_NUMBER));
    return true;
}

/* The kernel is asked each time, because a vfork child shares what libc remembers. */
static u64 own_id(u64 nr)
{
    return (u64)arch_raw_syscall(nr, 0, 0, 0, 0, 0, 0);
}

void signal_raise_here(int sig)
{
    arch_raw_syscall(SYS_tgkill, own_id(SYS_getpid), own_id(SYS_gettid), (u64)sig, 0, 0, 0);
}

bool signal_kills(void) { return own_id(SYS_getpid) != 1; }

void signal_requeue(const siginfo_t *info)
{
    u64 pid = own_id(SYS_getpid), tid = own_id(SYS_gettid), sig = (u64)info->si_signo;
    bool to_thread = info->si_code == SI_TKILL;
    /* Only the first thread can send a signal to the process with all its data, because the kernel compares the
     * receiver with the calling thread. */
    if (!to_thread && arch_raw_syscall(SYS_rt_sigqueueinfo, pid, sig, (u64)info, 0, 0, 0) == 0)
        return;
    if (arch_raw_syscall(SYS_rt_tgsigqueueinfo, pid, tid, sig, (u64)info, 0, 0) < 0)
        /* The queue's limit is reached: then it is sent without its data, as the kernel does. */
        arch_raw_syscall(SYS_tgkill, pid, tid, sig, 0, 0, 0);
}

void os_poke_thread(int tid)
{
    siginfo_t info = {.si_signo = POKE_SIGNAL, .si_code = POKE_CODE};
    arch_raw_syscall(SYS_rt_tgsigqueueinfo, own_id(SYS_getpid), (u64)tid, POKE_SIGNAL, (u64)&info, 0, 0);
}

/* The thread will never take the signal: sends it to the process, without its data if that is not possible
 * otherwise. */
static void requeue_elsewhere(const siginfo_t *info)
{
    u64 pid = own_id(SYS_getpid), sig = (u64)info->si_signo;
    if (arch_raw_syscall(SYS_rt_sigqueueinfo, pid, sig, (u64)info, 0, 0, 0) < 0)
        arch_raw_syscall(SYS_kill, pid, sig, 0, 0, 0, 0);
}

void signal_from_other_thread(struct sigframe *f, const siginfo_t *info)
{
    u64 bit = SIG_BIT(info->si_signo);
    if (signal_is_sync(info->si_signo))
        vm_tc.os.faults_blocked = true;
    f->mask |= SIG_ASYNC | bit; /* one of the synchronous class that somebody sent: this thread will not see it again */
    /* Our handler runs with this signal open, so it is blocked here, too. */
    arch_raw_syscall(SYS_rt_sigprocmask, SIG_BLOCK, (u64)&bit, 0, sizeof bit, 0, 0);
    requeue_elsewhere(info);
}

/* --- processes and threads --------------------------------------------------------------------------------- */
/* Room for several nested frames of the largest kind, and for what recover and write_fault of os_events call. */
static size_t host_stack_bytes(void)
{
    return PAGE_UP(65536 + 4 * getauxval(AT_MINSIGSTKSZ));
}

u64 signal_stack_bytes(void) { return host_stack_bytes() + PAGE_BYTES; }

static void set_host_stack(void *sp, size_t bytes)
{
    stack_t ss = {.ss_sp = sp, .ss_size = bytes, .ss_flags = sp ? 0 : SS_DISABLE};
    s64 r = arch_raw_syscall(SYS_sigaltstack, (u64)&ss, 0, 0, 0, 0, 0);
    if (r < 0)
        BUG("sigaltstack failed with %ld", r);
}

static void make_host_stack(void)
{
    size_t bytes = host_stack_bytes();
    u8 *low = hostmem_map(bytes + PAGE_BYTES, PROT_READ | PROT_WRITE);
    if (!low)
        hostmem_die("a signal stack");
    mprotect(low, PAGE_BYTES, PROT_NONE); /* a guard page; if this fails, only a clean crash is lost */
    vm_tc.os.host_alt = low;
    set_host_stack(low + PAGE_BYTES, bytes);
}

static void init_thread(u64 guest_mask, bool first)
{
    struct os_thread *os = &vm_tc.os;
    os->guest_mask = guest_mask & ~SIG_UNBLOCKABLE;
    os->pending_info.si_signo = 0;
    os->mask_saved = false;
    sigframe_init_thread(os, first);
    make_host_stack();
    signal_set_attention(); /* the kernel's mask is set before the first entry */
}

void signal_init(u64 guest_mask)
{
    vm_tc.os.sigs = &process_table;
    find_core_mask();
    for (int sig = 1; sig <= SIGNALS; sig++)
        inherit_action(sig, &process_table.act[sig], false);
    signal_block_all(); /* the synchronous ones are open from here on */
    sigframe_probe();   /* on the host's stack: the frame shows the alternate stack's flags as inherited */
    init_thread(guest_mask, true);
    procfs_signal_view = view_thread;
}

void signal_init_attached(void)
{
    find_core_mask();
    for (int sig = 1; sig <= SIGNALS; sig++)
        inherit_action(sig, &process_table.act[sig], true);
    signal_block_all();
    sigframe_probe();
    make_host_stack();
    procfs_signal_view = view_thread;
}

/* The host's libc has made its first thread and taken a signal for itself; the guest's libc wants the same one. */
void signal_take_back_setxid(void)
{
    static bool done;
    struct sig_table *t = vm_tc.os.sigs ? vm_tc.os.sigs : &process_table;
    if (__atomic_load_n(&done, __ATOMIC_ACQUIRE))
        return;
    hostlock_take(&t->lock);
    signal_install(HOST_SIGSETXID, NULL, &t->act[HOST_SIGSETXID]);
    __atomic_store_n(&done, true, __ATOMIC_RELEASE);
    hostlock_give(&t->lock);
}

void signal_thread_start(u64 guest_mask)
{
    if (!vm_tc.os.sigs)
        vm_tc.os.sigs = &process_table;
    vm_tc.os.late_pending = 0;
    signal_block_all();
    signal_take_back_setxid();
    init_thread(guest_mask, false);
}

/* A signal for the process that this thread took but will not handle goes to another thread; one for the thread dies
 * with it. */
static void pass_on_slot(void)
{
    siginfo_t *info = &vm_tc.os.pending_info;
    if (signal_slot_full() && info->si_code != SI_TKILL)
        requeue_elsewhere(info);
    info->si_signo = 0;
    overdue_wait_ends();
}

void signal_thread_end(void)
{
    signal_block_all();
    pass_on_slot();
    set_host_stack(NULL, 0);
    hostmem_unmap(vm_tc.os.host_alt, host_stack_bytes() + PAGE_BYTES);
    vm_tc.os.host_alt = NULL;
    vm_tc.os.sigs = NULL;
}

void signal_before_fork(void) { hostlock_take(&vm_tc.os.sigs->lock); }
void signal_after_fork(void) { hostlock_give(&vm_tc.os.sigs->lock); }

void signal_after_fork_child(void)
{
    struct os_thread *os = &vm_tc.os;
    os->pending_info.si_signo = 0; /* what is pending is the parent's */
    os->late_pending = 0;
    overdue_after_fork_child();
    dying = 0;
    signal_set_attention();
}

/* --- stopping threads ---------------------------------------------------------------------------------------- */
#define STOP_CODE (-60)
/* A real-time signal, which is not merged with one that the guest sends, and one that programs hardly use. */
#define STOP_SIGNAL HOST_SIGSETXID
u64 signal_stop_bit;
static char stop_key;

void os_enable_interrupts(void)
{
    signal_stop_bit = SIG_BIT(STOP_SIGNAL);
    hostlock_take(&process_table.lock);
    signal_install(STOP_SIGNAL, NULL, &process_table.act[STOP_SIGNAL]);
    hostlock_give(&process_table.lock);
    signal_block_all(); /* and opens the signal that stops threads */
}

bool signal_is_stop(const siginfo_t *info) { return info->si_code == STOP_CODE && info->si_ptr == &stop_key; }

bool os_interrupt_thread(struct thread *t)
{
    int none = 0;
    if (t->os.vfork_child ||
        !__atomic_compare_exchange_n(&t->os.stop_signal, &none, STOP_SIGNAL, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return true; /* another process runs there and will look by itself, or a signal is on its way already */
    siginfo_t info = {.si_signo = STOP_SIGNAL, .si_code = STOP_CODE};
    info.si_pid = getpid();
    info.si_ptr = &stop_key;
    if (arch_raw_syscall(SYS_rt_tgsigqueueinfo, own_id(SYS_getpid), (u64)t->os.tid, STOP_SIGNAL, (u64)&info, 0, 0) == 0)
        return true;
    __atomic_store_n(&t->os.stop_signal, 0, __ATOMIC_SEQ_CST); /* the thread has just ended, or the queue is full */
    return false;
}

void os_await_interrupt(void)
{
    while (UNLIKELY(__atomic_load_n(&vm_tc.os.stop_signal, __ATOMIC_SEQ_CST)) && !vm_tc.os.vfork_child)
        /* The signal comes on the way back from the kernel at the latest. */
        arch_raw_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

/* --- exec -------------------------------------------------------------------------------------------------- */
/* Handlers become default actions by exec itself; only an ignored synchronous signal has to be made so in the
 * kernel. */
static void set_ignored_sync(bool ignore)
{
    struct sig_table *t = vm_tc.os.sigs;
    hostlock_take(&t->lock);
    for (int sig = 1; sig <= SIGNALS; sig++)
        if ((signal_is_sync(sig) || signal_is_watched(sig)) && t->act[sig].handler == HANDLER_IGNORE) {
            struct sig_action plain = {.handler = HANDLER_IGNORE};
            bool was_put_back = signal_late_pending() & SIG_BIT(sig);
            if (!ignore)
                signal_install(sig, NULL, &t->act[sig]);
            else
                signal_set_kernel_action(sig, &plain);
            /* Ignoring it has dropped the signal; a blocked one stays pending natively although it is ignored. */
            if (ignore && was_put_back)
                arch_raw_syscall(SYS_tgkill, own_id(SYS_getpid), own_id(SYS_gettid), (u64)sig, 0, 0, 0);
        }
    hostlock_give(&t->lock);
}

void signal_before_exec(void)
{
    u64 mask = vm_tc.os.guest_mask;
    u64 args[6] = {SIG_SETMASK, (u64)&mask, 0, sizeof mask, 0, 0};
    set_ignored_sync(true);
    vm_tc.os.kernel_mask = mask;
    /* The gate does not make this call when a signal came first; then it will not make the execve either. */
    arch_gate_syscall(SYS_rt_sigprocmask, args);
}

void signal_exec_failed(void)
{
    signal_block_all();
    set_ignored_sync(false);
    signal_set_attention();
}

/* --- detach ------------------------------------------------------------------------------------------------- */
/* An action that is the guest's already is not set again, because that would drop what is pending. */
void signal_leave(void)
{
    for (int sig = 1; sig <= SIGNALS; sig++) {
        const struct sig_action *act = &process_table.act[sig];
        struct sig_action now;
        if (SIG_BIT(sig) & SIG_UNBLOCKABLE)
            continue;
        sigframe_action(sig, NULL, &now);
        if (memcmp(&now, act, sizeof now) != 0)
            signal_set_kernel_action(sig, act);
    }
}

/* --- death ------------------------------------------------------------------------------------------------- */
void os_die_by_signal(int sig)
{
    struct sig_action plain = {.handler = HANDLER_DEFAULT};
    u64 others = ~SIG_BIT(sig);
    signal_block_all();
    signal_set_kernel_action(sig, &plain);
    signal_raise_here(sig);
    arch_raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (u64)&others, 0, sizeof others, 0, 0);
    signal_fault(sig); /* the first process of a pid namespace dies by nothing that is sent */
    arch_raw_syscall(SYS_exit_group, 128 + (u64)sig, 0, 0, 0, 0, 0);
    __builtin_unreachable();
}

void os_leave_handler(void)
{
    signal_block_all();
    signal_set_attention();
}

/* The other threads of a process that dies go on as the guest's, natively and with all signals blocked, until the
 * kernel stops them: so they, too, are the guest's in the core. One that is in the tool's code for long is not waited
 * for. */
#define PATIENCE_MS 1000
static u32 departures; /* slept on */

void os_leave_dying(void)
{
    u64 all = ~0ul;
    if (LIKELY(!__atomic_load_n(&dying, __ATOMIC_ACQUIRE)) || vm_tc.os.vfork_child || vm_tc.os.foreign_mm)
        return;
    arch_raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (u64)&all, 0, sizeof all, 0, 0);
    __atomic_store_n(&vm_tc.os.native, true, __ATOMIC_RELEASE);
    __atomic_add_fetch(&departures, 1, __ATOMIC_SEQ_CST);
    hostlock_futex(&departures, FUTEX_WAKE, 1);
    sigframe_go_native(&vm_tc.cpu, &vm_tc.os, all);
}

void os_wait_for_end(void)
{
    for (;; os_leave_dying())
        hostlock_futex(&dying, FUTEX_WAIT, 0);
}

/* A thread that says it leaves still executes a few instructions of the engine's, and can say nothing after them. It
 * has executed them when it waits in the kernel, or when it has had so much more CPU time. */
#define LEFT_AFTER_NS 1000000u

static u64 cpu_time(pid_t tid)
{
    struct timespec t = {0};
    clock_gettime((clockid_t)(~(u32)tid << 3 | 6), &t); /* the kernel's number of the clock of a thread's CPU time */
    return (u64)t.tv_sec * 1000000000ul + (u64)t.tv_nsec;
}

static bool waits(pid_t tid)
{
    char path[64], text[256] = "";
    base_format(path, sizeof path, "/proc/self/task/%d/stat", tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    const char *state = n > 0 ? strrchr(text, ')') : NULL;
    return state && state[1] && state[2] != 'R';
}

static bool has_left(struct os_thread *os)
{
    if (!__atomic_load_n(&os->native, __ATOMIC_ACQUIRE))
        return false;
    u64 now = cpu_time(os->tid);
    if (!os->left_at)
        os->left_at = now + LEFT_AFTER_NS;
    return now >= os->left_at || waits(os->tid);
}

/* True: one of the others is in the engine. They are told to leave, if they have to be. */
static bool others_are_here(bool tell)
{
    bool any = false;
    thread_list_lock();
    for (struct thread *t = thread_first(); t; t = t->next) {
        if (t == &vm_tc || !t->os.sigs || t->os.foreign_mm || has_left(&t->os))
            continue;
        any = true;
        if (tell && !t->os.native)
            os_poke_thread(t->os.tid);
    }
    thread_list_unlock();
    return any;
}

/* Those of an IA-32 program cannot go on natively in a 64-bit process: they stay where they are. */
static void send_others_away(void)
{
    u32 ms = 0, seen = 0;
    if (arch_narrow || vm_tc.os.vfork_child || vm_tc.os.foreign_mm || !others_are_here(false))
        return;
    while (!os_events.protect_no_more()) /* a page that the engine protects would be a fault */
        if (ms++ < PATIENCE_MS)
            hostlock_futex_1ms(&departures, 0);
        else
            return;
    if (__atomic_exchange_n(&dying, 1, __ATOMIC_SEQ_CST))
        return; /* another thread dies, too */
    hostlock_futex(&dying, FUTEX_WAKE, INT_MAX);
    others_are_here(true);
    while (others_are_here(false) && ms++ < PATIENCE_MS) {
        hostlock_futex_1ms(&departures, seen);
        seen = __atomic_load_n(&departures, __ATOMIC_SEQ_CST);
    }
}

/* The signal waits while the registers become the guest's, and is taken before its next instruction: so the kernel
 * finds the guest in them when it writes a core, and in memory nothing of the host's. */
void signal_die_as_guest(const siginfo_t *info)
{
    struct sig_action plain = {.handler = HANDLER_DEFAULT};
    int sig = info->si_signo;
    u64 all = ~0ul;
    if (SIGFRAME_GOES_NATIVE && signal_kills()) {
        arch_raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (u64)&all, 0, sizeof all, 0, 0);
        send_others_away();
        hostmem_keep_from_core();
        signal_set_kernel_action(sig, &plain);
        if (arch_raw_syscall(SYS_rt_tgsigqueueinfo, own_id(SYS_getpid), own_id(SYS_gettid), (u64)sig, (u64)info, 0, 0))
            signal_raise_here(sig); /* the queue's limit is reached */
        sigframe_go_native(&vm_tc.cpu, &vm_tc.os, vm_tc.os.guest_mask & ~SIG_BIT(sig));
    }
    os_die_by_signal(sig);
}

void signal_die(const siginfo_t *info)
{
    signal_block_all();
    if (os_events.context_change)
        os_events.context_change(OS_CHANGE_FATAL, &vm_tc.cpu, NULL, info->si_signo);
    os_end_signal = info->si_signo;
    if (os_process_exit_hook && !vm_tc.os.vfork_child)
        os_process_exit_hook();
    signal_die_as_guest(info);
}
