/* SPDX-License-Identifier: Apache-2.0
 * IA-32 branches that 64-bit mode has otherwise or not at all: with an operand size of 16 bits, through FS, and far
 * ones within the program's own code segment; loads of far pointers. One to another code segment, as 64-bit code's, is
 * refused by name. On the guest's thread, no lock held. */
#include "arch/x86/emulate32_todo.h"
#include "os/os.h"

#include <string.h>

enum { FAR_POINTER = 6 };

/* Is it the segment that the program's code is in? One that is not there faults. */
static enum done check_selector(u16 selector, u32 to)
{
    if (selector == SELECTOR_CODE32)
        return DONE;
    if (os_is_code_segment(selector))
        os_tell_code_segment(selector, to);
    return FAULTS;
}

static void go(struct todo *t, u32 to)
{
    t->jumps = true;
    t->c->pc = t->word == 2 ? (u16)to : to;
}

static bool far_operand(struct todo *t, const ZydisDecodedOperand *o, u32 *offset, u16 *selector)
{
    u8 bytes[FAR_POINTER];
    *offset = 0;
    if (o->type == ZYDIS_OPERAND_TYPE_POINTER) {
        *offset = o->ptr.offset;
        *selector = o->ptr.segment;
        return true;
    }
    if (!emulate32_load(t, emulate32_address(t, o, reg32(t, RSP)), bytes, t->word + 2))
        return false;
    memcpy(offset, bytes, t->word);
    memcpy(selector, bytes + t->word, 2);
    return true;
}

static enum done far_branch(struct todo *t, bool call)
{
    u32 to, sp = reg32(t, RSP), own = SELECTOR_CODE32;
    u16 selector;
    if (!far_operand(t, &t->op[0], &to, &selector))
        return FAULTS;
    enum done how = check_selector(selector, to);
    if (how != DONE)
        return how;
    if (call) {
        u32 back = (u32)t->pc + t->z.length;
        if (!emulate32_store(t, sp - t->word, &own, t->word) || !emulate32_store(t, sp - 2 * t->word, &back, t->word))
            return FAULTS;
        set32(t, RSP, sp - 2 * t->word);
    }
    go(t, to);
    return DONE;
}

/* retf, iret */
static enum done far_return(struct todo *t, bool flags)
{
    u32 word[3] = {0}, sp = reg32(t, RSP), n = flags ? 3 : 2;
    if (flags && t->c->flags & FLAG_NT)
        return FAULTS;
    for (u32 i = n; i--;)
        if (!emulate32_load(t, sp + i * t->word, &word[i], t->word))
            return FAULTS;
    enum done how = check_selector((u16)word[1], word[0]);
    if (how != DONE)
        return how;
    u32 more = !flags && t->z.opcode == 0xca ? (u32)t->op[0].imm.value.u : 0;
    set32(t, RSP, sp + n * t->word + more);
    if (flags)
        emulate32_pop_flags(t, word[2], t->word == 2 ? 0xffff : ~0u);
    go(t, word[0]);
    return DONE;
}

static enum done load_pointer(struct todo *t, ZydisRegister segment)
{
    u32 v;
    u16 selector;
    if (!far_operand(t, &t->op[1], &v, &selector) || !emulate32_set_selector(segment, selector))
        return FAULTS;
    set_part(t, (u32)decoder_gpr(t->op[0].reg.value), v, t->word);
    return DONE;
}

static enum done near_branch(struct todo *t, bool call)
{
    u32 to, back = (u32)t->pc + t->z.length;
    if (t->z.raw.imm[0].is_relative)
        to = back + (u32)t->z.raw.imm[0].value.s;
    else if (!emulate32_operand(t, &t->op[0], &to, t->word))
        return FAULTS;
    if (call && !emulate32_push(t, back))
        return FAULTS;
    go(t, to);
    return DONE;
}

static enum done near_return(struct todo *t)
{
    u32 to;
    if (!emulate32_pop(t, &to))
        return FAULTS;
    set32(t, RSP, reg32(t, RSP) + (t->z.opcode == 0xc2 ? (u32)t->op[0].imm.value.u : 0));
    go(t, to);
    return DONE;
}

enum done emulate32_transfer(struct todo *t)
{
    bool far = t->z.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;
    switch (t->z.mnemonic) {
    case ZYDIS_MNEMONIC_JMP: return far ? far_branch(t, false) : near_branch(t, false);
    case ZYDIS_MNEMONIC_CALL: return far ? far_branch(t, true) : near_branch(t, true);
    case ZYDIS_MNEMONIC_RET: return far ? far_return(t, false) : near_return(t);
    case ZYDIS_MNEMONIC_IRET: case ZYDIS_MNEMONIC_IRETD: return far_return(t, true);
    case ZYDIS_MNEMONIC_LDS: return load_pointer(t, ZYDIS_REGISTER_DS);
    case ZYDIS_MNEMONIC_LES: return load_pointer(t, ZYDIS_REGISTER_ES);
    case ZYDIS_MNEMONIC_LSS: return load_pointer(t, ZYDIS_REGISTER_SS);
    case ZYDIS_MNEMONIC_LFS: return load_pointer(t, ZYDIS_REGISTER_FS);
    case ZYDIS_MNEMONIC_LGS: return load_pointer(t, ZYDIS_REGISTER_GS);
    default: return REFUSED;
    }
}
