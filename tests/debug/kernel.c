/* SPDX-License-Identifier: Apache-2.0
 * A guest for gdb: memory that is watched, written by the kernel in system calls of all kinds, and around a handler. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct {
    char before[8], text[16], after[8];
} buffer;
struct stat status;
struct timespec left;
int ends[2], pair[2], handled;
siginfo_t got;

static void handler(int sig, siginfo_t *info, void *context)
{
    (void)context;
    got = *info;
    handled = sig;
}

static void say(void)
{
    printf("%.16s\n", buffer.text);
    fflush(stdout);
}

int main(void)
{
    struct sigaction act = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    sigaction(SIGUSR1, &act, NULL);
    pipe(ends);
    write(ends[1], "one two three fxu", 17);
    read(ends[0], buffer.text, 3);
    say();
    read(ends[0], buffer.before, 8);
    read(ends[0], buffer.text + 4, 2); /* not the watched byte */
    struct iovec v[2] = {{buffer.before, 2}, {buffer.text, 2}};
    readv(ends[0], v, 2);
    say();
    socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
    send(pair[0], "message", 7, 0);
    struct iovec whole = {&buffer, sizeof buffer};
    struct msghdr m = {.msg_iov = &whole, .msg_iovlen = 1};
    whole.iov_base = buffer.text;
    recvmsg(pair[1], &m, 0);
    say();
    fstat(ends[0], &status);
    raise(SIGUSR1);
    buffer.text[0] = 'x';
    say();
    return handled;
}
