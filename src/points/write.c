/* SPDX-License-Identifier: Apache-2.0
 * Which interval stands for each cluster, with what weight in each input, how far the chosen ones together are from the
 * whole run, and the files that say so (docs/points.md). */
#include "points.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- choosing ----------------------------------------------------------------------------------------------------- */

static double distance_to_centre(const struct clusters *c, const struct points_in *in, u32 i)
{
    return distance2(in->x + (size_t)i * in->dims, c->centre + (size_t)c->label[i] * in->dims, in->dims);
}

/* Half of the sum of differences between the shares of each block in the whole run and in the weighted points: 0 if
 * they execute every block as often, 1 if they have none in common. */
static double error_of(const struct choice *ch, u32 input)
{
    const struct vectors *v = ch->v;
    double *block = calloc(v->nblocks, sizeof *block), sum = 0;
    if (!block)
        die("no memory for %u blocks", v->nblocks);
    for (u32 i = 0; i < v->nintervals; i++)
        for (u32 e = 0; e < v->interval[i].entries && v->interval[i].input == input; e++) {
            const struct entry *at = &v->entry[v->interval[i].first + e];
            block[at->block] += at->share * (double)v->interval[i].length / (double)v->instructions[input];
        }
    for (u32 k = 0; k < ch->c->k; k++) {
        const struct interval *i = &v->interval[ch->representative[k]];
        for (u32 e = 0; e < i->entries; e++)
            block[v->entry[i->first + e].block] -= v->entry[i->first + e].share * ch->share[input * ch->c->k + k];
    }
    for (u32 b = 0; b < v->nblocks; b++)
        sum += fabs(block[b]);
    free(block);
    return sum / 2;
}

