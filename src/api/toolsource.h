/* SPDX-License-Identifier: Apache-2.0
 * The tool's own source: lines and parameters (toolsource.c). */
#ifndef LP_API_TOOLSOURCE_H
#define LP_API_TOOLSOURCE_H
#include "base/base.h"

struct toolsource_place {
    char file[512];
    int line;
    const char *api; /* the function of the API that was called, NULL: not known */
};

/* The tool has been loaded; the path must stay. */
void toolsource_init(const char *path, u64 base);
/* The line of an address in the tool. False: not known. */
bool toolsource_line(u64 address, struct toolsource_place *out);
/* The line that has called the API function from which this is called. */
bool toolsource_caller(struct toolsource_place *out);
/* Does it point into the tool's file, as a text constant does? */
bool toolsource_has(const void *p);

/* How many parameters a routine has: several answers where identical functions have become one. */
struct toolsource_count {
    bool any;       /* it may take any number, or it is not known */
    u32 n;          /* of `count`; 0: not known */
    int count[8];
    char name[256]; /* with its types */
};
const struct toolsource_count *toolsource_parameters(void *fn);

#endif
