// The guest sees its own three file descriptors, gets the lowest free one, and may close them all.
#include "a_guest.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>

int main(void)
{
    DIR *d = opendir("/proc/self/fd");
    struct dirent *e;
    int seen = 0;
    CHECK(d);
    while ((e = readdir(d)))
        seen += e->d_name[0] != '.';
    printf("%d open, one of them %d\n", seen, dirfd(d));
    closedir(d);
    struct rlimit lim;
    CHECK(getrlimit(RLIMIT_NOFILE, &lim) == 0);
    for (int fd = 3; fd < 1100; fd++) {
        errno = 0;
        CHECK(close(fd) == -1 && errno == EBADF);
    }
    CHECK(close((int)lim.rlim_cur - 1) == -1 && errno == EBADF);
    printf("%d %d %d\n", open("/dev/null", O_RDONLY), dup(0), fcntl(1, F_DUPFD, 100));
    CHECK(close_range(3, ~0u, 0) == 0);
    printf("%d\n", open("/dev/null", O_RDONLY));
    printf("%d\n", fcntl((int)lim.rlim_cur - 1, F_GETFD));
    return 0;
}
