/* SPDX-License-Identifier: Apache-2.0
 * The way from the dispatcher to the handlers of system calls, and the engine's interest in them, both from the table
 * of all calls (syscalls.tsv). A call without a class there is the kernel's alone and runs inside the code cache. Runs
 * on the guest's own thread, no lock held. */
#include "arch/arch.h"
#include "base/options.h"
#include "os/linux/filefd.h"
#include "os/linux/hostcalls.h"
#include "os/linux/hostfd.h"
#include "os/hostlock.h"
#include "os/events.h"
#include "os/linux/procfs.h"
#include "os/linux/sigframe.h"
#include "os/linux/signal.h"
#include "os/linux/sys.h"
#include "os/linux/syscall_info.h"
#include "os/record.h"

#include <errno.h>
#include <linux/audit.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define SYS_NOT_MADE (-512)
#define NR_X32_BIT 0x40000000u

/* Handlers and classes, both by number. A call without a handler is only passed on, after output_lift. The class
 * `output` is for calls that cannot simply be made again after an EFAULT, because they have taken something or done a
 * part; os_efault_retry serves the others. */
static void (*const handlers[])(void) = {
#define SYSCALL(nr, name, classes, handler, ...) [nr] = handler,
#include "os/os.h"
#include "syscalls.h"
#undef SYSCALL
};
static const u16 classes_of[] = {
#define SYSCALL(nr, name, classes, handler, ...) [nr] = classes,
#include "syscalls.h"
#undef SYSCALL
};

static const u8 kinds_of[][6] = {
#define ARG(name, kind, ...) kind
#define SYSCALL(nr, name, classes, handler, result, n, ...) [nr] = {__VA_ARGS__},
#include "syscalls.h"
#undef SYSCALL
#undef ARG
};

u8 os_syscall_interest[65536];
u32 os_interest_end = ARRAY_LEN(classes_of);
bool os_low_interest, os_guards_fds;

/* --- the call in hand ------------------------------------------------------------------------------------------ */

u64 sys_nr(void)
{
    if (UNLIKELY(vm_tc.os.other != NULL))
        return vm_tc.os.other->nr;
    return (u32)*arch_syscall_word(&vm_tc.cpu, WORD_NUMBER);
}

bool sys_never_waits(u64 nr) { return nr < ARRAY_LEN(classes_of) && classes_of[nr] & CLASS_NO_WAIT; }

u64 sys_arg(int i)
{
    if (UNLIKELY(vm_tc.os.has_argument) && (u32)i == vm_tc.os.timeout.arg)
        return vm_tc.os.argument;
    if (UNLIKELY(vm_tc.os.other != NULL))
        return vm_tc.os.other->arg[i];
    return *arch_syscall_word(&vm_tc.cpu, (u32)i);
}

s64 sys_gate(u64 nr, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f)
{
    u64 args[6] = {a, b, c, d, e, f};
    return arch_gate_syscall(nr, args);
}

/* How the call makes descriptors; the lowest numbers that it may get are from *from on. */
enum makes { MAKES_NONE, MAKES_ONE, MAKES_TWO };
static enum makes makes_fd(u64 nr, const u64 *args, u32 *from)
{
    *from = nr == SYS_fcntl ? (u32)args[2] : 0;
    switch (nr < OS_HOST_CALLS ? os_host_calls[nr] : CALL_OTHER) {
    case CALL_FD:
    case CALL_OPEN:
    case CALL_OPENAT:
    case CALL_ACCEPT:
        return MAKES_ONE;
    case CALL_PIPE:
    case CALL_SOCKETS:
        return MAKES_TWO;
    case CALL_FCNTL:
        return (int)args[1] == F_DUPFD || (int)args[1] == F_DUPFD_CLOEXEC ? MAKES_ONE : MAKES_NONE;
    default:
        return MAKES_NONE;
    }
}

static void settle_pair(u64 addr)
{
    int fd[2];
    if (!sys_read(fd, addr, sizeof fd))
        return;
    for (int i = 0; i < 2; i++)
        fd[i] = (int)hostfd_settle(fd[i], 0);
    sys_write(addr, fd, sizeof fd);
}

