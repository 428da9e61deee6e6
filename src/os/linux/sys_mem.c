/* SPDX-License-Identifier: Apache-2.0
 * The memory system calls: carried out by the kernel, then told to gmap and to the jit. Host memory in the guest's way
 * is neither there nor free for the guest: it cannot be mapped over, unmapped or protected; but a reservation, which
 * nobody may touch, goes around it. On the guest's thread.
 *
 *  P1  mem_lock is held around [kernel call, gmap, invalidation], so gmap's order of changes is the kernel's.
 *  P2  Translations of a range go before the kernel call, while the mapping whose protection the jit changed (E16) is
 *      still there, and again after gmap knows the new state: a thread that translated in between did so from bytes or
 *      protections of unknown age.
 *  P3  Between the look whether host memory is in the way and the kernel call nothing of the host's is mapped
 *      (hostmem_hold). */
#include "arch/arch.h"
#include "os/gmap.h"
#include "os/hostlock.h"
#include "os/hostmem.h"
#include "os/linux/limits.h"
#include "os/linux/mdwe.h"
#include "os/events.h"
#include "os/linux/sys.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#define USER_END (1ul << 47)
#define HUGE_DEFAULT_SHIFT 21
#define PROT_GROWS (PROT_GROWSDOWN | PROT_GROWSUP)
#ifndef PROT_SEM
#define PROT_SEM 8
#endif
#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24
#endif
#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

static struct hostlock lock FORK_WRITES = HOSTLOCK(LOCK_MEM);
static u64 brk_now;
static bool read_implies_exec;

struct shm_attach {
    struct shm_attach *next;
    u64 start, end;
};
static struct shm_attach *attaches;

/* P1 */
void mem_lock(void)
{
    hostlock_take(&lock);
}

void mem_unlock(void)
{
    hostlock_give(&lock);
}

void mem_lock_reset(void)
{
    hostlock_reset(&lock);
}

void mem_note_personality(u64 persona)
{
    read_implies_exec = persona & READ_IMPLIES_EXEC;
}

void mem_init(u64 brk)
{
    brk_now = brk;
    mem_note_personality((u64)arch_raw_syscall(SYS_personality, 0xffffffff, 0, 0, 0, 0, 0));
}

static bool failed(s64 r)
{
    return r < 0 && r >= -4095;
}

/* The end of [addr, addr + bytes) in whole pages. False: this is not a range, and the kernel will say so. */
static bool range(u64 addr, u64 bytes, u64 *end)
{
    if (addr & (PAGE_BYTES - 1) || !bytes || bytes > USER_END || addr >= USER_END)
        return false;
    *end = addr + PAGE_UP(bytes);
    return *end <= USER_END;
}

/* The same for calls that accept a range which ends beyond the address space, and work on the part that exists. */
static bool range_to_end(u64 addr, u64 bytes, u64 *end)
{
    u64 whole = PAGE_UP(bytes);
    if (addr & (PAGE_BYTES - 1) || !whole || addr >= USER_END || __builtin_add_overflow(addr, whole, end))
        return false;
    *end = *end < USER_END ? *end : USER_END;
    return true;
}

static u32 area_flags(u64 prot)
{
    u32 f =
        (prot & PROT_READ ? GMAP_READ : 0) | (prot & PROT_WRITE ? GMAP_WRITE : 0) | (prot & PROT_EXEC ? GMAP_EXEC : 0);
    return f & GMAP_READ && read_implies_exec ? f | GMAP_EXEC : f;
}

/* Execute-only memory is unreadable on CPUs with protection keys, but the translator has to read code. */
static u64 kernel_prot(u64 prot)
{
    return (prot & (PROT_READ | PROT_WRITE | PROT_EXEC)) == PROT_EXEC ? prot | PROT_READ : prot;
}

static void tell_mapped(const struct gmap_area *area, int fd)
{
    if (UNLIKELY(os_events.mapped != NULL))
        os_events.mapped(area, fd, sys_opened_path(fd));
}

