/* SPDX-License-Identifier: Apache-2.0
 * Function symbols of a file, from .symtab (its own or the debug file's) and .dynsym: one sorted table, and a hash
 * by name. Data symbols are left out, as Pin does. Reads nothing unless symbols are
 * wanted. Under image_lock. */
#include "image/elffile.h"

#include <stdlib.h>
#include <string.h>

#define VERSYM_HIDDEN_BIT 0x8000

bool symbols_wanted;

void symbols_add(struct elffile *f, const struct symbol *s)
{
    if (f->nsymbols == f->symbols_room) {
        f->symbols_room = f->symbols_room ? 2 * f->symbols_room : 256;
        f->symbol = elffile_grow(f->symbol, f->symbols_room * sizeof *f->symbol);
    }
    f->symbol[f->nsymbols++] = *s;
}

/* --- reading a table ---------------------------------------------------------------------------------------------- */

struct table {
    struct elffile *from;      /* the file that has it: f or its debug file */
    Elf_Data *data, *versions; /* versions: NULL if none */
    size_t strings, n;
    bool dynamic;
};

static bool open_table(struct table *t, struct elffile *from, u32 type)
{
    elffile_need_sections(from);
    *t = (struct table){.from = from, .dynamic = type == SHT_DYNSYM};
    for (u32 i = 0; i < from->nsections; i++) {
        const struct section *s = &from->section[i];
        GElf_Shdr h;
        if (!s->index || (s->type != type && s->type != SHT_GNU_versym))
            continue;
        Elf_Data *d = elf_getdata(elf_getscn(from->elf, s->index), NULL);
        if (s->type == SHT_GNU_versym) {
            t->versions = d;
        } else if (d && d->d_buf && gelf_getshdr(elf_getscn(from->elf, s->index), &h) && h.sh_entsize) {
            t->data = d;
            t->strings = h.sh_link;
            t->n = d->d_size / h.sh_entsize;
        }
    }
    return t->data != NULL;
}

/* Is it a function, defined here? Assembly files often forget a symbol's type: a global one in code counts. */
static bool is_function(struct elffile *f, const GElf_Sym *s)
{
    int type = GELF_ST_TYPE(s->st_info);
    if (s->st_shndx == SHN_UNDEF || s->st_shndx == SHN_ABS || s->st_shndx == SHN_COMMON || !s->st_name)
        return false;
    if (type != STT_FUNC && type != STT_GNU_IFUNC && !(type == STT_NOTYPE && GELF_ST_BIND(s->st_info) != STB_LOCAL))
        return false;
    return elffile_code_section(f, s->st_value) != NULL;
}

/* Linkers write the version into .symtab: name@@default, name@old. */
static const char *cut_version(struct elffile *f, const char *name, u8 *flags)
{
    const char *at = strchr(name, '@');
    if (!at || at == name)
        return name;
    *flags |= at[1] == '@' ? 0 : SYMBOL_OLD_VERSION;
    return elffile_text(f, "%.*s", (int)(at - name), name);
}

static void read_symbol(struct elffile *f, const struct table *t, int i)
{
    GElf_Sym s;
    GElf_Versym v;
    const char *name;
    if (!gelf_getsym(t->data, i, &s) || !is_function(f, &s) ||
        !(name = elf_strptr(t->from->elf, t->strings, s.st_name)))
        return;
    struct symbol out = {.value = s.st_value, .size = s.st_size, .index = (u32)i, .bind = GELF_ST_BIND(s.st_info)};
    out.flags = GELF_ST_TYPE(s.st_info) == STT_GNU_IFUNC ? SYMBOL_IFUNC : 0;
    out.name = cut_version(f, name, &out.flags);
    if (t->dynamic)
        out.flags |= SYMBOL_DYNAMIC;
    if (t->dynamic && t->versions && gelf_getversym(t->versions, i, &v) && v & VERSYM_HIDDEN_BIT)
        out.flags |= SYMBOL_OLD_VERSION;
    symbols_add(f, &out);
}

static void read_table(struct elffile *f, const struct table *t)
{
    for (size_t i = 1; i < t->n; i++)
        read_symbol(f, t, (int)i);
}

/* --- order -------------------------------------------------------------------------------------------------------- */

static size_t underscores(const char *name)
{
    return strspn(name, "_");
}

/* Which of an address's names to show: what the user would write. Visible before local, write before __write, puts
 * before _IO_puts. */
