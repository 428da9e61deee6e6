/* SPDX-License-Identifier: Apache-2.0
 * See elements.h. No state. */
#include "opt/elements.h"

#include "os/events.h"
#include "os/os.h"

#include <string.h>

/* These access a whole element or none of it, and return 0, or the address that cannot be accessed. */
static u64 read_element(const struct element *e, u8 *to)
{
    u8 now[8];
    size_t n = os_safe_copy(now, (void *)e->address, e->bytes);
    if (n == e->bytes)
        memcpy(to, now, n);
    return n == e->bytes ? 0 : e->address + n;
}

static u64 write_element(const struct element *e, const u8 *from)
{
    u8 old[8];
    os_events.kernel_write(e->address, e->address + e->bytes);
    size_t had = os_safe_copy(old, (void *)e->address, e->bytes), n = os_safe_copy((void *)e->address, from, e->bytes);
    if (n == e->bytes)
        return 0;
    os_safe_copy((void *)e->address, old, had < n ? had : n);
    return e->address + n;
}

u32 elements_access(const struct element *e, u32 n, u8 *data, bool write, u64 *fault)
{
    *fault = 0;
    for (u32 i = 0; i < n; i++) {
        u8 *at = data + e[i].offset;
        if (e[i].on && (*fault = write ? write_element(&e[i], at) : read_element(&e[i], at)))
            return i;
    }
    return n;
}