static void tell_unmapped(u64 start, u64 end)
{
    if (UNLIKELY(os_events.unmapped != NULL))
        os_events.unmapped(start, end);
}

/* The tool hears of images that came or went, before the guest goes on. */
static void tell_tool(void)
{
    if (UNLIKELY(os_events.mappings_changed != NULL))
        os_events.mappings_changed();
}

/* --- the host's memory in the way --------------------------------------------------------------------------------- */

/* Where the host's memory begins in [start, end), or end. */
static u64 host_start_in(u64 start, u64 end)
{
    u64 host_start, host_end;
    if (!hostmem_next(start, &host_start, &host_end) || host_start >= end)
        return end;
    return host_start > start ? host_start : start;
}

/* The next part of [*at, end) that is not the host's; false: there is none. */
static bool next_guest_part(u64 *at, u64 end, u64 *from, u64 *to)
{
    while (*at < end) {
        u64 host_start, host_end;
        if (!hostmem_next(*at, &host_start, &host_end) || host_start > end)
            host_start = host_end = end;
        *from = *at;
        *to = host_start;
        *at = host_end;
        if (*from < *to)
            return true;
    }
    return false;
}

/* P3: the kernel's part of a call that takes away what is mapped, `conflict` if something of the host's is in
 * [start, end). */
static s64 replace(u64 start, u64 end, s64 conflict, u64 nr, const u64 args[6])
{
    hostmem_hold();
    s64 r = hostmem_overlaps(start, end) ? conflict : arch_gate_syscall(nr, args);
    hostmem_release();
    return r;
}

/* Makes the guest's call for the page at 0, where nothing is mapped: the kernel's answer is what it would be if nothing
 * were mapped at the call's own address. So the kernel finds what else is wrong with it, in its own order. */
static s64 call_about_nothing(void)
{
    return sys_gate(sys_nr(), 0, PAGE_BYTES, sys_arg(2), sys_arg(3), sys_arg(4), sys_arg(5));
}

/* The call in hand, which goes on after holes, for the guest's parts of a range. `hole` is its error where nothing is
 * mapped. 0: something was, and all is done. */
static s64 call_guest_parts(u64 start, u64 end, s64 hole)
{
    s64 r = call_about_nothing();
    for (u64 from, to; (r == hole || !r) && next_guest_part(&start, end, &from, &to);) {
        s64 part = sys_gate(sys_nr(), from, to - from, sys_arg(2), sys_arg(3), sys_arg(4), sys_arg(5));
        r = part == hole ? r : part;
    }
    return r;
}

/* mbind that takes policies away goes on after holes, any other stops there. */
static bool binds_nothing(void)
{
    return sys_nr() == SYS_mbind && (sys_arg(2) & ~MPOL_MODE_FLAGS) == MPOL_DEFAULT;
}

/* mlock, mlock2, munlock, msync, mincore, mbind: they work on the range up to the host's memory, which is a hole for
 * the guest. */
void sys_pages(void)
{
    const s64 hole = sys_nr() == SYS_mbind ? -EFAULT : -ENOMEM;
    u64 start = PAGE_DOWN(sys_arg(0)), end = 0, stop;
    bool within = sys_nr() == SYS_mincore; /* mincore does not accept a range beyond the end of the address space */
    if (!(within ? range : range_to_end)(start, sys_arg(1) + (sys_arg(0) - start), &end) ||
        (stop = host_start_in(start, end)) == end) {
        sys_pass();
        return;
    }
    if (binds_nothing()) {
        sys_finish(call_guest_parts(start, end, hole));
        return;
    }
    s64 r = stop == start
                ? call_about_nothing()
                : sys_gate(sys_nr(), sys_arg(0), stop - sys_arg(0), sys_arg(2), sys_arg(3), sys_arg(4), sys_arg(5));
    sys_finish(r ? r : hole);
}

/* A call that replaces mappings may fail when it has already unmapped them: takes what is no longer mapped out of
 * gmap. */
