/* SPDX-License-Identifier: Apache-2.0
 * Insertion of analysis calls: the argument list of a call is read, checked and kept (struct call); code comes from the
 * architecture's bridge when the trace is lowered. Under jit_lock, from instrumentation callbacks. */
#include "api/insert.h"

#include "api/reached.h"
#include "api/made.h"
#include "api/proto.h"
#include "api/spoil.h"
#include "arch/arch.h"
#include "base/options.h"
#include "linchpin/iarg.h"
#include "linchpin/reg.h"
#include "opt/regset.h"
#include "opt/routine.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define IARG_LAST_NUMBER IARG_INST_PA

struct insert_check insert_check;

/* What follows an IARG in the list, and whether it becomes a parameter. */
enum operand { OPERAND_NONE, OPERAND_WORD, OPERAND_INT, OPERAND_REG, OPERAND_TWO_WORDS };

static enum operand operand_of(int iarg)
{
    switch (iarg) {
    case IARG_ADDRINT: case IARG_PTR: case IARG_UINT64: case IARG_PROTOTYPE: case IARG_IARGLIST:
    case IARG_PRESERVE: case IARG_EXPOSE:
        return OPERAND_WORD;
    case IARG_BOOL: case IARG_UINT32: case IARG_MEMORYOP_EA: case IARG_MEMORYOP_PTR: case IARG_MEMORYOP_SIZE:
    case IARG_MEMORYOP_PA: case IARG_MEMORYOP_MASKED_ON: case IARG_MULTI_ELEMENT_OPERAND:
    case IARG_SYSARG_VALUE: case IARG_SYSARG_REFERENCE: case IARG_FUNCARG_CALLSITE_VALUE:
    case IARG_FUNCARG_CALLSITE_REFERENCE:
    case IARG_FUNCARG_ENTRYPOINT_VALUE: case IARG_FUNCARG_ENTRYPOINT_REFERENCE: case IARG_CALL_ORDER:
        return OPERAND_INT;
    case IARG_REG_VALUE: case IARG_REG_REFERENCE: case IARG_REG_CONST_REFERENCE: case IARG_RETURN_REGS:
        return OPERAND_REG;
    case IARG_PARTIAL_CONTEXT:
        return OPERAND_TWO_WORDS;
    }
    return OPERAND_NONE;
}

/* Of those that have a value. */
static const char *name_of(int iarg)
{
#define NAME(n) case n: return #n
    switch (iarg) {
    NAME(IARG_ADDRINT); NAME(IARG_PTR); NAME(IARG_UINT64); NAME(IARG_PROTOTYPE); NAME(IARG_IARGLIST);
    NAME(IARG_PRESERVE);
    NAME(IARG_BOOL); NAME(IARG_UINT32); NAME(IARG_MEMORYOP_EA); NAME(IARG_MEMORYOP_PTR); NAME(IARG_MEMORYOP_SIZE);
    NAME(IARG_MEMORYOP_MASKED_ON); NAME(IARG_MULTI_ELEMENT_OPERAND); NAME(IARG_SYSARG_VALUE);
    NAME(IARG_SYSARG_REFERENCE); NAME(IARG_FUNCARG_CALLSITE_VALUE); NAME(IARG_FUNCARG_CALLSITE_REFERENCE);
    NAME(IARG_FUNCARG_ENTRYPOINT_VALUE); NAME(IARG_FUNCARG_ENTRYPOINT_REFERENCE); NAME(IARG_CALL_ORDER);
    NAME(IARG_REG_VALUE); NAME(IARG_REG_REFERENCE); NAME(IARG_REG_CONST_REFERENCE); NAME(IARG_RETURN_REGS);
    }
#undef NAME
    return "an IARG";
}

static bool is_parameter(int iarg)
{
    switch (iarg) {
    case IARG_RETURN_REGS: case IARG_CALL_ORDER: case IARG_FAST_ANALYSIS_CALL: case IARG_PROTOTYPE:
    case IARG_PRESERVE: case IARG_EXPOSE: case IARG_CHECK_INLINE: case IARG_FILE_NAME:
    case IARG_LINE_NO:
        return false;
    }
    return true;
}

static bool any_known(u16 iarg) { return made_known(iarg) || arch_arg_known(iarg); }
static bool (*arg_known)(u16 iarg) = any_known;

/* Is the argument possible for the instruction? A mistake of the tool's if not. */
static void check_arg(const char *call, const struct call *c, const struct call_arg *a)
{
    if (!arg_known(a->iarg))
        api_misuse(call, c->file, c->line, "argument type %u is reserved or not supported", a->iarg);
}

