// SPDX-License-Identifier: Apache-2.0
// test: wrap=setarch -R
// Without randomisation the kernel puts new mappings where it would natively: the engine takes no place from the program.
#include "b_check.h"
#include <sys/mman.h>

int main(void)
{
    for (unsigned long pages = 1; pages < 3000; pages = pages * 3 / 2 + 1)
        say("%lu pages at %p\n", pages, mmap(NULL, pages * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    return 0;
}
