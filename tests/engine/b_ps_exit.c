// SPDX-License-Identifier: Apache-2.0
// Ways to end: return, exit with atexit in reverse, _exit without, quick_exit, exit codes cut to 8 bits, buffered output flushed once.
#include "b_check.h"
#include <sys/syscall.h>
#include <sys/wait.h>

static void first(void) { printf("first registered\n"); }
static void second(void) { printf("second registered\n"); }
static void quick(void) { say("quick\n"); }
__attribute__((destructor)) static void fini(void) { printf("destructor\n"); }

static void end(int how)
{
    atexit(first);
    atexit(second);
    at_quick_exit(quick);
    printf("buffered %d\n", how);
    switch (how) {
    case 0: exit(0x1234);
    case 1: _exit(-1);
    case 2: quick_exit(77);
    case 3: syscall(SYS_exit, 78); break;
    case 4: syscall(SYS_exit_group, 0x17f); break;
    case 5: fflush(stdout); _exit(79);
    case 6: exit(EXIT_FAILURE);
    }
}

int main(void)
{
    for (int how = 0; how < 7; how++) {
        int status;
        pid_t pid = fork();
        if (!pid)
            end(how);
        CHECK(waitpid(pid, &status, 0) == pid);
        say("%d: %x\n", how, status);
    }
    return 0;
}
