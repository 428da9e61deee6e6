/* SPDX-License-Identifier: Apache-2.0
 * Every encoding that the decoder knows, against what XED's published tables say of its form: there is one, of that class, category and extension, and each operand has the place, the
 * visibility and the access that the tables give it. Two sources that know nothing of each other; where they differ on purpose a row below says why. */
#include "unit.h"

#include "arch/x86/facts.h"
#include "arch/x86/forms.h"
#include "arch/x86/regs.h"
#include "arch/x86/xed_names.h"
#include "linchpin/reg.h"
#include "xed-interface.h"

#include <stdio.h>
#include <string.h>

/* --- what differs ------------------------------------------------------------------------------------------------- */

enum what { FORM, CLASS, OPERANDS };
static const struct { enum what what; const char *iclasses; } known[] = {
    /* Coprocessors of which the tables say nothing, and two with an address size that the tables do not give them. */
    {FORM, " CLEVICT0 CLEVICT1 DELAY JKZD JKNZD KAND KANDN KANDNR KCONCATH KCONCATL KEXTRACT KMERGE2L1H KMERGE2L1L KOR KXNOR KXOR LZCNT POPCNT SPFLT TZCNT TZCNTI VPREFETCH0 VPREFETCH1 VPREFETCH2 "
           "VPREFETCHE0 VPREFETCHE1 VPREFETCHE2 VPREFETCHENTA VPREFETCHNTA INVLPGB NOP "},
    /* XCHG R8, RAX is not PAUSE on processors, hints of prefetching are NOPs on those without them, and the tables have names of their own for system calls outside of 64-bit code. */
    {CLASS, " XCHG NOP SYSCALL SYSRET "},
    /* The engine has no operands for machine registers, bounds, the parts of the x87's state that only system code and saved states have, and for the stack of UIRET. */
    {OPERANDS, " RDMSR RDPMC WRMSR RDTSC RDTSCP UIRET SYSRET SYSRET64 FLDCW FNSTCW FDECSTP FINCSTP FNINIT FNSAVE FXSAVE FXSAVE64 FXRSTOR FXRSTOR64 RSTORSSP SAVEPREVSSP RDSSPD RDSSPQ INCSSPD INCSSPQ "
               "RDFSBASE RDGSBASE WRFSBASE WRGSBASE RDPID RDPKRU WRPKRU VMSAVE MWAITX CLZERO BNDLDX BNDSTX "},
    /* A far pointer is one operand here, PUSHA one of its memory, and the top of the x87's stack, which the text of FADD does not have, has the place that it has in the other instructions. */
    {OPERANDS, " CALL_FAR JMP_FAR PUSHA PUSHAD FADD NOP "},
};

static bool is_known(enum what what, const char *iclass)
{
    char word[40];
    snprintf(word, sizeof word, " %s ", iclass);
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (known[i].what == what && strstr(known[i].iclasses, word))
            return true;
    return false;
}

/* --- one instruction ---------------------------------------------------------------------------------------------- */

static unsigned seen, wrong;

static void differs(const struct ins_facts *f, const char *what, const char *form)
{
    static u16 last;
    if (wrong++ && last == f->iclass)
        return;
    last = f->iclass;
    printf("%s: ", what);
    for (u32 i = 0; i < f->len; i++)
        printf("%02x", f->bytes[i]);
    printf(" is %s, its form %s\n", xed_iclass_name(f->iclass), form);
}

/* The kind of an operand: registers have numbers of their own. */
static u32 kind_of(u32 name) { return name >= XED_OPERAND_REG0 && name <= XED_OPERAND_REG9 ? XED_OPERAND_REG0 : name; }

/* A destination of which a mask leaves elements as they are is read, too; the tables know no masks. */
static bool same_access(const struct ins_facts *f, const struct fact_operand *o, const xed_operand_t *form, u32 n)
{
    xed_operand_action_enum_t rw = (xed_operand_action_enum_t)form->_rw;
    bool merges = f->mask_reg != REG_INVALID_ && f->mask_reg != REG_K0 && !n && o->written;
    return o->written == (xed_operand_action_written(rw) != 0) && (merges || o->read == (xed_operand_action_read(rw) != 0));
}

static bool same_operand(const struct ins_facts *f, u32 i, const xed_operand_t *o)
{
    bool address = f->op[i].kind == FACT_AGEN && f->category == XED_CATEGORY_WIDENOP; /* nothing is read there */
    return (kind_of(f->op[i].name) == kind_of(o->_name) || address) && f->op[i].visibility + 1 == o->_operand_visibility && (address || same_access(f, &f->op[i], o, i));
}

