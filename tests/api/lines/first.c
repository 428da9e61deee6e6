// SPDX-License-Identifier: Apache-2.0
// A program of two files and a header, for the lines of its code.
#include "both.h"

int second(int n);

static int loop(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += both(i) * second(i);
    return sum;
}

int main(int argc, char **argv)
{
    (void)argv;
    return loop(argc + 3) == 12345;
}
