// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// Sockets: a pair, TCP over loopback with 1 MB through a thread, refused connections, shutdown.
#include "b_check.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>

static struct sockaddr_in addr = { .sin_family = AF_INET };

static void *client(void *arg)
{
    static unsigned char buf[1 << 20];
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(connect(fd, (struct sockaddr *)&addr, sizeof addr) == 0);
    for (unsigned i = 0; i < sizeof buf; i++)
        buf[i] = i * 7 ^ i >> 8;
    for (size_t done = 0; done < sizeof buf;) {
        ssize_t n = send(fd, buf + done, sizeof buf - done, 0);
        CHECK(n > 0);
        done += n;
    }
    CHECK(shutdown(fd, SHUT_WR) == 0 && recv(fd, buf, 4, MSG_WAITALL) == 4 && !memcmp(buf, "done", 4));
    close(fd);
    return arg;
}

int main(void)
{
    int sv[2], ls = socket(AF_INET, SOCK_STREAM, 0);
    char buf[5000];
    socklen_t len = sizeof addr;
    addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(bind(ls, (struct sockaddr *)&addr, sizeof addr) == 0 && getsockname(ls, (struct sockaddr *)&addr, &len) == 0 && listen(ls, 1) == 0);
    pthread_t t;
    CHECK(pthread_create(&t, 0, client, 0) == 0);
    int fd = accept4(ls, 0, 0, SOCK_CLOEXEC);
    unsigned long sum = 0, bytes = 0;
    for (ssize_t n; (n = recv(fd, buf, sizeof buf, 0)) > 0; bytes += n)
        for (ssize_t i = 0; i < n; i++)
            sum = sum * 31 + (unsigned char)buf[i];
    CHECK(send(fd, "done", 4, MSG_NOSIGNAL) == 4);
    pthread_join(t, 0);
    say("bytes %lu sum %lx\n", bytes, sum);
    close(ls);
    int c = socket(AF_INET, SOCK_STREAM, 0);
    CHECK_ERR(connect(c, (struct sockaddr *)&addr, sizeof addr), ECONNREFUSED);
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sv) == 0 && send(sv[0], "abc", 3, 0) == 3 && send(sv[0], "de", 2, 0) == 2);
    CHECK(recv(sv[1], buf, 10, 0) == 3 && recv(sv[1], buf, 10, 0) == 2 && close(sv[0]) == 0);
    CHECK_ERR(send(sv[1], "x", 1, MSG_NOSIGNAL), EPIPE);
    return 0;
}
