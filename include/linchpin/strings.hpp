/* SPDX-License-Identifier: Apache-2.0
 * Numbers to text and back, and small helpers of C++ tools. Header only. */
#ifndef LINCHPIN_STRINGS_HPP
#define LINCHPIN_STRINGS_HPP
#include "types.h"
#include "enums.h"

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <istream>
#include <string>

#ifndef TRUE
#define TRUE true
#endif
#ifndef FALSE
#define FALSE false
#endif
/* How Pin's own examples mark what is theirs. */
#define LOCALFUN static
#define LOCALVAR static
#define LOCALCONST static const
#define LOCALTYPE
#define GLOBALFUN extern
#define GLOBALVAR extern
#define GLOBALCONST extern const
#define GLOBALTYPE
#ifndef KILO
#define KILO 1024
#endif
#ifndef MEGA
#define MEGA (KILO * KILO)
#endif
#ifndef GIGA
#define GIGA (KILO * MEGA)
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif

namespace LEVEL_BASE {

inline std::string LP_Pad(const std::string &s, UINT32 width, CHAR fill, BOOL left)
{
    if (s.size() >= width)
        return s;
    std::string pad(width - s.size(), fill);
    return left ? s + pad : pad + s;
}

inline std::string StringDec(UINT64 v, UINT32 digits = 0, CHAR fill = ' ')
{
    char b[24];
    std::snprintf(b, sizeof b, "%llu", static_cast<unsigned long long>(v));
    return LP_Pad(b, digits, fill, false);
}
inline std::string StringDecSigned(INT64 v, UINT32 digits = 0, CHAR fill = ' ')
{
    char b[24];
    std::snprintf(b, sizeof b, "%lld", static_cast<long long>(v));
    return LP_Pad(b, digits, fill, false);
}
inline std::string StringHex(UINT64 v, UINT32 digits = 0, BOOL prefix = true)
{
    char b[24];
    std::snprintf(b, sizeof b, "%llx", static_cast<unsigned long long>(v));
    return (prefix ? "0x" : "") + LP_Pad(b, digits, '0', false);
}
inline std::string StringHex32(UINT32 v, UINT32 digits = 0, BOOL prefix = true) { return StringHex(v, digits, prefix); }
inline std::string StringFlt(FLT64 v, UINT32 precision, UINT32 width = 0)
{
    char b[400];
    std::snprintf(b, sizeof b, "%*.*f", static_cast<int>(width), static_cast<int>(precision), v);
    return b;
}
/* 1234567 as 1,234,567 */
inline std::string StringBignum(INT64 v, UINT32 digits = 0, CHAR fill = ' ')
{
    std::string s = StringDecSigned(v);
    size_t from = v < 0 ? 1 : 0;
    for (size_t i = s.size(); i > from + 3;)
        s.insert(i -= 3, ",");
    return LP_Pad(s, digits, fill, false);
}
inline std::string StringBool(BOOL b) { return b ? "TRUE" : "FALSE"; }
inline std::string StringTri(TRI t) { return t == TRI_YES ? "YES" : t == TRI_NO ? "NO" : "MAYBE"; }
/* Pin 2's SetAddress0x: with 0x in front? */
inline BOOL &LP_Address0x()
{
    static BOOL wanted = true;
    return wanted;
}
inline std::string StringFromAddrint(ADDRINT a) { return StringHex(a, 2 * sizeof a, LP_Address0x()); }
inline std::string StringFromUint64(UINT64 v) { return StringHex(v); }

inline std::string decstr(UINT64 v, UINT32 w = 0) { return StringDec(v, w); }
inline std::string decstr(UINT32 v, UINT32 w = 0) { return StringDec(v, w); }
inline std::string decstr(UINT16 v, UINT32 w = 0) { return StringDec(v, w); }
inline std::string decstr(INT64 v, UINT32 w = 0) { return StringDecSigned(v, w); }
inline std::string decstr(INT32 v, UINT32 w = 0) { return StringDecSigned(v, w); }
inline std::string decstr(INT16 v, UINT32 w = 0) { return StringDecSigned(v, w); }
inline std::string hexstr(UINT64 v, UINT32 w = 0) { return StringHex(v, w); }
inline std::string hexstr(UINT32 v, UINT32 w = 0) { return StringHex(v, w); }
inline std::string hexstr(UINT16 v, UINT32 w = 0) { return StringHex(v, w); }
inline std::string hexstr(INT64 v, UINT32 w = 0) { return StringHex(static_cast<UINT64>(v), w); }
inline std::string hexstr(INT32 v, UINT32 w = 0) { return StringHex(static_cast<UINT32>(v), w); }
inline std::string hexstr(INT16 v, UINT32 w = 0) { return StringHex(static_cast<UINT16>(v), w); }
inline std::string hexstr(const VOID *p, UINT32 w = 0) { return StringHex(reinterpret_cast<uintptr_t>(p), w); }
inline std::string hexstr(VOID *p, UINT32 w = 0) { return StringHex(reinterpret_cast<uintptr_t>(p), w); }
inline std::string ptrstr(const VOID *p) { return StringHex(reinterpret_cast<uintptr_t>(p)); }
inline std::string fltstr(FLT64 v, UINT32 precision = 0, UINT32 width = 0) { return StringFlt(v, precision, width); }
inline std::string ljstr(const std::string &s, UINT32 width, CHAR fill = ' ') { return LP_Pad(s, width, fill, true); }

/* Formatters that remember a width. */
class DECSTR
{
  public:
    explicit DECSTR(UINT32 width) : _width(width) {}
    std::string operator()(UINT64 v) const { return StringDec(v, _width); }
  private:
    UINT32 _width;
};
class HEXSTR
{
  public:
    explicit HEXSTR(UINT32 width) : _width(width) {}
    std::string operator()(UINT64 v) const { return StringHex(v, _width); }
  private:
    UINT32 _width;
};
class FLTSTR
{
  public:
    FLTSTR(UINT32 precision, UINT32 width) : _precision(precision), _width(width) {}
    std::string operator()(FLT64 v) const { return StringFlt(v, _precision, _width); }
  private:
    UINT32 _precision, _width;
};

/* Numbers in any C notation. What is none, or does not fit, ends the process with a message (messages.hpp). */
LP_NORETURN VOID LP_NoNumber(const std::string &why);
inline VOID LP_CheckNumber(const std::string &s, const char *end, BOOL fits)
{
    while (*end && std::isspace(static_cast<unsigned char>(*end)))
        end++;
    if (*end || end == s.c_str() || !fits)
        LP_NoNumber("Error in string conversion function: '" + s + "' is " + (fits ? "not a number" : "too large"));
}
inline UINT64 Uint64FromString(const std::string &s)
{
    char *end;
    errno = 0;
    UINT64 v = std::strtoull(s.c_str(), &end, 0);
    LP_CheckNumber(s, end, errno != ERANGE);
    return v;
}
inline INT64 Int64FromString(const std::string &s)
{
    char *end;
    errno = 0;
    INT64 v = std::strtoll(s.c_str(), &end, 0);
    LP_CheckNumber(s, end, errno != ERANGE);
    return v;
}
inline UINT32 Uint32FromString(const std::string &s)
{
    UINT64 v = Uint64FromString(s);
    LP_CheckNumber(s, "", v == static_cast<UINT32>(v) || (s.find('-') != std::string::npos && 0 - v == static_cast<UINT32>(0 - v)));
    return static_cast<UINT32>(v);
}
/* Also in hexadecimal notation with the sign's bit. */
inline INT32 Int32FromString(const std::string &s)
{
    INT64 v = Int64FromString(s);
    LP_CheckNumber(s, "", v == static_cast<INT32>(v) || v == static_cast<INT64>(static_cast<UINT32>(v)));
    return static_cast<INT32>(v);
}
inline ADDRINT AddrintFromString(const std::string &s) { return Uint64FromString(s); }
inline FLT64 FLT64FromString(const std::string &s)
{
    char *end;
    FLT64 v = std::strtod(s.c_str(), &end);
    while (*end && std::isspace(static_cast<unsigned char>(*end)))
        end++;
    if (*end || end == s.c_str())
        LP_NoNumber("Non-numeric value '" + s + "' where a floating-point number should be");
    return v;
}

inline BOOL CharIsSpace(CHAR c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
inline CHAR CharToUpper(CHAR c) { return static_cast<CHAR>(std::toupper(static_cast<unsigned char>(c))); }
/* -1: not a hexadecimal digit */
inline INT CharToHexDigit(CHAR c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    CHAR u = CharToUpper(c);
    return u >= 'A' && u <= 'F' ? u - 'A' + 10 : -1;
}

inline std::string Joinpath(const std::string &a, const std::string &b) { return a.empty() ? b : a + "/" + b; }
inline std::string Basename(const std::string &path) { return path.substr(path.find_last_of('/') + 1); }

/* A line without its end; lines read are counted in *count. */
inline std::string ReadLine(std::istream &in, UINT32 *count)
{
    std::string s;
    std::getline(in, s);
    if (in && count)
        ++*count;
    return s;
}
/* Words into at most max tokens; how many there are. */
inline UINT32 Tokenize(const std::string &line, std::string *tokens, UINT32 max)
{
    UINT32 n = 0;
    for (size_t at = line.find_first_not_of(" \t\r\n"); at != std::string::npos;) {
        size_t end = line.find_first_of(" \t\r\n", at);
        if (n < max)
            tokens[n] = line.substr(at, end == std::string::npos ? end : end - at);
        n++;
        at = end == std::string::npos ? end : line.find_first_not_of(" \t\r\n", end);
    }
    return n;
}
/* Breaks text into lines of at most high characters, at the first space after low where there is one; each line gets the prefix. */
inline std::string Reformat(const std::string &text, const std::string &prefix, UINT32 low, UINT32 high)
{
    std::string out = prefix;
    UINT32 column = 0;
    for (size_t i = 0; i < text.size(); i++) {
        if (text[i] == '\n' || column >= high || (column >= low && text[i] == ' ')) {
            out += "\n" + prefix;
            column = 0;
            if (text[i] == '\n' || text[i] == ' ')
                continue;
        }
        out += text[i];
        column++;
    }
    return out;
}

/* --- addresses ------------------------------------------------------------------------------------------------------------------------------------- */
inline VOID *Addrint2VoidStar(LP_ADDRESS a) { return reinterpret_cast<VOID *>(a); }
inline LP_ADDRESS VoidStar2Addrint(const VOID *p) { return reinterpret_cast<LP_ADDRESS>(p); }
inline INT64 VoidStar2Int(VOID *p) { return reinterpret_cast<INT64>(p); }
inline size_t PtrDiff(const VOID *a, const VOID *b) { return static_cast<size_t>(static_cast<const char *>(a) - static_cast<const char *>(b)); }
inline VOID *PtrAtOffset(VOID *p, size_t bytes) { return static_cast<char *>(p) + bytes; }
inline const VOID *PtrAtOffset(const VOID *p, size_t bytes) { return static_cast<const char *>(p) + bytes; }
inline LP_ADDRESS GetPageOfAddr(LP_ADDRESS a) { return a & ~static_cast<LP_ADDRESS>(4095); }
inline UINT32 BitCount(UINT64 v) { return static_cast<UINT32>(__builtin_popcountll(v)); }
template <typename T> inline T RoundDown(T v, T step) { return v / step * step; }
template <typename T> inline T RoundUp(T v, T step) { return (v + step - 1) / step * step; }
template <typename T> inline BOOL IsPowerOf2(T v) { return v != 0 && (v & (v - 1)) == 0; }

class ADDRESS_RANGE
{
  public:
    ADDRESS_RANGE() : _low(0), _high(0) {}
    ADDRESS_RANGE(ADDRINT low, ADDRINT high) : _low(low), _high(high) {}
    BOOL Valid() const { return _low <= _high; }
    ADDRINT Size() const { return _high - _low; }
    std::string String() const { return StringHex(_low) + ":" + StringHex(_high); }
    ADDRINT _low, _high;
};

class MemRange
{
  public:
    MemRange() : _base(0), _size(0) {}
    MemRange(VOID *base, size_t bytes) : _base(reinterpret_cast<LP_ADDRESS>(base)), _size(bytes) {}
    MemRange(LP_ADDRESS base, size_t bytes) : _base(base), _size(bytes) {}
    MemRange(VOID *base, VOID *end) : _base(reinterpret_cast<LP_ADDRESS>(base)), _size(PtrDiff(end, base)) {}
    VOID *Base() const { return Addrint2VoidStar(_base); }
    VOID *End() const { return Addrint2VoidStar(_base + _size); }
    VOID *Last() const { return Addrint2VoidStar(_base + _size - 1); }
    size_t Size() const { return _size; }
    MemRange &Base(VOID *base) { _base = VoidStar2Addrint(base); return *this; }
    MemRange &Size(size_t bytes) { _size = bytes; return *this; }
    BOOL IsEmpty() const { return _size == 0; }
    BOOL Contains(const VOID *p) const { return VoidStar2Addrint(p) - _base < _size; }
    BOOL Contains(const MemRange &r) const { return r._base >= _base && r._base + r._size <= _base + _size; }
    BOOL Intersects(const MemRange &r) const { return _base < r._base + r._size && r._base < _base + _size; }
    BOOL AdjacentTo(const MemRange &r) const { return _base == r._base + r._size || r._base == _base + _size; }
    MemRange &Shift(size_t bytes) { _base += bytes; return *this; }
    MemRange &ShiftBase(size_t bytes) { _base += bytes; _size -= bytes; return *this; }
    MemRange &ShiftEnd(size_t bytes) { _size += bytes; return *this; }
    /* the smallest aligned range around it; AlignDown: the base only; AlignUp: base and end up */
    MemRange &Align(UINT32 to)
    {
        LP_ADDRESS end = RoundUp<LP_ADDRESS>(_base + _size, to);
        _base = RoundDown<LP_ADDRESS>(_base, to);
        _size = end - _base;
        return *this;
    }
    MemRange &AlignDown(UINT32 to) { _base = RoundDown<LP_ADDRESS>(_base, to); _size = RoundDown<LP_ADDRESS>(_size, to); return *this; }
    MemRange &AlignUp(UINT32 to) { _base = RoundUp<LP_ADDRESS>(_base, to); _size = RoundUp<LP_ADDRESS>(_size, to); return *this; }
    MemRange &Combine(const MemRange &r)
    {
        LP_ADDRESS end = MAX(_base + _size, r._base + r._size);
        _base = MIN(_base, r._base);
        _size = end - _base;
        return *this;
    }
    /* What of it lies before r, in r and behind r; an empty range where there is nothing. */
    VOID Decompose(const MemRange &r, MemRange *before, MemRange *inside, MemRange *behind) const
    {
        LP_ADDRESS end = _base + _size, low = MAX(_base, MIN(r._base, end)), high = MAX(low, MIN(r._base + r._size, end));
        *before = MemRange(_base, low - _base);
        *inside = MemRange(low, high - low);
        *behind = MemRange(high, end - high);
    }
    /* Is the caller's frame in it? */
    BOOL IsCurrentStack() const { return Contains(__builtin_frame_address(0)); }
  private:
    LP_ADDRESS _base;
    size_t _size;
};
inline MemRange MemPageRange(LP_ADDRESS a) { return MemRange(GetPageOfAddr(a), 4096); }
inline MemRange MemPageRange(const VOID *p) { return MemPageRange(VoidStar2Addrint(p)); }

template <typename T> class OPTIONAL_VALUE
{
  public:
    OPTIONAL_VALUE() : _has(false), _value() {}
    OPTIONAL_VALUE(const T &v) : _has(true), _value(v) {}
    BOOL HasValue() const { return _has; }
    T &Value() { return _value; }
    const T &Value() const { return _value; }
    T *ValuePtr() { return _has ? &_value : 0; }
    const T *ValuePtr() const { return _has ? &_value : 0; }
    BOOL Get(T *out) const
    {
        if (_has)
            *out = _value;
        return _has;
    }
    VOID Set(const T &v) { _value = v; _has = true; }
    VOID Set(const T *v)
    {
        _has = v != 0;
        if (v)
            _value = *v;
    }
    VOID Reset() { _has = false; }
  private:
    BOOL _has;
    T _value;
};

} // namespace LEVEL_BASE
#endif
