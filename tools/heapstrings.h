/* SPDX-License-Identifier: Apache-2.0
 * heapcheck: libc's functions for strings and memory. They read in vectors beyond the end of what they are asked for, so their own accesses are not looked at; what they are asked for is
 * checked where they are entered, to the byte, whether it is the heap's. */
#ifndef HEAPSTRINGS_H
#define HEAPSTRINGS_H
#include "heapshadow.h"

/* What a function accesses; sources (and strings that are looked through) before what is written. */
enum StringWork {
    /* Arguments with a number of units: to and from, which may overlap, and may not; to; two; one, up to the unit looked for; one, whole; one, without limit. */
    MOVE, COPY, SET, COMPARE, FIND, FIND_LAST, FIND_RAW,
    LENGTH, LENGTH_LIMITED, SEARCH, COMPARE_TEXT, COMPARE_LIMITED, COMPARE_CASE, COMPARE_CASE_LIMITED, COPY_TEXT, COPY_LIMITED, APPEND, APPEND_LIMITED, SPAN, SPAN_OTHERS, SUBTEXT,
};
struct StringFunction {
    const char *name;
    UINT8 work, width;
};
/* Of several names of one function the first one is taken: libc's memcpy is its memmove on most machines, and then is not told apart. */
static const StringFunction string_functions[] = {{"memmove", MOVE, 1}, {"__memmove_chk", MOVE, 1}, {"memcpy", COPY, 1}, {"mempcpy", COPY, 1}, {"__mempcpy", COPY, 1}, {"__memcpy_chk", COPY, 1},
    {"__mempcpy_chk", COPY, 1}, {"memset", SET, 1}, {"__memset_chk", SET, 1}, {"memcmp", COMPARE, 1}, {"bcmp", COMPARE, 1}, {"__memcmpeq", COMPARE, 1}, {"memchr", FIND, 1}, {"memrchr", FIND_LAST, 1},
    {"rawmemchr", FIND_RAW, 1}, {"__rawmemchr", FIND_RAW, 1}, {"strlen", LENGTH, 1}, {"strnlen", LENGTH_LIMITED, 1}, {"strchr", SEARCH, 1}, {"index", SEARCH, 1}, {"strchrnul", SEARCH, 1},
    {"strrchr", LENGTH, 1}, {"rindex", LENGTH, 1}, {"strcmp", COMPARE_TEXT, 1}, {"strncmp", COMPARE_LIMITED, 1}, {"strcasecmp", COMPARE_CASE, 1}, {"__strcasecmp", COMPARE_CASE, 1},
    {"strcasecmp_l", COMPARE_CASE, 1}, {"__strcasecmp_l", COMPARE_CASE, 1}, {"strncasecmp", COMPARE_CASE_LIMITED, 1}, {"strncasecmp_l", COMPARE_CASE_LIMITED, 1}, {"__strncasecmp_l", COMPARE_CASE_LIMITED, 1},
    {"strcpy", COPY_TEXT, 1}, {"stpcpy", COPY_TEXT, 1}, {"__stpcpy", COPY_TEXT, 1}, {"strncpy", COPY_LIMITED, 1}, {"stpncpy", COPY_LIMITED, 1}, {"__stpncpy", COPY_LIMITED, 1}, {"strcat", APPEND, 1},
    {"strncat", APPEND_LIMITED, 1}, {"strspn", SPAN, 1}, {"strcspn", SPAN_OTHERS, 1}, {"strpbrk", SPAN_OTHERS, 1}, {"strstr", SUBTEXT, 1}, {"wcslen", LENGTH, 4}, {"wcsnlen", LENGTH_LIMITED, 4}, {"wcschr", SEARCH, 4},
    {"wcsrchr", LENGTH, 4}, {"wcscmp", COMPARE_TEXT, 4}, {"wcsncmp", COMPARE_LIMITED, 4}, {"wcscpy", COPY_TEXT, 4}, {"wmemset", SET, 4}, {"__wmemset_chk", SET, 4}, {"wmemchr", FIND, 4}, {"wmemcmp", COMPARE, 4}};

