/* SPDX-License-Identifier: Apache-2.0
 * What a child of vfork has changed in the memory of its parent, which waits meanwhile: the parent's pages that are
 * there and may be written are copied before, and compared when the child is gone. On the guest's thread. */
#include "os/linux/record/record.h"

#include "os/gmap.h"
#include "os/hostmem.h"
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PRESENT (3ul << 62) /* of an entry of pagemap: in memory, or swapped out */
#define ENTRIES 512

struct kept {
    u64 addr;
    u8 page[PAGE_BYTES];
};
static struct kept *kept;
static u64 nkept, room;

/* Calls f for every page of the guest's private memory that may be written and is there, in order. */
static void each_page(void (*f)(u64 addr))
{
    u64 entry[ENTRIES];
    struct gmap_area a;
    int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        die(1, "record: /proc/self/pagemap, which a program that calls vfork needs, cannot be opened: %s",
            strerror(errno));
    for (u64 at = 0; gmap_next(at, &a); at = a.end)
        for (u64 from = a.start; a.flags & GMAP_WRITE && !(a.flags & GMAP_SHARED) && from < a.end;) {
            u64 pages = (a.end - from) / PAGE_BYTES, n = pages < ENTRIES ? pages : ENTRIES;
            ssize_t got = pread(fd, entry, n * sizeof *entry, (off_t)(from / PAGE_BYTES * sizeof *entry));
            if (got <= 0)
                break;
            n = (u64)got / sizeof *entry;
            for (u64 i = 0; i < n; i++)
                if (entry[i] & PRESENT)
                    f(from + i * PAGE_BYTES);
            from += n * PAGE_BYTES;
        }
    close(fd);
}

static void keep(u64 addr)
{
    if (nkept == room) {
        u64 more = room ? 2 * room : 1024;
        struct kept *k =
            room ? hostmem_grow(kept, PAGE_UP(room * sizeof *kept), PAGE_UP(more * sizeof *kept), PAGE_BYTES)
                 : hostmem_map(PAGE_UP(more * sizeof *kept), PROT_READ | PROT_WRITE);
        if (!k)
            hostmem_die("a copy of the program's memory during vfork");
        kept = k;
        room = more;
    }
    kept[nkept].addr = addr;
    if (os_copy_quietly(kept[nkept].page, (void *)addr, PAGE_BYTES) == PAGE_BYTES)
        nkept++;
}

static u64 at_kept;

static void look(u64 addr)
{
    static const u8 zero[PAGE_BYTES];
    u8 now[PAGE_BYTES];
    while (at_kept < nkept && kept[at_kept].addr < addr)
        at_kept++;
    const u8 *was = at_kept < nkept && kept[at_kept].addr == addr ? kept[at_kept].page : zero;
    if (os_copy_quietly(now, (void *)addr, PAGE_BYTES) == PAGE_BYTES && memcmp(now, was, PAGE_BYTES) != 0)
        record_log_memory(addr, PAGE_BYTES);
}

void record_compare_begin(void)
{
    nkept = 0;
    each_page(keep);
}

void record_compare_end(void)
{
    at_kept = 0;
    each_page(look);
    if (room)
        hostmem_unmap(kept, PAGE_UP(room * sizeof *kept));
    kept = NULL;
    nkept = room = 0;
}
