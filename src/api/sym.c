/* SPDX-License-Identifier: Apache-2.0
 * SYM_: function symbols of an image, by address. Under image_lock. Also PIN_InitSymbols, which says what is read at
 * all. */
#include "opt/objects.h"
#include "image/image.h"
#include "linchpin/api_text.h"

/* The symbol of a handle, with image_lock taken. */
static const struct symbol *take(const char *call, SYM sym, struct image **im)
{
    image_lock();
    const struct symbol *s = sym_get((u32)sym.index, im);
    if (!s)
        api_misuse(call, NULL, 0,
                   sym.index ? "symbol %d is of an image that is not loaded any more" : "the symbol is not valid (%d)",
                   sym.index);
    return s;
}

#define GETTER(type, name, s, im, value) \
    type name(SYM sym) \
    { \
        struct image *im; \
        const struct symbol *s = take(#name, sym, &im); \
        type result = (value); \
        image_unlock(); \
        return result; \
    }

static SYM neighbour(const struct symbol *s, const struct image *im, s32 step)
{
    u32 i = (u32)(s - im->file->symbol) + (u32)step;
    return (SYM){i < im->nsyms ? (INT32)(im->first_sym + i) : 0};
}

GETTER(const CHAR *, SYM_Name, s, im, s->name)
GETTER(UINT32, SYM_Index, s, im, s->index)
GETTER(ADDRINT, SYM_Value, s, im, s->value)
GETTER(ADDRINT, SYM_Address, s, im, s->value + im->bias)
static GETTER(BOOL, is_dynamic, s, im, (s->flags & SYMBOL_DYNAMIC) != 0)
GETTER(BOOL, SYM_IFunc, s, im, (s->flags & SYMBOL_IFUNC) != 0)
GETTER(BOOL, SYM_IFuncResolver, s, im, (s->flags & SYMBOL_IFUNC) != 0)
GETTER(BOOL, SYM_IFuncImplementation, s, im, (s->flags & SYMBOL_IMPLEMENTATION) != 0)
GETTER(BOOL, SYM_OriginatedFromIFunc, s, im, (s->flags & SYMBOL_IMPLEMENTATION) != 0)
GETTER(BOOL, SYM_GeneratedByPin, s, im, (s->flags & SYMBOL_GENERATED) != 0)
GETTER(SYM, SYM_Next, s, im, neighbour(s, im, 1))
GETTER(SYM, SYM_Prev, s, im, neighbour(s, im, -1))

/* The invalid symbol is not: tools ask it of the symbols of routines that have none. */
BOOL SYM_Dynamic(SYM sym) { return sym.index && is_dynamic(sym); }

SYM SYM_Invalid(void)
{
    return (SYM){0};
}

BOOL SYM_Valid(SYM sym)
{
    struct image *im;
    image_lock();
    bool valid = sym_get((u32)sym.index, &im) != NULL;
    image_unlock();
    return valid;
}

VOID PIN_InitSymbols(void)
{
    symbols_wanted = true;
}

/* The mode matters on Windows only: on Linux each of them gives all symbols, and a later call takes none away. */
BOOL PIN_InitSymbolsAlt(SYMBOL_INFO_MODE mode)
{
    if ((u32)mode & ~(u32)DEBUG_OR_EXPORT_OR_IFUNC_SYMBOLS)
        return false;
    symbols_wanted |= mode != NO_SYMBOLS;
    return true;
}
