// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// A failing exec returns its errno and leaves the program as it was: threads, memory, handlers, descriptors.
#include "b_check.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>

static volatile int ticks, stop, hits;

static void *tick(void *arg)
{
    while (!stop)
        ticks++;
    return arg;
}

static void on_usr1(int sig)
{
    (void)sig;
    hits++;
}

static void make(const char *name, int mode, const char *text)
{
    int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && fchmod(fd, mode) == 0 && close(fd) == 0);
}

int main(void)
{
    char *args[] = { "x", 0 }, *big = malloc(300000), *many[100];
    pthread_t t;
    CHECK(pthread_create(&t, 0, tick, 0) == 0);
    signal(SIGUSR1, on_usr1);
    make("noexec", 0600, "text");
    make("badformat", 0700, "text that is no program");
    make("nointerp", 0700, "#!/nonexistent/interp\n");
    make("badelf", 0700, "\177ELF\2\1\1 this is not really an ELF file at all, but long enough to be read as its header ....");
    memset(big, 'x', 299999);
    big[299999] = 0;
    for (int i = 0; i < 99; i++)
        many[i] = big;
    many[99] = 0;
    int keep = open("/dev/null", O_RDONLY | O_CLOEXEC);
    for (int i = 0; i < 20; i++) {
        CHECK_ERR(execv("/nonexistent", args), ENOENT);
        CHECK_ERR(execv("noexec", args), EACCES);
        CHECK_ERR(execv("/", args), EACCES);
        CHECK_ERR(execv("badformat", args), ENOEXEC);
        CHECK_ERR(execv("nointerp", args), ENOENT);
        CHECK_ERR(execv("badelf", args), ENOEXEC);
        CHECK_ERR(execv("badformat/x", args), ENOTDIR);
        CHECK_ERR(execv("/bin/true", (char *[]){ big, 0 }), E2BIG);
        CHECK_ERR(execv("/bin/true", many), E2BIG);
        CHECK_ERR(execvp("no-such-program-here", args), ENOENT);
        CHECK_ERR(execv("", args), ENOENT);
    }
    raise(SIGUSR1);
    int was = ticks;
    while (ticks == was)
        sched_yield();
    stop = 1;
    CHECK(pthread_join(t, 0) == 0 && hits == 1 && fcntl(keep, F_GETFD) == FD_CLOEXEC);
    say("failed well\n");
    return 0;
}
