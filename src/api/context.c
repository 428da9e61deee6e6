/* SPDX-License-Identifier: Apache-2.0
 * CONTEXT and PHYSICAL_CONTEXT: registers of the guest, and of the tool where it faulted. Those of IARG_CONST_CONTEXT
 * are the thread's bridge state (A5); others are copies. Works on what it is given. */
#include "context.h"

#include "opt/objects.h"
#include "opt/regset.h"
#include "os/thread.h"
#include "linchpin/reg.h"
#include "regs.h"

#include <string.h>

#define FXSAVE_BYTES 512
#define FPSTATE_BYTES XSAVE_MAX_BYTES
/* The XSAVE components of each enum PROCESSOR_STATE, in the order of the headers. */
static const u64 state_mask[] = {1, 2, 6, 0xe6, 0x60000};

#define TOO_WIDE "%s is NOT supported for PIN_GetContextReg/PIN_SetContextReg: it is wider than 64 bits; use "

static unsigned check(const char *call, const struct bridge_state *c, u32 reg)
{
    const struct reg_row *row = regs_row(reg);
    if (!context_valid(c))
        api_misuse(call, NULL, 0,
                   !c ? "the context is NULL" : "the context has nothing in it (PIN_SaveContext fills one)");
    unsigned bytes = context_reg_bytes(reg);
    if (!bytes)
        api_misuse(call, NULL, 0, row ? "%s is not in a context" : "%s%u is no register", row ? row->text : "", reg);
    return bytes;
}

/* Where the thread's trace buffers have room, and where that ends; 0: the tool has defined none of that number. */
static u64 buffer_register(u32 reg)
{
    bool end = reg >= REG_BUF_END0;
    const struct trace_buffer *b = &vm_tc.opt.buffer[reg - (end ? REG_BUF_END0 : REG_BUF_BASE0) + 1];
    return (u64)(end ? b->limit : b->next);
}

static u64 get(const char *call, const struct bridge_state *c, u32 reg)
{
    u64 v = 0;
    if (regs_class(reg) == REG_CLASS_BUF)
        return buffer_register(reg);
    if (check(call, c, reg) > sizeof v)
        api_misuse(call, NULL, 0, TOO_WIDE "PIN_GetContextRegval", regs_row(reg)->text);
    context_read(c, reg, &v);
    return v;
}

/* Those of IARG_CONST_CONTEXT are the thread's own: a change would be one of the guest's state, and half of it would be
 * lost. */
static void check_changeable(const char *call, const struct bridge_state *c)
{
    if (c == &vm_tc.cpu.bridge)
        api_misuse(call, NULL, 0, "%s is NOT supported for IARG_CONST_CONTEXT", call);
}

static void set(const char *call, struct bridge_state *c, u32 reg, const void *value)
{
    check_changeable(call, c);
    if (!context_write(c, reg, value))
        api_misuse(call, NULL, 0, "%s cannot be set to this value", regs_row(reg)->text);
}

/* A context that nothing was put into yet begins with the thread's own registers. */
static void begin(struct bridge_state *c)
{
    if (c && !c->kind)
        context_take(c, &vm_tc.cpu);
}

static void set_word(const char *call, struct bridge_state *c, u32 reg, u64 value)
{
    begin(c);
    if (check(call, c, reg) > sizeof value)
        api_misuse(call, NULL, 0, TOO_WIDE "PIN_SetContextRegval", regs_row(reg)->text);
    set(call, c, reg, &value);
}

u64 PIN_GetContextReg(const struct bridge_state *c, u32 reg) { return get("PIN_GetContextReg", c, reg); }
void PIN_SetContextReg(struct bridge_state *c, u32 reg, u64 value) { set_word("PIN_SetContextReg", c, reg, value); }
u64 PIN_GetPhysicalContextReg(const struct bridge_state *c, u32 reg)
{
    return get("PIN_GetPhysicalContextReg", c, reg);
}
void PIN_SetPhysicalContextReg(struct bridge_state *c, u32 reg, u64 value)
{
    set_word("PIN_SetPhysicalContextReg", c, reg, value);
}

void PIN_GetContextRegval(const struct bridge_state *c, u32 reg, u8 *value)
{
    check("PIN_GetContextRegval", c, reg);
    context_read(c, reg, value);
}

void PIN_SetContextRegval(struct bridge_state *c, u32 reg, const u8 *value)
{
    begin(c);
    check("PIN_SetContextRegval", c, reg);
    set("PIN_SetContextRegval", c, reg, value);
}

void PIN_SaveContext(const struct bridge_state *from, struct bridge_state *to)
{
    if (!context_valid(from))
        api_misuse("PIN_SaveContext", NULL, 0, "there is nothing in the context to be saved");
    context_copy(to, from);
}

/* --- floating point and vector state ------------------------------------------------------------------------------ */

static const struct bridge_state *valid(const char *call, const struct bridge_state *c)
{
    if (!context_valid(c))
        api_misuse(call, NULL, 0, "the context has nothing in it (PIN_SaveContext fills one)");
    return c;
}

#define STATE_PAIR(getter, setter, bytes) \
    void getter(const struct bridge_state *c, void *out) { context_get_xstate(valid(#getter, c), out, bytes); } \
    void setter(struct bridge_state *c, const void *in) \
    { \
        valid(#setter, c); \
        check_changeable(#setter, c); \
        context_set_xstate(c, in, bytes); \
    }

STATE_PAIR(PIN_GetContextFPState, PIN_SetContextFPState, FPSTATE_BYTES)
STATE_PAIR(PIN_GetPhysicalContextFPState, PIN_SetPhysicalContextFPState, FPSTATE_BYTES)
STATE_PAIR(PIN_GetContextFXSave, PIN_SetContextFXSave, FXSAVE_BYTES)

int PIN_SupportsProcessorState(u32 state)
{
    return state < ARRAY_LEN(state_mask) && context_has_state(state_mask[state]);
}

int PIN_ContextContainsState(const struct bridge_state *c, u32 state)
{
    valid("PIN_ContextContainsState", c);
    return PIN_SupportsProcessorState(state);
}

/* For a register that is a part of another one in a context: the whole one. */
struct regset PIN_GetFullContextRegsSet(void)
{
    struct regset s = {0};
    for (u32 reg = 1; reg < REGSET_WORDS * 64; reg++) {
        const struct reg_row *row = regs_row(reg);
        bool vector = row && row->cls >= REG_CLASS_XMM && row->cls <= REG_CLASS_ZMM;
        bool tools = row && row->cls == REG_CLASS_INST;
        if (row && !tools && context_reg_bytes(reg) && (row->full == reg || (vector && !context_reg_bytes(row->full))))
            s.word[reg / 64] |= 1ul << (reg % 64);
    }
    return s;
}

/* --- AMX: the 64 bytes of REG_TILECONFIG -------------------------------------------------------------------------- */

static u32 tile(const char *call, u32 reg)
{
    if (regs_class(reg) != REG_CLASS_TMM)
        api_misuse(call, NULL, 0, "register %u is not a tile", reg);
    return regs_tile_number(reg);
}

u8 TileCfg_GetPaletteID(const u8 *config) { return config[0]; }
u32 TileCfg_GetTileBytesPerRow(const u8 *config, u32 reg)
{
    return config[16 + 2 * tile("TileCfg_GetTileBytesPerRow", reg)] |
           (u32)config[17 + 2 * tile("TileCfg_GetTileBytesPerRow", reg)] << 8;
}
u32 TileCfg_GetTileRows(const u8 *config, u32 reg) { return config[48 + tile("TileCfg_GetTileRows", reg)]; }
