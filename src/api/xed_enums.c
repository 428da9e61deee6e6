/* SPDX-License-Identifier: Apache-2.0
 * xed_*_enum_t2str and its like for the enumerations that scripts/gen-xed-forms made. No state. */
#include "base/base.h"
#include "xed-interface.h"

#include <string.h>

#include "api/enum_table.h"

static const char *name_of(const char *text, const u32 *at, u32 count, u32 number)
{
    return number < count ? text + at[number] : "???";
}

static u32 number_of(const char *text, const u32 *at, u32 count, const char *name)
{
    for (u32 i = 0; i < count; i++)
        if (!strcmp(text + at[i], name))
            return i;
    return 0;
}

#define NAMES(what, type) \
    const char *xed_##what##_t2str(type v) { return name_of(what##_text, what##_at, ARRAY_LEN(what##_at), (u32)v); } \
    type str2xed_##what##_t(const char *s) \
    { \
        return (type)number_of(what##_text, what##_at, ARRAY_LEN(what##_at), s); \
    } \
    type xed_##what##_t_last(void) { return (type)ARRAY_LEN(what##_at); }

XED_ENUMS(NAMES)
