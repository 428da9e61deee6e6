/* SPDX-License-Identifier: Apache-2.0
 * linchpin report: writes one page of HTML with the results inside, which needs no network and no other file. What the
 * page shows is picked here, so that it stays small whatever the size of the results: the routines, lines, instructions
 * and call paths that matter for any of the metrics, the timeline in at most some thousand steps. The page says what
 * was left out. Text is taken from the files as it is there: it is JSON already. */
#include "report/compare.h"
#include "report/result.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* share/report, as the linker has put it in (assets.S). */
extern const char page_html[], page_html_end[], page_css[], page_css_end[], page_js[], page_js_end[];

enum { MAX_ROUTINES = 3000, MAX_LINES = 20000, MAX_INSTRUCTIONS = 20000, MAX_NODES = 15000, MAX_CALLS = 5000,
       MAX_TABLE_ROWS = 5000, MAX_FINDINGS = 1000, MAX_STEPS = 2000, MAX_SOURCES = 60, MAX_COMPARED = 3000,
       MAX_RESULTS = 16 };
#define SOURCE_BYTES (4ul << 20)

static FILE *out;

/* --- writing ------------------------------------------------------------------------------------------------------ */

/* JSON that may stand in a script element. */
static void put_raw(struct span s)
{
    const char *at = s.at, *end = s.at + s.bytes;
    while (at < end) {
        const char *less = memchr(at, '<', (size_t)(end - at));
        fwrite(at, 1, (size_t)((less ? less : end) - at), out);
        if (!less)
            return;
        fputs("\\u003c", out);
        at = less + 1;
    }
}

static void put_text(struct span s)
{
    putc('"', out);
    put_raw(s);
    putc('"', out);
}

static void put_plain_text(const char *s, size_t bytes)
{
    putc('"', out);
    for (size_t i = 0; i < bytes; i++) {
        u8 c = (u8)s[i];
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20 || c == '<')
            fprintf(out, "\\u%04x", c);
        else
            putc(c, out);
    }
    putc('"', out);
}

static void put_member(const char *name, struct span value)
{
    if (!value.bytes)
        return;
    fprintf(out, "\"%s\":", name);
    put_raw(value);
    putc(',', out);
}

static void put_values(const u64 *v, u32 n)
{
    for (u32 i = 0; i < n; i++)
        fprintf(out, ",%lu", v[i]);
}

static s64 index_or_none(u32 i) { return i == NONE ? -1 : (s64)i; }

/* --- what matters ------------------------------------------------------------------------------------------------- */

struct ranked {
    double share;
    u32 index;
};

static int by_share(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->share < y->share ? 1 : x->share > y->share ? -1 : x->index < y->index ? -1 : 1;
}

/* The largest part that it has of any metric's total. */
static double share(const struct result *r, const u64 *v)
{
    double most = 0;
    for (u32 i = 0; i < r->nmetrics; i++) {
        double s = r->totals[i] ? (double)v[i] / (double)r->totals[i] : v[i] ? 1 : 0;
        most = s > most ? s : most;
    }
    return most;
}

/* The indexes of n rows of values, the most important first. */
static struct ranked *rank(const struct result *r, const u64 *values, u32 n)
{
    struct ranked *list = result_alloc(NULL, n * sizeof *list);
    for (u32 i = 0; i < n; i++)
        list[i] = (struct ranked){share(r, values + (size_t)i * r->nmetrics), i};
    qsort(list, n, sizeof *list, by_share);
    return list;
}

/* Only those of the routines are written that something refers to, under new numbers. */
static u32 *new_number, nwritten;

static void want_routine(const struct result *r, u32 routine)
{
    if (routine < r->nroutines && new_number[routine] == NONE)
        new_number[routine] = nwritten++;
}

static s64 routine_number(const struct result *r, u32 routine)
{
    return routine < r->nroutines ? index_or_none(new_number[routine]) : -1;
}

/* --- one result --------------------------------------------------------------------------------------------------- */

