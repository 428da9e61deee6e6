/* SPDX-License-Identifier: Apache-2.0
 * What the engine makes for IARG_MULTI_ELEMENT_OPERAND and IARG_REWRITE_SCATTERED_MEMOP: an object whose first word points to `fn` of such a table. For a C++ tool that is
 * an object of the abstract class in objects.hpp (Itanium C++ ABI, so the order is fixed); a C tool calls through the table. */
#ifndef LINCHPIN_MULTI_H
#define LINCHPIN_MULTI_H
#include "enums.h"

LP_BEGIN

struct lp_multi_element_fn {
    BOOL (*IsMemory)(const VOID *self);
    BOOL (*IsRegister)(const VOID *self);
    UINT32 (*NumOfElements)(const VOID *self);
    ADDRINT (*Address)(const VOID *self);
    USIZE (*Size)(const VOID *self);
    ADDRINT (*ElementAddress)(const VOID *self, UINT32 i);
    USIZE (*ElementSize)(const VOID *self, UINT32 i);
    UINT32 (*ElementOffset)(const VOID *self, UINT32 i);
    UINT32 (*ElementMaskValue)(const VOID *self, UINT32 i);
    PIN_OP_ELEMENT_ACCESS (*ElementAccessType)(const VOID *self, UINT32 i);
};
struct lp_scattered_fn {
    UINT32 (*NumOfElements)(const VOID *self);
    ADDRINT (*ElementAddress)(const VOID *self, UINT32 i);
    USIZE (*ElementSize)(const VOID *self, UINT32 i);
    UINT32 (*ElementOffset)(const VOID *self, UINT32 i);
    UINT32 (*ElementMaskValue)(const VOID *self, UINT32 i);
    VOID (*SetElementAddress)(VOID *self, UINT32 i, LP_ADDRESS address);
};
/* The two words in front are read only by dynamic_cast and typeid, which tools cannot use on these objects. */
struct lp_multi_element_table { ptrdiff_t offset_to_top; const VOID *type_info; struct lp_multi_element_fn fn; };
struct lp_scattered_table { ptrdiff_t offset_to_top; const VOID *type_info; struct lp_scattered_fn fn; };

LP_END
#endif
