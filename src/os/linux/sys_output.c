/* SPDX-License-Identifier: Apache-2.0
 * Where system calls let the kernel write guest memory. While the engine holds pages of the guest write-protected (E16) such a call would return EFAULT
 * without a fault, so the protection is lifted first. What the table does not know, or what was protected again while the call was under way, is
 * found after the EFAULT by os_efault_retry. */
#include "arch/arch.h"
#include "os/events.h"
#include "os/linux/sys.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

enum output_kind {
    FIXED,    /* size bytes */
    BYTES,    /* as many bytes as argument `size` says */
    RECORDS8, /* argument `size` records of 8 bytes; so RECORDS12, RECORDS32 */
    RECORDS12,
    RECORDS32,
    RECORDS4,
    BITS,     /* argument `size` bits */
    BUFFER,   /* *(u32 *)argument `size` bytes, and that word */
    IOVEC,    /* argument `size` struct iovec */
    MSGHDR,
    MMSGHDR,  /* argument `size` struct mmsghdr */
};

struct output {
    u16 nr;
    u8 arg;
    u8 kind;
    u16 size;
};

/* Entries of one call stand together. */
static const struct output outputs[] = {
    {SYS_read, 1, BYTES, 2}, {SYS_pread64, 1, BYTES, 2}, {SYS_getdents, 1, BYTES, 2}, {SYS_getdents64, 1, BYTES, 2},
    {SYS_readlink, 1, BYTES, 2}, {SYS_readlinkat, 2, BYTES, 3}, {SYS_getrandom, 0, BYTES, 1}, {SYS_getcwd, 0, BYTES, 1},
    {SYS_getxattr, 2, BYTES, 3}, {SYS_fgetxattr, 2, BYTES, 3}, {SYS_lgetxattr, 2, BYTES, 3}, {SYS_sched_getaffinity, 2, BYTES, 1},
    {SYS_readv, 1, IOVEC, 2}, {SYS_preadv, 1, IOVEC, 2}, {SYS_preadv2, 1, IOVEC, 2},
    {SYS_process_vm_readv, 1, IOVEC, 2}, {SYS_process_vm_writev, 3, IOVEC, 4},
    {SYS_recvfrom, 1, BYTES, 2}, {SYS_recvfrom, 4, BUFFER, 5}, {SYS_recvmsg, 1, MSGHDR, 0}, {SYS_recvmmsg, 1, MMSGHDR, 2},
    {SYS_recvmmsg, 4, FIXED, 16},
    {SYS_accept, 1, BUFFER, 2}, {SYS_accept4, 1, BUFFER, 2}, {SYS_getsockname, 1, BUFFER, 2}, {SYS_getpeername, 1, BUFFER, 2},
    {SYS_getsockopt, 3, BUFFER, 4},
    {SYS_stat, 1, FIXED, 144}, {SYS_fstat, 1, FIXED, 144}, {SYS_lstat, 1, FIXED, 144}, {SYS_newfstatat, 2, FIXED, 144},
    {SYS_statx, 4, FIXED, 256}, {SYS_statfs, 1, FIXED, 120}, {SYS_fstatfs, 1, FIXED, 120},
    {SYS_poll, 0, RECORDS8, 1}, {SYS_ppoll, 0, RECORDS8, 1}, {SYS_ppoll, 2, FIXED, 16},
    {SYS_select, 1, BITS, 0}, {SYS_select, 2, BITS, 0}, {SYS_select, 3, BITS, 0}, {SYS_select, 4, FIXED, 16},
    {SYS_pselect6, 1, BITS, 0}, {SYS_pselect6, 2, BITS, 0}, {SYS_pselect6, 3, BITS, 0}, {SYS_pselect6, 4, FIXED, 16},
    {SYS_epoll_wait, 1, RECORDS12, 2}, {SYS_epoll_pwait, 1, RECORDS12, 2}, {SYS_epoll_pwait2, 1, RECORDS12, 2},
    {SYS_io_getevents, 3, RECORDS32, 2}, {SYS_io_pgetevents, 3, RECORDS32, 2},
    {SYS_wait4, 1, FIXED, 4}, {SYS_wait4, 3, FIXED, 144}, {SYS_waitid, 2, FIXED, 128}, {SYS_waitid, 4, FIXED, 144},
    {SYS_ioctl, 2, FIXED, 4096}, {SYS_pipe, 0, FIXED, 8}, {SYS_pipe2, 0, FIXED, 8}, {SYS_socketpair, 3, FIXED, 8},
    {SYS_uname, 0, FIXED, 390}, {SYS_nanosleep, 1, FIXED, 16}, {SYS_clock_nanosleep, 3, FIXED, 16}, {SYS_clock_gettime, 1, FIXED, 16},
    {SYS_gettimeofday, 0, FIXED, 16}, {SYS_gettimeofday, 1, FIXED, 8}, {SYS_time, 0, FIXED, 8}, {SYS_times, 0, FIXED, 32},
    {SYS_sysinfo, 0, FIXED, 112}, {SYS_getrusage, 1, FIXED, 144}, {SYS_getrlimit, 1, FIXED, 16}, {SYS_prlimit64, 3, FIXED, 16},
    {SYS_timer_create, 2, FIXED, 4}, {SYS_timer_gettime, 1, FIXED, 32}, {SYS_timer_settime, 3, FIXED, 32},
    {SYS_getitimer, 1, FIXED, 32}, {SYS_setitimer, 2, FIXED, 32}, {SYS_timerfd_gettime, 1, FIXED, 32}, {SYS_timerfd_settime, 3, FIXED, 32},
    {SYS_msgrcv, 1, BYTES, 2}, {SYS_msgrcv, 1, FIXED, 8}, {SYS_mq_timedreceive, 1, BYTES, 2}, {SYS_mq_timedreceive, 3, FIXED, 4},
    {SYS_futex, 0, FIXED, 4}, {SYS_futex, 4, FIXED, 4}, {SYS_mincore, 2, FIXED, 4096}, {SYS_getgroups, 1, RECORDS4, 0}, {SYS_shmctl, 2, FIXED, 128},
    {SYS_rt_sigaction, 2, FIXED, 32}, {SYS_rt_sigprocmask, 2, FIXED, 8}, {SYS_rt_sigpending, 0, FIXED, 8}, {SYS_rt_sigtimedwait, 1, FIXED, 128},
    {SYS_sigaltstack, 1, FIXED, 24}, {SYS_clone, 2, FIXED, 4}, {SYS_clone, 3, FIXED, 4}, {SYS_get_robust_list, 1, FIXED, 8},
    {SYS_get_robust_list, 2, FIXED, 8}, {SYS_arch_prctl, 1, FIXED, 8}, {SYS_prctl, 1, FIXED, 16},
};

