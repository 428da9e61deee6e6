/* SPDX-License-Identifier: Apache-2.0
 * Linux state of a guest thread. Written by its own thread only, unless said. */
#ifndef LP_OS_LINUX_THREAD_H
#define LP_OS_LINUX_THREAD_H
#include "base/base.h"
#include "os/linux/boot.h"
#include "os/fault.h"
#include <signal.h>

/* A system call whose entry the tool has seen and that is to be made again (sys_tool.c). */
#define SYS_PUT_BACK 4
struct sys_put_back {
    u64 pc, sp;
    bool here; /* no signal handler was entered since then, or the handler has returned */
};

struct os_section { /* a restartable sequence; [start, end) */
    u64 start, end, abort;
};
struct rseq_descriptor { /* struct rseq_cs of the kernel */
    u32 version, flags;
    u64 start, bytes, abort;
};

#define OS_OPENED_BYTES 256

struct other_call;  /* sys.h */
struct sig_table;   /* the process' signal actions as the guest set them (signal.h) */

/* While the program is recorded or replayed (record/turn.c, record/signals.c). */
struct record_thread {
    u32 number;                /* 0, 1, ...: as the threads were made */
    u32 turn;                  /* 1: the turn was given to it, and it has not seen that yet; it sleeps on it */
    struct thread *next, *next_waits;
    siginfo_t held;            /* a signal that waits for its place, if there is one: `holds` */
    bool holds, fired, at_call;
    bool direct;               /* an event was the last thing that has happened */
};

struct os_thread {
    int tid;
    u64 guest_mask;          /* the guest's signal mask (bit 0 = signal 1) */
    struct sig_table *sigs;  /* shared by the threads of a process; a vfork child has its own copy */
    bool pending;            /* a signal waits for the dispatcher (E13) */
    siginfo_t pending_info;
    /* Synchronous signals that were sent and could not be delivered: they are back in the kernel's queue and blocked
     * there (S5). */
    u64 late_pending;
    u64 shown;               /* signals put back that the tool has seen already (signal_tool.c) */
    bool mask_saved;         /* sigsuspend and friends: saved_mask goes into the next frame */
    u64 saved_mask;
    bool waits_masked;       /* inside such a call, where guest_mask is the temporary one: outer_mask is the guest's */
    u64 outer_mask;
    u64 alt_sp, alt_bytes;   /* guest's sigaltstack */
    u32 alt_flags;
    void *host_alt;          /* the engine's own signal stack for this thread */
    u64 clear_tid;           /* guest's CLONE_CHILD_CLEARTID address */
    u64 robust_head;         /* guest's robust list, known to the kernel too while the thread lives */
    u64 host_robust_head, host_robust_bytes;
    u64 rseq;                /* the area that the guest has registered, 0: none (rseq.c) */
    u32 rseq_bytes, rseq_signature;
    int parent_tid;          /* of the thread that made it; 0: the process' first */
    bool leader;             /* the process' first thread */
    /* Not 0: adopted inside a sleep, and has not yet come to the call that goes on with it (N4). */
    u64 restarts;
    bool adopted;            /* it was there before the engine (adopt.c) */
    bool vfork_child;        /* shares the parent's memory, context and TLS; parent is suspended */
    bool own_fds;            /* a process in another's memory, with descriptors of its own (HF4) */
    bool same_fds;           /* a child of a fork with its parent's own descriptors (CLONE_FILES) */
    void *vfork_state;       /* host memory to be freed by the parent when a vfork child is gone */
    bool foreign_mm;         /* a process of its own in the memory of another one (CLONE_VM without THREAD or VFORK) */
    bool seccomp_strict;     /* strict mode, emulated */
    const void *seccomp_filters; /* the guest's filters, youngest first; TSYNC changes it from another thread */
    u64 kernel_mask;         /* the kernel's mask of the thread, as last set by us or by the handler's return */
    /* Of the last fault that the guest was told of; they are in every later frame, too. */
    u64 fault_trapno, fault_err, fault_cr2;
    u64 xstate_features;     /* what the kernel's frames of this thread hold (grows when AMX is first used) */
    u32 xstate_bytes;        /* and its size, as in the frame's xstate_size */
    bool own_limits;         /* a vfork child that has set one: `limit` holds (limits.c) */
    struct boot_limit limit[BOOT_LIMITS];
    /* A thread of the tool that was sent a signal of the synchronous class: copies must not fault there any more
     * (os_copy_quietly). */
    bool faults_blocked;
    bool frame_failed;       /* the SIGSEGV that is being delivered is for a frame that is not there, and no fault */
    /* Number of the signal that another thread has sent to stop this one (pause.h), 0: none on its way. */
    int stop_signal;
    /* Carrying out a system call of the guest: it will be in the dispatcher before it runs guest code. */
    bool in_syscall;
    bool completing;         /* the engine steps to the end of a guest instruction (dispatch.c) */
    /* Flags of code of the tool's, while one of its instructions runs without the guest's alignment checks; 0: none
     * does. And the signal mask then. */
    u64 unaligned_flags, unaligned_mask;
    struct os_fault_info copy_fault; /* why the last os_safe_copy was short */
    struct sys_put_back put_back[SYS_PUT_BACK];
    u32 next_put_back;
    u64 step_pc;             /* a guest that single-steps itself: the last pc it was told, or entered at */
    u64 step_count;          /* and what its instruction there counted with (arch_step_count) */
    bool traced;             /* has asked to be, by ptrace */
    bool native;             /* the process dies, and this thread leaves the engine (os_leave_dying) */
    u64 left_at;             /* and has left it when its CPU time is this */
    struct boot_timeout timeout; /* adopted inside a wait: what restart_syscall goes on with (adopt.c) */
    u64 timeout_end;         /* of the wait, nanoseconds of the monotonic clock */
    u64 timeout_pc;          /* of its system call instruction */
    bool has_argument;       /* the wait's argument is this one, not the guest's (sys_arg) */
    u64 argument;
    struct boot_dispatch dispatch; /* emulated (sys_dispatch.c): the kernel never knows of it */
    /* Restartable sequences. The guest's section that the thread is in, or was in last; the word that is 0 when it was
     * interrupted there, for cache code; the guest's TLS base when it entered the cache. */
    struct os_section section;
    const u64 *section_word;
    u64 section_tls;
    struct native_thread *identity; /* probe mode (native_thread.h) */
    /* The last file that it has opened for reading by an absolute path that is not longer than this: whoever maps it as
     * code is a loader, and the library has that name (sys_file.c). */
    int opened_fd;
    char opened[OS_OPENED_BYTES]; /* "": none */
    struct rseq_descriptor section_copy[2]; /* what the kernel is told of the section's translation, in turns */
    struct record_thread record;
    const struct other_call *other; /* the call in hand, if it is not the one in the registers (sys_nr) */
    bool vfork_executes;     /* a vfork child is about to execute a program */
    int vfork_parent;        /* tid of the thread that has made the first of such children */
};

#endif
