/* SPDX-License-Identifier: Apache-2.0
 * What the guest reads in /proc about its own process: the kernel's text, less the host, with the protections that the
 * guest believes in (E15 to E17). Text in, text out; opens nothing, keeps nothing.
 *
 * maps and smaps: a kernel area is cut into pieces at the borders of host ranges and of gmap's areas; pieces that
 * would be one area without the engine are joined again. That is so if they come from the same kernel area, or if
 * they differ only by the write protection of E16. In smaps the numbers of a cut area are shared out by size, those
 * of joined ones added up. */
#include "os/linux/procfs.h"
#include "os/gmap.h"
#include "os/linux/hostfd.h"
#include "os/hostmem.h"
#include "os/linux/mapsfile.h"
#include "os/linux/sys.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define MAX_FIELDS 48
#define NUMBER_COLUMN 24 /* smaps: numbers end here */
#define LINE_BYTES 4352  /* a line of maps with the longest name */

/* --- text --------------------------------------------------------------------------------------------------------- */

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

/* --- smaps: what follows the head of an area ---------------------------------------------------------------------- */

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
            bool size = strncmp(p, "Size:", 5) == 0,
                 page = strncmp(p, "KernelPageSize:", 15) == 0 || strncmp(p, "MMUPageSize:", 12) == 0;
            add_kb(out, p, size ? (a->end - a->start) / 1024 : page ? v : d->kb[i]);
            i++;
        }
    }
}

/* --- pieces ------------------------------------------------------------------------------------------------------- */

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
    return ours && x->shared == y->shared && x->ino == y->ino && x->dev_major == y->dev_major &&
           x->dev_minor == y->dev_minor && (x->ino == 0 || x->off + (x->end - x->start) == y->off);
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
    v->last.kernel_prot = p->kernel_prot; /* what counts is the end that the next piece would join */
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
    return (g->flags & GMAP_READ ? PROT_READ : 0u) | (g->flags & GMAP_WRITE ? PROT_WRITE : 0u) |
           (g->flags & GMAP_EXEC ? PROT_EXEC : 0u);
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

/* Host memory that was given back while the kernel wrote the text: nobody knows it now. The kernel gives a name to
 * what it maps for the guest by itself. */
static bool is_stale(const struct maps_area *a)
{
    struct gmap_area g;
    return !a->name[0] && !(gmap_next(a->start, &g) && g.start < a->end);
}

