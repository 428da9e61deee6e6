// SPDX-License-Identifier: Apache-2.0
// kill and sigqueue from a child: the handler sees the child's pid and uid, the code and the value.
#include "b_check.h"
#include <signal.h>
#include <sys/wait.h>

static volatile siginfo_t seen;
static volatile int hits;

static void on_signal(int sig, siginfo_t *si, void *uc)
{
    (void)sig, (void)uc;
    memcpy((void *)&seen, si, sizeof *si);
    hits++;
}

int main(void)
{
    struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
    int status;
    sigaction(SIGUSR1, &sa, 0);
    sigaction(SIGUSR2, &sa, 0);
    for (int i = 0; i < 20; i++) {
        hits = 0;
        pid_t pid = fork();
        if (!pid) {
            if (i % 2)
                kill(getppid(), SIGUSR1);
            else
                sigqueue(getppid(), SIGUSR2, (union sigval){ .sival_ptr = (void *)0x123456789abul });
            _exit(0);
        }
        while (waitpid(pid, &status, 0) == -1)
            CHECK(errno == EINTR);
        CHECK(hits == 1 && seen.si_pid == pid && seen.si_uid == getuid());
        CHECK(seen.si_code == (i % 2 ? SI_USER : SI_QUEUE) && seen.si_signo == (i % 2 ? SIGUSR1 : SIGUSR2));
        CHECK(i % 2 || seen.si_value.sival_ptr == (void *)0x123456789abul);
    }
    say("from child ok\n");
    return 0;
}
