/* SPDX-License-Identifier: Apache-2.0
 * See os/debugport.h. Files that the debugger reads where the program runs. What /proc tells of the process is what the
 * guest would read there (procfs.h); such a text is made when the file is opened. Owns the table of open files and
 * their descriptors, which are the host's. On the debugger's thread. */
#include "os/debugport.h"

#include "os/linux/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct file {
    bool open, is_text;
    int fd;
    struct text text;
} files[DEBUGPORT_FILES];

static struct file *file_of(u32 n) { return n < DEBUGPORT_FILES && files[n].open ? &files[n] : NULL; }

static s64 take_text(struct file *f)
{
    int tid;
    enum proc_file what = procfs_file_of(f->fd, &tid);
    f->is_text = what >= PROC_FIRST_TEXT && what <= PROC_LAST_TEXT;
    return f->is_text ? procread_whole(f->fd, what, tid, &f->text) : 0;
}

int debugport_file_open(const char *path)
{
    u32 n = 0;
    while (n < DEBUGPORT_FILES && files[n].open)
        n++;
    if (n == DEBUGPORT_FILES)
        return -EMFILE;
    if (procfs_is_host_fd(AT_FDCWD, path))
        return -ENOENT;
    const char *program = procfs_exe_path(AT_FDCWD, path);
    struct file f = {.open = true, .fd = open(program ? program : path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    if (f.fd < 0)
        return -errno;
    s64 r = take_text(&f);
    if (r < 0) {
        close(f.fd);
        return (int)r;
    }
    files[n] = f;
    return (int)n;
}

s64 debugport_file_read(u32 n, u64 at, void *to, size_t bytes)
{
    const struct file *f = file_of(n);
    if (!f)
        return -EBADF;
    if (!f->is_text) {
        ssize_t got = pread(f->fd, to, bytes, (off_t)at);
        return got < 0 ? -errno : got;
    }
    size_t left = at < f->text.bytes ? f->text.bytes - at : 0, got = bytes < left ? bytes : left;
    if (got)
        memcpy(to, f->text.at + at, got);
    return (s64)got;
}

int debugport_file_stat(u32 n, struct debugport_stat *out)
{
    const struct file *f = file_of(n);
    struct stat s;
    if (!f)
        return -EBADF;
    if (fstat(f->fd, &s))
        return -errno;
    *out = (struct debugport_stat){(u64)s.st_size, (u64)s.st_blocks, (u32)s.st_dev, (u32)s.st_ino, s.st_mode,
        (u32)s.st_nlink, s.st_uid, s.st_gid, (u32)s.st_rdev, (u32)s.st_blksize, (u32)s.st_atime, (u32)s.st_mtime,
        (u32)s.st_ctime};
    return 0;
}

int debugport_file_close(u32 n)
{
    struct file *f = file_of(n);
    if (!f)
        return -EBADF;
    text_free(&f->text);
    close(f->fd);
    f->open = false;
    return 0;
}

void debugport_files_close(void)
{
    for (u32 i = 0; i < DEBUGPORT_FILES; i++)
        debugport_file_close(i);
}

s64 debugport_readlink(const char *path, char *to, size_t bytes)
{
    s64 n = procfs_readlink(path, to, bytes);
    if (n != PROCFS_NOT_OURS)
        return n;
    n = readlink(path, to, bytes);
    return n < 0 ? -errno : n;
}
