/* SPDX-License-Identifier: Apache-2.0
 * What is known of each interval beside its vector (bbv -figures: instructions of a kind, misses, cycles), and how well
 * the chosen intervals foretell it for the whole run. The files are text, NAME.figures.csv for NAME.bb: a row of names,
 * which begin with start and instructions, and a row for each interval. */
#include "points.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYS 2 /* columns before the figures */

static char *figures_path(const char *vectors)
{
    size_t n = strlen(vectors);
    char *path = malloc(n + sizeof ".figures.csv");
    if (!path)
        die("no memory");
    n -= n > 3 && strcmp(vectors + n - 3, ".bb") == 0 ? 3 : 0;
    memcpy(path, vectors, n);
    strcpy(path + n, ".figures.csv");
    return path;
}

/* The names in a file's first line; those of the first file hold for all. */
static void read_names(struct figures *f, char *line, const char *path)
{
    u32 n = 0;
    char *rest = line;
    for (char *name; (name = strsep(&rest, ",")); n++) {
        const char *wanted = n == 0 ? "start" : n == 1 ? "instructions" : n - KEYS < f->n ? f->name[n - KEYS] : NULL;
        if (wanted && strcmp(name, wanted) != 0)
            die("%s:1: column %u is %s, not %s", path, n + 1, name, wanted);
        if (wanted)
            continue;
        if (f->is_known)
            die("%s:1: the file has more columns than the first one", path);
        f->name = grow(f->name, f->n, sizeof *f->name);
        f->name[f->n] = strdup(name);
        if (!f->name[f->n++])
            die("no memory");
    }
    if (n != f->n + KEYS || !f->n)
        die("%s:1: the file has %u columns, not %u", path, n, f->n + KEYS);
    f->is_known = true;
}

/* A row has to belong to its vector: the same start, and the same number of instructions. */
static void read_row(struct figures *f, const struct interval *i, double *value, char *line, const char *path, u32 row)
{
    char *at = line, *end;
    for (u32 c = 0; c < f->n + KEYS; c++, at = end + (*end == ',')) {
        u64 n = strtoull(at, &end, 10);
        if (end == at || (c + 1 < f->n + KEYS ? *end != ',' : *end))
            die("%s:%u: a row has %u numbers with commas between them", path, row, f->n + KEYS);
        if (c < KEYS && n != (c ? i->length : i->start))
            die("%s:%u: this is not the interval of line %u in the file of vectors: their runs differ", path, row, row);
        if (c >= KEYS)
            value[c - KEYS] = (double)n;
    }
}

static void read_file(struct figures *f, const struct vectors *v, u32 input, FILE *file, const char *path)
{
    char *line = NULL;
    size_t room = 0;
    u32 i = 0;
    while (i < v->nintervals && v->interval[i].input != input)
        i++;
    for (u32 row = 1; getline(&line, &room, file) >= 0; row++) {
        line[strcspn(line, "\n")] = '\0';
        if (row == 1) {
            read_names(f, line, path);
            if (!f->value && !(f->value = calloc((size_t)v->nintervals * f->n, sizeof *f->value)))
                die("no memory for the figures of %u intervals", v->nintervals);
            continue;
        }
        if (i == v->nintervals || v->interval[i].input != input)
            die("%s:%u: there are more rows than vectors", path, row);
        read_row(f, &v->interval[i], f->value + (size_t)i * f->n, line, path, row);
        i++;
    }
    if (ferror(file))
        die("%s: %s", path, strerror(errno));
    if (i < v->nintervals && v->interval[i].input == input)
        die("%s: there are fewer rows than vectors", path);
    free(line);
}

bool figures_read(struct figures *f, const struct vectors *v)
{
    *f = (struct figures){0};
    u32 found = 0;
    for (u32 input = 0; input < v->ninputs; input++) {
        char *path = figures_path(v->name[input]);
        FILE *file = fopen(path, "r");
        if (!file && errno != ENOENT)
            die("%s: %s", path, strerror(errno));
        if (!file && found)
            die("%s is missing, and %s has its figures", path, v->name[0]);
        if (file && found != input)
            die("%s is there, and %s has no such file", path, v->name[0]);
        if (file) {
            read_file(f, v, input, file, path);
            fclose(file);
            found++;
        }
        free(path);
    }
    return found > 0;
}

/* --- distances ---------------------------------------------------------------------------------------------------- */

/* The mean and the variance of n numbers that are `stride` apart, each with its weight; the weights' sum is n. */
static void moments(const double *x, const struct points_in *in, u32 stride, double *mean, double *spread)
{
    *mean = *spread = 0;
    for (u32 i = 0; i < in->n; i++)
        *mean += x[(size_t)i * stride] * in->weight[i] / in->n;
    for (u32 i = 0; i < in->n; i++)
        *spread += (x[(size_t)i * stride] - *mean) * (x[(size_t)i * stride] - *mean) * in->weight[i] / in->n;
}

