/* SPDX-License-Identifier: Apache-2.0
 * What the operating system layer tells the layers above it, which fill this table at start. It is the only way from
 * here up. Each function says on which thread and under which lock it is called. */
#ifndef LP_OS_EVENTS_H
#define LP_OS_EVENTS_H
#include "os/fault.h"
#include <signal.h>

#define DEBUG_INHERIT_BYTES 64

struct cpu_state;
struct gmap_area;
struct sigframe;

enum os_fork_point { OS_FORK_BEFORE, OS_FORK_PARENT, OS_FORK_CHILD, OS_VFORK_CHILD, OS_VFORK_DONE, OS_VFORK_EXECUTED };
enum os_change { OS_CHANGE_FATAL, OS_CHANGE_SIGNAL, OS_CHANGE_SIGRETURN };
/* How the system call was made. The last: by a call of a page that the kernel serves itself. */
enum os_convention { OS_SYSCALL_NATIVE, OS_SYSCALL_INT80, OS_SYSCALL_PAGE };

/* What a cache address may be. */
enum os_place {
    PLACE_BOUNDARY,   /* the start of a guest instruction, with its analysis calls still to come */
    PLACE_CALLS_DONE, /* a guest instruction that has not been executed, and whose analysis calls have */
    PLACE_INLINED,    /* in an analysis routine that was inlined */
    /* In an instruction that can neither be taken back nor is complete; it does not fault from here on. */
    PLACE_COMMIT,
    /* The guest may go on there, beyond its instruction: the code has nothing in a register that the entry routine does
     * not load. */
    PLACE_RESUMES,
};

/* A program is about to be executed. */
struct os_child {
    const char *const *argv; /* its own, argc words and NULL */
    int argc;
    /* Set by the callback: the engine's options for it, zero-terminated words, from malloc; NULL: those of this
     * process. */
    char *command;
    u32 command_words;
};

/* A fault in host code. */
struct os_host_fault {
    int sig;
    u64 pc, sp;
    struct os_fault_info info;
};

struct os_events {
    /* --- of the code cache; filled by jit_init, always there ------------------------------------------------------ */
    /* Guest code in [start, end) has changed, is gone or is no longer executable. Cheap when nothing was translated
     * there. */
    void (*code_changed)(u64 start, u64 end);
    /* Does the engine hold a page of the guest write-protected (E16)? */
    bool (*protects_pages)(void);
    /* A write to addr has faulted. True: the engine had protected the page, and has made it writable. later: NULL, or
     * the code that wrote may have locks of a tool's, so that nothing is waited for; *later is then set where others
     * are at work, and the page's translations go before this thread enters the cache again, or soon. */
    bool (*write_fault)(u64 addr, bool *later);
    /* The kernel is about to write there. Cheap when no page is protected. */
    void (*kernel_write)(u64 start, u64 end);
    /* The kernel has perhaps written memory for the calling guest thread: a system call is over, or a signal's frame
     * is there. The state is whole, and no lock is held. NULL: nobody wants to know. */
    void (*kernel_wrote)(void);
    /* Makes all protected pages writable. */
    void (*unprotect_all)(void);
    /* The same, and protects none from now on. False: somebody is at work, and the caller will not wait. */
    bool (*protect_no_more)(void);
    /* Is the host pc in the memory of the cache; in its code, except the part that leads to the VM; in a gate, after
     * its system call? */
    bool (*in_region)(u64 pc);
    bool (*in_cache)(u64 pc);
    bool (*in_gate)(u64 pc);
    bool (*place_is)(u64 pc, enum os_place what);
    /* Comes back when nobody writes code, for a thread that could not execute it meanwhile (-wx). */
    void (*wait_for_code)(void);
    /* c has the hardware registers at the cache address in its pc: makes the guest's state of it, at every cache
     * address. */
    void (*recover)(struct cpu_state *c);
    /* os_syscall_interest has changed. */
    void (*interest_changed)(void);
    /* The tool makes a thread of its own. */
    void (*tool_thread)(void);
    /* The gates of all regions, in a list in host memory that begins with `first`; NULL: there is no memory. */
    u64 *(*gates)(u64 first, u32 *n, size_t *bytes);
    /* Calls f for the memory of each region. */
    void (*each_region)(void (*f)(void *arg, u64 start, u64 end), void *arg);
    void (*code_before_fork)(void);
    void (*code_after_fork)(bool child);

    /* --- of guest threads; filled by vm_init, always there -------------------------------------------------------- */
    /* Runs the guest on the calling thread, from vm_tc.cpu on; returns when the guest's thread has ended. */
    void (*run)(void);
    /* Called from inside of run: ends it. Does not return. */
    void (*end_run)(void);
    /* The calling thread will not run guest code any more. */
    void (*leave_guest)(void);
    /* thread_gone: the calling thread is about to leave the list of threads, whose lock is held. thread_left: it has
     * left the list. thread_forked: after a fork it is the only thread. */
    void (*thread_gone)(void);
    void (*thread_left)(void);
    void (*thread_forked)(void);
    /* Called around a system call that may wait, if os_stops_threads. */
    void (*enter_call)(void);
    void (*leave_call)(void);
    /* Is the calling thread to stop? */
    bool (*pause_wanted)(void);
    /* on: all guest threads halt in the dispatcher (agent_halt), and none goes on in the cache; off: they go
     * on. */
    void (*stop_all)(bool on);