/* Names of earlier releases. */
static void modernise(struct call_arg *a)
{
    static const struct { u16 first, last, now; } old[] = {
        {IARG_SYSCALL_ARG0, IARG_SYSCALL_ARG5, IARG_SYSARG_VALUE},
        {IARG_G_ARG0_CALLEE, IARG_G_ARG5_CALLEE, IARG_FUNCARG_ENTRYPOINT_VALUE},
        {IARG_G_ARG0_CALLER, IARG_G_ARG5_CALLER, IARG_FUNCARG_CALLSITE_VALUE},
        {IARG_G_RESULT0, IARG_G_RESULT0, IARG_FUNCRET_EXITPOINT_VALUE},
        {IARG_PREDICATE, IARG_PREDICATE, IARG_EXECUTING},
    };
    for (size_t i = 0; i < ARRAY_LEN(old); i++)
        if (a->iarg >= old[i].first && a->iarg <= old[i].last) {
            a->index = (u32)(a->iarg - old[i].first);
            a->iarg = old[i].now;
            return;
        }
}

static void add_arg(const char *name, struct arg_list *list, struct call_arg a)
{
    modernise(&a);
    if (a.iarg == IARG_RETURN_REGS)
        list->return_reg = a.reg;
    else if (a.iarg == IARG_CALL_ORDER)
        list->order = (s32)a.index;
    else if (a.iarg == IARG_EXPOSE)
        list->expose_mxcsr = true;
    else if (a.iarg == IARG_CHECK_INLINE)
        list->check_inline = true;
    else if (a.iarg == IARG_PRESERVE && regset_next((const struct regset *)a.value, 0))
        list->preserve = (u64)regset_keep((const void *)a.value, (const void *)a.value);
    else if (a.iarg == IARG_PROTOTYPE)
        list->proto = (const void *)a.value;
    if (!is_parameter(a.iarg))
        return;
    if (list->n == ARG_LIST_MAX)
        api_misuse(name, NULL, 0, "more than %d arguments, or no IARG_END at the end of the list", ARG_LIST_MAX);
    list->arg[list->n++] = a;
}

/* Takes over the arguments that an IARGLIST has now. */
static void splice(const char *name, struct arg_list *list, const struct arg_list *from)
{
    if (!from)
        api_misuse(name, NULL, 0, "IARG_IARGLIST without a list");
    for (u16 i = 0; i < from->n; i++)
        add_arg(name, list, from->arg[i]);
    if (from->return_reg)
        list->return_reg = from->return_reg;
    if (from->order != CALL_ORDER_DEFAULT)
        list->order = from->order;
    list->expose_mxcsr |= from->expose_mxcsr;
    list->check_inline |= from->check_inline;
    if (from->preserve)
        list->preserve = from->preserve;
}

void arg_list_init(struct arg_list *list)
{
    static u64 last_serial;
    *list = (struct arg_list){.order = CALL_ORDER_DEFAULT, .file = "<Unknown source location>",
        .serial = __atomic_add_fetch(&last_serial, 1, __ATOMIC_RELAXED)};
}

void arg_list_read(const char *name, struct arg_list *list, va_list ap)
{
    for (;;) {
        int iarg = va_arg(ap, int);
        if (iarg == IARG_LAST)
            return;
        if (iarg == IARG_FILE_NAME) {
            list->file = va_arg(ap, const char *);
            continue;
        }
        if (iarg == IARG_LINE_NO) {
            list->line = va_arg(ap, int);
            continue;
        }
        /* Reading cannot go on, because it is not known where the list ends. */
        if (iarg < IARG_ADDRINT || iarg > IARG_LAST_NUMBER)
            api_misuse(name, NULL, 0, "%d is not an IARG; is IARG_END missing at the end of the list?", iarg);
        if (list->fields && iarg == IARG_REG_REFERENCE)
            api_misuse(name, list->file, list->line, "IARG_REG_REFERENCE cannot be a field of a trace buffer's record");
        struct call_arg a = {.iarg = (u16)iarg};
        switch (operand_of(iarg)) {
        case OPERAND_NONE: break;
        case OPERAND_WORD: a.value = va_arg(ap, u64); break;
        case OPERAND_INT: a.value = a.index = va_arg(ap, u32); break;
        case OPERAND_REG: a.reg = (u16)va_arg(ap, int); break;
        case OPERAND_TWO_WORDS: {
            const struct regset *in = va_arg(ap, const struct regset *), *out = va_arg(ap, const struct regset *);
            a.value = (u64)regset_keep(in, out);
            break;
        }
        }
        if (operand_of(iarg) != OPERAND_NONE && insert_check.value)
            insert_check.value(name, name_of(iarg), a.value | a.reg, ap);
        if (operand_of(iarg) == OPERAND_REG && !a.reg)
            list->invalid_reg = name_of(iarg);
        if (list->fields)
            a.offset = va_arg(ap, u32);
        struct call_arg now = a;
        modernise(&now);
        if (!is_parameter(iarg) || iarg == IARG_IARGLIST || arg_known(now.iarg))
            reached_iarg((u32)iarg);
        if (UNLIKELY(spoil_iarg == (u32)iarg)) { /* IARG_INVALID is 0, and was refused */
            if (!is_parameter(iarg))
                continue;
            spoil_arg(&a);
        }
        if (iarg == IARG_IARGLIST)
            splice(name, list, (const struct arg_list *)a.value);
        else
            add_arg(name, list, a);
    }
}

