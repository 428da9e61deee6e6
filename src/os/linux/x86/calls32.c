/* SPDX-License-Identifier: Apache-2.0
 * See calls32.h. Handlers, masks, frames and threads of IA-32 programs are the engine's as those of 64-bit programs
 * are, but their structures have other layouts; memory is mapped where 32-bit pointers reach. On the guest's thread. */
#include "calls32.h"

#include "arch/arch.h"
#include "emulate32.h"
#include "cpu.h"
#include "os/linux/hostfd.h"
#include "os/linux/signal_private.h"
#include "sigframe32.h"

#include <asm/ldt.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { /* 32-bit numbers */
    NR_SIGNAL = 48, NR_SIGACTION = 67, NR_SIGSUSPEND = 72, NR_SIGPENDING = 73, NR_SIGRETURN = 119, NR_CLONE = 120,
    NR_SIGPROCMASK = 126, NR_GETDENTS = 141, NR_RT_SIGRETURN = 173, NR_RT_SIGACTION = 174, NR_RT_SIGPENDING = 176,
    NR_SIGALTSTACK = 186, NR_MMAP2 = 192, NR_GETDENTS64 = 220, NR_SET_THREAD_AREA = 243, NR_GET_THREAD_AREA = 244,
    NR_PSELECT6 = 308, NR_PPOLL = 309, NR_SET_ROBUST_LIST = 311, NR_GET_ROBUST_LIST = 312, NR_EPOLL_PWAIT = 319,
    NR_RSEQ = 386, NR_PSELECT6_TIME64 = 413, NR_PPOLL_TIME64 = 414, NR_CLONE3 = 435,
};

#define SIGSET_BYTES 8

/* --- handlers and masks ------------------------------------------------------------------------------------------ */

struct action32_old {
    u32 handler, mask, flags, restorer;
};
struct action32 {
    u32 handler, flags, restorer, mask[2];
};

static s64 set_signal(u32 sig, u32 handler)
{
    struct sig_action act = {.handler = handler, .flags = SA_RESETHAND | SA_NODEFER}, old;
    s64 r = signal_action((int)sig, &act, &old);
    return r ? r : (s64)(u32)old.handler;
}

static s64 set_action_old(const u32 *word)
{
    struct action32_old a;
    struct sig_action act, old;
    if (word[1] && !sys_read(&a, word[1], sizeof a))
        return -EFAULT;
    if (word[1])
        act = (struct sig_action){a.handler, a.flags, a.restorer, a.mask};
    s64 r = signal_action((int)word[0], word[1] ? &act : NULL, &old);
    const struct action32_old was = {(u32)old.handler, (u32)old.mask, (u32)old.flags, (u32)old.restorer};
    return r || !word[2] || sys_write(word[2], &was, sizeof was) ? r : -EFAULT;
}

static s64 set_action(const u32 *word)
{
    struct action32 a;
    struct sig_action act, old = {0};
    if (word[3] != SIGSET_BYTES)
        return -EINVAL;
    if (word[1] && !sys_read(&a, word[1], sizeof a))
        return -EFAULT;
    if (word[1])
        act = (struct sig_action){a.handler, a.flags, a.restorer, (u64)a.mask[1] << 32 | a.mask[0]};
    s64 r = signal_action((int)word[0], word[1] ? &act : NULL, &old);
    const struct action32 was = {(u32)old.handler, (u32)old.flags, (u32)old.restorer,
        {(u32)old.mask, (u32)(old.mask >> 32)}};
    return r || !word[2] || sys_write(word[2], &was, sizeof was) ? r : -EFAULT;
}

static s64 change_mask_old(const u32 *word)
{
    u64 old = vm_tc.os.guest_mask, mask = old;
    u32 set, was = (u32)old;
    if (word[1]) {
        if (!sys_read(&set, word[1], sizeof set))
            return -EFAULT;
        set &= (u32)~SIG_UNBLOCKABLE;
        switch (word[0]) {
        case SIG_BLOCK: mask |= set; break;
        case SIG_UNBLOCK: mask &= ~(u64)set; break;
        case SIG_SETMASK: mask = (mask & ~(u64)0xffffffff) | set; break;
        default: return -EINVAL;
        }
        if (mask != old && !signal_change_mask(mask))
            return -512;
    }
    return word[2] && !sys_write(word[2], &was, sizeof was) ? -EFAULT : 0;
}

static s64 tell_pending(u32 at, u32 bytes)
{
    u64 set = 0;
    if (bytes > sizeof set)
        return -EINVAL;
    arch_raw_syscall(SYS_rt_sigpending, (u64)&set, sizeof set, 0, 0, 0, 0);
    set &= vm_tc.os.guest_mask;
    return sys_write(at, &set, bytes) ? 0 : -EFAULT;
}

