/* SPDX-License-Identifier: Apache-2.0
 * How the tool is called by its user (usage.c). */
#ifndef LP_API_USAGE_H
#define LP_API_USAGE_H
#include "base/base.h"

/* Were the tool's options wrong, or was help asked for? Then exit says so, and with which status the process ends. */
bool usage_told(void);

/* Has the tool called PIN_Init? Ends with a message if not. `call`: NULL where the name is to be found out. */
void usage_need_init(const char *call);
void usage_init_done(void);
/* The tool's main has come back without PIN_StartProgram, with this status. */
void usage_not_started(int status, void *tool_main);
/* A routine is looked up by its name, and nobody has asked for symbols: says so once. */
void usage_need_symbols(const char *call);
/* From now on argument lists are checked against the tool's routines (argcheck.c). */
void argcheck_init(void);

/* For the headers (knob.h, knob.hpp). NULL: the user has asked for help. */
void lp_option_mistake(const char *text);
/* The name that was perhaps meant, NULL: none is near. */
const char *lp_option_near(const char *word, const char *const *name, u32 n);
/* Options of every tool under Pin that mean nothing here: 1: a flag, 2: with a value; 0: the word is none of them. */
u32 lp_option_ignored(const char *word);

/* Ends the tool with a message where the program is an IA-32 one: the call is not done for them. */
void usage_not_narrow(const char *call);
#endif
