/* SPDX-License-Identifier: Apache-2.0
 * A guest for gdb: children made by fork, one after the other; each says by its status what it has seen. Prints
 * nothing, because parent and child may both run. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int seen = 1;

static void in_child(int n)
{
    seen += n;
}

static void in_parent(int n, int status)
{
    seen += 10 * n + status;
}

static int make_child(int n)
{
    int pid = fork(), status;
    if (!pid) {
        in_child(n);
        if (n == 2) /* a child of its own */
            in_parent(2, make_child(3));
        _exit(seen);
    }
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

int main(void)
{
    int i;
    for (i = 1; i < 5; i++)
        in_parent(i, make_child(i));
    return seen;
}
