/* SPDX-License-Identifier: Apache-2.0
 * Source lines from DWARF, by libdw, from the file itself or its separate debug file. A compilation unit's line
 * table is read when an address in it is asked for. Never lets libdw open a file: the supplementary file of dwz is
 * given to it. Under image_lock (libdw has no locks). */
#include "image/elffile.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit_range {
    u64 start, end;
    Dwarf_Off die;
};

struct lines {
    Dwarf *dwarf, *alt;
    struct elffile *alt_file;
    struct unit_range *unit; /* sorted; made when the file's own index (.debug_aranges) does not have an address */
    u32 nunits, units_room;
    bool units_read;
};

void lines_free(struct lines *l)
{
    if (!l)
        return;
    dwarf_end(l->dwarf);
    dwarf_end(l->alt);
    if (l->alt_file)
        elffile_release(l->alt_file);
    free(l->unit);
    free(l);
}

static struct elffile *with_lines(struct elffile *f)
{
    static const char *const names[] = {".debug_line", ".zdebug_line"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const struct section *s = elffile_section(f, names[i]);
        if (s && s->type != SHT_NOBITS)
            return f;
    }
    return NULL;
}

static struct elffile *lines_source(struct elffile *f)
{
    if (!symbols_wanted)
        return NULL;
    struct elffile *own = with_lines(f);
    return own ? own : elffile_debug(f) ? with_lines(f->debug) : NULL;
}

bool lines_any(struct elffile *f)
{
    return lines_source(f) != NULL;
}

/* dwz moves what debug files share into another one, named relative to the file that uses it. */
static void give_alt(struct lines *l, struct elffile *f)
{
    const char *name;
    const void *id;
    char path[PATH_MAX];
    const char *slash = strrchr(f->path, '/');
    if (dwelf_dwarf_gnu_debugaltlink(l->dwarf, &name, &id) <= 0)
        return;
    int dir = name[0] == '/' || !slash ? 0 : (int)(slash - f->path) + 1;
    if (snprintf(path, sizeof path, "%.*s%s", dir, f->path, name) >= (int)sizeof path ||
        !(l->alt_file = elffile_open(path)))
        return;
    l->alt = dwarf_begin_elf(l->alt_file->elf, DWARF_C_READ, NULL);
    if (l->alt)
        dwarf_setalt(l->dwarf, l->alt);
}

static struct lines *need_lines(struct elffile *f)
{
    if (f->lines)
        return f->lines;
    struct elffile *from = lines_source(f);
    f->lines = elffile_alloc(sizeof *f->lines);
    if (from && (f->lines->dwarf = dwarf_begin_elf(from->elf, DWARF_C_READ, NULL)))
        give_alt(f->lines, from);
    return f->lines;
}

/* --- which unit --------------------------------------------------------------------------------------------------- */

static void add_unit(struct lines *l, u64 start, u64 end, Dwarf_Off die)
{
    if (l->nunits == l->units_room) {
        l->units_room = l->units_room ? 2 * l->units_room : 64;
        l->unit = elffile_grow(l->unit, l->units_room * sizeof *l->unit);
    }
    l->unit[l->nunits++] = (struct unit_range){start, end, die};
}

static int compare(const void *x, const void *y)
{
    const struct unit_range *a = x, *b = y;
    return a->start < b->start ? -1 : a->start > b->start;
}

/* Compilers other than gcc write no index: the units themselves say what they cover. */
static void read_units(struct lines *l)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die die;
    u8 type;
    l->units_read = true;
    while (dwarf_get_units(l->dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
        Dwarf_Addr base, start, end;
        if (type == DW_UT_type || type == DW_UT_partial)
            continue;
        for (ptrdiff_t off = 0; (off = dwarf_ranges(&die, off, &base, &start, &end)) > 0;)
            if (start < end)
                add_unit(l, start, end, dwarf_dieoffset(&die));
    }
    if (l->nunits)
        qsort(l->unit, l->nunits, sizeof *l->unit, compare);
}

static bool unit_by_ranges(struct lines *l, u64 addr, Dwarf_Die *die)
{
    if (!l->units_read)
        read_units(l);
    u32 lo = 0, hi = l->nunits;
    while (lo < hi) {
        u32 mid = lo + (hi - lo) / 2;
        if (l->unit[mid].start <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo && addr < l->unit[lo - 1].end && dwarf_offdie(l->dwarf, l->unit[lo - 1].die, die);
}

static bool find_unit(struct lines *l, u64 addr, Dwarf_Die *die)
{
    Dwarf_Aranges *index;
    Dwarf_Off off;
    if (!l->units_read && dwarf_getaranges(l->dwarf, &index, NULL) == 0) {
        Dwarf_Arange *r = dwarf_getarange_addr(index, addr);
        if (r && dwarf_getarangeinfo(r, NULL, NULL, &off) == 0 && dwarf_offdie(l->dwarf, off, die))
            return true;
    }
    return unit_by_ranges(l, addr, die);
}

bool lines_find(struct elffile *f, u64 addr, const char **file, int *line, int *column)
{
    struct lines *l = need_lines(f);
    Dwarf_Die die;
    if (!l->dwarf || !find_unit(l, addr, &die))
        return false;
    Dwarf_Line *at = dwarf_getsrc_die(&die, addr);
    if (!at || dwarf_lineno(at, line) != 0 || dwarf_linecol(at, column) != 0)
        return false;
    *file = dwarf_linesrc(at, NULL, NULL);
    return *file != NULL;
}
