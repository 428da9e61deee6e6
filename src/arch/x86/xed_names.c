/* SPDX-License-Identifier: Apache-2.0
 * Look-ups in the tables that scripts/gen-xed made. No state. */
#include "arch/x86/xed_names.h"

#include "xed-category-enum.h"
#include "xed-extension-enum.h"
#include "xed-iclass-enum.h"
#include "xed-reg-enum.h"
#include "xed-types.h"

#include <Zydis/Zydis.h>

#include "arch/x86/element_table.h"
#include "arch/x86/xed_table.h"

#define LOOK_UP(table, i) ((i) < ARRAY_LEN(table) ? (table)[i] : 0)

u16 xed_iclass_from_zydis(u32 mnemonic) { return LOOK_UP(iclass_of_zydis, mnemonic); }
u16 xed_category_from_zydis(u32 category) { return LOOK_UP(category_of_zydis, category); }
u16 xed_extension_from_zydis(u32 extension) { return LOOK_UP(extension_of_zydis, extension); }
u16 xed_reg_from_zydis(u32 reg) { return LOOK_UP(reg_of_zydis, reg); }
const char *xed_iclass_name(u32 iclass) { return LOOK_UP(iclass_names, iclass); }
const char *xed_category_name(u32 category) { return LOOK_UP(category_names, category); }
const char *xed_extension_name(u32 extension) { return LOOK_UP(extension_names, extension); }
const char *xed_reg_name(u32 reg) { return LOOK_UP(reg_names, reg); }

bool xed_element_is_float(u32 type) { return type >= ZYDIS_ELEMENT_TYPE_FLOAT16 && type <= ZYDIS_ELEMENT_TYPE_FLOAT64; }

u16 xed_element_type_from_zydis(u32 type) { return LOOK_UP(element_types, type); }

u32 xed_reg_to_zydis(u32 xed_reg)
{
    for (u32 z = 1; z < ARRAY_LEN(reg_of_zydis); z++)
        if (reg_of_zydis[z] == xed_reg)
            return z;
    return ZYDIS_REGISTER_NONE;
}

u32 xed_iclass_to_zydis(u16 iclass)
{
    for (u32 z = 1; z < ARRAY_LEN(iclass_of_zydis); z++)
        if (iclass_of_zydis[z] == iclass)
            return z;
    return ZYDIS_MNEMONIC_INVALID;
}

u16 xed_iclass_unlocked(u16 iclass)
{
    for (size_t i = 0; i < ARRAY_LEN(iclass_locked); i++)
        if (iclass_locked[i].locked == iclass)
            return iclass_locked[i].plain;
    return iclass;
}

u16 xed_iclass_locked(u16 iclass)
{
    for (size_t i = 0; i < ARRAY_LEN(iclass_locked); i++)
        if (iclass_locked[i].plain == iclass)
            return iclass_locked[i].locked;
    return iclass;
}

u16 xed_iclass_repeated(u16 iclass, bool repne)
{
    for (size_t i = 0; i < ARRAY_LEN(iclass_rep); i++)
        if (iclass_rep[i].plain == iclass)
            return repne ? iclass_rep[i].repne : iclass_rep[i].rep;
    return iclass;
}

u16 xed_iclass_unrepeated(u16 iclass)
{
    for (size_t i = 0; i < ARRAY_LEN(iclass_rep); i++)
        if (iclass_rep[i].rep == iclass || iclass_rep[i].repne == iclass)
            return iclass_rep[i].plain;
    return iclass;
}
