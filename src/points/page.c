/* SPDX-License-Identifier: Apache-2.0
 * Pictures: which phase each interval is in, over time, and where the clusters lie, as SVG and together on one page
 * that needs no network. A line over the phases is the figure `cycles`, where it is known. */
#include "points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 1000.0
#define STRIP 34.0 /* height of an input's phases */
#define CURVE 90.0 /* of the line above them */
#define GAP 30.0
#define SIDE 460.0  /* of the picture of clusters */
#define STEPS 1000u /* of a line at the most */
#define DOTS 4000u  /* intervals that are drawn at the most */

struct page {
    const struct choice *ch;
    const struct points_in *in;
    const struct figures *f; /* NULL: none */
    u32 cycles;              /* the figure of that name; f->n: there is none */
};

/* Neighbours in the list of clusters are far from each other on the circle of hues. */
static void colour(FILE *f, u32 cluster)
{
    fprintf(f, "hsl(%u,%u%%,%u%%)", (u32)(cluster * 137.508) % 360,
            cluster % 2 ? 55u : 70u, cluster % 3 == 2 ? 40u : 52u);
}

static void escaped(FILE *f, const char *text)
{
    for (; *text; text++)
        if (*text == '<' || *text == '>' || *text == '&' || *text == '"')
            fprintf(f, "&#%d;", *text);
        else
            fputc(*text, f);
}

static bool has_curve(const struct page *p) { return p->f && p->cycles < p->f->n; }

/* --- phases over time --------------------------------------------------------------------------------------------- */

struct input_range {
    u32 from, to;
};

static struct input_range range_of(const struct vectors *v, u32 input)
{
    struct input_range r = {0, 0};
    while (r.from < v->nintervals && v->interval[r.from].input != input)
        r.from++;
    for (r.to = r.from; r.to < v->nintervals && v->interval[r.to].input == input;)
        r.to++;
    return r;
}

/* Where an instruction of the input's run is. */
static double at(const struct vectors *v, u32 input, u64 instruction)
{
    return WIDTH * (double)instruction / (double)v->instructions[input];
}

/* Intervals of the same cluster that follow each other are one rectangle. */
static void write_strip(FILE *f, const struct page *p, u32 input, double y)
{
    const struct vectors *v = p->ch->v;
    const u32 *label = p->ch->c->label;
    struct input_range r = range_of(v, input);
    for (u32 i = r.from, end; i < r.to; i = end) {
        for (end = i + 1; end < r.to && label[end] == label[i];)
            end++;
        double x = at(v, input, v->interval[i].start);
        double to = at(v, input, v->interval[end - 1].start + v->interval[end - 1].length);
        fprintf(f, "<rect x='%.2f' y='%.1f' width='%.2f' height='%.1f' fill='", x, y, to - x, STRIP);
        colour(f, label[i]);
        fprintf(f, "'><title>cluster %u, intervals %u to %u</title></rect>\n", label[i], i - r.from, end - 1 - r.from);
    }
    for (u32 k = 0; k < p->ch->c->k; k++) {
        const struct interval *i = &v->interval[p->ch->representative[k]];
        double x = at(v, input, i->start + i->length / 2);
        if (i->input == input)
            fprintf(f, "<path class='mark' d='M%.2f %.1fl-5 9h10z'><title>the point of cluster %u</title></path>\n", x,
                    y + STRIP + 2, k);
    }
}

static double rate(const struct page *p, u32 i) { return figure_rate(p->f, p->ch->v, i, p->cycles); }

static void write_curve(FILE *f, const struct page *p, u32 input, double y)
{
    const struct vectors *v = p->ch->v;
    struct input_range r = range_of(v, input);
    u32 step = (r.to - r.from) / STEPS + 1;
    double most = 0;
    for (u32 i = r.from; i < r.to; i++)
        most = fmax(most, rate(p, i));
    fprintf(f, "<polyline class='curve' points='");
    for (u32 i = r.from; i < r.to; i += step) {
        double sum = 0;
        u32 n = 0;
        for (; n < step && i + n < r.to; n++)
            sum += rate(p, i + n);
        double height = most > 0 ? (CURVE - 12) * sum / n / most : 0;
        fprintf(f, "%.2f,%.2f %.2f,%.2f ", at(v, input, v->interval[i].start), y + CURVE - height,
                at(v, input, v->interval[i + n - 1].start + v->interval[i + n - 1].length), y + CURVE - height);
    }
    fprintf(f, "'/>\n<text x='0' y='%.1f'>%.2f cycles for an instruction</text>\n", y + 8, most);
}

static const char style[] = "<style>text{font:12px sans-serif;fill:currentColor}.curve{fill:none;stroke:currentColor;"
                            "stroke-width:1.2}.mark{fill:currentColor}</style>\n";

