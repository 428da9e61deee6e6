/* SPDX-License-Identifier: Apache-2.0
 * Descriptors that the tool has opened before the guest runs, and that it may leave open when it is taken out of the
 * process: found by looking at what has come while only the host ran. One that the guest has closed since, and whose
 * number it has used for another file, is told by the file. */
#include "os/linux/hostfd.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FDS_MAX 65536
#define TOOL_MAX 256

static u64 before[FDS_MAX / 64];
static struct {
    int fd;
    dev_t dev;
    ino_t ino;
} tool[TOOL_MAX];
static u32 ntool;

static void each_fd(void (*fn)(int fd))
{
    u8 buf[4096];
    int dir = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (long n; dir >= 0 && (n = syscall(SYS_getdents64, dir, buf, sizeof buf)) > 0;)
        for (long at = 0; at < n; at += *(u16 *)(buf + at + 16)) {
            const char *name = (const char *)buf + at + 19;
            int fd = name[0] == '.' ? -1 : atoi(name);
            if (fd >= 0 && fd < FDS_MAX && fd != dir)
                fn(fd);
        }
    if (dir >= 0)
        close(dir);
}

static void note_before(int fd) { before[fd / 64] |= 1ul << fd % 64; }

static void note_tool(int fd)
{
    struct stat st;
    if (before[fd / 64] >> fd % 64 & 1 || hostfd_is(fd) || ntool == TOOL_MAX || fstat(fd, &st) < 0)
        return;
    tool[ntool].fd = fd;
    tool[ntool].dev = st.st_dev;
    tool[ntool++].ino = st.st_ino;
}

void toolfd_before(void) { each_fd(note_before); }
void toolfd_after(void) { each_fd(note_tool); }

void toolfd_close_all(void)
{
    struct stat st;
    for (u32 i = 0; i < ntool; i++)
        if (fstat(tool[i].fd, &st) == 0 && st.st_dev == tool[i].dev && st.st_ino == tool[i].ino)
            close(tool[i].fd);
}
