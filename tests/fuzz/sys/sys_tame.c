/* SPDX-License-Identifier: Apache-2.0
 * Calls that would wait for ever, use the machine up, act later at a time of their own, or are known to be different, are changed here into ones that do not; the same on both sides. */
#include "sys.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
#define MUCH (16ul << 20)
#define LONGEST_FILTER 4000
#define FIRST_TABLE 64

static void at_most(u64 *value, u64 limit)
{
    if (*value > limit && *value < 1ul << 62)
        *value = limit;
}

static void tame_memory(struct call *c)
{
    u64 *a = c->arg;
    switch (c->nr) {
    case SYS_mmap:
        a[3] &= ~(u64)MAP_HUGETLB; /* what there is of them is the machine's matter */
        if (a[1] > MUCH)
            a[3] &= ~(u64)(MAP_POPULATE | MAP_LOCKED | MAP_32BIT); /* the engine has some of the gigabyte that MAP_32BIT is about */
        if (a[3] & MAP_FIXED && a[1] > 1ul << 39)
            a[3] &= ~(u64)(MAP_FIXED | MAP_FIXED_NOREPLACE);
        if (a[0] == st.engine) { /* natively there is room */
            a[3] &= ~(u64)(MAP_FIXED | MAP_FIXED_NOREPLACE);
            a[0] = 0;
        }
        break;
    case SYS_get_mempolicy: case SYS_process_madvise: case SYS_set_mempolicy_home_node: /* these see the engine's memory */
        for (int i = 0; i < 4; i++)
            a[i] = a[i] == st.engine ? HOLE : a[i];
        break;
    case SYS_mremap: /* the low addresses are the program's own */
        if (a[3] & MREMAP_FIXED && a[4] < 1ul << 32)
            a[4] = ARENA;
        if (a[4] == st.engine)
            a[4] = ARENA;
        break;
    case SYS_shmat:
        if (a[1] == st.engine)
            a[1] = 0;
        break;
    case SYS_brk: /* the code cache of a program below 2 GiB is there, too (docs/limits.md) */
        if (a[0] > st.brk + (1ul << 30) && a[0] < 1ul << 47)
            a[0] = st.brk + PAGE;
        break;
    case SYS_shmget:
        at_most(&a[1], MUCH);
        break;
    }
}

static bool in_buffer(u64 addr, u64 bytes)
{
    return addr >= DATA && addr < READ_ONLY && (addr - DATA) % BUFFER_STRIDE + bytes <= BUFFER_PAGES * PAGE;
}

/* Loaded without ptrace, the program's own file is not busy (docs/limits.md). */
static void tame_own_file(u64 path, u64 *flags)
{
    if (in_buffer(path, 8) && !__builtin_memcmp((void *)path, "/proc/", 6))
        *flags &= ~(u64)(O_ACCMODE | O_TRUNC);
}

