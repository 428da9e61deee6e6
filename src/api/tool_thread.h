/* SPDX-License-Identifier: Apache-2.0
 * What the tool API keeps for each thread. */
#ifndef LP_API_TOOL_THREAD_H
#define LP_API_TOOL_THREAD_H
#include "base/base.h"

struct tool_thread {
    bool started;                /* the tool's functions for its start have begun */
    bool told;                   /* those for its end have run */
    bool has_buffers;            /* trace buffers (buffer.c): cache code fills them */
};

#endif
