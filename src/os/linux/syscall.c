/* SPDX-License-Identifier: Apache-2.0
 * The table of system calls that the engine has an interest in, and the way from the dispatcher to their handlers. What the table does not name is
 * the kernel's alone and runs inside the code cache. Runs on the guest's own thread, no lock held. */
#include "arch/arch.h"
#include "os/linux/hostfd.h"
#include "os/hostlock.h"
#include "os/events.h"
#include "os/linux/signal.h"
#include "os/linux/sys.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>

#define NR_LIMIT 1024
#define SYS_NOT_MADE (-512)
#define NR_X32_BIT 0x40000000u

struct sys_entry {
    u16 nr;
    u8 class;
    void (*handler)(void);
};

/* A handler of NULL: only passed on, after output_lift. */
static const struct sys_entry table[] = {
    /* memory */
    {SYS_mmap, CLASS_ALWAYS, sys_mmap},
    {SYS_munmap, CLASS_ALWAYS, sys_munmap},
    {SYS_mprotect, CLASS_ALWAYS, sys_mprotect},
    {SYS_pkey_mprotect, CLASS_ALWAYS, sys_mprotect},
    {SYS_mremap, CLASS_ALWAYS, sys_mremap},
    {SYS_brk, CLASS_ALWAYS, sys_brk},
    {SYS_shmat, CLASS_ALWAYS, sys_shmat},
    {SYS_shmdt, CLASS_ALWAYS, sys_shmdt},
    {SYS_madvise, CLASS_ALWAYS, sys_madvise},
    {SYS_mlock, CLASS_ALWAYS, sys_pages},
    {SYS_mlock2, CLASS_ALWAYS, sys_pages},
    {SYS_munlock, CLASS_ALWAYS, sys_pages},
    {SYS_msync, CLASS_ALWAYS, sys_pages},
    {SYS_mincore, CLASS_ALWAYS, sys_pages},
    {SYS_mbind, CLASS_ALWAYS, sys_pages},
    {SYS_remap_file_pages, CLASS_ALWAYS, sys_remap_file_pages},
    {SYS_personality, CLASS_ALWAYS, sys_personality},
    {453 /* map_shadow_stack */, CLASS_ALWAYS, sys_map_shadow_stack},
    /* threads and processes */
    {SYS_clone, CLASS_ALWAYS, sys_clone},
    {SYS_clone3, CLASS_ALWAYS, sys_clone3},
    {SYS_fork, CLASS_ALWAYS, sys_fork},
    {SYS_vfork, CLASS_ALWAYS, sys_vfork},
    {SYS_exit, CLASS_ALWAYS, sys_exit},
    {SYS_exit_group, CLASS_ALWAYS, sys_exit_group},
    {SYS_set_tid_address, CLASS_ALWAYS, sys_set_tid_address},
    {SYS_set_robust_list, CLASS_ALWAYS, sys_set_robust_list},
    {SYS_get_robust_list, CLASS_ALWAYS, sys_get_robust_list},
    {SYS_rseq, CLASS_ALWAYS, sys_rseq},
    {SYS_restart_syscall, CLASS_ALWAYS, sys_restart_syscall},
    {SYS_arch_prctl, CLASS_ALWAYS, sys_arch_prctl},
    {SYS_execve, CLASS_ALWAYS, sys_execve},
    {SYS_execveat, CLASS_ALWAYS, sys_execveat},
    /* signals */
    {SYS_rt_sigaction, CLASS_ALWAYS, sys_rt_sigaction},
    {SYS_rt_sigprocmask, CLASS_ALWAYS, sys_rt_sigprocmask},
    {SYS_rt_sigpending, CLASS_ALWAYS, sys_rt_sigpending},
    {SYS_rt_sigsuspend, CLASS_ALWAYS, sys_rt_sigsuspend},
    {SYS_rt_sigreturn, CLASS_ALWAYS, sys_rt_sigreturn},
    {SYS_rt_sigtimedwait, CLASS_ALWAYS, sys_rt_sigtimedwait},
    {SYS_sigaltstack, CLASS_ALWAYS, sys_sigaltstack},
    {SYS_pselect6, CLASS_ALWAYS, sys_masked_wait},
    {SYS_ppoll, CLASS_ALWAYS, sys_masked_wait},
    {SYS_epoll_pwait, CLASS_ALWAYS, sys_masked_wait},
    {SYS_epoll_pwait2, CLASS_ALWAYS, sys_masked_wait},
    {SYS_io_pgetevents, CLASS_ALWAYS, sys_masked_wait},
    {SYS_io_uring_enter, CLASS_ALWAYS, sys_masked_wait},
    {SYS_signalfd, CLASS_ALWAYS, sys_signalfd},
    {SYS_signalfd4, CLASS_ALWAYS, sys_signalfd},
    /* files */
    {SYS_open, CLASS_ALWAYS, sys_open},
    {SYS_openat, CLASS_ALWAYS, sys_openat},
    {SYS_openat2, CLASS_ALWAYS, sys_openat2},
    {SYS_readlink, CLASS_ALWAYS, sys_readlink},
    {SYS_readlinkat, CLASS_ALWAYS, sys_readlinkat},
    {SYS_stat, CLASS_INPROC, sys_follow_path},
    {SYS_access, CLASS_INPROC, sys_follow_path},
    {SYS_newfstatat, CLASS_INPROC, sys_follow_path},
    {SYS_statx, CLASS_INPROC, sys_follow_path},
    {SYS_faccessat, CLASS_INPROC, sys_follow_path},
    {SYS_faccessat2, CLASS_INPROC, sys_follow_path},
    {SYS_close, CLASS_ALWAYS, sys_close},
    {SYS_dup, CLASS_ALWAYS, sys_dup},
    {SYS_fcntl, CLASS_ALWAYS, sys_fcntl},
    {SYS_dup2, CLASS_ALWAYS, sys_dup2},
    {SYS_dup3, CLASS_ALWAYS, sys_dup2},
    {SYS_close_range, CLASS_ALWAYS, sys_close_range},
    {SYS_getdents, CLASS_ALWAYS, sys_getdents},
    {SYS_getdents64, CLASS_ALWAYS, sys_getdents64},
    {SYS_read, CLASS_VIEW, sys_view},
    {SYS_pread64, CLASS_VIEW, sys_view},
    {SYS_readv, CLASS_VIEW, sys_view},
    {SYS_preadv, CLASS_VIEW, sys_view},
    {SYS_preadv2, CLASS_VIEW, sys_view},
    {SYS_lseek, CLASS_VIEW, sys_view},
    {SYS_ioctl, CLASS_VIEW, sys_view},
    /* Not the busiest ones, which only a broken program calls with a number that it has not got. */
#define GUARDED(name) {SYS_##name, CLASS_HOST_FD, sys_host_fd_guard}
    GUARDED(fstat), GUARDED(fstatfs), GUARDED(fsync), GUARDED(fdatasync), GUARDED(ftruncate), GUARDED(fallocate), GUARDED(fchmod), GUARDED(fchown),
    GUARDED(flock), GUARDED(fchdir), GUARDED(fadvise64), GUARDED(readahead), GUARDED(sync_file_range), GUARDED(fgetxattr), GUARDED(fsetxattr),
    GUARDED(flistxattr), GUARDED(fremovexattr), GUARDED(getsockopt), GUARDED(setsockopt), GUARDED(getsockname), GUARDED(getpeername),
    GUARDED(bind), GUARDED(connect), GUARDED(listen), GUARDED(shutdown), GUARDED(vmsplice), GUARDED(tee), GUARDED(syncfs),
#undef GUARDED
    {SYS_newfstatat, CLASS_HOST_FD, sys_follow_path},
    {SYS_statx, CLASS_HOST_FD, sys_follow_path},
    {SYS_lseek, CLASS_HOST_FD, sys_view},
    {SYS_ioctl, CLASS_HOST_FD, sys_view},
    {SYS_write, CLASS_MEM_FILE, sys_write_file},
    {SYS_pwrite64, CLASS_MEM_FILE, sys_write_file},
    {SYS_writev, CLASS_MEM_FILE, sys_write_file},
    {SYS_pwritev, CLASS_MEM_FILE, sys_write_file},
    {SYS_pwritev2, CLASS_MEM_FILE, sys_write_file},
    /* limits */
    {SYS_getrlimit, CLASS_ALWAYS, sys_getrlimit},
    {SYS_setrlimit, CLASS_ALWAYS, sys_setrlimit},
    {SYS_prlimit64, CLASS_ALWAYS, sys_prlimit64},
    {SYS_mlockall, CLASS_ALWAYS, sys_mlockall},
    {SYS_munlockall, CLASS_ALWAYS, sys_munlockall},
    /* others */
    {SYS_prctl, CLASS_ALWAYS, sys_prctl},
    {SYS_seccomp, CLASS_ALWAYS, sys_seccomp},
    /* Calls that let the kernel write guest memory and cannot simply be made again after an EFAULT, because they have taken something or done a part. The others are served by
     * os_efault_retry. sys_output.c knows where they write. */
#define OUTPUT(name) {SYS_##name, CLASS_OUTPUT, NULL}
    OUTPUT(read), OUTPUT(pread64), OUTPUT(readv), OUTPUT(preadv), OUTPUT(preadv2), OUTPUT(recvfrom), OUTPUT(recvmsg), OUTPUT(recvmmsg),
    OUTPUT(wait4), OUTPUT(waitid), OUTPUT(accept), OUTPUT(accept4), OUTPUT(getsockopt), OUTPUT(ioctl), OUTPUT(getrandom), OUTPUT(nanosleep),
    OUTPUT(clock_nanosleep), OUTPUT(timer_settime), OUTPUT(setitimer), OUTPUT(timerfd_settime), OUTPUT(msgrcv),
    OUTPUT(mq_timedreceive), OUTPUT(io_getevents), OUTPUT(process_vm_readv), OUTPUT(process_vm_writev), OUTPUT(select), OUTPUT(epoll_wait),
#undef OUTPUT
};

