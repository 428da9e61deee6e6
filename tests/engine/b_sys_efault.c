// SPDX-License-Identifier: Apache-2.0
// Bad pointers to system calls give EFAULT, never a signal, also to those that an engine would emulate.
#include "b_check.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

int main(void)
{
    char *none = mmap(0, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *edge = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int p[2], zero = open("/dev/zero", O_RDONLY);
    CHECK(pipe(p) == 0 && munmap(edge + 4096, 4096) == 0);
    void *bads[] = { none, (void *)8, (void *)0x0000800000000000, (void *)-4096L, (void *)main /* not writable */ };
    for (int i = 0; i < 5; i++) {
        void *bad = bads[i];
        CHECK_ERR(read(zero, bad, 16), EFAULT);
        CHECK_ERR(syscall(SYS_newfstatat, AT_FDCWD, "/", bad, 0), EFAULT);
        CHECK_ERR(syscall(SYS_rt_sigaction, SIGUSR1, 0, bad, 8), EFAULT);
        CHECK_ERR(syscall(SYS_rt_sigprocmask, SIG_BLOCK, 0, bad, 8), EFAULT);
        CHECK_ERR(syscall(SYS_sigaltstack, 0, bad), EFAULT);
        CHECK_ERR(syscall(SYS_pipe2, bad, 0), EFAULT);
        CHECK_ERR(syscall(SYS_uname, bad), EFAULT);
        CHECK_ERR(syscall(SYS_readlink, "/proc/self/exe", bad, 100), EFAULT);
        if (i == 4)
            break;
        CHECK_ERR(write(p[1], bad, 16), EFAULT);
        CHECK_ERR(open(bad, O_RDONLY), EFAULT);
        CHECK_ERR(syscall(SYS_execve, bad, 0, 0), EFAULT);
        CHECK_ERR(syscall(SYS_execve, "/bin/true", bad, 0), EFAULT);
        CHECK_ERR(syscall(SYS_rt_sigaction, SIGUSR1, bad, 0, 8), EFAULT);
        CHECK_ERR(syscall(SYS_rt_sigprocmask, SIG_BLOCK, bad, 0, 8), EFAULT);
        CHECK_ERR(syscall(SYS_sigaltstack, bad, 0), EFAULT);
        CHECK_ERR(syscall(SYS_clone3, bad, 88), EFAULT);
        CHECK_ERR(syscall(SYS_readlink, bad, edge, 100), EFAULT);
        CHECK_ERR(syscall(SYS_prctl, 15 /* PR_SET_NAME */, bad, 0, 0, 0), EFAULT);
    }
    memcpy(edge + 4090, "abcdef", 6);
    CHECK_ERR(open(edge + 4090, O_RDONLY), EFAULT);
    CHECK(read(zero, edge + 4000, 200) == 96);
    CHECK_ERR(readv(zero, (struct iovec[2]){ { none, 4 }, { edge, 4 } }, 2), EFAULT);
    CHECK(readv(zero, (struct iovec[2]){ { edge, 4 }, { none, 4 } }, 2) == 4);
    say("efault ok\n");
    return 0;
}