static void put_routines(const struct result *r)
{
    static const u64 none[MAX_METRICS];
    u32 *order = result_alloc(NULL, nwritten * sizeof *order);
    for (u32 i = 0; i < r->nroutines; i++)
        if (new_number[i] != NONE)
            order[new_number[i]] = i;
    fputs("\"routines\":[", out);
    for (u32 i = 0; i < nwritten; i++) {
        const struct routine *f = &r->routine[order[i]];
        const u64 *v = counts_find(&r->by_routine, order[i], 0, r->nmetrics);
        fputs(i ? ",\n[" : "[", out);
        put_text(f->name);
        fprintf(out, ",%ld,%ld,%u,%lu", index_or_none(f->image), index_or_none(f->file), f->line, f->address);
        put_values(v ? v : none, r->nmetrics);
        putc(']', out);
    }
    fputs("],", out);
    free(order);
}

static void put_counts(const struct result *r, const char *name, const struct counts *c, u32 keys, u32 most)
{
    struct ranked *list = rank(r, c->values, c->n);
    fprintf(out, "\"%s\":[", name);
    for (u32 i = 0; i < c->n && i < most; i++) {
        u32 k = list[i].index;
        fprintf(out, keys == 2 ? "%s[%ld,%ld" : "%s[%ld", i ? ",\n" : "",
                c->key[k][0] == NONE ? -1 : (s64)c->key[k][0], (s64)c->key[k][1]);
        put_values(c->values + (size_t)k * r->nmetrics, r->nmetrics);
        putc(']', out);
    }
    fputs("],", out);
    free(list);
}

static void put_instructions(const struct result *r, const struct ranked *list, u32 n)
{
    fputs("\"instructions\":[", out);
    for (u32 i = 0; i < n; i++) {
        u32 k = list[i].index;
        const u64 *text = counts_find(&r->texts, r->by_instruction.key[k][0], 0, 2);
        fprintf(out, "%s[%lu,%ld,%ld,%u,", i ? ",\n" : "", r->by_instruction.key[k][0],
                routine_number(r, r->place[k][0]), index_or_none(r->place[k][1]), r->place[k][2]);
        put_text(text ? (struct span){(const char *)text[0], text[1]} : (struct span){"", 0});
        put_values(r->by_instruction.values + (size_t)k * r->nmetrics, r->nmetrics);
        putc(']', out);
    }
    fputs("],", out);
}

/* Values of each node with all below it. A child has a higher number than its parent. */
static u64 *inclusive(const struct result *r)
{
    size_t bytes = (size_t)r->nnodes * r->nmetrics * sizeof(u64);
    u64 *all = result_alloc(NULL, bytes);
    memcpy(all, r->node_values, bytes);
    for (u32 i = r->nnodes; i-- > 1;)
        for (u32 m = 0; m < r->nmetrics; m++)
            all[(size_t)r->node[i].parent * r->nmetrics + m] += all[(size_t)i * r->nmetrics + m];
    return all;
}

/* The share below which nodes are left out, so that at most MAX_NODES stay. */
static double least_share(const struct result *r, const u64 *all)
{
    struct ranked *list = rank(r, all, r->nnodes);
    double least = r->nnodes > MAX_NODES ? list[MAX_NODES].share : 0;
    free(list);
    return least;
}

/* New numbers of the nodes that stay; a node's parent stays when it does. */
static u32 *pick_nodes(const struct result *r, const u64 *all)
{
    u32 *number = result_alloc(NULL, r->nnodes * sizeof *number), n = 0;
    double least = least_share(r, all);
    for (u32 i = 0; i < r->nnodes; i++) {
        bool stays = !i || (number[r->node[i].parent] != NONE && share(r, all + (size_t)i * r->nmetrics) > least);
        stays |= i && number[r->node[i].parent] != NONE && !least;
        number[i] = stays ? n++ : NONE;
        if (stays && i)
            want_routine(r, r->frame[r->node[i].frame].routine);
    }
    return number;
}

