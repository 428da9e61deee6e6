/* SPDX-License-Identifier: Apache-2.0
 * start FD PROGRAM ARG...: starts the program, writes its pid to FD and ends. The kernel counts the memory of whoever forks as a new process's own peak: that of this program is small. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int fd = argc > 2 ? atoi(argv[1]) : -1;
    pid_t pid = fd >= 0 ? fork() : -1;
    if (pid < 0) {
        fprintf(stderr, "start: cannot start the program\n");
        return 1;
    }
    if (pid == 0) {
        close(fd);
        execvp(argv[2], argv + 2);
        fprintf(stderr, "cannot start %s: %s\n", argv[2], strerror(errno));
        return 127;
    }
    return dprintf(fd, "%d", pid) > 0 ? 0 : 1;
}
