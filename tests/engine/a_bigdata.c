// A program that is not position-independent with 2.5 GiB of data: there is no room above its start and below 2 GiB.
// test: cc=-no-pie -fno-pie
#include "a_guest.h"

static int sum(const char *p, unsigned long n, unsigned long step)
{
    int s = 0;
    for (unsigned long i = 0; i < n; i += step)
        s += p[i];
    return s;
}

char data[0xa0000000];

int main(void)
{
    volatile unsigned long first = 0x1000, last = sizeof data - 1;
    int (*volatile f)(const char *, unsigned long, unsigned long) = sum;
    data[first] = 3;
    data[last] = 4;
    printf("%d %d\n", f(data, 0x10000, 0x1000), f(data + last - 10, 11, 1));
    return 0;
}
