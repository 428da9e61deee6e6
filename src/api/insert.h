/* SPDX-License-Identifier: Apache-2.0
 * Insertion of analysis calls, shared by INS_, BBL_, TRACE_ and RTN_. */
#ifndef LP_API_INSERT_H
#define LP_API_INSERT_H
#include "opt/objects.h"

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

/* Reads and checks an argument list. */
struct call *insert_read(const char *name, void *fn, va_list ap);
/* The same for calls with other arguments, which outlive the callback. */
struct call *insert_read_kept(const char *name, void *fn, va_list ap, bool (*known)(u16 iarg));
void insert_call(const char *name, u32 ins, int point, void *fn, enum call_kind kind, bool predicated, va_list ap);

/* Inserts a call that the engine has made. */
void insert_made(const char *name, u32 ins, int point, struct call *c);

#endif
