// SPDX-License-Identifier: Apache-2.0
// Stacks by number (unwind.h). Names are looked up for results, or when an image goes; stacks are kept as addresses until then.
#include "unwind.h"
#include "where.h"

#include <algorithm>

UINT32 UnwindStacks::Keep(const ADDRINT *frames, UINT32 n)
{
    if (!n)
        return 0;
    UINT64 hash = n;
    for (UINT32 i = 0; i < n; i++)
        hash = (hash ^ frames[i]) * 0x9e3779b97f4a7c15ull;
    Locked locked(&lock);
    auto range = by_hash.equal_range(hash);
    for (auto i = range.first; i != range.second; ++i)
        if (stacks[i->second].size() == n && std::equal(frames, frames + n, stacks[i->second].begin()))
            return i->second;
    stacks.push_back(std::vector<ADDRINT>(frames, frames + n));
    by_hash.emplace(hash, UINT32(stacks.size() - 1));
    return UINT32(stacks.size() - 1);
}

UINT32 UnwindStacks::Note(ADDRINT *frame)
{
    if (!(*frame & NOTED))
        return where_note(*frame);
    return UINT32(*frame & ~NOTED);
}

std::vector<UINT32> UnwindStacks::Notes(UINT32 number)
{
    std::vector<UINT32> notes;
    Locked locked(&lock);
    for (ADDRINT &frame : stacks[number])
        notes.push_back(Note(&frame));
    return notes;
}

std::vector<int> UnwindStacks::Frames(UINT32 number, Result *result)
{
    std::vector<int> frames;
    if (indexed != result || result->frames.empty())
        index.clear();
    indexed = result;
    for (UINT32 note : Notes(number)) {
        auto at = index.emplace(note, int(result->frames.size()));
        if (at.second)
            result->frames.push_back(where_place(note));
        frames.push_back(at.first->second);
    }
    return frames;
}

VOID UnwindStacks::Leave(ADDRINT low, ADDRINT high)
{
    Locked locked(&lock);
    for (auto &stack : stacks)
        for (ADDRINT &frame : stack)
            if (!(frame & NOTED) && low <= frame && frame <= high) {
                UINT32 note = where_note(frame);
                where_place(note);
                frame = NOTED | note;
            }
}
