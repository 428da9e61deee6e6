// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// fork while another thread changes what belongs to the process: signal actions, files that show the process, an execve that
// fails under a limit. The child's state is whole: what it is told of an action is what happens, files tell of the program
// only, and it may have all the memory that its limit allows.
#include "b_check.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

static volatile int stop, caught, maps_fd = -1;

static void handler(int sig) { caught = sig; }

static void *change_actions(void *arg)
{
    for (int i = 0; !stop; i++)
        CHECK(signal(SIGUSR1, i & 1 ? SIG_IGN : handler) != SIG_ERR);
    return arg;
}

static int check_action(void)
{
    struct sigaction now;
    CHECK(sigaction(SIGUSR1, NULL, &now) == 0);
    caught = 0;
    CHECK(raise(SIGUSR1) == 0);
    return caught == (now.sa_handler == SIG_IGN ? 0 : SIGUSR1);
}

static int reads_well(int fd)
{
    static __thread char text[1 << 16];
    ssize_t n, all = 0;
    while (all < (ssize_t)sizeof text - 1 && (n = read(fd, text + all, sizeof text - 1 - (size_t)all)) > 0)
        all += n;
    text[all] = 0;
    return !strstr(text, "linchpin-vm");
}

static void *open_maps(void *arg)
{
    while (!stop) {
        int fd = open("/proc/self/maps", O_RDONLY);
        CHECK(fd >= 0);
        maps_fd = fd;
        CHECK(reads_well(fd));
        CHECK(lseek(fd, 0, SEEK_SET) == 0);
        maps_fd = -1;
        close(fd);
    }
    return arg;
}

/* Two threads, so that one closes the only such file while the other opens one. */
static void *open_maps_twice(void *arg)
{
    pthread_t t;
    CHECK(pthread_create(&t, NULL, open_maps, arg) == 0);
    open_maps(arg);
    CHECK(pthread_join(t, NULL) == 0);
    return arg;
}

static int check_maps(void) { return maps_fd < 0 || reads_well(maps_fd); }

static void *fail_to_exec(void *arg)
{
    char *args[] = {arg, NULL};
    while (!stop)
        CHECK_ERR(execv(arg, args), ENOEXEC);
    return arg;
}

#define LIMIT (1ul << 30)

/* All of it, less what the program has. */
static int check_limit(void)
{
    char line[256];
    unsigned long have = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmSize: %lu", &have) == 1)
            break;
    CHECK(have && have << 10 < LIMIT);
    return mmap(NULL, LIMIT - (have << 10) - (1 << 20), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED;
}

static int fork_often(void *(*change)(void *), void *arg, int (*check)(void))
{
    pthread_t t;
    int bad = 0, status;
    stop = 0;
    CHECK(pthread_create(&t, NULL, change, arg) == 0);
    for (int i = 0; i < 100; i++) {
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (!pid)
            _exit(check() ? 0 : 3);
        CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3));
        bad += WEXITSTATUS(status) != 0;
    }
    stop = 1;
    CHECK(pthread_join(t, NULL) == 0);
    return bad;
}

int main(void)
{
    const struct rlimit limit = {LIMIT, RLIM_INFINITY};
    int fd = open("no program", O_CREAT | O_WRONLY, 0755);
    CHECK(fd >= 0 && write(fd, "\x7f" "ELF", 4) == 4 && close(fd) == 0);
    CHECK(signal(SIGUSR1, handler) == SIG_DFL);
    say("actions: %d bad\n", fork_often(change_actions, NULL, check_action));
    say("maps: %d bad\n", fork_often(open_maps_twice, NULL, check_maps));
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    say("limits: %d bad\n", fork_often(fail_to_exec, "no program", check_limit));
    return 0;
}
