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
    u64 serial;             /* in the order of insertion */
    u16 return_reg;
    bool expose_mxcsr, check_inline;
    u64 preserve;           /* IARG_PRESERVE: a struct regset_pair, 0: none */
    const void *proto;      /* IARG_PROTOTYPE */
    bool fields;            /* each argument is followed by its place in a record (buffer.c) */
    const char *invalid_reg; /* the IARG that was given REG_INVALID, NULL: none */
    u16 n;
    struct call_arg arg[ARG_LIST_MAX];
};
void arg_list_init(struct arg_list *list);
void arg_list_read(const char *name, struct arg_list *list, va_list ap);

/* What a routine's calls and replacements say in callbacks of traces and instructions: Pin's words. */
#define RTN_NOT_SUPPORTED "%s is NOT supported from the tool's TRACE or INS instrumentation callback"
/* Reads and checks an argument list. */
struct call *insert_read(const char *name, void *fn, va_list ap);
/* The same for calls with other arguments, which outlive the callback. */
struct call *insert_read_kept(const char *name, void *fn, va_list ap, bool (*known)(u16 iarg));
void insert_call(const char *name, u32 ins, int point, void *fn, enum call_kind kind, bool predicated, va_list ap);

/* Inserts a call that the engine has made. */
void insert_made(const char *name, u32 ins, int point, struct call *c);

/* Checks that need the tool's file (argcheck.c); NULL: none. `given`: arguments that the tool has given; `value`: what
 * was read for an IARG, of the list that goes on at ap. */
extern struct insert_check {
    void (*count)(const struct call *c, u32 given);
    void (*value)(const char *name, const char *iarg, u64 value, va_list ap);
} insert_check;

#endif
