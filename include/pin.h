/* SPDX-License-Identifier: Apache-2.0
 * The tool API for C tools (C11 and later): include this, define main, build with `linchpin cc`. The same functions as in pin.H under the same names; where C++ has a
 * std::string there is a const char * (a returned one is valid until the next call of the same function on the thread), where it has a reference a pointer.
 * PIN_StartProgram takes NULL. On a file system that does not tell pin.h from pin.H, C++ sources get pin.H from here. */
#ifdef __cplusplus
#include "pin.H"
#else
#ifndef PIN_C_H
#define PIN_C_H
#define LINCHPIN 1
#ifndef TARGET_LINUX
#define TARGET_LINUX
#endif

#include "linchpin/types.h"
#include "linchpin/enums.h"
#include "linchpin/structs.h"
#include "linchpin/callbacks.h"
#include "linchpin/api.h"
#include "linchpin/api_text.h"
#include "linchpin/decode.h"
#include "linchpin/multi.h"
#include "linchpin/knob.h"

#ifndef TRUE
#define TRUE true
#endif
#ifndef FALSE
#define FALSE false
#endif

static inline bool INS_Equal(INS a, INS b) { return a.index == b.index; }
static inline bool IMG_Equal(IMG a, IMG b) { return a.index == b.index; }
static inline bool RTN_Equal(RTN a, RTN b) { return a.index == b.index; }

static inline void REGSET_Clear(REGSET *s) { memset(s, 0, sizeof *s); }
static inline void REGSET_Insert(REGSET *s, REG r) { s->lp_words[r / 64] |= (UINT64)1 << (r % 64); }
static inline void REGSET_Remove(REGSET *s, REG r) { s->lp_words[r / 64] &= ~((UINT64)1 << (r % 64)); }
static inline BOOL REGSET_Contains(const REGSET *s, REG r) { return s->lp_words[r / 64] >> (r % 64) & 1; }
static inline void REGSET_AddAll(REGSET *s)
{
    for (int r = REG_FIRST; r < REG_LAST; r++)
        REGSET_Insert(s, (REG)r);
}

/* Types in prototypes. PIN_PARG knows arithmetic types, pointers and void; structures by PIN_PARG_AGGREGATE. */
#define LP_PARG_KIND(type)                                                                                                           \
    _Generic((type *)0, bool *: PARG_BOOL, char *: PARG_CHAR, unsigned char *: PARG_UCHAR, signed char *: PARG_SCHAR, short *: PARG_SHORT, \
             unsigned short *: PARG_USHORT, int *: PARG_INT, unsigned int *: PARG_UINT, long *: PARG_LONG, unsigned long *: PARG_ULONG, \
             long long *: PARG_LONGLONG, unsigned long long *: PARG_ULONGLONG, float *: PARG_FLOAT, double *: PARG_DOUBLE, void *: PARG_VOID, \
             default: PARG_POINTER)
#define LP_PARG_SIZE(type) _Generic((type *)0, void *: 0, default: sizeof(_Generic((type *)0, void *: (char *)0, default: (type *)0)[0]))
#define PIN_PARG(type) ((PARG_T){LP_PARG_KIND(type), LP_PARG_SIZE(type)})
#define PIN_PARG_ENUM(type) ((PARG_T){PARG_ENUM, sizeof(type)})
#define PIN_PARG_AGGREGATE(type) ((PARG_T){PARG_AGGREGATE, sizeof(type)})
#define PIN_PARG_END() ((PARG_T){PARG_END, 0})

/* Read by the engine. */
extern __attribute__((weak, visibility("default"))) const unsigned lp_abi_version;
const unsigned lp_abi_version = LP_ABI_VERSION;

#endif
#endif
