/* SPDX-License-Identifier: Apache-2.0
 * See stub.h. Programs that are executed in this one's place under the engine (-follow_execv), for a debugger that can
 * be told of them (DB18). The connection goes on over the execve: its descriptor, and in an option for the other engine
 * what that one has to know. From the moment that this is certain nothing more is done here for the debugger. */
#include "debug/stub.h"

#include "os/debugport.h"
#include "os/hostlock.h"
#include "vm/pause.h"

#include <stdio.h>
#include <string.h>

bool execs_wanted;
static u64 let_go; /* a process that the debugger does not know to be without it: execs_detach */
bool execs_told; /* this program was executed so, and the debugger waits to hear of it */

/* Held by the debugger's thread while it does something; by a guest thread while it executes a program. */
static struct hostlock busy = HOSTLOCK(LOCK_STUB);

void execs_busy(void) { hostlock_take(&busy); }
void execs_idle(void) { hostlock_give(&busy); }
void execs_forget(void) { hostlock_reset(&busy); }

/* --- the engine that goes ----------------------------------------------------------------------------------------- */

int execs_option(char option[DEBUG_INHERIT_BYTES])
{
    int fd = packet_fd();
    if (!execs_wanted || !debug_connected() || fd < 0 || (vm_tc.os.vfork_child && !vforks_followed()))
        return -1;
    snprintf(option, DEBUG_INHERIT_BYTES, "%x,%lx,%x,%x", fd, control_passed(), query_state(),
             vm_tc.os.vfork_child ? debugport_parent() : 0);
    return fd;
}

bool execs_begin(int fd)
{
    for (;;) {
        execs_busy();
        if (!debug_connected() || packet_fd() != fd) {
            execs_idle();
            return false;
        }
        if (control_running && !pause_wanted_now()) {
            if (vm_tc.os.vfork_child)
                vm_tc.debug.vfork = VFORK_EXECUTES;
            return true;
        }
        execs_idle();
        pause_leave_call(); /* until it is let go */
        pause_enter_call();
    }
}

void execs_failed(void)
{
    if (vm_tc.os.vfork_child)
        vm_tc.debug.vfork = VFORK_FOLLOWED;
    execs_idle();
}

/* --- the engine that comes ---------------------------------------------------------------------------------------- */

bool execs_inherit(const char *option)
{
    u64 fd, pass, state, parent;
    if (!take_hex(&option, &fd) || !take_char(&option, ',') || !take_hex(&option, &pass) ||
        !take_char(&option, ',') || !take_hex(&option, &state) || !take_char(&option, ',') ||
        !take_hex(&option, &parent))
        return false;
    let_go = parent;
    packet_open(debugport_adopt((int)fd));
    query_restore((u32)state);
    control_pass(pass);
    return execs_told = packet_fd() >= 0;
}

/* The debugger went on with a child of vfork, and lets its parent go now, which has gone on already. */
bool execs_detach(u64 pid)
{
    bool known = pid && pid == let_go;
    let_go = known ? 0 : let_go;
    return known;
}

void execs_tell(void)
{
    const char *path = debugport_program();
    reply_text("exec:");
    reply_hex(path, strlen(path));
    reply_text(";");
}