/* IARG_PROTOTYPE: an integer argument that is shorter than a register is given as wide as its type says. The prototype
 * is the tool's to free after this. */
static void use_prototype(struct call *c)
{
    const struct abi_proto *p = c->proto;
    for (u16 i = 0; p && arg_known == any_known && i < c->nargs; i++) {
        struct call_arg *a = &c->arg[i];
        if (a->iarg != IARG_FUNCARG_ENTRYPOINT_VALUE || a->index >= p->nargs)
            continue;
        const struct abi_type *t = &p->arg[a->index];
        if (t->cls == ABI_INT && t->bytes < 8)
            *a = (struct call_arg){.iarg = IARG_MADE_FUNCARG, .index = MADE_FUNCARG(a->index, t->bytes, t->is_signed),
                .offset = a->offset};
    }
}

/* IARG_PRESERVE means something only where the routine may change vector or x87 registers. A replacement runs with all
 * state saved, whatever it changes. */
static bool may_change_vectors(void *fn)
{
    const struct routine *r = routine_scan(fn);
    return !r->light || r->vectors;
}

/* -bridge_save_x87 0 and its like are an IARG_PRESERVE for every call. */
static u64 add_unsaved(u64 preserve)
{
    struct regset s = {0};
    if (!options.no_save_x87 && !options.no_save_mxcsr)
        return preserve;
    if (preserve)
        s = ((const struct regset_pair *)preserve)->out;
    if (options.no_save_x87)
        s.word[REG_X87 / 64] |= 1ul << (REG_X87 % 64);
    if (options.no_save_mxcsr)
        s.word[REG_MXCSR / 64] |= 1ul << (REG_MXCSR % 64);
    return (u64)regset_keep(&s, &s);
}

struct call *insert_read(const char *name, void *fn, va_list ap)
{
    struct arg_list list;
    arg_list_init(&list);
    arg_list_read(name, &list, ap);
    u32 given = list.n;
    list.preserve = add_unsaved(list.preserve);
    /* one more argument, at which the routine does not look */
    if (list.preserve && fn && (arg_known != any_known || may_change_vectors(fn)))
        add_arg(name, &list, (struct call_arg){.iarg = IARG_MADE_PRESERVE, .value = list.preserve});
    struct call *c = objects_alloc(sizeof *c + list.n * sizeof list.arg[0]);
    *c = (struct call){.fn = fn, .name = name, .expose_mxcsr = list.expose_mxcsr,
        .check_inline = list.check_inline, .order = list.order,
        .serial = list.serial, .file = list.file, .line = list.line, .return_reg = list.return_reg,
        .proto = list.proto, .nargs = list.n};
    memcpy(c->arg, list.arg, list.n * sizeof list.arg[0]);
    use_prototype(c);
    if (!fn)
        api_misuse(name, c->file, c->line, "the analysis routine is NULL");
    if (list.invalid_reg)
        api_misuse(name, c->file, c->line, "%s is given REG_INVALID, which is no register", list.invalid_reg);
    if (insert_check.count)
        insert_check.count(c, given);
    for (u16 i = 0; i < c->nargs; i++)
        check_arg(name, c, &c->arg[i]);
    return c;
}

struct call *insert_read_kept(const char *name, void *fn, va_list ap, bool (*known)(u16 iarg))
{
    arg_known = known;
    const struct call *c = insert_read(name, fn, ap);
    arg_known = any_known;
    size_t bytes = sizeof *c + c->nargs * sizeof c->arg[0];
    struct call *kept = malloc(bytes);
    if (!kept)
        die(1, "out of memory for inserted calls");
    return memcpy(kept, c, bytes);
}

