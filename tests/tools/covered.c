/* SPDX-License-Identifier: Apache-2.0
 * Lines that are executed often, once and never: for coverage, against gcov. */
#include <stdio.h>

static int never(int n)
{
    n *= 3;
    return n + 1;
}

static int classify(int n)
{
    if (n % 15 == 0)
        return 3;
    if (n % 3 == 0)
        return 1;
    else if (n % 5 == 0)
        return 2;
    return 0;
}

int main(int argc, char **argv)
{
    int sums[4] = {0};
    (void)argv;
    for (int i = 0; i < 100; i++)
        sums[classify(i)] += i;
    while (argc < 4)
        argc++;
    switch (argc) {
    case 4:
        sums[0]++;
        break;
    default:
        sums[1] = never(argc);
    }
    if (sums[0] < 0)
        puts("never");
    return sums[0] == 2633 ? 0 : 1;
}
