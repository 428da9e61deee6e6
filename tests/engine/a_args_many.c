// Thousands of arguments.
// test: argfill=20000
#include "a_guest.h"

int main(int argc, char **argv)
{
    unsigned sum = 0;
    for (int i = 1; i < argc; i++)
        for (char *p = argv[i]; *p; p++)
            sum = sum * 31 + (unsigned char)*p;
    printf("%d %x %s\n", argc, sum, argv[argc - 1]);
    return 0;
}
