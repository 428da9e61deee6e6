/* SPDX-License-Identifier: Apache-2.0
 * The images of the process: made when their first executable segment is mapped, gone when it is unmapped. Owns the
 * list, the lock and the ids of images; what is inside a file is elffile's, handles of parts are handles.c's, the
 * tool's callbacks notify.c's. */
#include "image/image.h"
#include "image/image_private.h"

#include "arch/arch.h"
#include "os/hostlock.h"
#include "os/hostmem.h"
#include "os/events.h"
#include "os/os.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define MEMORY_IMAGE_MAX (1ul << 30) /* an image in memory that seems to be bigger has a broken header */


static struct hostlock lock FORK_WRITES = HOSTLOCK(LOCK_IMAGES);
static __thread u32 lock_depth;
static struct image_origin origin;
static struct image *first, *last;     /* in order of loading */
static struct image **by_addr;         /* loaded ones, sorted by low */
static u32 nby_addr, by_addr_room;
static struct image **by_id;           /* [id - 1] */
static u32 nids, ids_room;

void image_lock(void)
{
    if (lock_depth++ == 0)
        hostlock_take(&lock);
}

void image_unlock(void)
{
    if (--lock_depth == 0)
        hostlock_give(&lock);
}

/* The child's only thread is the one that holds the lock. */
static void before_fork(void)
{
    image_lock();
}

static void after_fork(void)
{
    image_unlock();
}

/* --- the lists ---------------------------------------------------------------------------------------------------- */

struct image *image_get(u32 id)
{
    return id && id <= nids ? by_id[id - 1] : NULL;
}

struct image *image_first(void)
{
    return first;
}

struct image *image_last(void)
{
    return last;
}

