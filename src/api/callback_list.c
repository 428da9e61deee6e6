/* SPDX-License-Identifier: Apache-2.0
 * See callback_list.h. A list is in the order of CALL_ORDER, then of registration. Those who change a list hold
 * image_lock; those who walk it need no lock. */
#include "api/callback_list.h"

#include "image/image.h"

#define ORDER_DEFAULT 200

static void insert(struct tool_callback *c)
{
    struct tool_callback **at = c->list;
    while (*at && (*at)->order <= c->order)
        at = &(*at)->next;
    c->next = *at;
    *at = c;
}

struct tool_callback *tool_callback_add(struct tool_callback **list, void *fn, void *arg)
{
    struct tool_callback *c = elffile_alloc(sizeof *c);
    *c = (struct tool_callback){NULL, fn, arg, ORDER_DEFAULT, list};
    image_lock();
    insert(c);
    image_unlock();
    return c;
}

void tool_callback_reorder(struct tool_callback *c, s32 order)
{
    image_lock();
    struct tool_callback **at = c->list;
    while (*at && *at != c)
        at = &(*at)->next;
    if (*at)
        *at = c->next;
    c->order = order;
    insert(c);
    image_unlock();
}
