/* SPDX-License-Identifier: Apache-2.0
 * Accesses of the program, as heapcheck looks at them: the short look at the shadow that stands in the traces, and the closer one of what looks wrong there. */
#ifndef HEAPACCESS_H
#define HEAPACCESS_H
#include "heaphooks.h"

/* An access that the one before it in its block stands for: the same registers, and bytes that it covers. */
struct Follower {
    ADDRINT pc;
    INT64 offset;
    UINT32 bytes;
    BOOL reads, writes;
};
struct Site {
    Follower self;
    std::vector<Follower> followers;
};

static inline INT32 Room(ADDRINT a) { return *shadow_of(a) + 7 - INT32(a & 7); } /* less than 0: the byte may not be accessed */

/* Not 0: a closer look is needed. Between any two blocks are 24 bytes that nobody may touch, so that for small accesses their ends are enough. */
template <UINT32 BYTES> static ADDRINT PIN_FAST_ANALYSIS_CALL Look(ADDRINT a)
{
    if (INT8(*shadow_of(a) | *shadow_of(a + BYTES - 1)) >= 0)
        return 0;
    return UINT32(Room(a) | Room(a + BYTES - 1)) >> 31;
}
template <> ADDRINT PIN_FAST_ANALYSIS_CALL Look<1>(ADDRINT a)
{
    if (*shadow_of(a) >= 0)
        return 0;
    return UINT32(Room(a)) >> 31;
}
/* Odd sizes up to 16; up to 32; up to 128 bytes. */
static ADDRINT PIN_FAST_ANALYSIS_CALL LookOdd(ADDRINT a, UINT32 last) { return UINT32(Room(a) | Room(a + last)) >> 31; }
static ADDRINT PIN_FAST_ANALYSIS_CALL LookWide(ADDRINT a, UINT32 last)
{
    return (*reinterpret_cast<const UINT32 *>(shadow_of(a)) | *reinterpret_cast<const UINT32 *>(shadow_of(a + last) - 3)) & 0x80808080u;
}
static ADDRINT PIN_FAST_ANALYSIS_CALL LookLong(ADDRINT a, UINT32 last)
{
    return (*reinterpret_cast<const UINT64 *>(shadow_of(a)) | *reinterpret_cast<const UINT64 *>(shadow_of(a + last) - 7)) & 0x8080808080808080ull;
}
static ADDRINT PIN_FAST_ANALYSIS_CALL LookAlways(ADDRINT a, UINT32) { return *shadow_of(a) != SHADOW_PLAIN; }

static VOID NoteAccess(Thread *t, ADDRINT wrong, UINT32 bytes, BOOL write, ADDRINT pc, ADDRINT sp, ADDRINT bp, const char *what)
{
    UINT32 stack = TakeStack(t, pc, sp, bp, FALSE);
    BlocksLock lock;
    UINT32 near = blocks_near(wrong);
    const Block *b = near ? &blocks[near] : NULL;
    std::string text = (bytes ? error_number("%lu bytes at 0x%lx, ", bytes, wrong) : error_number("at 0x%lx, ", wrong)) + error_describe(wrong, b);
    error_note(write ? BAD_WRITE : BAD_READ, stack, t->tid, text, what, b);
}

/* A load that is aligned and has some of its bytes in a block may have all of them: code that goes through memory in words does so, and it cannot leave the page. */
static BOOL IsWhole(ADDRINT a, UINT32 bytes)
{
    if (bytes < 4 || bytes & (bytes - 1) || a % bytes)
        return FALSE;
    for (UINT32 i = 0; i < bytes; i++)
        if (shadow_ok(a + i))
            return TRUE;
    return FALSE;
}

/* What the allocator itself may touch outside of its functions (when a thread ends): not redzones and freed blocks, whoever asks. */
static BOOL IsTheAllocators(ADDRINT a, ADDRINT pc) { return IsAllocator(pc) && (*shadow_of(a) == SHADOW_FREE || *shadow_of(a) == SHADOW_HEADER); }

static VOID CheckOne(Thread *t, ADDRINT a, const Follower &f, ADDRINT sp, ADDRINT bp)
{
    ADDRINT wrong = shadow_first_bad(a, a + f.bytes);
    if (wrong == a + f.bytes || IsTheAllocators(wrong, f.pc))
        return;
    if (f.reads && !IsWhole(a, f.bytes))
        NoteAccess(t, a, f.bytes, FALSE, f.pc, sp, bp, "read");
    if (f.writes)
        NoteAccess(t, a, f.bytes, TRUE, f.pc, sp, bp, "write");
}

/* Code that touches a header while the allocator's functions run is the allocator's, which is one piece of code. */
static VOID Learn(ADDRINT a, ADDRINT pc)
{
    static const ADDRINT FAR = 1 << 16, AROUND = 4096;
    if (*shadow_of(a) != SHADOW_HEADER || IsAllocator(pc) || (allocator_high && (pc + FAR < allocator_low || pc > allocator_high + FAR)))
        return;
    BlocksLock lock;
    allocator_low = std::min(allocator_low, pc - AROUND);
    allocator_high = std::max(allocator_high, pc + AROUND);
}

/* glibc's is one object, which begins with the functions that are not called from outside. */
static VOID FindAllocator(IMG img)
{
    static const ADDRINT BEFORE = 1 << 14, MOST = 1 << 15;
    RTN first = RTN_FindByName(img, "malloc"), last = RTN_FindByName(img, "malloc_info");
    ADDRINT low, high;
    if (!RTN_Valid(first) || !RTN_Valid(last) || !unwind_routine(RTN_Address(last), &low, &high) || high - RTN_Address(first) > MOST)
        return;
    BlocksLock lock;
    allocator_low = RTN_Address(first) - BEFORE;
    allocator_high = high;
}

/* Analysis: an access that looks wrong. */
static VOID Slow(Thread *t, ADDRINT a, const Site *site, ADDRINT sp, ADDRINT bp)
{
    if (t->inside)
        return Learn(a, site->self.pc);
    CheckOne(t, a, site->self, sp, bp);
    for (const Follower &f : site->followers)
        CheckOne(t, a + ADDRINT(f.offset), f, sp, bp);
}

#endif