static void forget_unmapped(u64 start, u64 end)
{
    struct gmap_area a;
    u8 there;
    for (u64 at = start; at < end && gmap_next(at, &a) && a.start < end; at = a.end) {
        u64 from = a.start > start ? a.start : start, to = a.end < end ? a.end : end;
        if (arch_raw_syscall(SYS_mincore, from, PAGE_BYTES, (u64)&there, 0, 0, 0) != -ENOMEM)
            continue;
        gmap_remove(from, to);
        tell_unmapped(from, to);
    }
    os_events.code_changed(start, end);
}

/* --- mmap, munmap ------------------------------------------------------------------------------------------------ */

static u64 map_bytes(u64 bytes, u64 flags)
{
    if (!(flags & MAP_HUGETLB))
        return PAGE_UP(bytes);
    u64 shift = flags >> MAP_HUGE_SHIFT & MAP_HUGE_MASK;
    u64 huge = 1ul << (shift ? shift : HUGE_DEFAULT_SHIFT);
    return (bytes + huge - 1) & ~(huge - 1);
}

static s64 map_host_conflict(u64 addr, u64 bytes, u64 flags)
{
    u64 end;
    if (!(flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) || !range(addr, map_bytes(bytes, flags), &end) ||
        !hostmem_overlaps(addr, end))
        return 0;
    return flags & MAP_FIXED_NOREPLACE ? -EEXIST : -ENOMEM;
}

static void tell_conflict(u64 addr, u64 bytes)
{
    static bool told;
    if (!told)
        msg("the program maps 0x%lx bytes at the fixed address 0x%lx, where the engine is: ENOMEM", bytes, addr);
    told = true;
}

static void map_describe(struct gmap_area *a, u64 prot, u64 flags, int fd, u64 off)
{
    struct stat st;
    a->flags = area_flags(prot);
    if ((flags & MAP_TYPE) == MAP_SHARED || (flags & MAP_TYPE) == MAP_SHARED_VALIDATE)
        a->flags |= GMAP_SHARED;
    if (flags & MAP_GROWSDOWN)
        a->flags |= GMAP_STACK;
    if (flags & MAP_ANONYMOUS || fstat(fd, &st) < 0)
        return;
    a->dev_major = major(st.st_dev);
    a->dev_minor = minor(st.st_dev);
    a->ino = st.st_ino;
    a->off = off;
}

/* Makes the mapping of the call in hand with other protection and flags, and takes it away again: 0 or the error. */
static s64 map_tried(u64 prot, u64 flags)
{
    u64 addr = flags & MAP_FIXED_NOREPLACE ? sys_arg(0) : 0, bytes = sys_arg(1);
    s64 r = sys_gate(SYS_mmap, addr, bytes, prot, flags, sys_arg(4), sys_arg(5));
    if (failed(r))
        return r;
    arch_raw_syscall(SYS_munmap, (u64)r, map_bytes(bytes, flags), 0, 0, 0, 0);
    return 0;
}

/* A mapping that the engine refuses because of `why`, which the kernel would look at last: it says what else is wrong,
 * in its own order. No memory is touched: the kernel looks at the room for locked memory before the protection. */
static s64 map_refused(s64 why)
{
    u64 flags = (sys_arg(3) | mem_lock_flags()) & ~(u64)(MAP_FIXED | MAP_POPULATE);
    s64 r = flags & MAP_LOCKED || why == -EAGAIN ? map_tried(PROT_NONE, flags | MAP_LOCKED) : 0;
    if (!r)
        r = map_tried(kernel_prot(sys_arg(2)), flags & ~(u64)MAP_LOCKED);
    return r ? r : why;
}

/* 0, or why the guest's own rules do not allow it. replaced_end: of what a fixed mapping replaces. */
static s64 map_forbidden(const struct gmap_area *area, u64 addr, u64 bytes, u64 flags, u64 replaced_end)
{
    s64 room = mem_lock_flags() ? 0 : mem_lock_room(map_bytes(bytes, flags)); /* with flags the kernel looks itself */
    if (room)
        return room;
    if (mdwe_forbids(area->flags, area->flags))
        return -EACCES;
    if (LIKELY(!limits_any()))
        return 0;
    return limits_allow_map(area->flags, map_bytes(bytes, flags), replaced_end ? gmap_bytes_in(addr, replaced_end) : 0)
               ? 0
               : -ENOMEM;
}

