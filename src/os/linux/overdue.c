/* SPDX-License-Identifier: Apache-2.0
 * See overdue.h. The launcher asks a thread that a detach waits for (docs/design/attach.md, N15). At the end of the
 * process, and where a signal of the program's waits, nobody waits but the user: a timer asks. Runs in the engine's
 * handler; takes no lock. */
#include "os/linux/overdue.h"

#include "base/options.h"
#include "os/linux/agent.h"
#include "os/linux/os_init.h"
#include "os/linux/signal_private.h"

#include <time.h>

#define PATIENCE_SECONDS 20

static int timer = -1;     /* for the end of the process */
static int waits_timer;    /* for a signal that waits, */
static int waits_tid FORK_WRITES; /* of this thread's; 0: there is no such timer */
static u32 seconds(void) { return options.patience ? options.patience : PATIENCE_SECONDS; }
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
        seconds(), where);
}

/* It sends the calling thread the question; `which` says to whom the answer belongs. */
static bool start_timer(int *which)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = POKE_SIGNAL};
    event.sigev_value.sival_ptr = which;
    event._sigev_un._tid = (pid_t)arch_raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
    const struct itimerspec limit = {.it_value.tv_sec = seconds()};
    if (arch_raw_syscall(SYS_timer_create, CLOCK_MONOTONIC, (u64)&event, (u64)which, 0, 0, 0))
        return false;
    arch_raw_syscall(SYS_timer_settime, (u64)*which, 0, (u64)&limit, 0, 0, 0);
    return true;
}

static void end_timer(const int *which) { arch_raw_syscall(SYS_timer_delete, (u64)*which, 0, 0, 0, 0, 0); }

void os_tool_ends(bool begins)
{
    if (!begins && timer >= 0)
        end_timer(&timer);
    else if (begins && !start_timer(&timer))
        timer = -1;
}

/* --- a signal that waits ------------------------------------------------------------------------------------------ */

/* One thread at a time has a timer: where a routine does not return, one message is enough. */
void overdue_wait_begins(void)
{
    int nobody = 0;
    if (vm_tc.os.vfork_child || vm_tc.os.foreign_mm || !vm_tc.os.tid ||
        !__atomic_compare_exchange_n(&waits_tid, &nobody, vm_tc.os.tid, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    if (!start_timer(&waits_timer))
        __atomic_store_n(&waits_tid, 0, __ATOMIC_RELEASE);
}

/* What the timer has sent is seen before the call returns, because the signal is open: nothing of it is left when the
 * thread goes on natively. */
void overdue_wait_ends(void)
{
    if (LIKELY(!waits_tid) || waits_tid != vm_tc.os.tid || vm_tc.os.vfork_child || vm_tc.os.foreign_mm)
        return;
    end_timer(&waits_timer);
    __atomic_store_n(&waits_tid, 0, __ATOMIC_RELEASE);
}

void overdue_after_fork_child(void) { waits_tid = 0; } /* timers are the parent's */

static void say_waits(const struct sigframe *f)
{
    char where[1024];
    if (!signal_slot_full())
        return;
    say_where(where, sizeof where, f);
    msg("signal %d waits for the tool: thread %d of the program is to get it, and has been busy for %u seconds in %s. "
        "The program gets it when that returns; SIGKILL ends the program now, and loses what the tool has not written",
        vm_tc.os.pending_info.si_signo, vm_tc.os.tid, seconds(), where);
}

bool overdue_signal(struct sigframe *f, const siginfo_t *info)
{
    if (info->si_code == ASK_CODE)
        answer(f);
    else if (info->si_code == ABANDON_CODE)
        agent_abandon_tool();
    else if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &timer)
        say_overdue(f);
    else if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &waits_timer)
        say_waits(f);
    else
        return false;
    return true;
}