    /* --- of the process; NULL: nobody wants to know --------------------------------------------------------------- */
    /* The engine leaves a process that goes on (a detach). Called on the agent, while all guest threads stand still,
     * before anything is given back; the first is for the tool. */
    void (*tool_leaves)(void);
    void (*leave)(void);
    /* Probe mode: all of that by command, on the agent, while the program runs. NULL, or why it was not done. */
    const char *(*native_leaves)(void);
    /* mapped: after an mmap (fd: the guest's; -1: not known; opened: the path by which the calling thread has opened
     * it, NULL: not known). unmapped: after a munmap, or an mremap that moves code away. The lock of memory calls is
     * held. */
    void (*mapped)(const struct gmap_area *area, int fd, const char *opened);
    void (*unmapped)(u64 start, u64 end);
    /* The memory call is over, and no lock is held. */
    void (*mappings_changed)(void);
    void (*images_before_fork)(void);
    void (*images_after_fork)(void);
    /* In the child of a fork: threads of the tool are gone. */
    void (*tool_threads_gone)(void);
    /* The program is about to execute another one, and nothing is known that would keep it from that. On the guest
     * thread. */
    void (*executes)(const char *path, bool followed);
    /* Somebody has asked for the results so far; called on the agent, while the guest runs. */
    void (*results_wanted)(void);
    /* Every so many seconds; called on the agent, while the guest runs. */
    void (*tick)(void);
    u32 tick_seconds;
    /* A guest thread ends while others go on. */
    void (*thread_ends)(int status);

    /* --- what the tool asks for; NULL as long as it has not. They are called on the guest thread concerned, in host
     * code, with no lock of the engine held and the guest's state in vm_tc.cpu. Set before the guest runs or from a
     * callback; never taken back --- */
    /* At the entry the state is that before the system call instruction, at the exit that after it; the callback may
     * change it. */
    void (*syscall_entry)(enum os_convention how);
    void (*syscall_exit)(enum os_convention how);
    /* False: the guest is not to see the signal. */
    bool (*signal)(const siginfo_t *info, bool has_handler);
    /* The guest's context changes from `from` to `to`; the callback may change `to`. to is NULL for a fatal signal. */
    void (*context_change)(enum os_change why, const struct cpu_state *from, struct cpu_state *to, int sig);
    /* A fault in host code; called in the signal handler. True: it is handled, and the frame says where to go on
     * (os_frame_read, os_frame_write). */
    bool (*host_fault)(struct sigframe *f, const struct os_host_fault *fault);
    /* Says in words in which function of the tool a thread is that is at pc in host code; called in the signal
     * handler. */
    void (*say_where)(char *out, size_t room, u64 pc, u64 sp);
    /* --- of the debugger; NULL: there is none --- */
    /* The calling thread is about to get the signal, which may be changed. False: it is not to. */
    bool (*debug_signal)(siginfo_t *info);
    /* In the child of a fork, while locks are held: the debugger is the parent's. */
    void (*debug_forked)(void);
    /* Around a fork that libc knows of, with no lock held; child: at OS_FORK_PARENT, less than 0: there is none. */
    void (*debug_fork)(enum os_fork_point point, int child);
    /* At a vfork: in the child, before it goes on; in the parent, when the child has ended or has executed a program.
     * Not of a child that is made by such a child. */
    void (*debug_vfork)(enum os_fork_point point, int child);
    /* As `executes`. */
    void (*debug_executes)(const char *path, bool followed);
    /* A program is about to be executed under the engine. Returns the descriptor that the other engine is to have, and
     * what -appdebug_inherit tells it; -1: no debugger will see that program. */
    int (*debug_exec)(char option[DEBUG_INHERIT_BYTES]);
    /* Before the execve, between enter_call and leave_call: from now on nothing is done for the debugger, until
     * debug_exec_failed. False: it has gone meanwhile, or come. */
    bool (*debug_exec_begin)(int fd);
    void (*debug_exec_failed)(void);
    /* --- of the tool again --- */
    void (*fork)(enum os_fork_point point);
    /* The program is about to execute another one. False: that one runs without the engine. */
    bool (*follow_child)(struct os_child *child);
};
extern struct os_events os_events;
extern bool os_stops_threads; /* somebody may stop guest threads: system calls go through the VM */
extern bool os_detaching;     /* stop_all is on */
extern u64 os_signals;        /* delivered to the guest */
extern int os_end_signal;     /* the process ends by this signal; 0: by an exit */

/* Reads the registers of a signal frame, or writes them. */
struct bridge_state;
void os_frame_read(const struct sigframe *f, struct bridge_state *s);
void os_frame_write(struct sigframe *f, const struct bridge_state *s);
/* From now on the signal comes to the engine whatever the guest does with it; 0: every signal that ends the process
 * by default. */
void os_signal_watch(int sig);
/* Was the signal raised by the guest's instruction, and how? */
bool os_signal_fault(const siginfo_t *info, struct os_fault_info *fault);
/* open: the signal comes to the tool even while the guest's mask blocks it. If the tool lets it through then, it waits
 * for the guest's mask. */
void os_signal_unblock(int sig, bool open);

#endif
