/* SPDX-License-Identifier: Apache-2.0
 * What Pin's own C and C++ library showed to every tool that included pin.H: much of the standard library without its headers, the containers of TR1, and three functions
 * of C11's Annex K that glibc does not have. */
#ifndef LINCHPIN_CRT_HPP
#define LINCHPIN_CRT_HPP
#include <algorithm>
#include <cassert>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <list>
#include <map>
#include <math.h>
#include <set>
#include <sstream>
#include <string>
#include <vector>
#if defined __has_include
#if __has_include(<tr1/unordered_map>) && __has_include(<tr1/unordered_set>)
#include <tr1/unordered_map>
#include <tr1/unordered_set>
#endif
#endif

/* Both end the process when the text does not fit, as Annex K's constraint handler may. */
__attribute__((format(printf, 3, 4))) inline int sprintf_s(char *to, size_t bytes, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int n = std::vsnprintf(to, bytes, format, ap);
    va_end(ap);
    if (n < 0 || static_cast<size_t>(n) >= bytes) {
        std::fprintf(stderr, "E: tool: sprintf_s: the text does not fit into %lu bytes\n", static_cast<unsigned long>(bytes));
        std::abort();
    }
    return n;
}
__attribute__((format(printf, 3, 4))) inline int snprintf_s(char *to, size_t bytes, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int n = std::vsnprintf(to, bytes, format, ap);
    va_end(ap);
    return n;
}
inline size_t strnlen_s(const char *s, size_t max) { return s ? strnlen(s, max) : 0; }

#endif
