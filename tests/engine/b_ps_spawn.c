// SPDX-License-Identifier: Apache-2.0
// posix_spawn: success with file actions and attributes, ENOENT and EACCES to the parent; system(); popen both ways.
#include "b_check.h"
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

int main(void)
{
    pid_t pid;
    int status, p[2];
    char buf[64] = { 0 }, *argv[] = { "sh", "-c", "echo spawned $X; exit 7", 0 }, *env[] = { "X=value", "PATH=/bin:/usr/bin", 0 };
    CHECK(posix_spawn(&pid, "/nonexistent", 0, 0, argv, environ) == ENOENT);
    CHECK(posix_spawn(&pid, "/etc/passwd", 0, 0, argv, environ) == EACCES);
    CHECK(posix_spawnp(&pid, "no-such-program-here", 0, 0, argv, environ) == ENOENT);
    CHECK_ERR(waitpid(-1, &status, 0), ECHILD);
    posix_spawn_file_actions_t fa;
    posix_spawnattr_t at;
    sigset_t set;
    CHECK(pipe(p) == 0 && posix_spawn_file_actions_init(&fa) == 0 && posix_spawnattr_init(&at) == 0);
    CHECK(posix_spawn_file_actions_adddup2(&fa, p[1], 1) == 0 && posix_spawn_file_actions_addclose(&fa, p[0]) == 0);
    sigemptyset(&set);
    CHECK(posix_spawnattr_setsigmask(&at, &set) == 0 && posix_spawnattr_setflags(&at, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP) == 0);
    for (int i = 0; i < 5; i++) {
        CHECK(posix_spawnp(&pid, "sh", &fa, &at, argv, env) == 0);
        CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7);
        memset(buf, 0, sizeof buf);
        CHECK(read(p[0], buf, sizeof buf) == 14 && !strcmp(buf, "spawned value\n"));
    }
    say("system %d\n", system("exit 9") >> 8);
    say("system signal %d\n", system("kill -TERM $$") & 127);
    FILE *f = popen("cat; exit 4", "w");
    CHECK(f && fputs("through popen\n", f) >= 0);
    say("pclose %d\n", pclose(f) >> 8);
    CHECK((f = popen("echo back", "r")) && fgets(buf, sizeof buf, f) && !strcmp(buf, "back\n") && pclose(f) == 0);
    return 0;
}
