// SPDX-License-Identifier: Apache-2.0
// A thread that beats until the tool has it end, and one that waits in the kernel all the time.
// modes: plain slow
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

volatile uint64_t at_beats, at_waits;

void at_beat(void) { at_beats++; }

int ends(void)
{
    __asm__ volatile("");
    return 0;
}

static void *waits(void *fd)
{
    char c;
    at_waits = 1;
    return read(*(int *)fd, &c, 1) == 1 ? 0 : fd;
}

int main(void)
{
    pthread_t thread;
    void *failed;
    int fd[2];
    if (pipe(fd) || pthread_create(&thread, 0, waits, fd))
        return 2;
    while (!ends())
        at_beat();
    if (write(fd[1], "", 1) != 1)
        return 3;
    pthread_join(thread, &failed);
    return failed != 0;
}
//> reattach
//= session 1: images, all thread starts, 0 attached
//= left: 2 threads, nothing is seen
//= attaching
//= session 2: images, all thread starts, 2 attached
//= left: 2 threads, nothing is seen
//= attaching
//= fini in session 3
