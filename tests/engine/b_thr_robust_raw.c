// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// Robust lists as the kernel sees them: a lock that a thread has taken but not yet noted, one that is another's, one between unlock and wake; and a child of fork, which has no list.
#include "b_check.h"
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/wait.h>

struct lock {
    struct robust_list list;
    uint32_t word;
};

static struct robust_list_head head;
static struct lock noted, pending, foreign;

static void *taker(void *arg)
{
    uint32_t tid = (uint32_t)syscall(SYS_gettid);
    head = (struct robust_list_head){ { &noted.list }, offsetof(struct lock, word), &pending.list };
    noted.list.next = &foreign.list;
    foreign.list.next = &head.list;
    noted.word = tid | FUTEX_WAITERS;
    foreign.word = 1;
    pending.word = arg ? 0 : tid;
    CHECK(syscall(SYS_set_robust_list, &head, sizeof head) == 0);
    return 0;
}

static void take_and_end(void *arg)
{
    pthread_t t;
    CHECK(pthread_create(&t, 0, taker, arg) == 0 && pthread_join(t, 0) == 0);
    say("noted %x, another's %x, pending %x\n", noted.word, foreign.word, pending.word);
}

int main(void)
{
    void *list = 0;
    size_t bytes = 0;
    int status;
    take_and_end(0);
    take_and_end(&status);
    CHECK(syscall(SYS_get_robust_list, 0, &list, &bytes) == 0);
    say("a list %d of %zu bytes\n", list != 0, bytes);
    long pid = syscall(SYS_fork);
    if (!pid) {
        CHECK(syscall(SYS_get_robust_list, 0, &list, &bytes) == 0);
        say("child: a list %d of %zu bytes\n", list != 0, bytes);
        _exit(0);
    }
    CHECK(waitpid((pid_t)pid, &status, 0) == pid);
    return status;
}