static void write_phases(FILE *f, const struct page *p)
{
    const struct vectors *v = p->ch->v;
    double each = GAP + (has_curve(p) ? CURVE : 0) + STRIP + 14, y = 0;
    fprintf(f, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %.0f %.0f' role='img' aria-label='phases'>\n%s",
            WIDTH, each * v->ninputs, style);
    for (u32 input = 0; input < v->ninputs; input++, y += each) {
        double top = y + GAP;
        fprintf(f, "<text x='0' y='%.1f'>", y + GAP - 12);
        escaped(f, v->name[input]);
        fprintf(f, ": %lu instructions</text>\n", v->instructions[input]);
        if (has_curve(p))
            write_curve(f, p, input, top);
        write_strip(f, p, input, top + (has_curve(p) ? CURVE : 0));
    }
    fprintf(f, "</svg>\n");
}

/* --- clusters in the plane of the two directions in which the vectors differ most -------------------------------- */

struct plane {
    double *mean, *axis[2];
};

static double *numbers(u32 n)
{
    double *x = calloc(n, sizeof *x);
    if (!x)
        die("no memory for the page");
    return x;
}

static double along(const struct points_in *in, const struct plane *s, u32 i, u32 axis)
{
    double sum = 0;
    for (u32 d = 0; d < in->dims; d++)
        sum += (in->x[(size_t)i * in->dims + d] - s->mean[d]) * s->axis[axis][d];
    return sum;
}

static void make_unit(double *x, u32 n)
{
    double sum = 0;
    for (u32 d = 0; d < n; d++)
        sum += x[d] * x[d];
    for (u32 d = 0; d < n && sum > 0; d++)
        x[d] /= sqrt(sum);
}

/* One step of the power method for the axis: the sum of the rows, each as long as it is along the axis; then without
 * what it has of the first axis. */
static void turn_axis(const struct points_in *in, struct plane *s, u32 axis, double *to)
{
    memset(to, 0, in->dims * sizeof *to);
    for (u32 i = 0; i < in->n; i++) {
        double a = along(in, s, i, axis) * in->weight[i];
        for (u32 d = 0; d < in->dims; d++)
            to[d] += a * (in->x[(size_t)i * in->dims + d] - s->mean[d]);
    }
    double common = 0;
    for (u32 d = 0; d < in->dims && axis; d++)
        common += to[d] * s->axis[0][d];
    for (u32 d = 0; d < in->dims && axis; d++)
        to[d] -= common * s->axis[0][d];
    make_unit(to, in->dims);
    memcpy(s->axis[axis], to, in->dims * sizeof *to);
}

static struct plane find_plane(const struct points_in *in)
{
    struct plane s = {numbers(in->dims), {numbers(in->dims), numbers(in->dims)}};
    double *to = numbers(in->dims);
    for (u32 i = 0; i < in->n; i++)
        for (u32 d = 0; d < in->dims; d++)
            s.mean[d] += in->x[(size_t)i * in->dims + d] * in->weight[i] / in->n;
    for (u32 axis = 0; axis < 2; axis++) {
        for (u32 d = 0; d < in->dims; d++)
            s.axis[axis][d] = 2 * random_at(axis, d, 7) - 1;
        make_unit(s.axis[axis], in->dims);
        for (u32 step = 0; step < 100; step++)
            turn_axis(in, &s, axis, to);
    }
    free(to);
    return s;
}

struct frame { /* what of the plane is drawn */
    double least[2], most[2];
};

static struct frame find_frame(const struct points_in *in, const struct plane *s)
{
    struct frame r = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    for (u32 i = 0; i < in->n; i++)
        for (u32 axis = 0; axis < 2; axis++) {
            r.least[axis] = fmin(r.least[axis], along(in, s, i, axis));
            r.most[axis] = fmax(r.most[axis], along(in, s, i, axis));
        }
    return r;
}

static double place(const struct frame *r, u32 axis, double x)
{
    double size = r->most[axis] - r->least[axis];
    return 12 + (SIDE - 24) * (size > 0 ? (x - r->least[axis]) / size : 0.5);
}

static void write_dot(FILE *f, const struct page *p, const struct plane *s, const struct frame *r, u32 i, bool chosen)
{
    double x = place(r, 0, along(p->in, s, i, 0)), y = place(r, 1, along(p->in, s, i, 1));
    fprintf(f, "<circle cx='%.2f' cy='%.2f' r='%u' fill='", x, y, chosen ? 6u : 3u);
    colour(f, p->ch->c->label[i]);
    fprintf(f,
            chosen ? "' stroke='currentColor' stroke-width='2'><title>the point of cluster %u</title></circle>\n"
                   : "' fill-opacity='.5'><title>cluster %u</title></circle>\n",
            p->ch->c->label[i]);
}

