/* SPDX-License-Identifier: Apache-2.0
 * One level of a cache, or a TLB (its lines are pages): sets of lines with LRU replacement. Counts nothing; not locked. */
#ifndef CACHE_H
#define CACHE_H
#include "pin.H"

#include <vector>

class Cache
{
  public:
    /* Line and number of sets are powers of two: see Fits. */
    Cache(UINT64 bytes, UINT32 ways, UINT32 line) : ways(ways), sets(bytes / line / ways), shift(__builtin_ctz(line)), tags(sets * ways) {}

    static bool Fits(UINT64 bytes, UINT32 ways, UINT32 line)
    {
        UINT64 sets = ways && line ? bytes / line / ways : 0;
        return sets && !(sets & (sets - 1)) && !(line & (line - 1)) && sets * line * ways == bytes;
    }

    /* Brings in all lines that the access touches; were they all there? */
    bool Access(ADDRINT address, UINT32 bytes)
    {
        bool hit = true;
        for (ADDRINT line = address >> shift; line <= (address + bytes - 1) >> shift; line++)
            hit &= Touch(line);
        return hit;
    }

  private:
    /* The line goes to the front of its set and pushes the others back, up to where it was; the last one falls out when it was nowhere. */
    bool Touch(ADDRINT line)
    {
        ADDRINT *set = &tags[(line & (sets - 1)) * ways], moved = line + 1;
        for (UINT32 way = 0; way < ways; way++) {
            ADDRINT old = set[way];
            set[way] = moved;
            moved = old;
            if (old == line + 1)
                return true;
        }
        return false;
    }

    UINT32 ways;
    UINT64 sets;
    UINT32 shift;
    std::vector<ADDRINT> tags; /* of each set, the last used first; a tag is the line's number + 1, 0 a free line */
};

#endif