static void add_area(struct view *v, struct piece *whole)
{
    if (is_stale(&whole->area))
        return;
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

static void view_maps(struct text *raw, struct text *out)
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

static void view_numa(struct text *raw, struct text *out)
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

/* --- status, stat, statm ------------------------------------------------------------------------------------------ */

bool (*procfs_signal_view)(int tid, u64 *blocked, u64 *ignored, u64 *caught);
bool (*procfs_limit_view)(int resource, u64 *soft, u64 *hard);

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

/* "Name:<blanks>number kB" with another number, in the kernel's columns. */
static void change_kb(char *out, size_t bytes, const char *name, u64 kb)
{
    base_format(out, bytes, "%s\t%8lu kB", name, kb);
}

/* For a line of status whose number is not the guest's: the corrected line, in `changed`. Else the line itself. */
static const char *status_line(const char *line, const struct masks *m, const struct gmap_totals *t, u64 hidden,
                               char changed[64])
{
    const struct {
        const char *name;
        u64 mask;
    } signals[] = {{"SigBlk:\t", m->blocked}, {"SigIgn:\t", m->ignored}, {"SigCgt:\t", m->caught}};
    u64 number = strtoul(line + strcspn(line, "\t"), NULL, 10);
    for (size_t i = 0; i < ARRAY_LEN(signals) && m->known; i++)
        if (strncmp(line, signals[i].name, 8) == 0) {
            base_format(changed, 64, "%s%016lx", signals[i].name, signals[i].mask);
            return changed;
        }
    if (strncmp(line, "Threads:\t", 9) == 0)
        base_format(changed, 64, "Threads:\t%lu", thread_guest_tasks(number));
    else if (strncmp(line, "VmPeak:\t", 8) == 0)
        change_kb(changed, 64, "VmPeak:", number - (hidden < number ? hidden : 0));
    else if (strncmp(line, "VmSize:\t", 8) == 0)
        change_kb(changed, 64, "VmSize:", t->all_bytes / 1024);
    else if (strncmp(line, "VmData:\t", 8) == 0)
        change_kb(changed, 64, "VmData:", t->data_bytes / 1024);
    else
        return line;
    return changed;
}

/* How much the kernel's size is above the guest's. */
static u64 hidden_kb(const char *text, const struct gmap_totals *t)
{
    const char *size = strstr(text, "\nVmSize:\t");
    u64 kb = size ? strtoul(size + 9, NULL, 10) : 0, own = t->all_bytes / 1024;
    return kb > own ? kb - own : 0;
}

static void view_status(struct text *raw, struct text *out, int tid)
{
    struct masks m = masks_of(tid);
    struct gmap_totals totals;
    gmap_totals(&totals);
    u64 hidden = hidden_kb(raw->at, &totals);
    char *rest = raw->at, *line, changed[64];
    while ((line = next_line(&rest)) != NULL) {
        add_string(out, status_line(line, &m, &totals, hidden, changed));
        text_add(out, "\n", 1);
    }
}

/* Fields are counted from 1; the second, a name in brackets, may hold blanks. The masks are cut to 31 bits as the
 * kernel does. */
static bool stat_field(u32 field, const struct masks *m, const struct gmap_totals *t, u64 was, u64 *value)
{
    switch (field) {
    case 20:
        *value = thread_guest_tasks(was);
        return true;
    case 23:
        *value = t->all_bytes;
        return was != 0; /* 0 is shown to those who may not know the value */
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

static void view_stat(struct text *raw, struct text *out, int tid)
{
    struct masks m = masks_of(tid);
    struct gmap_totals totals;
    gmap_totals(&totals);
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
        if (stat_field(field, &m, &totals, strtoul(p + 1, NULL, 10), &value)) {
            text_add(out, number, (size_t)base_format(number, sizeof number, " %lu", value));
        } else {
            text_add(out, p, (size_t)(end - p));
        }
        p = end;
    }
    add_string(out, p);
}

/* "size resident shared text lib data dt", in pages. The kernel's data are ours and the stack; the stack is the
 * guest's alone. */
static void view_statm(struct text *raw, struct text *out)
{
    struct gmap_totals totals;
    struct gmap_area a;
    u64 stack = 0;
    char number[32], *p = raw->at;
    gmap_totals(&totals);
    for (u64 at = 0; gmap_next(at, &a); at = a.end)
        stack += a.flags & GMAP_STACK ? a.end - a.start : 0;
    for (u32 field = 1; *p; field++) {
        char *end = p + strcspn(p, " \n");
        u64 bytes = field == 1 ? totals.all_bytes : totals.data_bytes + stack;
        if (field == 1 || field == 6)
            text_add(out, number, (size_t)base_format(number, sizeof number, "%lu", bytes / PAGE_BYTES));
        else
            text_add(out, p, (size_t)(end - p));
        text_add(out, end, *end != 0);
        p = *end ? end + 1 : end;
    }
}

/* --- limits ------------------------------------------------------------------------------------------------------- */

static const char *limit_text(u64 value, char out[24])
{
    if (value == RLIM_INFINITY)
        return "unlimited";
    base_format(out, 24, "%lu", value);
    return out;
}

/* "Name<26 columns>soft<21 columns>hard<21 columns>unit" */
static void view_limits(struct text *raw, struct text *out)
{
    static const struct {
        const char *name;
        int resource;
    } known[] = {{"Max address space", RLIMIT_AS}, {"Max data size", RLIMIT_DATA}};
    char *rest = raw->at, *line, changed[128], a[24], b[24];
    while ((line = next_line(&rest)) != NULL) {
        u64 soft, hard;
        for (size_t i = 0; i < ARRAY_LEN(known); i++)
            if (strncmp(line, known[i].name, strlen(known[i].name)) == 0 && procfs_limit_view &&
                procfs_limit_view(known[i].resource, &soft, &hard)) {
                base_format(changed, sizeof changed, "%-25s %-20s %-20s %-10s", known[i].name, limit_text(soft, a),
                            limit_text(hard, b), "bytes");
                line = changed;
                break;
            }
        add_string(out, line);
        text_add(out, "\n", 1);
    }
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

void procview_make(enum proc_file file, struct text *raw, struct text *out, int tid)
{
    switch (file) {
    case PROC_MAPS:
    case PROC_SMAPS: view_maps(raw, out); break;
    case PROC_NUMA: view_numa(raw, out); break;
    case PROC_STATUS: view_status(raw, out, tid); break;
    case PROC_STAT: view_stat(raw, out, tid); break;
    case PROC_STATM: view_statm(raw, out); break;
    case PROC_LIMITS: view_limits(raw, out); break;
    default: BUG("no text for file %d of /proc", file);
    }
}
