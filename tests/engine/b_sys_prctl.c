// SPDX-License-Identifier: Apache-2.0
// prctl: name, dumpable, pdeathsig, no_new_privs, keepcaps, timerslack, subreaper, and what wrong options give.
#include "b_check.h"
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>

int main(void)
{
    char name[17] = { 0 };
    int v = -1, status;
    CHECK(prctl(PR_GET_NAME, name) == 0);
    say("name %s\n", name);
    CHECK(prctl(PR_SET_NAME, "a name longer than sixteen") == 0 && prctl(PR_GET_NAME, name) == 0);
    say("name %s dumpable %d\n", name, prctl(PR_GET_DUMPABLE));
    CHECK(prctl(PR_SET_DUMPABLE, 0) == 0 && prctl(PR_GET_DUMPABLE) == 0 && prctl(PR_SET_DUMPABLE, 1) == 0);
    CHECK_ERR(prctl(PR_SET_DUMPABLE, 7), EINVAL);
    CHECK(prctl(PR_GET_PDEATHSIG, &v) == 0 && v == 0);
    CHECK(prctl(PR_SET_PDEATHSIG, SIGUSR1) == 0 && prctl(PR_GET_PDEATHSIG, &v) == 0 && v == SIGUSR1);
    CHECK_ERR(prctl(PR_SET_PDEATHSIG, 999), EINVAL);
    say("no_new_privs %d\n", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    say("no_new_privs %d keepcaps %d seccomp %d\n", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), prctl(PR_GET_KEEPCAPS), prctl(PR_GET_SECCOMP));
    CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 && prctl(PR_GET_CHILD_SUBREAPER, &v) == 0 && v == 1);
    CHECK_ERR(prctl(9999, 0), EINVAL);
    pid_t pid = fork();
    if (!pid) {
        CHECK(prctl(PR_GET_PDEATHSIG, &v) == 0 && v == 0 && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
        _exit(3);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 3);
    int was = personality(0xffffffff);
    CHECK(was >= 0 && personality(was | ADDR_NO_RANDOMIZE) == was && personality(0xffffffff) == (was | ADDR_NO_RANDOMIZE));
    CHECK(personality(was) >= 0);
    say("prctl ok\n");
    return 0;
}
