/* SPDX-License-Identifier: Apache-2.0
 * What an operating system owes to the parts above it, in the order in which it is written. Implemented in
 * src/os/<system>/. With it go, each in a header of its own: memory of the host (hostmem.h), the guest's mappings
 * (gmap.h), locks (lockrank.h, hostlock.h, hostevent.h), names of host code (hostsym.h), faults (fault.h), and what
 * the system tells the others (events.h). */
#ifndef LP_OS_H
#define LP_OS_H
#include "base/base.h"

struct thread;
struct os_section; /* os_thread.h */

/* --- start and end of the process --------------------------------------------------------------------------------- */
/* Takes over what the launcher has left: the first thread's state and everything below the jit. The CPU is known
 * (arch_init_cpu). Dies with a message if the process was not started by the launcher. */
void os_init(void);
/* The last act before guest code runs: the guest gets its address space. */
void os_release_guest(void);
/* The program's auxiliary vector, as the kernel has given it; NULL: not known. */
const u64 *os_guest_auxv(void);
/* So many seconds, so that a debugger can be attached; 0: no pause, nothing is said. */
void os_pause(u32 seconds);
/* Ends the process as exit_group does: runs the hooks, flushes the host's stdio, and exits. Hooks run once, the last
 * registered first; before a death by signal, too, with status -1. */
void os_process_exit(int status) NORETURN;
/* As a debugger kills it: what is to be done at the end of the program is done, on the calling thread. */
void os_process_kill(void) NORETURN;
/* A new guest thread, made by a guest thread; setup(arg) runs on it and sets its registers. Its tid, or an error. */
s64 os_spawn_thread(void (*setup)(void *arg), void *arg);
void os_at_exit(void (*hook)(int status));
/* The tool's functions for the end of the process begin, are over: on the calling thread. If they take too long, the
 * user hears where they are, and can end the process. */
void os_tool_ends(bool begins);
/* Kills the process by the default action of the signal, without telling anybody: after a fault in host code. */
void os_die_by_signal(int sig) NORETURN;
/* Ends the calling guest thread as the exit system call does, from any depth of its host stack. */
void os_thread_exit(int status) NORETURN;

/* --- memory ------------------------------------------------------------------------------------------------------- */
/* Copies guest memory without faulting. Returns how many bytes were copied; fewer: what follows is not accessible.
 * Usable anywhere. */
size_t os_safe_copy(void *dst, const void *src, size_t bytes);
/* As os_safe_copy, but the kernel copies, so there is no signal. */
size_t os_copy_quietly(void *dst, const void *src, size_t bytes);
/* May the host write there? */
bool os_writable(u64 addr);
/* Is the value at the host address constant from now on? Then it is stored in *value. Under jit_lock. */
bool os_constant_at(u64 addr, unsigned bytes, u64 *value);
/* The kernel's name of the file that is mapped there; "": none. */
void os_mapping_name(u64 addr, char *out, size_t bytes);
/* What the engine has, for -stats. */
struct os_memory {
    u64 heap;         /* of engine and tool */
    u64 stacks;       /* of further threads, touched */
    u32 nstacks;
    u64 per_thread;   /* mapped for each of them */
};
void os_memory(struct os_memory *out);

/* --- descriptors -------------------------------------------------------------------------------------------------- */
/* A copy of the descriptor that the guest does not see; -1: there is none. */
int os_hidden_dup(int fd);
/* What a descriptor leads to, so that it can be found again. */
struct os_stream {
    int fd;
    u64 dev, ino;   /* ino 0: there was none */
    char name[256]; /* "": cannot be opened again */
};
void os_stream_note(struct os_stream *s, int fd);
bool os_stream_is(const struct os_stream *s, int fd);
/* Async-signal-safe. -1: neither its number nor its name leads to it any more. */
int os_stream_find(const struct os_stream *s, bool *close_after);
/* From now on what the host's libraries open is hidden from the guest, too (hostcalls.c). Once more after libraries
 * have come. */
void os_redirect_host_calls(void);
/* For the architecture: the system calls of host code that are redirected, by number, and where they go. Result or
 * -errno. */
#define OS_HOST_CALLS 512
extern u8 os_host_calls[OS_HOST_CALLS];
/* Is it memory of an engine whose tool has left the process in probe mode, before this one came? */
bool os_is_former(u64 at);
s64 os_host_syscall(u64 nr, const u64 *args);

/* --- system calls of the guest ------------------------------------------------------------------------------------ */
/* The guest's system call in vm_tc.cpu (pc already after the instruction): carry it out, set the result or change
 * the state. True: it is complete, and the guest goes on after it. */
bool os_syscall(void);
/* Which system calls may run inside the cache: 65536 bytes, indexed by the low 16 bits of the number; 0: no
 * interest. os_interest_end: the numbers from there on have none. */
extern u8 os_syscall_interest[65536];
extern u32 os_interest_end;
/* This bit is no interest where the first argument, taken for a descriptor, is below OS_HIGH_FD, as those of nearly
 * all programs are, unless os_low_interest says so. With OS_HIGH_BIAS added, "no directory" (AT_FDCWD), which is
 * negative, is below it, too. os_guards_fds: the bit is used at all. It is known before the first trace is made. */
#define OS_HIGH_INTEREST 32
/* And this one, while threads may be stopped (os_stops_threads), where the descriptor's byte is not 0 in os_file_fds:
 * OS_HIGH_FD bytes, by the first argument with OS_HIGH_BIAS added. The memory is the upper layer's. */
