/* SPDX-License-Identifier: Apache-2.0
 * Reads block vectors (lines of `T:block:instructions :block:instructions ...`, as the tool bbv and SimPoint's
 * profilers write them), gives blocks of several inputs common numbers, and projects the vectors to a few
 * dimensions. */
#include "points.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_BLOCK (1u << 26) /* a larger number in a file is a mistake */

/* --- names of blocks ---------------------------------------------------------------------------------------------- */

/* A hash table of all blocks' names, or, for one input alone, of none: there a block's own number will do. */
static struct {
    char **name;
    u32 *number;
    u64 room, used;
} names;

static u64 hash(const char *s)
{
    u64 h = 0xcbf29ce484222325ul;
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 0x100000001b3ul;
    return h;
}

static u64 slot_of(const char *name)
{
    u64 i = hash(name) & (names.room - 1);
    while (names.name[i] && strcmp(names.name[i], name) != 0)
        i = (i + 1) & (names.room - 1);
    return i;
}

static void widen_names(void)
{
    char **old = names.name;
    u32 *number = names.number;
    u64 room = names.room;
    names.room = room ? room * 2 : 1 << 16;
    names.name = calloc(names.room, sizeof *names.name);
    names.number = calloc(names.room, sizeof *names.number);
    if (!names.name || !names.number)
        die("no memory for the names of blocks");
    for (u64 i = 0; i < room; i++)
        if (old[i]) {
            u64 at = slot_of(old[i]);
            names.name[at] = old[i];
            names.number[at] = number[i];
        }
    free(old);
    free(number);
}

static u32 number_of(const char *name)
{
    if (names.used * 2 >= names.room)
        widen_names();
    u64 at = slot_of(name);
    if (!names.name[at]) {
        names.name[at] = strdup(name);
        if (!names.name[at])
            die("no memory for the names of blocks");
        names.number[at] = (u32)names.used++;
    }
    return names.number[at];
}

/* The blocks' file of a vectors' file: PREFIX.T.0.bb has PREFIX.blocks. */
static char *blocks_path(const char *path)
{
    char *copy = malloc(strlen(path) + sizeof ".blocks");
    if (!copy)
        die("no memory");
    strcpy(copy, path);
    char *bb = strstr(copy, ".bb"), *thread = NULL;
    for (char *at = copy; (at = strstr(at, ".T.")); at++)
        thread = at;
    if (thread && strspn(thread + 3, "0123456789") + 3 == (size_t)(bb ? bb - thread : 0))
        bb = thread;
    strcpy(bb ? bb : copy + strlen(copy), ".blocks");
    return copy;
}

/* Common numbers of one input's blocks, by their own numbers: rows of number, address, instructions, bytes, name. */
static u32 *read_blocks(const char *vectors, u32 *n)
{
    char *path = blocks_path(vectors), *line = NULL, *name;
    size_t room = 0;
    u32 *map = NULL;
    FILE *f = fopen(path, "r");
    if (!f)
        die("%s: %s; several inputs need it, to know which blocks are the same (the tool bbv writes it)", path,
            strerror(errno));
    for (u32 row = 1; getline(&line, &room, f) >= 0; row++) {
        if (line[0] == '#')
            continue;
        line[strcspn(line, "\n")] = '\0';
        unsigned long id = strtoul(line, NULL, 10);
        name = strrchr(line, '\t');
        if (id == 0 || id > MAX_BLOCK || !name)
            die("%s:%u: not a row of blocks: %.60s", path, row, line);
        for (; *n <= id; ++*n) {
            map = grow(map, *n, sizeof *map);
            map[*n] = ~0u;
        }
        map[id] = number_of(name + 1);
    }
    fclose(f);
    free(line);
    free(path);
    return map;
}

/* --- vectors ------------------------------------------------------------------------------------------------------ */

struct reading {
    struct vectors *v;
    const char *path;
    u32 row, input;
    const u32 *map; /* NULL: numbers are as they are */
    u32 nmap;
};

