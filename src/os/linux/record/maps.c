/* SPDX-License-Identifier: Apache-2.0
 * Mappings of a program that is recorded or replayed. Recorded: what a mapping of a file holds is written down when it
 * becomes readable, so that the file is not needed again. Replayed: all mappings are private memory without files, at
 * the recorded addresses; the guest map (gmap) says what they were. On the guest's thread, no lock held. */
#include "os/linux/record/record.h"

#include "arch/arch.h"
#include "os/events.h"
#include "os/gmap.h"
#include "os/hostmem.h"
#include "os/linux/mapsfile.h"
#include "os/linux/sys.h"
#include "os/thread.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24
#endif
#define USER_END (1ul << 47)

/* --- recording ---------------------------------------------------------------------------------------------------- */

static u32 prot_of(u32 flags)
{
    return (flags & GMAP_READ ? PROT_READ : 0) | (flags & GMAP_WRITE ? PROT_WRITE : 0) |
           (flags & GMAP_EXEC ? PROT_EXEC : 0);
}

/* What the kernel serves the program by itself is not needed: its calls are made as system calls (record/start.c). */
static bool is_kernels(const struct gmap_area *a, const char *name)
{
    return a->start >= USER_END || strncmp(name, "[v", 2) == 0;
}

void record_areas(void)
{
    struct {
        struct record_area r;
        char name[PATH_MAX];
    } body;
    struct gmap_area a;
    for (u64 at = 0; gmap_next(at, &a); at = a.end) {
        os_mapping_name(a.start, body.name, sizeof body.name);
        if (is_kernels(&a, body.name))
            continue;
        body.r = (struct record_area){.start = a.start,
                                      .end = a.end,
                                      .ino = a.ino,
                                      .off = a.off,
                                      .flags = a.flags,
                                      .prot = prot_of(a.flags),
                                      .dev_major = a.dev_major,
                                      .dev_minor = a.dev_minor};
        record_log_put(REC_AREA, 0, a.start, 0, &body, sizeof body.r + strlen(body.name) + 1);
        record_log_memory(a.start, a.end - a.start);
    }
}

/* Calls f for every part of a file in [start, end) that the guest has mapped. */
static void each_file_part(u64 start, u64 end, void (*f)(const struct gmap_area *))
{
    struct gmap_area a;
    for (u64 at = start; at < end && gmap_next(at, &a) && a.start < end; at = a.end) {
        if (!a.ino)
            continue;
        u64 last = a.end;
        a.start = a.start > start ? a.start : start;
        a.end = last < end ? last : end;
        f(&a);
        a.end = last;
    }
}

static void put_part(const struct gmap_area *a) { record_log_memory(a->start, a->end - a->start); }

/* --- what is refused */

static bool shared_elsewhere(const struct stat *st, bool writes)
{
    struct gmap_area a;
    for (u64 at = 0; gmap_next(at, &a); at = a.end)
        if (a.flags & GMAP_SHARED && a.ino == st->st_ino && a.dev_major == major(st->st_dev) &&
            a.dev_minor == minor(st->st_dev) && (writes || a.flags & GMAP_WRITE))
            return true;
    return false;
}

bool record_map_written_shared(void)
{
    struct gmap_area a;
    for (u64 at = 0; gmap_next(at, &a); at = a.end)
        if ((a.flags & (GMAP_SHARED | GMAP_WRITE)) == (GMAP_SHARED | GMAP_WRITE))
            return true;
    return false;
}

const char *record_map_refused(const struct record_call *c)
{
    const u64 *arg = c->arg;
    struct stat st;
    u64 flags = arg[3], kind = flags & MAP_TYPE;
    if (c->nr != SYS_mmap || flags & MAP_ANONYMOUS || fstat((int)arg[4], &st) < 0)
        return NULL;
    if (!S_ISREG(st.st_mode) && !(S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 5))) /* /dev/zero */
        return "the program maps a device";
    if ((kind == MAP_SHARED || kind == MAP_SHARED_VALIDATE) && shared_elsewhere(&st, arg[2] & PROT_WRITE))
        return "the program maps a file that it writes to twice";
    return NULL;
}