/* One argument as the function reads it, unit by unit. A string that is not the heap's may lead anywhere. */
class StringReader
{
  public:
    StringReader(ADDRINT at, UINT32 width) : at(at), width(width), page(~ADDRINT(0)) {}
    ADDRINT At() const { return at; }
    /* Says whether the next unit may be accessed; one that the program cannot read at all is for the CPU to refuse. */
    BOOL Next(UINT32 *unit)
    {
        if (!shadow_ok(at) || !shadow_ok(at + width - 1) || !IsThere())
            return FALSE;
        *unit = width == 1 ? *reinterpret_cast<const UINT8 *>(at) : *reinterpret_cast<const UINT32 *>(at);
        at += width;
        return TRUE;
    }
    /* Leaves out whole words in which there is neither 0 nor the unit. */
    VOID Skip(UINT32 unit, UINT64 limit)
    {
        static const UINT64 ONES = 0x0101010101010101ull, HIGH = 0x8080808080808080ull;
        for (ADDRINT from = at; width == 1 && !(at & 7) && limit - (at - from) >= 8 && *shadow_of(at) >= 0 && IsThere(); at += 8) {
            UINT64 word = *reinterpret_cast<const UINT64 *>(at), other = word ^ ONES * unit;
            if ((((word - ONES) & ~word) | ((other - ONES) & ~other)) & HIGH)
                break;
        }
    }
    BOOL IsOverrun() const { return !shadow_ok(at) || !shadow_ok(at + width - 1); }

  private:
    BOOL IsThere()
    {
        UINT8 byte;
        if (at >> 12 != page && PIN_SafeCopy(&byte, reinterpret_cast<VOID *>(at), 1) == 1)
            page = at >> 12;
        return at >> 12 == page;
    }
    ADDRINT at;
    UINT32 width;
    ADDRINT page;
};

