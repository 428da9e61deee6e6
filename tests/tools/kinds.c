/* SPDX-License-Identifier: Apache-2.0
 * For strace: calls with arguments of all kinds. The test knows how each must be printed. With an argument: also a call by int $0x80. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static int calls(void)
{
    int ends[2], pair[2];
    char a[2], b[8], text[] = "0123456789abcdefghijklmnopqrstuvwxyz\n";
    struct iovec out[2] = {{"ab", 2}, {"\"\n", 2}}, in[2] = {{a, 2}, {b, 8}};
    struct msghdr message = {.msg_iov = out, .msg_iovlen = 1}, answer = {.msg_iov = in, .msg_iovlen = 2};
    struct timespec time = {0, 1000};
    if (pipe2(ends, O_CLOEXEC) || writev(ends[1], out, 2) != 4 || readv(ends[0], in, 2) != 4 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        return 1;
    if (sendmsg(pair[0], &message, 0) != 2 || recvmsg(pair[1], &answer, 0) != 2 || write(ends[1], text, sizeof text - 1) < 0)
        return 2;
    umask(027);
    umask(0);
    if (syscall(SYS_tgkill, getpid(), getpid(), SIGURG) || syscall(SYS_nanosleep, &time, NULL) || open("/none/\\", O_RDONLY) >= 0)
        return 3;
    if (syscall(SYS_mmap, NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == -1 || lseek(ends[0], -3, SEEK_CUR) != -1)
        return 4;
    syscall(999, 1, 2, 3, 4, 5, 6);
    return 0;
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        long result = 20; /* getpid of i386 */
        __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
        return result != getpid();
    }
    return calls();
}
