/* SPDX-License-Identifier: Apache-2.0
 * See stub.h. Children of vfork (DB19), which have the memory of their parent, and its thread's state: the stub in it
 * sees both. On the thread that makes the child (in the child, and afterwards in the parent), and on the debugger's
 * thread while that one stands still. */
#include "debug/stub.h"

#include "os/debugport.h"
#include "os/events.h"
#include "os/hostlock.h"
#include "vm/pause.h"

#include <string.h>

bool vforks_wanted;
static bool leaves; /* the connection is that of a program which a child has executed */

bool vforks_leave(void) { return __atomic_exchange_n(&leaves, false, __ATOMIC_ACQ_REL); }

/* --- on the guest thread ------------------------------------------------------------------------------------------ */

bool vforks_followed(void) { return vm_tc.debug.vfork == VFORK_FOLLOWED; }

/* In the parent, whose thread goes on. */
static void ended(bool executed)
{
    struct debug_thread *d = &vm_tc.debug;
    enum debug_vfork was = d->vfork;
    d->vfork = VFORK_NONE;
    if (was == VFORK_EXECUTES) {
        __atomic_store_n(&leaves, true, __ATOMIC_RELEASE);
        execs_idle(); /* the child has taken it */
    } else if (was == VFORK_FOLLOWED && executed) {
        static const char text[] = "The program executes another one, which this debugger does not see.\n";
        packet_print(text, strlen(text));
        __atomic_store_n(&leaves, true, __ATOMIC_RELEASE);
    } else if (was != VFORK_NONE && debug_connected()) {
        d->vfork_status = was == VFORK_FOLLOWED ? debugport_child_status(d->vfork_child) : 0;
        control_halt(was == VFORK_FOLLOWED ? EVENT_VFORK_END : EVENT_VFORK_DONE);
        return;
    }
    control_ring();
}

void vforks_point(enum os_fork_point point, int child)
{
    struct debug_thread *d = &vm_tc.debug;
    if (point != OS_VFORK_CHILD) {
        if (d->vfork)
            ended(point == OS_VFORK_EXECUTED);
        return;
    }
    if (!vforks_wanted || !debug_connected())
        return;
    d->vfork = VFORK_TOLD;
    d->vfork_child = child;
    control_halt(EVENT_VFORK);
}

/* --- whose thread? ------------------------------------------------------------------------------------------------ */

/* As the debugger sees it. */
struct identity vforks_identity(const struct thread *t)
{
    if (t->debug.vfork == VFORK_FOLLOWED)
        return (struct identity){t->debug.vfork_child, t->debug.vfork_child};
    return (struct identity){debugport_pid(), t->os.vfork_child ? t->os.vfork_parent : t->os.tid};
}

/* A child that the debugger has been told of, and has not let go. */
static struct thread *child_of(u64 pid)
{
    for (u32 i = 0; pid && i < pause_count(); i++) {
        const struct debug_thread *d = &pause_nth(i)->debug;
        if ((d->vfork == VFORK_TOLD || d->vfork == VFORK_FOLLOWED) && (u64)d->vfork_child == pid)
            return pause_nth(i);
    }
    return NULL;
}

bool vforks_has(u64 pid) { return child_of(pid); }

struct thread *vforks_follow(u64 pid)
{
    struct thread *t = child_of(pid);
    if (t)
        t->debug.vfork = VFORK_FOLLOWED;
    return t;
}

bool vforks_detach(u64 pid)
{
    struct thread *t = child_of(pid);
    if (t)
        t->debug.vfork = VFORK_FREE;
    return t;
}

bool vforks_kill(u64 pid)
{
    if (!child_of(pid))
        return false;
    debugport_kill_child((int)pid);
    return vforks_detach(pid);
}

void vforks_end(void)
{
    for (u32 i = 0; i < pause_count(); i++)
        pause_nth(i)->debug.vfork = VFORK_NONE;
}

/* --- packets ------------------------------------------------------------------------------------------------------ */

void vforks_tell(const struct thread *t)
{
    if (t->debug.event == EVENT_VFORK)
        reply_text("vfork:p%x.%x;", t->debug.vfork_child, t->debug.vfork_child);
    else
        reply_text("vforkdone:;");
}

void vforks_tell_end(const struct thread *t)
{
    int status = t->debug.vfork_status;
    reply_begin();
    reply_text("%c%02x;process:%x", status < 0 ? 'X' : 'W', status < 0 ? signal_to_protocol(-status) : status,
               t->debug.vfork_child);
    reply_send();
}
