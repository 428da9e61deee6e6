/* SPDX-License-Identifier: Apache-2.0
 * See callback_list.h. A list is in the order of CALL_ORDER, then of registration. Those who change a list hold
 * image_lock; those who walk it need no lock. */
#include "api/callback_list.h"

#include "api/usage.h"
#include "image/image.h"

#define ORDER_DEFAULT 200

static struct tool_callback *latest; /* all that were ever added */

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
    usage_need_init(NULL);
    struct tool_callback *c = elffile_alloc(sizeof *c);
    *c = (struct tool_callback){NULL, fn, arg, ORDER_DEFAULT, list, NULL};
    image_lock();
    insert(c);
    c->earlier = latest;
    latest = c;
    image_unlock();
    return c;
}

/* They stay where they are: the tool may still have one in its hand. */
void tool_callbacks_forget(void)
{
    image_lock();
    for (; latest; latest = latest->earlier)
        *latest->list = NULL;
    image_unlock();
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

void tool_callback_remove(struct tool_callback **list, const void *fn, void *const *arg)
{
    image_lock();
    for (struct tool_callback **at = list; *at;)
        if ((*at)->fn == fn && (!arg || (*at)->arg == *arg))
            *at = (*at)->next;
        else
            at = &(*at)->next;
    image_unlock();
}
