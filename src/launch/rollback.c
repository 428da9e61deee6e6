/* SPDX-License-Identifier: Apache-2.0
 * See rollback.h. Owns no state but the record that it is given. */
#include "launch/rollback.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_RANGES 65536u /* vm.max_map_count */

/* --- what is there ------------------------------------------------------------------------------------------------ */

static bool add_range(const struct map_line *m, void *arg)
{
    struct rollback *b = arg;
    if (b->nranges == MAX_RANGES)
        return false;
    b->range[b->nranges++] = (struct boot_range){m->start, m->end};
    return true;
}

static void list_fds(pid_t pid, u64 *bits, u32 words)
{
    char path[32];
    u8 buf[4096];
    memset(bits, 0, words * sizeof *bits);
    base_format(path, sizeof path, "/proc/%d/fd", pid);
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (long n; dir >= 0 && (n = syscall(SYS_getdents64, dir, buf, sizeof buf)) > 0;)
        for (long at = 0; at < n; at += *(u16 *)(buf + at + 16)) {
            u32 fd = (u32)atoi((char *)buf + at + 19);
            if (fd / 64 < words)
                bits[fd / 64] |= 1ul << fd % 64;
        }
    if (dir >= 0)
        close(dir);
}

void rollback_note(struct rollback *b, pid_t pid)
{
    b->range = host_map_own(MAX_RANGES * sizeof *b->range);
    b->nranges = 0;
    if (!maps_each(pid, add_range, b) || !b->nranges)
        die(1, "process %d: its mappings cannot be read: %s", pid, strerror(errno));
    list_fds(pid, b->fds, ARRAY_LEN(b->fds));
    b->has_files = prlimit(pid, RLIMIT_NOFILE, NULL, &b->files) == 0;
}

/* Runs one batch of calls, whose end resets SIGTRAP's action. */
void rollback_note_actions(struct rollback *b, struct remote *r)
{
    struct plan *plan = host_map_own(sizeof *plan);
    long scratch = remote_scratch(r);
    if ((u64)scratch > (u64)-4096)
        remote_fail(r, "no memory for the engine in the program: %s", strerror((int)-scratch));
    u64 page = (u64)scratch + PAGE_BYTES, text = page + offsetof(struct plan_page, text);
    plan_init(plan, page);
    for (u64 sig = 1; sig <= SIGNALS; sig++) {
        u64 arg[6] = {sig, 0, text + sig * sizeof *b->action, sizeof(u64)};
        plan_call(plan, "signal actions", SYS_rt_sigaction, arg);
    }
    if (remote_run(r, plan, (u64)scratch) >= 0 || !remote_read(r, text, b->action, sizeof b->action))
        remote_fail(r, "the program's signal actions cannot be read");
    b->have_actions = true;
    rollback_set_action(b, r, SIGTRAP, text);
    u64 unmap[6] = {(u64)scratch, REMOTE_SCRATCH_BYTES};
    remote_syscall(r, SYS_munmap, unmap);
}

/* --- back --------------------------------------------------------------------------------------------------------- */

void rollback_set_action(const struct rollback *b, struct remote *r, int sig, u64 at)
{
    struct plan_mem mem = {at, &b->action[sig], sizeof b->action[sig]};
    u64 set[6] = {(u64)sig, at, 0, sizeof(u64)};
    if (remote_write_all(r, &mem, 1))
        remote_syscall(r, SYS_rt_sigaction, set);
}

static void set_actions(const struct rollback *b, struct remote *r, u64 at)
{
    for (int sig = 1; sig <= SIGNALS; sig++) {
        struct kernel_action now;
        u64 get[6] = {(u64)sig, 0, at, sizeof(u64)};
        if (sig == SIGKILL || sig == SIGSTOP || remote_syscall(r, SYS_rt_sigaction, get) ||
            !remote_read(r, at, &now, sizeof now))
            continue;
        if (memcmp(&now, &b->action[sig], sizeof now) != 0)
            rollback_set_action(b, r, sig, at);
    }
}

static void close_fds(const struct rollback *b, struct remote *r)
{
    u64 *now = host_map_own(sizeof b->fds);
    list_fds(r->pid, now, ARRAY_LEN(b->fds));
    for (u32 fd = 0; fd < ARRAY_LEN(b->fds) * 64; fd++)
        if (now[fd / 64] & ~b->fds[fd / 64] & 1ul << fd % 64) {
            u64 arg[6] = {fd};
            remote_syscall(r, SYS_close, arg);
        }
}

struct extra_ranges {
    const struct rollback *b;
    struct boot_range *out;
    u32 n, next;
};

/* Lists the parts of a mapping that were not there before. Mappings and `range` are sorted. */
static bool list_extra(const struct map_line *m, void *arg)
{
    struct extra_ranges *x = arg;
    const struct rollback *b = x->b;
    u64 at = m->start;
    while (x->next < b->nranges && b->range[x->next].end <= at)
        x->next++;
    for (u32 i = x->next; i < b->nranges && b->range[i].start < m->end && x->n < MAX_RANGES; i++) {
        if (b->range[i].start > at)
            x->out[x->n++] = (struct boot_range){at, b->range[i].start};
        at = b->range[i].end;
    }
    if (at < m->end && x->n < MAX_RANGES)
        x->out[x->n++] = (struct boot_range){at, m->end};
    return true;
}

static void unmap(const struct rollback *b, struct remote *r)
{
    struct extra_ranges x = {b, host_map_own(MAX_RANGES * sizeof *x.out), 0, 0};
    maps_each(r->pid, list_extra, &x);
    for (u32 i = 0; i < x.n; i++) {
        u64 arg[6] = {x.out[i].start, x.out[i].end - x.out[i].start};
        remote_syscall(r, SYS_munmap, arg);
    }
}

/* A thread that was about to make another one when it was stopped may have made it after the list was read. So the
 * list is complete only when no thread runs that could add to it. */
static void end_strangers(struct tasks *t, u64 syscall_pc)
{
    u32 seen;
    t->new_are_host = true; /* the guest's threads have been stopped all the time */
    do {
        seen = t->n;
        tasks_stop_all(t);
        tasks_seize_new(t);
    } while (t->n != seen);
    for (u32 i = 0; i < t->n; i++)
        if (t->task[i].host)
            tasks_end_thread(t, &t->task[i], syscall_pc);
}

/* The engine raises that of descriptors for a moment when it opens something (HF1). */
static void set_limits(const struct rollback *b, pid_t pid)
{
    static const int resource[BOOT_LIMITS] = {[BOOT_LIMIT_AS] = RLIMIT_AS, [BOOT_LIMIT_DATA] = RLIMIT_DATA};
    for (int i = 0; i < BOOT_LIMITS; i++) {
        struct rlimit was = {boot.limit[i].soft, boot.limit[i].hard};
        prlimit(pid, resource[i], &was, NULL);
    }
    if (b->has_files)
        prlimit(pid, RLIMIT_NOFILE, &b->files, NULL);
}

void rollback_undo(struct rollback *b, struct tasks *t, struct remote *r, u64 at)
{
    end_strangers(t, r->syscall_pc);
    if (!at) {
        u64 map[6] = {0, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, (u64)-1, 0};
        at = (u64)remote_syscall(r, SYS_mmap, map); /* it is unmapped with the other mappings */
    }
    if (at < (u64)-4096 && b->have_actions)
        set_actions(b, r, at);
    close_fds(b, r);
    unmap(b, r);
    set_limits(b, t->pid);
}
