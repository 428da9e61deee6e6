/* SPDX-License-Identifier: Apache-2.0
 * Insertion of analysis calls, shared by INS_, BBL_, TRACE_ and RTN_. */
#ifndef LP_API_INSERT_H
#define LP_API_INSERT_H
#include "api/objects.h"

#include <stdarg.h>

/* Reads and checks an argument list. */
struct call *insert_read(const char *name, void *fn, va_list ap);
/* The same where other arguments are possible, and not for one callback only. */
struct call *insert_read_kept(const char *name, void *fn, va_list ap, bool (*known)(u16 iarg));
void insert_call(const char *name, u32 ins, int point, void *fn, enum call_kind kind, bool predicated, va_list ap);

/* --- owed by the architecture (bridge.c) --- */
bool insert_arg_known(u16 iarg);
bool insert_after_valid(struct ins *i);
bool insert_taken_valid(struct ins *i);

#endif
