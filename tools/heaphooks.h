/* SPDX-License-Identifier: Apache-2.0
 * heapcheck: what happens when the program calls its allocator. The allocator stays the program's own: it is asked for some bytes more, which nobody may touch, and gets a block back only
 * after it has waited in the quarantine; then another one goes there in its place. So every address is what the allocator has given out, and the tool can be taken out at any time. */
#ifndef HEAPHOOKS_H
#define HEAPHOOKS_H
#include "heaperrors.h"

#include <algorithm>

static KNOB<UINT32> KnobStack(KNOB_MODE_WRITEONCE, "pintool", "stack", "12", "so many callers in a stack");
static KNOB<UINT32> KnobRedzone(KNOB_MODE_WRITEONCE, "pintool", "redzone", "16", "bytes after each block that nobody may touch (a multiple of 16)");
static KNOB<UINT32> KnobQuarantine(KNOB_MODE_WRITEONCE, "pintool", "quarantine", "20", "MiB of freed blocks that are kept from being used again");

enum HeapFunction { MALLOC, CALLOC, REALLOC, REALLOCARRAY, MEMALIGN, POSIX_MEMALIGN, VALLOC, PVALLOC, FREE, USABLE, OTHER, NEW, NEW_ARRAY, DELETE, DELETE_ARRAY };
static const struct {
    const char *name;
    HeapFunction function;
} heap_functions[] = {{"malloc", MALLOC}, {"calloc", CALLOC}, {"realloc", REALLOC}, {"reallocarray", REALLOCARRAY}, {"memalign", MEMALIGN}, {"aligned_alloc", MEMALIGN},
    {"posix_memalign", POSIX_MEMALIGN}, {"valloc", VALLOC}, {"pvalloc", PVALLOC}, {"free", FREE}, {"cfree", FREE}, {"malloc_usable_size", USABLE}, {"malloc_trim", OTHER}, {"mallinfo", OTHER},
    {"mallinfo2", OTHER}, {"malloc_stats", OTHER}, {"malloc_info", OTHER}, {"mallopt", OTHER}, {"_Znwm", NEW}, {"_ZnwmRKSt9nothrow_t", NEW}, {"_ZnwmSt11align_val_t", NEW},
    {"_ZnwmSt11align_val_tRKSt9nothrow_t", NEW}, {"_Znam", NEW_ARRAY}, {"_ZnamRKSt9nothrow_t", NEW_ARRAY}, {"_ZnamSt11align_val_t", NEW_ARRAY}, {"_ZnamSt11align_val_tRKSt9nothrow_t", NEW_ARRAY},
    {"_ZdlPv", DELETE}, {"_ZdlPvm", DELETE}, {"_ZdlPvRKSt9nothrow_t", DELETE}, {"_ZdlPvSt11align_val_t", DELETE}, {"_ZdlPvmSt11align_val_t", DELETE}, {"_ZdlPvSt11align_val_tRKSt9nothrow_t", DELETE},
    {"_ZdaPv", DELETE_ARRAY}, {"_ZdaPvm", DELETE_ARRAY}, {"_ZdaPvRKSt9nothrow_t", DELETE_ARRAY}, {"_ZdaPvSt11align_val_t", DELETE_ARRAY}, {"_ZdaPvmSt11align_val_t", DELETE_ARRAY},
    {"_ZdaPvSt11align_val_tRKSt9nothrow_t", DELETE_ARRAY}};
static const char *const free_names[] = {"free", "delete", "delete[]"}, *const new_names[] = {"malloc", "new", "new[]"};

static inline BOOL IsWrapper(UINT32 f) { return f >= NEW; }

/* A call that has not returned; the return has the same stack pointer. */
struct Pending {
    UINT32 function;
    BOOL ours;    /* the outermost of the allocator's own functions: the one that counts */
    ADDRINT sp;
    UINT64 bytes; /* asked for */
    ADDRINT pointer; /* posix_memalign's; realloc's old block */
    Block victim; /* that realloc gets in place of it; at 0: none */
};
static const UINT32 PENDING_MAX = 16, REGISTERS = 12;

