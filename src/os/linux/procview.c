/* SPDX-License-Identifier: Apache-2.0
 * What the guest reads in /proc about its own process: the kernel's text, less the host, with the protections that the guest believes in (E15 to E17). Text in, text out; opens
 * nothing, keeps nothing.
 *
 * maps and smaps: a kernel area is cut into pieces at the borders of host ranges and of gmap's areas; pieces that would be one area without the engine are joined again. That
 * is so if they come from the same kernel area, or if they differ only by the write protection of E16. In smaps the numbers of a cut area are shared out by size, those of joined
 * ones added up. */
#include "os/linux/procfs.h"
#include "os/linux/gmap.h"
#include "os/linux/hostfd.h"
#include "os/linux/hostmem.h"
#include "os/linux/mapsfile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MAX_FIELDS 48
#define NUMBER_COLUMN 24 /* smaps: numbers end here */
#define LINE_BYTES 4352  /* a line of maps with the longest name */

/* --- text ------------------------------------------------------------------------------------------------------------ */

void text_add(struct text *t, const char *from, size_t bytes)
{
    if (t->failed)
        return;
    if (t->bytes + bytes > t->room) {
        size_t room = 2 * t->room + bytes + 4096;
        char *more = realloc(t->at, room);
        if (!more) {
            t->failed = true;
            return;
        }
        t->at = more;
        t->room = room;
    }
    memcpy(t->at + t->bytes, from, bytes);
    t->bytes += bytes;
}

void text_free(struct text *t)
{
    free(t->at);
    *t = (struct text){0};
}

static void add_string(struct text *t, const char *s)
{
    text_add(t, s, strlen(s));
}

/* Cuts the next line off *rest and ends it with a 0; NULL: none left. */
static char *next_line(char **rest)
{
    char *line = *rest;
    if (!*line)
        return NULL;
    char *end = strchrnul(line, '\n');
    *rest = *end ? end + 1 : end;
    *end = '\0';
    return line;
}

/* --- smaps: what follows the head of an area ------------------------------------------------------------------------------ */

struct detail {
    char *at;       /* lines, ended by newlines again; NULL: maps */
    size_t bytes;
    u32 n;          /* numbers in kB, in the order of the lines */
    u64 kb[MAX_FIELDS];
};

/* A line "Name:   number kB": the number; false: another kind of line. */
static bool kb_line(const char *line, size_t bytes, u64 *value)
{
    const char *colon = memchr(line, ':', bytes);
    if (!colon || bytes < 3 || memcmp(line + bytes - 3, " kB", 3) != 0)
        return false;
    *value = strtoul(colon + 1, NULL, 10);
    return true;
}

static void parse_detail(struct detail *d)
{
    u64 v;
    d->n = 0;
    for (char *p = d->at, *end = d->at + d->bytes; p < end; p = strchr(p, '\n') + 1)
        if (d->n < MAX_FIELDS && kb_line(p, (size_t)(strchr(p, '\n') - p), &v))
            d->kb[d->n++] = v;
}

static void add_kb(struct text *out, const char *line, u64 value)
{
    char number[32];
    size_t name = (size_t)(strchr(line, ':') + 1 - line);
    int n = base_format(number, sizeof number, "%lu", value);
    text_add(out, line, name);
    for (size_t col = name; col + (size_t)n < NUMBER_COLUMN; col++)
        text_add(out, " ", 1);
    text_add(out, number, (size_t)n);
    add_string(out, " kB\n");
}

/* "VmFlags: rd wr ex ...": the first three are the protection. */
static void add_vm_flags(struct text *out, const char *line, size_t bytes, u32 prot)
{
    static const char *const names[] = {"rd", "wr", "ex"};
    static const u32 bits[] = {PROT_READ, PROT_WRITE, PROT_EXEC};
    add_string(out, "VmFlags: ");
    for (int i = 0; i < 3; i++)
        if (prot & bits[i]) {
            add_string(out, names[i]);
            text_add(out, " ", 1);
        }
    for (const char *p = line + 9; p + 2 <= line + bytes; p += 3)
        if (memcmp(p, "rd", 2) != 0 && memcmp(p, "wr", 2) != 0 && memcmp(p, "ex", 2) != 0) {
            text_add(out, p, 2);
            text_add(out, " ", 1);
        }
    text_add(out, "\n", 1);
}

