// SPDX-License-Identifier: Apache-2.0
// The tool's backtrace in deepest() must be what the guest's own says there: through functions without frame pointers, a library's callback, a signal's frame.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <unwind.h>

#define GUEST extern "C" __attribute__((noinline, visibility("default")))
static _Unwind_Reason_Code one(_Unwind_Context *c, void *v)
{
    void ***to = (void ***)v;
    *(*to)++ = (void *)_Unwind_GetIP(c);
    return _URC_NO_REASON;
}
static void *own[64];
static long n;
GUEST long compare(void **from, long count) { asm volatile("" ::"r"(from), "r"(count)); return 0; } /* the tool looks at its caller */
GUEST int deepest(int x)
{
    void **to = own;
    _Unwind_Backtrace(one, &to);
    n = to - own;
    return (int)compare(own, n) + x;
}
GUEST int middle(int x, double y) { volatile char room[1000]; room[x] = (char)y; return deepest(room[x]) + 1; }
static int order(const void *a, const void *b) { return middle(*(const int *)a - *(const int *)b + 2, 1.5); }
static void handler(int) { middle(3, 0); }
int main()
{
    int v[2] = {2, 1};
    middle(1, 2.5);
    std::qsort(v, 2, sizeof v[0], order);
    std::signal(SIGUSR1, handler);
    std::raise(SIGUSR1);
    return 0;
}
//> backtrace
//= alike
//= alike
//= alike
