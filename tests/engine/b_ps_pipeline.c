// SPDX-License-Identifier: Apache-2.0
// A pipeline of 8 processes passes 200 kB through, each changing the bytes; every stage ends with its own status.
#include "b_check.h"
#include <sys/wait.h>

enum { STAGES = 8, BYTES = 200000 };

static void stage(int in, int out, int n)
{
    unsigned char buf[777];
    for (ssize_t k; (k = read(in, buf, sizeof buf)) > 0;) {
        for (ssize_t i = 0; i < k; i++)
            buf[i] = buf[i] * 3 + n;
        for (ssize_t done = 0, w; done < k; done += w)
            CHECK((w = write(out, buf + done, k - done)) > 0);
    }
    _exit(n);
}

int main(void)
{
    int in[2], next[2], status, sum = 0;
    CHECK(pipe(in) == 0);
    int from = in[0];
    for (int n = 0; n < STAGES; n++) {
        CHECK(pipe(next) == 0);
        if (fork() == 0) {
            close(in[1]);
            close(next[0]);
            stage(from, next[1], n);
        }
        close(from);
        close(next[1]);
        from = next[0];
    }
    if (fork() == 0) {
        unsigned char c;
        for (int i = 0; i < BYTES; i += 100) {
            unsigned char buf[100];
            for (int k = 0; k < 100; k++)
                buf[k] = c = (i + k) * 13;
            CHECK(write(in[1], buf, 100) == 100);
        }
        _exit(STAGES);
    }
    close(in[1]);
    unsigned char buf[1000];
    unsigned long h = 0, total = 0;
    for (ssize_t k; (k = read(from, buf, sizeof buf)) > 0; total += k)
        for (ssize_t i = 0; i < k; i++)
            h = h * 31 + buf[i];
    while (wait(&status) > 0)
        sum += WEXITSTATUS(status);
    say("bytes %lu hash %lx statuses %d\n", total, h, sum);
    return 0;
}
