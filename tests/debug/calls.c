/* SPDX-License-Identifier: Apache-2.0
 * A guest for a debugger: system calls that no signal ends, and some that may wait. With an argument three threads make
 * the former until SIGUSR1 comes. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define TIMES 2000

static volatile sig_atomic_t stop;
static void on_signal(int sig) { stop = sig; }

static void *often(void *wrong)
{
    struct stat s;
    while (!stop)
        if (stat("/", &s) || !S_ISDIR(s.st_mode) || getppid() < 0)
            *(int *)wrong = 1;
    return NULL;
}

static int with_threads(void)
{
    pthread_t thread[3];
    int wrong[3] = {0};
    signal(SIGUSR1, on_signal);
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, often, &wrong[i]);
    puts("ready");
    fflush(stdout);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return printf("wrong %d %d %d\n", wrong[0], wrong[1], wrong[2]) < 0;
}

int main(int argc, char **argv)
{
    struct stat s;
    char byte;
    (void)argv;
    if (argc > 1)
        return with_threads();
    int zero = open("/dev/zero", O_RDONLY), good = 0;
    for (int i = 0; i < TIMES; i++)
        good += !stat("/", &s) && getppid() >= 0 && !access("/", R_OK) && read(zero, &byte, 1) == 1;
    printf("good %d\n", good);
    return 0;
}
