/* SPDX-License-Identifier: Apache-2.0
 * Two results side by side: routines by name and image, lines by file and number, rows of tables by their key. */
#ifndef LP_REPORT_COMPARE_H
#define LP_REPORT_COMPARE_H
#include "report/result.h"

struct compared {
    struct span name, place; /* routine and image's name without its folder; file and nothing */
    u32 line;                /* 0: a routine */
    u64 *a, *b;              /* values of the metrics that both have */
    double weight;           /* what the two differ by, as a part of the totals */
};

struct comparison {
    u32 nmetrics, of_a[MAX_METRICS], of_b[MAX_METRICS]; /* metrics of the same name */
    struct compared *row; /* those that differ most first */
    u32 n;
};

/* A table that both have: rows by the text columns before the first other one, with the numbers of that column. */
struct compared_table {
    struct span title, column;
    struct comparison rows; /* of one metric; name: the key */
};

void compare_routines(struct comparison *c, const struct result *a, const struct result *b);
void compare_lines(struct comparison *c, const struct result *a, const struct result *b);
/* How many; in the order of the first result. */
u32 compare_tables(struct compared_table **tables, const struct result *a, const struct result *b);
/* The i-th metric's name. */
struct span compare_metric(const struct result *r, u32 i);

#endif