static void write_clusters(FILE *f, const struct page *p)
{
    struct plane s = find_plane(p->in);
    struct frame r = find_frame(p->in, &s);
    fprintf(f, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %.0f %.0f' role='img' aria-label='clusters'>\n%s",
            SIDE, SIDE, style);
    for (u32 i = 0; i < p->in->n; i += p->in->n / DOTS + 1)
        write_dot(f, p, &s, &r, i, false);
    for (u32 k = 0; k < p->ch->c->k; k++)
        write_dot(f, p, &s, &r, p->ch->representative[k], true);
    fprintf(f, "</svg>\n");
    free(s.mean);
    free(s.axis[0]);
    free(s.axis[1]);
}

/* --- the page ---------------------------------------------------------------------------------------------------- */

static void write_points_table(FILE *f, const struct page *p)
{
    const struct choice *ch = p->ch;
    fprintf(f, "<table><tr><th>cluster<th>interval<th>from instruction<th>instructions");
    for (u32 input = 0; input < ch->v->ninputs; input++) {
        fprintf(f, "<th>weight");
        if (ch->v->ninputs > 1)
            fprintf(f, " in %u", input);
    }
    for (u32 k = 0; k < ch->c->k; k++) {
        const struct interval *i = &ch->v->interval[ch->representative[k]];
        fprintf(f, "\n<tr><td><i style='background:");
        colour(f, k);
        fprintf(f, "'></i>%u<td>", k);
        if (ch->v->ninputs > 1)
            fprintf(f, "%u:", i->input);
        fprintf(f, "%u<td>%lu<td>%lu", ch->representative[k] - range_of(ch->v, i->input).from, i->start, i->length);
        for (u32 input = 0; input < ch->v->ninputs; input++)
            fprintf(f, "<td>%.2f%%", 100 * ch->share[input * ch->c->k + k]);
    }
    fprintf(f, "</table>\n");
}

static void write_predictions(FILE *f, const struct page *p, u32 input)
{
    fprintf(f, "<h3>");
    escaped(f, p->ch->v->name[input]);
    fprintf(f, "</h3>\n<table><tr><th>for 1000 instructions<th>whole run<th>from points<th>error<th>expected");
    for (u32 i = 0; i < p->f->n; i++) {
        struct prediction q = figures_predict(p->f, p->ch, input, i);
        fprintf(f, "\n<tr><td>");
        escaped(f, p->f->name[i]);
        fprintf(f, "<td>%.4f<td>%.4f<td>%.2f%%<td>%.2f%%", 1000 * q.whole, 1000 * q.points, 100 * q.error,
                q.whole > 0 ? 100 * q.deviation / q.whole : 0);
    }
    fprintf(f, "</table>\n");
}

static const char head[] =
    "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
    "<title>simulation points</title>\n<style>:root{color-scheme:light dark}body{font:15px/1.5 sans-serif;max-width:"
    "1060px;margin:2em auto;padding:0 1em}svg{width:100%;height:auto;display:block}.square{max-width:460px}table{"
    "border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{padding:.15em .8em;text-align:right}th{border-"
    "bottom:1px solid}td:first-child,th:first-child{text-align:left}i{display:inline-block;width:.8em;height:.8em;"
    "margin-right:.5em}</style>\n<h1>Simulation points</h1>\n";

static void write_page(FILE *f, const struct page *p)
{
    const struct choice *ch = p->ch;
    fprintf(f,
            "%s<p>%u intervals are in %u clusters; a point of each stands for all of its kind.</p>\n<h2>Phases over "
            "time</h2>\n",
            head, ch->v->nintervals, ch->c->k);
    write_phases(f, p);
    fprintf(f, "<h2>Clusters</h2>\n<p>The two directions in which intervals differ most; points have a rim.</p>\n"
               "<div class=square>\n");
    write_clusters(f, p);
    fprintf(f, "</div>\n<h2>Points</h2>\n");
    write_points_table(f, p);
    fprintf(f, "<h2>Blocks</h2>\n<p>Executed in another share than in the whole run:");
    for (u32 input = 0; input < ch->v->ninputs; input++)
        fprintf(f, " %.2f%%", 100 * ch->error[input]);
    fprintf(f, "</p>\n");
    if (!p->f)
        return;
    fprintf(f, "<h2>Figures</h2>\n<p>From the points, each times its weight, and from the whole run. Expected is the "
               "error that "
               "one interval of each cluster, chosen at random, would have.</p>\n");
    for (u32 input = 0; input < ch->v->ninputs; input++)
        write_predictions(f, p, input);
}

void page_write(const struct choice *ch, const struct points_in *in, const struct figures *figures,
                const struct options *o)
{
    static const struct {
        const char *ending;
        void (*write)(FILE *f, const struct page *p);
    } files[] = {{"html", write_page}, {"phases.svg", write_phases}, {"clusters.svg", write_clusters}};
    struct page p = {ch, in, figures, 0};
    while (figures && p.cycles < figures->n && strcmp(figures->name[p.cycles], "cycles") != 0)
        p.cycles++;
    for (u32 i = 0; i < sizeof files / sizeof *files; i++) {
        char path[4096];
        FILE *f = points_create(o, files[i].ending, path);
        files[i].write(f, &p);
        points_finish(f, path);
    }
}
