/* SPDX-License-Identifier: Apache-2.0
 * XED's numbers and names for what the decoder says. No state. */
#ifndef LP_X86_XED_NAMES_H
#define LP_X86_XED_NAMES_H
#include "base/base.h"

u16 xed_iclass_from_zydis(u32 mnemonic);
u16 xed_iclass_locked(u16 iclass);                /* itself: has no locked form */
u16 xed_iclass_unlocked(u16 iclass);
u32 xed_iclass_to_zydis(u16 iclass);              /* 0: the decoder has none of that name */
u16 xed_iclass_repeated(u16 iclass, bool repne);  /* itself: is no string instruction */
u16 xed_iclass_unrepeated(u16 iclass);
u16 xed_category_from_zydis(u32 category);
u16 xed_extension_from_zydis(u32 extension);
u16 xed_reg_from_zydis(u32 reg);
u32 xed_reg_to_zydis(u32 xed_reg);
u16 xed_element_type_from_zydis(u32 type);
bool xed_element_is_float(u32 type); /* of the decoder's types: 16 to 64 bits */
/* NULL: there is no such number. */
const char *xed_iclass_name(u32 iclass);
const char *xed_category_name(u32 category);
const char *xed_extension_name(u32 extension);
const char *xed_reg_name(u32 reg);

#endif
