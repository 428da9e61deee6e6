/* SPDX-License-Identifier: Apache-2.0
 * What is carried (carry.h) at cache addresses and exits, after their trace was made. Reads only; without a lock. */
#include "opt/carry.h"

struct map_entry carry_state(u64 pc)
{
    const struct region *r = region_of((void *)pc);
    const struct trace *t = place_body(pc);
    if (t)
        return map_at(t, pc - (u64)t->body);
    if (pc >= (u64)r->gate && pc < (u64)r->ib_mismatch)
        return (struct map_entry){.kind = MAP_GUEST};
    return (struct map_entry){.kind = MAP_GUEST, .next_in = carry_home(), .held = carry_bit()};
}

bool carry_on_host_stack(u64 pc)
{
    const struct trace *t = place_body(pc);
    return t && map_at(t, pc - (u64)t->body).held & hold_bit(arch_info.sp);
}

bool carry_at(u64 pc)
{
    u8 next_in = carry_state(pc).next_in;
    ASSERT(!next_in || next_in == carry_home()); /* the entry routine can load no other register */
    return next_in;
}

void carry_exit(struct exit *x, const struct pass_exit *from)
{
    x->carries = from->next_in == carry_home() && !(from->held & hold_bit(arch_info.sp));
    x->looks = from->kind == EXIT_KIND_FULL && !(x->carries && from->held == carry_bit());
    ASSERT(x->looks || x->carries == (from->next_in != 0));
}
