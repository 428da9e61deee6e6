/* SPDX-License-Identifier: Apache-2.0
 * The text of /proc/<pid>/maps: parsing, formatting and iterating. Owns only what is in the caller's reader; no
 * malloc, no stdio, no locks, so hostmem (below malloc) can use it. Knows nothing about host and guest. */
#include "os/linux/mapsfile.h"

#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NAME_COLUMN 72 /* the kernel pads a line to this column, then writes a blank and the name */

static bool take_number(const char **at, u32 radix, u64 *out)
{
    const char *p = *at;
    u64 v = 0;
    for (;; p++) {
        u32 digit = *p >= '0' && *p <= '9' ? (u32)(*p - '0') : *p >= 'a' && *p <= 'f' ? (u32)(*p - 'a' + 10) : 99;
        if (digit >= radix)
            break;
        v = v * radix + digit;
    }
    bool any = p != *at;
    *at = p;
    *out = v;
    return any;
}

static bool take_char(const char **at, char c)
{
    if (**at != c)
        return false;
    ++*at;
    return true;
}

static bool take_prot(const char **at, struct maps_area *out)
{
    const char *p = *at;
    if ((p[0] != 'r' && p[0] != '-') || (p[1] != 'w' && p[1] != '-') || (p[2] != 'x' && p[2] != '-') ||
        (p[3] != 'p' && p[3] != 's'))
        return false;
    out->prot = (p[0] == 'r' ? PROT_READ : 0u) | (p[1] == 'w' ? PROT_WRITE : 0u) | (p[2] == 'x' ? PROT_EXEC : 0u);
    out->shared = p[3] == 's';
    *at = p + 4;
    return true;
}

bool maps_parse_line(const char *line, struct maps_area *out)
{
    u64 major, minor;
    if (!take_number(&line, 16, &out->start) || !take_char(&line, '-') || !take_number(&line, 16, &out->end) ||
        !take_char(&line, ' ') || !take_prot(&line, out) || !take_char(&line, ' ') ||
        !take_number(&line, 16, &out->off) || !take_char(&line, ' ') || !take_number(&line, 16, &major) ||
        !take_char(&line, ':') || !take_number(&line, 16, &minor) || !take_char(&line, ' ') ||
        !take_number(&line, 10, &out->ino))
        return false;
    out->dev_major = (u32)major;
    out->dev_minor = (u32)minor;
    while (*line == ' ')
        line++;
    out->name = line;
    return true;
}

int maps_format_line(char *out, size_t bytes, const struct maps_area *a)
{
    int n =
        base_format(out, bytes, "%08lx-%08lx %c%c%c%c %08lx %02x:%02x %lu ", a->start, a->end,
                    a->prot & PROT_READ ? 'r' : '-', a->prot & PROT_WRITE ? 'w' : '-', a->prot & PROT_EXEC ? 'x' : '-',
                    a->shared ? 's' : 'p', a->off, a->dev_major, a->dev_minor, a->ino);
    if (a->name[0]) {
        while (n < NAME_COLUMN && (size_t)n + 1 < bytes)
            out[n++] = ' ';
        n += base_format(out + n, bytes - (size_t)n, " %s", a->name);
    }
    return n + base_format(out + n, bytes - (size_t)n, "\n");
}

bool maps_open(struct maps_reader *r, int pid)
{
    char path[40] = "/proc/thread-self/maps"; /* "self" is empty when the first thread has ended */
    if (!pid && gettid() == getpid())
        /* the only name that emulators of processes (qemu-user) know */
        base_format(path, sizeof path, "/proc/self/maps");
    else if (pid)
        base_format(path, sizeof path, "/proc/%d/maps", pid);
    r->at = r->have = 0;
    r->cut = false;
    r->fd = open(path, O_RDONLY | O_CLOEXEC);
    return r->fd >= 0;
}

void maps_close(struct maps_reader *r)
{
    close(r->fd);
    r->fd = -1;
}

/* Reads more text after what is there. False: end of file, or an error, which for this file means that the process
 * is gone. */
static bool fill(struct maps_reader *r)
{
    memmove(r->buf, r->buf + r->at, r->have - r->at);
    r->have -= r->at;
    r->at = 0;
    ssize_t n;
    do
        n = read(r->fd, r->buf + r->have, sizeof r->buf - 1 - r->have);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return false;
    r->have += (u32)n;
    return true;
}

/* Skips the rest of a line that did not fit. */
static void skip_line(struct maps_reader *r)
{
    char *end;
    while (!(end = memchr(r->buf + r->at, '\n', r->have - r->at))) {
        r->at = r->have;
        if (!fill(r))
            return;
    }
    r->at = (u32)(end + 1 - r->buf);
}

bool maps_next(struct maps_reader *r, struct maps_area *out)
{
    if (r->cut)
        skip_line(r);
    r->cut = false;
    char *end;
    while (!(end = memchr(r->buf + r->at, '\n', r->have - r->at))) {
        if (r->have - r->at == sizeof r->buf - 1) {
            /* Only the name can be that long: what is before it parses, and the cut name stays in place until the
             * next call. */
            r->cut = true;
            end = r->buf + r->have;
            break;
        }
        if (!fill(r))
            return false;
    }
    char *line = r->buf + r->at;
    *end = '\0';
    r->at = r->cut ? r->have : (u32)(end + 1 - r->buf);
    return maps_parse_line(line, out);
}

void os_mapping_name(u64 addr, char *out, size_t bytes)
{
    struct maps_reader r;
    struct maps_area m;
    out[0] = 0;
    if (!maps_open(&r, 0))
        return;
    while (maps_next(&r, &m))
        if (addr >= m.start && addr < m.end) {
            base_format(out, bytes, "%s", m.name);
            break;
        }
    maps_close(&r);
}
