/* SPDX-License-Identifier: Apache-2.0
 * A guest for a debugger: reads and writes of files, which no signal ends, and the same numbers for what a signal does
 * end. With an argument, a descriptor that was a file is its standard input, a socket with a timeout, afterwards, got in
 * that way; a read there comes back with EINTR if anything has ended it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIMES 1000
#define NUMBER 50 /* of the descriptor */

static int fill(int fd)
{
    char bytes[64] = {1}, back[64];
    int good = 0;
    for (int i = 0; i < TIMES; i++)
        good += pwrite(fd, bytes, sizeof bytes, 0) == 64 && pread(fd, back, sizeof back, 0) == 64 && back[0] == 1 &&
                lseek(fd, 0, SEEK_SET) == 0 && read(fd, back, 1) == 1 && write(fd, bytes, 1) == 1;
    return good;
}

static int temporary(void)
{
    char name[] = "/tmp/linchpin-files-XXXXXX";
    int fd = mkstemp(name);
    unlink(name);
    return fd;
}

static int closes(void *unused)
{
    (void)unused;
    close(NUMBER);
    return fcntl(0, F_DUPFD, NUMBER) != NUMBER;
}

/* The standard input gets the number. */
static void change(const char *way)
{
    static char stack[65536] __attribute__((aligned(16)));
    int status = 0;
    if (!strcmp(way, "dup2"))
        dup2(0, NUMBER);
    else if (!strcmp(way, "dup3"))
        dup3(0, NUMBER, O_CLOEXEC);
    else if (!strcmp(way, "range"))
        syscall(SYS_close_range, NUMBER, NUMBER, 0);
    else if (!strcmp(way, "shared")) /* by another process, which has the same descriptors, but not the memory */
        waitpid(clone(closes, stack + sizeof stack, CLONE_FILES | SIGCHLD, NULL), &status, 0);
    else
        close(NUMBER);
    if (fcntl(NUMBER, F_GETFD) < 0)
        fcntl(0, F_DUPFD, NUMBER);
}

int main(int argc, char **argv)
{
    int file = dup2(temporary(), NUMBER);
    printf("good %d\n", fill(file));
    if (argc < 2)
        return 0;
    change(argv[1]);
    struct timeval most = {600, 0};
    setsockopt(0, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    char byte = 0;
    for (;;) {
        puts("reads");
        fflush(stdout);
        long n = read(NUMBER, &byte, 1);
        if (n != 1)
            perror("read");
        if (n != 1 || byte == 'q')
            return n != 1;
    }
}
