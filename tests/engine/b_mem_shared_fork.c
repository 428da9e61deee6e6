// SPDX-License-Identifier: Apache-2.0
// Anonymous shared memory is one memory for parent and child, private memory is copied on write.
#include "b_check.h"
#include <sys/mman.h>
#include <sys/wait.h>

int main(void)
{
    int *sh = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int *pr = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int ready[2], go[2], status;
    char c;
    CHECK(pipe(ready) == 0 && pipe(go) == 0);
    *sh = *pr = 1;
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (!pid) {
        *sh = 2;
        *pr = 2;
        CHECK(write(ready[1], "r", 1) == 1 && read(go[0], &c, 1) == 1);
        CHECK(*sh == 3 && *pr == 2);
        for (int i = 0; i < 20000; i++)
            __atomic_fetch_add(&sh[1], 1, __ATOMIC_SEQ_CST);
        _exit(9);
    }
    CHECK(read(ready[0], &c, 1) == 1 && *sh == 2 && *pr == 1);
    *sh = *pr = 3;
    CHECK(write(go[1], "g", 1) == 1);
    for (int i = 0; i < 20000; i++)
        __atomic_fetch_add(&sh[1], 1, __ATOMIC_SEQ_CST);
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 9);
    say("shared %d count %d\n", *sh, sh[1]);
    return 0;
}
