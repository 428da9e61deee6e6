/* SPDX-License-Identifier: Apache-2.0
 * lp_next_memory: the program's mappings for tools (linchpin/memory.h). No state; gmap has its own lock. */
#include "base/base.h"
#include "linchpin/memory.h"
#include "os/gmap.h"

_Static_assert((int)LP_MEMORY_READ == GMAP_READ && (int)LP_MEMORY_WRITE == GMAP_WRITE &&
               (int)LP_MEMORY_EXECUTE == GMAP_EXEC && (int)LP_MEMORY_SHARED == GMAP_SHARED,
               "the flags of gmap.h are given on as they are");

BOOL lp_next_memory(ADDRINT address, struct lp_memory_area *area)
{
    struct gmap_area found;
    if (!gmap_find(address, &found) && !gmap_next(address, &found)) /* the first one knows of stacks that have grown */
        return false;
    area->low = found.start;
    area->high = found.end;
    area->flags = (found.flags & (GMAP_READ | GMAP_WRITE | GMAP_EXEC | GMAP_SHARED)) | (found.ino ? LP_MEMORY_FILE : 0);
    return true;
}