u8 os_syscall_interest[65536];
static void (*handlers[NR_LIMIT])(void);

/* --- the call in hand ------------------------------------------------------------------------------------------ */

u64 sys_nr(void)
{
    return (u32)arch_syscall_number(&vm_tc.cpu);
}

u64 sys_arg(int i)
{
    return arch_syscall_arg(&vm_tc.cpu, i);
}

s64 sys_gate(u64 nr, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f)
{
    u64 args[6] = {a, b, c, d, e, f};
    return arch_gate_syscall(nr, args);
}

s64 sys_call_at_once(void)
{
    u64 args[6], nr = sys_nr();
    for (int i = 0; i < 6; i++)
        args[i] = sys_arg(i);
    s64 r = arch_gate_syscall(nr, args);
    if (r == -EFAULT && os_efault_retry(nr))
        r = arch_gate_syscall(nr, args);
    return UNLIKELY(r == -EINTR) && signal_was_for_tool() ? SYS_NOT_MADE : r;
}

s64 sys_call(void)
{
    lockrank_free("a system call that may block is made");
    if (LIKELY(!os_stops_threads))
        return sys_call_at_once();
    os_events.enter_call();
    s64 r = sys_call_at_once();
    os_events.leave_call();
    return r;
}

bool sys_not_made(s64 result)
{
    return result <= -512 && result >= -514;
}

