// System calls that write into code: read, pread, readv, recv, recvmsg, process_vm_readv, getcwd, clock_gettime.
#include "a_guest.h"
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

static uint8_t *m, code[CODE_RETURN_BYTES];
static int next = 1;

static const uint8_t *fresh(void)
{
    CHECK(code_call(m) == next - 1);
    code_return(code, next++);
    return code;
}
static void expect(const char *what, ssize_t got)
{
    printf("%s %zd %d\n", what, got, code_call(m));
}

int main(void)
{
    int fd = memfd_create("source", 0), pipe_fd[2], sock[2], dgram[2];
    CHECK(fd >= 0 && pipe(pipe_fd) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, sock) == 0 && socketpair(AF_UNIX, SOCK_DGRAM, 0, dgram) == 0);
    m = arena_map(0, 1, PROT_READ | PROT_WRITE | PROT_EXEC);
    code_return(m, 0);
    for (int i = 0; i < 3; i++) {
        struct iovec iov[2] = {{m, 3}, {m + 3, 3}}, from = {code, sizeof code}, to = {m, sizeof code};
        CHECK(write(pipe_fd[1], fresh(), sizeof code) == sizeof code);
        expect("read", read(pipe_fd[0], m, PAGE));
        CHECK(pwrite(fd, fresh(), sizeof code, 0) == sizeof code);
        expect("pread", pread(fd, m, sizeof code, 0));
        CHECK(pwrite(fd, fresh(), sizeof code, 0) == sizeof code);
        CHECK(lseek(fd, 0, SEEK_SET) == 0);
        expect("readv", readv(fd, iov, 2));
        CHECK(pwrite(fd, fresh(), sizeof code, 0) == sizeof code);
        expect("preadv", preadv(fd, iov, 2, 0));
        CHECK(send(sock[0], fresh(), sizeof code, 0) == sizeof code);
        expect("recv", recv(sock[1], m, sizeof code, 0));
        /* What the kernel has taken from the queue and cannot write is lost. */
        CHECK(send(dgram[0], fresh(), sizeof code, 0) == sizeof code);
        expect("recv of a datagram", recv(dgram[1], m, sizeof code, MSG_DONTWAIT));
        CHECK(send(dgram[0], fresh(), sizeof code, 0) == sizeof code);
        expect("recvmsg of a datagram", recvmsg(dgram[1], &(struct msghdr){.msg_iov = iov, .msg_iovlen = 2}, MSG_DONTWAIT));
        fresh();
        expect("process_vm_readv", process_vm_readv(getpid(), &to, 1, &from, 1, 0));
        fresh();
        expect("process_vm_writev", process_vm_writev(getpid(), &from, 1, &to, 1, 0));
    }
    CHECK(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, m + 64) == 0);
    printf("%d %d\n", code_call(m), ((struct timespec *)(m + 64))->tv_nsec < 1000000000);
    return 0;
}
