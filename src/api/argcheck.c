/* SPDX-License-Identifier: Apache-2.0
 * Mistakes in the list of an analysis call that the list itself does not show: a routine that takes more or fewer
 * arguments than it is given, and an IARG at the end whose value is missing. Under jit_lock, from insert.c. */
#include "api/insert.h"
#include "api/toolsource.h"
#include "api/usage.h"

#include "linchpin/iarg.h"

#define SAID 64

/* Too many do no harm: the routine does not see them. So they are told once for each place, and the run goes on. The
 * command pin goes on where they are too few, too: some tools count on Pin's not looking, and do not use the rest. */
static void tell(const struct call *c, u32 given, const struct toolsource_count *k)
{
    static struct {
        const char *file;
        int line;
    } said[SAID];
    static u32 nsaid;
    for (u32 i = 0; i < nsaid; i++)
        if (said[i].file == c->file && said[i].line == c->line)
            return;
    if (nsaid == SAID)
        return;
    said[nsaid].file = c->file;
    said[nsaid++].line = c->line;
    msg("%s: %u arguments are given, but %s takes %d (called at %s:%d)", c->name, given, k->name, k->count[0],
        c->file ? c->file : "?", c->line);
}

static void check_count(const struct call *c, u32 given)
{
    const struct toolsource_count *k = toolsource_parameters(c->fn);
    int most = 0;
    if (k->any || !k->n)
        return;
    for (u32 i = 0; i < k->n; i++) {
        if (k->count[i] == (int)given)
            return;
        most = k->count[i] > most ? k->count[i] : most;
    }
    if (most > (int)given && !pin_log)
        api_misuse(c->name, c->file, c->line, "%u arguments are given, but %s takes %d", given, k->name, most);
    tell(c, given, k);
}

/* IARG_END begins with IARG_FILE_NAME and __FILE__, which is a text of the tool's. */
static void check_value(const char *name, const char *iarg, u64 value, va_list ap)
{
    va_list next;
    if (value != IARG_FILE_NAME)
        return;
    va_copy(next, ap);
    const char *file = va_arg(next, const char *);
    int line_no = va_arg(next, int), line = va_arg(next, int);
    va_end(next);
    if (toolsource_has(file) && line_no == IARG_LINE_NO)
        api_misuse(name, file, line, "%s has no value: IARG_END follows", iarg);
}

void argcheck_init(void)
{
    insert_check.count = check_count;
    insert_check.value = check_value;
}
