/* SPDX-License-Identifier: Apache-2.0
 * Sets of registers for C++ tools. Bit n is register n, whatever the range, so that every set has the layout that the engine knows (C's REGSET). */
#ifndef LINCHPIN_REGSET_HPP
#define LINCHPIN_REGSET_HPP
#include "callbacks.h"

#include <string>

namespace LP_C {
extern "C" const char *REG_StringShort(LEVEL_BASE::REG reg);
}

namespace LEVEL_BASE {

inline REG operator++(REG &r) { return r = static_cast<REG>(r + 1); }
inline REG operator++(REG &r, int) { REG old = r; ++r; return old; }
inline REG operator--(REG &r, int) { REG old = r; r = static_cast<REG>(r - 1); return old; }

template <UINT32 first, UINT32 last> class REGISTER_SET
{
  public:
    REGISTER_SET() { Clear(); }
    REGISTER_SET(UINT32 low, UINT32 high)
    {
        Clear();
        for (UINT32 r = low; r <= high; r++)
            Insert(static_cast<REG>(r));
    }
    VOID Clear()
    {
        for (int i = 0; i < LP_REGSET_WORDS; i++)
            lp_words[i] = 0;
    }
    VOID InsertAll()
    {
        for (UINT32 r = first; r <= last; r++)
            Insert(static_cast<REG>(r));
    }
    VOID Insert(REG r)
    {
        if (InRange(r))
            lp_words[r / 64] |= Bit(r);
    }
    VOID Remove(REG r)
    {
        if (InRange(r))
            lp_words[r / 64] &= ~Bit(r);
    }
    BOOL Contains(REG r) const { return InRange(r) && (lp_words[r / 64] & Bit(r)) != 0; }
    /* bit i of vector is register base + i */
    VOID InsertVector(REG base, UINT32 vector)
    {
        for (UINT32 i = 0; i < 32; i++)
            if (vector >> i & 1)
                Insert(static_cast<REG>(base + i));
    }
    VOID Invert()
    {
        for (UINT32 r = first; r <= last; r++)
            lp_words[r / 64] ^= Bit(static_cast<REG>(r));
    }
    UINT32 PopCount() const
    {
        UINT32 n = 0;
        for (int i = 0; i < LP_REGSET_WORDS; i++)
            n += static_cast<UINT32>(__builtin_popcountll(lp_words[i]));
        return n;
    }
    BOOL PopCountIsZero() const
    {
        for (int i = 0; i < LP_REGSET_WORDS; i++)
            if (lp_words[i])
                return false;
        return true;
    }
    REG Min() const
    {
        for (UINT32 i = 0; i < LP_REGSET_WORDS; i++)
            if (lp_words[i])
                return static_cast<REG>(i * 64 + static_cast<UINT32>(__builtin_ctzll(lp_words[i])));
        return REG_INVALID_;
    }
    REG Max() const
    {
        for (UINT32 i = LP_REGSET_WORDS; i-- > 0;)
            if (lp_words[i])
                return static_cast<REG>(i * 64 + 63 - static_cast<UINT32>(__builtin_clzll(lp_words[i])));
        return REG_INVALID_;
    }
    /* Takes the lowest one out; REG_INVALID_ when there is none. */
    REG PopNext()
    {
        REG r = Min();
        if (r != REG_INVALID_)
            Remove(r);
        return r;
    }
    REG PopNextFast() { return PopNext(); }
    UINT32 HashKey() const
    {
        UINT64 h = 0;
        for (int i = 0; i < LP_REGSET_WORDS; i++)
            h = (h ^ lp_words[i]) * 0x9e3779b97f4a7c15u;
        return static_cast<UINT32>(h >> 32);
    }
    REGISTER_SET &operator|=(const REGISTER_SET &o)
    {
        for (int i = 0; i < LP_REGSET_WORDS; i++)
            lp_words[i] |= o.lp_words[i];
        return *this;
    }
    REGISTER_SET &operator&=(const REGISTER_SET &o)
    {
        for (int i = 0; i < LP_REGSET_WORDS; i++)
            lp_words[i] &= o.lp_words[i];
        return *this;
    }
    REGISTER_SET &operator-=(const REGISTER_SET &o)
    {
        for (int i = 0; i < LP_REGSET_WORDS; i++)
            lp_words[i] &= ~o.lp_words[i];
        return *this;
    }
    REGISTER_SET operator|(const REGISTER_SET &o) const { return REGISTER_SET(*this) |= o; }
    REGISTER_SET operator&(const REGISTER_SET &o) const { return REGISTER_SET(*this) &= o; }
    REGISTER_SET operator-(const REGISTER_SET &o) const { return REGISTER_SET(*this) -= o; }
    REGISTER_SET operator~() const { REGISTER_SET s(*this); s.Invert(); return s; }
    BOOL operator==(const REGISTER_SET &o) const
    {
        for (int i = 0; i < LP_REGSET_WORDS; i++)
            if (lp_words[i] != o.lp_words[i])
                return false;
        return true;
    }
    BOOL operator!=(const REGISTER_SET &o) const { return !(*this == o); }
    std::string StringList() const
    {
        std::string s;
        for (UINT32 r = first; r <= last; r++)
            if (Contains(static_cast<REG>(r)))
                s += std::string(s.empty() ? "" : " ") + LP_C::REG_StringShort(static_cast<REG>(r));
        return s;
    }
    std::string String() const { return "{" + StringList() + "}"; }
    std::string Dump() const { return String(); }
    static std::string PrintRange(REG low, REG high) { return std::string(LP_C::REG_StringShort(low)) + "-" + LP_C::REG_StringShort(high); }

  private:
    static BOOL InRange(REG r) { return static_cast<UINT32>(r) >= first && static_cast<UINT32>(r) <= last; }
    static UINT64 Bit(REG r) { return static_cast<UINT64>(1) << (r % 64); }
    UINT64 lp_words[LP_REGSET_WORDS];
};

typedef REGISTER_SET<REG_FIRST, REG_LAST - 1> REGSET;

inline VOID REGSET_Clear(REGSET &s) { s.Clear(); }
inline VOID REGSET_Insert(REGSET &s, REG r) { s.Insert(r); }
inline VOID REGSET_Remove(REGSET &s, REG r) { s.Remove(r); }
inline VOID REGSET_AddAll(REGSET &s) { s.InsertAll(); }
inline REG REGSET_PopNext(REGSET &s) { return s.PopNext(); }
inline BOOL REGSET_Contains(const REGSET &s, REG r) { return s.Contains(r); }
inline UINT32 REGSET_PopCount(const REGSET &s) { return s.PopCount(); }
inline BOOL REGSET_PopCountIsZero(const REGSET &s) { return s.PopCountIsZero(); }
inline std::string REGSET_StringShort(const REGSET &s) { return s.String(); }
inline std::string REGSET_StringList(const REGSET &s) { return s.StringList(); }

} // namespace LEVEL_BASE
#endif