void sys_restart(void)
{
    arch_restart_syscall(&vm_tc.cpu, arch_syscall_number(&vm_tc.cpu));
}

void sys_finish(s64 result)
{
    if (sys_not_made(result))
        sys_restart();
    else
        arch_set_syscall_result(&vm_tc.cpu, result);
}

void sys_pass(void)
{
    sys_finish(sys_call());
}

/* As on a CPU without shadow stacks, if the kernel knows the call at all: it is asked with flags that it refuses. */
void sys_map_shadow_stack(void)
{
    s64 r = sys_gate(sys_nr(), 0, 0, ~0ul, 0, 0, 0);
    sys_finish(r == -EINVAL ? -EOPNOTSUPP : r);
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
    else if (nr < NR_LIMIT && handlers[nr] && (LIKELY(!vm_tc.os.seccomp_filters) || bpf_allows(nr)))
        handlers[nr]();
    else
        sys_pass();
}

static bool make_call(void)
{
    struct cpu_state *c = &vm_tc.cpu;
    if (UNLIKELY(os_syscalls_watched()))
        return sys_tool_call(carry_out);
    u64 next = arch_pc(c);
    bool comes_back = sys_nr() != SYS_rt_sigreturn;
    arch_enter_syscall(c);
    carry_out();
    return comes_back && arch_pc(c) == next;
}

