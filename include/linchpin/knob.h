/* SPDX-License-Identifier: Apache-2.0
 * Knobs of C tools: PIN_KNOB_STRING(variable, "name", default, "purpose") and friends at file level define a variable that PIN_Init fills from the tool's part of the
 * command line; PIN_KnobSummary prints them. Header only. Not locked: read after PIN_Init. */
#ifndef LINCHPIN_KNOB_H
#define LINCHPIN_KNOB_H
#include "api_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum lp_knob_kind { LP_KNOB_STRING, LP_KNOB_BOOL, LP_KNOB_INT, LP_KNOB_UINT, LP_KNOB_FLOAT };
struct lp_knob {
    const char *name, *default_text, *purpose;
    enum lp_knob_kind kind;
    void *value;
    bool given;
    struct lp_knob *next;
};
/* One list in each tool, also when it has several source files. */
__attribute__((weak, visibility("hidden"))) struct lp_knob *lp_knobs;

#define LP_KNOB_DEFINE(type, var, knob_kind, knob_name, default_value, knob_purpose)                                                 \
    static type var = default_value;                                                                                                 \
    __attribute__((constructor)) static void lp_knob_add_##var(void)                                                                 \
    {                                                                                                                                \
        static struct lp_knob knob = {knob_name, #default_value, knob_purpose, knob_kind, &var, false, NULL};                        \
        struct lp_knob **at = &lp_knobs;                                                                                             \
        while (*at && strcmp((*at)->name, knob.name) < 0)                                                                            \
            at = &(*at)->next;                                                                                                       \
        knob.next = *at;                                                                                                             \
        *at = &knob;                                                                                                                 \
    }
#define PIN_KNOB_STRING(var, name, def, purpose) LP_KNOB_DEFINE(const char *, var, LP_KNOB_STRING, name, def, purpose)
#define PIN_KNOB_BOOL(var, name, def, purpose) LP_KNOB_DEFINE(BOOL, var, LP_KNOB_BOOL, name, def, purpose)
#define PIN_KNOB_INT(var, name, def, purpose) LP_KNOB_DEFINE(INT64, var, LP_KNOB_INT, name, def, purpose)
#define PIN_KNOB_UINT(var, name, def, purpose) LP_KNOB_DEFINE(UINT64, var, LP_KNOB_UINT, name, def, purpose)
#define PIN_KNOB_FLOAT(var, name, def, purpose) LP_KNOB_DEFINE(FLT64, var, LP_KNOB_FLOAT, name, def, purpose)

/* An option was wrong, and the engine will say so when main has come back. */
__attribute__((weak, visibility("hidden"))) bool lp_knobs_mistaken;

static inline void PIN_KnobSummary(FILE *out)
{
    if (lp_knobs_mistaken) /* the mistake is told last, and alone */
        return;
    for (const struct lp_knob *k = lp_knobs; k; k = k->next)
        fprintf(out, "-%s  [default %s]\n\t%s\n", k->name, k->default_text, k->purpose);
}

static inline bool lp_knob_set(struct lp_knob *k, const char *text)
{
    char *end = NULL;
    errno = 0;
    switch (k->kind) {
    case LP_KNOB_STRING: *(const char **)k->value = text; return true;
    case LP_KNOB_BOOL: *(BOOL *)k->value = *text == '1'; return strcmp(text, "0") == 0 || strcmp(text, "1") == 0;
    case LP_KNOB_INT: *(INT64 *)k->value = strtoll(text, &end, 0); break;
    case LP_KNOB_UINT: *(UINT64 *)k->value = strtoull(text, &end, 0); break;
    case LP_KNOB_FLOAT: *(FLT64 *)k->value = strtod(text, &end); break;
    }
    return end != text && !*end && !errno;
}

/* The engine tells it after all that the tool prints. A tool that runs by itself, without the engine, tells it at once. */
static inline bool lp_knob_mistake(const char *option, const char *what, const char *near)
{
    char text[512];
    snprintf(text, sizeof text, "option %s: %s%s%s%s", option, what, near ? ": did you mean -" : "", near ? near : "", near ? "?" : "");
    lp_knobs_mistaken = lp_option_mistake != NULL;
    if (lp_option_mistake)
        lp_option_mistake(text);
    else
        fprintf(stderr, "E: tool: %s\n", text);
    return false;
}

static inline bool lp_knob_unknown(const char *word)
{
    const char *name[256], *near = NULL;
    UINT32 n = 0;
    for (const struct lp_knob *k = lp_knobs; k && n < 256; k = k->next)
        name[n++] = k->name;
    if (lp_option_near && word[0] == '-')
        near = lp_option_near(word + 1, name, n);
    return lp_knob_mistake(word, "unknown", near);
}

/* In names - and _ are one. */
static inline bool lp_knob_named(const char *name, const char *word)
{
    for (; *name && (*name == *word || ((*name == '-' || *name == '_') && (*word == '-' || *word == '_'))); name++)
        word++;
    return !*name && !*word;
}

/* The option at *i; false: a mistake, told to the user. */
static inline bool lp_knob_take(int argc, char **argv, int *i)
{
    char *word = argv[*i];
    struct lp_knob *k = word[0] == '-' ? lp_knobs : NULL;
    while (k && !lp_knob_named(k->name, word + 1))
        k = k->next;
    if (!k && lp_option_ignored) {
        UINT32 ignored = lp_option_ignored(word);
        if (*i + 1 < argc && (ignored == 2 || (ignored && (strcmp(argv[*i + 1], "0") == 0 || strcmp(argv[*i + 1], "1") == 0))))
            ++*i;
        if (ignored)
            return true;
    }
    if (!k)
        return lp_knob_unknown(word);
    if (k->given)
        return lp_knob_mistake(word, "given twice", NULL);
    k->given = true;
    const char *next = *i + 1 < argc ? argv[*i + 1] : NULL;
    if (k->kind == LP_KNOB_BOOL && !(next && (strcmp(next, "0") == 0 || strcmp(next, "1") == 0)))
        return lp_knob_set(k, "1");
    if (!next)
        return lp_knob_mistake(word, "needs a value", NULL);
    ++*i;
    return lp_knob_set(k, next) || lp_knob_mistake(word, "not a number", NULL);
}

/* The words between `-t TOOL` and `--`, then the engine's PIN_Init. */
static inline BOOL lp_knob_init(INT32 argc, CHAR **argv)
{
    int end = 1, i;
    bool right = true;
    while (end < argc && strcmp(argv[end], "--") != 0)
        end++;
    for (i = 1; i < end && strcmp(argv[i], "-t") != 0; i++)
        ;
    for (i = i < end ? i + 2 : 1; i < end && right; i++) {
        bool help = strcmp(argv[i], "-help") == 0 || strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0;
        if (help && lp_option_mistake)
            lp_option_mistake(NULL);
        right = !help && lp_knob_take(end, argv, &i);
    }
    return PIN_Init(argc, argv) || !right;
}
#define PIN_Init(argc, argv) lp_knob_init(argc, argv)

#endif