static void put_tree(const struct result *r, const u32 *number, const u64 *all)
{
    fputs("\"tree\":[", out);
    for (u32 i = 0; i < r->nnodes; i++) {
        static const struct frame root = {NONE, NONE, NONE, 0, 0};
        const struct frame *f = i ? &r->frame[r->node[i].frame] : &root;
        if (number[i] == NONE)
            continue;
        fprintf(out, "%s[%ld,%ld,%ld,%u,%lu", i ? ",\n" : "", i ? (s64)number[r->node[i].parent] : -1,
                routine_number(r, f->routine), index_or_none(f->file), f->line, f->address);
        put_values(r->node_values + (size_t)i * r->nmetrics, r->nmetrics);
        put_values(all + (size_t)i * r->nmetrics, r->nmetrics);
        putc(']', out);
    }
    fputs("],", out);
}

static void put_calls(const struct result *r, const struct ranked *list, u32 n)
{
    fputs("\"calls\":[", out);
    for (u32 i = 0; i < n; i++) {
        const struct call_edge *c = &r->call[list[i].index];
        fprintf(out, "%s[%ld,%ld,%ld,%u,%lu", i ? ",\n" : "", routine_number(r, c->from), routine_number(r, c->to),
                index_or_none(c->file), c->line, c->count);
        put_values(r->call_values + (size_t)list[i].index * r->nmetrics, r->nmetrics);
        putc(']', out);
    }
    fputs("],", out);
}

/* --- timelines, tables, findings ---------------------------------------------------------------------------------- */

/* Steps are put together: what is counted is added up, of a level the last one stays. */
static void put_series_values(struct json *j, u32 merge, bool level)
{
    u64 sum = 0;
    u32 i = 0;
    const char *between = "";
    putc('[', out);
    json_enter(j, '[');
    while (json_element(j)) {
        u64 v = (u64)json_number(j);
        sum = level ? v : sum + v;
        if (++i % merge)
            continue;
        fprintf(out, "%s%lu", between, sum);
        between = ",";
        sum = 0;
    }
    if (i % merge)
        fprintf(out, "%s%lu", between, sum);
    putc(']', out);
}

static u32 longest_series(struct json j)
{
    struct span name;
    u32 longest = 0;
    json_enter(&j, '[');
    while (json_element(&j)) {
        json_enter(&j, '{');
        while (json_member(&j, &name)) {
            u32 n = 0;
            if (!span_is(name, "values")) {
                json_skip(&j);
                continue;
            }
            for (json_enter(&j, '['); json_element(&j); n++)
                json_skip(&j);
            longest = n > longest ? n : longest;
        }
    }
    return longest;
}

static void put_series(struct json *j, u32 merge)
{
    struct span name, values = {"", 0};
    bool level = false;
    json_enter(j, '{');
    putc('{', out);
    while (json_member(j, &name)) {
        struct span v = json_skip(j);
        level |= span_is(name, "kind") && span_is(v, "\"level\"");
        if (span_is(name, "values"))
            values = v;
        else {
            put_text(name);
            putc(':', out);
            put_raw(v);
            putc(',', out);
        }
    }
    struct json at = {values.at, values.at, values.at + values.bytes, NULL};
    fputs("\"values\":", out);
    put_series_values(&at, merge, level);
    putc('}', out);
}

static void put_timeline(const struct result *r)
{
    struct json j = {r->text, r->timeline.at, r->timeline.at + r->timeline.bytes, NULL};
    struct span name, series = {"[]", 2}, unit = {"\"\"", 2}, step = {"1", 1};
    if (!r->timeline.bytes)
        return;
    json_enter(&j, '{');
    while (json_member(&j, &name)) {
        struct span v = json_skip(&j);
        struct span *to = span_is(name, "series") ? &series : span_is(name, "unit") ? &unit : &step;
        if (span_is(name, "series") || span_is(name, "unit") || span_is(name, "step"))
            *to = v;
    }
    struct json at = {r->text, series.at, series.at + series.bytes, NULL}, number = {r->text, step.at,
        step.at + step.bytes, NULL};
    u32 merge = (longest_series(at) + MAX_STEPS - 1) / MAX_STEPS;
    merge = merge ? merge : 1;
    fputs("\"timeline\":{\"unit\":", out);
    put_raw(unit);
    fprintf(out, ",\"step\":%lu,\"series\":[", (u64)json_number(&number) * merge);
    json_enter(&at, '[');
    for (u32 i = 0; json_element(&at); i++) {
        if (i)
            putc(',', out);
        put_series(&at, merge);
    }
    fputs("]},", out);
}