static void add_detail(struct text *out, const struct detail *d, const struct maps_area *a)
{
    u32 i = 0;
    const char *end = d->at + d->bytes;
    for (const char *p = d->at, *stop; p < end; p = stop + 1) {
        stop = strchr(p, '\n');
        u64 v;
        size_t bytes = (size_t)(stop - p);
        if (strncmp(p, "VmFlags: ", 9) == 0) {
            add_vm_flags(out, p, bytes, a->prot);
        } else if (!kb_line(p, bytes, &v) || i >= d->n) {
            text_add(out, p, bytes + 1);
        } else {
            bool size = strncmp(p, "Size:", 5) == 0, page = strncmp(p, "KernelPageSize:", 15) == 0 || strncmp(p, "MMUPageSize:", 12) == 0;
            add_kb(out, p, size ? (a->end - a->start) / 1024 : page ? v : d->kb[i]);
            i++;
        }
    }
}

/* --- pieces ------------------------------------------------------------------------------------------------------------------ */

struct piece {
    struct maps_area area;  /* prot: the guest's */
    u32 kernel_prot;
    u64 parent;             /* start of the kernel's area it is from */
    struct detail detail;
};

struct view {
    struct text *out;
    bool any;
    struct piece last;      /* not yet written: the next one may join it */
};

static void flush_piece(struct view *v)
{
    if (!v->any)
        return;
    char line[LINE_BYTES];
    text_add(v->out, line, (size_t)maps_format_line(line, sizeof line, &v->last.area));
    if (v->last.detail.at)
        add_detail(v->out, &v->last.detail, &v->last.area);
    v->any = false;
}

static bool can_join(const struct piece *a, const struct piece *b)
{
    const struct maps_area *x = &a->area, *y = &b->area;
    if (x->end != y->start || x->prot != y->prot || strcmp(x->name, y->name) != 0)
        return false;
    if (a->parent == b->parent)
        return true;
    bool ours = a->kernel_prot != x->prot || b->kernel_prot != y->prot;
    return ours && x->shared == y->shared && x->ino == y->ino && x->dev_major == y->dev_major && x->dev_minor == y->dev_minor &&
           (x->ino == 0 || x->off + (x->end - x->start) == y->off);
}

static void add_piece(struct view *v, const struct piece *p)
{
    if (!v->any || !can_join(&v->last, p)) {
        flush_piece(v);
        v->last = *p;
        v->any = true;
        return;
    }
    v->last.area.end = p->area.end;
    v->last.kernel_prot = p->kernel_prot; /* of the end that the next one would join */
    v->last.parent = p->parent;
    for (u32 i = 0; i < p->detail.n && i < v->last.detail.n; i++)
        v->last.detail.kb[i] += p->detail.kb[i];
}

/* [start, end) of a kernel area, all guest, with the protection prot. */
static void add_part(struct view *v, const struct piece *whole, u64 start, u64 end, u32 prot)
{
    struct piece p = *whole;
    u64 all = p.area.end - p.area.start;
    p.area.off += p.area.ino ? start - p.area.start : 0;
    p.area.start = start;
    p.area.end = end;
    p.area.prot = prot;
    for (u32 i = 0; i < p.detail.n && end - start < all; i++)
        p.detail.kb[i] = p.detail.kb[i] * ((end - start) / 1024) / (all / 1024);
    add_piece(v, &p);
}

static u32 prot_of(const struct gmap_area *g)
{
    return (g->flags & GMAP_READ ? PROT_READ : 0u) | (g->flags & GMAP_WRITE ? PROT_WRITE : 0u) | (g->flags & GMAP_EXEC ? PROT_EXEC : 0u);
}

/* Cuts at gmap's borders. What gmap does not know (a stack that has grown) is shown as the kernel has it. */
static void add_guest(struct view *v, struct piece *whole, u64 from, u64 to)
{
    struct gmap_area g;
    const char *name = whole->area.name;
    while (from < to) {
        u64 stop = to;
        u32 prot = whole->kernel_prot;
        if (gmap_next(from, &g) && g.start < to) {
            if (g.start > from) {
                stop = g.start;
            } else {
                stop = g.end < to ? g.end : to;
                prot = prot_of(&g);
                whole->area.name = !name[0] && (g.flags & GMAP_HEAP) ? "[heap]" : name;
            }
        }
        add_part(v, whole, from, stop, prot);
        whole->area.name = name;
        from = stop;
    }
}

