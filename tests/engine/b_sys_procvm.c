// SPDX-License-Identifier: Apache-2.0
// process_vm_readv and writev on the process itself and on a forked child, with partial transfers at a hole.
#include "b_check.h"
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>

static volatile int value = 42;

int main(void)
{
    int got = 0, p[2], back[2], status;
    char buf[8192], c;
    struct iovec l = { &got, sizeof got }, r = { (void *)&value, sizeof value };
    CHECK(process_vm_readv(getpid(), &l, 1, &r, 1, 0) == sizeof got && got == 42);
    got = 43;
    CHECK(process_vm_writev(getpid(), &l, 1, &r, 1, 0) == sizeof got && value == 43);
    char *edge = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(munmap(edge + 4096, 4096) == 0);
    memset(edge, 'e', 4096);
    l = (struct iovec){ buf, 8192 };
    r = (struct iovec){ edge, 8192 };
    CHECK(process_vm_readv(getpid(), &l, 1, &r, 1, 0) == 4096 && buf[4095] == 'e');
    r.iov_base = edge + 4096;
    CHECK_ERR(process_vm_readv(getpid(), &l, 1, &r, 1, 0), EFAULT);
    CHECK(pipe(p) == 0 && pipe(back) == 0);
    pid_t pid = fork();
    if (!pid) {
        value = 1000;
        CHECK(write(p[1], "r", 1) == 1 && read(back[0], &c, 1) == 1);
        _exit(value == 2000 ? 5 : 6);
    }
    CHECK(read(p[0], &c, 1) == 1);
    l = (struct iovec){ &got, sizeof got };
    r = (struct iovec){ (void *)&value, sizeof value };
    CHECK(process_vm_readv(pid, &l, 1, &r, 1, 0) == sizeof got && got == 1000 && value == 43);
    got = 2000;
    CHECK(process_vm_writev(pid, &l, 1, &r, 1, 0) == sizeof got);
    CHECK(write(back[1], "g", 1) == 1 && waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 5);
    CHECK_ERR(process_vm_readv(pid, &l, 1, &r, 1, 0), ESRCH);
    say("process_vm ok\n");
    return 0;
}
