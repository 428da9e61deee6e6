// Children killed by each signal, sent by themselves: the parent sees what happened.
#include "a_guest.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

int main(void)
{
    struct rlimit none = {0, 0};
    CHECK(setrlimit(RLIMIT_CORE, &none) == 0);
    for (int sig = 1; sig <= 64; sig++) {
        if (sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU || sig == 32 || sig == 33)
            continue;
        int status;
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (pid == 0) {
            kill(getpid(), sig);
            _exit(1);
        }
        CHECK(waitpid(pid, &status, 0) == pid);
        if (WIFSIGNALED(status))
            printf("%d: signal %d\n", sig, WTERMSIG(status));
        else
            printf("%d: exit %d\n", sig, WEXITSTATUS(status));
    }
    return 0;
}
