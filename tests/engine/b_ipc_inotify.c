// SPDX-License-Identifier: Apache-2.0
// inotify reports create, write, move and delete in order, with names and cookies; flock excludes a child.
#include "b_check.h"
#include <fcntl.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/wait.h>

int main(void)
{
    char dir[] = "/tmp/b_ipc_inotify_XXXXXX", buf[4096] __attribute__((aligned(8)));
    CHECK(mkdtemp(dir) && chdir(dir) == 0);
    int in = inotify_init1(IN_NONBLOCK), fd, status;
    CHECK(inotify_add_watch(in, ".", IN_ALL_EVENTS) == 1);
    CHECK((fd = open("one", O_CREAT | O_RDWR, 0600)) >= 0 && write(fd, "x", 1) == 1 && rename("one", "two") == 0);
    CHECK(flock(fd, LOCK_EX) == 0);
    pid_t pid = fork();
    if (!pid) {
        int again = open("two", O_RDWR);
        CHECK_ERR(flock(again, LOCK_EX | LOCK_NB), EWOULDBLOCK);
        CHECK(flock(fd, LOCK_UN) == 0 && flock(again, LOCK_EX | LOCK_NB) == 0);
        _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0 && close(fd) == 0 && unlink("two") == 0);
    int n = read(in, buf, sizeof buf);
    CHECK(n > 0);
    for (char *p = buf; p < buf + n;) {
        struct inotify_event *e = (void *)p;
        say("%x %s %d\n", e->mask, e->len ? e->name : "", e->cookie != 0);
        p += sizeof *e + e->len;
    }
    CHECK(chdir("/") == 0 && rmdir(dir) == 0);
    return 0;
}
