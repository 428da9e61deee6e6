// An executable stack: nested functions with trampolines.
// test: cc=-Wl,-z,execstack -Wno-trampolines
#include "a_guest.h"

static __attribute__((noinline)) int apply(int (*f)(int), int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += f(i);
    return sum;
}

static __attribute__((noinline)) int use(int k)
{
    int calls = 0;
    int nested(int x)
    {
        calls++;
        return x * k;
    }
    int r = apply(nested, 10);
    return r * 100 + calls;
}

int main(void)
{
    for (int i = 0; i < 50; i++)
        printf("%d ", use(i)); // the same stack address each time, with other contents
    printf("\n");
    return 0;
}