/* Operands that the text has are in the same order; of the others there are the same. */
static bool same_operands(const struct ins_facts *f, const xed_inst_t *form)
{
    u32 taken = 0;
    if (form->_noperands != f->noperands)
        return false;
    for (u32 i = 0; i < f->noperands; i++) {
        u32 at = i;
        if (f->op[i].visibility == FACT_SUPPRESSED)
            for (at = 0; at < f->noperands && (taken >> at & 1 || !same_operand(f, i, forms_operand(form, at)));)
                at++;
        if (at == f->noperands || !same_operand(f, i, forms_operand(form, at)))
            return false;
        taken |= 1u << at;
    }
    return true;
}

static void look(const u8 *bytes, enum code_mode mode)
{
    struct ins_facts f;
    if (!facts_decode(&f, 0, bytes, 15, 0, mode))
        return;
    seen++;
    const char *iclass = xed_iclass_name(f.iclass);
    const xed_inst_t *form = forms_find(&f);
    if (!form) {
        if (!is_known(FORM, iclass))
            differs(&f, "no form", "none");
        return;
    }
    const xed_iform_info_t *info = forms_info(form->_iform_enum);
    if (info->iclass != f.iclass) {
        if (!is_known(CLASS, iclass))
            differs(&f, "class", xed_iform_enum_t2str((xed_iform_enum_t)form->_iform_enum));
        return;
    }
    if (info->category != f.category || info->extension != f.extension)
        differs(&f, "category or extension", xed_iform_enum_t2str((xed_iform_enum_t)form->_iform_enum));
    if (!same_operands(&f, form) && !is_known(OPERANDS, iclass))
        differs(&f, "operands", xed_iform_enum_t2str((xed_iform_enum_t)form->_iform_enum));
}

/* --- all encodings: opcodes with their prefixes, and a register and an address each ------------------------------------ */

static const u8 tail[10] = {0x24, 0x81, 0x12, 0x34, 0x56, 0x78, 0x9a, 0x11, 0x22, 0x33};

static void look_after(const u8 *start, u32 n, enum code_mode mode)
{
    u8 bytes[32];
    for (u32 modrm = 0; modrm < 256; modrm += 8)
        for (u32 low = 1; low < 8; low += modrm < 0xc0 ? 7 : 1) {
            if (modrm >= 0x40 && modrm < 0xc0)
                continue;
            memcpy(bytes, start, n);
            bytes[n] = (u8)(modrm | low);
            memcpy(bytes + n + 1, tail, sizeof tail);
            look(bytes, mode);
        }
}

static void look_legacy(enum code_mode mode)
{
    static const u8 prefixes[] = {0, 0x66, 0xf2, 0xf3, 0xf0, 0x48, 0x67};
    for (u32 p = 0; p < sizeof prefixes; p++)
        for (u32 map = 0; map < 4; map++)
            for (u32 opcode = 0; opcode < 256; opcode++) {
                u8 start[5];
                u32 n = 0;
                if (prefixes[p])
                    start[n++] = prefixes[p];
                if (map)
                    start[n++] = 0x0f;
                if (map > 1)
                    start[n++] = map == 2 ? 0x38 : 0x3a;
                start[n++] = (u8)opcode;
                look_after(start, n, mode);
            }
}

static void look_vex(u8 first, u32 low, u32 high)
{
    for (u32 map = low; map <= high; map++)
        for (u32 third = 0; third < 16; third++) /* W, L, pp */
            for (u32 opcode = 0; opcode < 512; opcode++) {
                u8 vvvv = opcode < 256 ? 0x78 : 0x48;
                look_after((u8[]){first, (u8)(0xe0 | map), (u8)((third & 8) << 4 | (third & 7) | vvvv), (u8)opcode}, 4, CODE_64);
            }
}

static void look_evex(u8 last)
{
    for (u32 map = 1; map < 7; map++)
        for (u32 w = 0; w < 32; w++) /* W, L, pp */
            for (u32 opcode = 0; opcode < 512; opcode++) {
                u8 vvvv = opcode < 256 ? 0x78 : 0x48;
                look_after((u8[]){0x62, (u8)(0xf0 | map), (u8)((w & 16) << 3 | vvvv | 4 | (w & 3)), (u8)((w & 12) << 3 | last), (u8)opcode}, 5, CODE_64);
            }
}

static void test_legacy(void **state)
{
    (void)state;
    seen = wrong = 0;
    look_legacy(CODE_64);
    look_legacy(CODE_32);
    look_legacy(CODE_16);
    assert_int_equal(wrong, 0);
    assert_true(seen > 100000);
}

static void test_vex(void **state)
{
    (void)state;
    seen = wrong = 0;
    look_vex(0xc4, 1, 3);
    look_vex(0x8f, 8, 10);
    assert_int_equal(wrong, 0);
    assert_true(seen > 50000);
}

static void test_evex(void **state)
{
    (void)state;
    seen = wrong = 0;
    look_evex(0x08); /* no mask */
    look_evex(0x0b);
    look_evex(0x18); /* broadcasts and rounding */
    assert_int_equal(wrong, 0);
    assert_true(seen > 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_legacy), cmocka_unit_test(test_vex), cmocka_unit_test(test_evex)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
