/* SPDX-License-Identifier: Apache-2.0
 * What the engine's agent does by itself: linchpin dump PID (the tool writes its results so far; docs/design/attach.md,
 * N16), and in probe mode linchpin detach (PB15). This side stops no thread of the program: the request goes into
 * the boot block, a signal wakes the agent (in probe mode it looks by itself), and this side waits until one more is
 * counted there. Only a program that was launched in probe mode has no agent: one of its threads is sent (patch.c). */
#include "launch/launch.h"
#include "launch/target.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define GONE_TICKS 100u
#define TICK_NS 1000000
#define PATIENCE_SECONDS 5

static void read_control(const struct target *t, struct boot_control *now)
{
    if (!target_read_control(t, now)) {
        target_check_ended(t);
        target_refused(t, errno);
    }
}

static void write_request(const struct target *t, u32 request)
{
    if (!target_write(t, t->boot + offsetof(struct boot_info, control.request), &request, sizeof request))
        die(1, "process %d: its memory cannot be written: %s", t->pid, strerror(errno));
}

/* The agent sleeps on the request, and only a signal wakes it from another process; with this code it says where it is,
 * which nobody reads. */
static void wake(const struct target *t, const struct boot_control *control)
{
    siginfo_t info = {.si_signo = (int)control->poke_signal, .si_code = control->ask_code};
    if (!control->native && syscall(SYS_rt_tgsigqueueinfo, t->pid, control->agent, info.si_signo, &info))
        die(1, "process %d: the engine in it cannot be woken: %s", t->pid, strerror(errno));
}

void dump_ask(const struct target *t, u32 request, struct boot_control *now)
{
    static const struct timespec tick = {0, TICK_NS};
    struct timespec begun, at;
    bool said = false;
    u32 gone = 0;
    read_control(t, now);
    u32 served = now->served;
    if (now->request)
        die(1, "process %d: somebody else is asking it for something; try again", t->pid);
    write_request(t, request);
    bool sent = now->agent;
    if (sent)
        wake(t, now);
    clock_gettime(CLOCK_MONOTONIC, &begun);
    do {
        sent = sent || patch_errand(t);
        nanosleep(&tick, NULL);
        read_control(t, now);
        gone = now->left && !now->agent && !now->errand ? gone + 1 : 0;
        if (now->served == served && gone > GONE_TICKS) /* it had left before it could see the request */
            die(1, "process %d: its tool has left it", t->pid);
        clock_gettime(CLOCK_MONOTONIC, &at);
        if (!said && at.tv_sec - begun.tv_sec > PATIENCE_SECONDS) {
            said = true;
            msg("process %d: its tool takes long to answer. The program runs meanwhile; Ctrl-C does not wait for it",
                t->pid);
        }
    } while (now->served == served);
}

int dump_main(int argc, char **argv)
{
    static struct target target;
    struct boot_control control;
    pid_t pid = options_pid("dump", argc == 1 ? argv[0] : "");
    need_proc();
    target_open(&target, pid);
    if (!target.boot) {
        target_check_ended(&target);
        die(1, "process %d does not run under Linchpin", pid);
    }
    read_control(&target, &control);
    if (control.left && !control.agent)
        die(1, "process %d: its tool has left it", pid);
    if (!control.agent && !control.native)
        die(1, "process %d: its tool has no results to give on request (lp_add_results_function)", pid);
    dump_ask(&target, BOOT_DUMP, &control);
    if (control.state == BOOT_REFUSED)
        die(1, "process %d: %s", pid, control.why);
    return 0;
}
