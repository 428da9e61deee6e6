// SPDX-License-Identifier: Apache-2.0
// Descriptors pass through sendmsg: the receiver gets the lowest free number, and MSG_CTRUNC when there is no room.
#include "b_check.h"
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>

static int send_fd(int sock, int fd)
{
    union {
        char buf[CMSG_SPACE(sizeof fd)];
        struct cmsghdr align;
    } u = { 0 };
    struct iovec io = { "f", 1 };
    struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = u.buf, .msg_controllen = sizeof u.buf };
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    *c = (struct cmsghdr){ CMSG_LEN(sizeof fd), SOL_SOCKET, SCM_RIGHTS };
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    return sendmsg(sock, &m, 0);
}

static int receive_fd(int sock, int room, int *flags)
{
    char buf[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8))), c;
    struct iovec io = { &c, 1 };
    struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = room ? buf : 0, .msg_controllen = room ? sizeof buf : 0 };
    int fd = -1;
    CHECK(recvmsg(sock, &m, 0) == 1);
    if (CMSG_FIRSTHDR(&m))
        memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
    *flags = m.msg_flags;
    return fd;
}

int main(void)
{
    int sv[2], p[2], flags, status;
    CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, sv) == 0);
    pid_t pid = fork();
    if (!pid) {
        char text[6] = { 0 };
        int fd = receive_fd(sv[1], 1, &flags);
        say("got descriptor %d flags %d\n", fd, flags);
        CHECK(read(fd, text, 5) == 5);
        say("read %s\n", text);
        CHECK(receive_fd(sv[1], 0, &flags) == -1 && flags == MSG_CTRUNC);
        _exit(2);
    }
    CHECK(pipe(p) == 0 && write(p[1], "hello", 5) == 5);
    CHECK(send_fd(sv[0], p[0]) == 1 && send_fd(sv[0], p[0]) == 1);
    CHECK_ERR(send_fd(sv[0], 999), EBADF);
    CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 2);
    return 0;
}
