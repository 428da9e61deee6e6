/* SPDX-License-Identifier: Apache-2.0
 * A running process: what it is, whether it can be attached to, whether the engine is in it. */
#ifndef LP_TARGET_H
#define LP_TARGET_H
#include "os/linux/boot.h"

#include <sys/types.h>

struct target {
    pid_t pid;
    pid_t live;  /* a thread that has not ended. The first one may have ended, and then it shows nothing in /proc */
    u64 boot;    /* address of the engine's boot block, 0: the engine is not there */
    bool left;   /* it stays only in memory: its tool has left the process (probe mode) */
    u32 nformer; /* such engines: lists of their ranges */
    struct boot_range former[BOOT_FORMER];
    u64 vdso;    /* 0: none */
};

/* Fills it in; a message and exit 1 when there is no such process, or none that one could look into. */
void target_open(struct target *t, pid_t pid);
/* Message and exit 1 when it cannot be attached to, as far as that can be seen without touching it. */
void target_check(const struct target *t);
/* The part of it that another execve changes: the engine is there already, or the program is of another
   architecture. */
void target_check_program(const struct target *t);
/* Message and exit 1 when it has ended, or is about to: why something was not found in it. */
void target_check_ended(const struct target *t);
/* The kernel has refused to trace it: says why, and ends. */
void target_refused(const struct target *t, int err) NORETURN;
bool target_read(const struct target *t, u64 from, void *to, u64 bytes);
bool target_write(const struct target *t, u64 to, const void *from, u64 bytes);
bool target_read_control(const struct target *t, struct boot_control *out);
/* Has the engine's agent do what it does by itself, and waits; `now` is what it has answered (dump.c). */
bool patch_errand(const struct target *t); /* its part where the program was launched in probe mode */
void dump_ask(const struct target *t, u32 request, struct boot_control *now);
/* -attach_status: prints it; the exit status. */
int target_status(pid_t pid);
/* A value of /proc/PID/status, as text up to the end of the line; "" if it has none. */
const char *target_field(pid_t pid, const char *name);
/* A number of /proc/TID/stat, counted from the state, which is after the name and is 1; -1: there is no such thread. */
s64 target_stat(pid_t tid, int field);

/* The process has asked for its detach itself (PIN_Detach): that it ends first is no mistake of anybody's. */
extern bool target_may_end;

#endif
