/* SPDX-License-Identifier: Apache-2.0
 * CONTEXT of analysis routines and callbacks: the registers in the thread's bridge state (A5). Those of an analysis call are the guest's own: what is set there, the guest gets. Works on what
 * it is given; no state. */
#include "api/objects.h"
#include "arch/x86/cpu.h"
#include "arch/x86/regs.h"
#include "vm/thread.h"

#include <string.h>

/* Where the register is kept and how long it is, NULL: not in a context. */
static void *place(const struct bridge_state *s, u32 reg, unsigned *bytes)
{
    struct bridge_state *c = (struct bridge_state *)s;
    unsigned at;
    int r = regs_gpr_number((u16)reg, &at, bytes), x = regs_xsave_offset((u16)reg);
    if (r >= 0)
        return (u8 *)&c->gpr[r] + at;
    *bytes = 8;
    if (regs_is_pc((u16)reg))
        return &c->pc;
    if (regs_is_flags((u16)reg))
        return &c->flags;
    *bytes = x >= 0 ? regs_row(reg)->bits / 8 : 0;
    return x >= 0 ? c->xsave + x : NULL;
}

static void *checked_place(const char *call, const struct bridge_state *c, u32 reg, unsigned *bytes)
{
    void *p = c ? place(c, reg, bytes) : NULL;
    if (!p)
        api_misuse(call, NULL, 0, !c ? "the context is NULL" : "register %u is not in a context", reg);
    return p;
}

u64 PIN_GetContextReg(const struct bridge_state *c, u32 reg)
{
    unsigned bytes;
    u64 v = 0;
    const void *p = checked_place("PIN_GetContextReg", c, reg, &bytes);
    if (bytes > sizeof v)
        api_misuse("PIN_GetContextReg", NULL, 0, "%s is wider than 64 bits; use PIN_GetContextRegval", regs_row(reg)->text);
    memcpy(&v, p, bytes);
    return v;
}

/* As the hardware does it: writing 32 bits clears the upper half. */
void PIN_SetContextReg(struct bridge_state *c, u32 reg, u64 value)
{
    unsigned bytes;
    void *p = checked_place("PIN_SetContextReg", c, reg, &bytes);
    if (bytes > sizeof value)
        api_misuse("PIN_SetContextReg", NULL, 0, "%s is wider than 64 bits; use PIN_SetContextRegval", regs_row(reg)->text);
    if (bytes == 4)
        value = (u32)value, bytes = 8;
    memcpy(p, &value, bytes);
}

void PIN_GetContextRegval(const struct bridge_state *c, u32 reg, u8 *value)
{
    unsigned bytes;
    const void *p = checked_place("PIN_GetContextRegval", c, reg, &bytes);
    memcpy(value, p, bytes);
}

void PIN_SetContextRegval(struct bridge_state *c, u32 reg, const u8 *value)
{
    unsigned bytes;
    void *p = checked_place("PIN_SetContextRegval", c, reg, &bytes);
    memcpy(p, value, bytes);
}
