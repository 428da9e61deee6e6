/* SPDX-License-Identifier: Apache-2.0
 * Reads a result file: first where its members are, then each of them in the order in which they are needed, so that
 * the order in the file does not matter. Rows are added up as they are read. What is asked for as a whole (tables,
 * findings, the timeline) stays a stretch of the file. */
#include "report/result.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void *result_alloc(void *old, size_t bytes)
{
    void *p = realloc(old, bytes ? bytes : 1);
    if (!p)
        die(1, "no memory for the results");
    return p;
}

/* --- values by key ------------------------------------------------------------------------------------------------ */

static u32 slot_of(const struct counts *c, u64 a, u64 b)
{
    u64 hash = (a * 0x9e3779b97f4a7c15ul) ^ (b * 0xc2b2ae3d27d4eb4ful);
    u32 at = (u32)(hash >> 32) & (c->slots - 1);
    while (c->slot[at] && (c->key[c->slot[at] - 1][0] != a || c->key[c->slot[at] - 1][1] != b))
        at = (at + 1) & (c->slots - 1);
    return at;
}

static void grow(struct counts *c, u32 nmetrics)
{
    c->room = c->room ? c->room * 2 : 256;
    c->key = result_alloc(c->key, c->room * sizeof *c->key);
    c->values = result_alloc(c->values, (size_t)c->room * nmetrics * sizeof *c->values);
    free(c->slot);
    c->slots = c->room * 2;
    c->slot = calloc(c->slots, sizeof *c->slot);
    if (!c->slot)
        die(1, "no memory for the results");
    for (u32 i = 0; i < c->n; i++)
        c->slot[slot_of(c, c->key[i][0], c->key[i][1])] = i + 1;
}

u64 *counts_at(struct counts *c, u64 a, u64 b, u32 nmetrics)
{
    if (c->n == c->room)
        grow(c, nmetrics);
    u32 at = slot_of(c, a, b);
    if (!c->slot[at]) {
        c->key[c->n][0] = a;
        c->key[c->n][1] = b;
        memset(c->values + (size_t)c->n * nmetrics, 0, nmetrics * sizeof *c->values);
        c->slot[at] = ++c->n;
    }
    return c->values + (size_t)(c->slot[at] - 1) * nmetrics;
}

const u64 *counts_find(const struct counts *c, u64 a, u64 b, u32 nmetrics)
{
    u32 at = c->slots ? slot_of(c, a, b) : 0;
    return c->slots && c->slot[at] ? c->values + (size_t)(c->slot[at] - 1) * nmetrics : NULL;
}

static void add(u64 *to, const u64 *v, u32 n)
{
    for (u32 i = 0; i < n; i++)
        to[i] += v[i];
}

/* --- pieces of the file ------------------------------------------------------------------------------------------- */

static struct json at(const struct result *r, struct span s)
{
    return (struct json){r->text, s.at, s.at + s.bytes, NULL};
}

static void check(const struct result *r, const struct json *j, const char *member)
{
    if (j->error)
        die(1, "%s: %s, in \"%s\"", r->path, j->error, member);
}

static u32 read_values(struct json *j, u64 *v)
{
    u32 n = 0;
    json_enter(j, '[');
    while (json_element(j)) {
        u64 x = (u64)json_number(j);
        if (n < MAX_METRICS)
            v[n++] = x;
    }
    for (u32 i = n; i < MAX_METRICS; i++)
        v[i] = 0;
    return n;
}

/* What rows, frames and calls have of a place. */
struct place {
    u32 image, routine, file, line, tid, from, to;
    u64 address, count;
    bool has_address;
    u64 v[MAX_METRICS];
};

static bool read_place_member(struct json *j, struct span name, struct place *p)
{
    if (span_is(name, "values"))
        read_values(j, p->v);
    else if (span_is(name, "address"))
        p->address = (u64)json_number(j), p->has_address = true;
    else if (span_is(name, "image"))
        p->image = (u32)json_number(j);
    else if (span_is(name, "routine"))
        p->routine = (u32)json_number(j);
    else if (span_is(name, "file"))
        p->file = (u32)json_number(j);
    else if (span_is(name, "line"))
        p->line = (u32)json_number(j);
    else if (span_is(name, "tid"))
        p->tid = (u32)json_number(j);
    else
        return false;
    return true;
}

