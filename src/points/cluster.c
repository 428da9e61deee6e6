/* SPDX-License-Identifier: Apache-2.0
 * k-means with weights, several starts, and the Bayesian information criterion for the number of clusters. The same
 * seed gives the same clusters: every random number depends on the seed, the number of clusters, the start and the
 * step only, and sums are made in the order of the rows. */
#include "points.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_VARIANCE 1e-12 /* rows that are all the same have none, and no logarithm */

double distance2(const double *a, const double *b, u32 dims)
{
    double sum = 0;
    for (u32 d = 0; d < dims; d++)
        sum += (a[d] - b[d]) * (a[d] - b[d]);
    return sum;
}

static const double *row(const struct points_in *in, u32 i) { return in->x + (size_t)i * in->dims; }
static double *centre(const struct clusters *c, const struct points_in *in, u32 k)
{
    return c->centre + (size_t)k * in->dims;
}

static void *array(size_t n, size_t bytes)
{
    void *p = calloc(n ? n : 1, bytes);
    if (!p)
        die("no memory for the clusters");
    return p;
}

void clusters_free(struct clusters *c)
{
    free(c->label);
    free(c->centre);
    free(c->weight);
}

/* --- the start: each next centre is a row, the likelier the further it is from those that there are --------------- */

static u32 pick(const struct points_in *in, const double *far, double at)
{
    double sum = 0;
    for (u32 i = 0; i < in->n; i++)
        sum += far[i] * in->weight[i];
    at *= sum;
    for (u32 i = 0; i < in->n; i++) {
        at -= far[i] * in->weight[i];
        if (at < 0)
            return i;
    }
    return in->n - 1;
}

