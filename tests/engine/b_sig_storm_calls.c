// test: timeout=180
// SPDX-License-Identifier: Apache-2.0
// A storm of restarting signals over system calls: no byte is lost, no result is wrong, no call is made twice.
#include "b_storm.h"
#include <fcntl.h>
#include <sys/syscall.h>

static void on_usr1(int sig, siginfo_t *si, void *uc)
{
    (void)sig, (void)si, (void)uc;
    storm->hits++;
    errno = 77;
}

int main(void)
{
    int p[2], pid = getpid();
    unsigned long sent = 0, got = 0;
    CHECK(pipe(p) == 0);
    storm_init(on_usr1, 0);
    storm_start(60000);
    for (long i = 0; !storm->over; i++) {
        char in[100], out[200];
        for (int k = 0; k < 100; k++)
            in[k] = (char)(i + k);
        CHECK(write(p[1], in, 100) == 100);
        sent += 100;
        CHECK(read(p[0], out, 60) == 60 && read(p[0], out + 60, 100) == 40 && !memcmp(in, out, 100));
        got += 100;
        CHECK(syscall(SYS_getpid) == pid && syscall(SYS_close, 999) == -1);
        void *m = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(m != MAP_FAILED && *(char *)m == 0 && munmap(m, 4096) == 0);
        int fd = dup(p[0]);
        CHECK(fd == 5 && close(fd) == 0);
    }
    storm_end();
    CHECK(sent == got && storm->hits >= 120);
    say("calls ok\n");
    return 0;
}