static void read_place(struct json *j, struct place *p)
{
    struct span name;
    *p = (struct place){.image = NONE, .routine = NONE, .file = NONE, .tid = NONE, .from = NONE, .to = NONE};
    json_enter(j, '{');
    while (json_member(j, &name)) {
        if (read_place_member(j, name, p))
            continue;
        if (span_is(name, "from"))
            p->from = (u32)json_number(j);
        else if (span_is(name, "to"))
            p->to = (u32)json_number(j);
        else if (span_is(name, "count"))
            p->count = (u64)json_number(j);
        else
            json_skip(j);
    }
}

/* --- members ------------------------------------------------------------------------------------------------------ */

static struct span *read_texts(const struct result *r, struct span all, const char *member, const char *of, u32 *n)
{
    struct json j = at(r, all);
    struct span *list = NULL, name, text;
    u32 room = 0;
    if (!all.bytes)
        return NULL;
    json_enter(&j, '[');
    while (json_element(&j)) {
        text = (struct span){"", 0};
        if (!of) {
            text = json_text(&j);
        } else if (json_enter(&j, '{')) {
            while (json_member(&j, &name))
                if (span_is(name, of))
                    text = json_text(&j);
                else
                    json_skip(&j);
        }
        if (*n == room)
            list = result_alloc(list, (room = room ? room * 2 : 64) * sizeof *list);
        list[(*n)++] = text;
    }
    check(r, &j, member);
    return list;
}

static void read_routines(struct result *r, struct span all)
{
    struct json j = at(r, all);
    struct span name;
    u32 room = 0;
    if (!all.bytes)
        return;
    json_enter(&j, '[');
    while (json_element(&j)) {
        struct routine f = {.name = {"", 0}, .image = NONE, .file = NONE};
        json_enter(&j, '{');
        while (json_member(&j, &name)) {
            if (span_is(name, "name"))
                f.name = json_text(&j);
            else if (span_is(name, "image"))
                f.image = (u32)json_number(&j);
            else if (span_is(name, "file"))
                f.file = (u32)json_number(&j);
            else if (span_is(name, "line"))
                f.line = (u32)json_number(&j);
            else if (span_is(name, "address"))
                f.address = (u64)json_number(&j);
            else
                json_skip(&j);
        }
        if (r->nroutines == room)
            r->routine = result_alloc(r->routine, (room = room ? room * 2 : 256) * sizeof *r->routine);
        r->routine[r->nroutines++] = f;
    }
    check(r, &j, "routines");
}

static u32 image_of(const struct result *r, const struct place *p)
{
    return p->image != NONE ? p->image : p->routine < r->nroutines ? r->routine[p->routine].image : NONE;
}

static void add_row(struct result *r, const struct place *p)
{
    u32 n = r->nmetrics, before = r->by_instruction.n;
    r->rows++;
    if (p->routine != NONE)
        add(counts_at(&r->by_routine, p->routine, 0, n), p->v, n);
    if (p->file != NONE && p->line)
        add(counts_at(&r->by_line, p->file, p->line, n), p->v, n);
    if (p->tid != NONE)
        add(counts_at(&r->by_thread, p->tid, 0, n), p->v, n);
    add(counts_at(&r->by_image, image_of(r, p), 0, n), p->v, n);
    if (!p->has_address)
        return;
    add(counts_at(&r->by_instruction, p->address, 0, n), p->v, n);
    if (r->by_instruction.n == before)
        return;
    if (!(before & (before - 1))) /* a power of two, or the first */
        r->place = result_alloc(r->place, (before ? before * 2ul : 1) * sizeof *r->place);
    memcpy(r->place[before], (u32[]){p->routine, p->file, p->line}, sizeof *r->place);
}

static void read_rows(struct result *r, struct span all)
{
    struct json j = at(r, all);
    struct place p;
    if (!all.bytes)
        return;
    json_enter(&j, '[');
    while (json_element(&j)) {
        read_place(&j, &p);
        add_row(r, &p);
    }
    check(r, &j, "rows");
}

