/* SPDX-License-Identifier: Apache-2.0
 * Inside of the system call emulator: what the files sys_*.c share. A handler finds the guest's call in vm_tc.cpu and
 * ends with sys_finish (or sets the state by itself). Guest memory is only touched through sys_read, sys_write and
 * sys_read_path. */
#ifndef LP_LINUX_SYS_H
#define LP_LINUX_SYS_H
#include "os/events.h"
#include "os/os.h"
#include "os/thread.h"

#include <linux/sched.h>
#include <pthread.h>

/* --- the call in hand (syscall.c) ---------------------------------------------------------------------------- */
/* A call with another number and other arguments than the registers have (x86/int80.c), as long as it is in hand. */
struct other_call {
    u64 nr, arg[6];
    u64 *memory[2]; /* that arguments point to */
};
u64 sys_nr(void);
bool sys_never_waits(u64 nr); /* by the table: no_wait */
u64 sys_arg(int i);
void sys_args(u64 *args); /* all six */
/* Makes the call in hand with the guest's own arguments. */
s64 sys_call(void);
s64 sys_call_with(const u64 *args); /* with six others */
s64 sys_call_at_once(void); /* with a lock held: a call that does not wait for anybody */
/* Makes call nr for the guest. -512: a signal came first, the call was not made. */
s64 sys_gate(u64 nr, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f);
/* Sets the result; a result of -512..-514 puts the guest back to its system call instruction instead. */
void sys_finish(s64 result);
void sys_restart(void);
bool sys_not_made(s64 result);
void sys_carry_out(void); /* the call, as its number says */
void record_carry_out(void (*carry_out)(void)); /* while the program is recorded or replayed (record/calls.c) */
void record_page_call(u32 nr, void (*make)(u32 nr));     /* the same of a call of the kernel's page */
/* The life of a thread that is recorded or replayed (record/turn.c), on that thread; the second waits for its turn. */
void record_thread_made(void);
void record_thread_starts(void);
void record_thread_ends(void);
void record_owner_died(u64 addr); /* a lock of its robust list was changed */
void record_int80(void); /* is refused: does not return */
/* sys_finish(sys_call()) */
void sys_pass(void);
void sys_init(bool inproc); /* before jit_init, which takes the interest over */
/* Makes every call, or the calls of one class, go through os_syscall from now on. */
void sys_watch_all(void);
void sys_watch_class(int class);
void sys_watch_views(void); /* the calls of CLASS_VIEW: as long as there is a view (procread_any) */
/* A system call that the tool sees (sys_tool.c), before carry_out and after it. As os_syscall. */
bool sys_tool_call(void (*carry_out)(void));
/* Tells the tool of the entry, before the instruction. False: the instruction is not to be executed now. */
bool sys_tool_enter(enum os_convention how);
void sys_tool_handler_entered(void); /* a frame was pushed */
void sys_tool_handler_left(void);    /* sigreturn */
/* The absolute path by which the calling thread has opened fd, if that was the last that it has opened; NULL: not
 * known. */
const char *sys_opened_path(int fd);
bool sys_mem_files(void);            /* has the guest opened /proc/self/mem for writing? */
/* Around a fork: hold the table of interest. */
void sys_before_fork(void);
void sys_after_fork(bool child);
enum sys_class { /* bits of os_syscall_interest; the words of syscalls.tsv */
    CLASS_ALWAYS = 1,
    CLASS_OUTPUT = 2,    /* lets the kernel write guest memory: once the jit write-protects pages */
    CLASS_WAITS = OS_WAITS_INTEREST, /* while threads may be stopped, but on descriptors of files: CLASS_FILE */
    CLASS_MEM_FILE = 8,  /* writes files: once the guest has opened /proc/self/mem for writing */
    CLASS_VIEW = 16,     /* reads files: while the guest has one open whose text is changed (procread.c) */
    CLASS_TOOL = 64,     /* any call: once the tool wants to see them */
    CLASS_HOST_FD = OS_HIGH_INTEREST, /* its first argument is a descriptor: while the host has some */
    CLASS_HOST_FDS = 128, /* other arguments are, or it reads or makes some in memory: while the host has some */
    CLASS_HOST_PATH = 512, /* it may name the tool's descriptors by a path: CLASS_HOST_FDS, but only with a tool */
    CLASS_NO_WAIT = 256,  /* no interest: no signal ends it, and threads that are to stop may make it in the cache */
    CLASS_FILE = 1024,    /* so it is where its first argument is a descriptor of a file: CLASS_WAITS otherwise */
    CLASS_INPROC = 2048,  /* follows a path: CLASS_ALWAYS where /proc/self/exe is the engine for the kernel */
};