void choose(struct choice *ch, const struct vectors *v, const struct clusters *c, const struct points_in *in)
{
    double *least = malloc(c->k * sizeof *least);
    *ch = (struct choice){v, c, calloc(c->k, sizeof *ch->representative),
                          calloc((size_t)c->k * v->ninputs, sizeof *ch->share), calloc(v->ninputs, sizeof *ch->error)};
    if (!least || !ch->representative || !ch->share || !ch->error)
        die("no memory");
    for (u32 k = 0; k < c->k; k++)
        least[k] = DBL_MAX;
    for (u32 i = 0; i < v->nintervals; i++) {
        u32 k = c->label[i];
        double d = distance_to_centre(c, in, i);
        if (d < least[k]) {
            least[k] = d;
            ch->representative[k] = i;
        }
        u32 input = v->interval[i].input;
        ch->share[input * c->k + k] += (double)v->interval[i].length / (double)v->instructions[input];
    }
    for (u32 input = 0; input < v->ninputs; input++)
        ch->error[input] = error_of(ch, input);
    free(least);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

FILE *points_create(const struct options *o, const char *ending, char path[4096])
{
    if (snprintf(path, 4096, "%s.%s", o->prefix, ending) >= 4096)
        die("the name of the output is too long");
    FILE *f = fopen(path, "w");
    if (!f)
        die("%s: %s", path, strerror(errno));
    return f;
}

void points_finish(FILE *f, const char *path)
{
    bool bad = ferror(f);
    if (fclose(f) || bad)
        die("%s: %s", path, strerror(errno));
}

/* The number of an interval within its input. */
static u32 number_in_input(const struct vectors *v, u32 i)
{
    u32 first = i;
    while (first > 0 && v->interval[first - 1].input == v->interval[i].input)
        first--;
    return i - first;
}

static void write_points(const struct choice *ch, const struct options *o)
{
    char path[4096];
    FILE *f = points_create(o, "simpoints", path);
    for (u32 k = 0; k < ch->c->k; k++) {
        u32 i = ch->representative[k];
        fprintf(f, "%u %u", number_in_input(ch->v, i), k);
        fprintf(f, ch->v->ninputs > 1 ? " %s\n" : "\n", ch->v->name[ch->v->interval[i].input]);
    }
    points_finish(f, path);
}

static void write_weights(const struct choice *ch, const struct options *o, u32 input)
{
    char path[4096], ending[32];
    snprintf(ending, sizeof ending, ch->v->ninputs > 1 ? "%u.weights" : "weights", input);
    FILE *f = points_create(o, ending, path);
    for (u32 k = 0; k < ch->c->k; k++)
        fprintf(f, "%.6f %u\n", ch->share[input * ch->c->k + k], k);
    points_finish(f, path);
}

static void write_labels(const struct choice *ch, const struct points_in *in, const struct options *o)
{
    char path[4096];
    FILE *f = points_create(o, "labels", path);
    for (u32 i = 0; i < ch->v->nintervals; i++)
        fprintf(f, "%u %.6f\n", ch->c->label[i], sqrt(distance_to_centre(ch->c, in, i)));
    points_finish(f, path);
}

/* As PinPoints has them; the thread's number is in the name of the vectors' file. */
static u32 thread_of(const char *name)
{
    const char *at = name, *found = NULL;
    while ((at = strstr(at, ".T.")))
        found = at++;
    return found ? (u32)strtoul(found + 3, NULL, 10) : 0;
}

static void write_regions(const struct choice *ch, const struct options *o)
{
    char path[4096];
    const struct vectors *v = ch->v;
    FILE *f = points_create(o, "regions.csv", path);
    fprintf(f, "# comment,thread-id,region-id,simulation-region-start-icount,simulation-region-end-icount,"
               "region-weight\n");
    for (u32 k = 0; k < ch->c->k; k++) {
        const struct interval *i = &v->interval[ch->representative[k]];
        fprintf(f, "cluster %u from slice %u", k, number_in_input(v, ch->representative[k]));
        if (v->ninputs > 1)
            fprintf(f, " of %s", v->name[i->input]);
        fprintf(f, ",%u,%u,%lu,%lu,%.6f\n", thread_of(v->name[i->input]), k + 1, i->start, i->start + i->length,
                ch->share[i->input * ch->c->k + k]);
    }
    points_finish(f, path);
}

void write_files(const struct choice *ch, const struct points_in *in, const struct options *o)
{
    write_points(ch, o);
    for (u32 input = 0; input < ch->v->ninputs; input++)
        write_weights(ch, o, input);
    write_labels(ch, in, o);
    write_regions(ch, o);
}

/* --- for people --------------------------------------------------------------------------------------------------- */

static u32 rows_of(const struct clusters *c, u32 k, u32 n)
{
    u32 rows = 0;
    for (u32 i = 0; i < n; i++)
        rows += c->label[i] == k;
    return rows;
}

static void write_row(const struct choice *ch, u32 k)
{
    const struct vectors *v = ch->v;
    u32 i = ch->representative[k];
    printf("%7u %9u %9u %16lu %14lu", k, rows_of(ch->c, k, v->nintervals), number_in_input(v, i), v->interval[i].start,
           v->interval[i].length);
    for (u32 input = 0; input < v->ninputs; input++)
        printf(" %7.2f%%", 100 * ch->share[input * ch->c->k + k]);
    printf(v->ninputs > 1 ? "  %s\n" : "\n", v->name[v->interval[i].input]);
}

void write_summary(const struct choice *ch, const struct options *o)
{
    const struct vectors *v = ch->v;
    for (u32 input = 0; input < v->ninputs; input++)
        printf("%s: %lu instructions\n", v->name[input], v->instructions[input]);
    printf("%u intervals, %u blocks; %u clusters of 1 to %u tried (score %.6g)\n\n", v->nintervals, v->nblocks,
           ch->c->k, cluster_most(v->nintervals, o), ch->c->score);
    printf("cluster intervals  interval            start   instructions   weight\n");
    for (u32 k = 0; k < ch->c->k; k++)
        write_row(ch, k);
    printf("\n");
    for (u32 input = 0; input < v->ninputs; input++)
        printf("blocks executed in another share than in the whole run: %.2f%%%s%s\n", 100 * ch->error[input],
               v->ninputs > 1 ? " of " : "", v->ninputs > 1 ? v->name[input] : "");
}