static void read_frames(struct result *r, struct span all)
{
    struct json j = at(r, all);
    struct place p;
    u32 room = 0;
    if (!all.bytes)
        return;
    json_enter(&j, '[');
    while (json_element(&j)) {
        read_place(&j, &p);
        if (r->nframes == room)
            r->frame = result_alloc(r->frame, (room = room ? room * 2 : 256) * sizeof *r->frame);
        r->frame[r->nframes++] = (struct frame){p.image, p.routine, p.file, p.line, p.address};
    }
    check(r, &j, "frames");
}

/* Frames of one routine are one in the tree: by routine, or where there is none, by address. */
static u64 frame_key(const struct result *r, u32 frame)
{
    const struct frame *f = &r->frame[frame];
    return f->routine != NONE ? f->routine : f->address | 1ul << 63;
}

struct tree {
    struct counts child; /* parent and key, to the child */
    u32 room;
};

static u32 child_of(struct result *r, struct tree *t, u32 parent, u32 frame)
{
    u64 *known = counts_at(&t->child, parent, frame_key(r, frame), 1);
    if (*known)
        return (u32)*known;
    if (r->nnodes == t->room) {
        t->room = t->room ? t->room * 2 : 1024;
        r->node = result_alloc(r->node, t->room * sizeof *r->node);
        r->node_values = result_alloc(r->node_values, (size_t)t->room * r->nmetrics * sizeof *r->node_values);
    }
    r->node[r->nnodes] = (struct node){parent, frame};
    memset(r->node_values + (size_t)r->nnodes * r->nmetrics, 0, r->nmetrics * sizeof *r->node_values);
    return (u32)(*known = r->nnodes++);
}

static u32 read_path(struct result *r, struct json *j, struct tree *t)
{
    u32 node = 0;
    json_enter(j, '[');
    while (json_element(j)) {
        u32 frame = (u32)json_number(j);
        if (frame < r->nframes)
            node = child_of(r, t, node, frame);
    }
    return node;
}

static void read_stacks(struct result *r, struct span all)
{
    struct json j = at(r, all);
    struct tree t = {.room = 0};
    struct span name;
    u64 v[MAX_METRICS];
    if (!all.bytes)
        return;
    r->nnodes = 1; /* the root */
    r->node = result_alloc(NULL, (t.room = 1024) * sizeof *r->node);
    r->node_values = calloc((size_t)t.room * r->nmetrics, sizeof *r->node_values);
    r->node[0] = (struct node){NONE, NONE};
    json_enter(&j, '[');
    while (json_element(&j)) {
        u32 node = 0;
        memset(v, 0, sizeof v);
        json_enter(&j, '{');
        while (json_member(&j, &name)) {
            if (span_is(name, "frames"))
                node = read_path(r, &j, &t);
            else if (span_is(name, "values"))
                read_values(&j, v);
            else if (span_is(name, "cut"))
                r->cut |= json_true(&j);
            else
                json_skip(&j);
        }
        add(r->node_values + (size_t)node * r->nmetrics, v, r->nmetrics);
    }
    check(r, &j, "stacks");
}

static void read_calls(struct result *r, struct span all)
{
    struct json j = at(r, all);
    struct place p;
    u32 room = 0, n = r->nmetrics;
    if (!all.bytes)
        return;
    json_enter(&j, '[');
    while (json_element(&j)) {
        read_place(&j, &p);
        if (r->ncalls == room) {
            room = room ? room * 2 : 256;
            r->call = result_alloc(r->call, room * sizeof *r->call);
            r->call_values = result_alloc(r->call_values, (size_t)room * n * sizeof *r->call_values);
        }
        memcpy(r->call_values + (size_t)r->ncalls * n, p.v, n * sizeof *p.v);
        r->call[r->ncalls++] = (struct call_edge){p.from, p.to, p.file, p.line, p.count};
    }
    check(r, &j, "calls");
}

