/* SPDX-License-Identifier: Apache-2.0
 * What the operating system layer tells the tool API: function pointers, NULL as long as the tool has not asked. They are called on the guest thread concerned, in host code, with no lock of the
 * engine held and the guest's state in vm_tc.cpu. Set before the guest runs or from a callback; never taken back. */
#ifndef LP_LINUX_OS_EVENTS_H
#define LP_LINUX_OS_EVENTS_H
#include "base/base.h"
#include <signal.h>

struct cpu_state;
struct sigframe;

enum os_fork_point { OS_FORK_BEFORE, OS_FORK_PARENT, OS_FORK_CHILD };
enum os_change { OS_CHANGE_FATAL, OS_CHANGE_SIGNAL, OS_CHANGE_SIGRETURN };
enum os_convention { OS_SYSCALL_NATIVE, OS_SYSCALL_INT80 }; /* how the system call was made */

/* A program is about to be executed. */
struct os_child {
    const char *const *argv; /* its own, argc words and NULL */
    int argc;
    char *command;           /* set by the callback: the engine's options for it, zero-terminated words, from malloc; NULL: those of this process */
    u32 command_words;
};

struct os_events {
    /* The state is that before, or after, the system call instruction; the callback may change it. */
    void (*syscall_entry)(enum os_convention how);
    void (*syscall_exit)(enum os_convention how);
    /* False: the guest is not to see the signal. */
    bool (*signal)(const siginfo_t *info, bool has_handler);
    /* to: NULL for a fatal signal; the callback may change it. */
    void (*context_change)(enum os_change why, const struct cpu_state *from, struct cpu_state *to, int sig);
    /* A fault in host code, in the signal handler. True: handled, the frame is where to go on. */
    bool (*host_fault)(struct sigframe *f, const siginfo_t *info);
    void (*fork)(enum os_fork_point point);
    /* False: executed without the engine. */
    bool (*follow_child)(struct os_child *child);
};
extern struct os_events os_events;

/* From now on the signal comes to the engine whatever the guest does with it; 0: every signal that ends the process by default. */
void os_signal_watch(int sig);
/* Was it raised by the guest's instruction, and how? */
struct os_fault_info;
bool os_signal_fault(const siginfo_t *info, struct os_fault_info *fault);
/* The guest's mask does not keep it from coming (and, if the tool lets it through, has it wait then). */
void os_signal_unblock(int sig, bool open);
/* From now on every system call of the guest goes through syscall_entry and syscall_exit. */
void os_watch_syscalls(void);
bool os_syscalls_watched(void);
/* int $0x80, which stays in the cache: before it. False: a signal is to be delivered first. */
bool os_int80_entry(void);
/* Back in the VM: it has been executed, or, if done is false, will be again. */
void os_int80_left(bool done);

#endif
