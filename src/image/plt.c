/* SPDX-License-Identifier: Apache-2.0
 * The procedure linkage table: which symbol each of its stubs goes to (name@plt), found by the word that the stub
 * jumps through and the relocation that fills it. Also gives the relocations to others. Knows the stubs of x86 only;
 * on other architectures the whole table is one routine. Keeps nothing. */
#include "image/elffile.h"

#include <stdlib.h>
#include <string.h>

/* --- relocations -------------------------------------------------------------------------------------------------- */

static bool binds(u32 machine, u32 type, bool *resolver)
{
    static const struct {
        u16 machine;
        u16 type;
        bool resolver;
    } known[] = {
        {EM_X86_64, R_X86_64_JUMP_SLOT, false},   {EM_X86_64, R_X86_64_GLOB_DAT, false},
        {EM_X86_64, R_X86_64_IRELATIVE, true},    {EM_386, R_386_JMP_SLOT, false},
        {EM_386, R_386_GLOB_DAT, false},          {EM_386, R_386_IRELATIVE, true},
        {EM_AARCH64, R_AARCH64_JUMP_SLOT, false}, {EM_AARCH64, R_AARCH64_GLOB_DAT, false},
        {EM_AARCH64, R_AARCH64_IRELATIVE, true},
    };
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (known[i].machine == machine && known[i].type == type) {
            *resolver = known[i].resolver;
            return true;
        }
    return false;
}

static const char *symbol_name(struct elffile *f, u32 table, u32 index)
{
    Elf_Scn *scn = elf_getscn(f->elf, table);
    Elf_Data *d = scn ? elf_getdata(scn, NULL) : NULL;
    GElf_Shdr h;
    GElf_Sym s;
    if (!index || !d || !gelf_getshdr(scn, &h) || !gelf_getsym(d, (int)index, &s))
        return NULL;
    const char *name = elf_strptr(f->elf, h.sh_link, s.st_name);
    return name && *name ? name : NULL;
}

static bool each_in_section(struct elffile *f, Elf_Scn *scn, const GElf_Shdr *h,
                            bool (*fn)(const struct bind_reloc *r, void *arg), void *arg)
{
    Elf_Data *d = elf_getdata(scn, NULL);
    for (size_t i = 0; d && h->sh_entsize && i < d->d_size / h->sh_entsize; i++) {
        GElf_Rela r = {0};
        bool resolver;
        if (h->sh_type == SHT_RELA ? !gelf_getrela(d, (int)i, &r) : !gelf_getrel(d, (int)i, (GElf_Rel *)&r))
            continue;
        if (!binds(f->head.e_machine, GELF_R_TYPE(r.r_info), &resolver))
            continue;
        struct bind_reloc b = {r.r_offset, resolver ? NULL : symbol_name(f, h->sh_link, GELF_R_SYM(r.r_info)),
            (u64)r.r_addend};
        if ((resolver || b.name) && !fn(&b, arg))
            return false;
    }
    return true;
}

void plt_each_reloc(struct elffile *f, bool (*fn)(const struct bind_reloc *r, void *arg), void *arg)
{
    elffile_need_sections(f);
    for (u32 i = 0; i < f->nsections; i++) {
        const struct section *s = &f->section[i];
        Elf_Scn *scn = s->index && (s->type == SHT_RELA || s->type == SHT_REL) && s->flags & SHF_ALLOC
                           ? elf_getscn(f->elf, s->index)
                           : NULL;
        GElf_Shdr h;
        if (scn && gelf_getshdr(scn, &h) && !each_in_section(f, scn, &h, fn, arg))
            return;
    }
}

/* --- stubs -------------------------------------------------------------------------------------------------------- */

struct slots {
    struct bind_reloc *r;
    u32 n, room;
};

static bool collect(const struct bind_reloc *r, void *arg)
{
    struct slots *s = arg;
    if (s->n == s->room) {
        s->room = s->room ? 2 * s->room : 128;
        s->r = elffile_grow(s->r, s->room * sizeof *s->r);
    }
    s->r[s->n++] = *r;
    return true;
}

static int compare(const void *x, const void *y)
{
    const struct bind_reloc *a = x, *b = y;
    return a->slot < b->slot ? -1 : a->slot > b->slot;
}

static const char *name_of_slot(struct elffile *f, const struct slots *s, u64 slot)
{
    const struct bind_reloc key = {.slot = slot}, *r = s->n ? bsearch(&key, s->r, s->n, sizeof key, compare) : NULL;
    if (!r || r->name)
        return r ? r->name : NULL;
    u32 i = symbols_from(f, r->addend);
    return i < f->nsymbols && f->symbol[i].value == r->addend ? f->symbol[i].name : NULL;
}

/* The word that a stub jumps through: `jmp *disp(%rip)` (ff 25), after an endbr64 or a bnd prefix perhaps. */
static bool stub_slot(const u8 *p, u64 addr, size_t bytes, u64 *slot)
{
    for (size_t i = 0; i + 6 <= bytes && i < 6; i++)
        if (p[i] == 0xff && p[i + 1] == 0x25) {
            s32 disp;
            memcpy(&disp, p + i + 2, 4);
            *slot = addr + i + 6 + (u64)(s64)disp;
            return true;
        }
    return false;
}

static void read_stubs(struct elffile *f, const struct section *s, const struct slots *slots)
{
    const u8 *p = elffile_bytes(f, s);
    GElf_Shdr h;
    size_t step =
        s->index && gelf_getshdr(elf_getscn(f->elf, s->index), &h) && (h.sh_entsize == 8 || h.sh_entsize == 16)
            ? h.sh_entsize
            : 16;
    for (u64 at = 0, slot; p && at + step <= s->bytes; at += step) {
        const char *name = stub_slot(p + at, s->addr + at, step, &slot) ? name_of_slot(f, slots, slot) : NULL;
        if (name)
            funcs_add(f, &(struct func){.start = s->addr + at, .end = s->addr + at + step,
                .name = elffile_text(f, "%s@plt", name), .symbol = NO_SYMBOL, .flags = FUNC_PLT});
    }
}

void plt_read(struct elffile *f)
{
    struct slots slots = {0};
    if (f->head.e_machine != EM_X86_64)
        return;
    plt_each_reloc(f, collect, &slots);
    if (slots.n)
        qsort(slots.r, slots.n, sizeof *slots.r, compare);
    for (u32 i = 0; i < f->nsections; i++)
        if (strncmp(f->section[i].name, ".plt", 4) == 0 && f->section[i].flags & SHF_EXECINSTR)
            read_stubs(f, &f->section[i], &slots);
    free(slots.r);
}
