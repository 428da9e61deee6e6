/* SPDX-License-Identifier: Apache-2.0
 * heapcheck: which blocks can still be reached at the end: from registers, stacks, data of images and all other memory of the program's that is not the allocator's. A block is reachable
 * by a pointer to its start, possibly lost if there are only pointers into it, else lost; blocks that only lost ones lead to are lost indirectly, and told with those. */
#ifndef HEAPLEAKS_H
#define HEAPLEAKS_H
#include "heapblocks.h"

#include "linchpin/memory.h"

#include <algorithm>
#include <map>

enum Reach { UNREACHED, INDIRECT, POSSIBLE, REACHABLE };

struct LeakBlock {
    ADDRINT at;
    UINT64 bytes;
    UINT32 allocated;
    UINT8 kind, reach;
    UINT32 leader;         /* of an indirectly lost one: the lost block that leads to it */
    UINT64 indirect, indirect_blocks; /* of a lost one: what it leads to */
};

class LeakSearch
{
  public:
    /* Under blocks_lock. */
    LeakSearch()
    {
        for (const Block &b : blocks)
            if (b.at && !b.is_freed)
                found.push_back(LeakBlock{b.at, b.bytes, b.allocated, b.kind, UNREACHED, 0, 0, 0});
        std::sort(found.begin(), found.end(), [](const LeakBlock &a, const LeakBlock &b) { return a.at < b.at; });
    }
    VOID Root(ADDRINT value) { Follow(value, REACHABLE); }
    /* A part of the program's memory, without `owned` ranges (the allocator's): low to high. */
    VOID Roots(ADDRINT low, ADDRINT high, const std::map<ADDRINT, ADDRINT> &owned)
    {
        auto o = owned.upper_bound(low);
        if (o != owned.begin() && std::prev(o)->second > low)
            --o;
        for (; low < high; ++o) {
            ADDRINT stop = o == owned.end() || o->first > high ? high : o->first;
            if (stop > low)
                Memory(low, stop, REACHABLE);
            low = o == owned.end() ? high : std::max(o->second, low);
            if (o == owned.end())
                break;
        }
        Drain();
    }
    VOID Finish()
    {
        Drain();
        for (UINT32 i = 0; i < found.size(); i++)
            if (found[i].reach == UNREACHED && found[i].leader == 0)
                Clique(i);
        for (LeakBlock &b : found)
            if (b.leader) {
                b.reach = INDIRECT;
                LeakBlock &leader = found[LeaderOf(b)];
                leader.indirect += b.bytes;
                leader.indirect_blocks++;
            }
    }
    const std::vector<LeakBlock> &Blocks() const { return found; }

  private:
    /* The block that the address is in, -1: none. One of 0 bytes has its first address. */
    long Find(ADDRINT value) const
    {
        if (found.empty() || value < found.front().at || value > found.back().at + found.back().bytes)
            return -1;
        auto at = std::upper_bound(found.begin(), found.end(), value, [](ADDRINT v, const LeakBlock &b) { return v < b.at; });
        if (at == found.begin())
            return -1;
        --at;
        return value < at->at + std::max<UINT64>(at->bytes, 1) ? at - found.begin() : -1;
    }
    /* Pointers that programs have instead of one to the start: behind the number of elements of new[], behind a 64-bit length, to the text of an old std::string,
     * behind the first word of libc's table of a thread's variables. */
    static BOOL IsKnownInside(const LeakBlock &b, ADDRINT value)
    {
        const UINT64 *word = reinterpret_cast<const UINT64 *>(b.at);
        if (value == b.at + 8 && b.bytes > 8 && b.kind == KIND_NEW_ARRAY && word[0] && (b.bytes - 8) % word[0] == 0)
            return TRUE;
        if (value == b.at + 8 && b.bytes > 8 && word[0] == b.bytes - 8)
            return TRUE;
        if (value == b.at + 16 && b.bytes >= 32 && word[0] == b.bytes / 16 - 2)
            return TRUE; /* what a thread has of its variables */
        return value == b.at + 24 && b.bytes > 24 && word[0] <= word[1] && word[1] + 25 == b.bytes && INT32(word[2]) >= -1;
    }
    VOID Follow(ADDRINT value, UINT8 from)
    {
        long i = Find(value);
        if (i < 0)
            return;
        LeakBlock &b = found[size_t(i)];
        UINT8 reach = from == REACHABLE && (value == b.at || IsKnownInside(b, value)) ? REACHABLE : POSSIBLE;
        if (b.reach >= reach)
            return;
        b.reach = reach;
        todo.push_back(UINT32(i));
    }
    VOID Memory(ADDRINT low, ADDRINT high, UINT8 from)
    {
        static ADDRINT words[8192];
        for (low = (low + 7) & ~7ul; low + 8 <= high;) {
            size_t want = std::min(sizeof words, size_t(high - low) & ~size_t(7)), got = PIN_SafeCopy(words, reinterpret_cast<VOID *>(low), want);
            for (size_t i = 0; i < got / 8; i++)
                Follow(words[i], from);
            low += got < want ? ((got | 4095) + 1) & ~4095ul : want; /* a page that cannot be read */
        }
    }
    VOID Drain()
    {
        while (!todo.empty()) {
            LeakBlock b = found[todo.back()];
            todo.pop_back();
            Memory(b.at, b.at + b.bytes, b.reach);
        }
    }
    UINT32 LeaderOf(const LeakBlock &b) const
    {
        UINT32 i = b.leader - 1;
        while (found[i].leader)
            i = found[i].leader - 1;
        return i;
    }
    /* All unreached blocks that a lost one leads to are its own. One that led a clique before goes with its clique. */
    VOID Clique(UINT32 leader)
    {
        std::vector<UINT32> next(1, leader);
        while (!next.empty()) {
            LeakBlock b = found[next.back()];
            next.pop_back();
            for (ADDRINT at = b.at; at + 8 <= b.at + b.bytes; at += 8) {
                long i = Find(*reinterpret_cast<const ADDRINT *>(at));
                if (i < 0 || UINT32(i) == leader || found[size_t(i)].reach != UNREACHED || found[size_t(i)].leader)
                    continue;
                found[size_t(i)].leader = leader + 1;
                next.push_back(UINT32(i));
            }
        }
    }
    std::vector<LeakBlock> found; /* by address */
    std::vector<UINT32> todo;
};

#endif
