// SPDX-License-Identifier: Apache-2.0
// Wrong calls fail with the kernel's errno: unknown numbers, bad descriptors, bad flags, bad ids.
#include "b_check.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

int main(void)
{
    CHECK_ERR(syscall(9999), ENOSYS);
    CHECK_ERR(syscall(-1), ENOSYS);
    CHECK_ERR(syscall(0x7fffffff), ENOSYS);
    CHECK_ERR(syscall(400), ENOSYS);
    CHECK_ERR(syscall(SYS_create_module), ENOSYS);
    CHECK_ERR(close(-1), EBADF);
    CHECK_ERR(close(12345), EBADF);
    CHECK_ERR(read(-1, 0, 0), EBADF);
    CHECK_ERR(lseek(0, 0, 99), EINVAL);
    CHECK_ERR(open("/nonexistent/x", O_RDONLY), ENOENT);
    CHECK_ERR(open("/", O_WRONLY), EISDIR);
    CHECK_ERR(mprotect((void *)1, 4096, PROT_READ), EINVAL);
    CHECK_ERR(syscall(SYS_mprotect, 0x1000, 4096, 0xff00), EINVAL);
    CHECK_ERR(syscall(SYS_rt_sigaction, SIGUSR1, 0, 0, 4), EINVAL);
    CHECK_ERR(syscall(SYS_rt_sigprocmask, 99, &errno, 0, 8), EINVAL);
    CHECK_ERR(sigaction(65, 0, &(struct sigaction){ 0 }), EINVAL);
    CHECK_ERR(sigaction(SIGKILL, &(struct sigaction){ 0 }, 0), EINVAL);
    CHECK_ERR(kill(getpid(), 65), EINVAL);
    CHECK_ERR(kill(0x7ffffff0, 0), ESRCH);
    CHECK_ERR(syscall(SYS_tgkill, -1, 1, 0), EINVAL);
    CHECK_ERR(waitpid(-1, 0, 0), ECHILD);
    CHECK_ERR(waitpid(-1, 0, 0x1234567), EINVAL);
    CHECK_ERR(syscall(SYS_clone, CLONE_THREAD, 0, 0, 0, 0), EINVAL);
    CHECK_ERR(syscall(SYS_clone, CLONE_SIGHAND, 0, 0, 0, 0), EINVAL);
    CHECK_ERR(syscall(SYS_clone3, 0, 8), EINVAL);
    CHECK_ERR(nanosleep(&(struct timespec){ 0, 1000000000 }, 0), EINVAL);
    CHECK_ERR(clock_gettime(77, &(struct timespec){ 0 }), EINVAL);
    CHECK_ERR(syscall(SYS_arch_prctl, 0x9999, 0), EINVAL);
    CHECK_ERR(syscall(SYS_set_robust_list, 0, 3), EINVAL);
    CHECK_ERR(syscall(SYS_futex, &errno, 99, 0, 0, 0, 0), ENOSYS);
    CHECK_ERR(syscall(SYS_sigaltstack, &(stack_t){ .ss_flags = 77 }, 0), EINVAL);
    say("errno ok\n");
    return 0;
}
