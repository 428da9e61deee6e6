/* SPDX-License-Identifier: Apache-2.0
 * See routine.h. A routine is followed along all its branches and calls within a bound; whatever is not understood makes it not light. */
#include "arch/x86/routine.h"

#include "arch/x86/cpu.h"
#include "arch/x86/decoder.h"
#include "os/os.h"
#include "base/options.h"
#include "os/hostsym.h"
#include "vm/clock.h"

#include <stdlib.h>
#include <string.h>

#define MAX_INSNS 600
#define SEEN_SLOTS 2048
#define BUCKETS 1024
#define SAYINGS 4

struct known {
    struct routine r;
    const char *said[SAYINGS]; /* routine_log */
    struct known *next;
};

static struct known *bucket[BUCKETS];

struct scan {
    const u8 *todo[MAX_INSNS];
    const u8 *seen[SEEN_SLOTS]; /* hashed */
    u32 ntodo, nseen;
    struct routine *r;
};

static bool fails(struct scan *s, const char *why)
{
    s->r->why = why;
    return false;
}

/* Notes p; true: it was noted before. */
static bool seen(struct scan *s, const u8 *p)
{
    u32 h = (u32)((u64)p * 0x9e3779b1u >> 7) % SEEN_SLOTS;
    for (; s->seen[h]; h = (h + 1) % SEEN_SLOTS)
        if (s->seen[h] == p)
            return true;
    s->seen[h] = p;
    s->nseen++;
    return false;
}

static bool note_register(struct scan *s, const ZydisDecodedInstruction *z, const ZydisDecodedOperand *o)
{
    ZydisRegister full = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, o->reg.value);
    bool written = o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    switch (ZydisRegisterGetClass(o->reg.value)) {
    case ZYDIS_REGCLASS_FLAGS: case ZYDIS_REGCLASS_IP: case ZYDIS_REGCLASS_SEGMENT:
        return true;
    case ZYDIS_REGCLASS_GPR8: case ZYDIS_REGCLASS_GPR16: case ZYDIS_REGCLASS_GPR32: case ZYDIS_REGCLASS_GPR64:
        if (written)
            s->r->clobbers |= (u16)(1u << (full - ZYDIS_REGISTER_RAX));
        return true;
    case ZYDIS_REGCLASS_XMM:
        if (z->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
            return fails(s, "it uses AVX");
        if (written)
            s->r->vectors |= (u16)(1u << (o->reg.value - ZYDIS_REGISTER_XMM0));
        return true;
    case ZYDIS_REGCLASS_YMM: case ZYDIS_REGCLASS_ZMM:
        return fails(s, "it uses AVX");
    case ZYDIS_REGCLASS_X87: case ZYDIS_REGCLASS_MMX:
        return fails(s, "it uses x87 or MMX registers");
    default:
        return o->reg.value == ZYDIS_REGISTER_MXCSR && !(o->actions & ZYDIS_OPERAND_ACTION_WRITE) ? true : fails(s, "it uses special registers");
    }
}

static bool add_target(struct scan *s, const u8 *p)
{
    if (s->ntodo == MAX_INSNS)
        return fails(s, "it is too large");
    s->todo[s->ntodo++] = p;
    return true;
}

/* Of a branch or call, also through a table of the dynamic linker. */
static bool note_target(struct scan *s, const u8 *next, const ZydisDecodedOperand *o)
{
    u64 to;
    if (o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
        return add_target(s, next + o->imm.value.s);
    if (o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.base == ZYDIS_REGISTER_RIP && os_constant_at((u64)next + (u64)o->mem.disp.value, 8, &to))
        return add_target(s, (const u8 *)to);
    return fails(s, "it calls or jumps through a pointer");
}

/* One instruction; *next: where it goes on, NULL: it ends here. */
static bool note_insn(struct scan *s, const u8 *p, const u8 **next)
{
    ZydisDecodedInstruction z;
    ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
    if (!decoder_host(p, &z, op))
        return fails(s, "it has an instruction that is not known");
    for (u8 i = 0; i < z.operand_count; i++)
        if (op[i].type == ZYDIS_OPERAND_TYPE_REGISTER && !note_register(s, &z, &op[i]))
            return false;
    *next = p + z.length;
    switch (z.meta.category) {
    case ZYDIS_CATEGORY_RET:
        *next = NULL;
        return true;
    case ZYDIS_CATEGORY_UNCOND_BR:
        *next = NULL;
        return note_target(s, p + z.length, &op[0]);
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_CALL:
        return note_target(s, p + z.length, &op[0]);
    case ZYDIS_CATEGORY_STRINGOP:
        return fails(s, "it uses string instructions");
    case ZYDIS_CATEGORY_SYSCALL: case ZYDIS_CATEGORY_IOSTRINGOP: case ZYDIS_CATEGORY_INTERRUPT: case ZYDIS_CATEGORY_SYSTEM:
        return fails(s, "it makes system calls");
    case ZYDIS_CATEGORY_X87_ALU:
        return fails(s, "it uses x87 or MMX registers");
    default:
        return z.mnemonic == ZYDIS_MNEMONIC_STD || z.mnemonic == ZYDIS_MNEMONIC_POPFQ || z.mnemonic == ZYDIS_MNEMONIC_LDMXCSR ? fails(s, "it changes control flags") : true;
    }
}

static bool scan_all(struct scan *s)
{
    while (s->ntodo) {
        const u8 *p = s->todo[--s->ntodo];
        while (p && !seen(s, p)) {
            if (s->nseen == MAX_INSNS)
                return fails(s, "it is too large");
            if (!note_insn(s, p, &p))
                return false;
        }
    }
    return true;
}

static struct known *find(void *fn)
{
    for (struct known *k = bucket[(u64)fn >> 4 & (BUCKETS - 1)]; k; k = k->next)
        if (k->r.fn == fn)
            return k;
    return NULL;
}

static bool is_said(struct known *k, const char *how)
{
    for (u32 i = 0; i < SAYINGS; i++) {
        if (k->said[i] == how)
            return true;
        if (!k->said[i]) {
            k->said[i] = how;
            return false;
        }
    }
    return true;
}

void routine_log(void *fn, const char *how, const char *why)
{
    static struct hostsym sym;
    if (!options.log_inline || !how || !fn)
        return;
    routine_scan(fn);
    if (is_said(find(fn), how))
        return;
    if (!hostsym_find((u64)fn, &sym))
        sym = (struct hostsym){.offset = (u64)fn};
    msg("analysis routine %s (%s + 0x%lx): %s%s%s", *sym.name ? sym.name : "?", *sym.module ? hostsym_base_name(&sym) : "?", sym.offset, how, why ? ", for " : "", why ? why : "");
}

const struct routine *routine_scan(void *fn)
{
    struct known **b = &bucket[(u64)fn >> 4 & (BUCKETS - 1)], *k = find(fn);
    if (k)
        return &k->r;
    k = calloc(1, sizeof *k);
    if (!k)
        die(1, "out of memory for analysis routines");
    enum clock_place was = clock_at(CLOCK_OPTIMISE);
    static struct scan s;
    s = (struct scan){.ntodo = 1, .todo = {fn}, .r = &k->r};
    k->r.fn = fn;
    k->r.light = scan_all(&s);
    k->r.byte = routine_returns_byte(fn);
    k->next = *b;
    *b = k;
    clock_back(was);
    return &k->r;
}
