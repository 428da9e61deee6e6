/* SPDX-License-Identifier: Apache-2.0
 * The boot block: what the launcher (src/launch: ptrace injector, in-process loader) hands to the engine. The block is
 * mapped into the process; its address comes in the host's auxiliary vector under AT_LINCHPIN. Types only. */
#ifndef LP_BOOT_H
#define LP_BOOT_H
#include "base/base.h"
#include "boot_regs.h"

#define AT_LINCHPIN 0x4c494e43ul /* "LINC" */
#define BOOT_MAGIC 0x4c50424f4f543031ul
#define BOOT_XSTATE_BYTES 16384
#define BOOT_RANGES 16
#define BOOT_HOLES 8
#define BOOT_TEXT_BYTES 65536

enum boot_mode { BOOT_LAUNCH, BOOT_INPROC, BOOT_ATTACH };

struct boot_range {
    u64 start, end;
};

/* The limits that the engine's memory counts against. They are raised for the engine as far as possible; limits.c
 * keeps the guest's own. */
enum { BOOT_LIMIT_AS, BOOT_LIMIT_DATA, BOOT_LIMITS };
struct boot_limit {
    u64 soft, hard;
};

/* System calls that a thread gets as SIGSYS (PR_SET_SYSCALL_USER_DISPATCH), as the thread has asked for it. The layout
 * is that of the kernel's struct ptrace_sud_config. */
struct boot_dispatch {
    u64 mode; /* PR_SYS_DISPATCH_*; 0: off */
    u64 selector, start, bytes;
};

/* A system call that waited and is to be made again with what is left of its time. */
struct boot_timeout {
    u64 nr;       /* 0: none */
    u32 arg;      /* which argument is the time: */
    bool ms;      /* milliseconds, or the address of a struct timespec */
    u64 left_ns;
    u64 noted;    /* when that was left, in the launcher's clock; 0: just now */
};

/* The second argument of an exit_group, which has one only, by which the engine tells the launcher that attaches that
 * it is the program that ends. */
#define BOOT_END_PROGRAM 0x656e6470726f67ul

/* A guest thread on its way in (attach: the launcher fills it) or out (detach: both do, see struct boot_control). */
enum boot_how {
    BOOT_RUNS,
    BOOT_HALTS,    /* it has come to the dispatcher and stands in arch_trap: its state is in its context */
    BOOT_IN_CALL,  /* it waits in a system call of the guest's, in a gate: regs and xstate are the hardware's there */
    BOOT_GONE,
};
struct boot_thread {
    s32 tid;
    u32 how;                             /* enum boot_how */
    u64 context;                         /* detach: the engine's struct thread */
    /* detach: address of a word; not 0: the thread is inside a guest function that the tool called, and has to come out
     * first */
    u64 busy;
    /* detach: address of a word; not 0: a signal would spoil a sleep that the thread is about to go on with */
    u64 fragile;
    struct user_regs_struct regs;        /* guest state; if a system call is to be made again, the pc is before it */
    struct user_regs_struct start;       /* attach: where the thread goes on, set by the engine */
    u64 sigmask;
    u64 alt_sp, alt_flags, alt_bytes;    /* detach: the guest's sigaltstack, as the kernel takes it */
    u64 clear_tid;                       /* detach */
    u64 rseq;                            /* the registered area, 0: none */
    u32 rseq_bytes, rseq_signature;
    struct boot_dispatch dispatch;
    struct boot_timeout timeout;         /* attach: its next call is restart_syscall then */
    u64 xstate_bytes;
    u8 xstate[BOOT_XSTATE_BYTES] __attribute__((aligned(64)));
};

/* Between the engine's agent (agent.c) and the launcher, which traces it. The agent sets `state` and stops in
 * arch_trap. */
enum boot_state {
    BOOT_COMING_UP,
    BOOT_ADOPTS,       /* attach: the threads' `start` is set */
    BOOT_UP,
    BOOT_REFUSED,      /* `why` says so; nothing has changed */
    BOOT_LEAVING,      /* no guest thread goes into the cache any more; threads and gates are listed */
    BOOT_TOOL_DONE,    /* the tool's functions have run */
    BOOT_LEFT,         /* all of the process' state but mappings and threads is the guest's again */
};
#define BOOT_LEAVE 1u
#define BOOT_GO_ON 3u
#define BOOT_DUMP 4u
struct boot_control {
    u32 state;         /* enum boot_state */
    /* Set to BOOT_LEAVE: detach; BOOT_DUMP: the tool writes its results so far, and `served` grows. The agent sleeps on
     * it. After BOOT_LEAVING the agent goes on with the detach only if it finds BOOT_GO_ON here: else the launcher has
     * given up. */
    u32 request;
    s32 agent;         /* its thread; 0: there is none */
    u32 nthreads, ngates, nranges;
    u64 threads;       /* struct boot_thread[nthreads] */
    /* u64[ngates]: the pc after each of the system call instructions that guest calls are made with */
    u64 gates;
    u64 ranges;        /* struct boot_range[nranges]: to be unmapped, the list itself included */
    u64 trap_pc;       /* pc of a thread that stops in arch_trap */
    u32 poke_signal;
    s32 poke_code;     /* takes a thread to the dispatcher */
    u32 allowed;       /* PR_SET_PTRACER was used to let the launcher in */
    s32 ask_code;      /* the signal with this code: the thread says in `why` where in the tool it is, */
    s32 answered;      /* and puts its number here */
    s32 abandon_code;  /* with this one, for the agent: it gives up the tool's functions */
    u32 served;        /* requests that were dealt with inside: BOOT_DUMP, in probe mode BOOT_LEAVE, too */
    u32 native;        /* probe mode: handlers are the program's, so the agent is sent no signal and looks by itself */
    u64 errand;        /* probe mode without an agent: a struct boot_patches whose one visit deals with a request */
    u32 left;          /* probe mode: every probe is taken out for good; the engine stays in memory */
    char why[1024];
};

