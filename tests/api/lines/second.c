// SPDX-License-Identifier: Apache-2.0
#include "both.h"

int second(int n);
int second(int n)
{
    if (n & 1)
        return both(n);

    return n -
           both(3);
}
