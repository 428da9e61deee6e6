/* SPDX-License-Identifier: Apache-2.0
 * UTIL::: numbers as text, and text as numbers. Header only. */
#ifndef UTIL_STRINGS_HPP
#define UTIL_STRINGS_HPP
#include <cctype>
#include <limits>
#include <sstream>
#include <stdint.h>
#include <string>

namespace UTIL {

/* Padded on the left to `width` characters: with blanks, in hexadecimal with zeros. */
template <typename T> inline std::string GetDecString(T v, int width = 0)
{
    std::ostringstream out;
    out.width(width);
    out << v;
    return out.str();
}
template <typename T> inline std::string GetDecString(T *p, int width = 0)
{
    return GetDecString(reinterpret_cast<uintptr_t>(p), width);
}
template <typename T> inline std::string GetHexString(T v, bool show_base = true, int width = 0)
{
    std::ostringstream out;
    if (show_base)
        out << "0x";
    out << std::hex;
    out.fill('0');
    out.width(width);
    out << v;
    return out.str();
}
template <typename T> inline std::string GetHexString(T *p, bool show_base = true, int width = 0)
{
    return GetHexString(reinterpret_cast<uintptr_t>(p), show_base, width);
}

/* The value of a digit, 36 or more: it is none in any base. */
inline unsigned DigitOf(char c)
{
    if (c >= '0' && c <= '9')
        return static_cast<unsigned>(c - '0');
    return std::isalpha(static_cast<unsigned char>(c)) ? static_cast<unsigned>((c | 0x20) - 'a') + 10 : 36;
}

/* The base that a prefix 0x or 0 says, where none is given (0); *at moves behind 0x. */
template <typename I> inline unsigned BaseOf(I *at, I last, unsigned base)
{
    I next = *at;
    if (next == last || *next != '0' || (base && base != 16))
        return base ? base : 10;
    if (++next == last || (*next | 0x20) != 'x')
        return base ? base : 8;
    if (++next == last || DigitOf(*next) >= 16) /* it is the number 0, and x is what follows it */
        return 16;
    *at = next;
    return 16;
}

/* An unsigned number, after white space; base 0: as its prefix says. Returns where it ends. What is no number, or too
 * large for T, returns first. */
template <typename I, typename T> inline I ParseUnsigned(I first, I last, unsigned base, T *value)
{
    I at = first;
    while (at != last && std::isspace(static_cast<unsigned char>(*at)))
        ++at;
    base = BaseOf(&at, last, base);
    if (base > 36 || at == last || DigitOf(*at) >= base)
        return first;
    T sum = 0;
    for (; at != last && DigitOf(*at) < base; ++at) {
        T digit = static_cast<T>(DigitOf(*at));
        if (sum > (std::numeric_limits<T>::max() - digit) / static_cast<T>(base))
            return first;
        sum = static_cast<T>(sum * static_cast<T>(base) + digit);
    }
    *value = sum;
    return at;
}

} // namespace UTIL
#endif