#define IOVECS_MAX 1024u

#define PROBE_MAX_PAGES 4096u

/* hit: NULL, or set to true when something was protected. */
static void lift(u64 addr, u64 bytes, bool *hit)
{
    u64 end;
    if (!addr || !bytes || __builtin_add_overflow(addr, bytes, &end))
        return;
    if (!hit) {
        os_events.kernel_write(addr, end);
        return;
    }
    u64 page = PAGE_DOWN(addr);
    for (u32 i = 0; i < PROBE_MAX_PAGES && page < end; i++, page += PAGE_BYTES)
        *hit |= os_events.write_fault(page);
}

static void lift_iovecs(u64 addr, u64 count, bool *hit)
{
    struct iovec v;
    for (u64 i = 0; i < count && i < IOVECS_MAX && sys_read(&v, addr + i * sizeof v, sizeof v); i++)
        lift((u64)v.iov_base, v.iov_len, hit);
}

static void lift_msghdr(u64 addr, bool *hit)
{
    struct msghdr m;
    if (!sys_read(&m, addr, sizeof m))
        return;
    lift(addr, sizeof m, hit);
    lift((u64)m.msg_name, m.msg_namelen, hit);
    lift((u64)m.msg_control, m.msg_controllen, hit);
    lift_iovecs((u64)m.msg_iov, m.msg_iovlen, hit);
}

