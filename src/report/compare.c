/* SPDX-License-Identifier: Apache-2.0
 * Compares two results. Routines are the same when name and image are (by file name), so that two builds of a program
 * can be compared; lines when the file name without its folder and the number are. Metrics are matched by name. */
#include "report/compare.h"

#include <stdlib.h>
#include <string.h>

struct span compare_metric(const struct result *r, u32 i)
{
    struct json j = {r->text, r->metrics.at, r->metrics.at + r->metrics.bytes, NULL};
    struct span name, found = {"", 0};
    json_enter(&j, '[');
    for (u32 k = 0; json_element(&j); k++) {
        json_enter(&j, '{');
        while (json_member(&j, &name)) {
            struct span v = json_skip(&j);
            if (k == i && span_is(name, "name") && v.bytes >= 2)
                found = (struct span){v.at + 1, v.bytes - 2};
        }
    }
    return found;
}

static void match_metrics(struct comparison *c, const struct result *a, const struct result *b)
{
    c->nmetrics = 0;
    for (u32 i = 0; i < a->nmetrics; i++)
        for (u32 k = 0; k < b->nmetrics; k++) {
            struct span x = compare_metric(a, i), y = compare_metric(b, k);
            if (x.bytes != y.bytes || memcmp(x.at, y.at, x.bytes) != 0)
                continue;
            c->of_a[c->nmetrics] = i;
            c->of_b[c->nmetrics++] = k;
            break;
        }
    if (!c->nmetrics)
        die(1, "%s and %s have no metric in common", a->path, b->path);
}

static struct span base_name(struct span path)
{
    const char *slash = memrchr(path.at, '/', path.bytes);
    return slash ? (struct span){slash + 1, path.bytes - (size_t)(slash + 1 - path.at)} : path;
}

/* The program itself is the same in both, whatever its file is called. */
static struct span image_name(const struct result *r, struct span path)
{
    bool program = r->program.bytes == path.bytes + 2 && memcmp(r->program.at + 1, path.at, path.bytes) == 0;
    return program ? (struct span){"the program", 11} : base_name(path);
}

static u64 hash_of(struct span s)
{
    u64 h = 0xcbf29ce484222325ul;
    for (size_t i = 0; i < s.bytes; i++)
        h = (h ^ (u8)s.at[i]) * 0x100000001b3ul;
    return h;
}

/* Values of the row of this name, which is made if it is not there. Two names with the same hash of 128 bits do not
 * happen. */
static struct compared *row_at(struct comparison *c, struct counts *index, struct span name, struct span place,
                               u32 line)
{
    u64 *known = counts_at(index, hash_of(name) + line * 0x9e3779b97f4a7c15ul, hash_of(place) ^ name.bytes, 1);
    if (*known)
        return &c->row[*known - 1];
    if (!(c->n & (c->n - 1)))
        c->row = result_alloc(c->row, (c->n ? c->n * 2ul : 1) * sizeof *c->row);
    struct compared *row = &c->row[c->n];
    *row = (struct compared){.name = name, .place = place, .line = line};
    row->a = calloc(2ul * c->nmetrics, sizeof *row->a);
    if (!row->a)
        die(1, "no memory for the comparison");
    row->b = row->a + c->nmetrics;
    *known = ++c->n;
    return row;
}

static void put_in(struct comparison *c, struct counts *index, const struct result *r, bool lines, bool second)
{
    const struct counts *from = lines ? &r->by_line : &r->by_routine;
    for (u32 i = 0; i < from->n; i++) {
        u64 k = from->key[i][0];
        struct span name = {"", 0}, place = {"", 0};
        if (lines && k < r->nfiles)
            name = base_name(r->file[k]);
        if (!lines && k < r->nroutines)
            name = r->routine[k].name;
        if (!lines && k < r->nroutines && r->routine[k].image < r->nimages)
            place = image_name(r, r->image[r->routine[k].image]);
        struct compared *row = row_at(c, index, name, place, lines ? (u32)from->key[i][1] : 0);
        for (u32 m = 0; m < c->nmetrics; m++)
            (second ? row->b : row->a)[m] +=
                from->values[(size_t)i * r->nmetrics + (second ? c->of_b : c->of_a)[m]];
    }
}

static int by_weight(const void *a, const void *b)
{
    const struct compared *x = a, *y = b;
    return x->weight < y->weight ? 1 : x->weight > y->weight ? -1 : x->name.at < y->name.at ? -1 : 1;
}

static void weigh(struct comparison *c, const struct result *a)
{
    for (u32 i = 0; i < c->n; i++) {
        struct compared *row = &c->row[i];
        for (u32 m = 0; m < c->nmetrics; m++) {
            double total = (double)a->totals[c->of_a[m]], d = (double)row->b[m] - (double)row->a[m];
            double w = (d < 0 ? -d : d) / (total > 0 ? total : 1);
            row->weight = w > row->weight ? w : row->weight;
        }
    }
    if (c->n)
        qsort(c->row, c->n, sizeof *c->row, by_weight);
}

static void compare(struct comparison *c, const struct result *a, const struct result *b, bool lines)
{
    struct counts index = {.n = 0};
    *c = (struct comparison){.n = 0};
    match_metrics(c, a, b);
    put_in(c, &index, a, lines, false);
    put_in(c, &index, b, lines, true);
    weigh(c, a);
}

void compare_routines(struct comparison *c, const struct result *a, const struct result *b) { compare(c, a, b, false); }
void compare_lines(struct comparison *c, const struct result *a, const struct result *b) { compare(c, a, b, true); }
