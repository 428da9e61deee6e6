// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// main leaves by pthread_exit and the last thread just returns: atexit handlers run, the status is 0.
#include "b_check.h"
#include <pthread.h>

static pthread_t main_thread;

static void at_exit(void)
{
    say("atexit runs\n");
}

static void *body(void *arg)
{
    CHECK(pthread_join(main_thread, 0) == 0);
    say("alone now\n");
    return arg;
}

int main(void)
{
    pthread_t t;
    main_thread = pthread_self();
    CHECK(atexit(at_exit) == 0 && pthread_create(&t, 0, body, 0) == 0 && pthread_detach(t) == 0);
    pthread_exit(0);
}
