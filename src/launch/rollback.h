/* SPDX-License-Identifier: Apache-2.0
 * A process as it was before an attach, to be brought back when that fails. All its threads are stopped from the
 * moment when it is recorded to the moment when it is put back. */
#ifndef LP_ROLLBACK_H
#define LP_ROLLBACK_H
#include "launch/launch.h"
#include "launch/remote.h"
#include "launch/tasks.h"

#include <sys/resource.h>

#define SIGNALS 64

struct kernel_action {
    u64 handler, flags, restorer, mask;
};

struct rollback {
    struct boot_range *range; /* all mappings */
    u32 nranges;
    u64 fds[1024];            /* bits: open descriptors */
    bool has_files;
    struct rlimit files;      /* RLIMIT_NOFILE, if has_files */
    bool have_actions;
    struct kernel_action action[SIGNALS + 1];
    struct user_regs_struct *regs; /* of task i */
};

/* Mappings and descriptors. */
void rollback_note(struct rollback *b, pid_t pid);
/* Signal actions, through a stopped thread. */
void rollback_note_actions(struct rollback *b, struct remote *r);
/* Ends the threads that are not the guest's, takes back what has come since. at: memory of the host's that may be
 * used meanwhile, 0: nothing was mapped yet. */
void rollback_undo(struct rollback *b, struct tasks *t, struct remote *r, u64 at);
/* Sets one action; `at`: memory for it. */
void rollback_set_action(const struct rollback *b, struct remote *r, int sig, u64 at);

#endif
