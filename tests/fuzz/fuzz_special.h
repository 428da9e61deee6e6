/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files that make special items. */
#ifndef LP_FUZZ_SPECIAL_H
#define LP_FUZZ_SPECIAL_H
#include "fuzz.h"

#include <string.h>

struct special {
    u32 self;       /* label of this item: branches go to later ones */
    u32 nlabels;    /* labels of the main sequence, 0 in a function */
    u32 nfunctions; /* functions that may be called, the last ones of all */
};

static inline u32 some(struct gen *g, u32 n) { return rng_below(&g->rng, n); }
static inline bool chance(struct gen *g, u32 p) { return rng_percent(&g->rng, p); }

/* A register that may be changed. */
static inline u32 free_reg(struct gen *g)
{
    for (;;) {
        u32 r = some(g, GPRS);
        if (!(g->known >> r & 1))
            return r;
    }
}

/* Linchpin emulates these without alignment checks. */
static inline bool may_emulate(const struct gen *g) { return !g->align || gen_strict; }
static inline bool has_forward(const struct special *s) { return s->nlabels && s->self < s->nlabels; }
static inline u32 forward_label(struct gen *g, const struct special *s) { return s->self + 1 + some(g, s->nlabels - s->self); }

static inline u32 function_label(struct gen *g, const struct special *s)
{
    u32 last = s->nlabels ? s->nlabels + s->nfunctions : s->self + s->nfunctions;
    return last - some(g, s->nfunctions);
}

static inline void put_rex(struct gen *g, u32 w, u32 r, u32 b)
{
    u32 rex = w << 3 | (r >> 3) << 2 | b >> 3;
    if (rex)
        put8(g, 0x40 | rex);
}
static inline void put_push(struct gen *g, u32 r) { put_rex(g, 0, 0, r); put8(g, 0x50 | (r & 7)); }
static inline void put_pop(struct gen *g, u32 r) { put_rex(g, 0, 0, r); put8(g, 0x58 | (r & 7)); }

/* Address of a label into a register. */
static inline void put_label_address(struct gen *g, u32 reg, u32 label)
{
    if (chance(g, 50)) {
        put_rex(g, 1, reg, 0);
        put8(g, 0x8d);
        put8(g, 5 | (reg & 7) << 3);
        put_fix(g, FIX_REL32, label);
    } else {
        put_rex(g, 1, 0, reg);
        put8(g, 0xb8 | (reg & 7));
        put_fix(g, FIX_ABS64, label);
    }
}

/* fuzz_system.c. Each appends an item; false: it cannot be made here. */
bool special_segment_base(struct gen *g, const struct special *s);
bool special_segment_selector(struct gen *g, const struct special *s);
bool special_far_return(struct gen *g, const struct special *s);
bool special_interrupt_return(struct gen *g, const struct special *s);
bool special_far_jump(struct gen *g, const struct special *s);
bool special_system_call(struct gen *g, const struct special *s);
bool special_save_restore(struct gen *g, const struct special *s);
bool special_breakpoint(struct gen *g, const struct special *s);
bool special_change_code(struct gen *g, const struct special *s);
bool special_jump_nowhere(struct gen *g, const struct special *s);
#endif
