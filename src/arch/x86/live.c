/* SPDX-License-Identifier: Apache-2.0
 * See live.h. One backward pass over the trace. Under jit_lock. */
#include "arch/x86/live.h"

#include "arch/x86/bridge.h"
#include "arch/x86/cpu.h"
#include "base/options.h"

#include "arch/x86/decode.h"
#include "arch/x86/quick.h"
#include "jit/peek.h"
#include "vm/clock.h"

#include <Zydis/Zydis.h>
#include <string.h>

#define ALL ((struct live){0xffff, LIVE_FLAGS})

static struct live at[BUILD_MAX_INSNS + 1];
static bool known, observed;

/* What the instructions of the trace do. */
static struct effect_memo {
    gpc_t pc;
    u32 trace;
    bool ok;
    struct live_effect e;
} effect_memo[2 * BUILD_MAX_INSNS];
static u32 trace = 1;

void live_reset(void)
{
    known = false;
    trace++;
}

bool live_observe(void)
{
    bool first = !observed;
    observed = true;
    return first;
}

static int gpr_of(ZydisRegister r)
{
    ZydisRegister full = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
    return full >= ZYDIS_REGISTER_RAX && full <= ZYDIS_REGISTER_R15 ? (int)(full - ZYDIS_REGISTER_RAX) : -1;
}

static void note_read(struct live_effect *e, ZydisRegister r)
{
    int n = gpr_of(r);
    if (n >= 0)
        e->reads |= (u16)(1u << n);
}