static void lift_mmsghdr(u64 addr, u64 count, bool *hit)
{
    for (u64 i = 0; i < count && i < IOVECS_MAX; i++) {
        lift(addr + i * sizeof(struct mmsghdr), sizeof(struct mmsghdr), hit);
        lift_msghdr(addr + i * sizeof(struct mmsghdr), hit);
    }
}

static void lift_buffer(u64 addr, u64 length_addr, bool *hit)
{
    u32 bytes;
    if (!sys_read(&bytes, length_addr, sizeof bytes))
        return;
    lift(length_addr, sizeof bytes, hit);
    lift(addr, bytes, hit);
}

static void lift_output(const struct output *o, bool *hit)
{
    u64 addr = sys_arg(o->arg);
    if (o->kind == FIXED) {
        lift(addr, o->size, hit);
        return;
    }
    u64 n = o->kind == MSGHDR ? 0 : sys_arg(o->size);
    switch (o->kind) {
    case BYTES: lift(addr, n, hit); break;
    case RECORDS4: lift(addr, (n & 0xffffffff) * 4, hit); break;
    case RECORDS8: lift(addr, (n & 0xffffffff) * 8, hit); break;
    case RECORDS12: lift(addr, (n & 0xffffffff) * 12, hit); break;
    case RECORDS32: lift(addr, (n & 0xffffffff) * 32, hit); break;
    case BITS: lift(addr, ((n & 0xffffffff) + 63) / 64 * 8, hit); break;
    case BUFFER: lift_buffer(addr, n, hit); break;
    case IOVEC: lift_iovecs(addr, n, hit); break;
    case MSGHDR: lift_msghdr(addr, hit); break;
    case MMSGHDR: lift_mmsghdr(addr, n, hit); break;
    default: BUG("output kind %u", o->kind);
    }
}

#define NR_LIMIT 512
static u8 first_output[NR_LIMIT]; /* index in outputs + 1 */
_Static_assert(ARRAY_LEN(outputs) < 255, "first_output is a byte");

void output_init(void)
{
    for (size_t i = ARRAY_LEN(outputs); i--;)
        first_output[outputs[i].nr] = (u8)(i + 1);
}

static void lift_outputs(u64 nr, bool *hit)
{
    if (nr >= NR_LIMIT || !first_output[nr])
        return;
    for (size_t i = first_output[nr] - 1; i < ARRAY_LEN(outputs) && outputs[i].nr == nr; i++)
        lift_output(&outputs[i], hit);
}

void output_lift(u64 nr)
{
    lift_outputs(nr, NULL);
}

/* --- after an EFAULT ------------------------------------------------------------------------------------------------ */

#define PROBE_BYTES (PAGE_BYTES + 1) /* of what an argument points to: its page and the next */
#define PROBE_WORDS 16               /* of a structure whose pointers are followed */

/* A page that was written while it held code is not protected for ever (E16), so a call cannot meet one often. What comes back more often with the same arguments has
 * another reason; then what is found near its arguments proves nothing. */
#define MAX_RETRIES 16

static bool too_often(u64 nr)
{
    static __thread u64 last[8], count;
    u64 now[8] = {arch_pc(&vm_tc.cpu), nr};
    for (int i = 0; i < 6; i++)
        now[2 + i] = sys_arg(i);
    count = memcmp(now, last, sizeof now) ? 0 : count + 1;
    memcpy(last, now, sizeof now);
    return count >= MAX_RETRIES;
}

/* The kernel has said that some address of the call is not accessible, not which one: looks at what the arguments point to, and at what that points to. Only pages
 * that we protect are touched, so an EFAULT of the guest's own making stays one. */
bool os_efault_retry(u64 nr)
{
    bool hit = false;
    if (!os_events.protects_pages() || too_often(nr))
        return false;
    lift_outputs(nr, &hit);
    for (int i = 0; i < 6; i++) {
        u64 words[PROBE_WORDS];
        u64 addr = sys_arg(i);
        lift(addr, PROBE_BYTES, &hit);
        size_t n = arch_safe_copy(words, (const void *)addr, sizeof words) / sizeof *words;
        for (size_t k = 0; k < n; k++)
            lift(words[k], PROBE_BYTES, &hit);
    }
    return hit;
}