static u32 place_of(u64 addr)
{
    u32 lo = 0, hi = nby_addr;
    while (lo < hi) {
        u32 mid = lo + (hi - lo) / 2;
        if (by_addr[mid]->high <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool in_segment(const struct image *im, u64 addr)
{
    const struct elffile *f = im->file;
    for (size_t i = 0; i < f->nphdr; i++)
        if (f->phdr[i].p_type == PT_LOAD && addr - im->bias - f->phdr[i].p_vaddr < f->phdr[i].p_memsz)
            return true;
    return false;
}

struct image *image_find(u64 addr)
{
    u32 i = place_of(addr);
    if (i < nby_addr && by_addr[i]->low <= addr)
        return in_segment(by_addr[i], addr) ? by_addr[i] : NULL;
    for (struct image *im = first; im; im = im->next)
        if (im->opened && addr >= im->low && addr < im->high)
            return im;
    return NULL;
}

static void index_address(struct image *im)
{
    if (nby_addr == by_addr_room) {
        by_addr_room = by_addr_room ? 2 * by_addr_room : 32;
        by_addr = elffile_grow(by_addr, by_addr_room * sizeof *by_addr);
    }
    u32 i = place_of(im->low);
    memmove(by_addr + i + 1, by_addr + i, (nby_addr - i) * sizeof *by_addr);
    by_addr[i] = im;
    nby_addr++;
}

static void unindex_address(const struct image *im)
{
    for (u32 i = 0; i < nby_addr; i++)
        if (by_addr[i] == im) {
            memmove(by_addr + i, by_addr + i + 1, (nby_addr - i - 1) * sizeof *by_addr);
            nby_addr--;
            return;
        }
}

static void append(struct image *im)
{
    if (nids == ids_room) {
        ids_room = ids_room ? 2 * ids_room : 64;
        by_id = elffile_grow(by_id, ids_room * sizeof *by_id);
    }
    by_id[nids++] = im;
    im->id = nids;
    im->prev = last;
    *(last ? &last->next : &first) = im;
    last = im;
}

void image_free(struct image *im)
{
    by_id[im->id - 1] = NULL;
    *(im->prev ? &im->prev->next : &first) = im->next;
    *(im->next ? &im->next->prev : &last) = im->prev;
    handles_forget(im);
    elffile_release(im->file);
    free(im);
}

/* --- making one --------------------------------------------------------------------------------------------------- */

static void set_extent(struct image *im)
{
    const struct elffile *f = im->file;
    im->low = ~0ul;
    for (size_t i = 0; i < f->nphdr; i++) {
        const GElf_Phdr *p = &f->phdr[i];
        if (p->p_type != PT_LOAD || !p->p_memsz)
            continue;
        im->low = p->p_vaddr + im->bias < im->low ? p->p_vaddr + im->bias : im->low;
        im->high = p->p_vaddr + p->p_memsz + im->bias > im->high ? p->p_vaddr + p->p_memsz + im->bias : im->high;
    }
    if (im->low > im->high)
        im->low = im->high;
}

/* The caller's use of f becomes the image's. */
static struct image *make(struct elffile *f, const char *name, u64 bias)
{
    struct image *im = elffile_alloc(sizeof *im);
    im->file = f;
    im->bias = bias;
    im->name = strcmp(name, f->path) == 0 ? f->path : elffile_text(f, "%s", name);
    set_extent(im);
    append(im);
    return im;
}

/* The load offset that follows from a mapping of the file's code; false: no executable segment is there. */
static bool bias_of(const struct elffile *f, const struct gmap_area *a, u64 *bias)
{
    for (size_t i = 0; i < f->nphdr; i++) {
        const GElf_Phdr *p = &f->phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || a->off < PAGE_DOWN(p->p_offset) ||
            a->off >= PAGE_UP(p->p_offset + p->p_filesz))
            continue;
        *bias = a->start - (PAGE_DOWN(p->p_vaddr) + (a->off - PAGE_DOWN(p->p_offset)));
        return true;
    }
    return false;
}

/* --- the file of a mapping ------------------------------------------------------------------------------------ */

/* Start of the mapping of the file's first page that a belongs to; 0: not found. */
static u64 first_page(const struct gmap_area *a)
{
    struct gmap_area b = *a;
    while (b.off != 0 && gmap_find(b.start - 1, &b) && b.ino == a->ino)
        ;
    return b.ino == a->ino && b.off == 0 ? b.start : 0;
}

/* The file cannot be opened any more: what is loaded of it has to serve instead. */
static struct elffile *from_memory(const struct gmap_area *a, const char *path)
{
    u64 base = first_page(a), bytes = 0;
    Elf64_Ehdr h;
    if (!base || os_safe_copy(&h, (void *)base, sizeof h) != sizeof h || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
        h.e_phentsize != sizeof(Elf64_Phdr) || h.e_phoff > PAGE_BYTES)
        return NULL;
    Elf64_Phdr *p = elffile_alloc(h.e_phnum * sizeof *p);
    u32 n = (u32)(os_safe_copy(p, (void *)(base + h.e_phoff), h.e_phnum * sizeof *p) / sizeof *p);
    u64 vaddr = ~0ul;
    for (u32 i = 0; i < n; i++)
        if (p[i].p_type == PT_LOAD) {
            bytes = p[i].p_offset + p[i].p_filesz > bytes ? p[i].p_offset + p[i].p_filesz : bytes;
            vaddr = PAGE_DOWN(p[i].p_vaddr) < vaddr ? PAGE_DOWN(p[i].p_vaddr) : vaddr;
        }
    u8 *copy = bytes >= sizeof h && bytes < MEMORY_IMAGE_MAX ? elffile_alloc(bytes) : NULL;
    for (u32 i = 0; copy && i < n; i++)
        if (p[i].p_type == PT_LOAD)
            os_safe_copy(copy + p[i].p_offset, (void *)(base + p[i].p_vaddr - vaddr), p[i].p_filesz);
    free(p);
    if (!copy)
        return NULL;
    ((Elf64_Ehdr *)copy)->e_shoff = 0; /* section headers are not loaded */
    ((Elf64_Ehdr *)copy)->e_shnum = ((Elf64_Ehdr *)copy)->e_shstrndx = 0;
    return elffile_from_memory(copy, bytes, path);
}

static struct elffile *if_same(struct elffile *f, const struct gmap_area *a)
{
    if (!f || f->id.ino == a->ino)
        return f;
    elffile_release(f);
    return NULL;
}

static struct elffile *open_backing(const struct gmap_area *a, int fd, const char *path)
{
    char by_range[96];
    struct elffile *f = fd >= 0 ? if_same(elffile_from_fd(fd, path), a) : NULL;
    if (f || (fd >= 0 && a->ino == 0))
        return f;
    if (path[0] == '/' && (f = if_same(elffile_open(path), a)))
        return f;
    /* This way needs a privilege, but finds files that have no name any more. */
    snprintf(by_range, sizeof by_range, "/proc/self/map_files/%lx-%lx", a->start, a->end);
    f = if_same(elffile_open(by_range), a);
    return f ? f : from_memory(a, path);
}

/* --- mapped, unmapped --------------------------------------------------------------------------------------------- */

static bool is_known(const struct gmap_area *a, const struct elffile *f, u64 bias)
{
    for (u32 i = place_of(a->start); i < nby_addr && by_addr[i]->low < a->end; i++)
        if (by_addr[i]->bias == bias && (by_addr[i]->file == f || by_addr[i]->file->id.ino == a->ino))
            return true;
    return false;
}

static void unload(struct image *im)
{
    unindex_address(im);
    im->unloaded = true;
    notify_later(im, false);
}

/* Unloads every image whose code begins in the range. */
static void unmapped(u64 start, u64 end)
{
    image_lock();
    for (u32 i = place_of(start); i < nby_addr && by_addr[i]->low < end;) {
        struct image *im = by_addr[i];
        if (start <= im->code_start && im->code_start < end)
            unload(im);
        else
            i++;
    }
    image_unlock();
}

static void classify(struct image *im)
{
    im->main = origin.main_entry >= im->low && origin.main_entry < im->high;
    im->interpreter = !im->main && origin.interp_base && origin.interp_base == PAGE_DOWN(im->low);
}

static void load(const struct gmap_area *a, struct elffile *f, const char *name, u64 bias)
{
    for (u32 i = place_of(a->start); i < nby_addr && by_addr[i]->low < a->end;)
        if (by_addr[i]->code_start < a->end && a->start < by_addr[i]->code_end)
            unload(by_addr[i]); /* mapped over */
        else
            i++;
    struct image *im = make(f, name, bias);
    im->code_start = a->start;
    im->code_end = a->end;
    classify(im);
    index_address(im);
    notify_later(im, true);
}

static void mapped(const struct gmap_area *area, int fd, const char *opened)
{
    if (UNLIKELY(os_is_former(area->start)))
        return;
    char path[PATH_MAX];
    u64 bias;
    if (!(area->flags & GMAP_EXEC) || !area->ino)
        return;
    image_lock();
    names_find(area, fd, path);
    struct elffile *f = open_backing(area, fd, path);
    if (f && bias_of(f, area, &bias) && !is_known(area, f, bias)) {
        names_as_opened(f, bias, opened, path);
        load(area, f, path, bias);
        if (last->interpreter)
            names_interpreter(last);
    } else if (f) {
        elffile_release(f);
    }
    image_unlock();
}

static void load_vdso(const struct gmap_area *a)
{
    size_t bytes = a->end - a->start;
    u8 *copy = elffile_alloc(bytes);
    os_safe_copy(copy, (void *)a->start, bytes);
    struct elffile *f = elffile_from_memory(copy, bytes, "[vdso]");
    u64 bias;
    if (!f)
        return;
    if (!bias_of(f, a, &bias) || is_known(a, f, bias)) {
        elffile_release(f);
        return;
    }
    load(a, f, "[vdso]", bias);
    last->vdso = true;
    last->main = last->interpreter = false;
}

static void load_area(const struct gmap_area *a)
{
    if (a->flags & GMAP_VDSO)
        load_vdso(a);
    else
        mapped(a, -1, NULL);
}

/* Takes in all code of one kind. */
static void load_all(bool vdso)
{
    struct gmap_area a;
    for (u64 at = 0; gmap_next(at, &a); at = a.end) {
        if (origin.vdso >= a.start && origin.vdso < a.end)
            a.flags |= GMAP_VDSO;
        if (a.flags & GMAP_EXEC && !(a.flags & GMAP_VSYSCALL) && !(a.flags & GMAP_VDSO) == !vdso)
            load_area(&a);
    }
}

/* Tools expect the program first, and the vdso after the files. */
void image_start(const struct image_origin *o)
{
    struct gmap_area a;
    origin = *o;
    os_events.mapped = mapped;
    os_events.unmapped = unmapped;
    os_events.images_before_fork = before_fork;
    os_events.images_after_fork = after_fork;
    image_lock();
    if (gmap_find(o->main_entry, &a) && a.flags & GMAP_EXEC)
        load_area(&a);
    load_all(false);
    load_all(true);
    image_unlock();
}

/* --- without a process -------------------------------------------------------------------------------------------- */

static bool any_opened;

bool image_any_opened(void) { return any_opened; }

struct image *image_open_file(const char *path)
{
    struct elffile *f = elffile_open(path);
    if (!f)
        return NULL;
    struct image *im = make(f, path, 0);
    im->opened = any_opened = true;
    im->main = f->head.e_type == ET_EXEC || f->head.e_type == ET_DYN;
    return im;
}

void image_close_file(struct image *im)
{
    ASSERT(im->opened);
    image_free(im);
}

size_t image_read(const struct image *im, u64 addr, void *to, size_t bytes)
{
    return im->opened ? elffile_read(im->file, addr, to, bytes) : os_safe_copy(to, (void *)addr, bytes);
}
