/* SPDX-License-Identifier: Apache-2.0
 * The table of options, for those that print it: help.c (-help), manual.c (the man page and the completions). */
#ifndef LP_LAUNCH_OPTIONS_H
#define LP_LAUNCH_OPTIONS_H
#include "launch/launch.h"

enum option_kind {
    OPT_FLAG,   /* alone, or with 0 or 1 */
    OPT_TEXT,
    OPT_PATH,   /* made absolute, because programs that are followed may have another working directory */
    OPT_NUMBER,
    OPT_BYTES,  /* K, M, G */
    OPT_WORD,   /* checked by set */
    OPT_TOOL,   /* takes the rest up to -- */
    OPT_TOOL_FILE,
    OPT_SHOW,   /* prints and exits */
    OPT_UNLESS, /* on unless 0 follows: then the engine gets the option that `arg` names */
};
enum { FOR_LAUNCHER = 1, FOR_ENGINE = 2, HIDDEN = 4, TESTING = 8 };

struct option {
    const char *name, *arg;
    enum option_kind kind;
    unsigned uses;
    void (*set)(struct launch *l, const char *value); /* launcher's own use */
    const char *help;
};

extern const struct option options[];
extern const u32 noptions;
/* By any of its names; NULL: there is none. */
const struct option *options_find(const char *name);

/* --- commands.c: linchpin NAME ... -------------------------------------------------------------------------------- */
struct command {
    const char *name, *args, *help;
    int (*run)(int argc, char **argv); /* the words after the name */
    bool hidden;
};
extern const struct command commands[];
extern const u32 ncommands;
const struct command *command_find(const char *name);
/* The name that was perhaps meant, NULL: none is near. */
const char *command_like(const char *word);

/* --- help.c ------------------------------------------------------------------------------------------------------- */
void help_print(const char *text);
void help_printf(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* A line of a list: what to type, and behind it in a column what it is, in as many lines as the terminal needs. */
void help_row(const char *left, u32 column, const char *text);
void help_title(const char *text);
void help_overview(void);
void help_testing(void);
void help_option(const struct option *o);
int help_main(int argc, char **argv);

struct topic {
    const char *name, *about, *text;
};
extern const struct topic topics[];
extern const u32 ntopics;

/* --- toollist.c: the bundled tools -------------------------------------------------------------------------------- */
int tools_main(int argc, char **argv);
/* Calls fn for each tool with what it tells, NULL: its list has no row for it. False: there is no list. */
bool tools_each(void (*fn)(const char *name, const char *about, void *arg), void *arg);
/* Ends with a message for a name that is no file and no bundled tool. */
void tools_unknown(const char *name) NORETURN;

/* --- manual.c ----------------------------------------------------------------------------------------------------- */
int manual_main(int argc, char **argv);
int completion_main(int argc, char **argv);

#endif
