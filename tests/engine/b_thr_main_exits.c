// test: cc=-pthread
// test: status=17
// SPDX-License-Identifier: Apache-2.0
// main leaves by pthread_exit, the others go on with the same pid, and the last one's exit() gives the status.
#include "b_check.h"
#include <pthread.h>
#include <sys/syscall.h>

static pthread_t main_thread;
static int pid;

static void *first(void *arg)
{
    CHECK(pthread_join(main_thread, 0) == 0);
    CHECK(getpid() == pid && syscall(SYS_gettid) != pid);
    char state = 0, line[256], *end;
    while (state != 'Z') { /* the leader becomes a zombie soon after its tid is cleared */
        FILE *f = fopen("/proc/self/stat", "r");
        CHECK(f && fgets(line, sizeof line, f) && (end = strrchr(line, ')')));
        state = end[2];
        fclose(f);
    }
    say("leader state %c\n", state);
    return arg;
}

static void *second(void *arg)
{
    CHECK(pthread_join(*(pthread_t *)arg, 0) == 0);
    say("last one\n");
    exit(17);
}

int main(void)
{
    static pthread_t a, b;
    main_thread = pthread_self();
    pid = getpid();
    CHECK(pthread_create(&a, 0, first, 0) == 0 && pthread_create(&b, 0, second, &a) == 0);
    pthread_exit((void *)3L);
}