static void add_area(struct view *v, struct piece *whole)
{
    u64 from = whole->area.start, to = whole->area.end, start, end;
    whole->kernel_prot = whole->area.prot;
    whole->parent = from;
    while (from < to) {
        if (!hostmem_next(from, &start, &end) || start > to)
            start = end = to;
        if (start > from)
            add_guest(v, whole, from, start);
        from = end;
    }
}

/* Takes the lines up to the next area's head into the detail; *rest is left at that head. */
static void take_detail(struct detail *d, char **rest)
{
    struct maps_area other;
    char *from = *rest;
    d->at = NULL;
    d->n = 0;
    while (**rest) {
        char *end = strchrnul(*rest, '\n'), was = *end;
        *end = '\0';
        bool head = maps_parse_line(*rest, &other);
        *end = was;
        if (head || !was)
            break;
        *rest = end + 1;
    }
    d->bytes = (size_t)(*rest - from);
    if (d->bytes) {
        d->at = from;
        parse_detail(d);
    }
}

void procview_maps(struct text *raw, struct text *out)
{
    struct view v = {.out = out};
    struct piece p;
    char *rest = raw->at, *line;
    while ((line = next_line(&rest)) != NULL) {
        if (!maps_parse_line(line, &p.area))
            continue;
        take_detail(&p.detail, &rest);
        add_area(&v, &p);
    }
    flush_piece(&v);
}

void procview_numa(struct text *raw, struct text *out)
{
    char *rest = raw->at, *line;
    while ((line = next_line(&rest)) != NULL) {
        u64 start = strtoul(line, NULL, 16);
        if (hostmem_overlaps(start, start + 1))
            continue;
        add_string(out, line);
        text_add(out, "\n", 1);
    }
}

/* --- status and stat ----------------------------------------------------------------------------------------------------------- */

struct masks {
    bool known;
    u64 blocked, ignored, caught;
};

static struct masks masks_of(int tid)
{
    struct masks m = {0};
    m.known = procfs_signal_view && procfs_signal_view(tid, &m.blocked, &m.ignored, &m.caught);
    return m;
}

void procview_status(struct text *raw, struct text *out, int tid)
{
    struct masks m = masks_of(tid);
    const struct {
        const char *name;
        u64 mask;
    } signals[] = {{"SigBlk:\t", m.blocked}, {"SigIgn:\t", m.ignored}, {"SigCgt:\t", m.caught}};
    char *rest = raw->at, *line, changed[64];
    while ((line = next_line(&rest)) != NULL) {
        if (strncmp(line, "Threads:\t", 9) == 0) {
            base_format(changed, sizeof changed, "Threads:\t%lu", strtoul(line + 9, NULL, 10) - hosttask_count());
            line = changed;
        }
        for (size_t i = 0; i < ARRAY_LEN(signals) && m.known; i++)
            if (strncmp(line, signals[i].name, 8) == 0) {
                base_format(changed, sizeof changed, "%s%016lx", signals[i].name, signals[i].mask);
                line = changed;
                break;
            }
        add_string(out, line);
        text_add(out, "\n", 1);
    }
}

/* Fields are counted from 1; the second, a name in brackets, may hold blanks. The masks are cut to 31 bits as the kernel does. */
static bool stat_field(u32 field, const struct masks *m, u64 was, u64 *value)
{
    switch (field) {
    case 20:
        *value = was - hosttask_count();
        return true;
    case 32:
        *value = m->blocked & 0x7fffffff;
        return m->known;
    case 33:
        *value = m->ignored & 0x7fffffff;
        return m->known;
    case 34:
        *value = m->caught & 0x7fffffff;
        return m->known;
    default:
        return false;
    }
}

void procview_stat(struct text *raw, struct text *out, int tid)
{
    struct masks m = masks_of(tid);
    char *p = strrchr(raw->at, ')'), number[32];
    if (!p) {
        text_add(out, raw->at, raw->bytes);
        return;
    }
    text_add(out, raw->at, (size_t)(p - raw->at) + 1);
    p++;
    for (u32 field = 3; *p == ' '; field++) {
        char *end = p + 1 + strcspn(p + 1, " \n");
        u64 value;
        if (stat_field(field, &m, strtoul(p + 1, NULL, 10), &value)) {
            text_add(out, number, (size_t)base_format(number, sizeof number, " %lu", value));
        } else {
            text_add(out, p, (size_t)(end - p));
        }
        p = end;
    }
    add_string(out, p);
}
