/* SPDX-License-Identifier: Apache-2.0
 * Where system calls let the kernel write guest memory. While the engine has write-protected pages of the guest (E16)
 * such a call would return EFAULT, so the protection is lifted first. What the table of calls (syscalls.tsv) does not
 * know, and what was protected again during the call, is found after the EFAULT by os_efault_retry. On the guest's
 * thread, no lock held. */
#include "arch/arch.h"
#include "os/events.h"
#include "os/linux/sys.h"
#include "os/linux/syscall_info.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

struct output {
    u16 nr, bytes;
    u8 arg : 4, count : 4, kind, extent, flags; /* syscall_info.h */
};

/* All arguments through which the kernel writes memory. Those of one call are next to each other. */
static const struct output outputs[] = {
#define SYSCALL_OUTPUT(nr, arg, kind, extent, count, flags, bytes) {nr, bytes, arg, count, kind, extent, flags},
#include "os/os.h"
#include "syscalls.h"
#undef SYSCALL_OUTPUT
};

#define IOVECS_MAX 1024u

#define PROBE_MAX_PAGES 4096u

/* Makes the range writable. hit: NULL, or set to true if some of it was protected. */
static void lift(u64 addr, u64 bytes, bool *hit)
{
    u64 end;
    if (addr < PAGE_BYTES || !bytes || __builtin_add_overflow(addr, bytes, &end))
        return;
    if (!hit) {
        os_events.kernel_write(addr, end);
        return;
    }
    u64 page = PAGE_DOWN(addr);
    for (u32 i = 0; i < PROBE_MAX_PAGES && page < end; i++, page += PAGE_BYTES)
        *hit |= os_events.write_fault(page, NULL);
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
    if (o->extent == SYSCALL_ONE && o->kind != SYSCALL_MSGHDR) {
        lift(addr, o->bytes, hit);
        return;
    }
    u64 n = sys_arg(o->count);
    if (o->flags & SYSCALL_NARROW)
        n = (u32)n;
    switch (o->kind) {
    case SYSCALL_IOVEC: lift_iovecs(addr, n, hit); return;
    case SYSCALL_MSGHDR: lift_msghdr(addr, hit); return;
    case SYSCALL_MMSGHDR: lift_mmsghdr(addr, n, hit); return;
    case SYSCALL_BITS: lift(addr, (n + 63) / 64 * 8, hit); return;
    case SYSCALL_PAGES: lift(addr, n / PAGE_BYTES + 1, hit); return;
    case SYSCALL_MESSAGE: lift(addr, sizeof(long) + n, hit); return;
    }
    switch (o->extent) {
    case SYSCALL_TIMES: lift(addr, n * o->bytes, hit); break;
    case SYSCALL_AT: lift_buffer(addr, n, hit); break;
    default: BUG("extent %u", o->extent);
    }
}

#define NR_LIMIT 512
static u8 first_output[NR_LIMIT]; /* index in outputs + 1 */
_Static_assert(ARRAY_LEN(outputs) < 255, "first_output is a byte");

