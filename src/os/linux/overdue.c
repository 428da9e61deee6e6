/* SPDX-License-Identifier: Apache-2.0
 * See overdue.h. The launcher asks a thread that a detach waits for (docs/design/attach.md, N15). At the end of the
 * process nobody waits but the user: a timer asks. Runs in the engine's handler; takes no lock. */
#include "os/linux/overdue.h"

#include "base/options.h"
#include "os/linux/agent.h"
#include "os/linux/os_init.h"
#include "os/linux/signal_private.h"

#include <time.h>

#define PATIENCE_SECONDS 20

static int timer = -1;
static struct boot_control *control(void) { return (struct boot_control *)&os_boot->control; }

static void say_where(char *out, size_t room, const struct sigframe *f)
{
    base_format(out, room, "code of the engine");
    if (os_events.say_where)
        os_events.say_where(out, room, f->greg[GREG_IP], f->greg[GREG_SP]);
}

static void answer(const struct sigframe *f)
{
    say_where(control()->why, sizeof control()->why, f);
    __atomic_store_n(&control()->answered, vm_tc.os.tid ? vm_tc.os.tid : control()->agent, __ATOMIC_RELEASE);
}

/* --- the end of the process --------------------------------------------------------------------------------------- */

/* The user has no other way to end it, because all signals are blocked by then. */
static void allow_end(struct sigframe *f)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    const struct sig_action plain = {.handler = HANDLER_DEFAULT};
    for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
        signal_set_kernel_action(signals[i], &plain);
        f->mask &= ~SIG_BIT(signals[i]);
    }
}

static void say_overdue(struct sigframe *f)
{
    static char where[1024];
    say_where(where, sizeof where, f);
    allow_end(f);
    msg("the program has ended, but its tool has not: it has been busy for %u seconds, and is in %s. It ends when that "
        "returns, or by Ctrl-C (SIGINT, SIGTERM, SIGHUP): then what the tool has not written is lost",
        options.patience ? options.patience : PATIENCE_SECONDS, where);
}

void os_tool_ends(bool begins)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = POKE_SIGNAL};
    event.sigev_value.sival_ptr = &timer;
    event._sigev_un._tid = (pid_t)arch_raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
    const struct itimerspec limit = {.it_value.tv_sec = options.patience ? options.patience : PATIENCE_SECONDS};
    if (begins && !arch_raw_syscall(SYS_timer_create, CLOCK_MONOTONIC, (u64)&event, (u64)&timer, 0, 0, 0))
        arch_raw_syscall(SYS_timer_settime, (u64)timer, 0, (u64)&limit, 0, 0, 0);
    else if (timer >= 0)
        arch_raw_syscall(SYS_timer_delete, (u64)timer, 0, 0, 0, 0, 0);
}

bool overdue_signal(struct sigframe *f, const siginfo_t *info)
{
    if (info->si_code == ASK_CODE)
        answer(f);
    else if (info->si_code == ABANDON_CODE)
        agent_abandon_tool();
    else if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &timer)
        say_overdue(f);
    else
        return false;
    return true;
}