struct Thread {
    ADDRINT pending_sp; /* of the last one; ~0: none */
    UINT32 pendings, inside; /* inside: so many of the allocator's own functions */
    UINT32 stack;       /* of the outermost call */
    Pending pending[PENDING_MAX];
    THREADID tid;
    ADDRINT registers[REGISTERS], sp; /* when it last entered the kernel */
    BOOL waits, ended;         /* it is in the kernel */
    ADDRINT old_break, syscall_number, syscall_args[6];
    Unwinder unwinder;
};

static UINT64 heap_allocations, heap_frees, heap_bytes;
static BOOL heap_attached; /* blocks from before are not known */
static ADDRINT allocator_low = ~ADDRINT(0), allocator_high; /* the allocator's code, the functions that programs do not call included */
static inline BOOL IsAllocator(ADDRINT pc) { return pc >= allocator_low && pc < allocator_high; }

static inline UINT32 TakeStack(Thread *t, ADDRINT pc, ADDRINT sp, ADDRINT bp, BOOL at_entry)
{
    ADDRINT frames[64];
    return stacks->Keep(frames, t->unwinder.Take(pc, sp, bp, at_entry, frames, std::min(KnobStack.Value(), 64u)));
}

/* --- blocks -------------------------------------------------------------------------------------------------------------- */

static inline ADDRINT RoundUp(ADDRINT at) { return (at + WORD - 1) & ~ADDRINT(WORD - 1); }

static inline UINT64 WordBefore(ADDRINT at)
{
    UINT64 word = 0;
    if (at & 4095)
        return *reinterpret_cast<const UINT64 *>(at - 8);
    PIN_SafeCopy(&word, reinterpret_cast<VOID *>(at - 8), sizeof word);
    return word;
}

/* What of the surroundings is the block's: in a chunk of glibc's the header before it, and all of the chunk after it; else what was asked for. */
static inline VOID FindBounds(Block *b)
{
    UINT64 header = WordBefore(b->at), chunk = header & ~UINT64(7), least = b->bytes + KnobRedzone + 8, slack = header & 2 ? 3 * 4096 : 64;
    b->low = b->at;
    b->high = (b->at + b->bytes + KnobRedzone) & ~ADDRINT(WORD - 1);
    if (b->at % 16 || chunk < least || chunk > least + slack)
        return;
    b->low = b->at - 8;
    b->high = b->at + chunk - (header & 2 ? 16 : 8);
}

static inline VOID OpenBlock(const Block &b)
{
    shadow_fill(b.low, b.at, SHADOW_HEADER);
    shadow_open(b.at, b.bytes);
    shadow_fill(RoundUp(b.at + b.bytes), b.high, SHADOW_REAR);
}

static inline VOID Register(Thread *t, ADDRINT at, UINT64 bytes)
{
    Block b = {at, bytes, 0, 0, t->stack, 0, 0, UINT16(t->tid), KIND_MALLOC, FALSE};
    FindBounds(&b);
    UINT32 old = blocks_find(at);
    if (old && blocks[old].is_freed)
        return OpenBlock(b); /* cannot be: the allocator does not have it */
    if (old)
        blocks_remove(old); /* given back by a way that is not seen here */
    blocks_add(b);
    OpenBlock(b);
    heap_allocations++;
    heap_bytes += bytes;
}

/* The allocator has the block again. */
static inline ADDRINT Release(UINT32 number)
{
    Block b = blocks[number];
    shadow_fill(b.low, b.high, SHADOW_FREE);
    blocks_remove(number);
    return b.at;
}

/* The program has given the block back, and it waits. */
static inline VOID Detain(Thread *t, UINT32 number)
{
    Block &b = blocks[number];
    b.is_freed = TRUE;
    b.freed = t->stack;
    shadow_fill(b.at, RoundUp(b.at + b.bytes), SHADOW_FREED);
    quarantine_put(number);
    heap_frees++;
}

/* The same; returns what the allocator gets in its place, 0: nothing. */
static inline ADDRINT Retire(Thread *t, UINT32 number)
{
    UINT64 bytes = blocks[number].bytes;
    if (bytes > quarantine_limit / 2) {
        heap_frees++;
        return Release(number);
    }
    Detain(t, number);
    UINT32 victim = quarantine_victim(bytes);
    return victim ? Release(victim) : 0;
}

