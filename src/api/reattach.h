/* SPDX-License-Identifier: Apache-2.0
 * A tool that leaves the program by PIN_Detach and can come back by PIN_Attach (reattach.c). */
#ifndef LP_API_REATTACH_H
#define LP_API_REATTACH_H
#include "base/callback.h"

/* The tool wants to leave. False: it is not one that can come back. When it has left, `tell` is called with what *list
 * was. */
bool reattach_leave(struct tool_callback **list, void (*tell)(void *));
/* Is it coming back? */
bool reattach_comes(void);
void reattach_after_fork(void);

/* Of other files of the API, as tools know them, and what they forget. */
void *PIN_GetStoppedThreadWriteableContext(u32 tid);
void PIN_ResumeApplicationThreads(u32 tid);
int CODECACHE_FlushCache(void);
void signals_forget(void);

#endif