/* --- before and after a call */

static bool unreadable; /* a part of a file, in the range of the call in hand */
static void look_readable(const struct gmap_area *a) { unreadable |= !(a->flags & GMAP_READ); }

/* Pages that are not given back at once would keep what they have for a time that nobody knows. */
void record_map_before(const struct record_call *c)
{
    unreadable = false;
    if (c->nr == SYS_madvise && c->arg[2] == MADV_FREE)
        *arch_syscall_word(&vm_tc.cpu, 2) = MADV_DONTNEED;
    if (c->nr == SYS_mprotect)
        each_file_part(c->arg[0], c->arg[0] + PAGE_UP(c->arg[1]), look_readable);
}

static bool wipes(u64 advice)
{
    return advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE || advice == MADV_DONTNEED_LOCKED;
}

void record_map_after(const struct record_call *c, s64 result)
{
    if (c->nr == SYS_madvise)
        *arch_syscall_word(&vm_tc.cpu, 2) = c->arg[2];
    if (result < 0 && result >= -4095)
        return;
    switch (c->nr) {
    case SYS_mmap:
        if (!(c->arg[3] & MAP_ANONYMOUS))
            record_log_memory((u64)result, PAGE_UP(c->arg[1]));
        break;
    case SYS_mprotect:
        if (unreadable && c->arg[2] & PROT_READ)
            each_file_part(c->arg[0], c->arg[0] + PAGE_UP(c->arg[1]), put_part);
        break;
    case SYS_mremap:
        if (PAGE_UP(c->arg[2]) > PAGE_UP(c->arg[1]))
            each_file_part((u64)result + PAGE_UP(c->arg[1]), (u64)result + PAGE_UP(c->arg[2]), put_part);
        break;
    case SYS_madvise:
        if (wipes(c->arg[2]))
            each_file_part(c->arg[0], c->arg[0] + PAGE_UP(c->arg[1]), put_part);
        break;
    }
}

/* The file of a new mapping. False: it has none. */
bool record_map_names(struct record_call *c, char name[RECORD_NAME_BYTES])
{
    struct gmap_area a;
    if (c->arg[3] & MAP_ANONYMOUS || !gmap_find(c->result, &a) || !a.ino)
        return false;
    struct stat st;
    u64 off = c->arg[5];
    bool regular = !fstat((int)c->arg[4], &st) && S_ISREG(st.st_mode);
    c->file_bytes = !regular ? ~0ul : (u64)st.st_size > off ? PAGE_UP((u64)st.st_size - off) : 0;
    c->ino = a.ino;
    c->dev_major = a.dev_major;
    c->dev_minor = a.dev_minor;
    os_mapping_name(c->result, name, RECORD_NAME_BYTES);
    return true;
}

/* --- replaying ---------------------------------------------------------------------------------------------------- */

static s64 raw(u64 nr, u64 a, u64 b, u64 c, u64 d, u64 e) { return arch_raw_syscall(nr, a, b, c, d, e, 0); }

static void code_changed(u64 start, u64 end)
{
    if (LIKELY(os_events.code_changed != NULL)) /* not before there is a jit */
        os_events.code_changed(start, end);
}

/* Names of files that were mapped; the latest that has an address is right. */
struct named {
    struct named *older;
    u64 start, end;
    char name[];
};
static struct named *names;

static void note_name(u64 start, u64 end, const char *name)
{
    size_t bytes = strlen(name) + 1;
    struct named *n = malloc(sizeof *n + bytes);
    if (!n)
        hostmem_die("names of the recorded program's files");
    *n = (struct named){names, start, end};
    memcpy(n->name, name, bytes);
    names = n;
}

void os_record_name(u64 addr, char *out, size_t bytes)
{
    const struct named *n = names;
    while (n && (addr < n->start || addr >= n->end))
        n = n->older;
    base_format(out, bytes, "%s", n ? n->name : "");
}

