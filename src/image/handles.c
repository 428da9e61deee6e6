/* SPDX-License-Identifier: Apache-2.0
 * Handles of sections, symbols and routines: an image gets a run of numbers for each kind when they are first asked
 * for. Numbers are never used again, so the handle of an image that was unloaded is recognised as such. Also the
 * routines of an image at run time. Under image_lock. */
#include "image/image.h"
#include "image/image_private.h"

#include <stdlib.h>
#include <string.h>

struct run {
    u32 first, n;
    struct image *im;
    struct rtn *one; /* a routine made by RTN_CreateAt; NULL: a run of the image's own */
};

struct runs {
    struct run *run; /* sorted, because numbers only grow */
    u32 n, room, used;
    const char *what;
};
static struct runs secs = {.what = "sections"}, syms = {.what = "symbols"}, rtns = {.what = "routines"};

void (*rtn_close_hook)(struct rtn *r, u32 head);
void (*rtn_free_hook)(struct rtn *r);

/* --- runs --------------------------------------------------------------------------------------------------------- */

/* The first number of a new run; 0 when it would be empty. */
static u32 reserve(struct runs *k, u32 n, struct image *im, struct rtn *one)
{
    if (!n)
        return 0;
    if (n > INT32_MAX - k->used)
        die(1, "the tool has asked for more %s than there are handles (%u)", k->what, k->used);
    if (k->n == k->room) {
        k->room = k->room ? 2 * k->room : 32;
        k->run = elffile_grow(k->run, k->room * sizeof *k->run);
    }
    k->run[k->n++] = (struct run){k->used + 1, n, im, one};
    k->used += n;
    return k->used - n + 1;
}

