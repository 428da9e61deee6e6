/* SPDX-License-Identifier: Apache-2.0
 * See hostsym.h. The mapping comes from /proc/self/maps, the function from the file's own symbol table. Owns no state,
 * takes no lock. */
#include "os/hostsym.h"

#include "arch/arch.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern const char __executable_start[], etext[];

static s64 raw(u64 nr, u64 a, u64 b, u64 c, u64 d, u64 e) { return arch_raw_syscall(nr, a, b, c, d, e, 0); }

static int open_file(const char *path)
{
    return (int)raw(SYS_openat, (u64)AT_FDCWD, (u64)path, O_RDONLY | O_CLOEXEC, 0, 0);
}

/* --- the mapping -------------------------------------------------------------------------------------------------- */

static const char *hex(const char *p, u64 *v)
{
    *v = 0;
    for (;; p++) {
        int d = *p >= '0' && *p <= '9' ? *p - '0' : *p >= 'a' && *p <= 'f' ? *p - 'a' + 10 : -1;
        if (d < 0)
            return p;
        *v = *v << 4 | (u64)d;
    }
}

/* start-end perms offset dev inode path */
static bool take_line(const char *line, u64 pc, struct hostsym *out, u64 *file_offset)
{
    u64 start, end, off;
    const char *p = hex(line, &start);
    p = hex(p + 1, &end);
    if (pc < start || pc >= end)
        return false;
    out->code = p[3] == 'x';
    hex(p + 6, &off);
    const char *path = strchr(line, '/');
    base_format(out->module, sizeof out->module, "%s", path ? path : "");
    *file_offset = pc - start + off;
    return true;
}

static bool find_mapping(u64 pc, struct hostsym *out, u64 *file_offset)
{
    char buf[8192];
    size_t have = 0;
    bool found = false;
    int fd = open_file("/proc/self/maps");
    while (fd >= 0 && !found) {
        s64 n = raw(SYS_read, (u64)fd, (u64)(buf + have), sizeof buf - 1 - have, 0, 0);
        if (n <= 0)
            break;
        have += (size_t)n;
        buf[have] = 0;
        char *line = buf, *end;
        while (!found && (end = strchr(line, '\n'))) {
            *end = 0;
            found = take_line(line, pc, out, file_offset);
            line = end + 1;
        }
        have = strlen(line);
        memmove(buf, line, have);
    }
    if (fd >= 0)
        raw(SYS_close, (u64)fd, 0, 0, 0, 0);
    return found;
}

/* --- the symbol --------------------------------------------------------------------------------------------------- */

struct elf {
    const u8 *base;
    size_t bytes;
};

static const void *at(const struct elf *e, u64 off, u64 bytes)
{
    return off <= e->bytes && bytes <= e->bytes - off ? e->base + off : NULL;
}

static u64 address_of(const struct elf *e, const Elf64_Ehdr *h, u64 file_offset)
{
    const Elf64_Phdr *ph = at(e, h->e_phoff, (u64)h->e_phnum * sizeof *ph);
    for (u32 i = 0; ph && i < h->e_phnum; i++)
        if (ph[i].p_type == PT_LOAD && file_offset >= ph[i].p_offset && file_offset < ph[i].p_offset + ph[i].p_filesz)
            return file_offset - ph[i].p_offset + ph[i].p_vaddr;
    return file_offset;
}

static const char *find_in(const struct elf *e, const Elf64_Shdr *table, const Elf64_Shdr *names, u64 addr, u64 *into)
{
    const Elf64_Sym *s = at(e, table->sh_offset, table->sh_size);
    for (u64 i = 0; s && i < table->sh_size / sizeof *s; i++)
        if (ELF64_ST_TYPE(s[i].st_info) == STT_FUNC && addr >= s[i].st_value && addr < s[i].st_value + s[i].st_size &&
            s[i].st_name < names->sh_size) {
            *into = addr - s[i].st_value;
            return at(e, names->sh_offset + s[i].st_name, 1);
        }
    return NULL;
}

static const char *find_symbol(const struct elf *e, u64 file_offset, u64 *into)
{
    const Elf64_Ehdr *h = at(e, 0, sizeof *h);
    if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_shentsize != sizeof(Elf64_Shdr))
        return NULL;
    const Elf64_Shdr *sh = at(e, h->e_shoff, (u64)h->e_shnum * sizeof *sh);
    u64 addr = address_of(e, h, file_offset);
    const char *name = NULL;
    for (u32 type = 0; type < 2 && !name; type++)
        for (u32 i = 0; sh && i < h->e_shnum && !name; i++)
            if (sh[i].sh_type == (type ? SHT_DYNSYM : SHT_SYMTAB) && sh[i].sh_link < h->e_shnum)
                name = find_in(e, &sh[i], &sh[sh[i].sh_link], addr, into);
    return name;
}

/* The names in a mangled name, without its types: what a reader needs, and no allocation. */
static void unmangle(char *out, size_t room, const char *name)
{
    const char *p = name + 2;
    size_t n = 0;
    if (strncmp(name, "_Z", 2)) {
        base_format(out, room, "%s", name);
        return;
    }
    while (*p == 'N' || *p == 'L' || *p == 'K')
        p++;
    while (*p >= '0' && *p <= '9') {
        size_t len = 0;
        while (*p >= '0' && *p <= '9')
            len = len * 10 + (size_t)(*p++ - '0');
        for (size_t i = 0; n && i < 2 && n + 1 < room; i++)
            out[n++] = ':';
        for (; len && *p && n + 1 < room; len--)
            out[n++] = *p++;
    }
    out[n] = 0;
    if (!n)
        base_format(out, room, "%s", name);
}

static void name_function(struct hostsym *out, u64 file_offset)
{
    int fd = open_file(out->module);
    if (fd < 0)
        return;
    s64 bytes = raw(SYS_lseek, (u64)fd, 0, SEEK_END, 0, 0);
    s64 map = bytes > 0 ? arch_raw_syscall(SYS_mmap, 0, (u64)bytes, PROT_READ, MAP_PRIVATE, (u64)fd, 0) : -1;
    raw(SYS_close, (u64)fd, 0, 0, 0, 0);
    if (map < 0 && map >= -4095)
        return;
    struct elf e = {(const u8 *)map, (size_t)bytes};
    const char *name = find_symbol(&e, file_offset, &out->into);
    if (name)
        unmangle(out->name, sizeof out->name, name);
    raw(SYS_munmap, (u64)map, (u64)bytes, 0, 0, 0);
}

bool hostsym_find(u64 pc, struct hostsym *out)
{
    u64 file_offset = 0;
    memset(out, 0, sizeof *out);
    out->engine = pc >= (u64)__executable_start && pc < (u64)etext;
    if (!find_mapping(pc, out, &file_offset))
        return false;
    out->offset = file_offset;
    if (out->module[0])
        name_function(out, file_offset);
    return true;
}

const char *hostsym_base_name(const struct hostsym *s)
{
    const char *slash = strrchr(s->module, '/');
    return slash ? slash + 1 : s->module;
}
