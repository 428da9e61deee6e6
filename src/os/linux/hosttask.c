/* SPDX-License-Identifier: Apache-2.0
 * The list of the process' threads that are not the guest's: made by a tool (hostthread.c). No lock: slots change by
 * compare and swap. */
#include "os/linux/hostfd.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TASKS_MAX 8192

/* 0: free. An ended thread stays in the list until its slot or its number is wanted, because it is in /proc a little
 * longer than its function runs. */
static int tasks[TASKS_MAX];
static u32 used FORK_WRITES;             /* slots from here on were never used */

static bool is_alive(int tid) { return syscall(SYS_tgkill, getpid(), tid, 0) == 0 || errno != ESRCH; }

void hosttask_note(int tid)
{
    for (u32 i = 0; i < TASKS_MAX; i++) {
        int was = __atomic_load_n(&tasks[i], __ATOMIC_ACQUIRE);
        if (was && was != tid && is_alive(was))
            continue;
        if (!__atomic_compare_exchange_n(&tasks[i], &was, tid, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            continue;
        u32 seen = __atomic_load_n(&used, __ATOMIC_RELAXED);
        while (seen <= i &&
               !__atomic_compare_exchange_n(&used, &seen, i + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            ;
        return;
    }
}

static u32 slots(void) { return __atomic_load_n(&used, __ATOMIC_ACQUIRE); }

void hosttask_forget(int tid)
{
    for (u32 i = 0; i < slots(); i++) {
        int was = tid;
        __atomic_compare_exchange_n(&tasks[i], &was, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    }
}

void hosttask_after_fork(void)
{
    if (used) /* else no page is copied for nothing */
        memset(tasks, 0, used * sizeof *tasks);
    used = 0;
}

bool hosttask_is(int tid)
{
    for (u32 i = 0; i < slots() && tid > 0; i++)
        if (__atomic_load_n(&tasks[i], __ATOMIC_ACQUIRE) == tid)
            return true;
    return false;
}

bool hosttask_any(void) { return slots() != 0; }