static double spread_of_rows(const struct points_in *in)
{
    double sum = 0, mean, one;
    for (u32 d = 0; d < in->dims; d++) {
        moments(in->x + d, in, in->dims, &mean, &one);
        sum += one;
    }
    return sum;
}

#define FAR 3 /* in standard deviations: a single interval that is further out must not push all others together */

static double bounded(double x, double most) { return x > most ? most : x < -most ? -most : x; }

/* Every figure counts as much as every other, and all together as much as the blocks, times `share`. */
struct points_in figures_join(const struct figures *f, const struct vectors *v, const struct points_in *in,
                              double share)
{
    u32 dims = in->dims + f->n;
    double *x = calloc((size_t)in->n * dims, sizeof *x);
    if (!x)
        die("no memory for %u vectors", in->n);
    for (u32 i = 0; i < in->n; i++)
        memcpy(x + (size_t)i * dims, in->x + (size_t)i * in->dims, in->dims * sizeof *x);
    double wanted = spread_of_rows(in) * share / f->n, mean, spread;
    for (u32 k = 0; k < f->n; k++) {
        double *column = x + in->dims + k;
        for (u32 i = 0; i < in->n; i++)
            column[(size_t)i * dims] = figure_rate(f, v, i, k);
        moments(column, in, dims, &mean, &spread);
        for (u32 i = 0; i < in->n; i++)
            column[(size_t)i * dims] =
                spread > 0 ? bounded((column[(size_t)i * dims] - mean) / sqrt(spread), FAR) * sqrt(wanted) : 0;
    }
    return (struct points_in){x, in->weight, in->n, dims};
}

/* --- foretelling -------------------------------------------------------------------------------------------------- */

double figure_rate(const struct figures *f, const struct vectors *v, u32 interval, u32 figure)
{
    return f->value[(size_t)interval * f->n + figure] / (double)v->interval[interval].length;
}

/* How far the figure varies within cluster k of the input: the variance of its rates, each weighing as its interval. */
static double variance(const struct figures *f, const struct choice *ch, u32 input, u32 k, u32 figure)
{
    double sum = 0, squares = 0, weight = 0;
    for (u32 i = 0; i < ch->v->nintervals; i++) {
        if (ch->v->interval[i].input != input || ch->c->label[i] != k)
            continue;
        double rate = figure_rate(f, ch->v, i, figure), w = (double)ch->v->interval[i].length;
        sum += rate * w;
        squares += rate * rate * w;
        weight += w;
    }
    double v = weight > 0 ? squares / weight - sum / weight * (sum / weight) : 0;
    return v > 0 ? v : 0;
}

struct prediction figures_predict(const struct figures *f, const struct choice *ch, u32 input, u32 figure)
{
    struct prediction p = {0};
    for (u32 i = 0; i < ch->v->nintervals; i++)
        if (ch->v->interval[i].input == input)
            p.whole += f->value[(size_t)i * f->n + figure];
    p.whole /= (double)ch->v->instructions[input];
    for (u32 k = 0; k < ch->c->k; k++) {
        double share = ch->share[input * ch->c->k + k];
        p.points += share * figure_rate(f, ch->v, ch->representative[k], figure);
        p.deviation += share * share * variance(f, ch, input, k, figure);
    }
    p.deviation = sqrt(p.deviation);
    p.error = p.whole > 0 ? p.points / p.whole - 1 : 0;
    return p;
}

void figures_print(const struct figures *f, const struct choice *ch)
{
    for (u32 input = 0; input < ch->v->ninputs; input++) {
        printf("\nfor 1000 instructions    whole run   from points     error  expected%s%s\n",
               ch->v->ninputs > 1 ? "  " : "", ch->v->ninputs > 1 ? ch->v->name[input] : "");
        for (u32 i = 0; i < f->n; i++) {
            struct prediction p = figures_predict(f, ch, input, i);
            printf("%-20s %13.4f %13.4f %8.2f%% %8.2f%%\n", f->name[i], 1000 * p.whole, 1000 * p.points, 100 * p.error,
                   p.whole > 0 ? 100 * p.deviation / p.whole : 0);
        }
    }
}

void figures_write(const struct figures *f, const struct choice *ch, const struct options *o)
{
    char path[4096];
    FILE *file = points_create(o, "prediction.csv", path);
    fprintf(file, "input,figure,whole,points,error,deviation\n");
    for (u32 input = 0; input < ch->v->ninputs; input++)
        for (u32 i = 0; i < f->n; i++) {
            struct prediction p = figures_predict(f, ch, input, i);
            fprintf(file, "%u,%s,%.9g,%.9g,%.6f,%.9g\n", input, f->name[i], p.whole, p.points, p.error, p.deviation);
        }
    points_finish(file, path);
}