/* HF2 */
static s64 make_descriptor(u64 nr, const u64 *args, enum makes how, u32 from)
{
    u32 before = hostfd_transits();
    s64 r = arch_gate_syscall(nr, args);
    if (LIKELY(!(before & 1) && hostfd_transits() == before))
        return r;
    if (r == -EMFILE) {
        hostfd_lock();
        hostfd_unlock();
        r = arch_gate_syscall(nr, args);
    }
    if (r >= 0 && how == MAKES_TWO)
        settle_pair(args[os_host_calls[nr] == CALL_SOCKETS ? 3 : 0]);
    return r >= 0 && how == MAKES_ONE ? hostfd_settle((int)r, from) : r;
}

static s64 gate_call(u64 nr, const u64 *args)
{
    u32 from;
    enum makes how = UNLIKELY(os_guards_fds) ? makes_fd(nr, args, &from) : MAKES_NONE;
    return how ? make_descriptor(nr, args, how, from) : arch_gate_syscall(nr, args);
}

static s64 call_at_once(const u64 *args)
{
    u64 nr = sys_nr();
    s64 r = gate_call(nr, args);
    if (r == -EFAULT && os_efault_retry(nr))
        r = arch_gate_syscall(nr, args);
    return UNLIKELY(r == -EINTR) && signal_was_for_tool() ? SYS_NOT_MADE : r;
}

void sys_args(u64 *args)
{
    for (int i = 0; i < 6; i++)
        args[i] = sys_arg(i);
}

s64 sys_call_at_once(void)
{
    u64 args[6];
    sys_args(args);
    return call_at_once(args);
}

s64 sys_call_with(const u64 *args)
{
    lockrank_free("a system call that may block is made");
    if (LIKELY(!os_stops_threads))
        return call_at_once(args);
    u64 nr = sys_nr();
    if (nr < ARRAY_LEN(classes_of) && classes_of[nr] & CLASS_FILE)
        filefd_learn((u32)args[0]);
    os_events.enter_call();
    s64 r = call_at_once(args);
    os_events.leave_call();
    return r;
}

s64 sys_call(void)
{
    u64 args[6];
    sys_args(args);
    return sys_call_with(args);
}

bool sys_not_made(s64 result)
{
    return result <= -512 && result >= -514;
}

void sys_restart(void)
{
    arch_restart_syscall(&vm_tc.cpu, *arch_syscall_word(&vm_tc.cpu, WORD_NUMBER));
}

void sys_finish(s64 result)
{
    if (sys_not_made(result))
        sys_restart();
    else
        *arch_syscall_word(&vm_tc.cpu, WORD_RESULT) = (u64)result;
}

void sys_pass(void)
{
    sys_finish(sys_call());
}

/* map_shadow_stack: answers as on a CPU without shadow stacks, if the kernel knows the call at all: it is asked with
 * flags that it refuses. */
void sys_map_shadow_stack(void)
{
    s64 r = sys_gate(sys_nr(), 0, 0, ~0ul, 0, 0, 0);
    sys_finish(r == -EINVAL ? -EOPNOTSUPP : r);
}

_Static_assert(AT_FDCWD + OS_HIGH_BIAS == 0, "it is nobody's descriptor");

/* --- the host's descriptors ------------------------------------------------------------------------------------- */

static bool is_fd(u64 nr, u32 i)
{
    u32 kind = kinds_of[nr][i];
    if (i == 1 && (os_host_calls[nr] == CALL_DUP_TO || nr == SYS_pidfd_getfd)) /* where to; in another process */
        return false;
    if (nr == SYS_mmap && (u32)sys_arg(3) & MAP_ANONYMOUS)
        return false;
    return kind == SYSCALL_FD || kind == SYSCALL_SOURCE || kind == SYSCALL_SINK;
}

/* A directory does not matter to a path that begins at the root. What inotify_add_watch has there is no directory. */
static bool is_ignored(u64 nr, u32 i)
{
    char first;
    return i < 5 && nr != SYS_inotify_add_watch && kinds_of[nr][i + 1] == SYSCALL_PATH &&
           sys_read(&first, sys_arg((int)i + 1), 1) && first == '/';
}

