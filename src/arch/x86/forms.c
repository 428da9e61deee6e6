/* SPDX-License-Identifier: Apache-2.0
 * Finds the form of a decoded instruction in the tables that scripts/gen-xed-forms made, and reads them. No state. */
#include "arch/x86/forms.h"

#include "arch/x86/facts.h"
#include "arch/x86/layout.h"

#include <Zydis/Zydis.h>
#include <string.h>

#include "arch/x86/form_table.h"

/* --- the form of an encoding ---------------------------------------------------------------------------------- */

static u8 width_code(u32 bits) { return bits == 64 ? 3 : bits == 32 ? 2 : bits == 16 ? 1 : 0; }

static void fill_legacy(const struct ins_facts *f, const struct layout *l, u8 *v)
{
    v[FIELD_MODE] = f->mode32 == CODE_64 ? 2 : f->mode32 == CODE_32 ? 1 : 0;
    v[FIELD_MOD] = l->modrm >> 6;
    v[FIELD_REG] = l->modrm >> 3 & 7;
    v[FIELD_RM] = l->modrm & 7;
    v[FIELD_SRM] = l->opcode & 7;
    v[FIELD_REXW] = l->w;
    v[FIELD_REXB] = l->b;
    v[FIELD_REP] = l->last_rep;
    v[FIELD_OSZ] = l->osz;
    v[FIELD_ASZ] = l->asz;
    v[FIELD_EASZ] = width_code(f->address_bits);
    v[FIELD_LOCK] = l->lock;
}

/* What processors have at their newest: the decoder goes by that. */
static void fill_features(u8 *v)
{
    v[FIELD_LZCNT] = v[FIELD_TZCNT] = v[FIELD_P4] = v[FIELD_CET] = v[FIELD_CLDEMOTE] = v[FIELD_WBNOINVD] = 1;
    v[FIELD_MPXMODE] = 1;
}

static void fill_fields(const struct ins_facts *f, const struct layout *l, u8 v[FIELD_COUNT])
{
    memset(v, 0, FIELD_COUNT);
    fill_legacy(f, l, v);
    fill_features(v);
    v[FIELD_VL] = l->vector_length;
    v[FIELD_VEX_PREFIX] = l->pp == 2 ? 3 : l->pp == 3 ? 2 : l->pp; /* encoded: 66, F3, F2 */
    v[FIELD_VEXDEST3] = l->vvvv >> 3;
    v[FIELD_VEXDEST210] = l->vvvv & 7;
    v[FIELD_VEXDEST4] = l->v4;
    v[FIELD_UBIT] = 1;
    v[FIELD_BCRC] = l->evex_b;
    v[FIELD_ZEROING] = l->zeroing;
    v[FIELD_MASK] = l->mask;
}

static bool fits(u32 conditions, const u8 v[FIELD_COUNT])
{
    for (u32 i = form_conditions_at[conditions]; i < form_conditions_at[conditions + 1]; i++)
        if ((v[form_conditions[i][0] >> 1] == form_conditions[i][1]) == (form_conditions[i][0] & 1))
            return false;
    return true;
}