/* Calls are sorted by their order, then by insertion. A THEN goes right after its IF. */
static void put_then(const char *name, int point, struct call **list, struct call *c)
{
    struct call *last_if = NULL;
    for (struct call *i = *list; i; i = i->next)
        if (i->kind == CALL_IF && !(i->next && i->next->kind == CALL_THEN))
            last_if = i;
    if (!last_if)
        api_misuse(name, c->file, c->line, "%sno InsertIfCall at the same place before it",
                   point == IPOINT_AFTER ? "Inserting IPOINT_AFTER with invalid instruction: " : "");
    c->next = last_if->next;
    last_if->next = c;
}

static struct call **place(const char *name, struct ins *i, int point, const struct call *c)
{
    switch (point) {
    case IPOINT_ANYWHERE:
        if (c->kind != CALL_PLAIN)
            api_misuse(name, c->file, c->line, "Inserting IPOINT_ANYWHERE is not a valid action for %s API", name);
        return &i->before;
    case IPOINT_BEFORE:
        return &i->before;
    case IPOINT_AFTER:
        if (!arch_allows(i, CHANGE_AFTER, 0))
            api_misuse(name, c->file, c->line, 
                       "Inserting IPOINT_AFTER with invalid instruction: the one at 0x%lx has no fall-through", i->pc);
        return &i->after;
    case IPOINT_TAKEN_BRANCH:
        if (!arch_allows(i, CHANGE_TAKEN, 0))
            api_misuse(name, c->file, c->line, "IPOINT_TAKEN_BRANCH at 0x%lx: not a branch, call or return", i->pc);
        return &i->taken;
    }
    api_misuse(name, c->file, c->line, "%d is not an IPOINT", point);
}

void insert_call(const char *name, u32 ins, int point, void *fn, enum call_kind kind, bool predicated, va_list ap)
{
    struct call *c = insert_read(name, fn, ap);
    c->kind = (u8)kind;
    c->predicated = predicated;
    insert_made(name, ins, point, c);
}

void insert_made(const char *name, u32 ins, int point, struct call *c)
{
    struct ins *i = ins_get(ins);
    if (!i)
        api_misuse(name, c->file, c->line, "the instruction handle %u is not valid here", ins);
    if (c->kind == CALL_THEN)
        put_then(name, point, place(name, i, point, c), c);
    else
        call_put(place(name, i, point, c), c);
}

#define INSERT(function, kind, predicated)                                                    \
    void function(u32 ins, int point, void *fn, ...)                                          \
    {                                                                                         \
        va_list ap;                                                                           \
        va_start(ap, fn);                                                                     \
        insert_call(#function, ins, point, fn, kind, predicated, ap);                         \
        va_end(ap);                                                                           \
    }

INSERT(INS_InsertCall, CALL_PLAIN, false)
INSERT(INS_InsertPredicatedCall, CALL_PLAIN, true)
INSERT(INS_InsertIfCall, CALL_IF, false)
INSERT(INS_InsertThenCall, CALL_THEN, false)
INSERT(INS_InsertIfPredicatedCall, CALL_IF, true)
INSERT(INS_InsertThenPredicatedCall, CALL_THEN, true)

/* A block's calls go to its first instruction; a call after a block has no single place. */
static u32 block_head(const char *name, u32 bbl, int *point, void *fn, va_list ap)
{
    struct bbl *b = bbl_get(bbl);
    if (!b) {
        struct call *c = insert_read(name, fn, ap);
        api_misuse(name, c->file, c->line, "the basic block handle %u is not valid here", bbl);
    }
    if (*point == IPOINT_AFTER || *point == IPOINT_TAKEN_BRANCH)
        return b->tail;
    return b->head;
}

#define INSERT_BLOCK(function, kind)                                                          \
    void function(u32 bbl, int point, void *fn, ...)                                          \
    {                                                                                         \
        va_list ap;                                                                           \
        va_start(ap, fn);                                                                     \
        u32 ins = block_head(#function, bbl, &point, fn, ap);                                 \
        insert_call(#function, ins, point, fn, kind, false, ap);                              \
        va_end(ap);                                                                           \
    }

INSERT_BLOCK(BBL_InsertCall, CALL_PLAIN)
INSERT_BLOCK(BBL_InsertIfCall, CALL_IF)
INSERT_BLOCK(BBL_InsertThenCall, CALL_THEN)
