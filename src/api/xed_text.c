/* SPDX-License-Identifier: Apache-2.0
 * xed_*: names of enumerators, both ways. No state. */
#include "api/xed_internal.h"
#include "xed_names.h"

#include <string.h>

static const char *name_or_invalid(const char *name) { return name ? name : "INVALID"; }

static u32 number_of(const char *name, const char *(*name_of)(u32), u32 last)
{
    for (u32 i = 0; i < last; i++)
        if (name_of(i) && !strcmp(name_of(i), name))
            return i;
    return 0;
}

#define NAMES(what, PREFIX) \
    const char *xed_##what##_enum_t2str(xed_##what##_enum_t v) { return name_or_invalid(xed_##what##_name((u32)v)); } \
    xed_##what##_enum_t str2xed_##what##_enum_t(const char *s) \
    { \
        return (xed_##what##_enum_t)number_of(s, xed_##what##_name, PREFIX##_LAST); \
    } \
    xed_##what##_enum_t xed_##what##_enum_t_last(void) { return PREFIX##_LAST; }

NAMES(iclass, XED_ICLASS)
NAMES(category, XED_CATEGORY)
NAMES(extension, XED_EXTENSION)
NAMES(reg, XED_REG)