/* Sanitizers reserve all addresses that they want nobody to have. With MAP_FIXED_NOREPLACE a guest asks what is free,
 * and will use it. */
static bool reserves(u64 prot, u64 flags)
{
    const u64 kind = MAP_TYPE | MAP_ANONYMOUS | MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_HUGETLB | MAP_GROWSDOWN;
    return prot == PROT_NONE && (flags & kind) == (MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED);
}

static s64 reserve_guest_parts(u64 start, u64 end, u64 flags)
{
    for (u64 at = start;;) {
        u64 from, to;
        hostmem_hold(); /* P3 */
        bool more = next_guest_part(&at, end, &from, &to);
        s64 r =
            more ? sys_gate(SYS_mmap, from, to - from, PROT_NONE, flags | mem_lock_flags(), (u64)-1, 0) : (s64)start;
        hostmem_release();
        if (!more || failed(r))
            return r;
        mem_lock_new(from, to, true);
        struct gmap_area area = {.start = from, .end = to};
        gmap_add(&area);
        tell_mapped(&area, -1);
    }
}

static void reserve_around_host(u64 start, u64 end, u64 flags)
{
    const struct gmap_area area = {.start = start, .end = end};
    mem_lock();
    s64 r = map_forbidden(&area, start, end - start, flags, end);
    if (!r) {
        os_events.code_changed(start, end);
        r = reserve_guest_parts(start, end, flags);
        os_events.code_changed(start, end);
    }
    mem_unlock();
    tell_tool();
    sys_finish(r);
}

/* replaced_end: 0, or that of what may be there and goes. */
static s64 map_call(u64 addr, u64 replaced_end, const u64 *args)
{
    return replaced_end ? replace(addr, replaced_end, -ENOMEM, SYS_mmap, args) : arch_gate_syscall(SYS_mmap, args);
}

void sys_mmap(void)
{
    u64 addr = sys_arg(0), bytes = sys_arg(1), prot = sys_arg(2), flags = sys_arg(3), off = sys_arg(5), end = 0;
    if (off % PAGE_BYTES) {
        sys_finish(-EINVAL);
        return;
    }
    if (reserves(prot, flags) && range(addr, bytes, &end) && map_host_conflict(addr, bytes, flags) == -ENOMEM) {
        reserve_around_host(addr, end, flags);
        return;
    }
    struct gmap_area area = {0};
    bool fixed = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE), placed = range(addr, map_bytes(bytes, flags), &end);
    bool replaces = flags & MAP_FIXED && placed;
    mem_lock();
    map_describe(&area, prot, flags, (int)sys_arg(4), off);
    s64 conflict = 0, r = 0;
    if (placed || !fixed) /* else it is an error at once */
        r = map_forbidden(&area, addr, bytes, flags, replaces ? end : 0);
    if (UNLIKELY(r == -ENOMEM) && limits_set_outside())
        r = map_forbidden(&area, addr, bytes, flags, replaces ? end : 0);
    if (!r)
        r = conflict = map_host_conflict(addr, bytes, flags);
    if (r) {
        r = map_refused(r);
        if (conflict == -ENOMEM && r == -ENOMEM)
            tell_conflict(addr, bytes);
        mem_unlock();
        sys_finish(r);
        return;
    }
    if (replaces) /* P2: the translations go here, and again when gmap knows */
        os_events.code_changed(addr, end);
    if (!fixed && mem_place(&addr, map_bytes(bytes, flags))) {
        if (addr == MEM_NO_PLACE) {
            mem_unlock();
            sys_finish(bytes ? -ENOMEM : -EINVAL);
            return;
        }
        flags |= MAP_FIXED_NOREPLACE; /* for the kernel it would be a hint */
    }
    const u64 args[6] = {addr, bytes, kernel_prot(prot), flags | mem_lock_flags(), sys_arg(4), off};
    r = map_call(addr, replaces ? end : 0, args);
    if (UNLIKELY(r == -ENOMEM) && limits_set_outside())
        r = map_forbidden(&area, addr, bytes, flags, replaces ? end : 0) ? -ENOMEM
                                                                         : map_call(addr, replaces ? end : 0, args);
    if (!failed(r)) {
        mem_lock_new((u64)r, (u64)r + map_bytes(bytes, flags), true);
        area.start = (u64)r;
        area.end = area.start + map_bytes(bytes, flags);
        gmap_add(&area);
        if (replaces)
            os_events.code_changed(addr, end);
        tell_mapped(&area, (int)sys_arg(4));
    } else if (!sys_not_made(r)) {
        if (replaces)
            forget_unmapped(addr, end);
        if (r == -ENOMEM)
            limits_note_refused();
    }
    mem_unlock();
    tell_tool();
    sys_finish(r);
}