/* --- guest memory -------------------------------------------------------------------------------------------- */
bool sys_read(void *dst, u64 addr, size_t bytes);
bool sys_write(u64 addr, const void *src, size_t bytes);
size_t sys_write_some(u64 addr, const void *src, size_t bytes); /* how many, up to the first that cannot be written */
/* A path from the guest: its length, -EFAULT or -ENAMETOOLONG. buf holds PATH_MAX bytes. */
s64 sys_read_path(char *buf, u64 addr);

/* --- clone (sys_process.c decodes, sys_thread.c makes threads) -------------------------------------------------- */
struct clone_request {
    struct clone_args a; /* as clone3 has it; stack_size added to stack already */
    bool clone3;
    void (*setup)(void *arg); /* on the new thread, before it runs; NULL: it begins as its creator */
    void *arg;
};
/* clone with CLONE_THREAD: the new thread's tid, an error, or -512. */
s64 thread_create(const struct clone_request *q);
/* State of a guest thread or process that starts now, from its creator's (fork: its own): stack, TLS, result 0, tids.
 * On the new thread. */
void thread_start_state(const struct clone_request *q, u64 creator_tls);
/* Is this thread one that the kernel alone ends (no pthread of the host's libc to return to)? Its clear_tid and robust
 * list are the kernel's business. */
bool thread_is_bare(void);
void thread_finish(void); /* the guest thread is over, its pthread not yet */
int *thread_host_tid_address(void); /* where the host's libc keeps the calling thread's tid */
void thread_join(pthread_t thread); /* of a guest thread that has left its stack for good */
void thread_init_first(bool guest); /* guest: the calling thread is one */
/* How many threads the guest has, where the kernel counts `all`. */
u64 thread_guest_tasks(u64 all);

/* --- locks around fork: rank order (engine.md) ------------------------------------------------------------------ */
void mem_lock(void);
void mem_unlock(void);
void mem_lock_reset(void); /* in the child of a fork */
void process_lock(void); /* taken to make a thread or a process */
void process_unlock(void);
void process_run_exit_hooks(int status);
/* Around a fork: all of the engine's locks. */
void process_before_fork(void);
void process_after_fork(bool child);
/* Threads and processes being made, and threads that end: a detach waits for them (on) and holds up new ones, whose
 * system calls are made again. */
void process_hold_new(bool on);
bool process_begin(void); /* false: held up */
void process_busy(void);  /* the same, whether new ones are held up or not */
void process_idle(void);

/* --- memory (sys_mem.c) ----------------------------------------------------------------------------------------- */
void mem_init(u64 brk);
/* Where the kernel would put a mapping of an IA-32 program, with that hint. False: it is another program, for which the
 * kernel chooses. With mem_lock, by which the place stays free. */
#define MEM_NO_PLACE (~0ul)
bool mem_place(u64 *addr, u64 bytes);
void mem_note_personality(u64 persona);
/* mlockall(MCL_FUTURE): flags for a new mapping of the guest's, and what remains to be done after it; by_flag: it was
 * made with them. mem_lock held. */
u64 mem_lock_flags(void);
void mem_lock_new(u64 start, u64 end, bool by_flag);
/* May so much more be locked, if new mappings are? 0, or the error that a mapping would get. */
s64 mem_lock_room(u64 bytes);