/* A mapping whose memory is still to be written gets its own protection after that. */
static struct {
    u64 start, end;
    u32 prot;
    bool any;
    struct gmap_area file; /* what images are told of when the memory is there; end 0: nothing */
    u64 lacking;           /* from here on there is no file: nothing can be read there */
} open_map;

void replay_maps_done(void)
{
    if (!open_map.any)
        return;
    open_map.any = false;
    raw(SYS_mprotect, open_map.start, open_map.end - open_map.start,
        open_map.prot & PROT_EXEC ? open_map.prot | PROT_READ : open_map.prot, 0, 0);
    if (open_map.lacking < open_map.end)
        raw(SYS_mprotect, open_map.lacking, open_map.end - open_map.lacking, PROT_NONE, 0, 0);
    code_changed(open_map.start, open_map.end);
    if (open_map.file.end && os_events.mapped)
        os_events.mapped(&open_map.file, -1, names->name);
    if (open_map.file.end && os_events.mappings_changed)
        os_events.mappings_changed();
    open_map.file.end = 0;
}

static void need_free(u64 start, u64 end)
{
    if (hostmem_overlaps(start, end))
        die(1, "replay: the engine is at 0x%lx to 0x%lx, where the recorded program has memory", start, end);
}

/* Maps private memory, writable for now. */
static void map_anew(const struct gmap_area *a, u32 prot)
{
    need_free(a->start, a->end);
    code_changed(a->start, a->end);
    u64 flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE | (a->flags & GMAP_STACK ? MAP_GROWSDOWN : 0);
    s64 r = arch_raw_syscall(SYS_mmap, a->start, a->end - a->start, PROT_READ | PROT_WRITE, flags, (u64)-1, 0);
    if (r != (s64)a->start)
        die(1, "replay: 0x%lx to 0x%lx, which the recorded program has mapped, cannot be mapped: %s", a->start, a->end,
            strerror((int)-r));
    gmap_add(a);
    code_changed(a->start, a->end);
    open_map.any = true;
    open_map.start = a->start;
    open_map.end = a->end;
    open_map.prot = prot;
    open_map.lacking = ~0ul;
}

void replay_area(const struct event *e)
{
    struct {
        struct record_area r;
        char name[PATH_MAX];
    } body;
    memcpy(&body, e->body, e->bytes < sizeof body ? e->bytes : sizeof body);
    const struct record_area *r = &body.r;
    struct gmap_area a = {.start = r->start,
                          .end = r->end,
                          .flags = r->flags,
                          .dev_major = r->dev_major,
                          .dev_minor = r->dev_minor,
                          .ino = r->ino,
                          .off = r->off};
    record_log_next();
    note_name(r->start, r->end, body.name);
    map_anew(&a, r->prot);
    replay_memory();
    replay_maps_done();
}

static u32 flags_of(u64 prot, u64 flags)
{
    u32 f =
        (prot & PROT_READ ? GMAP_READ : 0) | (prot & PROT_WRITE ? GMAP_WRITE : 0) | (prot & PROT_EXEC ? GMAP_EXEC : 0);
    u64 kind = flags & MAP_TYPE;
    return f | (kind == MAP_SHARED || kind == MAP_SHARED_VALIDATE ? GMAP_SHARED : 0) |
           (flags & MAP_GROWSDOWN ? GMAP_STACK : 0);
}

static void replay_mmap(const struct record_call *c, const char *name, bool file)
{
    u64 bytes = PAGE_UP(c->arg[1]);
    struct gmap_area a = {.start = c->result, .end = c->result + bytes, .flags = flags_of(c->arg[2], c->arg[3])};
    if (file) {
        a.ino = c->ino;
        a.dev_major = c->dev_major;
        a.dev_minor = c->dev_minor;
        a.off = c->arg[5];
    }
    map_anew(&a, (u32)c->arg[2] & (PROT_READ | PROT_WRITE | PROT_EXEC));
    if (file && c->file_bytes < bytes)
        open_map.lacking = a.start + c->file_bytes;
    note_name(a.start, a.end, name);
    if (file)
        open_map.file = a;
}

