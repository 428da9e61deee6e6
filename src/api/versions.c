/* SPDX-License-Identifier: Apache-2.0
 * Trace versioning (jit/versions.h). From instrumentation functions, under jit_lock. Rules CC8, CC9. */
#include "jit/versions.h"

#include "api/insert.h"
#include "jit/instrument.h"
#include "linchpin/iarg.h"

#include <stdarg.h>

static u16 number(const char *call, u64 name)
{
    u16 n = versions_number(name);
    if (n == VERSIONS_MAX)
        api_misuse(call, NULL, 0, "more than %u versions", VERSIONS_MAX - 1);
    versions_use();
    return n;
}

u64 TRACE_Version(u32 trace)
{
    if (trace != 1 || !instrument_view.head)
        api_misuse("TRACE_Version", NULL, 0, "the trace handle %u is not valid here", trace);
    return versions_name(instrument_view.version);
}

void BBL_SetTargetVersion(u32 id, u64 version)
{
    struct bbl *b = bbl_get(id);
    if (!b)
        api_misuse("BBL_SetTargetVersion", NULL, 0, "the basic block handle %u is not valid here", id);
    b->target_version = number("BBL_SetTargetVersion", version);
    b->has_target_version = true;
}

/* Reads what follows in the argument list: only an order and the end may; public tools leave the end out, too. */
static void read_rest(struct call *c, va_list ap)
{
    for (;;)
        switch (va_arg(ap, int)) {
        case IARG_CALL_ORDER: c->order = va_arg(ap, int); break;
        case IARG_FILE_NAME: c->file = va_arg(ap, const char *); break;
        case IARG_LINE_NO: c->line = va_arg(ap, int); break;
        default: return;
        }
}

/* Before the instruction, among the calls there: the guest goes on in `version` when the register has the value. */
void INS_InsertVersionCase(u32 ins, u32 reg, s32 value, u64 version, ...)
{
    va_list ap;
    struct ins *i = ins_get(ins);
    struct arg_list place; /* in the order of insertion */
    struct call *c = objects_alloc(sizeof *c + 3 * sizeof c->arg[0]);
    arg_list_init(&place);
    c->order = CALL_ORDER_DEFAULT;
    c->serial = place.serial;
    va_start(ap, version);
    read_rest(c, ap);
    va_end(ap);
    if (!i)
        api_misuse("INS_InsertVersionCase", c->file, c->line, "the instruction handle %u is not valid here", ins);
    c->kind = CALL_VERSION;
    c->nargs = 3;
    c->arg[0] = (struct call_arg){.iarg = IARG_REG_VALUE, .reg = (u16)reg};
    c->arg[1] = (struct call_arg){.iarg = IARG_ADDRINT, .value = (u64)(s64)value};
    c->arg[2] = (struct call_arg){.iarg = IARG_ADDRINT, .value = number("INS_InsertVersionCase", version)};
    call_put(&i->before, c);
}