/* --- output buffers (sys_output.c) -------------------------------------------------------------------------------- */
/* Lifts the engine's write protection from whatever call nr in vm_tc.cpu lets the kernel write. */
void output_lift(u64 nr);
void output_init(void);
/* Calls fn for all memory that call nr, which is in hand and has given that result, may have written. */
void output_each(u64 nr, s64 result, void (*fn)(void *arg, u64 addr, u64 bytes), void *arg);

/* --- seccomp (sys_seccomp.c) -------------------------------------------------------------------------------------- */
s64 seccomp_set_filter(u64 flags, u64 fprog, bool by_prctl);
void seccomp_set_strict(void);
/* An execve, through the gate: the next program has the guest's filters, and nothing of the engine's in them. They are
 * asked for on a stack of its own, which is taken before the locks that an execve holds. False: there is no memory. */
struct host_stack;
bool seccomp_before_exec(struct host_stack **stack);
s64 seccomp_exec(u64 nr, const u64 args[6], const struct host_stack *stack);
void seccomp_exec_failed(struct host_stack *stack);
/* Strict mode: does not return unless the call is one of the four. */
void seccomp_check_strict(u64 nr);

/* --- calls that the guest wants as SIGSYS (sys_dispatch.c) ------------------------------------------------------- */
void dispatch_set(void);     /* the prctl */
/* True: the call in hand, of that architecture, has become a signal. Only where os.dispatch.mode is not 0. */
bool dispatch_catches(u32 audit_arch);

/* Do the guest's filters allow the call in vm_tc.cpu (sys_bpf.c)? */
bool bpf_allows(u64 nr);
struct sock_filter;
struct bpf_how {
    bool by_prctl;
    u64 flags;
    bool again; /* for the next program (bpf_take_filters) */
};
void bpf_note_filter(const struct sock_filter *insn, u32 n, const struct bpf_how *how);
/* Gives the kernel the calling thread's filters once more, as the guest gave them, each by the call that the guest
 * used: the filters before it have allowed that. */
s64 bpf_take_filters(void);

/* --- handlers ----------------------------------------------------------------------------------------------------- */
void sys_mmap(void);
void sys_munmap(void);
void sys_mprotect(void);
void sys_mremap(void);
void sys_brk(void);
void sys_shmat(void);
void sys_shmdt(void);
void sys_madvise(void);
void sys_pages(void);
void sys_remap_file_pages(void);
void sys_personality(void);
void sys_alone(void);
void sys_clone(void);
void sys_clone3(void);
void sys_fork(void);
void sys_vfork(void);
void sys_exit(void);
void sys_exit_group(void);
void sys_set_tid_address(void);
void sys_set_robust_list(void);
void sys_get_robust_list(void);
void sys_rseq(void);
void sys_restart_syscall(void);
void sys_map_shadow_stack(void);
void sys_arch_prctl(void);
void sys_execve(void);
void sys_execveat(void);
void sys_open(void);
void sys_openat(void);
void sys_openat2(void);
void sys_readlink(void);
void sys_readlinkat(void);
void sys_follow_path(void);
void sys_follow_path_at(void);
void sys_close(void);
void sys_dup2(void);
void sys_close_range(void);
void sys_uring_setup(void);
void sys_poll(void);
void sys_dup(void);
void sys_view(void);
void sys_fcntl(void);
void sys_getdents(void);
void sys_getdents64(void);
/* What a call has put there, less what names the host (hostfd.h); the bytes that are left, or an error. */
s64 sys_filter_dirents(int fd, u64 at, s64 bytes, s64 (*filter)(int, void *, s64));
void sys_write_file(void);
void sys_getrlimit(void);
void sys_setrlimit(void);
void sys_prlimit64(void);
void sys_mlockall(void);
void sys_munlockall(void);
void sys_prctl(void);
void sys_seccomp(void);
void sys_ptrace(void);
void ptrace_init(void);
bool ptrace_is_traced(void); /* by another guest */

#endif
