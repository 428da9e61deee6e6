/* SPDX-License-Identifier: Apache-2.0
 * Standard streams that can be found again: the guest may have closed them, or put other files in their places. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "os/os.h"

void os_stream_note(struct os_stream *s, int fd)
{
    char link[32];
    struct stat st;
    *s = (struct os_stream){.fd = fd};
    if (fstat(fd, &st) < 0)
        return;
    s->dev = st.st_dev;
    s->ino = st.st_ino;
    base_format(link, sizeof link, "/proc/thread-self/fd/%d", fd);
    ssize_t n = readlink(link, s->name, sizeof s->name - 1);
    s->name[n > 0 && n < (ssize_t)sizeof s->name - 1 && s->name[0] == '/' ? n : 0] = '\0';
}

bool os_stream_is(const struct os_stream *s, int fd)
{
    struct stat st;
    return s->ino && fstat(fd, &st) == 0 && st.st_dev == s->dev && st.st_ino == s->ino;
}

int os_stream_find(const struct os_stream *s, bool *close_after)
{
    *close_after = false;
    if (os_stream_is(s, s->fd))
        return s->fd;
    int fd = s->name[0] ? open(s->name, O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) : -1;
    if (fd >= 0 && !os_stream_is(s, fd)) {
        close(fd);
        fd = -1;
    }
    *close_after = fd >= 0;
    return fd;
}