static inline VOID WrongPointer(Thread *t, ADDRINT at, const char *what, UINT32 number)
{
    UINT32 near = number ? number : blocks_near(at);
    const Block *b = near ? &blocks[near] : NULL;
    error_note(number ? DOUBLE_FREE : BAD_FREE, t->stack, t->tid, error_number("0x%lx is ", at) + error_describe(at, b), what, b);
}

/* --- calls: before ------------------------------------------------------------------------------------------------------- */

static inline VOID CheckKind(Thread *t, const Block &b, UINT8 kind, const char *name)
{
    if (b.kind != kind)
        error_note(WRONG_FREE, t->stack, t->tid, error_number("a block of %lu bytes, ", b.bytes) + "allocated by " + new_names[b.kind] + ", is freed by " + name, name, &b);
}

/* Returns what the allocator is to free. */
static inline ADDRINT Free(Thread *t, ADDRINT at, ADDRINT caller, UINT8 kind)
{
    UINT32 number = at ? blocks_find(at) : 0;
    if (!at || (!number && (heap_attached || IsAllocator(caller))))
        return at;
    if (!number || blocks[number].is_freed) {
        WrongPointer(t, at, free_names[kind], number);
        return 0;
    }
    CheckKind(t, blocks[number], kind, free_names[kind]);
    return Retire(t, number);
}

/* A block that grows always moves, so that the old one can be watched; libc frees another one for it, by making it larger. */
static inline VOID Grow(Thread *t, Pending *p, ADDRINT caller, ADDRINT *at, ADDRINT *bytes)
{
    UINT32 number = *at ? blocks_find(*at) : 0, victim = 0;
    p->pointer = *at;
    p->bytes = *bytes;
    if (*at && !number && (heap_attached || IsAllocator(caller)))
        return;
    *bytes += KnobRedzone;
    if (*at && (!number || blocks[number].is_freed)) {
        WrongPointer(t, *at, "realloc", number);
        p->pointer = *at = 0;
    }
    if (*at)
        CheckKind(t, blocks[number], KIND_MALLOC, "realloc");
    if (!*at || (p->bytes && p->bytes <= blocks[number].bytes))
        return;
    if (p->bytes && (victim = quarantine_victim(blocks[number].bytes)))
        p->victim = blocks[victim];
    *at = victim ? Release(victim) : 0;
    *bytes = p->bytes ? *bytes : 0;
}

static inline VOID Ask(Pending *p, UINT64 bytes, ADDRINT *argument)
{
    p->bytes = bytes;
    *argument = bytes + KnobRedzone > bytes ? bytes + KnobRedzone : bytes;
}

static inline VOID Begin(Thread *t, Pending *p, ADDRINT *a, ADDRINT *b, ADDRINT *c)
{
    UINT64 product;
    ADDRINT caller = 0;
    const UINT32 outer = t->pendings > 1 ? t->pending[0].function : 0;
    PIN_SafeCopy(&caller, reinterpret_cast<VOID *>(p->sp), sizeof caller);
    switch (p->function) {
    case MALLOC: case VALLOC: Ask(p, *a, a); break;
    case PVALLOC: Ask(p, (*a + 4095) & ~4095ul, a); break;
    case MEMALIGN: Ask(p, *b, b); break;
    case POSIX_MEMALIGN: p->pointer = *a; Ask(p, *c, c); break;
    case CALLOC:
        if (__builtin_mul_overflow(*a, *b, &product))
            break;
        Ask(p, product, a);
        *b = 1;
        break;
    case REALLOCARRAY:
        if (__builtin_mul_overflow(*b, *c, &product))
            break;
        *b = product;
        Grow(t, p, caller, a, b);
        *c = 1;
        break;
    case REALLOC: Grow(t, p, caller, a, b); break;
    case FREE: *a = Free(t, *a, caller, outer == DELETE ? KIND_NEW : outer == DELETE_ARRAY ? KIND_NEW_ARRAY : KIND_MALLOC); break;
    case USABLE: p->pointer = *a; break;
    }
}

static inline VOID Pop(Thread *t)
{
    t->inside -= !IsWrapper(t->pending[--t->pendings].function);
    t->pending_sp = t->pendings ? t->pending[t->pendings - 1].sp : ~ADDRINT(0);
}

