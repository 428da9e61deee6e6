// SPDX-License-Identifier: Apache-2.0
// All forms of exec: argv and environment arrive exactly, empty argv elements, no argv at all, a replaced environment, fexecve, execveat, scripts.
// test[first]: timeout=60
// test[all]: opts=-follow_execv
#include "b_check.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

extern char **environ;

static int show(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        say("[%s]", argv[i]);
    if (argc == 1)
        say("none, \"%s\" for a name", argv[0]);
    for (char **e = environ; *e; e++)
        if (strncmp(*e, "PATH=", 5) && strncmp(*e, "HOME=", 5) && strncmp(*e, "LC_ALL=", 7))
            say("{%s}", *e);
    say("\n");
    return argc;
}

static void form(int which, char *self)
{
    char *args[] = { "name", "one", "", "three words here", 0 }, *env[] = { "A=1", "B=", "C=x=y", 0 };
    int fd = open(self, O_RDONLY | O_CLOEXEC);
    switch (which) {
    case 0: execv(self, args); break;
    case 1: execve(self, args, env); break;
    case 2: execl(self, "name", "l1", "l2", (char *)0); break;
    case 3: execle(self, "name", "le", (char *)0, env); break;
    case 4: execvp(self, args); break;
    case 5: fexecve(fd, args, env); break;
    case 6: syscall(SYS_execveat, AT_FDCWD, self, args, env, 0); break;
    case 7: syscall(SYS_execveat, fd, "", args, env, AT_EMPTY_PATH); break;
    case 8: execlp("sh", "sh", "-c", "echo $0 $1", "zero", "first", (char *)0); break;
    case 9: execl("./script", "ignored name", "argument", (char *)0); break;
    case 10: execve(self, args, (char *[]){ 0 }); break;
    case 11: syscall(SYS_execve, self, NULL, env); break;
    case 12: syscall(SYS_execveat, fd, "", (char *[]){ 0 }, env, AT_EMPTY_PATH); break;
    case 13: syscall(SYS_execve, "./script", NULL, env); break;
    }
    _exit(99);
}

int main(int argc, char **argv)
{
    int status;
    if (argc > 1 || (argc == 1 && !*argv[0])) // the kernel makes no argv one empty word
        return show(argc, argv);
    int fd = open("script", O_CREAT | O_WRONLY | O_TRUNC, 0700);
    CHECK(fd >= 0 && dprintf(fd, "#!/bin/echo from script\n") > 0 && close(fd) == 0);
    for (int which = 0; which < 14; which++) {
        pid_t pid = fork();
        if (!pid)
            form(which, argv[0]);
        CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
        say("%d: exit %d\n", which, WEXITSTATUS(status));
    }
    CHECK(unlink("script") == 0);
    return 0;
}
