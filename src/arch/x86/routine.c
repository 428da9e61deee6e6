/* SPDX-License-Identifier: Apache-2.0
 * See routine.h. A routine is followed along all its branches within a small bound; whatever is not understood makes it not simple. */
#include "arch/x86/routine.h"

#include "arch/x86/cpu.h"
#include "base/options.h"

#include <Zydis/Zydis.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define MAX_INSNS 64
#define BUCKETS 1024

struct known {
    struct routine r;
    const char *said; /* routine_log */
    struct known *next;
};

static struct known *bucket[BUCKETS];

struct scan {
    ZydisDecoder decoder;
    const u8 *todo[MAX_INSNS];
    const u8 *seen[MAX_INSNS];
    u32 ntodo, nseen;
    u16 clobbers;
};

static bool seen(struct scan *s, const u8 *p)
{
    for (u32 i = 0; i < s->nseen; i++)
        if (s->seen[i] == p)
            return true;
    return false;
}

static bool note_operand(struct scan *s, const ZydisDecodedOperand *o)
{
    if (o->type != ZYDIS_OPERAND_TYPE_REGISTER)
        return true;
    ZydisRegisterClass c = ZydisRegisterGetClass(o->reg.value);
    if (c == ZYDIS_REGCLASS_FLAGS || c == ZYDIS_REGCLASS_IP || c == ZYDIS_REGCLASS_SEGMENT)
        return true;
    if (c != ZYDIS_REGCLASS_GPR8 && c != ZYDIS_REGCLASS_GPR16 && c != ZYDIS_REGCLASS_GPR32 && c != ZYDIS_REGCLASS_GPR64)
        return false;
    ZydisRegister full = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, o->reg.value);
    if (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
        s->clobbers |= (u16)(1u << (full - ZYDIS_REGISTER_RAX));
    return true;
}

/* One instruction; *next: where it goes on, NULL: it ends here. */
static bool note_insn(struct scan *s, const u8 *p, const u8 **next)
{
    ZydisDecodedInstruction z;
    ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
    if (ZYAN_FAILED(ZydisDecoderDecodeFull(&s->decoder, p, 15, &z, op)))
        return false;
    for (u8 i = 0; i < z.operand_count; i++)
        if (!note_operand(s, &op[i]))
            return false;
    *next = p + z.length;
    switch (z.meta.category) {
    case ZYDIS_CATEGORY_RET:
        *next = NULL;
        return true;
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR: {
        if (op[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE || s->ntodo == MAX_INSNS)
            return false;
        s->todo[s->ntodo++] = p + z.length + op[0].imm.value.s;
        if (z.meta.category == ZYDIS_CATEGORY_UNCOND_BR)
            *next = NULL;
        return true;
    }
    case ZYDIS_CATEGORY_CALL: case ZYDIS_CATEGORY_SYSCALL: case ZYDIS_CATEGORY_STRINGOP: case ZYDIS_CATEGORY_IOSTRINGOP: case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_SYSTEM: case ZYDIS_CATEGORY_X87_ALU:
        return false;
    default:
        return z.mnemonic != ZYDIS_MNEMONIC_STD && z.mnemonic != ZYDIS_MNEMONIC_POPFQ;
    }
}

static bool scan_all(struct scan *s)
{
    while (s->ntodo) {
        const u8 *p = s->todo[--s->ntodo];
        while (p && !seen(s, p)) {
            if (s->nseen == MAX_INSNS)
                return false;
            s->seen[s->nseen++] = p;
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

void routine_log(void *fn, const char *how)
{
    Dl_info info;
    if (!options.log_inline || !how)
        return;
    routine_scan(fn);
    struct known *k = find(fn);
    if (k->said == how)
        return;
    k->said = how;
    const char *name = dladdr(fn, &info) && info.dli_sname ? info.dli_sname : "?";
    msg("analysis routine %s at %p: %s", name, fn, how);
}

const struct routine *routine_scan(void *fn)
{
    struct known **b = &bucket[(u64)fn >> 4 & (BUCKETS - 1)], *k = find(fn);
    if (k)
        return &k->r;
    k = calloc(1, sizeof *k);
    if (!k)
        die(1, "out of memory for analysis routines");
    struct scan s = {.ntodo = 1, .todo = {fn}};
    ZydisDecoderInit(&s.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    k->r.fn = fn;
    k->r.simple = scan_all(&s);
    k->r.clobbers = s.clobbers;
    k->r.byte = routine_returns_byte(fn);
    k->next = *b;
    *b = k;
    return &k->r;
}
