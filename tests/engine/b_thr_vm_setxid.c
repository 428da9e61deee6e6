// SPDX-License-Identifier: Apache-2.0
// A child with this memory but its own signal actions (CLONE_VM alone) is made before any thread: the signal that libc takes for itself with the first thread still has its default action, and kills.
#include "b_check.h"
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIBC_SIGNAL 33
#define STACK 65536ul

static int child(void *arg)
{
    (void)arg;
    _exit(7);
}

static void shared_child(void)
{
    int status = 0;
    char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(stack != MAP_FAILED);
    int pid = clone(child, stack + STACK, CLONE_VM | SIGCHLD, NULL);
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    say("child %d\n", WEXITSTATUS(status));
}

int main(void)
{
    int status = 0, pid = fork();
    if (!pid) {
        shared_child();
        syscall(SYS_tkill, syscall(SYS_gettid), LIBC_SIGNAL);
        say("lived\n");
        _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    say("signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    return 0;
}
