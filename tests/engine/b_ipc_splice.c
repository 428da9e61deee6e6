// SPDX-License-Identifier: Apache-2.0
// readv, writev, preadv, sendfile, splice, tee, copy_file_range move the bytes that they should.
#include "b_check.h"
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

int main(void)
{
    char buf[128], a[4], b[5], name[] = "/tmp/b_ipc_splice_XXXXXX", name2[] = "/tmp/b_ipc_splice_XXXXXX";
    int fd = mkstemp(name), to = mkstemp(name2), p[2], q[2];
    off_t off = 4;
    CHECK(unlink(name) == 0 && unlink(name2) == 0 && pipe(p) == 0 && pipe(q) == 0);
    struct iovec w[3] = { { "abc", 3 }, { "", 0 }, { "defghijklm", 10 } }, r[2] = { { a, 4 }, { b, 5 } };
    CHECK(writev(fd, w, 3) == 13 && lseek(fd, 0, SEEK_SET) == 0);
    CHECK(readv(fd, r, 2) == 9 && !memcmp(a, "abcd", 4) && !memcmp(b, "efghi", 5));
    CHECK(preadv(fd, r, 2, 2) == 9 && !memcmp(a, "cdef", 4));
    CHECK(sendfile(p[1], fd, &off, 5) == 5 && off == 9);
    CHECK(tee(p[0], q[1], 100, 0) == 5);
    CHECK(read(p[0], buf, 100) == 5 && !memcmp(buf, "efghi", 5));
    off = 0;
    CHECK(splice(q[0], 0, to, &off, 100, 0) == 5 && off == 5);
    off = 1;
    loff_t out = 5;
    CHECK(copy_file_range(fd, &off, to, &out, 3, 0) == 3);
    CHECK(pread(to, buf, 100, 0) == 8);
    say("%.8s\n", buf);
    CHECK(vmsplice(p[1], &(struct iovec){ "vm", 2 }, 1, 0) == 2 && read(p[0], buf, 10) == 2);
    CHECK(fallocate(to, 0, 0, 10000) == 0 && lseek(to, 0, SEEK_END) == 10000);
    say("moved ok\n");
    return 0;
}
