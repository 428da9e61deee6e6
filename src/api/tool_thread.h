/* SPDX-License-Identifier: Apache-2.0
 * What the tool API keeps for each thread. */
#ifndef LP_API_TOOL_THREAD_H
#define LP_API_TOOL_THREAD_H
#include "base/base.h"

enum tool_ending { ENDING_NONE, ENDING_THREAD, ENDING_PROCESS };

struct tool_thread {
    bool started;                /* the tool's functions for its start have begun */
    bool arrived;                /* at an attach: those are through, or will not run */
    bool told;                   /* those for its end have run */
    u8 ending;                   /* enum tool_ending: which function for an end it is in */
    bool has_buffers;            /* trace buffers (buffer.c): cache code fills them */
};

#endif