static void tame_files(struct call *c)
{
    u64 *a = c->arg;
    if (c->nr == SYS_open)
        tame_own_file(a[0], &a[1]);
    if (c->nr == SYS_openat)
        tame_own_file(a[1], &a[2]);
    switch (c->nr) {
    case SYS_open: a[1] |= O_NONBLOCK; break;
    case SYS_openat: a[2] |= O_NONBLOCK; break;
    case SYS_mknod: /* a pipe with a name would block who opens it */
        if (S_ISFIFO(a[1]))
            a[1] ^= S_IFIFO;
        break;
    case SYS_mknodat:
        if (S_ISFIFO(a[2]))
            a[2] ^= S_IFIFO;
        break;
    case SYS_flock: a[1] |= 4; break; /* LOCK_NB */
    case SYS_fcntl:
        if ((u32)a[1] == F_SETLKW || (u32)a[1] == F_OFD_SETLKW)
            a[1]--;
        if ((u32)a[1] == F_SETFL)
            a[2] |= O_NONBLOCK;
        break;
    case SYS_pipe: /* without a flag: reads would wait */
        c->nr = SYS_pipe2;
        a[1] = O_NONBLOCK;
        break;
    case SYS_pipe2: a[1] |= O_NONBLOCK; break;
    case SYS_eventfd:
        c->nr = SYS_eventfd2;
        a[1] = O_NONBLOCK;
        break;
    case SYS_eventfd2: case SYS_timerfd_create: case SYS_inotify_init1: a[1] |= O_NONBLOCK; break;
    case SYS_inotify_init:
        c->nr = SYS_inotify_init1;
        a[0] = O_NONBLOCK;
        break;
    case SYS_signalfd:
        c->nr = SYS_signalfd4;
        a[3] = O_NONBLOCK;
        break;
    case SYS_signalfd4: a[3] |= O_NONBLOCK; break;
    case SYS_userfaultfd: a[0] |= O_NONBLOCK; break;
    case SYS_socket: case SYS_socketpair: a[1] |= O_NONBLOCK; break;
    case SYS_ioctl:
        if ((u32)a[1] == 0x5421) /* FIONBIO */
            a[1]++;
        break;
    case SYS_fallocate: at_most(&a[3], 1 << 20); break;
    case SYS_splice: case SYS_tee: a[c->nr == SYS_splice ? 5 : 3] |= 2; break; /* SPLICE_F_NONBLOCK */
    case SYS_vmsplice: a[3] |= 2; break;
    case SYS_mq_open: a[1] |= O_NONBLOCK; break;
    }
}

static void tame_waits(struct call *c)
{
    u64 *a = c->arg;
    switch (c->nr) {
    case SYS_poll: a[2] = 0; break;
    case SYS_pselect6: /* beyond its table of descriptors, which an engine's descriptor makes larger, the kernel does not look */
        at_most(&a[0], FIRST_TABLE);
        break;
    case SYS_select: /* more than a million microseconds are seconds to it */
        if (in_buffer(a[4], 16) && ((u64 *)a[4])[1] > 1000000)
            ((u64 *)a[4])[1] = 1000;
        at_most(&a[0], FIRST_TABLE);
        break;
    case SYS_epoll_wait: case SYS_epoll_pwait: a[3] = 0; break;
    case SYS_io_uring_enter: a[1] = a[2] = 0; break;
    case SYS_io_getevents: case SYS_io_pgetevents: a[1] = 0; break;
    case SYS_wait4: a[2] |= 1; break; /* WNOHANG */
    case SYS_waitid: a[3] |= 1; break;
    case SYS_semop: case SYS_semtimedop: a[0] |= 1u << 30; break; /* of nothing: their operations may wait */
    case SYS_msgsnd: case SYS_msgrcv: a[c->nr == SYS_msgsnd ? 3 : 4] |= 04000; break; /* IPC_NOWAIT */
    case SYS_recvfrom: case SYS_sendto: a[3] |= 0x40; break; /* MSG_DONTWAIT */
    case SYS_recvmsg: case SYS_sendmsg: a[2] |= 0x40; break;
    case SYS_recvmmsg: case SYS_sendmmsg: a[3] |= 0x40; break;
    case SYS_alarm: a[0] = 0; break;
    case SYS_clock_nanosleep: /* the time that the process has used stands still while it sleeps */
        if ((u32)a[0] == CLOCK_PROCESS_CPUTIME_ID || (int)a[0] < 0)
            a[0] = CLOCK_MONOTONIC;
        break;
    case SYS_futex: /* the time of a bit set or a lock is a point in time, all of which are past */
        if ((a[1] & 127) == FUTEX_LOCK_PI || (a[1] & 127) == FUTEX_LOCK_PI2 || (a[1] & 127) == FUTEX_WAIT_REQUEUE_PI)
            a[1] = FUTEX_TRYLOCK_PI;
        if (!a[3])
            a[3] = HOLE;
        break;
    case SYS_futex_waitv:
        if (!a[3])
            a[3] = HOLE;
        break;
    }
}

