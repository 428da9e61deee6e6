/* SPDX-License-Identifier: Apache-2.0
 * Says of how many bits it is, and executes the program that its first argument names with the arguments after it. */
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    printf("%zu bits\n", sizeof(void *) * 8);
    fflush(stdout);
    if (argc > 1)
        execv(argv[1], argv + 1);
    return argc > 1;
}
