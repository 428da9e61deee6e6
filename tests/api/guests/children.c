// SPDX-License-Identifier: Apache-2.0
// Children that execute programs, by fork and by posix_spawn, one after the other. The tool says which are followed.
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void say(const char *text)
{
    char line[128];
    int n = snprintf(line, sizeof line, "guest: %s\n", text);
    if (write(1, line, (size_t)n) != n)
        abort();
}

static void wait_for(pid_t pid, int code)
{
    int status;
    if (waitpid(pid, &status, 0) != pid || status != code << 8)
        say("wrong status");
}

static void by_fork(char *name)
{
    char *argv[] = {"again", name, NULL};
    pid_t pid = fork();
    if (!pid) {
        execve("/proc/self/exe", argv, environ);
        _exit(99);
    }
    wait_for(pid, 7);
}

int main(int argc, char **argv)
{
    char *words[] = {"again", "spawned", NULL};
    pid_t pid;
    if (argc > 1) {
        say(argv[1]);
        return 7;
    }
    by_fork("followed");
    by_fork("skipped");
    by_fork("other");
    if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, words, environ) == 0)
        wait_for(pid, 7);
    if (posix_spawn(&pid, "/nowhere", NULL, NULL, words, environ) != 2)
        say("no error");
    pid = fork();
    if (!pid)
        kill(getpid(), SIGTERM);
    int status;
    waitpid(pid, &status, 0);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGTERM)
        say("another end");
    return 0;
}
//> children engine=-follow_execv
//= [plain] start
//= [plain] thread start
//= [plain] before fork
//= [plain] in the child: pid 1, parent 1, thread 0, result 0
//= [plain] child again followed
//= [plain] start
//= [plain] thread start
//= guest: followed
//= [plain] prepare 0
//= [plain] thread end 7
//= [plain] first fini
//= [plain] fini 7, exiting 1, forks 0
//= [plain] last fini
//= [plain] before fork
//= [plain] in the child: pid 1, parent 1, thread 0, result 0
//= [plain] child again skipped
//= guest: skipped
//= [plain] before fork
//= [plain] in the child: pid 1, parent 1, thread 0, result 0
//= [plain] child again other
//= [changed] start
//= [changed] thread start
//= guest: other
//= [changed] prepare 0
//= [changed] thread end 7
//= [changed] first fini
//= [changed] fini 7, exiting 1, forks 0
//= [changed] last fini
//= [plain] child again spawned
//= [plain] start
//= [plain] thread start
//= guest: spawned
//= [plain] prepare 0
//= [plain] thread end 7
//= [plain] first fini
//= [plain] fini 7, exiting 1, forks 0
//= [plain] last fini
//= [plain] before fork
//= [plain] in the child: pid 1, parent 1, thread 0, result 0
//= [plain] prepare 0
//= [plain] thread end -1
//= [plain] first fini
//= [plain] fini -1, exiting 1, forks 3
//= [plain] last fini
//= [plain] prepare 0
//= [plain] thread end 0
//= [plain] first fini
//= [plain] fini 0, exiting 1, forks 4
//= [plain] last fini
//> children
//= [plain] start
//= [plain] thread start
//= [plain] before fork
//= [plain] in the child: pid 1, parent 1, thread 0, result 0
//= guest: followed
//= [plain] before fork
//= [plain] in the child: pid 1, parent 1, thread 0, result 0
//= guest: skipped
//= [plain] before fork
//= [plain] in the child: pid 1, parent 1, thread 0, result 0
//= guest: other
//= guest: spawned
//= [plain] before fork
//= [plain] in the child: pid 1, parent 1, thread 0, result 0
//= [plain] prepare 0
//= [plain] thread end -1
//= [plain] first fini
//= [plain] fini -1, exiting 1, forks 3
//= [plain] last fini
//= [plain] prepare 0
//= [plain] thread end 0
//= [plain] first fini
//= [plain] fini 0, exiting 1, forks 4
//= [plain] last fini
//> children exit=process status=6
//= [plain] start
//> children exit=app status=5
//= [plain] start
//= [plain] prepare 0
//= [plain] thread end 5
//= [plain] first fini
//= [plain] fini 5, exiting 1, forks 0
//= [plain] last fini