/* An array of which at most so many elements are written; how many there are. */
static u32 put_first(struct json *j, u32 most)
{
    u32 n = 0;
    putc('[', out);
    json_enter(j, '[');
    for (; json_element(j); n++) {
        struct span v = json_skip(j);
        if (n >= most)
            continue;
        if (n)
            putc(',', out);
        put_raw(v);
    }
    putc(']', out);
    return n;
}

static void put_tables(const struct result *r)
{
    struct json j = {r->text, r->tables.at, r->tables.at + r->tables.bytes, NULL};
    struct span name;
    if (!r->tables.bytes)
        return;
    fputs("\"tables\":[", out);
    json_enter(&j, '[');
    for (u32 i = 0; json_element(&j); i++) {
        u32 rows = 0;
        fputs(i ? ",{" : "{", out);
        json_enter(&j, '{');
        while (json_member(&j, &name)) {
            put_text(name);
            putc(':', out);
            if (span_is(name, "rows"))
                rows = put_first(&j, MAX_TABLE_ROWS);
            else
                put_raw(json_skip(&j));
            putc(',', out);
        }
        fprintf(out, "\"all\":%u}", rows);
    }
    fputs("],", out);
}

static void put_findings(const struct result *r)
{
    struct json j = {r->text, r->findings.at, r->findings.at + r->findings.bytes, NULL};
    if (!r->findings.bytes)
        return;
    fputs("\"findings\":", out);
    u32 n = put_first(&j, MAX_FINDINGS);
    fprintf(out, ",\"allfindings\":%u,\"frames\":[", n);
    for (u32 i = 0; i < r->nframes; i++) {
        const struct frame *f = &r->frame[i];
        fprintf(out, "%s[%ld,%ld,%u,%lu]", i ? "," : "", routine_number(r, f->routine), index_or_none(f->file), f->line,
                f->address);
    }
    fputs("],", out);
}

/* --- the page ----------------------------------------------------------------------------------------------------- */

static void put_texts(const char *name, const struct span *list, u32 n)
{
    fprintf(out, "\"%s\":[", name);
    for (u32 i = 0; i < n; i++) {
        if (i)
            putc(',', out);
        put_text(list[i]);
    }
    fputs("],", out);
}

