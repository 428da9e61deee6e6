// test: status=SIGSEGV
// test: core=yes
// SPDX-License-Identifier: Apache-2.0
// Death by a fault with core dumps allowed has the core flag in its status, as natively.
#include "b_check.h"
#include <sys/wait.h>

int main(void)
{
    int status;
    pid_t pid = fork();
    if (!pid)
        __builtin_trap();
    CHECK(waitpid(pid, &status, 0) == pid);
    say("child %x core %d\n", WTERMSIG(status), !!WCOREDUMP(status));
    *(volatile int *)8 = 1;
    return 0;
}
