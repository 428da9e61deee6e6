/* SPDX-License-Identifier: Apache-2.0
 * Reads /proc/PID/maps line by line, without stdio. Keeps nothing. */
#include "launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool parse_line(char *line, struct map_line *out)
{
    char *at;
    out->start = strtoul(line, &at, 16);
    if (*at != '-')
        return false;
    out->end = strtoul(at + 1, &at, 16);
    for (int field = 0; field < 4 && *at; field++) { /* rights, offset, device, inode */
        at += strspn(at, " ");
        at += strcspn(at, " ");
    }
    out->name = at + strspn(at, " ");
    return true;
}

bool maps_each(int pid, bool (*fn)(const struct map_line *line, void *arg), void *arg)
{
    static char buf[3 * PATH_MAX];
    char path[32];
    size_t have = 0;
    /* In a new pid namespace under the outer /proc our own number is somebody else's there, "self" is not. */
    if (pid == getpid())
        base_format(path, sizeof path, "/proc/self/maps");
    else
        base_format(path, sizeof path, "/proc/%d/maps", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    for (bool more = true; more;) {
        ssize_t n = read(fd, buf + have, sizeof buf - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        have += (size_t)n;
        char *line = buf, *end;
        while (more && (end = memchr(line, '\n', have - (size_t)(line - buf)))) {
            struct map_line m;
            *end = '\0';
            more = parse_line(line, &m) && fn(&m, arg);
            line = end + 1;
        }
        have -= (size_t)(line - buf);
        memmove(buf, line, have);
    }
    close(fd);
    return true;
}

struct gap_search {
    u64 last, from, bytes;
    bool downwards;
    u64 edge;
};

static bool note_gap(const struct map_line *m, void *arg)
{
    struct gap_search *g = arg;
    bool fits = m->start > g->last && m->start - g->last >= g->bytes;
    if (g->downwards && m->start > g->from)
        return false;
    if (fits && g->downwards)
        g->edge = m->start;
    else if (fits && g->last >= g->from)
        g->edge = g->last;
    g->last = m->end;
    return g->downwards || !g->edge;
}

u64 maps_find_edge(int pid, u64 from, bool downwards, u64 bytes)
{
    struct gap_search g = {.last = 1ul << 20, .from = from, .bytes = bytes, .downwards = downwards};
    maps_each(pid, note_gap, &g);
    return g.edge;
}

struct gap_list {
    u64 last;
    struct boot_range *out;
    int n, max;
};

static bool list_gap(const struct map_line *m, void *arg)
{
    struct gap_list *g = arg;
    if (strcmp(m->name, "[stack]") == 0)
        return false;
    if (m->end <= g->last)
        return true;
    if (m->start > g->last && g->n < g->max)
        g->out[g->n++] = (struct boot_range){g->last, m->start};
    g->last = m->end;
    return true;
}

int maps_gaps(int pid, u64 from, struct boot_range *out, int max)
{
    struct gap_list g = {from, out, 0, max};
    return maps_each(pid, list_gap, &g) ? g.n : 0;
}
