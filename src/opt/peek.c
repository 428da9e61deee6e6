/* SPDX-License-Identifier: Apache-2.0
 * See peek.h. Owns the list of mappings from which code was read; each is remembered as a whole. Under jit_lock. */
#include "opt/peek.h"

#include "arch/arch.h"
#include "os/gmap.h"
#include "os/os.h"

#define MAX_AREAS 128

static struct { u64 start, end; } area[MAX_AREAS];
static u32 nareas, last;

static bool remember(u64 pc, u64 *end)
{
    struct gmap_area g;
    if (last < nareas && pc >= area[last].start && pc < area[last].end) {
        *end = area[last].end;
        return true;
    }
    for (u32 i = 0; i < nareas; i++)
        if (pc >= area[i].start && pc < area[i].end) {
            last = i;
            *end = area[i].end;
            return true;
        }
    if (nareas == MAX_AREAS || !gmap_find(pc, &g) ||
        (g.flags & (GMAP_READ | GMAP_EXEC | GMAP_WRITE | GMAP_SHARED)) != (GMAP_READ | GMAP_EXEC))
        return false;
    area[nareas].start = g.start;
    *end = area[nareas].end = g.end;
    last = nareas++;
    return true;
}

size_t peek_code(gpc_t pc, u8 *to, size_t bytes)
{
    u64 end;
    if (!remember(pc, &end))
        return 0;
    return os_safe_copy(to, (void *)pc, end - pc < bytes ? end - pc : bytes);
}

bool peek_forget(u64 start, u64 end)
{
    for (u32 i = 0; i < nareas; i++)
        if (area[i].start < end && start < area[i].end) {
            nareas = 0;
            return true;
        }
    return false;
}