void output_init(void)
{
    for (size_t i = ARRAY_LEN(outputs); i--;) {
        ASSERT(outputs[i].nr < NR_LIMIT);
        first_output[outputs[i].nr] = (u8)(i + 1);
    }
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

/* --- for the recorder --------------------------------------------------------------------------------------------- */

struct each {
    void (*fn)(void *arg, u64 addr, u64 bytes);
    void *arg;
    u64 left; /* bytes of data, if the result says how many */
};

static void each_iovecs(struct each *e, u64 addr, u64 count)
{
    struct iovec v;
    for (u64 i = 0; i < count && i < IOVECS_MAX && e->left && sys_read(&v, addr + i * sizeof v, sizeof v); i++) {
        u64 n = v.iov_len < e->left ? v.iov_len : e->left;
        e->fn(e->arg, (u64)v.iov_base, n);
        e->left -= n;
    }
}

static void each_msghdr(struct each *e, u64 addr)
{
    struct msghdr m;
    if (!sys_read(&m, addr, sizeof m))
        return;
    e->fn(e->arg, addr, sizeof m);
    e->fn(e->arg, (u64)m.msg_name, m.msg_namelen);
    e->fn(e->arg, (u64)m.msg_control, m.msg_controllen);
    each_iovecs(e, (u64)m.msg_iov, m.msg_iovlen);
}

static void each_mmsghdr(struct each *e, u64 addr, u64 count)
{
    struct mmsghdr m;
    for (u64 i = 0; i < count && i < IOVECS_MAX && sys_read(&m, addr + i * sizeof m, sizeof m); i++) {
        e->fn(e->arg, addr + i * sizeof m, sizeof m);
        e->left = m.msg_len;
        each_msghdr(e, addr + i * sizeof m);
    }
}

static void each_buffer(struct each *e, u64 addr, u64 length_addr)
{
    u32 bytes;
    if (!sys_read(&bytes, length_addr, sizeof bytes))
        return;
    e->fn(e->arg, length_addr, sizeof bytes);
    e->fn(e->arg, addr, bytes);
}

/* whole: the result does not say how much there is. */
static void each_output(struct each *e, const struct output *o, s64 result, bool whole)
{
    bool by_result = o->flags & SYSCALL_RESULT && !whole;
    u64 addr = sys_arg(o->arg), n = sys_arg(o->count), got = (u64)result;
    if (!addr)
        return;
    n = o->flags & SYSCALL_NARROW ? (u32)n : n;
    e->left = by_result && o->kind != SYSCALL_MMSGHDR ? got : ~0ul;
    switch (o->kind) {
    case SYSCALL_IOVEC: each_iovecs(e, addr, n); return;
    case SYSCALL_MSGHDR: each_msghdr(e, addr); return;
    case SYSCALL_MMSGHDR: each_mmsghdr(e, addr, by_result ? got : n); return;
    case SYSCALL_BITS: e->fn(e->arg, addr, (n + 63) / 64 * 8); return;
    case SYSCALL_PAGES: e->fn(e->arg, addr, n / PAGE_BYTES + 1); return;
    case SYSCALL_MESSAGE: e->fn(e->arg, addr, sizeof(long) + (by_result ? got : n)); return;
    }
    if (o->extent == SYSCALL_ONE)
        e->fn(e->arg, addr, o->bytes);
    else if (o->extent == SYSCALL_AT)
        each_buffer(e, addr, n);
    else
        e->fn(e->arg, addr, (by_result && got < n ? got : n) * o->bytes);
}

void output_each(u64 nr, s64 result, void (*fn)(void *arg, u64 addr, u64 bytes), void *arg)
{
    struct each e = {.fn = fn, .arg = arg};
    bool failed = result < 0 && result >= -4095;
    if (nr >= NR_LIMIT || !first_output[nr])
        return;
    for (size_t i = first_output[nr] - 1; i < ARRAY_LEN(outputs) && outputs[i].nr == nr; i++)
        if (!failed || result == -EFAULT || outputs[i].flags & SYSCALL_FAILURE)
            each_output(&e, &outputs[i], result, failed);
}

/* --- after an EFAULT ---------------------------------------------------------------------------------------------- */

#define PROBE_BYTES (PAGE_BYTES + 1) /* bytes looked at where an argument points: its page and the next */
#define PROBE_WORDS 16               /* words of a structure that are followed as pointers */

/* A page that was written while it held code does not stay protected (E16), so a call cannot meet such pages often. A
 * call that fails more often with the same arguments has another reason; what is found near its arguments proves
 * nothing then. */
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

/* The kernel has said that some address of the call is not accessible, but not which one: looks at what the arguments
 * point to, and at what that points to. Only pages that we protect are changed, so an EFAULT that is the guest's own
 * mistake stays one. */
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
        size_t n = os_safe_copy(words, (const void *)addr, sizeof words) / sizeof *words;
        for (size_t k = 0; k < n; k++)
            lift(words[k], PROBE_BYTES, &hit);
    }
    return hit;
}
