/* SPDX-License-Identifier: Apache-2.0
 * Where routines begin and end: from symbols, the procedure linkage table, unwind information and, where all of these
 * are silent, the section itself. Under image_lock.
 *
 *  FN1  Routines are sorted and disjoint, and each lies in one executable section.
 *  FN2  One that begins at a symbol has the symbol's size, or reaches to the next one where the symbol has none. */
#include "image/elffile.h"

#include "base/options.h"

#include <stdlib.h>
#include <string.h>

/* While the list is made, end == start means that the end is not known yet. */
void funcs_add(struct elffile *f, const struct func *c)
{
    if (f->nfuncs == f->funcs_room) {
        f->funcs_room = f->funcs_room ? 2 * f->funcs_room : 256;
        f->func = elffile_grow(f->func, f->funcs_room * sizeof *f->func);
    }
    f->func[f->nfuncs++] = *c;
}

/* Where several symbols name a routine, the first of them does, or with the tool's option -short_name the shortest. */
static void from_symbols(struct elffile *f)
{
    const char *option = options_of_tool("-short_name", 0);
    bool shortest = option && strcmp(option, "0") != 0;
    for (u32 i = 0; i < f->nsymbols;) {
        const struct symbol *s = &f->symbol[i];
        struct func c = {.start = s->value, .end = s->value, .name = s->name, .symbol = i};
        for (; i < f->nsymbols && f->symbol[i].value == c.start; i++) {
            c.end = c.start + f->symbol[i].size > c.end ? c.start + f->symbol[i].size : c.end;
            if (shortest && strlen(f->symbol[i].name) < strlen(c.name))
                c.name = f->symbol[i].name, c.symbol = i;
        }
        funcs_add(f, &c);
    }
}

static int compare(const void *x, const void *y)
{
    const struct func *a = x, *b = y;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->symbol == NO_SYMBOL) - (b->symbol == NO_SYMBOL);
}

static void sort(struct elffile *f)
{
    if (f->nfuncs)
        qsort(f->func, f->nfuncs, sizeof *f->func, compare);
    u32 n = 0;
    for (u32 i = 0; i < f->nfuncs; i++)
        if (!n || f->func[n - 1].start != f->func[i].start)
            f->func[n++] = f->func[i];
    f->nfuncs = n;
}

/* The last of the first n routines that has start <= addr. */
static struct func *before(struct elffile *f, u32 n, u64 addr)
{
    u32 lo = 0, hi = n;
    while (lo < hi) {
        u32 mid = lo + (hi - lo) / 2;
        if (f->func[mid].start <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo ? &f->func[lo - 1] : NULL;
}

/* --- what no symbol names ----------------------------------------------------------------------------------------- */

/* The entry point of a stripped program gets the name that Pin gives it. */
static void add_entry(struct elffile *f)
{
    u64 e = f->head.e_entry;
    const struct func *c = before(f, f->nfuncs, e);
    if (!e || !elffile_code_section(f, e) || (c && (c->start == e || c->end > e)))
        return;
    funcs_add(f, &(struct func){.start = e, .end = e, .name = "unnamedImageEntryPoint", .symbol = NO_SYMBOL,
        .flags = FUNC_ARTIFICIAL});
    sort(f);
}

static u32 nsorted; /* while unwind information is read: how many routines were known before */

static void found_unwind(struct elffile *f, u64 start, u64 bytes)
{
    const struct section *s = elffile_code_section(f, start);
    struct func *c = before(f, nsorted, start);
    if (!s || !bytes || strncmp(s->name, ".plt", 4) == 0)
        return;
    if (c && c->start == start)
        c->end = c->end == start ? start + bytes : c->end;
    else if (!c || c->end <= start)
        funcs_add(f, &(struct func){.start = start, .end = start + bytes, .symbol = NO_SYMBOL,
            .flags = FUNC_ARTIFICIAL});
}

static void name_unnamed(struct elffile *f)
{
    for (u32 i = 0; i < f->nfuncs; i++)
        if (!f->func[i].name)
            f->func[i].name = elffile_text(f, "sub_%lx", f->func[i].start);
}

/* Code at the start of a section for which no routine is known gets the section's name. */
static void add_section_starts(struct elffile *f)
{
    nsorted = f->nfuncs;
    for (u32 i = 0; i < f->nsections; i++) {
        const struct section *s = &f->section[i];
        const struct func *c = before(f, nsorted, s->addr);
        if ((s->flags & (SHF_ALLOC | SHF_EXECINSTR)) != (SHF_ALLOC | SHF_EXECINSTR) || !s->bytes ||
            (c && (c->start == s->addr || c->end > s->addr)))
            continue;
        funcs_add(f, &(struct func){.start = s->addr, .end = s->addr, .name = s->name, .symbol = NO_SYMBOL,
            .flags = FUNC_ARTIFICIAL});
    }
    sort(f);
}

/* FN1, FN2 */
static void set_ends(struct elffile *f)
{
    u32 n = 0;
    for (u32 i = 0; i < f->nfuncs; i++) {
        struct func c = f->func[i];
        const struct section *s = elffile_code_section(f, c.start);
        if (!s)
            continue;
        u64 limit = s->addr + s->bytes;
        if (i + 1 < f->nfuncs && f->func[i + 1].start < limit)
            limit = f->func[i + 1].start;
        c.end = c.end == c.start || c.end > limit ? limit : c.end;
        c.section = (u32)(s - f->section);
        f->func[n++] = c;
    }
    f->nfuncs = n;
}

void elffile_need_funcs(struct elffile *f)
{
    if (f->funcs_read)
        return;
    f->funcs_read = true;
    elffile_need_sections(f);
    if (symbols_wanted) {
        elffile_need_symbols(f);
        from_symbols(f);
        plt_read(f);
        sort(f);
        add_entry(f);
        nsorted = f->nfuncs;
        ehframe_read(f, found_unwind);
        sort(f);
        name_unnamed(f);
    }
    add_section_starts(f);
    set_ends(f);
}
