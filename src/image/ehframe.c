/* SPDX-License-Identifier: Apache-2.0
 * Function starts and sizes from .eh_frame: what is left of the boundaries in a stripped file. Reads only the
 * address range of each entry. Keeps nothing. */
#include "image/elffile.h"

#include <dwarf.h>
#include <string.h>

struct reader {
    const u8 *at, *end;
    bool bad;         /* ran out of bytes, or met what it does not know */
    u64 addr_of_data; /* file address less pointer, for pc-relative values */
    bool is64;
};

static u64 take(struct reader *r, size_t n)
{
    u64 v = 0;
    if (r->bad || (size_t)(r->end - r->at) < n) {
        r->bad = true;
        return 0;
    }
    memcpy(&v, r->at, n);
    r->at += n;
    return v;
}

static u64 take_leb(struct reader *r, bool is_signed)
{
    u64 v = 0;
    u32 shift = 0;
    u8 b;
    do {
        b = (u8)take(r, 1);
        v |= shift < 64 ? (u64)(b & 0x7f) << shift : 0;
        shift += 7;
    } while (b & 0x80 && !r->bad);
    if (is_signed && shift < 64 && b & 0x40)
        v |= ~0ul << shift;
    return v;
}

static u64 take_format(struct reader *r, u8 format)
{
    switch (format & 0xf) {
    case DW_EH_PE_absptr: return take(r, r->is64 ? 8 : 4);
    case DW_EH_PE_uleb128: return take_leb(r, false);
    case DW_EH_PE_sleb128: return take_leb(r, true);
    case DW_EH_PE_udata2: return take(r, 2);
    case DW_EH_PE_sdata2: return (u64)(s16)take(r, 2);
    case DW_EH_PE_udata4: return take(r, 4);
    case DW_EH_PE_sdata4: return (u64)(s32)take(r, 4);
    case DW_EH_PE_udata8: case DW_EH_PE_sdata8: return take(r, 8);
    }
    r->bad = true;
    return 0;
}

static u64 take_pointer(struct reader *r, u8 encoding)
{
    u64 here = (u64)r->at + r->addr_of_data, v = take_format(r, encoding);
    if ((encoding & 0x70) == DW_EH_PE_pcrel)
        v += here;
    else if (encoding & 0xf0)
        r->bad = true; /* relative to something else, or indirect: not for code in practice */
    return r->is64 ? v : (u32)v;
}

/* How a CIE's entries write their addresses; 0xff: cannot be told. */
static u8 cie_encoding(struct reader r)
{
    u8 version = (u8)take(&r, 1), encoding = DW_EH_PE_absptr;
    const char *aug = (const char *)r.at;
    size_t n = strnlen(aug, (size_t)(r.end - r.at));
    if (r.at + n == r.end)
        return 0xff;
    r.at += n + 1;
    if (strncmp(aug, "eh", 2) == 0)
        take(&r, r.is64 ? 8 : 4);
    take_leb(&r, false);
    take_leb(&r, true);
    if (version == 1)
        take(&r, 1);
    else
        take_leb(&r, false);
    if (aug[0] == 'z')
        take_leb(&r, false);
    for (size_t i = 1; aug[0] == 'z' && i < n && !r.bad; i++) {
        if (aug[i] == 'R')
            encoding = (u8)take(&r, 1);
        else if (aug[i] == 'P')
            take_format(&r, (u8)take(&r, 1));
        else if (aug[i] == 'L')
            take(&r, 1);
        else if (aug[i] != 'S' && aug[i] != 'B')
            break;
    }
    return r.bad ? 0xff : encoding;
}

/* One entry of the section; false: end. */
static bool next_entry(struct reader *all, struct reader *entry, const u8 **cie)
{
    u64 bytes = take(all, 4);
    bool is_long = bytes == 0xffffffff;
    if (is_long)
        bytes = take(all, 8);
    if (all->bad || !bytes || bytes > (u64)(all->end - all->at))
        return false;
    *entry = *all;
    entry->end = all->at + bytes;
    all->at += bytes;
    const u8 *id_at = entry->at;
    u64 id = take(entry, 4);
    *cie = id ? id_at - id : NULL;
    return !entry->bad;
}

/* The CIE whose length field is at p. */
static u8 encoding_at(const struct reader *all, const u8 *first, const u8 *p)
{
    struct reader at = *all, cie;
    const u8 *none;
    if (p < first || p >= all->end)
        return 0xff;
    at.at = p;
    at.bad = false;
    return next_entry(&at, &cie, &none) && !none ? cie_encoding(cie) : 0xff;
}

void ehframe_read(struct elffile *f, void (*found)(struct elffile *, u64 start, u64 bytes))
{
    const struct section *s = elffile_section(f, ".eh_frame");
    const u8 *first = s && !(s->flags & SHF_COMPRESSED) ? elffile_bytes(f, s) : NULL, *cie, *last_cie = NULL;
    u8 encoding = 0xff;
    if (!first || f->head.e_ident[EI_DATA] != ELFDATA2LSB)
        return;
    struct reader all = {first, first + s->bytes, false, s->addr - (u64)first,
        f->head.e_ident[EI_CLASS] == ELFCLASS64}, e;
    while (next_entry(&all, &e, &cie)) {
        if (!cie)
            continue;
        if (cie != last_cie)
            encoding = encoding_at(&all, first, cie);
        last_cie = cie;
        if (encoding == 0xff)
            continue;
        u64 start = take_pointer(&e, encoding), bytes = take_format(&e, encoding & 0xf);
        if (!e.bad)
            found(f, start, bytes);
    }
}
