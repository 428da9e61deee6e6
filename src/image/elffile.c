/* SPDX-License-Identifier: Apache-2.0
 * ELF files in memory: mapping them into the host zone, their sections, build ids and separate debug files, and the
 * list of those that are kept. Holds no descriptor open and asks libelf only about memory, so the guest's
 * descriptors and mappings stay as they are. Under image_lock. */
#include "image/elffile.h"

#include "base/options.h"
#include "os/hostmem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEEP_UNUSED 64 /* files that no image uses any more; they are kept for a while */
#define DEBUG_DIR "/usr/lib/debug"

struct text_block {
    struct text_block *next;
    char text[];
};

static struct elffile *files;
static u64 use_clock;

/* --- memory ------------------------------------------------------------------------------------------------------- */

void *elffile_alloc(size_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);
    if (!p)
        hostmem_die("the program's symbols");
    return p;
}

void *elffile_grow(void *old, size_t bytes)
{
    void *p = realloc(old, bytes);
    if (!p)
        hostmem_die("the program's symbols");
    return p;
}

char *elffile_text(struct elffile *f, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    struct text_block *b = elffile_alloc(sizeof *b + (size_t)n + 1);
    vsnprintf(b->text, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(ap);
    b->next = f->text;
    f->text = b;
    return b->text;
}

/* --- making and dropping ------------------------------------------------------------------------------------------ */

static void unmap_data(u8 *data, size_t bytes, bool mapped)
{
    if (mapped)
        hostmem_unmap(data, PAGE_UP(bytes));
    else
        free(data);
}

static void destroy(struct elffile *f)
{
    lines_free(f->lines);
    if (f->debug)
        elffile_release(f->debug);
    unwind_free(f->cfi);
    elf_end(f->elf);
    unmap_data(f->data, f->bytes, f->mapped);
    while (f->text) {
        struct text_block *b = f->text;
        f->text = b->next;
        free(b);
    }
    free(f->symbol);
    free(f->by_name);
    free(f->func);
    free(f->section);
    free(f->phdr);
    free(f->path);
    free(f);
}

static void drop_oldest_unused(void)
{
    u32 unused = 0;
    struct elffile **oldest = NULL;
    for (struct elffile **at = &files; *at; at = &(*at)->next) {
        if ((*at)->users)
            continue;
        unused++;
        if (!oldest || (*at)->last_used < (*oldest)->last_used)
            oldest = at;
    }
    if (unused <= KEEP_UNUSED)
        return;
    struct elffile *f = *oldest;
    *oldest = f->next;
    destroy(f);
}

void elffile_release(struct elffile *f)
{
    f->users--;
    f->last_used = ++use_clock;
    if (!f->users)
        drop_oldest_unused();
}

static void read_phdrs(struct elffile *f)
{
    if (elf_getphdrnum(f->elf, &f->nphdr) != 0)
        f->nphdr = 0;
    f->phdr = elffile_alloc(f->nphdr * sizeof *f->phdr);
    size_t n = 0;
    for (size_t i = 0; i < f->nphdr; i++)
        n += gelf_getphdr(f->elf, (int)i, &f->phdr[n]) != NULL;
    f->nphdr = n;
}

extern const Elf64_Ehdr __ehdr_start; /* the engine's own */

/* Neither the kernel nor ld.so looks at class, byte order and version of a program: its machine and the size of its
 * program headers say what it is. libelf looks at them. */
static void put_ident_right(u8 *data, size_t bytes)
{
    static const u8 right[] = {ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
    const Elf64_Ehdr *h = (const Elf64_Ehdr *)data;
    if (bytes >= sizeof *h && h->e_machine == __ehdr_start.e_machine && h->e_phentsize == sizeof(Elf64_Phdr) &&
        memcmp(data + EI_CLASS, right, sizeof right) != 0)
        memcpy(data + EI_CLASS, right, sizeof right);
}

/* Owns the bytes from here on, also when they turn out to be no ELF file. */
static struct elffile *make(u8 *data, size_t bytes, bool mapped, const char *path, const struct file_id *id)
{
    put_ident_right(data, bytes);
    elf_version(EV_CURRENT);
    Elf *elf = bytes >= SELFMAG && memcmp(data, ELFMAG, SELFMAG) == 0 ? elf_memory((char *)data, bytes) : NULL;
    GElf_Ehdr head;
    if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &head)) {
        elf_end(elf);
        unmap_data(data, bytes, mapped);
        return NULL;
    }
    struct elffile *f = elffile_alloc(sizeof *f);
    *f = (struct elffile){.next = files, .id = *id, .users = 1, .data = data, .bytes = bytes, .mapped = mapped,
        .elf = elf, .head = head};
    f->path = elffile_alloc(strlen(path) + 1);
    strcpy(f->path, path);
    read_phdrs(f);
    files = f;
    return f;
}

