/* SPDX-License-Identifier: Apache-2.0
 * Reading files of /proc whose text would show the host. The guest's descriptor is the kernel's own file, so that
 * everything but reading is the kernel's; the text is made when the file is read from its start, as the kernel does it.
 * Owns the table of the guest's descriptors of such files and their texts; any thread, own lock (LOCK_PROCREAD).
 *
 *  V1  The table says which numbers may be such files. It is kept up by the calls that close and duplicate descriptors;
 *      a number that became another file without a call that we saw is recognised by device and inode.
 *  V2  A view is what the kernel calls an open file: duplicates share it, and with it the position. */
#include "os/linux/procfs.h"
#include "os/hostlock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct view {
    u32 refs;
    dev_t dev;
    ino_t ino;
    enum proc_file file;
    int tid;
    u64 pos;
    struct text text; /* at == NULL: not made, or read to its end */
};

struct entry { /* of a descriptor; duplicates share the view (V2) */
    int fd;
    struct view *view;
};

static struct hostlock lock FORK_WRITES = HOSTLOCK(LOCK_PROCREAD);
static struct entry *entries;
static u32 nentries, room;

/* --- the table ---------------------------------------------------------------------------------------------------- */

static struct entry *find(int fd)
{
    for (u32 i = 0; i < nentries; i++)
        if (entries[i].fd == fd)
            return &entries[i];
    return NULL;
}

static void drop(struct entry *s)
{
    struct view *v = s->view;
    *s = entries[nentries - 1];
    __atomic_store_n(&nentries, nentries - 1, __ATOMIC_RELAXED);
    if (--v->refs == 0) {
        text_free(&v->text);
        free(v);
    }
}

static bool add(int fd, struct view *v)
{
    struct entry *old = find(fd);
    if (old)
        drop(old);
    if (nentries == room) {
        struct entry *more = realloc(entries, (room + 16) * sizeof *entries);
        if (!more)
            return false;
        entries = more;
        room += 16;
    }
    v->refs++;
    entries[nentries] = (struct entry){fd, v};
    __atomic_store_n(&nentries, nentries + 1, __ATOMIC_RELAXED);
    return true;
}

/* The view of a descriptor (V1); NULL: it is none of these files. */
static struct view *view_of(int fd)
{
    struct entry *s = find(fd);
    struct stat st;
    if (!s)
        return NULL;
    if (fstat(fd, &st) == 0 && st.st_dev == s->view->dev && st.st_ino == s->view->ino)
        return s->view;
    drop(s);
    return NULL;
}

bool procread_begin(int fd, enum proc_file file, int tid)
{
    struct stat st;
    struct view *v = fstat(fd, &st) == 0 ? malloc(sizeof *v) : NULL;
    if (!v)
        return false;
    *v = (struct view){.dev = st.st_dev, .ino = st.st_ino, .file = file, .tid = tid};
    hostlock_take(&lock);
    bool ok = add(fd, v);
    hostlock_give(&lock);
    if (!ok)
        free(v);
    return ok;
}

bool procread_any(void)
{
    return __atomic_load_n(&nentries, __ATOMIC_RELAXED) != 0;
}

bool procread_is(int fd)
{
    if (!procread_any())
        return false;
    hostlock_take(&lock);
    bool is = find(fd) != NULL;
    hostlock_give(&lock);
    return is;
}

void procread_closing(u32 first, u32 last)
{
    hostlock_take(&lock);
    for (u32 i = nentries; i-- > 0;)
        if ((u32)entries[i].fd >= first && (u32)entries[i].fd <= last)
            drop(&entries[i]);
    hostlock_give(&lock);
}

void procread_duplicated(int from, int to)
{
    if (from == to)
        return;
    hostlock_take(&lock);
    struct view *v = view_of(from);
    struct entry *old = find(to);
    if (v)
        add(to, v); /* if there is no memory, reads of the duplicate are the kernel's */
    else if (old)
        drop(old);
    hostlock_give(&lock);
}

/* --- text --------------------------------------------------------------------------------------------------------- */

/* The kernel's text; the file's own position stays where it is. 0 or -errno. */
static s64 read_raw(int fd, struct text *t)
{
    char piece[8192];
    for (;;) {
        ssize_t n = pread(fd, piece, sizeof piece, (off_t)t->bytes);
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n == 0)
            break;
        text_add(t, piece, n > 0 ? (size_t)n : 0);
        if (t->failed)
            return -ENOMEM;
    }
    text_add(t, "", 1);
    t->bytes -= !t->failed;
    return t->failed ? -ENOMEM : 0;
}

s64 procread_whole(int fd, enum proc_file file, int tid, struct text *out)
{
    struct text raw = {0};
    *out = (struct text){0};
    s64 r = read_raw(fd, &raw);
    if (!r) {
        procview_make(file, &raw, out, tid);
        r = out->failed ? -ENOMEM : 0;
    }
    text_free(&raw);
    if (r)
        text_free(out);
    return r;
}

static s64 make_text(int fd, struct view *v)
{
    text_free(&v->text);
    return procread_whole(fd, v->file, v->tid, &v->text);
}

/* How much text one read gives: whole lines, as many as fit a page, and what is left of a line that was begun. */
static size_t piece_bytes(const struct text *t, u64 pos, size_t want)
{
    size_t left = pos < t->bytes ? t->bytes - pos : 0;
    size_t n = want < left ? want : left;
    if (n <= PROCREAD_MAX)
        return n;
    const char *end = memrchr(t->at + pos, '\n', PROCREAD_MAX);
    return end ? (size_t)(end + 1 - (t->at + pos)) : PROCREAD_MAX;
}

static s64 read_view(int fd, struct view *v, u64 pos, char *out, size_t bytes)
{
    s64 r = pos == 0 || !v->text.at ? make_text(fd, v) : 0;
    if (r)
        return r;
    size_t n = piece_bytes(&v->text, pos, bytes);
    if (n)
        memcpy(out, v->text.at + pos, n);
    else
        text_free(&v->text);
    return (s64)n;
}

s64 procread_read(int fd, s64 at, char *out, size_t bytes)
{
    int saved = errno;
    s64 r = PROCFS_NOT_OURS;
    hostlock_take(&lock);
    struct view *v = view_of(fd);
    if (v)
        r = bytes ? read_view(fd, v, at < 0 ? v->pos : (u64)at, out, bytes) : 0;
    if (v && r > 0 && at < 0)
        v->pos += (u64)r;
    hostlock_give(&lock);
    errno = saved;
    return r;
}

s64 procread_seek(int fd, s64 offset, int whence)
{
    s64 r = PROCFS_NOT_OURS;
    hostlock_take(&lock);
    struct view *v = view_of(fd);
    if (v) {
        bool overflow = whence == SEEK_CUR && __builtin_add_overflow(offset, (s64)v->pos, &offset);
        if ((whence == SEEK_SET || whence == SEEK_CUR) && !overflow && offset >= 0)
            v->pos = (u64)(r = offset);
        else
            r = -EINVAL;
    }
    hostlock_give(&lock);
    return r;
}

/* --- fork --------------------------------------------------------------------------------------------------------- */

void procread_before_fork(void)
{
    hostlock_take(&lock);
}

/* The child's descriptors show its parent's files, as they do natively. */
void procread_after_fork(bool child)
{
    if (child)
        hostlock_reset(&lock);
    else
        hostlock_give(&lock);
}