static void read_disassembly(struct result *r, struct span all)
{
    struct json j = at(r, all);
    struct span name, text;
    if (!all.bytes)
        return;
    json_enter(&j, '[');
    while (json_element(&j)) {
        u64 address = 0;
        text = (struct span){"", 0};
        json_enter(&j, '{');
        while (json_member(&j, &name)) {
            if (span_is(name, "address"))
                address = (u64)json_number(&j);
            else if (span_is(name, "text"))
                text = json_text(&j);
            else
                json_skip(&j);
        }
        u64 *place = counts_at(&r->texts, address, 0, 2);
        place[0] = (u64)text.at;
        place[1] = text.bytes;
    }
    check(r, &j, "disassembly");
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static void map_file(struct result *r, const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st))
        die(1, "%s: %s", path, strerror(errno));
    r->path = path;
    r->bytes = (size_t)st.st_size;
    r->text = r->bytes ? mmap(NULL, r->bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0) : "";
    if (r->text == MAP_FAILED)
        die(1, "%s: %s", path, strerror(errno));
    close(fd);
}

static void read_metrics(struct result *r, struct span all, struct span totals)
{
    struct json j = at(r, all);
    u64 v[MAX_METRICS];
    json_enter(&j, '[');
    while (json_element(&j)) {
        json_skip(&j);
        r->nmetrics++;
    }
    check(r, &j, "metrics");
    if (!r->nmetrics || r->nmetrics > MAX_METRICS)
        die(1, "%s: it has %u metrics (1 to %u are understood)", r->path, r->nmetrics, MAX_METRICS);
    j = at(r, totals);
    if (totals.bytes)
        read_values(&j, v);
    check(r, &j, "totals");
    if (totals.bytes)
        memcpy(r->totals, v, sizeof v);
}

/* A text with its quotes. */
static struct span unquoted(struct span s)
{
    return s.bytes >= 2 && s.at[0] == '"' ? (struct span){s.at + 1, s.bytes - 2} : (struct span){"", 0};
}

static s64 plain_number(const struct result *r, struct span s)
{
    struct json j = at(r, s);
    return s.bytes ? json_number(&j) : 0;
}

void result_read(struct result *r, const char *path)
{
    struct span name, format = {"", 0}, version = {"", 0}, status = {"", 0}, pid = {"", 0}, totals = {"", 0},
        files = {"", 0}, routines = {"", 0}, rows = {"", 0}, frames = {"", 0}, stacks = {"", 0}, calls = {"", 0},
        disassembly = {"", 0};
    const struct {
        const char *name;
        struct span *to;
    } members[] = {{"format", &format}, {"version", &version}, {"tool", &r->tool}, {"pid", &pid},
        {"program", &r->program}, {"argv", &r->argv}, {"end", &r->end}, {"status", &status}, {"options", &r->options},
        {"executed", &r->executed}, {"notes", &r->notes}, {"metrics", &r->metrics}, {"totals", &totals},
        {"images", &r->images}, {"files", &files}, {"routines", &routines}, {"rows", &rows}, {"frames", &frames},
        {"stacks", &stacks}, {"calls", &calls}, {"timeline", &r->timeline}, {"tables", &r->tables},
        {"findings", &r->findings}, {"disassembly", &disassembly}};
    map_file(r, path);
    struct json j = {r->text, r->text, r->text + r->bytes, NULL};
    json_enter(&j, '{');
    while (json_member(&j, &name)) {
        struct span value = json_skip(&j);
        for (size_t i = 0; i < ARRAY_LEN(members); i++)
            if (span_is(name, members[i].name))
                *members[i].to = value;
    }
    if (j.error || !span_is(format, "\"linchpin-result\""))
        die(1, "%s is not a result of a tool (-format json): %s", path,
            j.error ? j.error : "\"format\" says otherwise");
    if (plain_number(r, version) != 1)
        die(1, "%s: version %d of the format is not understood (1 is)", path, (int)plain_number(r, version));
    r->tool = unquoted(r->tool);
    r->end = unquoted(r->end);
    r->status = plain_number(r, status);
    r->pid = plain_number(r, pid);
    read_metrics(r, r->metrics, totals);
    r->image = read_texts(r, r->images, "images", "name", &r->nimages);
    r->file = read_texts(r, files, "files", NULL, &r->nfiles);
    read_routines(r, routines);
    read_rows(r, rows);
    read_frames(r, frames);
    read_stacks(r, stacks);
    read_calls(r, calls);
    read_disassembly(r, disassembly);
}
