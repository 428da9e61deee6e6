/* SPDX-License-Identifier: Apache-2.0
 * Images: the ELF files whose code the guest has mapped, with their sections, symbols and routines. The OS layer
 * tells of mappings, tools ask. Handles are numbers that are never used again; they go invalid when the image is
 * unloaded. image_lock (recursive) guards all of it; it may be taken under jit_lock, never the other way round. */
#ifndef LP_IMAGE_H
#define LP_IMAGE_H
#include "base/callback.h"
#include "image/elffile.h"
#include "os/gmap.h"

struct call;
struct image;

struct rtn {
    u32 id;
    u32 pos;             /* place in image->rtn */
    gpc_t start, end;
    const char *name;
    struct image *image;
    u32 section;         /* index into the file's */
    u32 symbol;          /* index into the file's symbols, NO_SYMBOL */
    u32 flags;           /* FUNC_* */
    /* For the JIT: what RTN_InsertCall and RTN_Replace have recorded. Whoever sets them frees them in rtn_free_hook. */
    struct call *before, *after;
    void *replacement;
    void *inserted;      /* what was inserted at single instructions while the routine was open */
};

struct image {
    u32 id;
    struct image *next, *prev;     /* in order of loading */
    struct elffile *file;
    const char *name;              /* lives as long as the file */
    u64 bias;                      /* runtime address less the file's */
    u64 low, high;                 /* of its segments; high: past the last byte */
    u64 code_start, code_end;      /* page bounds of the executable segment that made it an image */
    bool main, interpreter, vdso;
    bool opened;                   /* opened by IMG_Open: it belongs to no process */
    bool announced, unloaded;
    u32 first_sec, first_sym, first_rtn; /* handles of the first of each; 0: not asked for yet */
    u32 nsecs, nsyms, nrtns;       /* nrtns: also those made by RTN_CreateAt */
    struct rtn **rtn;              /* sorted by start */
    struct rtn *rtn_block;
};

struct image_origin {
    u64 main_entry;   /* AT_ENTRY */
    u64 interp_base;  /* AT_BASE */
    u64 vdso;         /* AT_SYSINFO_EHDR */
};
/* From now on the OS layer tells of mappings; what is mapped already is taken in here. */
void image_start(const struct image_origin *o);
/* Calls the tool's callbacks for what was loaded and unloaded since, in that order. Called with no lock of the image
 * layer held and none that a tool's callback may want. */
void image_notify_tool(void);
/* The process ends: the same, and the unload callbacks of all that is loaded, in the order of loading. The images stay,
 * because fini functions may ask for them. */
void image_unload_all(void);
void image_load_all(void); /* tells the tool of all images that are there, as if they were loaded now */
static inline bool image_notify_wanted(void)
{
    extern u32 image_npending;
    return UNLIKELY(__atomic_load_n(&image_npending, __ATOMIC_RELAXED) != 0);
}

/* --- the tool's callbacks ----------------------------------------------------------------------------------------- */

extern struct tool_callback *image_load_callbacks, *image_unload_callbacks, *rtn_callbacks;

/* --- looking things up. Hold image_lock as long as the result is used, or jit_lock when it was so at loading ------ */

void image_lock(void);
void image_unlock(void);
struct image *image_get(u32 id);                  /* NULL: not a live handle */
struct image *image_find(u64 addr);
struct image *image_first(void), *image_last(void);
struct image *image_open_file(const char *path);  /* IMG_Open; NULL: no ELF file */
bool image_any_opened(void);                      /* by it, ever: a tool that reads files may want no program */
void image_close_file(struct image *im);
/* Guest memory, or the file when there is no process. Bytes copied. */
size_t image_read(const struct image *im, u64 addr, void *to, size_t bytes);

/* Handles of what an image has: the first one of it, 0: it has none. */
u32 image_secs(struct image *im), image_syms(struct image *im), image_rtns(struct image *im);
const struct section *sec_get(u32 id, struct image **im);
const struct symbol *sym_get(u32 id, struct image **im);
struct rtn *rtn_get(u32 id);
struct rtn *rtn_find(gpc_t pc);                   /* the routine that holds pc */
struct rtn *rtn_at(struct image *im, u64 start);  /* the routine that begins there */
struct rtn *rtn_from(struct image *im, u64 addr); /* the first routine that begins there or later */
struct rtn *rtn_named(struct image *im, const char *name);
struct rtn *rtn_create(u64 addr, const char *name);
/* The implementation of the ifunc whose resolver r is, as the loader has bound it; NULL: not known (yet). */
struct rtn *rtn_ifunc_target(struct rtn *r);

/* For the JIT: an open routine is about to be closed, its instructions (from `head`) may carry insertions; a routine
 * goes away. */
extern void (*rtn_close_hook)(struct rtn *r, u32 head);
extern void (*rtn_free_hook)(struct rtn *r);

/* demangle.c: from malloc; NULL: not a mangled name. */
char *demangle(const char *name, bool name_only);

#endif
