/* SPDX-License-Identifier: Apache-2.0
 * Argument lists that tools build while they run. A list is the tool's own: no lock. What an insertion takes from it,
 * it copies. */
#include "api/insert.h"

#include <stdlib.h>

static struct arg_list *checked(const char *call, struct arg_list *list)
{
    if (!list)
        api_misuse(call, NULL, 0, "the list is NULL");
    return list;
}

struct arg_list *IARGLIST_Alloc(void)
{
    struct arg_list *list = malloc(sizeof *list);
    if (!list)
        die(1, "out of memory for argument lists");
    arg_list_init(list);
    return list;
}

void IARGLIST_AddArguments(struct arg_list *list, ...)
{
    va_list ap;
    va_start(ap, list);
    arg_list_read("IARGLIST_AddArguments", checked("IARGLIST_AddArguments", list), ap);
    va_end(ap);
}

void IARGLIST_Free(struct arg_list *list) { free(checked("IARGLIST_Free", list)); }
