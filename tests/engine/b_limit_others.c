// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// Under small limits of all kinds the program goes on as natively: new code is met, threads start, /proc can be read, children run.
#include "b_limit.h"
#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static void *thread(void *arg)
{
    char text[64];
    strftime(text, sizeof text, "%Y", gmtime(&(time_t){ 1000000000 }));
    return arg ? 0 : strdup(text);
}

static void lower(int resource, unsigned long soft)
{
    struct rlimit r;
    CHECK(getrlimit(resource, &r) == 0);
    r.rlim_cur = soft;
    CHECK(setrlimit(resource, &r) == 0);
}

int main(void)
{
    unsigned long all, data;
    char line[256];
    int status;
    pthread_t t;
    void *result;
    CHECK(pthread_create(&t, 0, thread, (void *)1) == 0 && pthread_join(t, 0) == 0); /* its stack and heap are there now */
    limit_sums(&all, &data);
    lower(RLIMIT_AS, all + 300 * PAGE);
    lower(RLIMIT_DATA, data + 200 * PAGE);
    lower(RLIMIT_MEMLOCK, 0);
    lower(RLIMIT_FSIZE, 1000); /* the output is shorter */
    lower(RLIMIT_CORE, 0);
    lower(RLIMIT_STACK, 1 << 20);
    lower(RLIMIT_NOFILE, 5);
    CHECK(pthread_create(&t, 0, thread, 0) == 0 && pthread_join(t, &result) == 0);
    say("%s\n", (char *)result);
    static const char *const files[] = { "maps", "smaps", "status", "stat", "limits" };
    for (int i = 0; i < 5; i++) {
        snprintf(line, sizeof line, "/proc/self/%s", files[i]);
        int fd = open(line, O_RDONLY), n;
        CHECK(fd == 3);
        while ((n = read(fd, line, sizeof line)) > 0)
            ;
        say("%s %d %d\n", files[i], n, close(fd));
    }
    pid_t pid = fork();
    if (!pid) {
        qsort(line, 100, 1, (int (*)(const void *, const void *))strcmp);
        _exit(isalpha('x') ? 3 : 4);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    say("child %x\n", status);
    raise(SIGCONT);
    return 0;
}
