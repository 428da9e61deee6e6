/* SPDX-License-Identifier: Apache-2.0
 * Where an inlined analysis routine is left for the routine itself, which goes on to its end: code behind the trace that puts its registers into their places, calls it in its midst, and comes back behind the inlined part. */
#ifndef LP_X86_REST_H
#define LP_X86_REST_H
#include "arch/x86/body.h"
#include "arch/x86/hold.h"

struct rest {
    const struct insn *in;
    struct body_way way;
    u8 *back;
    void *fn;
    u8 name[GPR_COUNT]; /* where the routine's registers are */
    u64 value[6];       /* of constant arguments */
    const struct body *body;
    struct hold hold;   /* of the guest's, on both ways */
    u16 kept;           /* registers with values for the code behind it */
    bool result;        /* it has one */
    u8 next_in;         /* carry.h: it may ask */
};

bool rest_room(u32 n);
void rest_add(const struct rest *r);
/* Behind the trace. */
void rest_write_all(struct build *b);

#endif