static void place_centres(struct clusters *c, const struct points_in *in, u64 seed)
{
    double *far = array(in->n, sizeof *far);
    for (u32 i = 0; i < in->n; i++)
        far[i] = 1;
    for (u32 k = 0; k < c->k; k++) {
        u32 at = pick(in, far, random_at(seed, c->k, k));
        memcpy(centre(c, in, k), row(in, at), in->dims * sizeof(double));
        for (u32 i = 0; i < in->n; i++) {
            double d = distance2(row(in, i), row(in, at), in->dims);
            far[i] = k == 0 || d < far[i] ? d : far[i];
        }
    }
    free(far);
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

static u32 nearest(const struct clusters *c, const struct points_in *in, u32 i, double *distance)
{
    u32 best = 0;
    *distance = DBL_MAX;
    for (u32 k = 0; k < c->k; k++) {
        double d = distance2(row(in, i), centre(c, in, k), in->dims);
        if (d < *distance) {
            *distance = d;
            best = k;
        }
    }
    return best;
}

/* False: no label has changed. */
static bool assign(struct clusters *c, const struct points_in *in)
{
    bool changed = false;
    c->distortion = 0;
    for (u32 i = 0; i < in->n; i++) {
        double d;
        u32 k = nearest(c, in, i, &d);
        changed |= k != c->label[i];
        c->label[i] = k;
        c->distortion += d * in->weight[i];
    }
    return changed;
}

static void move_centres(struct clusters *c, const struct points_in *in)
{
    memset(c->weight, 0, c->k * sizeof *c->weight);
    memset(c->centre, 0, (size_t)c->k * in->dims * sizeof *c->centre);
    for (u32 i = 0; i < in->n; i++) {
        double *to = centre(c, in, c->label[i]);
        c->weight[c->label[i]] += in->weight[i];
        for (u32 d = 0; d < in->dims; d++)
            to[d] += row(in, i)[d] * in->weight[i];
    }
    for (u32 k = 0; k < c->k; k++)
        for (u32 d = 0; d < in->dims && c->weight[k] > 0; d++)
            centre(c, in, k)[d] /= c->weight[k];
}

/* A cluster that has lost all rows gets the row that is furthest from its own centre. */
static bool fill_empty(struct clusters *c, const struct points_in *in)
{
    bool any = false;
    for (u32 k = 0; k < c->k; k++) {
        u32 far = in->n;
        double most = 0;
        for (u32 i = 0; i < in->n && c->weight[k] <= 0; i++) {
            double d = distance2(row(in, i), centre(c, in, c->label[i]), in->dims);
            if (d > most) {
                most = d;
                far = i;
            }
        }
        if (far == in->n)
            continue;
        c->label[far] = k;
        move_centres(c, in);
        any = true;
    }
    return any;
}

/* Takes clusters away that have no rows, as there are when fewer rows than clusters differ. */
static void drop_empty(struct clusters *c, const struct points_in *in)
{
    u32 kept = 0;
    for (u32 k = 0; k < c->k; k++) {
        if (c->weight[k] <= 0)
            continue;
        for (u32 i = 0; i < in->n && kept != k; i++)
            if (c->label[i] == k)
                c->label[i] = kept;
        memmove(centre(c, in, kept), centre(c, in, k), in->dims * sizeof(double));
        c->weight[kept++] = c->weight[k];
    }
    c->k = kept;
}

static struct clusters run(const struct points_in *in, u32 k, u64 seed, u32 iterations)
{
    struct clusters c = {.k = k};
    c.label = array(in->n, sizeof *c.label);
    c.centre = array((size_t)k * in->dims, sizeof *c.centre);
    c.weight = array(k, sizeof *c.weight);
    memset(c.label, 0xff, in->n * sizeof *c.label);
    place_centres(&c, in, seed);
    for (u32 i = 0; i < iterations && assign(&c, in); i++) {
        move_centres(&c, in);
        fill_empty(&c, in);
    }
    assign(&c, in);
    move_centres(&c, in);
    drop_empty(&c, in);
    return c;
}

/* --- how good ----------------------------------------------------------------------------------------------------- */

/* After Pelleg and Moore: the likelihood of the rows in spheres around the centres, less a penalty for each number that
 * describes them. */
static double score_of(const struct clusters *c, const struct points_in *in)
{
    double n = in->n, k = c->k, dims = in->dims, sum = 0;
    double variance = in->n > c->k ? c->distortion / (n - k) : 0;
    variance = variance > LEAST_VARIANCE ? variance : LEAST_VARIANCE;
    for (u32 i = 0; i < c->k; i++) {
        double w = c->weight[i];
        sum += w * log(w) - w * log(n) - w / 2 * log(2 * M_PI) - w * dims / 2 * log(variance) - (w - k) / 2;
    }
    return sum - k * (dims + 1) / 2 * log(n);
}

struct clusters cluster(const struct points_in *in, u32 k, const struct options *o)
{
    struct clusters best = {0};
    for (u32 s = 0; s < o->seeds; s++) {
        struct clusters c = run(in, k, o->seed + 1 + s, o->iterations);
        if (s && c.distortion >= best.distortion) {
            clusters_free(&c);
            continue;
        }
        if (s)
            clusters_free(&best);
        best = c;
    }
    best.score = score_of(&best, in);
    return best;
}

/* With hardly more rows than clusters the variance is no estimate: rows that are clusters of their own would win. */
u32 cluster_most(u32 rows, const struct options *o)
{
    u32 most = (rows + 2) / 3;
    return o->maxk < most ? o->maxk : most;
}

struct clusters cluster_best(const struct points_in *in, const struct options *o)
{
    u32 n = cluster_most(in->n, o), best = 0;
    struct clusters *c = array(n, sizeof *c);
    double low = DBL_MAX, high = -DBL_MAX;
    for (u32 k = 0; k < n; k++) {
        c[k] = cluster(in, k + 1, o);
        low = c[k].score < low ? c[k].score : low;
        high = c[k].score > high ? c[k].score : high;
    }
    double enough = low + o->bic * (high - low);
    enough = enough < high ? enough : high; /* the sum may be rounded up, beyond the best */
    while (c[best].score < enough)
        best++;
    struct clusters chosen = c[best];
    for (u32 k = 0; k < n; k++)
        if (k != best)
            clusters_free(&c[k]);
    free(c);
    return chosen;
}
