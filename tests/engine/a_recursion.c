// Deep recursion: a hundred thousand frames, and two functions that call each other with many call sites.
// test: cc=-O1 -fno-optimize-sibling-calls
#include "a_guest.h"

static __attribute__((noinline)) long depth(long n)
{
    return n == 0 ? 0 : 1 + depth(n - 1);
}
static __attribute__((noinline)) int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
static int male(int n);
static __attribute__((noinline)) int female(int n)
{
    return n == 0 ? 1 : n - male(female(n - 1));
}
static __attribute__((noinline)) int male(int n)
{
    return n == 0 ? 0 : n - female(male(n - 1));
}

int main(void)
{
    printf("%ld\n", depth(100000));
    printf("%d %d\n", ackermann(2, 300), ackermann(3, 5));
    for (int i = 0; i < 20; i++)
        printf("%d,%d ", female(i), male(i));
    printf("\n");
    return 0;
}