static void put_result(const struct result *r)
{
    u64 *all = r->nnodes ? inclusive(r) : NULL;
    struct ranked *routines = rank(r, r->by_routine.values, r->by_routine.n),
                  *insns = rank(r, r->by_instruction.values, r->by_instruction.n),
                  *calls = rank(r, r->call_values, r->ncalls);
    u32 ninsns = r->by_instruction.n < MAX_INSTRUCTIONS ? r->by_instruction.n : MAX_INSTRUCTIONS,
        ncalls = r->ncalls < MAX_CALLS ? r->ncalls : MAX_CALLS;
    new_number = result_alloc(NULL, r->nroutines * sizeof *new_number);
    memset(new_number, 0xff, r->nroutines * sizeof *new_number);
    nwritten = 0;
    for (u32 i = 0; i < r->by_routine.n && i < MAX_ROUTINES; i++)
        want_routine(r, (u32)r->by_routine.key[routines[i].index][0]);
    u32 *nodes = r->nnodes ? pick_nodes(r, all) : NULL;
    for (u32 i = 0; i < ninsns; i++)
        want_routine(r, r->place[insns[i].index][0]);
    for (u32 i = 0; i < ncalls; i++) {
        want_routine(r, r->call[calls[i].index].from);
        want_routine(r, r->call[calls[i].index].to);
    }
    for (u32 i = 0; r->findings.bytes && i < r->nframes; i++)
        want_routine(r, r->frame[i].routine);
    fputs("{\"path\":", out);
    put_plain_text(r->path, strlen(r->path));
    fputs(",\"tool\":", out);
    put_text(r->tool);
    fprintf(out, ",\"pid\":%ld,\"status\":%ld,\"rows\":%lu,\"cut\":%s,\"end\":", r->pid, r->status, r->rows,
            r->cut ? "true" : "false");
    put_text(r->end);
    fprintf(out, ",\"dropped\":[%u,%u,%u,%u],",
            r->by_routine.n > MAX_ROUTINES ? r->by_routine.n - MAX_ROUTINES : 0,
            r->by_line.n > MAX_LINES ? r->by_line.n - MAX_LINES : 0,
            r->by_instruction.n - ninsns, r->nnodes > MAX_NODES ? r->nnodes - MAX_NODES : 0);
    put_member("program", r->program);
    put_member("argv", r->argv);
    put_member("options", r->options);
    put_member("executed", r->executed);
    put_member("notes", r->notes);
    put_member("metrics", r->metrics);
    put_texts("images", r->image, r->nimages);
    put_texts("files", r->file, r->nfiles);
    put_routines(r);
    put_counts(r, "lines", &r->by_line, 2, MAX_LINES);
    put_counts(r, "threads", &r->by_thread, 1, MAX_ROUTINES);
    put_counts(r, "byimage", &r->by_image, 1, MAX_ROUTINES);
    put_instructions(r, insns, ninsns);
    if (nodes)
        put_tree(r, nodes, all);
    put_calls(r, calls, ncalls);
    put_timeline(r);
    put_tables(r);
    put_findings(r);
    fputs("\"totals\":[", out);
    for (u32 i = 0; i < r->nmetrics; i++)
        fprintf(out, "%s%lu", i ? "," : "", r->totals[i]);
    fputs("]}", out);
    free(all), free(routines), free(insns), free(calls), free(nodes), free(new_number);
}

/* --- sources ------------------------------------------------------------------------------------------------------ */

static bool put_source(struct span path, const char *between, size_t *left)
{
    static char name[4096], *text;
    if (!path.bytes || !span_decode(path, name, sizeof name))
        return false;
    FILE *f = fopen(name, "re");
    if (!f)
        return false;
    text = text ? text : result_alloc(NULL, SOURCE_BYTES);
    size_t n = fread(text, 1, SOURCE_BYTES, f);
    fclose(f);
    if (n == SOURCE_BYTES || n > *left || memchr(text, 0, n))
        return false;
    *left -= n;
    fputs(between, out);
    put_text(path);
    putc(':', out);
    put_plain_text(text, n);
    return true;
}

/* Of the files in which most was counted, as far as they are on this machine. */
static void put_sources(const struct result *r, u32 n)
{
    size_t left = SOURCE_BYTES;
    u32 written = 0;
    fputs("\"sources\":{", out);
    for (u32 k = 0; k < n; k++) {
        struct counts files = {.n = 0};
        for (u32 i = 0; i < r[k].by_line.n; i++) {
            u64 *to = counts_at(&files, r[k].by_line.key[i][0], 0, r[k].nmetrics);
            for (u32 m = 0; m < r[k].nmetrics; m++)
                to[m] += r[k].by_line.values[(size_t)i * r[k].nmetrics + m];
        }
        struct ranked *list = rank(&r[k], files.values, files.n);
        for (u32 i = 0; i < files.n && written < MAX_SOURCES; i++) {
            u64 file = files.key[list[i].index][0];
            if (file < r[k].nfiles)
                written += put_source(r[k].file[file], written ? "," : "", &left);
        }
    }
    fputs("},", out);
}

/* --- comparison --------------------------------------------------------------------------------------------------- */

