// SPDX-License-Identifier: Apache-2.0
// A program that ends at once: what the tool asks about the process. The program's own view of its auxiliary vector goes into a variable that the tool reads.
#include <sys/auxv.h>

unsigned long at_values[3];

int main(void)
{
    at_values[0] = getauxval(AT_ENTRY);
    at_values[1] = getauxval(AT_PHDR);
    at_values[2] = getauxval(AT_PAGESZ);
    return 0;
}
//> services
//= auxv 1 1 1, none 0 0
//= out of memory: 35184372088832 bytes
//= malloc gave nothing
//= fini