/* Is one of the arguments a descriptor that the guest does not have, but the host? */
static bool names_host_fd(u64 nr)
{
    for (u32 i = 0; i < 6; i++)
        if (is_fd(nr, i) && hostfd_is((int)sys_arg((int)i)) && !is_ignored(nr, i))
            return true;
    return false;
}

/* The kernel says what is wrong, in its own order, with a number that nobody has in place of the host's. */
static void call_without_host_fds(u64 nr)
{
    u64 a[6];
    for (u32 i = 0; i < 6; i++)
        a[i] = is_fd(nr, i) && hostfd_is((int)sys_arg((int)i)) ? INT_MAX : sys_arg((int)i);
    sys_finish(nr == SYS_mmap ? -EBADF : sys_gate(nr, a[0], a[1], a[2], a[3], a[4], a[5]));
}

static void carry_out(void)
{
    u64 nr = sys_nr();
    if (UNLIKELY(vm_tc.os.seccomp_strict))
        seccomp_check_strict(nr);
    if (UNLIKELY(os_events.protects_pages()))
        output_lift(nr);
    if (nr & NR_X32_BIT && os_syscall_interest[nr & 0xffff] & ~CLASS_TOOL)
        sys_finish(-ENOSYS); /* as on a kernel without the x32 calls */
    else if (UNLIKELY(os_guards_fds) && nr < ARRAY_LEN(kinds_of) && names_host_fd(nr))
        call_without_host_fds(nr);
    else if (nr < ARRAY_LEN(handlers) && handlers[nr] && (LIKELY(!vm_tc.os.seccomp_filters) || bpf_allows(nr)))
        handlers[nr]();
    else
        sys_pass();
}

#pragma weak record_carry_out /* not every architecture has a recorder */
void sys_carry_out(void)
{
    if (UNLIKELY(os_record) && !vm_tc.os.vfork_child)
        record_carry_out(carry_out);
    else
        carry_out();
}

static bool make_call(void)
{
    struct cpu_state *c = &vm_tc.cpu;
    vm_tc.os.other = NULL; /* the one that made this vfork child may be there still */
    if (UNLIKELY(vm_tc.os.dispatch.mode) && dispatch_catches(SYSCALL_AUDIT_ARCH))
        return false;
    if (UNLIKELY(os_syscalls_watched()))
        return sys_tool_call(sys_carry_out);
    u64 next = arch_pc(c);
    bool comes_back = sys_nr() != SYS_rt_sigreturn;
    arch_syscall_move(c, SYSCALL_ENTER);
    sys_carry_out();
    return comes_back && arch_pc(c) == next;
}

bool os_syscall(void)
{
    vm_tc.os.in_syscall = true;
    bool goes_on = make_call();
    vm_tc.os.in_syscall = false;
    if (UNLIKELY(os_events.kernel_wrote != NULL))
        os_events.kernel_wrote();
    return goes_on;
}

/* --- interest --------------------------------------------------------------------------------------------------- */

static struct hostlock interest_lock FORK_WRITES = HOSTLOCK(LOCK_INTEREST);

static void mark_all(u8 class)
{
    os_interest_end = ARRAY_LEN(os_syscall_interest);
    for (u32 nr = 0; nr < os_interest_end; nr++)
        os_syscall_interest[nr] |= class;
}

static void mark_class(int class, bool on)
{
    if (class == CLASS_TOOL)
        mark_all(CLASS_TOOL);
    for (u32 nr = 0; nr < ARRAY_LEN(classes_of); nr++)
        if (classes_of[nr] & class && on)
            os_syscall_interest[nr] |= (u8)class;
        else if (classes_of[nr] & class)
            os_syscall_interest[nr] &= (u8)~class;
}

static void mark_as(int class, u8 interest)
{
    for (u32 nr = 0; nr < ARRAY_LEN(classes_of); nr++)
        if (classes_of[nr] & class)
            os_syscall_interest[nr] |= interest;
}

void sys_watch_class(int class)
{
    hostlock_take(&interest_lock);
    mark_class(class, true);
    os_events.interest_changed();
    hostlock_give(&interest_lock);
}

void sys_watch_views(void)
{
    hostlock_take(&interest_lock);
    mark_class(CLASS_VIEW, procread_any());
    os_events.interest_changed();
    hostlock_give(&interest_lock);
}

