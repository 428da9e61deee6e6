/* SPDX-License-Identifier: Apache-2.0
 * Processes: fork, a pipe between them, wait. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int ends[2], status = 0;
    char text[16] = "";
    if (pipe(ends))
        return 1;
    pid_t pid = fork();
    if (!pid) {
        write(ends[1], "child", 5);
        _exit(9);
    }
    read(ends[0], text, sizeof text - 1);
    waitpid(pid, &status, 0);
    printf("%s %d\n", text, WEXITSTATUS(status));
    return 0;
}
