/* SPDX-License-Identifier: Apache-2.0
 * Constants in the tool's memory (os_constant_at of os.h). What the loader writes while it relocates an object never
 * changes again in two places: where the loader protects it afterwards, and in the table of a procedure linkage table
 * whose entries are bound, as all of a tool's are when it is opened. Owns a memory of the last answers. Under
 * jit_lock. */
#include "os/os.h"

#include <link.h>
#include <string.h>

#define RESERVED_ENTRIES 3 /* entries at the table's start that the loader uses itself */
#define PUSH_IMM32 0x68    /* the second instruction of an entry, to which the entry leads until it is bound */

struct query {
    u64 addr, bytes;
    bool found;
};

static bool within(const struct query *q, u64 start, u64 size)
{
    return q->addr >= start && q->addr + q->bytes <= start + size;
}

static bool is_bound(const struct dl_phdr_info *info, const struct query *q)
{
    u64 to;
    memcpy(&to, (const void *)q->addr, 8);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        u64 start = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && to >= start && to < start + p->p_memsz)
            return p->p_flags & PF_X && *(const u8 *)to != PUSH_IMM32;
    }
    return to != 0;
}

static bool in_linkage_table(const struct dl_phdr_info *info, const ElfW(Phdr) *dynamic, const struct query *q)
{
    u64 table = 0, bytes = 0;
    for (const ElfW(Dyn) *d = (const ElfW(Dyn) *)(info->dlpi_addr + dynamic->p_vaddr); d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_PLTGOT)
            table = d->d_un.d_ptr; /* relocated by the loader */
        if (d->d_tag == DT_PLTRELSZ)
            bytes = d->d_un.d_val / sizeof(ElfW(Rela)) * 8;
    }
    return table && q->bytes == 8 && within(q, table + RESERVED_ENTRIES * 8, bytes) && is_bound(info, q);
}

static int look_at_object(struct dl_phdr_info *info, size_t size, void *data)
{
    struct query *q = data;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        bool fixed = (p->p_type == PT_LOAD && !(p->p_flags & PF_W)) || p->p_type == PT_GNU_RELRO;
        if (fixed && within(q, info->dlpi_addr + p->p_vaddr, p->p_memsz))
            q->found = true;
        if (p->p_type == PT_DYNAMIC && in_linkage_table(info, p, q))
            q->found = true;
    }
    return q->found;
}

bool os_constant_at(u64 addr, unsigned bytes, u64 *value)
{
    /* Kept, because the same few are asked for again and again. */
    static struct { u64 addr, bytes, value; bool found; } last[16];
    u32 at = (u32)(addr >> 3) % ARRAY_LEN(last);
    if (last[at].addr != addr || last[at].bytes != bytes) {
        struct query q = {addr, bytes, false};
        dl_iterate_phdr(look_at_object, &q);
        last[at].addr = addr, last[at].bytes = bytes, last[at].value = 0, last[at].found = q.found;
        if (q.found)
            memcpy(&last[at].value, (const void *)addr, bytes);
    }
    *value = last[at].value;
    return last[at].found;
}
