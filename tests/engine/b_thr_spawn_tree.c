// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// Threads made by several threads at once: a tree of 5 levels with 3 children each, each counted once.
#include "b_check.h"
#include <pthread.h>

static int count[6];

static void *node(void *arg)
{
    long level = (long)arg;
    pthread_t t[3];
    __atomic_fetch_add(&count[level], 1, __ATOMIC_SEQ_CST);
    if (level == 5)
        return 0;
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&t[i], 0, node, (void *)(level + 1)) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_join(t[i], 0) == 0);
    return 0;
}

int main(void)
{
    node(0);
    for (int i = 0; i < 6; i++)
        say("level %d: %d\n", i, count[i]);
    return 0;
}