/* Unmaps what is not the host's; a host range is skipped, as natively nothing would be there. */
static s64 unmap_guest_parts(u64 start, u64 end)
{
    for (;;) {
        u64 from, to;
        hostmem_hold();
        bool more = next_guest_part(&start, end, &from, &to);
        s64 r = more ? sys_gate(SYS_munmap, from, to - from, 0, 0, 0, 0) : 0;
        hostmem_release();
        if (!more || r)
            return r;
        gmap_remove(from, to);
    }
}

void sys_munmap(void)
{
    u64 start = sys_arg(0), end;
    if (!range(start, sys_arg(1), &end)) {
        sys_pass();
        return;
    }
    mem_lock();
    os_events.code_changed(start, end);
    s64 r = unmap_guest_parts(start, end);
    os_events.code_changed(start, end);
    tell_unmapped(start, end);
    mem_unlock();
    tell_tool();
    sys_finish(r);
}

/* --- mprotect ----------------------------------------------------------------------------------------------------- */

/* How far mprotect has come. The kernel goes from mapping to mapping until it cannot go on: a hole, a file that may not
 * be written. What it has done it does again without an error. */
static u64 protected_end(u64 start, u64 end, u64 prot)
{
    u64 done = start;
    while (end - done > PAGE_BYTES) {
        u64 middle = done + PAGE_DOWN((end - done) / 2);
        if (arch_raw_syscall(sys_nr(), start, middle - start, kernel_prot(prot), sys_arg(3), 0, 0))
            end = middle;
        else
            done = middle;
    }
    return done;
}

static void protect_known(u64 start, u64 end, u64 prot)
{
    struct gmap_area a;
    if (prot & PROT_GROWSDOWN && gmap_find(start, &a))
        start = a.start;
    if (start < end)
        gmap_protect(start, end, area_flags(prot));
}

/* The kernel's part, up to what is the host's in [start, *stop), which is *stop then (P3). */
static s64 protect(u64 start, u64 *stop, u64 prot)
{
    hostmem_hold();
    *stop = host_start_in(start, *stop);
    s64 r = *stop == start ? 0 : sys_gate(sys_nr(), start, *stop - start, kernel_prot(prot), sys_arg(3), 0, 0);
    hostmem_release();
    return r;
}

/* mprotect and pkey_mprotect */
void sys_mprotect(void)
{
    u64 start = sys_arg(0), prot = sys_arg(2), end;
    if (!range_to_end(start, sys_arg(1), &end) ||
        prot & ~(u64)(PROT_READ | PROT_WRITE | PROT_EXEC | PROT_SEM | PROT_GROWS)) {
        sys_pass();
        return;
    }
    u64 stop = host_start_in(start, end);
    if (stop == start) {
        sys_finish(call_about_nothing());
        return;
    }
    mem_lock();
    u64 allowed = mdwe_protect_end(start, stop, area_flags(prot));
    u64 room = limits_protect_end(start, stop, area_flags(prot));
    s64 why = allowed < stop && allowed <= room ? -EACCES : -ENOMEM;
    stop = allowed < room ? allowed : room;
    os_events.code_changed(start, end);
    s64 r = protect(start, &stop, prot);
    if (!r && stop < end) {
        protect_known(start, stop, prot);
        r = why;
    } else if (!sys_not_made(r)) {
        u64 done = r ? protected_end(start, end, prot) : end;
        if (done > start) /* otherwise nothing has changed, even below a start that grows down */
            protect_known(start, done, prot);
    }
    os_events.code_changed(start, end);
    mem_unlock();
    sys_finish(r);
}

