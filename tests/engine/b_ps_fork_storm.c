// test: timeout=180
// SPDX-License-Identifier: Apache-2.0
// 300 forks in groups of 10 alive at once, each child computes; then 100 in a row; no zombie stays.
#include "b_check.h"
#include <sys/wait.h>

static int work(int seed)
{
    unsigned h = seed;
    for (int i = 0; i < 5000; i++)
        h = h * 1664525 + 1013904223 + (h >> 9);
    return h >> 3 & 63;
}

int main(void)
{
    int sum = 0, want = 0, status;
    for (int i = 0; i < 300; i++)
        want += work(i);
    for (int group = 0; group < 30; group++) {
        for (int i = 0; i < 10; i++) {
            pid_t pid = fork();
            CHECK(pid >= 0);
            if (!pid)
                _exit(work(group * 10 + i));
        }
        for (int i = 0; i < 10; i++) {
            CHECK(wait(&status) > 0 && WIFEXITED(status));
            sum += WEXITSTATUS(status);
        }
    }
    CHECK(sum == want);
    for (int i = 0; i < 100; i++) {
        pid_t pid = fork();
        if (!pid)
            _exit(i);
        CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == i);
    }
    CHECK_ERR(wait(&status), ECHILD);
    say("sum %d\n", sum);
    return 0;
}
