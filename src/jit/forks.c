/* SPDX-License-Identifier: Apache-2.0
 * See forks.h. Owns the memory for notes and what is done with them; makes no code itself. Under jit_lock. */
#include "jit/forks.h"

#include "base/options.h"
#include "jit/jit_internal.h"
#include "os/hostmem.h"

#include <sys/mman.h>

#define NOTES 1024u
#define BY_EACH 512u /* child at most, its first ones */

struct note {
    u64 from, to; /* keys of traces; from 0: none */
    u32 exit;     /* of from */
    bool indirect;
};

struct notes {
    u32 n; /* may grow beyond what there is room for */
    struct note note[NOTES];
};

bool forks_noting FORK_WRITES;
static struct notes *children FORK_WRITES; /* what this process' children write */
static struct notes *parents FORK_WRITES;  /* where this process writes, a child itself */
static u32 left FORK_WRITES;

static void *room; /* for the first notes of this process or one before it; NULL: they are there */

void forks_reserve(void) { room = hostmem_map(sizeof(struct notes), PROT_READ | PROT_WRITE); }

static struct notes *make_shared(void)
{
    size_t bytes = PAGE_UP(sizeof(struct notes));
    void *p = room ? room : hostmem_map(bytes, PROT_READ | PROT_WRITE);
    room = NULL;
    if (!p)
        return NULL;
    if (mmap(p, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == p)
        return p;
    hostmem_unmap(p, bytes);
    return NULL;
}

static void link_noted(const struct note *n, struct trace *to)
{
    const struct trace *from = n->from ? dir_find(n->from) : NULL;
    if (!from || n->exit >= from->nexits || options.no_link)
        return;
    struct exit *x = exit_get(from->first_exit + n->exit);
    if (x->kind == EXIT_KIND_BRANCH && x->target == to->pc && x->version == to->version)
        link_exit(x, to);
}

/* FK4: children write at any time, so the parts of a note need not belong together. */
static void do_noted(struct note n)
{
    u64 fetch_fault;
    struct trace *t = n.to ? jit_trace(n.to, 0, n.indirect, &fetch_fault) : NULL;
    if (!t)
        return;
    link_noted(&n, t);
    if (n.indirect)
        jit_make_indirect(t);
}

void forks_before(void)
{
    if (options.tool || (!children && !(children = make_shared())))
        return;
    u32 n = __atomic_exchange_n(&children->n, 0, __ATOMIC_ACQ_REL);
    for (u32 i = 0; i < n && i < NOTES; i++)
        do_noted(children->note[i]);
}

void forks_child(void)
{
    if (parents)
        hostmem_unmap(parents, sizeof *parents);
    parents = children;
    children = NULL;
    left = BY_EACH;
    forks_noting = parents != NULL;
}

void forks_note(const struct exit *from, const struct trace *t, bool indirect)
{
    if (t->version || (from && exit_from(from)->version))
        return;
    u32 i = __atomic_fetch_add(&parents->n, 1, __ATOMIC_ACQ_REL);
    if (i < NOTES) {
        const struct trace *f = from ? exit_from(from) : NULL;
        u32 exit = f ? (u32)(from - exit_get(f->first_exit)) : 0;
        parents->note[i] = (struct note){f ? trace_key(f) : 0, trace_key(t), exit, indirect};
    }
    forks_noting = i < NOTES && --left;
}
