/* SPDX-License-Identifier: Apache-2.0
 * One level of a cache, or a TLB (its lines are pages): sets of lines with a state each, and a policy that says which one goes. Counts nothing; not locked. Line and address are
 * never 0 here, because the first page of memory is nobody's. */
#ifndef CACHELEVEL_H
#define CACHELEVEL_H
#include "pin.H"

#include <cstring>
#include <string>
#include <vector>

enum CachePolicy { CACHE_LRU, CACHE_FIFO, CACHE_RANDOM, CACHE_PLRU };
enum CacheState { CACHE_INVALID, CACHE_SHARED, CACHE_EXCLUSIVE, CACHE_MODIFIED };

/* A line, its state, and when it was last used (LRU) or came (FIFO); all 0: none. */
struct CacheEntry {
    ADDRINT word;
    UINT64 stamp;

    CacheEntry() : word(0), stamp(0) {}
    CacheEntry(ADDRINT line, CacheState state) : word(line << 2 | state), stamp(0) {}
    ADDRINT Line() const { return word >> 2; }
    CacheState State() const { return CacheState(word & 3); }
    VOID Set(CacheState state) { word = (word & ~ADDRINT(3)) | state; }
};

struct CacheShape {
    UINT64 bytes; /* 0: there is none */
    UINT32 ways, line;
    CachePolicy policy;
    BOOL is_private;

    UINT64 Sets() const { return ways && line ? bytes / line / ways : 0; }
    BOOL Fits() const { return Sets() && Sets() * ways * line == bytes && !(line & (line - 1)); }
};

class CacheLevel
{
  public:
    CacheLevel(const CacheShape &shape, UINT64 *clock)
        : ways(shape.ways), sets(shape.Sets()), power(!(sets & (sets - 1))), policy(shape.policy), clock(clock ? clock : &own_clock), own_clock(0), random(88172645463325252ull), entries(sets * ways), tree(sets)
    {
    }

    UINT64 SetOf(ADDRINT line) const { return power ? line & (sets - 1) : line % sets; }

    /* The line's entry after it was used, or as it is; NULL: it is not here. */
    CacheEntry *Use(ADDRINT line)
    {
        CacheEntry *e = Find(line);
        return e ? Used(SetOf(line), UINT32(size_t(e - &entries[0]) % ways)) : NULL;
    }
    CacheEntry *Find(ADDRINT line)
    {
        CacheEntry *set = &entries[SetOf(line) * ways];
        for (UINT32 way = 0; way < ways; way++)
            if (set[way].Line() == line)
                return &set[way];
        return NULL;
    }
    /* Puts the line in, which is not here; what goes for it. */
    CacheEntry Put(ADDRINT line, CacheState state)
    {
        UINT64 set = SetOf(line);
        UINT32 way = Victim(set);
        CacheEntry gone = entries[set * ways + way];
        entries[set * ways + way] = CacheEntry(line, state);
        entries[set * ways + way].stamp = ++*clock;
        Used(set, way);
        return gone;
    }
    VOID Drop(ADDRINT line)
    {
        CacheEntry *e = Find(line);
        if (e)
            *e = CacheEntry();
    }
    /* Use, and Put where it is not here, where the policy is LRU: so few instructions that a call of it costs little. *gone: what fell out. */
    CacheEntry *Touch(ADDRINT line, CacheState state, CacheEntry *gone, BOOL *here)
    {
        CacheEntry *set = &entries[SetOf(line) * ways], *oldest = set;
        for (UINT32 way = 0; way < ways; way++) {
            if (set[way].Line() == line) {
                *here = TRUE;
                set[way].word |= state;
                set[way].stamp = ++*clock;
                return &set[way];
            }
            if (set[way].stamp < oldest->stamp)
                oldest = &set[way];
        }
        *here = FALSE;
        *gone = *oldest;
        oldest->word = line << 2 | state;
        oldest->stamp = ++*clock;
        return oldest;
    }

  private:
    CacheEntry *Used(UINT64 set, UINT32 way)
    {
        CacheEntry *e = &entries[set * ways + way];
        if (policy == CACHE_LRU)
            e->stamp = ++*clock;
        else if (policy == CACHE_PLRU)
            Point(set, way);
        return e;
    }
    /* A bit for each inner node of a tree over the ways says in which half the last use was not. */
    VOID Point(UINT64 set, UINT32 way)
    {
        for (UINT32 node = 1, size = ways / 2; size; size /= 2) {
            BOOL right = way & size;
            tree[set] = right ? tree[set] & ~(1ull << node) : tree[set] | 1ull << node;
            node = node * 2 + right;
        }
    }
    UINT32 Victim(UINT64 set)
    {
        for (UINT32 way = 0; way < ways; way++)
            if (!entries[set * ways + way].word)
                return way;
        if (policy == CACHE_RANDOM) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            return UINT32(random % ways);
        }
        UINT32 node = 1, oldest = 0;
        for (UINT32 way = 1; policy != CACHE_PLRU && way < ways; way++)
            if (entries[set * ways + way].stamp < entries[set * ways + oldest].stamp)
                oldest = way;
        if (policy != CACHE_PLRU)
            return oldest;
        while (node < ways)
            node = node * 2 + (tree[set] >> node & 1);
        return node - ways;
    }

    UINT32 ways;
    UINT64 sets;
    BOOL power;
    CachePolicy policy;
    UINT64 *clock, own_clock;
    UINT64 random;
    std::vector<CacheEntry> entries;
    std::vector<UINT64> tree;
};

#endif
