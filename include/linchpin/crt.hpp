/* SPDX-License-Identifier: Apache-2.0
 * Three functions of C11's Annex K that sources written for Pin's own C library use and glibc does not have. */
#ifndef LINCHPIN_CRT_HPP
#define LINCHPIN_CRT_HPP
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

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
