/* SPDX-License-Identifier: Apache-2.0
 * See clones.h. */
#include "jit/clones.h"

#include "arch/arch.h"
#include "base/options.h"
#include "jit/jit_internal.h"
#include "os/gmap.h"

#include <string.h>

#define MAX_CLONES 4095u
#define SLOTS 8192u
#define HOT 200000u /* returns */

bool clones_used;
static gpc_t returns_to[MAX_CLONES + 1];
static u16 slot[SLOTS]; /* by ret: number, 0: empty */
static u32 count;

void clones_init(void)
{
    clones_used = !options.tool && !options.no_clone && arch_can_clone();
    ibt_hot = options.clone_after ? options.clone_after : HOT;
}

static u16 *find(gpc_t ret)
{
    u32 i = (u32)(ret * DIR_HASH_MULTIPLIER >> 51);
    while (slot[i] && returns_to[slot[i]] != ret)
        i = (i + 1) % SLOTS;
    return &slot[i];
}

u16 clones_for_call(gpc_t ret) { return count ? *find(ret) : 0; }

gpc_t clones_return(u16 n) { return n <= count ? returns_to[n] : 0; }

bool clones_count(gpc_t pc)
{
    gpc_t callee;
    if (!clones_used || count == MAX_CLONES || !arch_call_before(pc, &callee))
        return false;
    const struct trace *t = dir_find(callee);
    return t && (t->flags & TRACE_RETURNS || options.clone_after);
}

/* Code that the guest can write is not cloned. */
static bool worth(gpc_t callee)
{
    struct gmap_area a;
    return gmap_find(callee, &a) &&
           (a.flags & (GMAP_READ | GMAP_EXEC | GMAP_WRITE | GMAP_SHARED)) == (GMAP_READ | GMAP_EXEC) &&
           arch_worth_clone(callee, a.start, a.end);
}

void clones_hot(gpc_t pc)
{
    gpc_t callee;
    if (count == MAX_CLONES || !arch_call_before(pc, &callee) || !worth(callee))
        return;
    u16 *at = find(pc);
    struct trace *t = dir_find(callee);
    if (*at)
        return;
    returns_to[*at = (u16)++count] = pc;
    if (t)
        link_redirect(t, pc, *at);
    jit_stats.clones++;
    log_at(2, "clone %u: %lx called in front of %lx", *at, callee, pc);
}

void clones_forget(void)
{
    count = 0;
    memset(slot, 0, sizeof slot);
}
