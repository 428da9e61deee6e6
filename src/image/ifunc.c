/* SPDX-License-Identifier: Apache-2.0
 * Implementations of indirect functions (STT_GNU_IFUNC). The guest's loader chooses one by running a resolver, but a
 * tool wants to know earlier. Where the host has loaded the same library (libc, most of the time), its loader has
 * made the same choice on the same CPU, and dlsym tells it. What no host library can tell is read from the words
 * that the guest's loader has bound (rtn_ifunc_target). */
#include "image/elffile.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

struct host_module {
    struct elffile *file;   /* the file whose copy in the host is looked for */
    char name[4096];
    u64 bias, low, high;
    bool found;
};

static bool note_matches(const u8 *p, size_t bytes, const u8 *id, size_t id_bytes)
{
    while (bytes >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *n = (const void *)p;
        size_t name = (n->n_namesz + 3u) & ~3u, all = sizeof *n + name + ((n->n_descsz + 3u) & ~3u);
        if (all > bytes)
            return false;
        if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && memcmp(n + 1, "GNU", 4) == 0)
            return n->n_descsz == id_bytes && memcmp((const u8 *)(n + 1) + name, id, id_bytes) == 0;
        p += all;
        bytes -= all;
    }
    return false;
}

static int look_at_module(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct host_module *m = arg;
    const u8 *id;
    size_t n = elffile_build_id(m->file, &id);
    (void)size;
    m->low = ~0ul;
    m->high = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        u64 start = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_NOTE && n && note_matches((const u8 *)start, p->p_memsz, id, n))
            m->found = true;
        if (p->p_type == PT_LOAD && start < m->low)
            m->low = start;
        if (p->p_type == PT_LOAD && start + p->p_memsz > m->high)
            m->high = start + p->p_memsz;
    }
    m->bias = info->dlpi_addr;
    strncpy(m->name, info->dlpi_name, sizeof m->name - 1);
    return m->found;
}

static u64 host_choice(void *module, const struct host_module *m, const char *name)
{
    u64 at = (u64)dlsym(module, name);
    return at >= m->low && at < m->high ? at - m->bias : 0;
}

static void add_implementations(struct elffile *f, void *module, const struct host_module *m)
{
    u32 n = f->nsymbols;
    for (u32 i = 0; i < n; i++) {
        struct symbol s = f->symbol[i];
        u64 at = (s.flags & (SYMBOL_IFUNC | SYMBOL_DYNAMIC | SYMBOL_OLD_VERSION)) == (SYMBOL_IFUNC | SYMBOL_DYNAMIC)
                     ? host_choice(module, m, s.name)
                     : 0;
        if (!at || !elffile_code_section(f, at))
            continue;
        s.value = at;
        s.size = 0;
        s.flags = SYMBOL_GENERATED | SYMBOL_IMPLEMENTATION;
        symbols_add(f, &s);
    }
}

static bool any_ifunc(const struct elffile *f)
{
    for (u32 i = 0; i < f->nsymbols; i++)
        if (f->symbol[i].flags & SYMBOL_IFUNC && f->symbol[i].flags & SYMBOL_DYNAMIC)
            return true;
    return false;
}

void ifunc_resolve(struct elffile *f)
{
    struct host_module m = {.file = f};
    if (!any_ifunc(f) || !dl_iterate_phdr(look_at_module, &m) || !m.name[0])
        return;
    void *module = dlopen(m.name, RTLD_LAZY | RTLD_NOLOAD);
    if (!module)
        return;
    add_implementations(f, module, &m);
    dlclose(module);
}