static void note_operand(struct live_effect *e, const ZydisDecodedOperand *o)
{
    if (o->type == ZYDIS_OPERAND_TYPE_MEMORY) {
        note_read(e, o->mem.base);
        note_read(e, o->mem.index);
        return;
    }
    if (o->type != ZYDIS_OPERAND_TYPE_REGISTER)
        return;
    int n = gpr_of(o->reg.value);
    if (n < 0)
        return;
    ZydisRegisterClass c = ZydisRegisterGetClass(o->reg.value);
    bool whole = c == ZYDIS_REGCLASS_GPR32 || c == ZYDIS_REGCLASS_GPR64;
    if (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
        e->writes |= (u16)(1u << n);
    if (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
        e->reads |= (u16)(1u << n);
    if (whole && o->actions & ZYDIS_OPERAND_ACTION_WRITE)
        e->kills |= (u16)(1u << n);
    else if (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
        e->reads |= (u16)(1u << n); /* a part, or on a condition: the rest stays */
}

/* Flags that the instruction surely writes. A shift by 0 writes none; AF, which nothing but pushf and lahf can see, counts as written where it is undefined. */
static u16 killed_flags(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
    const ZydisAccessedFlags *f = z->cpu_flags;
    switch (z->meta.category) {
    case ZYDIS_CATEGORY_SHIFT:
    case ZYDIS_CATEGORY_ROTATE: {
        const ZydisDecodedOperand *count = &op[z->operand_count_visible - 1];
        bool by_constant = count->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && (count->imm.value.u & (z->operand_width == 64 ? 63 : 31));
        if (!by_constant && z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY)
            return 0;
        break;
    }
    case ZYDIS_CATEGORY_STRINGOP:
        return 0;
    default:
        break;
    }
    u32 all = f->modified | f->set_0 | f->set_1;
    if (f->undefined & ZYDIS_CPUFLAG_AF)
        all |= ZYDIS_CPUFLAG_AF;
    return (u16)(all & LIVE_FLAGS);
}

static ZydisDecoder *decoder(void)
{
    static ZydisDecoder d;
    static bool ready;
    if (!ready)
        ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ready = true;
    return &d;
}

bool live_effect(const u8 *bytes, size_t avail, struct live_effect *e)
{
    struct insn in;
    size_t n = avail > 15 ? 15 : avail;
    memcpy(in.bytes, bytes, n);
    return quick_decode(&in, 0, n, e) || live_effect_fully(bytes, avail, e);
}

bool live_effect_in(const struct insn *in, struct live_effect *e)
{
    struct effect_memo *m = &effect_memo[in->pc % ARRAY_LEN(effect_memo)];
    if (m->pc != in->pc || m->trace != trace) {
        *m = (struct effect_memo){.pc = in->pc, .trace = trace};
        m->ok = live_effect(in->bytes, in->len, &m->e);
    }
    *e = m->e;
    return m->ok;
}

bool live_effect_fully(const u8 *bytes, size_t avail, struct live_effect *e)
{
    ZydisDecodedInstruction z;
    ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
    u8 copy[15];
    *e = (struct live_effect){0};
    if (ZYAN_FAILED(ZydisDecoderDecodeFull(decoder(), decode_input(bytes, avail, copy), avail > 15 ? 15 : avail, &z, op)))
        return false;
    for (u8 i = 0; i < z.operand_count; i++)
        note_operand(e, &op[i]);
    if (z.cpu_flags) {
        e->flags_read = (u16)(z.cpu_flags->tested & LIVE_FLAGS);
        e->flags_killed = killed_flags(&z, op);
        e->flags_touched = z.cpu_flags->tested | z.cpu_flags->modified | z.cpu_flags->set_0 | z.cpu_flags->set_1 | z.cpu_flags->undefined;
    }
    if (z.mnemonic == ZYDIS_MNEMONIC_PUSHF || z.mnemonic == ZYDIS_MNEMONIC_PUSHFQ || z.mnemonic == ZYDIS_MNEMONIC_LAHF || z.mnemonic == ZYDIS_MNEMONIC_SYSCALL) /* into r11, and back */
        e->flags_read = LIVE_FLAGS, e->flags_touched = true;
    if (z.mnemonic == ZYDIS_MNEMONIC_NOP)
        e->reads = 0; /* its operands are not accessed */
    if (z.meta.category == ZYDIS_CATEGORY_STRINGOP || z.meta.category == ZYDIS_CATEGORY_IOSTRINGOP)
        e->writes |= e->reads; /* the addresses and the count move */
    if (z.mnemonic == ZYDIS_MNEMONIC_BSF || z.mnemonic == ZYDIS_MNEMONIC_BSR)
        e->reads |= e->writes; /* of 0, they leave the register as it was */
    if (z.meta.category == ZYDIS_CATEGORY_SYSTEM)
        e->reads |= e->writes; /* it faults, mostly; lar and lsl may leave the register as it was */
    if (z.meta.category == ZYDIS_CATEGORY_CET)
        e->reads |= e->writes; /* without shadow stacks, it does nothing */
    e->kills &= (u16)~e->reads;
    e->reads |= e->writes & (u16)~e->kills; /* what it may leave as it was must be there */
    return true;
}

/* --- beyond the trace ------------------------------------------------------------------------------------------- */

#define LOOK_AHEAD 16 /* instructions, on all ways together */
#define MEMO 4096

struct look {
    gpc_t pc;
    int budget; /* that was left there */
    struct live live;
};
static struct look memo[MEMO];

/* Where the walk goes on after `in`: the target, and for a conditional branch the fall-through too. */
static struct live look(gpc_t pc, int *budget);

static struct live look_behind(const struct insn *in, int *budget)
{
    struct live a, b;
    switch ((enum insn_class)in->cls) {
    case INSN_PLAIN:
        return in->ends_trace ? ALL : look(in->pc + in->len, budget);
    case INSN_JMP: case INSN_CALL:
        return look(in->target, budget);
    case INSN_JCC:
        a = look(in->target, budget);
        b = look(in->pc + in->len, budget);
        return (struct live){a.regs | b.regs, a.flags | b.flags};
    default:
        return ALL;
    }
}

static struct live through(struct live l, const struct live_effect *e)
{
    l.regs = (u16)((l.regs & ~e->kills) | e->reads | 1u << RSP);
    l.flags = (u16)((l.flags & ~e->flags_killed) | e->flags_read);
    return l;
}

static bool look_decode(struct insn *in, gpc_t pc, struct live_effect *e)
{
    size_t n = peek_code(pc, in->bytes, 15);
    if (!n)
        return false;
    if (LIKELY(quick_decode(in, pc, n, e)))
        return true;
    u8 bytes[15];
    memcpy(bytes, in->bytes, n);
    return decode_insn(in, pc, bytes, n) && in->cls != INSN_BAD && live_effect(bytes, in->len, e);
}

static struct live look(gpc_t pc, int *budget)
{
    struct look *m = &memo[pc % MEMO];
    struct insn in;
    struct live_effect e;
    int left = --*budget;
    if (m->pc == pc && m->budget >= left)
        return m->live;
    if (left <= 0 || !look_decode(&in, pc, &e))
        return ALL;
    struct live l = through(look_behind(&in, budget), &e);
    *m = (struct look){pc, left, l};
    return l;
}

/* In front of the instruction at pc, which this trace does not have. */
static struct live look_at(gpc_t pc)
{
    int budget = LOOK_AHEAD;
    if (observed)
        return ALL; /* calls there may see anything */
    return look(pc, &budget);
}

void arch_forget_code(void) { memset(memo, 0, sizeof memo); }

/* --- the trace ------------------------------------------------------------------------------------------------- */

/* Behind the last instruction, or behind `in` which may leave the trace; next: in front of the instruction that follows in the trace. */
static struct live behind(const struct insn *in, struct live next)
{
    struct live a;
    switch ((enum insn_class)in->cls) {
    case INSN_PLAIN: case INSN_FSBASE:
        return in->ends_trace ? ALL : next;
    case INSN_JMP: case INSN_CALL:
        return look_at(in->target);
    case INSN_JCC:
        a = look_at(in->target);
        return (struct live){a.regs | next.regs, a.flags | next.flags};
    default:
        return ALL;
    }
}

/* What calls see of the guest's state is needed for them. */
static struct live seen_by(const struct call *list, struct live l)
{
    for (const struct call *c = list; c; c = c->next) {
        u16 regs = bridge_args_observe(c);
        l.regs |= regs;
        if (regs == 0xffff)
            l.flags = LIVE_FLAGS;
    }
    return l;
}

/* A compiler that writes code while it runs may look at any register of it in its handlers of faults, or go on with it elsewhere. */
static bool is_written_code(const struct build *b)
{
    u8 byte;
    return !peek_code(b->pc, &byte, 1);
}

static void compute(struct build *b)
{
    known = true;
    if (is_written_code(b)) {
        for (u32 i = 0; i <= b->ninsns; i++)
            at[i] = ALL;
        return;
    }
    const struct insn *last = &b->insn[b->ninsns - 1];
    struct live l = last->cls == INSN_PLAIN || last->cls == INSN_JCC ? look_at(last->pc + last->len) : ALL;
    at[b->ninsns] = l;
    for (u32 i = b->ninsns; i-- > 0;) {
        const struct insn *in = &b->insn[i];
        struct live_effect e;
        bool plain = (in->cls <= INSN_CALL && in->cls != INSN_LOOP) || in->cls == INSN_FSBASE;
        const struct ins *ins = b->ins[i];
        if (!ins || !ins->deleted)
            l = behind(in, l);
        if (ins)
            l = seen_by(ins->after, seen_by(ins->taken, l));
        if (!ins || !ins->deleted)
            l = plain && live_effect_in(in, &e) ? through(l, &e) : ALL;
        if (ins)
            l = seen_by(ins->before, l);
        if (ins && (ins->deleted || ins->change))
            l = ALL; /* it does something else */
        at[i] = l;
    }
}

struct live live_at(gpc_t pc) { return options.no_dead ? ALL : look_at(pc); }

struct live live_before(struct build *b, u32 i)
{
    if (options.no_dead)
        return ALL;
    if (!known) {
        enum clock_place was = clock_at(CLOCK_OPTIMISE);
        compute(b);
        clock_back(was);
    }
    return at[i];
}