static const struct run *run_of(const struct runs *k, u32 id)
{
    u32 lo = 0, hi = k->n;
    while (lo < hi) {
        u32 mid = lo + (hi - lo) / 2;
        if (k->run[mid].first <= id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return id && lo && id - k->run[lo - 1].first < k->run[lo - 1].n ? &k->run[lo - 1] : NULL;
}

static void forget_in(struct runs *k, const struct image *im)
{
    u32 n = 0;
    for (u32 i = 0; i < k->n; i++)
        if (k->run[i].im != im)
            k->run[n++] = k->run[i];
    k->n = n;
}

void handles_forget(struct image *im)
{
    forget_in(&secs, im);
    forget_in(&syms, im);
    forget_in(&rtns, im);
    for (u32 i = 0; i < im->nrtns; i++) {
        struct rtn *r = im->rtn[i];
        if (rtn_free_hook)
            rtn_free_hook(r);
        if (r < im->rtn_block || r >= im->rtn_block + im->file->nfuncs)
            free(r);
    }
    free(im->rtn);
    free(im->rtn_block);
}

/* --- sections and symbols ----------------------------------------------------------------------------------------- */

u32 image_secs(struct image *im)
{
    if (!im->first_sec) {
        elffile_need_sections(im->file);
        im->nsecs = im->file->nsections;
        im->first_sec = reserve(&secs, im->nsecs, im, NULL);
    }
    return im->first_sec;
}

const struct section *sec_get(u32 id, struct image **im)
{
    const struct run *r = run_of(&secs, id);
    if (!r)
        return NULL;
    *im = r->im;
    return &r->im->file->section[id - r->first];
}

u32 image_syms(struct image *im)
{
    if (!im->first_sym) {
        elffile_need_symbols(im->file);
        im->nsyms = im->file->nsymbols;
        im->first_sym = reserve(&syms, im->nsyms, im, NULL);
    }
    return im->first_sym;
}

const struct symbol *sym_get(u32 id, struct image **im)
{
    const struct run *r = run_of(&syms, id);
    if (!r)
        return NULL;
    *im = r->im;
    return &r->im->file->symbol[id - r->first];
}

/* --- routines ----------------------------------------------------------------------------------------------------- */

static void make_rtns(struct image *im)
{
    struct elffile *f = im->file;
    elffile_need_funcs(f);
    im->nrtns = f->nfuncs;
    im->first_rtn = reserve(&rtns, im->nrtns, im, NULL);
    im->rtn_block = elffile_alloc(f->nfuncs * sizeof *im->rtn_block);
    im->rtn = elffile_alloc((f->nfuncs + 1) * sizeof *im->rtn);
    for (u32 i = 0; i < f->nfuncs; i++) {
        const struct func *c = &f->func[i];
        struct rtn *r = &im->rtn_block[i];
        *r = (struct rtn){.id = im->first_rtn + i, .pos = i, .start = c->start + im->bias, .end = c->end + im->bias,
            .name = c->name, .image = im};
        r->section = c->section;
        r->symbol = c->symbol;
        r->flags = c->flags;
        im->rtn[i] = r;
    }
}

u32 image_rtns(struct image *im)
{
    if (!im->rtn)
        make_rtns(im);
    return im->nrtns ? im->rtn[0]->id : 0;
}

struct rtn *rtn_get(u32 id)
{
    const struct run *r = run_of(&rtns, id);
    return !r ? NULL : r->one ? r->one : &r->im->rtn_block[id - r->first];
}

/* The last routine with start <= addr. */
static struct rtn *rtn_before(struct image *im, u64 addr)
{
    u32 lo = 0, hi = image_rtns(im) ? im->nrtns : 0;
    while (lo < hi) {
        u32 mid = lo + (hi - lo) / 2;
        if (im->rtn[mid]->start <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo ? im->rtn[lo - 1] : NULL;
}

struct rtn *rtn_at(struct image *im, u64 start)
{
    struct rtn *r = rtn_before(im, start);
    return r && r->start == start ? r : NULL;
}

struct rtn *rtn_from(struct image *im, u64 addr)
{
    struct rtn *r = rtn_before(im, addr);
    u32 pos = !r ? 0 : r->start == addr ? r->pos : r->pos + 1;
    return pos < im->nrtns ? im->rtn[pos] : NULL;
}

struct rtn *rtn_find(gpc_t pc)
{
    image_lock();
    struct image *im = image_find(pc);
    struct rtn *r = im ? rtn_before(im, pc) : NULL;
    r = r && pc < r->end ? r : NULL;
    image_unlock();
    return r;
}

static u64 end_for(struct image *im, const struct section *s, const struct rtn *before, u64 addr)
{
    if (before && addr < before->end)
        return before->end;
    u64 end = s->addr + s->bytes + im->bias;
    u32 next = before ? before->pos + 1 : 0;
    return next < im->nrtns && im->rtn[next]->start < end ? im->rtn[next]->start : end;
}

static void rename_rtn(struct rtn *r, const char *name)
{
    r->name = elffile_text(r->image->file, "%s", name);
    r->symbol = NO_SYMBOL;
    r->flags |= FUNC_ARTIFICIAL;
}

/* A routine that begins in the middle of another one ends that one there; one that begins there gets the name. */
struct rtn *rtn_create(u64 addr, const char *name)
{
    struct image *im = image_find(addr);
    const struct section *s = im ? elffile_code_section(im->file, addr - im->bias) : NULL;
    if (!s)
        return NULL;
    struct rtn *before = rtn_before(im, addr);
    if (before && before->start == addr) {
        rename_rtn(before, name);
        return before;
    }
    struct rtn *r = elffile_alloc(sizeof *r);
    *r = (struct rtn){.pos = before ? before->pos + 1 : 0, .start = addr, .end = end_for(im, s, before, addr),
        .image = im};
    rename_rtn(r, name);
    r->section = (u32)(s - im->file->section);
    r->id = reserve(&rtns, 1, im, r);
    if (before && before->end > addr)
        before->end = addr;
    im->rtn = elffile_grow(im->rtn, (im->nrtns + 1) * sizeof *im->rtn);
    memmove(im->rtn + r->pos + 1, im->rtn + r->pos, (im->nrtns - r->pos) * sizeof *im->rtn);
    im->rtn[r->pos] = r;
    im->nrtns++;
    for (u32 i = r->pos + 1; i < im->nrtns; i++)
        im->rtn[i]->pos = i;
    return r;
}

/* --- by name, and ifuncs ------------------------------------------------------------------------------------------ */

static struct rtn *nameless_rtn(struct image *im, const char *name)
{
    for (u32 i = 0; i < im->nrtns; i++)
        if (im->rtn[i]->symbol == NO_SYMBOL && strcmp(im->rtn[i]->name, name) == 0)
            return im->rtn[i];
    return NULL;
}

struct rtn *rtn_named(struct image *im, const char *name)
{
    if (!image_rtns(im))
        return NULL;
    const struct symbol *s = symbols_wanted ? symbols_find(im->file, name) : NULL;
    struct rtn *r = s ? rtn_at(im, s->value + im->bias) : NULL, *target = NULL;
    if (r && s->flags & SYMBOL_IFUNC)
        target = rtn_ifunc_target(r);
    return target ? target : r ? r : nameless_rtn(im, name);
}

struct search {
    const struct rtn *resolver;
    struct image *in;    /* whose relocations these are */
    const char *name;
    u64 found;
};

static bool look_at_slot(const struct bind_reloc *b, void *arg)
{
    struct search *s = arg;
    u64 word;
    bool ours = b->name ? strcmp(b->name, s->name) == 0
                        : s->in == s->resolver->image && b->addend + s->in->bias == s->resolver->start;
    if (!ours || image_read(s->in, b->slot + s->in->bias, &word, sizeof word) != sizeof word ||
        word == s->resolver->start)
        return true;
    /* The word is bound if it points to code of the library itself; before that, it holds an address in a linkage
     * table, or nothing. */
    const struct section *code = elffile_code_section(s->resolver->image->file, word - s->resolver->image->bias);
    if (!code || strncmp(code->name, ".plt", 4) == 0)
        return true;
    s->found = word;
    return false;
}

static u64 bound_target(const struct rtn *r, const char *name)
{
    struct search s = {.resolver = r, .name = name};
    for (s.in = image_first(); s.in && !s.found; s.in = s.in->next)
        if (!s.in->opened && !s.in->unloaded && s.in->file->head.e_ident[EI_CLASS] == ELFCLASS64)
            plt_each_reloc(s.in->file, look_at_slot, &s);
    return s.found;
}

struct rtn *rtn_ifunc_target(struct rtn *r)
{
    struct elffile *f = r->image->file;
    u64 value = r->start - r->image->bias, target;
    for (u32 i = symbols_from(f, value); i < f->nsymbols && f->symbol[i].value == value; i++) {
        if (!(f->symbol[i].flags & SYMBOL_IFUNC))
            continue;
        const struct symbol *s = symbols_find(f, f->symbol[i].name);
        if (s && s->flags & SYMBOL_IMPLEMENTATION)
            return rtn_at(r->image, s->value + r->image->bias);
        if ((target = bound_target(r, f->symbol[i].name)))
            return rtn_at(r->image, target) ? rtn_at(r->image, target) : rtn_create(target, f->symbol[i].name);
    }
    return NULL;
}