static struct elffile *find_kept(const struct file_id *id)
{
    for (struct elffile *f = files; f; f = f->next)
        if (id->ino && memcmp(&f->id, id, sizeof *id) == 0) {
            f->users++;
            return f;
        }
    return NULL;
}

struct elffile *elffile_from_fd(int fd, const char *path)
{
    struct stat st;
    char magic[SELFMAG];
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || pread(fd, magic, sizeof magic, 0) != sizeof magic ||
        memcmp(magic, ELFMAG, SELFMAG) != 0)
        return NULL;
    struct file_id id = {st.st_dev, st.st_ino, (u64)st.st_size,
        (u64)st.st_mtim.tv_sec * 1000000000ul + (u64)st.st_mtim.tv_nsec};
    struct elffile *f = find_kept(&id);
    if (f)
        return f;
    size_t bytes = (size_t)st.st_size;
    void *place = hostmem_map(PAGE_UP(bytes), PROT_NONE);
    if (!place)
        return NULL;
    /* Writable, in pages of our own: libelf marks compressed sections in place when it has unpacked them. */
    if (mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) {
        hostmem_unmap(place, PAGE_UP(bytes));
        return NULL;
    }
    return make(place, bytes, true, path, &id);
}

struct elffile *elffile_open(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return NULL;
    struct elffile *f = elffile_from_fd(fd, path);
    close(fd);
    return f;
}

struct elffile *elffile_from_memory(u8 *copy, size_t bytes, const char *path)
{
    return make(copy, bytes, false, path, &(struct file_id){0, 0, 0, 0});
}

/* --- sections ----------------------------------------------------------------------------------------------------- */

/* Packed programs and images taken from memory have no section headers: there each segment counts as a section. */
static void sections_from_segments(struct elffile *f)
{
    f->section = elffile_alloc(f->nphdr * sizeof *f->section);
    for (size_t i = 0; i < f->nphdr; i++) {
        const GElf_Phdr *p = &f->phdr[i];
        if (p->p_type != PT_LOAD)
            continue;
        u64 flags = SHF_ALLOC | (p->p_flags & PF_X ? SHF_EXECINSTR : 0u) | (p->p_flags & PF_W ? SHF_WRITE : 0u);
        f->section[f->nsections] = (struct section){elffile_text(f, "LOAD%u", f->nsections), p->p_vaddr, p->p_filesz,
            p->p_offset, flags, SHT_PROGBITS, 0};
        f->nsections++;
    }
}

void elffile_need_sections(struct elffile *f)
{
    size_t n, names;
    if (f->sections_read)
        return;
    f->sections_read = true;
    if (elf_getshdrnum(f->elf, &n) != 0 || n == 0 || elf_getshdrstrndx(f->elf, &names) != 0) {
        sections_from_segments(f);
        return;
    }
    f->section = elffile_alloc(n * sizeof *f->section);
    for (size_t i = 0; i < n; i++) { /* the first, which is empty, is one for Pin, too */
        Elf_Scn *scn = elf_getscn(f->elf, i);
        GElf_Shdr s;
        const char *name;
        if (!scn || !gelf_getshdr(scn, &s) || !(name = elf_strptr(f->elf, names, s.sh_name)))
            continue;
        f->section[f->nsections++] = (struct section){name, s.sh_addr, s.sh_size, s.sh_offset, s.sh_flags, s.sh_type,
            (u32)i};
    }
}

const struct section *elffile_section(struct elffile *f, const char *name)
{
    elffile_need_sections(f);
    for (u32 i = 0; i < f->nsections; i++)
        if (strcmp(f->section[i].name, name) == 0)
            return &f->section[i];
    return NULL;
}

const char *elffile_soname(struct elffile *f)
{
    const struct section *s = elffile_section(f, ".dynamic");
    Elf_Scn *scn = s && s->index ? elf_getscn(f->elf, s->index) : NULL;
    Elf_Data *d = scn ? elf_getdata(scn, NULL) : NULL;
    GElf_Shdr h;
    GElf_Dyn dyn;
    for (int i = 0; d && gelf_getshdr(scn, &h) && gelf_getdyn(d, i, &dyn) && dyn.d_tag != DT_NULL; i++)
        if (dyn.d_tag == DT_SONAME)
            return elf_strptr(f->elf, h.sh_link, dyn.d_un.d_val);
    return NULL;
}

const struct section *elffile_code_section(struct elffile *f, u64 addr)
{
    elffile_need_sections(f);
    for (u32 i = 0; i < f->nsections; i++) {
        const struct section *s = &f->section[i];
        if ((s->flags & (SHF_ALLOC | SHF_EXECINSTR)) == (SHF_ALLOC | SHF_EXECINSTR) && addr - s->addr < s->bytes)
            return s;
    }
    return NULL;
}

const u8 *elffile_bytes(const struct elffile *f, const struct section *s)
{
    if (s->type == SHT_NOBITS || s->off > f->bytes || s->bytes > f->bytes - s->off)
        return NULL;
    return f->data + s->off;
}

