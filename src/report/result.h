/* SPDX-License-Identifier: Apache-2.0
 * A result file, as tools write it with -format json, in memory: added up by routine, line, instruction, thread and
 * call path. */
#ifndef LP_REPORT_RESULT_H
#define LP_REPORT_RESULT_H
#include "report/json.h"

#define MAX_METRICS 32u
#define NONE (~0u)

struct routine {
    struct span name;
    u32 image, file, line;
    u64 address;
};

/* Values by key, in the order in which the keys came; `values` has nmetrics words for each. */
struct counts {
    u64 (*key)[2];
    u64 *values;
    u32 n, room, *slot, slots;
};

struct frame {
    u32 image, routine, file, line;
    u64 address;
};

/* A node of the tree of call paths; node 0 is the root. Values are those of paths that end here. */
struct node {
    u32 parent, frame;
};

struct call_edge {
    u32 from, to, file, line;
    u64 count;
};

struct result {
    const char *path;
    const char *text; /* the file */
    size_t bytes;
    struct span tool, program, argv, end, options, executed, notes, metrics, images, timeline, tables, findings;
    s64 status, pid;
    u32 nmetrics;
    u64 totals[MAX_METRICS];
    struct span *image, *file;
    u32 nimages, nfiles;
    struct routine *routine;
    u32 nroutines;
    struct counts by_routine, by_thread, by_image;
    struct counts by_line;        /* by file and line */
    struct counts by_instruction; /* by address */
    u32 (*place)[3];              /* routine, file and line of each instruction */
    struct frame *frame;
    u32 nframes;
    struct node *node;
    u64 *node_values;
    u32 nnodes;
    bool cut;             /* a stack was cut */
    struct call_edge *call;
    u64 *call_values;
    u32 ncalls;
    struct counts texts;  /* address to the place of its text in the file */
    u64 rows;
};

/* Ends with a message if the file cannot be read or is none of ours. */
void result_read(struct result *r, const char *path);
/* Values of key (a, b), which is made if it is not there; from 0. */
u64 *counts_at(struct counts *c, u64 a, u64 b, u32 nmetrics);
/* NULL: not there. */
const u64 *counts_find(const struct counts *c, u64 a, u64 b, u32 nmetrics);
void *result_alloc(void *old, size_t bytes);

int report_main(int argc, char **argv);
int diff_main(int argc, char **argv);

#endif
