/* SPDX-License-Identifier: Apache-2.0
 * `linchpin patch PID TID ADDRESS`: called by the engine in probe mode (agent_patch) to change code that threads may be
 * executing (docs/design/probes.md, PB12). All threads are stopped; one that stands at a displaced instruction goes on
 * at its copy. TID is the thread that waits for that: the process is looked at through it, because any other may end.
 * Nothing is said: the engine sees whether it was done. */
#include "launch/launch.h"
#include "launch/target.h"
#include "launch/tasks.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <unistd.h>

static struct tasks tasks;

/* Where the thread is to go on; its own pc if nothing changes there. */
static u64 place_of(const struct boot_patch *p, u32 n, u64 pc)
{
    for (u32 i = 0; i < n; i++)
        for (u32 k = 0; k < p[i].nmoved && k < BOOT_PATCH_MOVED; k++)
            if (p[i].moved[k].from == pc && pc != p[i].at)
                return p[i].moved[k].to;
    return pc;
}

static bool move_thread(const struct task *task, const struct boot_patch *p, u32 n)
{
    u64 pc = (u64)ptrace(PTRACE_PEEKUSER, task->tid, offsetof(struct user, regs.rip), NULL);
    u64 to = place_of(p, n, pc);
    return to == pc || ptrace(PTRACE_POKEUSER, task->tid, offsetof(struct user, regs.rip), to) == 0;
}

/* By this file code is written that nobody may write to. */
static bool write_all(const struct target *t, const struct boot_patch *p, u32 n)
{
    char path[32];
    bool done = true;
    base_format(path, sizeof path, "/proc/%d/mem", t->live);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    for (u32 i = 0; i < n && done; i++)
        done = p[i].bytes <= BOOT_PATCH_BYTES &&
               pwrite(fd, p[i].code, p[i].bytes, (off_t)p[i].at) == (ssize_t)p[i].bytes;
    if (fd >= 0)
        close(fd);
    return done;
}

static bool write_word(const struct target *t, u64 at, u64 word)
{
    struct boot_patch p = {.at = at, .bytes = sizeof word};
    memcpy(p.code, &word, sizeof word);
    return write_all(t, &p, 1);
}

/* Looked up now, while everything stands still. */
static bool is_host(const struct target *t, const struct boot_patches *all, u64 tls, struct boot_identity *id)
{
    *id = (struct boot_identity){0};
    if (!target_read(t, all->identities, &id->next, sizeof id->next))
        return true;
    while (id->next)
        if (!target_read(t, id->next, id, sizeof *id) || id->tls == tls)
            return true;
    return false;
}

/* A thread in host code is told that it is asked, and looks at that before it leaves; one that has just looked is sent
 * back to do so. One that makes an identity, or waits for one, is left alone. */
static u32 tell(const struct target *t, const struct task *task, const struct boot_patches *all,
                const struct boot_identity *id, u64 pc)
{
    if (!id->due_at || !target_write(t, id->due_at, &all->generation, sizeof all->generation) ||
        (pc >= all->leave && pc < all->left &&
         ptrace(PTRACE_POKEUSER, task->tid, offsetof(struct user, regs.rip), all->leave)))
        return BOOT_VISIT_NEVER;
    return BOOT_VISIT_DUE;
}

/* One that was in a system call makes it again afterwards. late: also one that is in host code, which comes when it
 * leaves that. False: it does not come from where it is. */
static bool send(const struct target *t, const struct task *task, const struct boot_patches *all, struct boot_visit *v,
                 bool late)
{
    struct user_regs_struct regs;
    struct boot_identity id;
    if (ptrace(PTRACE_GETREGS, task->tid, NULL, &regs) || (regs.rip >= all->low && regs.rip < all->high) ||
        (regs.rsp > all->stack_low && regs.rsp <= all->stack_high))
        return false;
    if (is_host(t, all, regs.fs_base, &id)) {
        v->sent = late ? tell(t, task, all, &id, regs.rip) : BOOT_VISIT_NEVER;
        return false;
    }
    tasks_restart(&regs);
    if (!target_write(t, v->back, &regs.rip, sizeof regs.rip) && !write_word(t, v->back, regs.rip))
        return false;
    regs.rip = v->at;
    v->sent = ptrace(PTRACE_SETREGS, task->tid, NULL, &regs) ? BOOT_VISIT_NEVER : BOOT_VISIT_SENT;
    return v->sent == BOOT_VISIT_SENT;
}

static void send_all(const struct target *t, const struct boot_patches *all)
{
    struct boot_visit *v = calloc(all->nvisits + 1, sizeof *v);
    if (!v || !target_read(t, all->visit, v, all->nvisits * sizeof *v))
        return;
    for (u32 i = 0; i < all->nvisits; i++) {
        const struct task *task = tasks_find(&tasks, v[i].tid);
        if (task)
            send(t, task, all, &v[i], true);
    }
    target_write(t, all->visit, v, all->nvisits * sizeof *v);
}

/* Sends one of the program's threads to the errand, which a launched program has in place of an agent. False: none can
 * be sent now. */
bool patch_errand(const struct target *t)
{
    struct boot_control control;
    struct boot_patches all;
    struct boot_visit v;
    bool sent = false;
    int err = tasks_seize(&tasks, t->pid, PTRACE_O_TRACECLONE);
    if (err)
        target_refused(t, err);
    tasks_stop_all(&tasks);
    if (target_read_control(t, &control) && control.errand && target_read(t, control.errand, &all, sizeof all) &&
        target_read(t, all.visit, &v, sizeof v))
        for (u32 i = 0; i < tasks.n && !sent; i++) {
            v.tid = tasks.task[i].tid;
            sent = !tasks.task[i].gone && send(t, &tasks.task[i], &all, &v, false);
        }
    tasks_detach_all(&tasks);
    return sent;
}

int patch_main(int argc, char **argv)
{
    if (argc != 3)
        return 1;
    pid_t pid = options_pid("patch", argv[0]);
    u64 list = strtoul(argv[2], NULL, 16);
    struct target target = {.pid = pid, .live = options_pid("patch", argv[1])};
    struct boot_patches all;
    if (!target_read(&target, list, &all, sizeof all))
        return 1;
    struct boot_patch *p = calloc(all.n, sizeof *p);
    if (!p || !target_read(&target, all.patch, p, all.n * sizeof *p) || tasks_seize(&tasks, pid, PTRACE_O_TRACECLONE))
        return 1;
    tasks_stop_all(&tasks);
    bool done = true;
    for (u32 i = 0; i < tasks.n; i++)
        if (!tasks.task[i].gone)
            done &= move_thread(&tasks.task[i], p, all.n);
    done = done && write_all(&target, p, all.n);
    if (done)
        send_all(&target, &all);
    all.done = done;
    target_write(&target, list, &all, sizeof all);
    tasks_detach_all(&tasks);
    return !done;
}
