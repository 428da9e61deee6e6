/* SPDX-License-Identifier: Apache-2.0
 * Simulation points: the few intervals of a run that stand for all of it (docs/points.md). An interval is a vector with
 * one number for each basic block, the instructions that were executed in it; intervals that do the same have vectors
 * that are near each other. A program of its own, linchpin-points; not a part of the engine. */
#ifndef LP_POINTS_H
#define LP_POINTS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef uint64_t u64;
typedef uint32_t u32;

#define NORETURN __attribute__((noreturn))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

/* What the user has said. */
struct options {
    u32 maxk, dims, seeds, iterations;
    u64 seed;
    double bic;         /* how far between the worst and the best score a number of clusters must be */
    const char *prefix; /* of the files that are written */
    double figures;     /* how much they count in distances, beside the blocks */
    bool page;          /* PREFIX.html, too */
};

void die(const char *fmt, ...) NORETURN PRINTF_LIKE(1, 2);
void *grow(void *array, u64 n, size_t bytes); /* room for one more than n; doubles */

/* --- vectors.c ---------------------------------------------------------------------------------------------------- */
struct entry {
    u32 block;       /* number over all inputs */
    double share;    /* of the interval's instructions */
};
struct interval {
    u64 first;       /* its entries begin there */
    u32 entries;
    u32 input;
    u64 start, length; /* in instructions of its run */
};
struct vectors {
    struct entry *entry;
    u64 nentries;
    struct interval *interval;
    u32 nintervals;
    u32 nblocks;
    u32 ninputs;
    const char *const *name; /* of the inputs */
    u64 *instructions;       /* of each input */
};
void vectors_read(struct vectors *v, int n, char *const *path);
/* Each interval as `dims` numbers; rows of the result. */
double *vectors_project(const struct vectors *v, const struct options *o);
/* A number in [0, 1) that depends on the three and nothing else. */
double random_at(u64 seed, u64 a, u64 b);

/* --- cluster.c ---------------------------------------------------------------------------------------------------- */
struct points_in { /* what is clustered: n rows of dims numbers, each with a weight; the weights' sum is n */
    const double *x, *weight;
    u32 n, dims;
};
struct clusters {
    u32 k;
    u32 *label;     /* of each row */
    double *centre; /* k rows */
    double *weight; /* of each cluster */
    double distortion, score;
};
/* The best of o->seeds runs with k clusters. */
struct clusters cluster(const struct points_in *in, u32 k, const struct options *o);
void clusters_free(struct clusters *c);
/* How many clusters are tried at the most: a third of the rows, or o->maxk. */
u32 cluster_most(u32 rows, const struct options *o);
/* The fewest clusters whose score is good enough, of 1 to cluster_most. */
struct clusters cluster_best(const struct points_in *in, const struct options *o);
double distance2(const double *a, const double *b, u32 dims);

/* --- write.c ------------------------------------------------------------------------------------------------------ */
struct choice {
    const struct vectors *v;
    const struct clusters *c;
    u32 *representative; /* of each cluster: an interval */
    double *share;       /* [input * k + cluster]: of the input's instructions */
    double *error;       /* of each input, 0 to 1 */
};
void choose(struct choice *ch, const struct vectors *v, const struct clusters *c, const struct points_in *in);
FILE *points_create(const struct options *o, const char *ending, char path[4096]); /* PREFIX.ending, or dies */
void points_finish(FILE *f, const char *path);                                      /* closes it, or dies */
void write_files(const struct choice *ch, const struct points_in *in, const struct options *o);
void write_summary(const struct choice *ch, const struct options *o);

/* --- figures.c ---------------------------------------------------------------------------------------------------- */
struct figures { /* what is known of each interval beside its vector */
    char **name;
    u32 n;
    double *value; /* [interval * n + figure] */
    bool is_known; /* the names are */
};
struct prediction { /* of a figure, for one instruction */
    double whole, points;
    double error;     /* of the points: points / whole - 1 */
    double deviation; /* that is to be expected from how far the figure varies within each cluster */
};
/* False: the inputs have no such files. */
bool figures_read(struct figures *f, const struct vectors *v);
/* The rows with the figures as further dimensions; share: how much they count beside the blocks, 1: as much. */
struct points_in figures_join(const struct figures *f, const struct vectors *v, const struct points_in *in,
                              double share);
double figure_rate(const struct figures *f, const struct vectors *v, u32 interval, u32 figure);
struct prediction figures_predict(const struct figures *f, const struct choice *ch, u32 input, u32 figure);
void figures_print(const struct figures *f, const struct choice *ch);
void figures_write(const struct figures *f, const struct choice *ch, const struct options *o);

/* --- page.c ------------------------------------------------------------------------------------------------------- */
/* PREFIX.html, PREFIX.phases.svg and PREFIX.clusters.svg; figures: NULL where there are none. */
void page_write(const struct choice *ch, const struct points_in *in, const struct figures *f, const struct options *o);

#endif