static bool is_fault(u64 sig)
{
    return sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGFPE || sig == SIGTRAP;
}

/* A signalfd shows the code of a fault otherwise, where the signal was only sent (docs/limits.md). */
static void tame_code(u64 sig, u64 info)
{
    if (is_fault(sig) && in_buffer(info, 16) && ((int *)info)[2] > 0)
        ((int *)info)[2] = SI_QUEUE;
}

/* Nobody here waits for a child that has another parent, so it must leave nothing in our memory. */
static u64 without_traces(u64 flags)
{
    return flags & CLONE_PARENT ? flags & ~(u64)(CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID) : flags;
}

static void tame_filter(u64 program)
{
    if (in_buffer(program, 2) && *(uint16_t *)program > LONGEST_FILTER)
        *(uint16_t *)program = LONGEST_FILTER;
}

static void tame_processes(struct call *c)
{
    u64 *a = c->arg;
    /* whether they are for the thread or for the process is not to be told later (docs/limits.md) */
    if (c->nr == SYS_rt_sigqueueinfo && is_fault((u32)a[1]))
        a[1] = SIGUSR1;
    if (c->nr == SYS_rt_tgsigqueueinfo && is_fault((u32)a[2]))
        a[2] = SIGUSR1;
    if (c->nr == SYS_pidfd_send_signal)
        tame_code((u32)a[1], a[2]);
    switch (c->nr) {
    case SYS_prctl:
        /* known to be refused under the engine; a filter that the log would not survive */
        if ((u32)a[0] == PR_SET_SYSCALL_USER_DISPATCH || ((u32)a[0] == PR_SET_SECCOMP && a[1] == 1))
            a[0] = 1000;
        if ((u32)a[0] == PR_SET_PDEATHSIG || (u32)a[0] == PR_SET_TSC) /* its parent goes on; rdtsc is the C library's, too */
            a[0] = PR_GET_TSC;
        if ((u32)a[0] == PR_SET_SECCOMP)
            tame_filter(a[2]);
        break;
    case SYS_seccomp: /* neither strict mode, nor a filter that leaves no room for the engine's (docs/limits.md) */
        if (a[0] == 0)
            a[0] = 1000;
        tame_filter(a[2]);
        break;
    case SYS_kill: case SYS_tkill: case SYS_rt_sigqueueinfo: case SYS_tgkill: case SYS_rt_tgsigqueueinfo: /* nobody else; -1 is everybody */
        if ((u32)a[0] == ~0u || (u32)a[0] == 1 || (u32)a[0] == st.parent)
            a[0] = st.pid;
        if ((u32)a[0] > 0x80000000)
            a[0] = 0x80000000;
        break;
    case SYS_setrlimit: case SYS_getrlimit: /* of CPU time */
        if ((u32)a[0] == 0 || (u32)a[0] == 15)
            a[0] = 100;
        break;
    case SYS_prlimit64:
        if ((u32)a[1] == 0 || (u32)a[1] == 15)
            a[1] = 100;
        break;
    case SYS_unshare:
        a[0] &= ~(u64)(CLONE_NEWPID | CLONE_NEWTIME | CLONE_NEWUSER | CLONE_NEWNS); /* who may do what changes */
        break;
    case SYS_clone:
        a[0] &= ~(u64)(CLONE_PTRACE | CLONE_NEWUSER);
        a[0] = without_traces(a[0]);
        break;
    case SYS_clone3:
        if (in_buffer(a[0], 80))
            ((u64 *)a[0])[0] = without_traces(((u64 *)a[0])[0]);
        /* the number of a thread cannot be chosen (docs/limits.md) */
        if (in_buffer(a[0], 80) && ((u64 *)a[0])[0] & CLONE_THREAD)
            ((u64 *)a[0])[8] = ((u64 *)a[0])[9] = 0;
        break;
    }
}

void call_tame(struct call *c)
{
    tame_memory(c);
    tame_files(c);
    tame_waits(c);
    tame_processes(c);
}