bool os_syscall(void)
{
    vm_tc.os.in_syscall = true;
    bool goes_on = make_call();
    vm_tc.os.in_syscall = false;
    return goes_on;
}

/* --- interest --------------------------------------------------------------------------------------------------- */

static struct hostlock interest_lock = HOSTLOCK(LOCK_INTEREST);

static void mark_class(int class, bool on)
{
    for (u32 nr = 0; class == CLASS_TOOL && nr < ARRAY_LEN(os_syscall_interest); nr++)
        os_syscall_interest[nr] |= CLASS_TOOL;
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (table[i].class == class && on)
            os_syscall_interest[table[i].nr] |= (u8)class;
        else if (table[i].class == class)
            os_syscall_interest[table[i].nr] &= (u8)~class;
}

static void change_class(int class, bool on)
{
    hostlock_take(&interest_lock);
    mark_class(class, on);
    os_events.interest_changed();
    hostlock_give(&interest_lock);
}

void sys_watch_class(int class)
{
    change_class(class, true);
}

void sys_unwatch_class(int class)
{
    change_class(class, false);
}

void sys_watch_all(void)
{
    hostlock_take(&interest_lock);
    for (u32 nr = 0; nr < ARRAY_LEN(os_syscall_interest); nr++)
        os_syscall_interest[nr] |= CLASS_ALWAYS;
    os_events.interest_changed();
    hostlock_give(&interest_lock);
}

/* Another thread of the parent may have been at it. */
void sys_after_fork_child(void)
{
    hostlock_reset(&interest_lock);
    os_events.interest_changed();
}

void os_watch_all_syscalls(void) { sys_watch_all(); }

void os_watch_kernel_writes(void)
{
    sys_watch_class(CLASS_OUTPUT);
}

void sys_init(bool inproc)
{
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (table[i].handler)
            handlers[table[i].nr] = table[i].handler;
    output_init();
    mark_class(CLASS_ALWAYS, true);
    if (inproc)
        mark_class(CLASS_INPROC, true);
    if (hostfd_any())
        mark_class(CLASS_HOST_FD, true);
}

/* --- guest memory ----------------------------------------------------------------------------------------------- */

bool sys_read(void *dst, u64 addr, size_t bytes)
{
    return arch_safe_copy(dst, (const void *)addr, bytes) == bytes;
}

/* A word is stored whole or not at all: may its last byte be written? */
static bool word_fits(u64 addr, size_t bytes)
{
    u8 last;
    if (bytes > sizeof(u64) || !bytes || PAGE_DOWN(addr) == PAGE_DOWN(addr + bytes - 1))
        return true;
    addr += bytes - 1;
    return sys_read(&last, addr, 1) && arch_safe_copy((void *)addr, &last, 1) == 1;
}

size_t sys_write_some(u64 addr, const void *src, size_t bytes)
{
    os_events.kernel_write(addr, addr + bytes);
    return arch_safe_copy((void *)addr, src, bytes);
}

bool sys_write(u64 addr, const void *src, size_t bytes)
{
    os_events.kernel_write(addr, addr + bytes);
    return word_fits(addr, bytes) && arch_safe_copy((void *)addr, src, bytes) == bytes;
}

s64 sys_read_path(char *buf, u64 addr)
{
    size_t have = 0;
    while (have < PATH_MAX) {
        size_t want = have ? PATH_MAX - have : 256; /* most are short */
        size_t got = arch_safe_copy(buf + have, (const char *)addr + have, want);
        const char *end = memchr(buf + have, 0, got);
        if (end)
            return end - buf;
        if (got < want)
            return -EFAULT;
        have += got;
    }
    return -ENAMETOOLONG;
}
