/* SPDX-License-Identifier: Apache-2.0
 * Lists of functions of the tool (struct tool_callback): adding, taking out, order. */
#ifndef LP_API_CALLBACK_LIST_H
#define LP_API_CALLBACK_LIST_H
#include "base/callback.h"

struct tool_callback *tool_callback_add(struct tool_callback **list, void *fn, void *arg);
/* Takes out those with this function, and this argument if arg is given. Nobody walks the list. */
void tool_callback_remove(struct tool_callback **list, const void *fn, void *const *arg);
void tool_callback_reorder(struct tool_callback *c, s32 order);
/* Empties all lists. Nobody walks one. */
void tool_callbacks_forget(void);

#endif