static s64 set_alt_stack(const u32 *word)
{
    struct { u32 sp, flags, bytes; } a;
    u64 sp = arch_sp(&vm_tc.cpu);
    stack_t old = signal_alt_stack(sp);
    s64 r = 0;
    if (word[0]) {
        if (!sys_read(&a, word[0], sizeof a))
            return -EFAULT;
        const stack_t ss = {.ss_sp = (void *)(u64)a.sp, .ss_flags = (int)a.flags, .ss_size = a.bytes};
        r = sigframe_set_alt_stack(&vm_tc.os, &ss, sp);
    }
    a.sp = (u32)(u64)old.ss_sp;
    a.flags = (u32)old.ss_flags;
    a.bytes = (u32)old.ss_size;
    return r || !word[1] || sys_write(word[1], &a, sizeof a) ? r : -EFAULT;
}

/* --- threads ----------------------------------------------------------------------------------------------------- */

static bool is_empty(const struct user_desc *d)
{
    return !d->base_addr && !d->limit && !d->contents && d->read_exec_only && !d->seg_32bit && !d->limit_in_pages &&
           d->seg_not_present && !d->useable;
}

static s64 set_area(u32 at)
{
    struct user_desc d;
    if (!sys_read(&d, at, sizeof d))
        return -EFAULT;
    int entry = (int)d.entry_number;
    s64 r = emulate32_set_area(&entry, is_empty(&d) ? 0 : d.base_addr);
    if (r || d.entry_number != -1u)
        return r;
    d.entry_number = (u32)entry;
    return sys_write(at, &d.entry_number, sizeof d.entry_number) ? 0 : -EFAULT;
}

static s64 get_area(u32 at)
{
    struct user_desc d = {.seg_32bit = 1, .limit_in_pages = 1, .useable = 1, .limit = 0xfffff};
    u32 entry;
    if (!sys_read(&entry, at, sizeof entry))
        return -EFAULT;
    if (entry < EMULATE32_AREA_FIRST || entry >= EMULATE32_AREA_FIRST + AREAS)
        return -EINVAL;
    d.entry_number = entry;
    d.base_addr = vm_tc.arch.area[entry - EMULATE32_AREA_FIRST];
    return sys_write(at, &d, sizeof d) ? 0 : -EFAULT;
}

/* The TLS comes by a descriptor, and before the child's tid. */
static enum calls32_way as_clone(struct other_call *x, const u32 *word)
{
    struct user_desc d = {0};
    if (word[0] & CLONE_SETTLS && !sys_read(&d, word[3], sizeof d))
        return CALLS32_IN_PLACE; /* the kernel says what is wrong */
    x->nr = SYS_clone;
    x->arg[3] = word[4];
    x->arg[4] = word[0] & CLONE_SETTLS ? d.base_addr : 0;
    return CALLS32_PREPARED;
}

/* --- waits with a mask ------------------------------------------------------------------------------------------- */

static enum calls32_way as_suspend(struct other_call *x, u32 mask)
{
    x->memory[0] = malloc(sizeof(u64));
    if (!x->memory[0])
        return CALLS32_IN_PLACE;
    *x->memory[0] = mask;
    x->nr = SYS_rt_sigsuspend;
    x->arg[0] = (u64)x->memory[0];
    x->arg[1] = SIGSET_BYTES;
    return CALLS32_PREPARED;
}

/* A timeout of 32 bits, as one of 64. The time that is left is not told: libc does not want it. */
static bool widen_timeout(struct other_call *x, u32 arg)
{
    s32 t[2];
    if (!x->arg[arg])
        return true;
    x->memory[1] = malloc(2 * sizeof(u64));
    if (!x->memory[1] || !sys_read(t, x->arg[arg], sizeof t))
        return false;
    x->memory[1][0] = (u64)(s64)t[0];
    x->memory[1][1] = (u64)(s64)t[1];
    x->arg[arg] = (u64)x->memory[1];
    return true;
}

static enum calls32_way as_pselect(struct other_call *x, u32 at)
{
    u32 pair[2];
    x->nr = SYS_pselect6;
    if (!at)
        return CALLS32_PREPARED;
    x->memory[0] = malloc(2 * sizeof(u64));
    if (!x->memory[0] || !sys_read(pair, at, sizeof pair))
        return CALLS32_IN_PLACE;
    x->memory[0][0] = pair[0];
    x->memory[0][1] = pair[1];
    x->arg[5] = (u64)x->memory[0];
    return CALLS32_PREPARED;
}

/* --- directories ------------------------------------------------------------------------------------------------- */

/* By the kernel's own 32-bit call: it gives places in a directory that 32 bits hold, and the old call's entries have
 * words of that size. */
