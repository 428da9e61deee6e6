/* SPDX-License-Identifier: Apache-2.0
 * For taint: bytes of a file, which is descriptor 100, that go out past the program's memory, through pipes and in pieces. */
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int in = argc > 2 ? open(argv[1], O_RDONLY) : -1, copy = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600), ends[2], more[2], pair[2];
    char a[2], b[2], c[4] = "....";
    struct iovec pieces[2] = {{a, 2}, {b, 2}}, turned[2] = {{b, 2}, {a, 2}};
    struct msghdr message = {.msg_iov = turned, .msg_iovlen = 2};
    if (in < 0 || copy < 0 || pipe(ends) || pipe(more) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        return 1;
    in = dup2(in, 100); /* so that the test knows them */
    copy = dup2(copy, 101);
    ends[1] = dup2(ends[1], 102);
    pair[0] = dup2(pair[0], 103);
    more[1] = dup2(more[1], 104);
    if (sendfile(1, in, NULL, 4) != 4)                                                                 /* input 0 to 3 */
        return 2;
    if (splice(in, NULL, ends[1], NULL, 4, 0) != 4 || splice(ends[0], NULL, 1, NULL, 4, 0) != 4)       /* 4 to 7 */
        return 3;
    if (copy_file_range(in, NULL, copy, NULL, 4, 0) != 4)                                              /* 8 to 11 */
        return 4;
    if (readv(in, pieces, 2) != 4 || writev(1, turned, 2) != 4 || sendmsg(pair[0], &message, 0) != 4)  /* 14 15 12 13 */
        return 5;
    if (write(ends[1], "x", 1) != 1 || write(ends[1], a, 2) != 2 || read(ends[0], c, 4) != 3 || write(1, c, 4) != 4) /* none 12 13 none */
        return 6;
    if (pread(copy, a, 2, 0) != 2 || write(1, a, 2) != 2) /* what files hold is not followed */
        return 7;
    if (splice(in, NULL, ends[1], NULL, 2, 0) != 2 || tee(ends[0], more[1], 2, 0) != 2) /* 16 17 in both pipes */
        return 8;
    if (read(ends[0], a, 2) != 2 || write(1, a, 2) != 2 || read(more[0], b, 2) != 2 || write(1, b, 2) != 2)
        return 9;
    if (vmsplice(ends[1], pieces, 2, 0) != 4 || read(ends[0], c, 4) != 4 || write(1, c, 4) != 4) /* 16 17 16 17 */
        return 10;
    return 0;
}