/* --- mremap ------------------------------------------------------------------------------------------------------- */

/* Where it is moved to, the kernel chooses. Of an IA-32 program it is not asked before the mapping cannot stay. */
static s64 remap_anywhere(const u64 *args)
{
    u64 place = 0;
    if (LIKELY(!(args[3] & MREMAP_MAYMOVE) || !mem_place(&place, PAGE_UP(args[2]))))
        return arch_gate_syscall(SYS_mremap, args);
    const u64 stay[6] = {args[0], args[1], args[2], args[3] & ~(u64)MREMAP_MAYMOVE},
              move[6] = {args[0], args[1], args[2], args[3] | MREMAP_FIXED, place};
    s64 r = args[3] & MREMAP_DONTUNMAP ? -ENOMEM : arch_gate_syscall(SYS_mremap, stay);
    return r == -ENOMEM && place != MEM_NO_PLACE ? arch_gate_syscall(SYS_mremap, move) : r;
}

static s64 remap(u64 old, u64 old_bytes, u64 new_bytes, u64 flags, u64 to)
{
    if (flags & MREMAP_FIXED)
        os_events.code_changed(to, to + new_bytes);
    os_events.code_changed(old, old + old_bytes);
    const u64 args[6] = {old, sys_arg(1), sys_arg(2), flags, to, 0};
    s64 r = flags & MREMAP_FIXED ? replace(to, to + new_bytes, -ENOMEM, SYS_mremap, args) : remap_anywhere(args);
    if (failed(r)) {
        if (flags & MREMAP_FIXED && !sys_not_made(r)) {
            forget_unmapped(to, to + new_bytes);
            forget_unmapped(old, old + old_bytes);
        }
        return r;
    }
    gmap_move(old, old_bytes, (u64)r, new_bytes, flags & MREMAP_DONTUNMAP);
    os_events.code_changed(old, old + old_bytes);
    os_events.code_changed((u64)r, (u64)r + new_bytes);
    return r;
}

static bool remap_over_limit(u64 old, u64 old_bytes, u64 new_bytes, u64 flags, u64 to)
{
    struct gmap_area a;
    u64 more = new_bytes > old_bytes ? new_bytes - old_bytes : 0;
    if (flags & MREMAP_DONTUNMAP)
        more += old_bytes;
    if (LIKELY(!limits_any()) || !more || !gmap_find(old, &a))
        return false;
    return !limits_allow_map(a.flags, more, flags & MREMAP_FIXED ? gmap_bytes_in(to, to + new_bytes) : 0);
}

static bool remap_flags_good(u64 old_bytes, u64 new_bytes, u64 flags)
{
    if (flags & ~(u64)(MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP))
        return false;
    bool moves = flags & MREMAP_MAYMOVE;
    return (!(flags & MREMAP_FIXED) || moves) && (!(flags & MREMAP_DONTUNMAP) || (moves && old_bytes == new_bytes));
}

/* A call that is an error by its numbers alone, or by what is mapped at `old`: nothing, where the host's memory is. */
static void remap_wrong(u64 old)
{
    if (hostmem_overlaps(PAGE_DOWN(old), PAGE_DOWN(old) + PAGE_BYTES))
        sys_finish(sys_gate(SYS_mremap, old % PAGE_BYTES, sys_arg(1), sys_arg(2), sys_arg(3), sys_arg(4), 0));
    else
        sys_pass();
}