static s64 read_directory(u32 nr, const u32 *word)
{
    s64 left, r;
    do {
        __asm__ volatile("int $0x80"
                         : "=a"(r)
                         : "a"((u64)nr), "b"((u64)word[0]), "c"((u64)word[1]), "d"((u64)word[2])
                         : "memory", "r8", "r9", "r10", "r11");
        r = (s32)r;
        left = sys_filter_dirents((int)word[0], word[1], r,
                                  nr == NR_GETDENTS ? hostfd_filter_dirents_narrow : hostfd_filter_dirents);
    } while (r > 0 && left == 0); /* all entries were the host's, but it is not the end of the directory */
    return left;
}

/* --- memory ------------------------------------------------------------------------------------------------------ */

/* A mapping by the kernel's own 32-bit call, which knows where they go. */
static u64 place_by_kernel(u64 addr, u64 bytes)
{
    u64 r;
    __asm__ volatile("push %%rbp\n\t"
                     "xor %%ebp, %%ebp\n\t"
                     "int $0x80\n\t"
                     "pop %%rbp"
                     : "=a"(r)
                     : "a"((u64)NR_MMAP2), "b"(addr), "c"(bytes), "d"((u64)PROT_NONE),
                       "S"((u64)(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)), "D"((u64)0xffffffff)
                     : "memory", "r8", "r9", "r10", "r11");
    return (u32)r;
}

bool mem_place(u64 *addr, u64 bytes)
{
    if (LIKELY(!cpu_guest32))
        return false;
    u64 at = bytes && bytes < 1ul << 32 ? place_by_kernel((u32)*addr, PAGE_UP(bytes)) : (u32)-ENOMEM;
    if (at > (u32)-4096)
        at = MEM_NO_PLACE;
    else
        arch_raw_syscall(SYS_munmap, at, PAGE_UP(bytes), 0, 0, 0, 0);
    *addr = at;
    return true;
}

/* --- which it is ------------------------------------------------------------------------------------------------- */

bool calls32_is_directory(u32 nr) { return nr == NR_GETDENTS || nr == NR_GETDENTS64; }

enum calls32_way calls32_prepare(struct other_call *x, u32 nr, const u32 word[6])
{
    switch (nr) {
    case NR_CLONE: return as_clone(x, word);
    case NR_SIGSUSPEND: return as_suspend(x, word[2]);
    case NR_SIGRETURN: case NR_RT_SIGRETURN: x->nr = SYS_rt_sigreturn; return CALLS32_PREPARED;
    case NR_EPOLL_PWAIT: x->nr = SYS_epoll_pwait; return CALLS32_PREPARED;
    case NR_PPOLL:
        if (!widen_timeout(x, 2))
            return CALLS32_IN_PLACE;
        /* fall through */
    case NR_PPOLL_TIME64: x->nr = SYS_ppoll; return CALLS32_PREPARED;
    case NR_PSELECT6:
        if (!widen_timeout(x, 4))
            return CALLS32_IN_PLACE;
        /* fall through */
    case NR_PSELECT6_TIME64: return as_pselect(x, word[5]);
    case NR_SET_ROBUST_LIST: case NR_GET_ROBUST_LIST: return CALLS32_IN_PLACE; /* beside the host's own */
    case NR_SIGNAL: case NR_SIGACTION: case NR_RT_SIGACTION: case NR_SIGPROCMASK: case NR_SIGPENDING:
    case NR_RT_SIGPENDING: case NR_SIGALTSTACK: case NR_SET_THREAD_AREA: case NR_GET_THREAD_AREA: case NR_RSEQ:
    case NR_CLONE3: return CALLS32_OWN;
    default: return CALLS32_AS_64;
    }
}

static s64 carry_out(u32 nr, const u32 *word)
{
    switch (nr) {
    case NR_SIGNAL: return set_signal(word[0], word[1]);
    case NR_SIGACTION: return set_action_old(word);
    case NR_RT_SIGACTION: return set_action(word);
    case NR_SIGPROCMASK: return change_mask_old(word);
    case NR_SIGPENDING: return tell_pending(word[0], sizeof(u32));
    case NR_RT_SIGPENDING: return tell_pending(word[0], word[1]);
    case NR_GETDENTS: case NR_GETDENTS64: return read_directory(nr, word);
    case NR_SIGALTSTACK: return set_alt_stack(word);
    case NR_SET_THREAD_AREA: return set_area(word[0]);
    case NR_GET_THREAD_AREA: return get_area(word[0]);
    default: return -ENOSYS; /* clone3 and rseq, for which libc has other ways */
    }
}

void calls32_carry_out(u32 nr, const u32 word[6]) { sys_finish(carry_out(nr, word)); }
