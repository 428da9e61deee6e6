/* SPDX-License-Identifier: Apache-2.0
 * See stub.h. Forks that the debugger wants to hear of (DB17). A child waits at a gate, a socket to its parent, until
 * the debugger has said which of the two it goes on with: the child runs free, or it gets the connection, which it has
 * from the fork, and a thread of its own that serves it. If the parent ends without a word, the child is free. Owns the
 * list of such children; its lock is for that alone. */
#include "debug/stub.h"

#include "os/debugport.h"
#include "os/events.h"
#include "os/hostlock.h"

#include <stdlib.h>

struct fork_gate {
    int pid;      /* 0: not made yet */
    int fd[2];    /* the child's end, the parent's */
    bool told;
    struct fork_gate *next;
};

struct message {
    bool take;
    u64 pass_signals;
};

bool forks_wanted;
static struct fork_gate *list;
static struct hostlock lock = HOSTLOCK(LOCK_DEBUG);

static struct fork_gate **find(const struct fork_gate *g)
{
    struct fork_gate **p = &list;
    while (*p && *p != g)
        p = &(*p)->next;
    return p;
}

/* Takes it out of the list and sends the message, if there is one; the child goes on. */
static void let_go(struct fork_gate *g, const struct message *m)
{
    hostlock_take(&lock);
    *find(g) = g->next;
    hostlock_give(&lock);
    if (m)
        debugport_write(g->fd[1], m, sizeof *m);
    debugport_close(g->fd[0]);
    debugport_close(g->fd[1]);
    free(g);
}

/* --- on the guest thread that forks ------------------------------------------------------------------------------- */

static struct fork_gate *make(void)
{
    struct fork_gate *g = calloc(1, sizeof *g);
    if (g && !debugport_pair(g->fd)) {
        free(g);
        return NULL;
    }
    if (g) {
        hostlock_take(&lock);
        g->next = list;
        list = g;
        hostlock_give(&lock);
    }
    return g;
}

static void parent(struct fork_gate *g, int child)
{
    debugport_close(g->fd[0]);
    g->fd[0] = -1;
    if (child < 0) {
        let_go(g, NULL);
        return;
    }
    g->pid = child;
    control_halt(EVENT_FORK);
}

static void child(struct fork_gate *g)
{
    struct message m = {0};
    bool taken = debugport_read(g->fd[0], &m, sizeof m) == sizeof m && m.take;
    debugport_close(g->fd[0]);
    free(g);
    if (taken)
        stub_take_over(m.pass_signals);
    else
        packet_close();
}

void forks_point(enum os_fork_point point, int pid)
{
    struct debug_thread *d = &vm_tc.debug;
    if (point == OS_FORK_BEFORE) {
        bool own = !vm_tc.os.vfork_child && !vm_tc.os.foreign_mm;
        d->fork = own && forks_wanted && debug_connected() ? make() : NULL;
        return;
    }
    if (!d->fork)
        return;
    if (point == OS_FORK_PARENT) {
        parent(d->fork, pid);
        return;
    }
    struct fork_gate *g = d->fork;
    d->fork = NULL;
    child(g);
}

bool forks_forget(void)
{
    struct fork_gate *own = vm_tc.debug.fork;
    hostlock_reset(&lock);
    for (struct fork_gate *g = list, *next; g; g = next) {
        next = g->next;
        debugport_close(g->fd[1]);
        if (g == own)
            continue;
        debugport_close(g->fd[0]);
        free(g);
    }
    list = NULL;
    return own;
}

/* --- on the debugger's thread, while the guest stands still ------------------------------------------------------- */

static struct fork_gate *told(u64 pid)
{
    for (struct fork_gate *g = list; g; g = g->next)
        if (g->told && (!pid || (u64)g->pid == pid))
            return g;
    return NULL;
}

bool forks_has(u64 pid) { return pid && told(pid); }

void forks_tell(const struct thread *t)
{
    struct fork_gate *g = *find(t->debug.fork); /* it may have been let go */
    if (!g)
        return;
    g->told = true;
    reply_text("fork:p%x.%x;", g->pid, g->pid);
}

bool forks_detach(u64 pid)
{
    struct fork_gate *g = pid ? told(pid) : NULL;
    if (g)
        let_go(g, NULL);
    return g;
}

bool forks_kill(u64 pid)
{
    if (!forks_has(pid))
        return false;
    debugport_kill_child((int)pid);
    return forks_detach(pid);
}

void forks_end(bool follow, u64 pass_signals)
{
    const struct message m = {true, pass_signals};
    struct fork_gate *g = follow ? told(0) : NULL; /* the last one */
    if (g)
        let_go(g, &m);
    while (list)
        let_go(list, NULL);
}