#define OS_WAITS_INTEREST 4
extern u8 *os_file_fds;
#define OS_HIGH_FD 4096
#define OS_HIGH_BIAS 100
extern bool os_low_interest, os_guards_fds;
/* The call nr that ran inside the cache returned EFAULT: true if that was due to the engine's write protection
 * (E16), which is lifted now; make the call again (arch_restart_syscall). */
bool os_efault_retry(u64 nr);
/* The jit write-protects its first page: calls that let the kernel write guest memory are of interest from now on. */
void os_watch_kernel_writes(void);
void os_watch_all_syscalls(void); /* all go to os_syscall */
void os_watch_waits(void); /* all calls that may wait, so that a signal would end them, go to os_syscall */
/* There is one more region of cache code. jit_lock is held. */
void os_region_made(void);
/* Every system call of the guest goes through syscall_entry and syscall_exit (events.h). */
void os_watch_syscalls(void);
bool os_syscalls_watched(void);
/* Called before an int $0x80. True: it is to be executed in the cache. False: it has been carried out, or a signal is
 * to be delivered first: the guest's pc says which. */
bool os_int80_entry(void);
/* Host code makes the system call that IA-32 programs call nr. -ENOSYS: 64-bit code does not have it, or with other
 * arguments. */
s64 os_syscall_of_narrow(u64 nr, const u64 args[6]);
/* Called when the thread is back in the VM: the int $0x80 has been executed, or, if done is false, will be executed
 * again. */
void os_int80_left(bool done);
/* x86: is there such a segment, of code other than a 64-bit program's own? It is said, once, that it is not run. */
bool os_is_code_segment(u16 selector);
void os_tell_code_segment(u16 selector, u64 to);
/* The guest's pc cannot be fetched: if it is an entry of a page that the kernel serves itself, carries the call out. */
bool os_call_special_page(void);

/* --- signals ------------------------------------------------------------------------------------------------------ */
/* Called before the cache is entered: delivers what is pending by changing vm_tc.cpu. Asynchronous signals may arrive
 * at any time after that (E13). */
void os_deliver_pending(void);
/* On the way to the cache: a thread of a process that dies goes on natively, for the core's sake. */
void os_leave_dying(void);
/* The thread does nothing more but that. */
void os_wait_for_end(void) NORETURN;
/* A fault that the guest's own instruction at vm_tc.cpu.pc would raise, found by the engine without executing it. */
enum os_fault { OS_FAULT_EXEC_UNMAPPED, OS_FAULT_EXEC_PROTECTED, OS_FAULT_ILLEGAL,
    OS_FAULT_GENERAL /* SIGSEGV SI_KERNEL */, OS_FAULT_BUS };
void os_raise_fault(enum os_fault kind, u64 addr);
/* To be called by host code that was called by the engine's signal handler and goes on outside of the handler. */
void os_leave_handler(void);

/* --- threads ------------------------------------------------------------------------------------------------------ */
/* Makes the thread leave the cache at the next boundary; an analysis routine that runs may end first. */
void os_poke_thread(int tid);
/* Stopping threads (vm/pause.h): takes a guest thread out of the cache by a signal; waits until the signal for the
 * calling thread has come. */
bool os_interrupt_thread(struct thread *t); /* false: try again */
void os_enable_interrupts(void); /* once, before the guest runs */
void os_await_interrupt(void);

/* --- restartable sequences (docs/design/rseq.md) ------------------------------------------------------------------ */
#define OS_SECTION_ALIGN 32 /* of descriptors */
extern u32 os_sections;     /* so many are known */
/* Is a section's descriptor there that was not known? From now on it is. Under jit_lock. */
bool os_section_note(u64 descriptor, struct os_section *s);
bool os_section_border(u64 pc); /* does a known section begin or end there? */
bool os_section_near(u64 pc, u64 bytes); /* may one begin or end so many bytes from there on? */
bool os_section_at(u64 pc);     /* is it in one? */
u64 os_section_now(void);       /* the descriptor that the calling thread has announced to the kernel; 0: none */
/* The calling thread is about to enter the cache for a pc in a section; its instructions are in [code, code + bytes).
 * fell: it has come from the instruction before. False: it was interrupted, and its pc is now where the section
 * says. */
bool os_section_enter(u64 code, u64 bytes, bool fell);
/* Does the kernel write to the page at any time? */
bool os_kernel_writes(u64 page);

/* --- attach and detach (docs/design/attach.md) -------------------------------------------------------------------- */
u32 adopt_count(void); /* threads at the attach; 0: the program was launched */
/* Ends the program, also while it is being attached to, when an exit of the tool's leaves it as it was. */
void adopt_end_program(int status) NORETURN;
/* On the agent, when tool and engine are ready: the threads start in translation, and the calling thread goes on as
 * the agent. */
void adopt_threads(void) NORETURN;
/* Probe mode: the tool has heard of the calling thread, and may hear of the next; back when it has heard of all. */
void adopt_told(void);
/* The thread that stands for the calling one as long as the agent runs the tool's main at an attach: the process' first
 * one. Else its own number. */
u32 adopt_tid(void);
/* Until the launcher that attaches has let go of all threads, nobody else can stop them. At once if none attaches. */
void agent_await_attach(void);
/* Makes the agent, if there is none yet. False: no memory. */
bool agent_start(void);
/* Asks for a detach: the agent starts the launcher. */
void agent_call_launcher(void);
/* Called on a guest thread while all threads halt for a detach: the dispatcher has the guest's whole state. Returns
 * only when a signal has to be delivered first. */
void agent_halt(void);

#endif
