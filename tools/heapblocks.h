/* SPDX-License-Identifier: Apache-2.0
 * heapcheck: the blocks that the program has, and those that it has given back and that wait (the quarantine) before the allocator gets them. Under blocks_lock. */
#ifndef HEAPBLOCKS_H
#define HEAPBLOCKS_H
#include "heapshadow.h"

#include <vector>

enum BlockKind { KIND_MALLOC, KIND_NEW, KIND_NEW_ARRAY };

struct Block {
    ADDRINT at; /* 0: not in use */
    UINT64 bytes;
    ADDRINT low, high; /* with what is around it that nobody may touch */
    UINT32 allocated, freed; /* stacks; freed is only told of a block that is */
    UINT32 next;             /* in its queue of the quarantine */
    UINT16 tid;
    UINT8 kind;
    BOOL is_freed;
};

static std::vector<Block> blocks(1); /* number 0: none */
static std::vector<UINT32> unused_blocks;
static UINT8 blocks_lock_word;

class BlocksLock
{
  public:
    BlocksLock() { Take(); }
    ~BlocksLock() { Release(); }
    static VOID Take()
    {
        while (__atomic_exchange_n(&blocks_lock_word, 1, __ATOMIC_ACQUIRE))
            PIN_Yield();
    }
    static VOID Release() { __atomic_store_n(&blocks_lock_word, 0, __ATOMIC_RELEASE); }
};

/* --- by address --------------------------------------------------------------------------------------------------------- */

static std::vector<UINT32> slots(1 << 12); /* open addressing; a power of two */
static size_t slots_used;

static inline size_t blocks_home(ADDRINT at) { return ((at >> 4) * 0x9e3779b97f4a7c15ull >> 20) & (slots.size() - 1); }

static inline VOID blocks_put(UINT32 number)
{
    size_t i = blocks_home(blocks[number].at);
    while (slots[i])
        i = (i + 1) & (slots.size() - 1);
    slots[i] = number;
}

static inline VOID blocks_grow()
{
    std::vector<UINT32> old(slots.size() * 2);
    old.swap(slots);
    for (UINT32 number : old)
        if (number)
            blocks_put(number);
}

/* 0: there is none that begins there. */
static inline UINT32 blocks_find(ADDRINT at)
{
    for (size_t i = blocks_home(at); slots[i]; i = (i + 1) & (slots.size() - 1))
        if (blocks[slots[i]].at == at)
            return slots[i];
    return 0;
}

static inline UINT32 blocks_add(const Block &b)
{
    UINT32 number = unused_blocks.empty() ? UINT32(blocks.size()) : unused_blocks.back();
    if (unused_blocks.empty())
        blocks.push_back(b);
    else
        unused_blocks.pop_back();
    blocks[number] = b;
    if (++slots_used * 2 > slots.size())
        blocks_grow();
    blocks_put(number);
    return number;
}

/* The slots after it move up, so that all are still found. */
static inline VOID blocks_remove(UINT32 number)
{
    size_t mask = slots.size() - 1, hole = blocks_home(blocks[number].at);
    while (slots[hole] != number)
        hole = (hole + 1) & mask;
    for (size_t i = (hole + 1) & mask; slots[i]; i = (i + 1) & mask) {
        size_t home = blocks_home(blocks[slots[i]].at);
        if (((i - home) & mask) < ((i - hole) & mask))
            continue;
        slots[hole] = slots[i];
        hole = i;
    }
    slots[hole] = 0;
    slots_used--;
    blocks[number].at = 0;
    unused_blocks.push_back(number);
}

/* The block that an address is in or beside; a search through all. 0: none. */
static inline UINT32 blocks_near(ADDRINT address)
{
    UINT32 best = 0;
    ADDRINT best_distance = 65;
    for (UINT32 i = 1; i < blocks.size(); i++) {
        const Block &b = blocks[i];
        if (!b.at)
            continue;
        if (b.at <= address && (address < b.at + b.bytes || address == b.at))
            return i;
        ADDRINT distance = address < b.at ? b.at - address : address - (b.at + b.bytes) + 1;
        if (distance < best_distance || (address >= b.low && address < b.high && best_distance > 64)) {
            best = i;
            best_distance = distance;
        }
    }
    return best;
}

/* --- the quarantine ------------------------------------------------------------------------------------------------------ */

/* A queue for each power of two of bytes: the allocator gets one block back for each that comes, and it must not be much smaller. */
struct Queue {
    UINT32 first, last;
    UINT64 bytes;
};
static const UINT32 QUEUES = 48;
static Queue queues[QUEUES];
static UINT64 quarantine_bytes, quarantine_limit;

static inline UINT32 queue_of(UINT64 bytes) { return UINT32(63 - __builtin_clzll(bytes | 1)); }

static inline VOID quarantine_put(UINT32 number)
{
    Queue &q = queues[queue_of(blocks[number].bytes)];
    UINT64 bytes = blocks[number].bytes + 32; /* with what it costs beside its own bytes */
    blocks[number].next = 0;
    (q.last ? blocks[q.last].next : q.first) = number;
    q.last = number;
    q.bytes += bytes;
    quarantine_bytes += bytes;
}

static inline UINT32 quarantine_take(Queue &q)
{
    UINT32 number = q.first;
    q.first = blocks[number].next;
    q.last = q.first ? q.last : 0;
    q.bytes -= blocks[number].bytes + 32;
    quarantine_bytes -= blocks[number].bytes + 32;
    return number;
}

/* The block that the allocator gets in place of one of so many bytes; 0: none yet. */
static inline UINT32 quarantine_victim(UINT64 bytes)
{
    UINT32 fullest = queue_of(bytes);
    if (quarantine_bytes <= quarantine_limit)
        return 0;
    for (UINT32 i = fullest; i < QUEUES; i++)
        if (queues[i].bytes > queues[fullest].bytes)
            fullest = i;
    return queues[fullest].first ? quarantine_take(queues[fullest]) : 0;
}

#endif