void sys_watch_all(void)
{
    hostlock_take(&interest_lock);
    mark_all(CLASS_ALWAYS);
    os_events.interest_changed();
    hostlock_give(&interest_lock);
}

void sys_before_fork(void) { hostlock_take(&interest_lock); }

/* A thread that the child does not have may have been about to watch a class, for a file that it had opened or for a
 * host descriptor with a low number. */
void sys_after_fork(bool child)
{
    if (child)
        filefd_after_fork();
    bool views = child && procread_any(), files = child && sys_mem_files(), low = child && os_low_interest;
    if (views)
        mark_class(CLASS_VIEW, true);
    if (files)
        mark_class(CLASS_MEM_FILE, true);
    if (low)
        mark_class(CLASS_HOST_FD, true);
    if (views || files || low)
        os_events.interest_changed();
    hostlock_give(&interest_lock);
}

void os_watch_all_syscalls(void) { sys_watch_all(); }

/* Of the numbers without a row nobody knows what they do. */
void os_watch_waits(void)
{
    hostlock_take(&interest_lock);
    os_interest_end = ARRAY_LEN(os_syscall_interest);
    for (u32 nr = 0; nr < os_interest_end; nr++) {
        u32 classes = nr < ARRAY_LEN(classes_of) ? classes_of[nr] : 0;
        if (!(classes & CLASS_NO_WAIT))
            os_syscall_interest[nr] |= classes & CLASS_FILE ? CLASS_WAITS : CLASS_ALWAYS;
    }
    os_events.interest_changed();
    hostlock_give(&interest_lock);
}

void os_watch_kernel_writes(void)
{
    sys_watch_class(CLASS_OUTPUT);
}

/* The host has got a low number, because there was no other. */
static void guard_low(void)
{
    if (!__atomic_exchange_n(&os_low_interest, true, __ATOMIC_SEQ_CST))
        sys_watch_class(CLASS_HOST_FD);
}

void sys_init(bool inproc)
{
    output_init();
    mark_class(CLASS_ALWAYS, true);
    if (inproc)
        mark_as(CLASS_INPROC, CLASS_ALWAYS);
    if (options.record || options.replay)
        mark_all(CLASS_ALWAYS);
    hostcalls_init();
    os_guards_fds = hostfd_any() || options.tool || options.record;
    if (!os_guards_fds)
        return;
    os_low_interest = hostfd_next(0, OS_HIGH_FD - 1) >= 0;
    hostfd_low = guard_low;
    mark_class(CLASS_HOST_FD, true);
    mark_class(CLASS_HOST_FDS, true);
    if (options.tool || options.record) /* a debugger's may be found by path */
        mark_as(CLASS_HOST_PATH, CLASS_HOST_FDS);
}

/* --- guest memory ----------------------------------------------------------------------------------------------- */

bool sys_read(void *dst, u64 addr, size_t bytes)
{
    return os_safe_copy(dst, (const void *)addr, bytes) == bytes;
}

/* A word is stored as a whole or not at all: may its last byte be written? */
static bool word_fits(u64 addr, size_t bytes)
{
    u8 last;
    if (bytes > sizeof(u64) || !bytes || PAGE_DOWN(addr) == PAGE_DOWN(addr + bytes - 1))
        return true;
    addr += bytes - 1;
    return sys_read(&last, addr, 1) && os_safe_copy((void *)addr, &last, 1) == 1;
}

size_t sys_write_some(u64 addr, const void *src, size_t bytes)
{
    os_events.kernel_write(addr, addr + bytes);
    return os_safe_copy((void *)addr, src, bytes);
}

bool sys_write(u64 addr, const void *src, size_t bytes)
{
    os_events.kernel_write(addr, addr + bytes);
    return word_fits(addr, bytes) && os_safe_copy((void *)addr, src, bytes) == bytes;
}

s64 sys_read_path(char *buf, u64 addr)
{
    size_t have = 0;
    while (have < PATH_MAX) {
        size_t want = have ? PATH_MAX - have : 256; /* most paths are short */
        size_t got = os_safe_copy(buf + have, (const char *)addr + have, want);
        const char *end = memchr(buf + have, 0, got);
        if (end)
            return end - buf;
        if (got < want)
            return -EFAULT;
        have += got;
    }
    return -ENAMETOOLONG;
}