/* The checks of one call. `bad` is told (address, is it a write) of the first byte that may not be accessed, and by its Overlap(to, from) of what is copied over itself. */
template <class Bad> class StringCheck
{
  public:
    StringCheck(const StringFunction &f, ADDRINT a, ADDRINT b, ADDRINT c, Bad bad) : f(f), a(a), b(b), c(c), bad(bad) {}
    VOID Run()
    {
        switch (f.work) {
        case MOVE: Range(b, c, FALSE); Range(a, c, TRUE); break;
        case COPY: Disjoint(c, c); Range(b, c, FALSE); Range(a, c, TRUE); break;
        case SET: Range(a, c * f.width, TRUE); break;
        case COMPARE: Both(c, FALSE, FALSE); break;
        case FIND: Text(a, c, UINT32(f.width == 1 ? b & 0xff : b), FALSE); break;
        case FIND_LAST: Range(a, c, FALSE); break;
        case FIND_RAW: Text(a, NO_LIMIT, UINT32(b & 0xff), FALSE); break;
        case LENGTH: Text(a, NO_LIMIT, 0, TRUE); break;
        case LENGTH_LIMITED: Text(a, b, 0, TRUE); break;
        case SEARCH: Text(a, NO_LIMIT, UINT32(f.width == 1 ? b & 0xff : b), TRUE); break;
        case COMPARE_TEXT: Both(NO_LIMIT, TRUE, FALSE); break;
        case COMPARE_LIMITED: Both(c, TRUE, FALSE); break;
        case COMPARE_CASE: Both(NO_LIMIT, TRUE, TRUE); break;
        case COMPARE_CASE_LIMITED: Both(c, TRUE, TRUE); break;
        case COPY_TEXT: CopyText(Text(b, NO_LIMIT, 0, TRUE)); break;
        case COPY_LIMITED: Disjoint(c * f.width, Text(b, c, 0, TRUE)); Range(a, c * f.width, TRUE); break;
        case APPEND: Append(Text(b, NO_LIMIT, 0, TRUE)); break;
        case APPEND_LIMITED: Append(Limited(b, c)); break;
        case SPAN: Text(b, NO_LIMIT, 0, TRUE); Span(TRUE); break;
        case SPAN_OTHERS: Text(b, NO_LIMIT, 0, TRUE); Span(FALSE); break;
        case SUBTEXT: Text(b, NO_LIMIT, 0, TRUE); Subtext(); break;
        }
    }

  private:
    static const UINT64 NO_LIMIT = ~UINT64(0) >> 8;
    VOID Range(ADDRINT at, UINT64 bytes, BOOL write)
    {
        if (bytes >> 46)
            bytes = ADDRINT(1) << 46; /* a negative length: the first byte that is wrong is told, and then the CPU has its say */
        ADDRINT end = at + bytes, wrong = shadow_is_heap(at) || (bytes && shadow_is_heap(end - 1)) || bytes > 64 ? FirstBad(at, end) : end;
        if (wrong != end)
            bad(wrong, write);
    }
    /* What lies far from the heap is not looked through. */
    static ADDRINT FirstBad(ADDRINT at, ADDRINT end)
    {
        ADDRINT limit = at + (1 << 24), to = end - at > (1 << 24) ? limit : end, wrong = shadow_first_bad(at, to);
        return wrong == to ? end : wrong;
    }
    /* Returns the bytes that were read up to the unit, 0 or the limit, these included. */
    UINT64 Text(ADDRINT at, UINT64 limit, UINT32 unit, BOOL ends)
    {
        StringReader r(at, f.width);
        UINT32 got = 0;
        for (UINT64 left = limit; left; left--) {
            if (ends || unit == 0) {
                ADDRINT before = r.At();
                r.Skip(unit, left);
                left -= (r.At() - before) / f.width;
                if (!left)
                    break;
            }
            if (!r.Next(&got)) {
                if (r.IsOverrun())
                    bad(r.At(), FALSE);
                break;
            }
            if (got == unit || (ends && !got))
                break;
        }
        return r.At() - at;
    }
    UINT64 Limited(ADDRINT at, UINT64 limit)
    {
        UINT64 bytes = Text(at, limit, 0, TRUE);
        return bytes == limit ? bytes + 1 : bytes; /* strncat adds the end */
    }
    VOID CopyText(UINT64 bytes)
    {
        Disjoint(bytes, bytes);
        Range(a, bytes, TRUE);
    }
    VOID Append(UINT64 bytes)
    {
        UINT64 before = Text(a, NO_LIMIT, 0, TRUE);
        if (!before)
            return;
        Disjoint(before - 1 + bytes, bytes);
        Range(a + before - 1, bytes, TRUE);
    }
    /* What is written at the first argument, and what is read at the second one. */
    VOID Disjoint(UINT64 written, UINT64 read)
    {
        if (written && read && (a < b ? b - a < written : a - b < read))
            bad.Overlap(a, b);
    }
    /* The first argument is read up to the first byte that is not in the set of the second one; not `inside`: that is. */
    VOID Span(BOOL inside)
    {
        BOOL set[256] = {};
        UINT32 got = 0;
        for (StringReader s(b, 1); s.Next(&got) && got;)
            set[got] = TRUE;
        StringReader r(a, 1);
        do
            if (!r.Next(&got)) {
                if (r.IsOverrun())
                    bad(r.At(), FALSE);
                return;
            }
        while (got && set[got] == inside);
    }
    /* Up to the end of the first place where the other text is; read once, so that many calls on one long text stay cheap. */
    VOID Subtext()
    {
        std::string part;
        UINT32 got = 0;
        for (StringReader s(b, 1); s.Next(&got) && got;)
            part += char(got);
        std::vector<size_t> border(part.size() + 1, 0); /* of the first i bytes: the longest beginning, but themselves, that they end with */
        for (size_t i = 1; i < part.size(); i++)
            border[i + 1] = Match(part, border, border[i], part[i]);
        StringReader r(a, 1);
        for (size_t same = 0; same < part.size(); same = Match(part, border, same, char(got))) {
            if (!r.Next(&got)) {
                if (r.IsOverrun())
                    bad(r.At(), FALSE);
                return;
            }
            if (!got)
                return;
        }
    }
    /* How many bytes of the part end with this one, when `same` did before it. */
    static size_t Match(const std::string &part, const std::vector<size_t> &border, size_t same, char next)
    {
        while (same && part[same] != next)
            same = border[same];
        return same + (part[same] == next);
    }
    static UINT32 Lower(UINT32 c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }
    VOID Both(UINT64 limit, BOOL ends, BOOL fold)
    {
        StringReader x(a, f.width), y(b, f.width);
        UINT32 p = 0, q = 0;
        for (UINT64 i = 0; i < limit; i++) {
            BOOL first = x.Next(&p), second = y.Next(&q);
            if (!first && x.IsOverrun())
                bad(x.At(), FALSE);
            if (!second && y.IsOverrun())
                bad(y.At(), FALSE);
            if (!first || !second || (fold ? Lower(p) != Lower(q) : p != q) || (ends && !p))
                return;
        }
    }
    const StringFunction &f;
    ADDRINT a, b, c;
    Bad bad;
};

#endif
