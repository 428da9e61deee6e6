/* SPDX-License-Identifier: Apache-2.0
 * A function of the tool in a list, as those have it who call it; the API makes them (api/callback_list.h). */
#ifndef LP_BASE_CALLBACK_H
#define LP_BASE_CALLBACK_H
#include "base/base.h"

struct tool_callback {
    struct tool_callback *next;
    void *fn, *arg;
    s32 order;                      /* CALL_ORDER; equal ones in order of registration */
    struct tool_callback **list;    /* it is in; take out and put in again to change its order */
};

#endif
