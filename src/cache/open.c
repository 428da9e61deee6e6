/* SPDX-License-Identifier: Apache-2.0
 * With -wx: which pages of the code cache are writable now, and so not executable. Owns that list, under jit_lock. It
 * never waits for threads that come to these pages; they wait for jit_lock. */
#include "cache/cache.h"

#include "base/options.h"
#include "os/hostmem.h"

#include <sys/mman.h>

#define MOST_OPEN 64 /* a flush or an invalidation may cut links in many pages: then whole regions are opened */

struct range {
    u8 *from, *end;
};
static struct range open[MOST_OPEN];
static u32 nopen;
static bool whole FORK_WRITES; /* regions are open, too */

static void protect(u8 *from, u8 *end, int prot) { hostmem_protect(from, (size_t)(end - from), prot); }

static bool is_open(const struct range *r)
{
    for (u32 i = nopen; i-- > 0;)
        if (r->from >= open[i].from && r->end <= open[i].end)
            return true;
    return whole && region_of(r->from)->open;
}

static void open_region(struct region *r)
{
    protect(r->base, r->end, PROT_READ | PROT_WRITE);
    r->open = whole = true;
}

void code_new(struct region *r)
{
    if (options.wx)
        r->open = whole = true;
}

void code_open(u8 *from, size_t bytes)
{
    struct range r = {(u8 *)PAGE_DOWN(from), (u8 *)PAGE_UP(from + bytes)};
    if (LIKELY(!options.wx) || !bytes || is_open(&r))
        return;
    if (nopen == MOST_OPEN) {
        open_region(region_of(from));
        return;
    }
    protect(r.from, r.end, PROT_READ | PROT_WRITE);
    open[nopen++] = r;
}

void code_close(void)
{
    while (UNLIKELY(nopen)) {
        nopen--;
        protect(open[nopen].from, open[nopen].end, PROT_READ | PROT_EXEC);
    }
    for (struct region *r = UNLIKELY(whole) ? region_first() : NULL; r; r = r->next) {
        if (r->open)
            protect(r->base, r->end, PROT_READ | PROT_EXEC);
        r->open = false;
    }
    whole = false;
}
