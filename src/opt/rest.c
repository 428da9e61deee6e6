/* SPDX-License-Identifier: Apache-2.0
 * See rest.h. Owns no state but what is in the pass. Under jit_lock. */
#include "opt/rest.h"

#include "arch/arch.h"

bool rest_room(const struct pass *b, u32 n) { return b->nrests + n <= ARRAY_LEN(b->rest); }

void rest_add(struct pass *b, const struct rest *r)
{
    ASSERT(b->nrests < ARRAY_LEN(b->rest));
    b->rest[b->nrests++] = *r;
}

void rest_write_all(struct pass *b)
{
    u8 *at = NULL;
    for (u32 i = 0; i < b->nrests; i++) {
        const struct rest *r = &b->rest[i];
        bool again = i && r->back == r[-1].back && r->way.to == r[-1].way.to;
        if (!again)
            at = b->p;
        arch_point_rop_jump(r->way.end, true, at);
        if (!again)
            arch_lower_rest(b, r);
    }
    b->nrests = 0;
}