static u32 first_key(u32 place)
{
    u32 low = 0, high = ARRAY_LEN(form_keys);
    while (low < high) {
        u32 middle = (low + high) / 2;
        if (form_keys[middle].place < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The form of the class that the decoder has found, else the first whose conditions hold. */
const xed_inst_t *forms_find(const struct ins_facts *f)
{
    struct layout l;
    u8 v[FIELD_COUNT];
    if (f->flags & FACT_FLAG_BAD)
        return NULL;
    layout_of(f, &l);
    fill_fields(f, &l, v);
    const xed_inst_t *first = NULL;
    u32 place = (u32)l.space << 12 | (u32)l.map << 8 | l.opcode;
    for (u32 i = first_key(place); i < ARRAY_LEN(form_keys) && form_keys[i].place == place; i++) {
        const xed_inst_t *form = &form_rows[form_keys[i].form];
        if (!fits(form_keys[i].conditions, v))
            continue;
        if (form_infos[form->_iform_enum].iclass == f->iclass)
            return form;
        first = first ? first : form;
    }
    return first;
}

/* --- what the tables say ---------------------------------------------------------------------------------------- */

u32 forms_broadcast(const struct ins_facts *f)
{
    static const struct { u8 mode, bits, number; } numbers[] = {
        {ZYDIS_BROADCAST_MODE_1_TO_2, 64, 11}, {ZYDIS_BROADCAST_MODE_1_TO_2, 32, 22},
        {ZYDIS_BROADCAST_MODE_1_TO_2, 16, 26}, {ZYDIS_BROADCAST_MODE_1_TO_4, 32, 10},
        {ZYDIS_BROADCAST_MODE_1_TO_4, 64, 13}, {ZYDIS_BROADCAST_MODE_1_TO_4, 16, 27},
        {ZYDIS_BROADCAST_MODE_1_TO_8, 32, 3},  {ZYDIS_BROADCAST_MODE_1_TO_8, 64, 5},
        {ZYDIS_BROADCAST_MODE_1_TO_8, 16, 14}, {ZYDIS_BROADCAST_MODE_1_TO_16, 32, 1},
        {ZYDIS_BROADCAST_MODE_1_TO_16, 16, 15}, {ZYDIS_BROADCAST_MODE_1_TO_32, 16, 16},
    };
    if (!f->broadcast || !f->nmem)
        return 0;
    for (u32 i = 0; i < ARRAY_LEN(numbers); i++)
        if (numbers[i].mode == f->broadcast && numbers[i].bits == f->op[f->mem[0]].bits)
            return numbers[i].number;
    return 0;
}

const xed_inst_t *forms_table(u32 *count)
{
    *count = ARRAY_LEN(form_rows);
    return form_rows;
}

const xed_operand_t *forms_operand(const xed_inst_t *form, u32 n)
{
    return n < form->_noperands ? &form_operands[form->_operand_base + n] : NULL;
}

const xed_attributes_t *forms_attributes(const xed_inst_t *form) { return &form_attributes[form->_attributes]; }

static bool flags_when(u32 when, const struct ins_facts *f)
{
    u64 count = 0;
    for (u32 i = 0; i < f->noperands; i++)
        if (f->op[i].kind == FACT_IMM)
            count = f->op[i].imm & (f->operand_bits == 64 ? 63 : 31);
    switch ((enum flags_when)when) {
    case WHEN_ALWAYS: return true;
    case WHEN_IMM0: return count == 0;
    case WHEN_IMM1: return count == 1;
    case WHEN_IMM_OTHER: return count > 1;
    case WHEN_REP: return f->flags & (FACT_FLAG_REP | FACT_FLAG_REPNE);
    case WHEN_NOREP: return !(f->flags & (FACT_FLAG_REP | FACT_FLAG_REPNE));
    }
    return false;
}

const xed_simple_flag_t *forms_flags(const xed_inst_t *form, const struct ins_facts *f)
{
    for (u32 i = form_flags_at[form->_flag_info_index]; i < form_flags_at[form->_flag_info_index + 1]; i++)
        if (flags_when(form_flags[i].when, f))
            return &form_flags[i].flags;
    return NULL;
}

const xed_flag_action_t *forms_flag_actions(const xed_simple_flag_t *flags)
{
    return &form_flag_actions[flags->fa_index];
}

const xed_iform_info_t *forms_info(u32 iform) { return iform < ARRAY_LEN(form_infos) ? &form_infos[iform] : NULL; }

u32 forms_width_bits(u32 width, u32 operand_bits)
{
    u32 column = operand_bits == 64 ? 2 : operand_bits == 32 ? 1 : 0;
    return width < ARRAY_LEN(form_widths) ? form_widths[width][column] : 0;
}

u32 forms_element_kind(u32 xtype) { return xtype < ARRAY_LEN(form_xtypes) ? form_xtypes[xtype][0] : 0; }
u32 forms_element_bits(u32 xtype) { return xtype < ARRAY_LEN(form_xtypes) ? form_xtypes[xtype][1] : 0; }

bool forms_chip_has(u32 chip, u32 isa_set)
{
    return chip < ARRAY_LEN(chip_sets) && isa_set < 64 * ARRAY_LEN(chip_sets[0]) &&
           chip_sets[chip][isa_set >> 6] >> (isa_set & 63) & 1;
}

u32 forms_cpuid_group(u32 isa_set, u32 n)
{
    bool there = isa_set < ARRAY_LEN(isa_set_groups) && n < ARRAY_LEN(isa_set_groups[0]);
    return there ? isa_set_groups[isa_set][n] : 0;
}

u32 forms_cpuid_record(u32 group, u32 n)
{
    return group < ARRAY_LEN(group_records) && n < ARRAY_LEN(group_records[0]) ? group_records[group][n] : 0;
}

const xed_cpuid_rec_t *forms_cpuid(u32 record)
{
    return record && record < ARRAY_LEN(cpuid_records) ? &cpuid_records[record] : NULL;
}
