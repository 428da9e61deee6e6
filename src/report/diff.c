/* SPDX-License-Identifier: Apache-2.0
 * linchpin diff: what differs between two results, as text: the totals, then the routines (or with -by line the lines)
 * that differ most, then the rows of tables. */
#include "report/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_TOP 20u

struct wishes {
    const char *file[2];
    u32 n, top;
    bool lines;
};

static void read_words(struct wishes *w, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "-top") == 0 && more)
            w->top = (u32)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "-by") == 0 && more &&
                 (!strcmp(argv[i + 1], "line") || !strcmp(argv[i + 1], "routine")))
            w->lines = strcmp(argv[++i], "line") == 0;
        else if (argv[i][0] == '-')
            die(1, "diff: unknown option %s (linchpin diff A.json B.json [-by routine|line] [-top N])", argv[i]);
        else if (w->n < 2)
            w->file[w->n++] = argv[i];
        else
            die(1, "diff: two results are compared, not more");
    }
    if (w->n != 2)
        die(1, "diff: linchpin diff A.json B.json [-by routine|line] [-top N]");
}

static const char *change(u64 a, u64 b, char out[32])
{
    if (a == b)
        return "";
    if (!a)
        return "new";
    if (!b)
        return "gone";
    snprintf(out, 32, "%+.1f%%", ((double)b - (double)a) * 100 / (double)a);
    return out;
}

static void print_row(const char *name, u64 a, u64 b)
{
    char percent[32];
    printf("%16lu %16lu %+16ld %8s  %s\n", a, b, (s64)(b - a), change(a, b, percent), name);
}

static void print_totals(const struct comparison *c, const struct result *r)
{
    for (u32 i = 0; i < c->nmetrics; i++) {
        char name[128];
        struct span s = compare_metric(&r[0], c->of_a[i]);
        snprintf(name, sizeof name, "%.*s", (int)s.bytes, s.at);
        print_row(name, r[0].totals[c->of_a[i]], r[1].totals[c->of_b[i]]);
    }
}

/* By the first metric that both have. */
static int by_difference(const void *a, const void *b)
{
    const struct compared *x = a, *y = b;
    s64 dx = (s64)(x->b[0] - x->a[0]), dy = (s64)(y->b[0] - y->a[0]);
    u64 ux = dx < 0 ? -(u64)dx : (u64)dx, uy = dy < 0 ? -(u64)dy : (u64)dy;
    return ux < uy ? 1 : ux > uy ? -1 : 0;
}

static void row_name(const struct compared *row, char *name, size_t bytes)
{
    if (row->line)
        snprintf(name, bytes, "%.*s:%u", (int)row->name.bytes, row->name.at, row->line);
    else
        snprintf(name, bytes, "%.*s%s%.*s", (int)row->name.bytes, row->name.at, row->place.bytes ? "  " : "",
                 (int)row->place.bytes, row->place.at);
}

/* what: "routines", for example. */
static void print_rows(struct comparison *c, u32 top, const char *what)
{
    if (c->n)
        qsort(c->row, c->n, sizeof *c->row, by_difference);
    u32 shown = 0, same = 0;
    for (u32 i = 0; i < c->n; i++) {
        const struct compared *row = &c->row[i];
        char name[512];
        if (row->a[0] == row->b[0])
            same++;
        if (row->a[0] == row->b[0] || (top && shown == top))
            continue;
        row_name(row, name, sizeof name);
        print_row(name, row->a[0], row->b[0]);
        shown++;
    }
    printf("\n%u of %u %s differ%s; %u are the same\n", c->n - same, c->n, what,
           shown < c->n - same ? " (-top 0 shows all)" : "", same);
}

static void print_tables(const struct result *r, u32 top)
{
    struct compared_table *tables;
    u32 n = compare_tables(&tables, &r[0], &r[1]);
    for (u32 i = 0; i < n; i++) {
        printf("\n%.*s: %.*s\n", (int)tables[i].title.bytes, tables[i].title.at, (int)tables[i].column.bytes,
               tables[i].column.at);
        print_rows(&tables[i].rows, top, "rows");
    }
}

int diff_main(int argc, char **argv)
{
    static struct result r[2];
    struct wishes w = {.top = DEFAULT_TOP};
    struct comparison c = {0};
    read_words(&w, argc, argv);
    for (u32 i = 0; i < 2; i++)
        result_read(&r[i], w.file[i]);
    (w.lines ? compare_lines : compare_routines)(&c, &r[0], &r[1]);
    printf("%16s %16s %16s %8s\n", "a", "b", "difference", "");
    print_totals(&c, r);
    struct span first = compare_metric(&r[0], c.of_a[0]);
    if (c.n) {
        printf("\n%.*s by %s\n", (int)first.bytes, first.at, w.lines ? "line" : "routine");
        print_rows(&c, w.top, w.lines ? "lines" : "routines");
    }
    print_tables(r, w.top);
    fflush(stdout);
    return 0;
}
