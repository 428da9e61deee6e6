/* SPDX-License-Identifier: Apache-2.0
 * Where probes may go (docs/design/probes.md, PB9 to PB11): a routine's bytes, the padding after it and around it, and
 * the branches that lead to its start. Those are found by decoding all routines of the image once; kept for each image,
 * under image_lock. */
#include "api/probed.h"

#include "image/image.h"
#include "linchpin/enums.h"
#include "os/os.h"

#include <stdlib.h>
#include <string.h>

#define NEAR_START 16u      /* branches to so many bytes from a routine's start are kept */
#define PADDING_MAX 64u
#define HOP_REACH 120u
#define HOP_BYTES 5u

struct branch {
    gpc_t to, from;
    bool call;
};

struct branches {
    struct branches *next;
    u32 image, nrtns;
    struct branch *b;
    u32 n, room;
    struct image *im;       /* while it is made */
};

static struct branches *all;

/* --- branches ----------------------------------------------------------------------------------------------------- */

/* The routine that holds the address, by its place in the image's list. */
static const struct rtn *routine_of(const struct image *im, gpc_t pc)
{
    u32 lo = 0, hi = im->nrtns;
    while (lo < hi) {
        u32 mid = lo + (hi - lo) / 2;
        if (im->rtn[mid]->start <= pc)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo ? im->rtn[lo - 1] : NULL;
}

static void note(void *arg, gpc_t from, gpc_t to, bool call)
{
    struct branches *t = arg;
    const struct rtn *r = to >= t->im->low && to < t->im->high ? routine_of(t->im, to) : NULL;
    if (!r || to - r->start >= NEAR_START || (to == r->start && (call || from < r->start || from >= r->end)))
        return;
    if (t->n == t->room) {
        t->room = t->room ? 2 * t->room : 64;
        t->b = elffile_grow(t->b, t->room * sizeof *t->b);
    }
    t->b[t->n++] = (struct branch){to, from, call};
}

static int by_target(const void *a, const void *b)
{
    gpc_t x = ((const struct branch *)a)->to, y = ((const struct branch *)b)->to;
    return x < y ? -1 : x > y;
}

static u8 *read_code(gpc_t start, gpc_t end)
{
    u8 *bytes = elffile_alloc(end - start + 1);
    os_safe_copy(bytes, (void *)start, end - start);
    probe_own_bytes(start, bytes, end - start);
    return bytes;
}

static void collect(struct branches *t)
{
    struct image *im = t->im;
    for (u32 i = 0; i < im->nrtns; i++) {
        gpc_t start = im->rtn[i]->start, end = im->rtn[i]->end;
        while (i + 1 < im->nrtns && im->rtn[i + 1]->start == start)
            i++; /* other names of the same code */
        if (end <= start)
            continue;
        u8 *bytes = read_code(start, end);
        arch_probe_branches(start, bytes, end - start, note, t);
        free(bytes);
    }
    qsort(t->b, t->n, sizeof *t->b, by_target);
}

static const struct branches *branches_of(struct image *im)
{
    struct branches *t = all;
    image_rtns(im);
    while (t && t->image != im->id)
        t = t->next;
    if (t && t->nrtns == im->nrtns)
        return t;
    if (!t) {
        t = elffile_alloc(sizeof *t);
        t->next = all;
        t->image = im->id;
        all = t;
    }
    t->nrtns = im->nrtns;
    t->n = 0;
    t->im = im;
    collect(t);
    return t;
}

void probed_forget_image(u32 id)
{
    for (struct branches **at = &all, *t; (t = *at); at = &t->next)
        if (t->image == id) {
            *at = t->next;
            free(t->b);
            free(t);
            return;
        }
}

static bool leads_into(const struct probe_site *s, gpc_t from, gpc_t to, bool outside)
{
    const struct branches *t = s->arg;
    u32 lo = 0, hi = t->n;
    while (lo < hi) {
        u32 mid = lo + (hi - lo) / 2;
        if (t->b[mid].to < from)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < t->n && t->b[lo].to < to; lo++) {
        bool own = t->b[lo].from >= s->pc && t->b[lo].from < s->end;
        if ((t->b[lo].to != s->pc || (!t->b[lo].call && own)) && !(outside && own))
            return true;
    }
    return false;
}

/* --- the site ----------------------------------------------------------------------------------------------------- */

/* Where the padding behind a routine ends. */
static gpc_t padding_end(const struct image *im, const struct rtn *r, gpc_t end)
{
    gpc_t next = end + PADDING_MAX;
    for (u32 i = r->pos + 1; i < im->nrtns; i++)
        if (im->rtn[i]->start >= end) {
            next = im->rtn[i]->start < next ? im->rtn[i]->start : next;
            break;
        }
    next = next < im->code_end ? next : im->code_end;
    if (next <= end)
        return end;
    u8 bytes[PADDING_MAX];
    size_t n = os_safe_copy(bytes, (void *)end, next - end);
    return end + arch_probe_padding(end, bytes, n);
}

/* Padding behind one of the routines around, with room for a jump, in reach of a short one from pc. */
static gpc_t find_hop(const struct image *im, const struct rtn *r)
{
    for (u32 i = r->pos > 8 ? r->pos - 8 : 0; i < im->nrtns && im->rtn[i]->start < r->start + HOP_REACH; i++) {
        const struct rtn *q = im->rtn[i];
        gpc_t start = q->end, end = padding_end(im, q, start);
        if (q->start == r->start && start < r->start + 2)
            start = r->start + 2; /* the short jump itself may need some */
        for (; end >= start + HOP_BYTES; start += HOP_BYTES)
            if (start + HOP_REACH > r->start && start < r->start + HOP_REACH && !probe_uses(start, start + HOP_BYTES))
                return start;
    }
    return 0;
}

bool probed_site(struct probe_site *s, const struct rtn *r, u32 mode)
{
    struct image *im = r->image;
    *s = (struct probe_site){.pc = r->start, .end = r->end, .leads_into = leads_into};
    s->allow_targets = mode & PROBE_MODE_ALLOW_POTENTIAL_BRANCH_TARGET;
    s->allow_whole = mode & PROBE_MODE_ALLOW_RELOCATION;
    if (im->opened || im->unloaded || im->vdso || r->end <= r->start)
        return false;
    s->arg = branches_of(im);
    s->limit = padding_end(im, r, r->end);
    if (r->end < s->pc + HOP_BYTES && s->limit >= s->pc + HOP_BYTES && probe_uses(r->end, s->pc + HOP_BYTES))
        s->limit = r->end;
    s->hop = s->limit < s->pc + HOP_BYTES ? find_hop(im, r) : 0;
    s->bytes = read_code(s->pc, s->limit);
    return true;
}

void probed_site_free(struct probe_site *s) { free((u8 *)s->bytes); }
