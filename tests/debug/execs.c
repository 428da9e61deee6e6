/* SPDX-License-Identifier: Apache-2.0
 * A guest for gdb: executes itself, from its first thread and from another one, many times, and a program that is not
 * there. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char *self;

static void execute(const char *step)
{
    execl(self, self, step, (char *)NULL);
}

static void *from_thread(void *step)
{
    execute(step);
    return NULL;
}

static void *spin(void *arg)
{
    for (;;)
        ;
    return arg;
}

static void begin(int step)
{
    (void)step;
}

int main(int argc, char **argv)
{
    int step = argc > 1 ? atoi(argv[1]) : 0;
    pthread_t t;
    self = argv[0];
    begin(step);
    if (step == 0)
        execute("1");
    if (step == 1) {
        self = "/nowhere/at/all";
        execute("7");
        int no_file = errno == ENOENT;
        self = argv[0];
        if (no_file && !pthread_create(&t, NULL, from_thread, "2"))
            pthread_join(t, NULL);
    }
    if (step == 2)
        execute("3");
    if (step >= 100 && step < 130 && !pthread_create(&t, NULL, spin, NULL)) { /* beside a thread that runs */
        char next[16];
        snprintf(next, sizeof next, "%d", step + 1);
        execute(next);
    }
    return 40 + step;
}
