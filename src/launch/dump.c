/* SPDX-License-Identifier: Apache-2.0
 * linchpin dump PID: the tool in a process writes its results so far (docs/design/attach.md, N16). Nothing is traced
 * and no thread of the program is stopped: the request goes into the boot block, a signal wakes the engine's agent,
 * which calls the tool, and this side waits until the agent has counted one more dump. */
#include "launch/launch.h"
#include "launch/target.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TICK_NS 1000000

static struct target target;

static void read_control(struct boot_control *now)
{
    if (!target_read_control(&target, now)) {
        target_check_ended(&target);
        target_refused(&target, errno);
    }
}

static void write_request(void)
{
    static const u32 request = BOOT_DUMP;
    if (!target_write(&target, target.boot + offsetof(struct boot_info, control.request), &request, sizeof request))
        die(1, "process %d: its memory cannot be written: %s", target.pid, strerror(errno));
}

/* The agent sleeps on the request, and only a signal wakes it from another process; with this code it says where it is,
 * which nobody reads. */
static void wake(const struct boot_control *control)
{
    siginfo_t info = {.si_signo = (int)control->poke_signal, .si_code = control->ask_code};
    if (syscall(SYS_rt_tgsigqueueinfo, target.pid, control->agent, info.si_signo, &info))
        die(1, "process %d: the engine in it cannot be woken: %s", target.pid, strerror(errno));
}

int dump_main(int argc, char **argv)
{
    struct boot_control before, now;
    static const struct timespec tick = {0, TICK_NS};
    pid_t pid = options_pid("dump", argc == 1 ? argv[0] : "");
    need_proc();
    target_open(&target, pid);
    if (!target.boot) {
        target_check_ended(&target);
        die(1, "process %d does not run under Linchpin", pid);
    }
    read_control(&before);
    if (!before.agent)
        die(1, "process %d: its tool has no results to give on request (lp_add_results_function)", pid);
    if (before.request)
        die(1, "process %d: somebody else is asking it for something; try again", pid);
    write_request();
    wake(&before);
    do {
        nanosleep(&tick, NULL);
        read_control(&now);
    } while (now.dumps == before.dumps);
    return 0;
}
