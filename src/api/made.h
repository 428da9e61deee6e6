/* SPDX-License-Identifier: Apache-2.0
 * Arguments of analysis calls that are made by host code when the call is made. */
#ifndef LP_API_MADE_H
#define LP_API_MADE_H
#include "base/base.h"

struct call_arg;
struct ins;

/* What valid_resolve makes of others: bytes that an XSAVE or XRSTOR touches; a memory operand's address as the tool
 * translates it; the target in such an operand; a reference to the instruction pointer. And what insert_read makes of
 * an argument whose type a prototype gives (index: MADE_FUNCARG), and of IARG_PRESERVE (value: the set). */
enum { IARG_MADE_XSAVE_SIZE = 2000, IARG_MADE_TRANSLATED, IARG_MADE_TARGET, IARG_MADE_PC, IARG_MADE_FUNCARG,
    IARG_MADE_PRESERVE };
#define MADE_FUNCARG(number, bytes, is_signed) ((u32)(number) | (u32)(bytes) << 16 | (u32)(is_signed) << 24)
#define MADE_FUNCARG_NUMBER(x) ((x) & 0xffff)
#define MADE_FUNCARG_BYTES(x) ((x) >> 16 & 0xff)
#define MADE_FUNCARG_SIGNED(x) ((x) >> 24 & 1)
bool made_known(u16 iarg);
/* The components of the extended state that registers of a set for IARG_PRESERVE are in. */
struct regset_pair;
u64 made_preserved(const struct regset_pair *set);
/* What the routine has left in them. */
struct bridge_state;
void made_give_preserved(const struct regset_pair *set, const struct bridge_state *from, struct bridge_state *to);
/* One of these becomes IARG_MADE; others stay as they are. Under jit_lock. */
void made_resolve(struct ins *i, struct call_arg *a, bool after);

#endif
