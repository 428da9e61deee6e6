// test: hard
// test: status=6
// SPDX-License-Identifier: Apache-2.0
// A filter that allows only the four calls that the program itself still makes, and kills on any other.
#include "b_check.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define ALLOW(call)                                              \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1),       \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static __attribute__((noinline)) unsigned fresh_code(unsigned n)
{
    unsigned h = 1;
    for (unsigned i = 0; i < n; i++)
        h = (h ^ i) * 16777619u + (h >> 7);
    return h;
}

static int by_byte(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b;
}

int main(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(write), ALLOW(read), ALLOW(close), ALLOW(exit_group),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog prog = { sizeof code / sizeof *code, code };
    char line[64], c;
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == 0);
    int n = snprintf(line, sizeof line, "under the tight filter %u\n", fresh_code(100000));
    CHECK(write(1, line, n) == n && read(0, &c, 0) == 0);
    qsort(line, n, 1, by_byte);
    CHECK(line[n - 1] == 'u');
    CHECK(close(77) == -1);
    _exit(6);
}
