/* SPDX-License-Identifier: Apache-2.0
 * Insertion of analysis calls, shared by INS_, BBL_, TRACE_ and RTN_. */
#ifndef LP_API_INSERT_H
#define LP_API_INSERT_H
#include "api/objects.h"

#include <stdarg.h>

/* An argument list as read, or as collected for an IARGLIST. */
#define ARG_LIST_MAX 64
struct arg_list {
    const char *file;
    int line;
    s32 order;
    u16 return_reg;
    bool expose_mxcsr;
    const void *proto;      /* IARG_PROTOTYPE */
    bool fields;            /* each argument is followed by its place in a record (buffer.c) */
    u16 n;
    struct call_arg arg[ARG_LIST_MAX];
};
void arg_list_init(struct arg_list *list);
void arg_list_read(const char *name, struct arg_list *list, va_list ap);
/* Into the list of a place, by CALL_ORDER. */
void insert_put(struct call **list, struct call *c);

/* Reads and checks an argument list. */
struct call *insert_read(const char *name, void *fn, va_list ap);
/* The same where other arguments are possible, and not for one callback only. */
struct call *insert_read_kept(const char *name, void *fn, va_list ap, bool (*known)(u16 iarg));
void insert_call(const char *name, u32 ins, int point, void *fn, enum call_kind kind, bool predicated, va_list ap);

/* A call that the engine has made, at its place. */
void insert_made(const char *name, u32 ins, int point, struct call *c);

/* When all callbacks have seen the instruction: do its changes go together? */
void ins_check_change(struct ins *i);

/* --- owed by the architecture (bridge.c) --- */
bool insert_arg_known(u16 iarg);
/* Made from what tools give, by insert_resolve: bytes that an XSAVE or XRSTOR touches. */
#define IARG_MADE_XSAVE_SIZE 1000
/* ... a memory operand's address after the tool's translation (index: the operand; value: 1: as a write); a branch's target read through a translated address. */
#define IARG_MADE_TRANSLATED 1001
#define IARG_MADE_TARGET 1002
/* Checks the arguments of the instruction's calls against it. */
void insert_resolve(struct ins *i);
bool insert_after_valid(struct ins *i);
bool insert_taken_valid(struct ins *i);
bool insert_rewrite_valid(struct ins *i, u32 memory_operand);
bool insert_scattered_valid(struct ins *i, u32 memory_operand);
bool insert_change_reg_valid(struct ins *i, u16 old, u16 new, bool as_read);

#endif
