/* SPDX-License-Identifier: Apache-2.0
 * System calls and memory of a stopped, seized process. All signals of the process are blocked meanwhile (inject.c),
 * so that only SIGKILL and SIGSTOP can come between; a SIGSTOP is kept and given back at the end (remote_resend). */
#ifndef LP_REMOTE_H
#define LP_REMOTE_H
#include "launch/elfmap.h"

#include <sys/types.h>
#include <sys/user.h>

struct remote {
    pid_t pid;
    struct user_regs_struct regs; /* the guest's, at its first instruction */
    u64 syscall_pc;               /* a `syscall` instruction in the process */
    long saved_word;              /* what was at regs.rip before we had to put such an instruction there */
    bool poked;
    /* For a process that was there before us: what remote_fail does instead of ending it. NULL: the process is ours. */
    void (*give_up)(void);
    bool owes_stop, owes_trap;    /* a SIGSTOP or SIGTRAP of somebody else's came: it is sent again at the end */
};

/* Resumes with `request` (PTRACE_CONT, PTRACE_SYSCALL) until the stop whose signal is `want`; exits quietly when the
 * process is gone. */
void remote_resume(struct remote *r, int request, int want);
/* Makes one system call in the process. Returns its result or -errno. */
long remote_syscall(struct remote *r, long nr, const u64 arg[6]);
bool remote_read(struct remote *r, u64 from, void *to, u64 bytes);
/* A `syscall` instruction of the process' vdso, 0: none. */
u64 remote_find_syscall(u64 vdso);
/* Finds or makes the syscall instruction; offset of one in the vdso, 0: unknown. */
void remote_open(struct remote *r, u64 vdso);
void remote_close(struct remote *r);
/* Sends the signals again that were kept. */
void remote_resend(const struct remote *r);
/* All writes of the plan, in as few calls as possible. */
bool remote_write_all(struct remote *r, const struct plan_mem *mem, u32 n);

/* A place in the process for plans: one page of code, then a struct plan_page. */
#define REMOTE_SCRATCH_BYTES (PAGE_BYTES + PAGE_UP(sizeof(struct plan_page)))
/* Maps it where the kernel likes; its address or -errno. */
long remote_scratch(struct remote *r);
/* Runs the plan's calls, made for scratch + PAGE_BYTES, in one go. Index of the first that failed, -1: none; results
 * are in the plan. */
int remote_run(struct remote *r, struct plan *p, u64 scratch);

/* Maps the host side and fills it (place.c). p: the program, NULL if it runs already. ignores_trap: the process
 * ignores SIGTRAP, and the calls made here change that. */
struct program;
struct host_layout;
struct auxv;
void remote_load_host(struct remote *r, const struct program *p, struct host_layout *h, struct auxv *auxv,
                      bool ignores_trap);

/* Ends the process with a message: never leave it stopped. */
void remote_fail(struct remote *r, const char *fmt, ...) PRINTF_LIKE(2, 3) NORETURN;

#endif