/* Analysis: the first instruction of one of the functions. */
static VOID Enter(Thread *t, UINT32 function, ADDRINT pc, ADDRINT sp, ADDRINT bp, ADDRINT *a, ADDRINT *b, ADDRINT *c)
{
    while (t->pendings && t->pending[t->pendings - 1].sp < sp)
        Pop(t); /* left by longjmp or an exception */
    if (t->pendings == PENDING_MAX || (function == FREE && !*a))
        return;
    if (!t->pendings)
        t->stack = TakeStack(t, pc, sp, bp, TRUE);
    Pending *p = &t->pending[t->pendings++];
    memset(p, 0, sizeof *p);
    p->function = function;
    p->sp = t->pending_sp = sp;
    if (IsWrapper(function) || t->inside++)
        return;
    BlocksLock lock;
    p->ours = TRUE;
    Begin(t, p, a, b, c);
}

/* --- calls: after -------------------------------------------------------------------------------------------------------- */

/* libc has given nothing: all stays, and so does what it did not take. */
static inline VOID NotGrown(Pending *p)
{
    if (!p->victim.at)
        return;
    quarantine_put(blocks_add(p->victim));
    shadow_fill(p->victim.low, p->victim.high, SHADOW_FREED);
}

static inline ADDRINT Grown(Thread *t, Pending *p, ADDRINT result)
{
    UINT32 number = p->pointer ? blocks_find(p->pointer) : 0;
    if (!number && p->pointer)
        return result; /* from before */
    if (!number) {
        if (result)
            Register(t, result, p->bytes);
        return result;
    }
    if (!result) {
        NotGrown(p);
        return result;
    }
    if (!p->bytes) { /* freed; what libc gave for it waits in its place */
        Detain(t, number);
        Register(t, result, 0);
        Detain(t, blocks_find(result));
        heap_allocations--; /* it is nobody's */
        heap_frees--;
        return 0;
    }
    if (p->bytes <= blocks[number].bytes) {
        Release(number);
        heap_frees++;
        Register(t, result, p->bytes);
        return result;
    }
    memcpy(reinterpret_cast<VOID *>(result), reinterpret_cast<VOID *>(p->pointer), blocks[number].bytes);
    Detain(t, number);
    Register(t, result, p->bytes);
    return result;
}

static inline ADDRINT End(Thread *t, Pending *p, ADDRINT result)
{
    ADDRINT at = result;
    UINT32 number;
    switch (p->function) {
    case MALLOC: case VALLOC: case PVALLOC: case MEMALIGN: case CALLOC:
        if (result)
            Register(t, result, p->bytes);
        return result;
    case POSIX_MEMALIGN:
        if (!INT32(result) && PIN_SafeCopy(&at, reinterpret_cast<VOID *>(p->pointer), sizeof at) == sizeof at)
            Register(t, at, p->bytes);
        return result;
    case REALLOC: case REALLOCARRAY: return Grown(t, p, result);
    case USABLE:
        number = blocks_find(p->pointer);
        return number ? blocks[number].bytes : result;
    }
    return result;
}

/* A block of new and its kin: what the functions below it have allocated, if they give it on. */
static inline VOID EndWrapper(Pending *p, ADDRINT result)
{
    UINT32 number = p->function == NEW || p->function == NEW_ARRAY ? blocks_find(result) : 0;
    if (number)
        blocks[number].kind = p->function == NEW ? KIND_NEW : KIND_NEW_ARRAY;
}

/* Analysis: any return. A function may end in a jump to another one, whose return is then its own. */
static ADDRINT PIN_FAST_ANALYSIS_CALL IsReturn(Thread *t, ADDRINT sp) { return t->pending_sp <= sp; }

static ADDRINT Leave(Thread *t, ADDRINT sp, ADDRINT result)
{
    BlocksLock lock;
    while (t->pendings && t->pending[t->pendings - 1].sp <= sp) {
        Pending *p = &t->pending[t->pendings - 1];
        if (p->sp == sp && p->ours)
            result = End(t, p, result);
        else if (p->sp == sp && IsWrapper(p->function))
            EndWrapper(p, result);
        Pop(t);
    }
    return result;
}

#endif