static int compare_names(const struct symbol *a, const struct symbol *b)
{
    int local = (a->bind == STB_LOCAL) - (b->bind == STB_LOCAL);
    size_t ua = underscores(a->name), ub = underscores(b->name), na, nb;
    if (local)
        return local;
    if (ua != ub)
        return ua < ub ? -1 : 1;
    na = strlen(a->name);
    nb = strlen(b->name);
    if (na != nb)
        return na < nb ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int compare(const void *x, const void *y)
{
    const struct symbol *a = x, *b = y;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    int c = compare_names(a, b);
    return c ? c : (int)(a->flags & SYMBOL_DYNAMIC) - (int)(b->flags & SYMBOL_DYNAMIC);
}

/* The same symbol from two tables (or two versions at one place) becomes one. */
static void merge(struct elffile *f)
{
    u32 n = 0;
    for (u32 i = 0; i < f->nsymbols; i++) {
        struct symbol *s = &f->symbol[i], *last = n ? &f->symbol[n - 1] : NULL;
        if (!last || last->value != s->value || strcmp(last->name, s->name) != 0) {
            f->symbol[n++] = *s;
            continue;
        }
        u8 old = last->flags & s->flags & SYMBOL_OLD_VERSION;
        last->flags = (u8)(((last->flags | s->flags) & ~SYMBOL_OLD_VERSION) | old);
        last->size = s->size > last->size ? s->size : last->size;
    }
    f->nsymbols = n;
}

u32 symbols_from(struct elffile *f, u64 addr)
{
    u32 lo = 0, hi = f->nsymbols;
    while (lo < hi) {
        u32 mid = lo + (hi - lo) / 2;
        if (f->symbol[mid].value < addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* --- names -------------------------------------------------------------------------------------------------------- */

static u32 hash_name(const char *name)
{
    u32 h = 2166136261u;
    for (; *name; name++)
        h = (h ^ (u8)*name) * 16777619u;
    return h;
}

/* Of two symbols of one name (static functions, versions, an ifunc and its implementation), the one that a lookup
 * means. */
static bool preferred(const struct symbol *a, const struct symbol *b)
{
    static const struct {
        u8 flag;
        bool wanted;
    } order[] = {{SYMBOL_OLD_VERSION, false}, {SYMBOL_IMPLEMENTATION, true}, {SYMBOL_DYNAMIC, true}};
    if ((a->bind == STB_LOCAL) != (b->bind == STB_LOCAL))
        return b->bind == STB_LOCAL;
    for (size_t i = 0; i < ARRAY_LEN(order); i++)
        if ((a->flags ^ b->flags) & order[i].flag)
            return !(a->flags & order[i].flag) != order[i].wanted;
    return false;
}

static void index_names(struct elffile *f)
{
    u32 size = 64;
    while (size < 2 * f->nsymbols)
        size *= 2;
    f->by_name = elffile_alloc(size * sizeof *f->by_name);
    f->by_name_mask = size - 1;
    for (u32 i = 0; i < f->nsymbols; i++) {
        u32 at = hash_name(f->symbol[i].name) & f->by_name_mask;
        while (f->by_name[at] && strcmp(f->symbol[f->by_name[at] - 1].name, f->symbol[i].name) != 0)
            at = (at + 1) & f->by_name_mask;
        if (!f->by_name[at] || preferred(&f->symbol[i], &f->symbol[f->by_name[at] - 1]))
            f->by_name[at] = i + 1;
    }
}

const struct symbol *symbols_find(struct elffile *f, const char *name)
{
    elffile_need_symbols(f);
    u32 at = hash_name(name) & f->by_name_mask;
    for (; f->by_name[at]; at = (at + 1) & f->by_name_mask)
        if (strcmp(f->symbol[f->by_name[at] - 1].name, name) == 0)
            return &f->symbol[f->by_name[at] - 1];
    return NULL;
}

void elffile_need_symbols(struct elffile *f)
{
    struct table t;
    if (f->symbols_read)
        return;
    f->symbols_read = true;
    if (symbols_wanted) {
        if (open_table(&t, f, SHT_SYMTAB) || (elffile_debug(f) && open_table(&t, f->debug, SHT_SYMTAB)))
            read_table(f, &t);
        if (open_table(&t, f, SHT_DYNSYM))
            read_table(f, &t);
        ifunc_resolve(f);
    }
    if (f->nsymbols)
        qsort(f->symbol, f->nsymbols, sizeof *f->symbol, compare);
    merge(f);
    index_names(f);
}
