// SPDX-License-Identifier: Apache-2.0
// clone(CLONE_VM) without CLONE_THREAD: a process in the same memory; with CLONE_VFORK and without, with and without CLONE_FILES.
#include "b_check.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static volatile int shared, child_pid, opened = -1;

static int body(void *arg)
{
    child_pid = syscall(SYS_getpid);
    shared += (int)(long)arg;
    opened = syscall(SYS_dup, 0);
    return shared;
}

static void run(const char *name, int flags, long add)
{
    char *stack = mmap(0, 1 << 17, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int status, before = shared;
    opened = -1;
    pid_t pid = clone(body, stack + (1 << 17), flags | SIGCHLD, (void *)add);
    CHECK(pid > 0);
    if ((flags & CLONE_VFORK) && (flags & CLONE_VM))
        CHECK(opened >= 0);
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    int visible = fcntl(opened, F_GETFD) >= 0;
    if (visible)
        close(opened);
    say("%s: exit %d added %d own pid %d descriptor visible %d\n", name, WEXITSTATUS(status), shared - before, child_pid == pid, visible);
    munmap(stack, 1 << 17);
}

int main(void)
{
    for (int i = 0; i < 5; i++) {
        run("vm", CLONE_VM, 1);
        run("vm vfork", CLONE_VM | CLONE_VFORK, 2);
        run("vm files", CLONE_VM | CLONE_FILES, 3);
        run("vm fs files sighand", CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND, 4);
        run("vfork only", CLONE_VFORK | CLONE_FILES, 0);
    }
    return 0;
}
