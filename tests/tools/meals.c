/* SPDX-License-Identifier: Apache-2.0
 * Writes 200 lines to a file, each with one write, and calls `eat` after each; meals FILE [MEGABYTES of its own memory]. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void eat(void) { __asm__ volatile(""); }

int main(int argc, char **argv)
{
    int fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
    size_t own = argc > 2 ? (size_t)atoi(argv[2]) << 20 : 0;
    char line[32], *memory = malloc(own + 1);
    memset(memory, 1, own + 1);
    for (int i = 0; i < 200; i++) {
        int n = snprintf(line, sizeof line, "line %d\n", i);
        if (write(fd, line, (size_t)n) != n)
            return 1;
        eat();
    }
    return memory[own] - 1;
}
