/* SPDX-License-Identifier: Apache-2.0
 * An ELF file and what was found in it: sections, function symbols, routine boundaries, source lines. All addresses
 * are the file's own (an image adds its load offset). A part of a file is read when somebody asks for it. The file
 * is kept while images use it and for a while after, so that a library loaded again costs nothing and names stay
 * readable. Under image_lock. */
#ifndef LP_IMAGE_ELFFILE_H
#define LP_IMAGE_ELFFILE_H
#include "base/base.h"

#include <gelf.h>
#include <sys/types.h>

enum { SYMBOL_DYNAMIC = 1, SYMBOL_IFUNC = 2, SYMBOL_OLD_VERSION = 4, SYMBOL_GENERATED = 8, SYMBOL_IMPLEMENTATION = 16 };
enum { FUNC_ARTIFICIAL = 1, FUNC_PLT = 2 };
#define NO_SYMBOL 0xffffffffu

/* Are symbols read at all? */
extern bool symbols_wanted;

struct symbol {
    const char *name;
    u64 value, size;
    u32 index;      /* in its table */
    u8 bind, flags; /* STB_*, SYMBOL_* */
};

struct func {
    u64 start, end;   /* disjoint, sorted */
    const char *name;
    u32 symbol;       /* index into elffile.symbol; NO_SYMBOL */
    u32 section;      /* index into elffile.section */
    u32 flags;        /* FUNC_* */
};

struct section {
    const char *name;
    u64 addr, bytes, off;
    u64 flags;        /* SHF_* */
    u32 type;         /* SHT_* */
    u32 index;        /* of the section header; 0: made from a segment */
};

struct file_id {
    u64 dev, ino, bytes, mtime_ns;
};

struct lines;

struct elffile {
    struct elffile *next;       /* all that are in memory */
    struct file_id id;          /* ino 0: has none (from memory) */
    char *path;                 /* as the kernel names it, without " (deleted)" */
    u32 users;
    u64 last_used;
    u8 *data;
    size_t bytes;
    bool mapped;                /* data is a mapping of the file, else from malloc */
    Elf *elf;
    struct Dwarf_CFI_s *cfi;             /* unwind information, NULL: none, or not asked for */
    GElf_Ehdr head;
    size_t nphdr;
    GElf_Phdr *phdr;
    struct section *section;
    u32 nsections;
    struct elffile *debug;      /* separate debug file, NULL: none */
    bool sections_read, debug_looked_for, symbols_read, funcs_read;
    struct symbol *symbol;      /* sorted by value */
    u32 nsymbols, symbols_room;
    u32 *by_name, by_name_mask; /* hash: index + 1 */
    struct func *func;
    u32 nfuncs, funcs_room;
    struct text_block *text;    /* names that are not in the file */
    struct lines *lines;
};

/* The file open as fd (left open), or at a path; NULL: cannot be read or is no ELF file. The caller is a user of it
 * and gives it back. */
struct elffile *elffile_from_fd(int fd, const char *path);
struct elffile *elffile_open(const char *path);
/* From a copy in memory, which becomes the file's. */
struct elffile *elffile_from_memory(u8 *copy, size_t bytes, const char *path);
void elffile_release(struct elffile *f);

/* Each of these makes sure that its part of the file has been read. */
void elffile_need_sections(struct elffile *f);
void elffile_need_symbols(struct elffile *f);   /* and .by_name */
void elffile_need_funcs(struct elffile *f);
struct elffile *elffile_debug(struct elffile *f);

/* DT_SONAME; NULL: it has none. */
const char *elffile_soname(struct elffile *f);
const struct section *elffile_section(struct elffile *f, const char *name);
/* The executable section that holds addr, NULL: none. */
const struct section *elffile_code_section(struct elffile *f, u64 addr);
/* The bytes of a section in the file; NULL: it has none there. */
const u8 *elffile_bytes(const struct elffile *f, const struct section *s);
/* Copies what is at a file's own address, from its segments. Returns bytes copied. */
size_t elffile_read(struct elffile *f, u64 addr, void *to, size_t bytes);
/* Build id: length, 0: none. */
size_t elffile_build_id(struct elffile *f, const u8 **id);
/* A string that lives as long as the file. */
char *elffile_text(struct elffile *f, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Zeroed; dies when there is no memory. */
void *elffile_alloc(size_t bytes);
void *elffile_grow(void *old, size_t bytes);

/* symbols.c */
void symbols_read(struct elffile *f);
void symbols_add(struct elffile *f, const struct symbol *s);
/* The first symbol with value >= addr; nsymbols: none. Those of one address come best name first. */
u32 symbols_from(struct elffile *f, u64 addr);
/* The symbol that a lookup of that name means, NULL: none. */
const struct symbol *symbols_find(struct elffile *f, const char *name);
/* funcs.c */
void funcs_read(struct elffile *f);
void funcs_add(struct elffile *f, const struct func *c);
/* A relocation that binds a word to a symbol's address, or to the result of an ifunc's resolver (name NULL, addend:
 * the resolver). */
struct bind_reloc {
    u64 slot;
    const char *name;
    u64 addend;
};
/* plt.c: calls fn for each relocation until it returns false; adds the routines of the procedure linkage table by
 * funcs_add. */
void plt_each_reloc(struct elffile *f, bool (*fn)(const struct bind_reloc *r, void *arg), void *arg);
void plt_read(struct elffile *f);
/* ehframe.c: every function that has unwind information. */
void ehframe_read(struct elffile *f, void (*found)(struct elffile *, u64 start, u64 bytes));
/* ifunc.c: adds a symbol for every implementation that can be known without running the resolver. */
void ifunc_resolve(struct elffile *f);
/* lines.c */
bool lines_find(struct elffile *f, u64 addr, const char **file, int *line, int *column);
bool lines_any(struct elffile *f);
void lines_free(struct lines *l);
/* unwind.c */
void unwind_free(struct Dwarf_CFI_s *cfi);

#endif
