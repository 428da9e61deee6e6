/* SPDX-License-Identifier: Apache-2.0
 * Recording which functions of the API a tool calls (-api_calls). */
#ifndef LP_API_REACHED_H
#define LP_API_REACHED_H
#include "base/base.h"

/* A place where the tool has the address of a function of the engine. */
struct tool_reference {
    void **slot, *target;
    const char *name;
};

/* Each one of a tool that has been opened. */
void reached_references(void *tool, void (*each)(const struct tool_reference *, void *arg), void *arg);
/* From now on the tool calls something else there. */
void reached_lead(const struct tool_reference *ref, void *to);

/* The tool has been opened, its main not called yet. Marks go to DIR/NAME for a tool NAME.so: rows of 64 bytes, a name
 * and in the last four whether it was reached; those of several processes come together there. */
void reached_watch(void *tool, const char *tool_path, const char *dir);
/* An argument of an analysis call was taken (rows `IARG NUMBER` after the others). */
extern bool reached_on;
void reached_note_iarg(u32 iarg);
static inline void reached_iarg(u32 iarg)
{
    if (UNLIKELY(reached_on))
        reached_note_iarg(iarg);
}

#endif
