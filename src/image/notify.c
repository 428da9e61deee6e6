/* SPDX-License-Identifier: Apache-2.0
 * Telling the tool of images, in the order in which they came and went. Owns the queue. No lock is held while a
 * callback runs; an unloaded image lives until its callbacks are through. */
#include "image/image.h"
#include "image/image_private.h"

#include <string.h>

struct event {
    u32 image;
    bool loaded;
};

u32 image_npending;
struct tool_callback *image_load_callbacks, *image_unload_callbacks, *rtn_callbacks;
static struct event *events;
static u32 events_room;

/* --- callbacks ---------------------------------------------------------------------------------------------------- */

static void call_all(struct tool_callback *list, u32 handle)
{
    for (struct tool_callback *c = list; c; c = c->next)
        ((void (*)(u32, void *))c->fn)(handle, c->arg);
}

/* --- events ------------------------------------------------------------------------------------------------------- */

void notify_later(struct image *im, bool loaded)
{
    if (image_npending == events_room) {
        events_room = events_room ? 2 * events_room : 16;
        events = elffile_grow(events, events_room * sizeof *events);
    }
    events[image_npending] = (struct event){im->id, loaded};
    __atomic_store_n(&image_npending, image_npending + 1, __ATOMIC_RELAXED);
}

static bool take_event(struct event *e)
{
    image_lock();
    bool any = image_npending != 0;
    if (any) {
        *e = events[0];
        memmove(events, events + 1, (image_npending - 1) * sizeof *events);
        __atomic_store_n(&image_npending, image_npending - 1, __ATOMIC_RELAXED);
    }
    image_unlock();
    return any;
}

/* The routine at a place in the image's list; 0: no more, or the image is gone. */
static u32 rtn_at_place(u32 image, u32 pos)
{
    image_lock();
    struct image *im = image_get(image);
    u32 id = im && image_rtns(im) && pos < im->nrtns ? im->rtn[pos]->id : 0;
    image_unlock();
    return id;
}

static void tell_loaded(u32 image)
{
    u32 rtn;
    call_all(image_load_callbacks, image);
    for (u32 i = 0; rtn_callbacks && (rtn = rtn_at_place(image, i)); i++)
        call_all(rtn_callbacks, rtn);
    image_lock();
    struct image *im = image_get(image);
    if (im)
        im->announced = true;
    image_unlock();
}

static void tell_unloaded(u32 image)
{
    call_all(image_unload_callbacks, image);
    image_lock();
    struct image *im = image_get(image);
    if (im)
        image_free(im);
    image_unlock();
}

/* The first image after the one with that number that is loaded; 0: none. */
static u32 next_loaded(u32 id)
{
    image_lock();
    struct image *im = image_first();
    while (im && (im->id <= id || im->opened || im->unloaded))
        im = im->next;
    u32 next = im ? im->id : 0;
    image_unlock();
    return next;
}

void image_load_all(void)
{
    image_notify_tool();
    for (u32 id = 0; (id = next_loaded(id));)
        tell_loaded(id);
}

void image_unload_all(void)
{
    image_notify_tool();
    for (u32 id = 0; (id = next_loaded(id));)
        call_all(image_unload_callbacks, id);
}

void image_notify_tool(void)
{
    struct event e;
    while (take_event(&e)) {
        if (e.loaded)
            tell_loaded(e.image);
        else
            tell_unloaded(e.image);
    }
}