void sys_mremap(void)
{
    u64 old = sys_arg(0), old_bytes = PAGE_UP(sys_arg(1)), new_bytes = PAGE_UP(sys_arg(2)), flags = sys_arg(3),
        to = sys_arg(4);
    u64 old_end, new_end;
    if (!range(old, old_bytes ? old_bytes : PAGE_BYTES, &old_end) ||
        !range(flags & MREMAP_FIXED ? to : 0, new_bytes, &new_end) || !remap_flags_good(old_bytes, new_bytes, flags) ||
        (flags & MREMAP_FIXED && old < new_end && to < old + old_bytes)) {
        remap_wrong(old);
        return;
    }
    if (hostmem_overlaps(old, old_end)) {
        sys_finish(-EFAULT);
        return;
    }
    if (flags & MREMAP_FIXED && hostmem_overlaps(to, new_end)) {
        sys_finish(-ENOMEM);
        return;
    }
    mem_lock();
    s64 r;
    do
        r = remap_over_limit(old, old_bytes, new_bytes, flags, to) ? -ENOMEM
                                                                   : remap(old, old_bytes, new_bytes, flags, to);
    while (UNLIKELY(r == -ENOMEM) && limits_set_outside());
    mem_unlock();
    sys_finish(r);
}

/* --- brk ---------------------------------------------------------------------------------------------------------- */

static void move_break(u64 from, u64 to)
{
    struct gmap_area heap = {.start = PAGE_UP(from), .end = PAGE_UP(to),
        .flags = area_flags(PROT_READ | PROT_WRITE) | GMAP_HEAP};
    if (heap.start < heap.end)
        gmap_add(&heap);
    else if (heap.end < heap.start)
        gmap_remove(heap.end, heap.start);
}

/* The new break, or the old one. */
static s64 break_call(u64 want, u64 end)
{
    bool allowed =
        !want || (limits_allow_break(brk_now, want) && (PAGE_UP(want) <= end || !mem_lock_room(PAGE_UP(want) - end)));
    return allowed ? sys_gate(SYS_brk, want, 0, 0, 0, 0, 0) : (s64)brk_now;
}

void sys_brk(void)
{
    u64 want = sys_arg(0);
    mem_lock();
    bool shrinks = want && want < brk_now;
    u64 start = PAGE_UP(want), end = PAGE_UP(brk_now);
    if (shrinks)
        os_events.code_changed(start, end);
    s64 r = break_call(want, end);
    if (want > brk_now && r == (s64)brk_now && limits_set_outside())
        r = break_call(want, end);
    if (!sys_not_made(r)) {
        mem_lock_new(PAGE_UP(brk_now), PAGE_UP(r), false);
        move_break(brk_now, (u64)r);
        brk_now = (u64)r;
        if (shrinks)
            os_events.code_changed(start, end);
    }
    mem_unlock();
    sys_finish(r);
}

/* --- System V shared memory --------------------------------------------------------------------------------------- */

static u64 shm_bytes(int id)
{
    struct shmid_ds ds;
    return shmctl(id, IPC_STAT, &ds) < 0 ? PAGE_BYTES : PAGE_UP(ds.shm_segsz);
}

static u32 attach_flags(u64 flags)
{
    return area_flags(PROT_READ | (flags & SHM_RDONLY ? 0 : PROT_WRITE) | (flags & SHM_EXEC ? PROT_EXEC : 0)) |
           GMAP_SHARED;
}

/* 0, or the error that the guest's limits give for a segment that can be attached there otherwise: the kernel looks at
 * limits last. */
static s64 attach_room(int id, u64 addr, u64 flags, u64 bytes)
{
    struct shmid_ds ds;
    bool misplaced = flags & SHM_RND ? false : addr % PAGE_BYTES != 0;
    if (misplaced || (flags & SHM_REMAP && !addr) || shmctl(id, IPC_STAT, &ds) < 0)
        return 0;
    if (mdwe_forbids(attach_flags(flags), attach_flags(flags)))
        return -EACCES;
    return !limits_allow_map(GMAP_SHARED, bytes, 0) ? -ENOMEM : mem_lock_room(bytes);
}