/* Functions in the vdso of an IA-32 program, 0: none. */
struct boot_narrow_vdso {
    u64 call, sigreturn, rt_sigreturn;
};

#define BOOT_FORMER 16
struct boot_info {
    u64 magic;
    u32 bytes;                           /* sizeof: launcher and engine agree */
    u32 mode;                            /* enum boot_mode */
    struct user_regs_struct regs;        /* guest state at its first instruction; fs_base and gs_base 0 */
    u64 sigmask;                         /* guest's signal mask */
    u64 xstate_bytes;                    /* ptrace's NT_X86_XSTATE image */
    u8 xstate[BOOT_XSTATE_BYTES] __attribute__((aligned(64)));
    u64 brk;                             /* the guest's break */
    struct boot_range placeholder;       /* PROT_NONE mapping to unmap before the guest runs; 0,0: none */
    /* More of the same: holes between the guest's own mappings (images with distant or aligned segments). */
    u32 nholes;
    struct boot_range hole[BOOT_HOLES];  /* to unmap together with the placeholder */
    /* Host mappings made by the way in: this block, ld.so, the engine, host stack, launcher's image. */
    u32 nhost;
    struct boot_range host[BOOT_RANGES];
    struct boot_range image[2];          /* launched: the guest's program and its interpreter, whole pages; 0,0: none */
    gpc_t guest_entry;                   /* AT_ENTRY of the program (not of its interpreter) */
    u64 guest_auxv, guest_auxv_bytes;    /* where the guest's auxv is on its stack (in-process: built by the loader) */
    struct boot_narrow_vdso narrow_vdso;
    struct boot_limit limit[BOOT_LIMITS]; /* as the program has inherited them */
    /* attach: struct boot_thread[nthreads], struct boot_range[nranges] of all the guest's mappings, its auxv */
    u64 extra;
    u32 nthreads, nranges;
    /* attach: lists of the ranges of engines whose tools have left the process in probe mode: control.ranges of each */
    u32 nformer;
    struct boot_range former[BOOT_FORMER]; /* struct boot_range[]: its start and end */
    /* attach: the launcher's process; its stderr is for messages until the tool is up */
    s32 attacher;
    struct boot_control control;
    u32 argc;                            /* engine command line: options, then "-t" TOOL and its options */
    /* Offset in text: guest program's absolute path (what /proc/self/exe shows natively). */
    u32 exe_off;
    u32 launcher_off;                    /* offset in text: absolute path of the linchpin command, for -follow_execv */
    u32 text_bytes;
    char text[BOOT_TEXT_BYTES];          /* argc zero-terminated strings, then exe and launcher paths */
};

/* Probe mode: code to be changed while all threads stand still (`linchpin patch`). A thread at one of the displaced
 * instructions but the first goes on at its copy. */
#define BOOT_PATCH_BYTES 8
#define BOOT_PATCH_MOVED 8
struct boot_patch {
    u64 at;
    u32 bytes, nmoved;
    u8 code[BOOT_PATCH_BYTES];
    struct { u64 from, to; } moved[BOOT_PATCH_MOVED];
};
/* A thread that is sent to `at` from wherever it is in the guest's code; `back` gets the address at which it goes
 * on. */
enum { BOOT_VISIT_NEVER, BOOT_VISIT_SENT, BOOT_VISIT_DUE };
struct boot_visit {
    s32 tid;
    u32 sent;    /* set by the launcher; BOOT_VISIT_DUE: it is in host code, and comes when it leaves that */
    u64 at, back;
};
/* The host's identities of threads (native_thread.h): with `tls` in its TLS register a thread is in host code. It looks
 * at the word at due_at when it leaves that: the generation of the visits that it is asked to. */
struct boot_identity {
    u64 tls, next, due_at;
};
struct boot_patches {
    u64 patch;   /* struct boot_patch[n] */
    u64 visit;   /* struct boot_visit[nvisits] */
    u64 leave, left; /* code between host and guest: a thread there can be sent back to `leave` */
    u64 low, high;   /* code between guest and host that takes a lock, in host code */
    u64 stack_low, stack_high; /* the stack of host code that runs with the guest's TLS register */
    u64 identities; /* address of the first struct boot_identity's address */
    u64 generation;
    u32 n, nvisits;
    u32 done;    /* set by the launcher */
};

/* Attach: the guest's mappings, which follow the threads. */
static inline const struct boot_range *boot_guest_ranges(const struct boot_info *boot)
{
    return (const struct boot_range *)(boot->extra + boot->nthreads * sizeof(struct boot_thread));
}

#endif
