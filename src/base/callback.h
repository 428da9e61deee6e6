/* SPDX-License-Identifier: Apache-2.0
 * A function of the tool in a list of callbacks, as the code that calls it sees it. The API makes these
 * (api/callback_list.h). */
#ifndef LP_BASE_CALLBACK_H
#define LP_BASE_CALLBACK_H
#include "base/base.h"

struct tool_callback {
    struct tool_callback *next;
    void *fn, *arg;
    s32 order;                      /* CALL_ORDER; equal ones in order of registration */
    struct tool_callback **list;    /* the list that it is in; to change its order, it is taken out and put in again */
    struct tool_callback *earlier;  /* the one that was made before it, in whatever list */
};

#endif
