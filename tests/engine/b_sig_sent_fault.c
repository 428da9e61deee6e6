// SPDX-License-Identifier: Apache-2.0
// SIGSEGV and SIGBUS that were sent and are blocked: system calls with bad addresses still fail with EFAULT, whoever looks at the address.
#include "b_check.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

static void bad_addresses(void)
{
    char *bad = (char *)8;
    CHECK_ERR(open(bad, O_RDONLY), EFAULT);
    CHECK_ERR(syscall(SYS_readlink, bad, bad, 10), EFAULT);
    CHECK_ERR(syscall(SYS_rt_sigaction, SIGUSR1, bad, 0, 8), EFAULT);
    CHECK_ERR(syscall(SYS_rt_sigprocmask, SIG_BLOCK, 0, bad, 8), EFAULT);
    CHECK_ERR(syscall(SYS_clone3, bad, 88), EFAULT);
    CHECK_ERR(syscall(SYS_access, bad, 0), EFAULT);
    CHECK_ERR(uname((struct utsname *)bad), EFAULT);
}

int main(void)
{
    sigset_t all, pending;
    sigfillset(&all);
    CHECK(sigprocmask(SIG_SETMASK, &all, NULL) == 0);
    bad_addresses();
    CHECK(kill(getpid(), SIGSEGV) == 0 && raise(SIGBUS) == 0);
    bad_addresses();
    CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGSEGV) && sigismember(&pending, SIGBUS));
    int fd = open("/proc/self/status", O_RDONLY);
    char text[64];
    CHECK(fd >= 0 && read(fd, text, sizeof text) == sizeof text);
    say("alive\n");
    return 0;
}
