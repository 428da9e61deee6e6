/* SPDX-License-Identifier: Apache-2.0
 * The registry of host ranges: a set of addresses that is read without a lock. Owns the set and the memory it is in;
 * hostmem owns the lock under which it is changed, and says what goes in. Never uses malloc.
 *
 *  M1  The registry is a sorted array of disjoint ranges that do not touch. Most processes have few of them. When there
 *      are more, they move once, into a reservation that never moves; it only uses more of the reservation.
 *  M2  Changes are made under hostmem's lock, with all signals blocked, and between two steps of `seq` (odd: being
 *      changed). So a reader takes no lock, a signal handler may read, and a reader never waits for a thread that a
 *      signal has stopped. */
#include "os/linux/hostranges.h"

#include "arch/arch.h"

#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define MAX_RANGES (1u << 20)             /* reserved, not used: 16 MiB of address space */
#define RANGES_STEP 4096u                 /* made usable at a time */
#define FEW_RANGES 4096u                  /* without a mapping, which each fork would copy */

static u32 seq;
static struct range few[FEW_RANGES], *ranges = few;
static u32 nranges, usable = FEW_RANGES;

/* Index of the first range with end > addr. Reads may race with a change: the caller checks seq. */
static u32 find(u64 addr)
{
    u32 lo = 0, hi = __atomic_load_n(&nranges, __ATOMIC_ACQUIRE);
    const struct range *in = __atomic_load_n(&ranges, __ATOMIC_ACQUIRE);
    while (lo < hi) {
        u32 mid = lo + (hi - lo) / 2;
        if (__atomic_load_n(&in[mid].end, __ATOMIC_RELAXED) > addr)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

static void change_begin(void)
{
    __atomic_store_n(&seq, seq + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void change_end(void)
{
    __atomic_store_n(&seq, seq + 1, __ATOMIC_RELEASE);
}

static void set_range(u32 i, u64 start, u64 end)
{
    __atomic_store_n(&ranges[i].start, start, __ATOMIC_RELAXED);
    __atomic_store_n(&ranges[i].end, end, __ATOMIC_RELAXED);
}

/* Replaces ranges [from, to) by room for `n`. */
static void resize(u32 from, u32 to, u32 n)
{
    u32 tail = nranges - to;
    if (from + n > to)
        for (u32 i = tail; i-- > 0;)
            set_range(from + n + i, ranges[to + i].start, ranges[to + i].end);
    else
        for (u32 i = 0; i < tail; i++)
            set_range(from + n + i, ranges[to + i].start, ranges[to + i].end);
    __atomic_store_n(&nranges, from + n + tail, __ATOMIC_RELEASE);
}

static bool make_usable(struct range *from)
{
    return mprotect(from, RANGES_STEP * sizeof *from, PROT_READ | PROT_WRITE) == 0;
}

/* A reader that still has the old place reads what is there or after it, and then sees that seq has changed. */
static bool move_to_reservation(void)
{
    size_t bytes = MAX_RANGES * sizeof *ranges;
    s64 at = arch_raw_syscall(SYS_mmap, 0, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, (u64)-1, 0);
    struct range *p = (struct range *)at;
    if (at < 0)
        return false;
    if (!make_usable(p)) {
        arch_raw_syscall(SYS_munmap, (u64)at, bytes, 0, 0, 0, 0);
        return false;
    }
    memcpy(p, few, sizeof few);
    change_begin();
    __atomic_store_n(&ranges, p, __ATOMIC_RELEASE);
    usable = RANGES_STEP;
    change_end();
    hostranges_insert((u64)p, (u64)(p + MAX_RANGES));
    return true;
}

/* Room for two more ranges (the most that one change adds); false: the kernel says no. */
bool hostranges_ensure_room(void)
{
    if (nranges + 2 <= usable)
        return true;
    if (ranges == few)
        return move_to_reservation();
    if (usable >= MAX_RANGES || !make_usable(ranges + usable))
        return false;
    usable += RANGES_STEP;
    return true;
}

void hostranges_insert(u64 start, u64 end)
{
    u32 i = find(start ? start - 1 : 0), j = i;
    while (j < nranges && ranges[j].start <= end)
        j++;
    if (j == i + 1 && ranges[i].start <= start && ranges[i].end >= end)
        return;
    if (j > i) {
        start = ranges[i].start < start ? ranges[i].start : start;
        end = ranges[j - 1].end > end ? ranges[j - 1].end : end;
    }
    change_begin();
    resize(i, j, 1);
    set_range(i, start, end);
    change_end();
}

void hostranges_erase(u64 start, u64 end)
{
    u32 i = find(start), j = i;
    while (j < nranges && ranges[j].start < end)
        j++;
    if (i == j)
        return;
    struct range left = {ranges[i].start, start}, right = {end, ranges[j - 1].end};
    bool keep_left = left.start < left.end, keep_right = right.start < right.end;
    change_begin();
    resize(i, j, (u32)keep_left + keep_right);
    if (keep_left)
        set_range(i, left.start, left.end);
    if (keep_right)
        set_range(i + keep_left, right.start, right.end);
    change_end();
}

bool hostranges_next(u64 addr, u64 *start, u64 *end)
{
    for (u32 spins = 0;; spins++) {
        u32 before = __atomic_load_n(&seq, __ATOMIC_ACQUIRE);
        if (!(before & 1)) {
            u32 i = find(addr);
            bool found = i < __atomic_load_n(&nranges, __ATOMIC_RELAXED);
            if (found) {
                *start = __atomic_load_n(&ranges[i].start, __ATOMIC_RELAXED);
                *end = __atomic_load_n(&ranges[i].end, __ATOMIC_RELAXED);
            }
            __atomic_thread_fence(__ATOMIC_ACQUIRE);
            if (__atomic_load_n(&seq, __ATOMIC_RELAXED) == before)
                return found;
        }
        if (spins % 64 == 63)
            sched_yield();
    }
}

u64 hostranges_total_bytes(void)
{
    u64 sum = 0;
    for (u32 i = 0; i < nranges; i++)
        sum += ranges[i].end - ranges[i].start;
    return sum;
}

u64 hostranges_lowest_below(u64 top, u64 near)
{
    u64 low = top;
    for (u32 i = nranges; i-- > 0;)
        if (ranges[i].end <= top && ranges[i].end + near >= low)
            low = ranges[i].start;
    return low;
}

u64 hostranges_self(void)
{
    return (u64)ranges;
}
