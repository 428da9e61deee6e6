/* SPDX-License-Identifier: Apache-2.0
 * Stopping the application's threads for the tool, and their contexts (vm/pause.h). Only the thread that has stopped
 * them uses the views. Rules CC5 to CC7. */
#include "vm/client.h"
#include "opt/objects.h"
#include "context.h"
#include "vm/pause.h"

#include <stdlib.h>
#include <string.h>

struct view {
    struct bridge_state was, now;
    struct thread *thread;
    struct view *next;
};

static struct view *views;

/* A tool that is linked with this function may use it at any time: then threads keep to the rules of pause.h. Other
 * tools pay nothing. */
static int stop_threads(u32 tid)
{
    (void)tid;
    if (client_held()) /* a thread that waits for the lock cannot be stopped */
        return 0;
    return pause_all();
}

typedef int stop_fn(u32);
static stop_fn *resolve_stop(void) __attribute__((used)); /* the ifunc attribute below refers to it by its name */
static stop_fn *resolve_stop(void)
{
    pause_enable();
    return stop_threads;
}

int PIN_StopApplicationThreads(u32 tid) __attribute__((ifunc("resolve_stop")));

static void give_changes(struct view *v)
{
    u32 n = sizeof v->was / sizeof(u64);
    if (memcmp(&v->was, &v->now, sizeof v->was))
        pause_change(v->thread, (u64 *)&v->was, (u64 *)&v->now, n);
}

void PIN_ResumeApplicationThreads(u32 tid)
{
    (void)tid;
    for (struct view *v = views, *next; v; v = next) {
        next = v->next;
        give_changes(v);
        free(v);
    }
    views = NULL;
    if (!pause_resume())
        api_misuse("PIN_ResumeApplicationThreads", NULL, 0,
                   "the calling thread has not stopped the application's threads");
}

u32 PIN_GetStoppedThreadCount(void) { return pause_count(); }

u32 PIN_GetStoppedThreadId(u32 i)
{
    const struct thread *t = pause_nth(i);
    return t ? t->id : ~0u;
}

static struct thread *find(u32 tid)
{
    for (u32 i = 0; i < pause_count(); i++)
        if (pause_nth(i)->id == tid)
            return pause_nth(i);
    return NULL;
}

/* The context that the thread will go on with: its state, with a change that it has not applied yet. */
static void fill(struct bridge_state *s, const struct thread *t, const struct pause_change *c)
{
    u64 *word = (u64 *)s;
    s->kind = CONTEXT_COPY;
    context_take(s, &t->cpu);
    s->fs_base = t->vm.pause_tls;
    for (u32 i = 0; c && i < c->n; i++)
        if (c->word[i] != c->word[c->n + i])
            word[i] = c->word[c->n + i];
}

static struct bridge_state *context_of(u32 tid)
{
    struct thread *t = find(tid);
    struct view *v = views;
    while (v && v->thread != t)
        v = v->next;
    if (!t || v)
        return t ? &v->now : NULL;
    v = aligned_alloc(64, sizeof *v);
    if (!v)
        return NULL;
    memset(v, 0, sizeof *v);
    v->thread = t;
    fill(&v->was, t, NULL);
    fill(&v->now, t, __atomic_load_n(&t->vm.pause_change, __ATOMIC_ACQUIRE));
    v->next = views;
    views = v;
    return &v->now;
}

const void *PIN_GetStoppedThreadContext(u32 tid) { return context_of(tid); }
void *PIN_GetStoppedThreadWriteableContext(u32 tid) { return context_of(tid); }