static void put_compared(const char *name, const struct comparison *c)
{
    fprintf(out, "\"%s\":[", name);
    for (u32 i = 0; i < c->n && i < MAX_COMPARED; i++) {
        fputs(i ? ",\n[" : "[", out);
        put_text(c->row[i].name);
        putc(',', out);
        put_text(c->row[i].place);
        fprintf(out, ",%u", c->row[i].line);
        put_values(c->row[i].a, c->nmetrics);
        put_values(c->row[i].b, c->nmetrics);
        putc(']', out);
    }
    fputs("],", out);
}

static void put_compared_tables(const struct result *r)
{
    struct compared_table *t;
    u32 n = compare_tables(&t, &r[0], &r[1]);
    fputs("\"tables\":[", out);
    for (u32 i = 0; i < n; i++) {
        fputs(i ? ",{\"title\":" : "{\"title\":", out);
        put_text(t[i].title);
        fputs(",\"column\":", out);
        put_text(t[i].column);
        putc(',', out);
        put_compared("rows", &t[i].rows);
        fprintf(out, "\"all\":%u}", t[i].rows.n);
    }
    fputs("],", out);
}

static void put_comparison(const struct result *r)
{
    struct comparison routines, lines;
    compare_routines(&routines, &r[0], &r[1]);
    compare_lines(&lines, &r[0], &r[1]);
    fputs("\"compare\":{\"metrics\":[", out);
    for (u32 i = 0; i < routines.nmetrics; i++)
        fprintf(out, "%s[%u,%u]", i ? "," : "", routines.of_a[i], routines.of_b[i]);
    fputs("],", out);
    put_compared("routines", &routines);
    put_compared("lines", &lines);
    put_compared_tables(r);
    fprintf(out, "\"all\":%u},", routines.n);
}

static void put_data(const struct result *r, u32 n)
{
    putc('{', out);
    put_sources(r, n);
    if (n == 2)
        put_comparison(r);
    fputs("\"version\":\"" LP_VERSION "\",\"results\":[", out);
    for (u32 i = 0; i < n; i++) {
        if (i)
            putc(',', out);
        put_result(&r[i]);
    }
    fputs("]}", out);
}

/* The page with what stands for its marks. */
static void put_page(const struct result *r, u32 n)
{
    const char *at = page_html;
    while (at < page_html_end) {
        const char *mark = memmem(at, (size_t)(page_html_end - at), "@@", 2);
        fwrite(at, 1, (size_t)((mark ? mark : page_html_end) - at), out);
        if (!mark)
            return;
        if (mark[2] == 'C')
            fwrite(page_css, 1, (size_t)(page_css_end - page_css), out);
        else if (mark[2] == 'J')
            fwrite(page_js, 1, (size_t)(page_js_end - page_js), out);
        else
            put_data(r, n);
        at = mark + 3;
    }
}

int report_main(int argc, char **argv)
{
    static struct result result[MAX_RESULTS];
    const char *to = "report.html";
    u32 n = 0;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "-o") == 0) {
            if (++i == argc)
                die(1, "report: -o needs a file");
            to = argv[i];
        } else if (argv[i][0] == '-' && argv[i][1]) {
            die(1, "report: unknown option %s (linchpin report FILE... [-o PAGE.html])", argv[i]);
        } else if (n == MAX_RESULTS) {
            die(1, "report: more than %d results", MAX_RESULTS);
        } else {
            result_read(&result[n++], argv[i]);
        }
    }
    if (!n)
        die(1, "report: linchpin report FILE... [-o PAGE.html], for files that tools write with -format json");
    out = fopen(to, "we");
    if (!out)
        die(1, "report: %s: %s", to, strerror(errno));
    setvbuf(out, NULL, _IOFBF, 1 << 20);
    put_page(result, n);
    if (ferror(out) | fclose(out))
        die(1, "report: %s: %s", to, strerror(errno));
    printf("wrote %s\n", to);
    fflush(stdout);
    return 0;
}