static void note_attach(u64 start, int id, u64 flags)
{
    struct gmap_area a = {.start = start, .end = start + shm_bytes(id), .flags = attach_flags(flags), .dev_minor = 1,
        .ino = (u64)id};
    struct shm_attach *s = malloc(sizeof *s);
    if (!s)
        hostmem_die("the list of shared memory segments");
    *s = (struct shm_attach){attaches, a.start, a.end};
    attaches = s;
    gmap_add(&a);
}

void sys_shmat(void)
{
    int id = (int)sys_arg(0);
    u64 addr = sys_arg(1), flags = sys_arg(2), end = addr + shm_bytes(id);
    const u64 args[6] = {(u64)id, addr, flags, 0, 0, 0};
    if (flags & SHM_REMAP && addr && hostmem_overlaps(PAGE_DOWN(addr), end)) {
        sys_finish(-EINVAL);
        return;
    }
    mem_lock();
    if (flags & SHM_REMAP)
        os_events.code_changed(addr, end);
    s64 r = attach_room(id, addr, flags, end - addr);
    if (!r)
        r = flags & SHM_REMAP ? replace(PAGE_DOWN(addr), end, -EINVAL, SYS_shmat, args)
                              : arch_gate_syscall(SYS_shmat, args);
    if (!failed(r)) {
        mem_lock_new((u64)r, (u64)r + (end - addr), false);
        note_attach((u64)r, id, flags);
        os_events.code_changed((u64)r, (u64)r + (end - addr));
    }
    mem_unlock();
    sys_finish(r);
}

void sys_shmdt(void)
{
    u64 addr = sys_arg(0);
    mem_lock();
    struct shm_attach **at = &attaches, *s;
    while ((s = *at) && s->start != addr)
        at = &s->next;
    if (s)
        os_events.code_changed(s->start, s->end);
    s64 r = sys_gate(SYS_shmdt, addr, 0, 0, 0, 0, 0);
    if (s && !r) {
        gmap_remove(s->start, s->end);
        os_events.code_changed(s->start, s->end);
        *at = s->next;
        free(s);
    }
    mem_unlock();
    sys_finish(r);
}

/* --- others ------------------------------------------------------------------------------------------------------- */

void sys_madvise(void)
{
    u64 start = sys_arg(0), advice = sys_arg(2), end;
    if (!range_to_end(start, sys_arg(1), &end)) {
        sys_pass();
        return;
    }
    bool wipes = advice == MADV_DONTNEED || advice == MADV_REMOVE || advice == MADV_FREE ||
                 advice == MADV_DONTNEED_LOCKED;
    if (wipes) /* P3; other advice does no harm, and may take long */
        hostmem_hold();
    s64 r = host_start_in(start, end) == end ? sys_call_at_once() : call_guest_parts(start, end, -ENOMEM);
    if (!r && host_start_in(start, end) < end) /* the kernel says at the end that there was a hole */
        r = -ENOMEM;
    if (wipes) {
        hostmem_release();
        os_events.code_changed(start, end);
    }
    sys_finish(r);
}

void sys_remap_file_pages(void)
{
    u64 start = PAGE_DOWN(sys_arg(0)), end;
    struct gmap_area a;
    if (!range(start, sys_arg(1), &end) || !gmap_find(start, &a)) {
        sys_pass();
        return;
    }
    mem_lock();
    os_events.code_changed(start, end);
    s64 r = sys_gate(SYS_remap_file_pages, sys_arg(0), sys_arg(1), sys_arg(2), sys_arg(3), sys_arg(4), 0);
    if (!r) {
        a.start = start;
        a.end = end;
        a.off = sys_arg(3) * PAGE_BYTES;
        a.flags |= a.flags & GMAP_READ && read_implies_exec ? GMAP_EXEC : 0; /* it is mapped anew */
        gmap_add(&a);
        mem_lock_new(start, end, false);
        os_events.code_changed(start, end);
    }
    mem_unlock();
    sys_finish(r);
}

void sys_personality(void)
{
    s64 r = sys_call_at_once();
    if (!failed(r) && (u32)sys_arg(0) != 0xffffffff)
        mem_note_personality(sys_arg(0));
    sys_finish(r);
}