static void replay_mprotect(u64 start, u64 end, u32 prot)
{
    struct gmap_area a;
    const struct event *e = record_log_peek();
    if (prot & PROT_GROWSDOWN && gmap_find(start, &a))
        start = a.start;
    prot &= PROT_READ | PROT_WRITE | PROT_EXEC;
    bool filled = e && (e->type == REC_MEMORY || e->type == REC_ZERO);
    code_changed(start, end);
    gmap_protect(start, end, flags_of(prot, 0));
    open_map.any = true;
    open_map.start = start;
    open_map.end = end;
    open_map.prot = prot;
    open_map.lacking = ~0ul;
    if (filled)
        raw(SYS_mprotect, start, end - start, PROT_READ | PROT_WRITE, 0, 0);
    else
        replay_maps_done();
}

static u64 brk_now;
void replay_set_brk(u64 at) { brk_now = at; }

static void replay_brk(const struct record_call *c)
{
    u64 from = PAGE_UP(brk_now), to = PAGE_UP(c->result);
    if (to > from) {
        struct gmap_area a = {.start = from, .end = to, .flags = GMAP_READ | GMAP_WRITE | GMAP_HEAP};
        map_anew(&a, PROT_READ | PROT_WRITE);
    } else if (to < from) {
        code_changed(to, from);
        raw(SYS_munmap, to, from - to, 0, 0, 0);
        gmap_remove(to, from);
    }
    brk_now = c->result;
}

static void replay_munmap(u64 start, u64 end)
{
    code_changed(start, end);
    for (u64 at = start; at < end;) { /* around the host's, as it was recorded */
        u64 host_start, host_end;
        if (!hostmem_next(at, &host_start, &host_end) || host_start > end)
            host_start = host_end = end;
        if (at < host_start)
            raw(SYS_munmap, at, host_start - at, 0, 0, 0);
        at = host_end > at ? host_end : end;
    }
    gmap_remove(start, end);
    code_changed(start, end);
    if (UNLIKELY(os_events.unmapped != NULL))
        os_events.unmapped(start, end);
}

static void replay_mremap(const struct record_call *c)
{
    u64 old = c->arg[0], old_bytes = PAGE_UP(c->arg[1]), new_bytes = PAGE_UP(c->arg[2]), to = c->result;
    u64 keep = c->arg[3] & MREMAP_DONTUNMAP;
    need_free(to, to + new_bytes);
    code_changed(old, old + old_bytes);
    code_changed(to, to + new_bytes);
    s64 r = to == old ? raw(SYS_mremap, old, old_bytes, new_bytes, 0, 0)
                      : raw(SYS_mremap, old, old_bytes, new_bytes, MREMAP_MAYMOVE | MREMAP_FIXED | keep, to);
    if (r != (s64)to)
        die(1, "replay: 0x%lx, which the recorded program has moved to 0x%lx, cannot be moved: %s", old, to,
            strerror((int)-r));
    gmap_move(old, old_bytes, to, new_bytes, keep);
    code_changed(old, old + old_bytes);
    code_changed(to, to + new_bytes);
}

void replay_maps(const struct record_call *c, const char *name, bool file)
{
    u64 start = c->arg[0], end = start + PAGE_UP(c->arg[1]);
    bool failed = (s64)c->result < 0 && (s64)c->result >= -4095;
    if (failed && c->nr != SYS_madvise)
        return;
    switch (c->nr) {
    case SYS_mmap: replay_mmap(c, name, file); break;
    case SYS_brk: replay_brk(c); break;
    case SYS_munmap: replay_munmap(start, end); break;
    case SYS_mremap: replay_mremap(c); break;
    case SYS_mprotect: replay_mprotect(start, end, (u32)c->arg[2]); break;
    case SYS_madvise:
        if (wipes(c->arg[2])) {
            raw(SYS_madvise, start, end - start, MADV_DONTNEED, 0, 0);
            code_changed(start, end);
        }
        break;
    }
}
