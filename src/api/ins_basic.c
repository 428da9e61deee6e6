/* SPDX-License-Identifier: Apache-2.0
 * INS_*: identity, neighbours, names and texts. Called from instrumentation callbacks, under jit_lock. */
#include "api/ins_facts.h"
#include "xed_names.h"

#define TEXT_BYTES 256

static enum facts_syntax text_syntax = FACTS_INTEL;

BOOL INS_Valid(INS ins) { return ins_get((u32)ins.index) != NULL; }
INS INS_Invalid(void) { return (INS){ 0 }; }
/* 0 for an invalid instruction: tools write INS_Address(INS_Prev(ins)) for any instruction. */
ADDRINT INS_Address(INS ins) { return ins.index ? ins_checked(ins, __func__)->pc : 0; }
USIZE INS_Size(INS ins) { return ins_checked(ins, __func__)->len; }
INS INS_Next(INS ins)
{
    const struct ins *i = ins_checked(ins, __func__);
    if (!i->next && i->rtn)
        rtn_walk_on(i);
    return (INS){ (INT32)i->next };
}

INS INS_Prev(INS ins) { return (INS){ (INT32)ins_checked(ins, __func__)->prev }; }
BOOL INS_IsOriginal(INS ins) { return ins_checked(ins, __func__)->original; }
/* Routines are replaced without instructions of our own in the guest's code. */
BOOL INS_IsAddedForFunctionReplacement(INS ins) { return ins_checked(ins, __func__), false; }

ADDRINT INS_NextAddress(INS ins)
{
    const struct ins *i = ins_checked(ins, __func__);
    return i->pc + i->len;
}

/* Of a repeated string instruction it is the plain one; the mnemonic has the REP. */
OPCODE INS_Opcode(INS ins) { return xed_iclass_unrepeated(FACTS(ins)->iclass); }
INT32 INS_Category(INS ins) { return FACTS(ins)->category; }
INT32 INS_Extension(INS ins) { return FACTS(ins)->extension; }

static const char *name_or_invalid(const char *name) { return name ? name : "INVALID"; }

const CHAR *OPCODE_StringShort(UINT32 opcode) { return name_or_invalid(xed_iclass_name(opcode)); }
const CHAR *CATEGORY_StringShort(UINT32 category) { return name_or_invalid(xed_category_name(category)); }
const CHAR *EXTENSION_StringShort(UINT32 extension) { return name_or_invalid(xed_extension_name(extension)); }
const CHAR *INS_Mnemonic(INS ins) { return name_or_invalid(xed_iclass_name(FACTS(ins)->iclass)); }

const CHAR *INS_Disassemble(INS ins)
{
    static __thread char text[TEXT_BYTES];
    facts_format(FACTS(ins), text_syntax, text, sizeof text);
    return text;
}

VOID PIN_SetSyntaxIntel(void) { text_syntax = FACTS_INTEL; }
VOID PIN_SetSyntaxXED(void) { text_syntax = FACTS_XED; }
VOID PIN_SetSyntaxATT(void) { text_syntax = FACTS_ATT; }
