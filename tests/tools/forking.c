/* SPDX-License-Identifier: Apache-2.0
 * Forks again and again while another thread is busy with what makes tools take their locks: misses of caches, jumps to other places than the last time, memory, calls. Each child does
 * the same for a while and ends; a lock that was taken over the fork would stop it for ever. Prints how many children ended as they should. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORKS = 10, BYTES = 1 << 18, ROUNDS = 64 };

static volatile char bytes[BYTES];
static volatile int over;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define PLACE(n) __attribute__((noinline)) static int place_##n(int i) { return bytes[(i * 4096 + n * 64) % BYTES]++ + n; }
PLACE(0) PLACE(1) PLACE(2) PLACE(3) PLACE(4) PLACE(5) PLACE(6) PLACE(7)
static int (*volatile places[8])(int) = {place_0, place_1, place_2, place_3, place_4, place_5, place_6, place_7};

static void work(void)
{
    for (int i = 0; i < ROUNDS; i++)
        free(malloc((size_t)places[i % 8](i) % 100 + 1));
}

static void *busy(void *unused)
{
    while (!over) {
        work();
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void)
{
    pthread_t other;
    int good = 0, status;
    pthread_create(&other, NULL, busy, NULL);
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        if (!child) {
            work();
            _exit(7);
        }
        good += waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7;
    }
    over = 1;
    pthread_join(other, NULL);
    printf("%d children\n", good);
    return 0;
}