static u32 common_number(const struct reading *r, unsigned long id)
{
    if (id == 0 || id > MAX_BLOCK)
        die("%s:%u: no block has the number %lu", r->path, r->row, id);
    if (!r->map)
        return (u32)id - 1;
    if (id >= r->nmap || r->map[id] == ~0u)
        die("%s:%u: block %lu is not in the file of blocks", r->path, r->row, id);
    return r->map[id];
}

static u64 read_pairs(const struct reading *r, char *at, struct interval *out)
{
    struct vectors *v = r->v;
    u64 sum = 0;
    for (at++; *at == ':';) {
        char *colon, *end;
        u32 block = common_number(r, strtoul(at + 1, &colon, 10));
        unsigned long count = *colon == ':' ? strtoul(colon + 1, &end, 10) : 0;
        if (!count)
            die("%s:%u: after T come :block:instructions, not %.40s", r->path, r->row, at);
        v->entry = grow(v->entry, v->nentries, sizeof *v->entry);
        v->entry[v->nentries++] = (struct entry){block, (double)count};
        v->nblocks = block >= v->nblocks ? block + 1 : v->nblocks;
        out->entries++;
        sum += count;
        at = end + strspn(end, " ");
    }
    if (*at)
        die("%s:%u: after T come :block:instructions, not %.40s", r->path, r->row, at);
    return sum;
}

static void read_vector(const struct reading *r, char *line)
{
    struct vectors *v = r->v;
    struct interval i = {.first = v->nentries, .input = r->input, .start = v->instructions[r->input]};
    i.length = read_pairs(r, line, &i);
    if (!i.length)
        return;
    for (u32 e = 0; e < i.entries; e++)
        v->entry[i.first + e].share /= (double)i.length;
    v->interval = grow(v->interval, v->nintervals, sizeof i);
    v->interval[v->nintervals++] = i;
    v->instructions[r->input] += i.length;
}

static void read_input(struct vectors *v, const char *path, u32 input, bool several)
{
    struct reading r = {.v = v, .path = path, .input = input};
    char *line = NULL;
    size_t room = 0;
    FILE *f = fopen(path, "r");
    if (!f)
        die("%s: %s", path, strerror(errno));
    u32 *map = several ? read_blocks(path, &r.nmap) : NULL;
    r.map = map;
    while (r.row++, getline(&line, &room, f) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == 'T')
            read_vector(&r, line);
        else if (line[0] && line[0] != '#')
            die("%s:%u: a line begins with T or #: %.40s", path, r.row, line);
    }
    if (ferror(f))
        die("%s: %s", path, strerror(errno));
    if (!v->instructions[input])
        die("%s: there is no vector in it", path);
    fclose(f);
    free(line);
    free(map);
}

void vectors_read(struct vectors *v, int n, char *const *path)
{
    v->name = (const char *const *)path;
    v->ninputs = (u32)n;
    v->instructions = calloc((size_t)n, sizeof *v->instructions);
    if (!v->instructions)
        die("no memory");
    for (int i = 0; i < n; i++)
        if (access(path[i], R_OK))
            die("%s: %s", path[i], strerror(errno));
    for (int i = 0; i < n; i++)
        read_input(v, path[i], (u32)i, n > 1);
}

/* --- projection --------------------------------------------------------------------------------------------------- */

static u64 mix(u64 x)
{
    x += 0x9e3779b97f4a7c15ul;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ul;
    x = (x ^ x >> 27) * 0x94d049bb133111ebul;
    return x ^ x >> 31;
}

double random_at(u64 seed, u64 a, u64 b)
{
    return (double)(mix(mix(mix(seed) + a) + b) >> 11) * 0x1p-53;
}

double *vectors_project(const struct vectors *v, const struct options *o)
{
    double *x = calloc((size_t)v->nintervals * o->dims, sizeof *x);
    if (!x)
        die("no memory for %u vectors", v->nintervals);
    for (u32 i = 0; i < v->nintervals; i++)
        for (u32 e = 0; e < v->interval[i].entries; e++) {
            const struct entry *entry = &v->entry[v->interval[i].first + e];
            for (u32 d = 0; d < o->dims; d++)
                x[(size_t)i * o->dims + d] += entry->share * (2 * random_at(o->seed, entry->block, d) - 1);
        }
    return x;
}
