/* SPDX-License-Identifier: Apache-2.0
 * Compares two results. Routines are the same when name and image are (by file name), so that two builds of a program
 * can be compared; lines when the file name without its folder and the number are. Metrics are matched by name, tables
 * by title. */
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

/* --- tables ------------------------------------------------------------------------------------------------------- */

/* A table in its file: where its parts are, and which columns are the key. */
struct table {
    struct span title, column, columns, rows;
    u32 keys; /* text columns at the front; 0: nothing to compare by */
};

static struct json json_of(const struct result *r, struct span s)
{
    return (struct json){r->text, s.at, s.at + s.bytes, NULL};
}

static struct span without_quotes(struct span s) { return s.bytes >= 2 ? (struct span){s.at + 1, s.bytes - 2} : s; }

/* Only numbers that can be subtracted: not shares, not addresses. */
static bool is_number(struct span kind)
{
    return span_is(kind, "\"count\"") || span_is(kind, "\"bytes\"") || span_is(kind, "\"ns\"");
}

static void find_columns(const struct result *r, struct table *t)
{
    struct json j = json_of(r, t->columns);
    struct span member;
    u32 texts = 0;
    json_enter(&j, '[');
    while (json_element(&j)) {
        struct span name = {"", 0}, kind = {"", 0};
        json_enter(&j, '{');
        while (json_member(&j, &member)) {
            struct span v = json_skip(&j);
            if (span_is(member, "name"))
                name = without_quotes(v);
            if (span_is(member, "kind"))
                kind = v;
        }
        if (span_is(kind, "\"text\"") && !t->column.bytes)
            texts++;
        else if (!t->column.bytes && !is_number(kind))
            return;
        else if (!t->column.bytes)
            t->column = name;
    }
    t->keys = t->column.bytes ? texts : 0;
}

/* The table at j. */
static struct table read_table(const struct result *r, struct json *j)
{
    struct table t = {.keys = 0};
    struct span member;
    json_enter(j, '{');
    while (json_member(j, &member)) {
        struct span v = json_skip(j);
        if (span_is(member, "title"))
            t.title = without_quotes(v);
        if (span_is(member, "columns"))
            t.columns = v;
        if (span_is(member, "rows"))
            t.rows = v;
    }
    if (t.columns.bytes && t.rows.bytes)
        find_columns(r, &t);
    return t;
}

static bool same_text(struct span a, struct span b) { return a.bytes == b.bytes && !memcmp(a.at, b.at, a.bytes); }

static bool find_table(const struct result *r, struct span title, struct table *found)
{
    struct json j = json_of(r, r->tables);
    if (!r->tables.bytes)
        return false;
    json_enter(&j, '[');
    while (json_element(&j)) {
        *found = read_table(r, &j);
        if (same_text(found->title, title))
            return true;
    }
    return false;
}

/* The key of a row: its first cells, with two spaces between them. j stands after them. */
static struct span read_key(struct json *j, u32 keys)
{
    struct span key = {"", 0};
    for (u32 i = 0; i < keys && json_element(j); i++) {
        struct span cell = json_text(j);
        if (!i) {
            key = cell;
            continue;
        }
        char *joined = result_alloc(NULL, key.bytes + cell.bytes + 2);
        memcpy(joined, key.at, key.bytes);
        memcpy(joined + key.bytes, "  ", 2);
        memcpy(joined + key.bytes + 2, cell.at, cell.bytes);
        key = (struct span){joined, key.bytes + cell.bytes + 2};
    }
    return key;
}

static void put_in_rows(struct comparison *c, struct counts *index, const struct result *r, const struct table *t,
                        bool second)
{
    struct json j = json_of(r, t->rows);
    json_enter(&j, '[');
    while (json_element(&j)) {
        json_enter(&j, '[');
        struct span key = read_key(&j, t->keys);
        struct compared *row = row_at(c, index, key, (struct span){"", 0}, 0);
        if (json_element(&j))
            (second ? row->b : row->a)[0] += (u64)json_number(&j);
        while (json_element(&j))
            json_skip(&j);
    }
}

static void weigh_rows(struct comparison *c)
{
    for (u32 i = 0; i < c->n; i++) {
        double d = (double)c->row[i].b[0] - (double)c->row[i].a[0];
        c->row[i].weight = d < 0 ? -d : d;
    }
    if (c->n)
        qsort(c->row, c->n, sizeof *c->row, by_weight);
}

u32 compare_tables(struct compared_table **tables, const struct result *a, const struct result *b)
{
    struct json j = json_of(a, a->tables);
    u32 n = 0;
    *tables = NULL;
    if (!a->tables.bytes)
        return 0;
    json_enter(&j, '[');
    while (json_element(&j)) {
        struct table of_a = read_table(a, &j), of_b;
        struct counts index = {.n = 0};
        if (!of_a.keys || !find_table(b, of_a.title, &of_b) || of_a.keys != of_b.keys ||
            !same_text(of_a.column, of_b.column))
            continue;
        *tables = result_alloc(*tables, (n + 1) * sizeof **tables);
        struct compared_table *t = &(*tables)[n++];
        *t = (struct compared_table){.title = of_a.title, .column = of_a.column, .rows = {.nmetrics = 1}};
        put_in_rows(&t->rows, &index, a, &of_a, false);
        put_in_rows(&t->rows, &index, b, &of_b, true);
        weigh_rows(&t->rows);
    }
    return n;
}