size_t elffile_read(struct elffile *f, u64 addr, void *to, size_t bytes)
{
    for (size_t i = 0; i < f->nphdr; i++) {
        const GElf_Phdr *p = &f->phdr[i];
        u64 skip = addr - p->p_vaddr;
        if (p->p_type != PT_LOAD || addr < p->p_vaddr || skip >= p->p_filesz || p->p_offset > f->bytes ||
            p->p_filesz > f->bytes - p->p_offset)
            continue;
        size_t n = p->p_filesz - skip < bytes ? p->p_filesz - skip : bytes;
        memcpy(to, f->data + p->p_offset + skip, n);
        return n;
    }
    return 0;
}

/* --- separate debug files ----------------------------------------------------------------------------------------- */

size_t elffile_build_id(struct elffile *f, const u8 **id)
{
    elffile_need_sections(f);
    for (u32 i = 0; i < f->nsections; i++) {
        const struct section *s = &f->section[i];
        Elf_Data *d = s->type == SHT_NOTE && s->index ? elf_getdata(elf_getscn(f->elf, s->index), NULL) : NULL;
        GElf_Nhdr n;
        size_t name, desc;
        for (size_t off = 0; d && (off = gelf_getnote(d, off, &n, &name, &desc)) > 0;)
            if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && memcmp((char *)d->d_buf + name, "GNU", 4) == 0) {
                *id = (const u8 *)d->d_buf + desc;
                return n.n_descsz;
            }
    }
    return 0;
}

static bool same_build(struct elffile *a, struct elffile *b)
{
    const u8 *x, *y;
    size_t n = elffile_build_id(a, &x);
    return n && n == elffile_build_id(b, &y) && memcmp(x, y, n) == 0;
}

static struct elffile *by_build_id(struct elffile *f)
{
    const u8 *id;
    size_t n = elffile_build_id(f, &id);
    char path[PATH_MAX];
    if (n < 2 || n > 64)
        return NULL;
    int at = snprintf(path, sizeof path, DEBUG_DIR "/.build-id/%02x/", id[0]);
    for (size_t i = 1; i < n; i++)
        at += sprintf(path + at, "%02x", id[i]);
    strcpy(path + at, ".debug");
    return elffile_open(path);
}

/* The checksum that a debug link carries (the CRC-32 of zip). */
static u32 crc32_of(const u8 *p, size_t n)
{
    u32 table[256], crc = ~0u;
    for (u32 i = 0; i < 256; i++) {
        table[i] = i;
        for (int k = 0; k < 8; k++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
    }
    while (n--)
        crc = crc >> 8 ^ table[(crc ^ *p++) & 255];
    return ~crc;
}

static struct elffile *try_link(struct elffile *f, const char *path, u32 crc)
{
    struct elffile *d = elffile_open(path);
    if (d && d != f && (same_build(f, d) || crc32_of(d->data, d->bytes) == crc))
        return d;
    if (d)
        elffile_release(d);
    return NULL;
}

static struct elffile *by_debug_link(struct elffile *f)
{
    const struct section *s = elffile_section(f, ".gnu_debuglink");
    const u8 *link = s ? elffile_bytes(f, s) : NULL;
    const char *slash = strrchr(f->path, '/');
    if (!link || s->bytes < 8 || !memchr(link, 0, s->bytes - 4) || !slash)
        return NULL;
    u32 crc;
    memcpy(&crc, link + s->bytes - 4, 4);
    static const char *const places[][2] = {{"", ""}, {"", "/.debug"}, {DEBUG_DIR, ""}};
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        char path[PATH_MAX];
        int n = snprintf(path, sizeof path, "%s%.*s%s/%s", places[i][0], (int)(slash - f->path), f->path, places[i][1],
                         (const char *)link);
        struct elffile *d = n < (int)sizeof path ? try_link(f, path, crc) : NULL;
        if (d)
            return d;
    }
    return NULL;
}

/* The tool's option -dwarf_file IMAGE:FILE, for the image's name without its folder. */
static struct elffile *by_option(struct elffile *f)
{
    const char *slash = strrchr(f->path, '/'), *name = slash ? slash + 1 : f->path, *given;
    size_t n = strlen(name);
    for (u32 i = 0; (given = options_of_tool("-dwarf_file", i)); i++)
        if (strncmp(given, name, n) == 0 && given[n] == ':') {
            struct elffile *d = elffile_open(given + n + 1);
            if (d && d != f)
                return d;
            if (d)
                elffile_release(d);
        }
    return NULL;
}

struct elffile *elffile_debug(struct elffile *f)
{
    if (f->debug_looked_for)
        return f->debug;
    f->debug_looked_for = true;
    f->debug = by_option(f);
    if (!f->debug)
        f->debug = by_build_id(f);
    if (!f->debug)
        f->debug = by_debug_link(f);
    return f->debug;
}
