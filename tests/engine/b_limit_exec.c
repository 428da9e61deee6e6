// SPDX-License-Identifier: Apache-2.0
// The limits go with exec, by fork and by vfork; an exec that fails changes nothing; a vfork child's are its own.
#include "b_limit.h"
#include <sys/wait.h>

static void set(int resource, unsigned long soft, unsigned long hard)
{
    struct rlimit r = { soft, hard };
    CHECK(setrlimit(resource, &r) == 0);
}

static void reap(pid_t pid)
{
    int status;
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    say("status %x\n", status);
}

static char *const shell[] = { "sh", "-c", "ulimit -v; ulimit -Hv; ulimit -d; ulimit -Hd; exec sh -c 'ulimit -v; ulimit -d'", 0 };

int main(void)
{
    limit_show("as", RLIMIT_AS);
    pid_t pid = vfork();
    if (!pid) {
        struct rlimit r = { 400 << 20, 500 << 20 };
        if (setrlimit(RLIMIT_AS, &r) || getrlimit(RLIMIT_AS, &r) || r.rlim_cur != 400 << 20)
            _exit(1);
        execv("/no/such/program", shell);
        execv("/bin/sh", shell);
        _exit(2);
    }
    reap(pid);
    limit_show("as after the child", RLIMIT_AS);
    set(RLIMIT_AS, 300 << 20, 600 << 20);
    set(RLIMIT_DATA, 30 << 20, INF);
    CHECK_ERR(execv("/no/such/program", shell), ENOENT);
    CHECK_ERR(execv("/etc/passwd", shell), EACCES);
    limit_show("as after exec", RLIMIT_AS);
    CHECK(system("ulimit -v; ulimit -d") == 0);
    pid = fork();
    if (!pid) {
        limit_show("as in the child", RLIMIT_AS);
        execv("/bin/sh", shell);
        _exit(2);
    }
    reap(pid);
    CHECK(limit_map(20000, PROT_NONE, MAP_PRIVATE) != MAP_FAILED);
    return 0;
}
