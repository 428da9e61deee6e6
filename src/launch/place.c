/* SPDX-License-Identifier: Apache-2.0
 * Carries the host's plan out in a traced process: finds a place, maps everything, fills it. Undoes nothing: rollback.c
 * does. */
#include "launch/launch.h"
#include "launch/remote.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* Lays the host out beside the scratch page, which lies where the kernel puts the next mapping. The placeholder is
 * made smaller when limits refuse it, and the host is put elsewhere when something is in the way. */
static int place_host(struct remote *r, struct plan *plan, struct host_layout *h, struct auxv *auxv, u64 scratch)
{
    bool down = host_area_downwards(scratch, auxv, r->regs.rsp);
    u64 edge = down ? scratch : scratch + REMOTE_SCRATCH_BYTES;
    int failed = 0;
    for (int i = 0; i < HOST_PLACEHOLDERS; i++) {
        u64 bytes;
        if (!host_placeholder(i, edge, down, &bytes))
            continue;
        host_layout_at(h, edge, down, bytes);
        plan_init(plan, scratch + PAGE_BYTES);
        host_plan(plan, h, auxv);
        failed = remote_run(r, plan, scratch);
        if (failed != 0)
            return failed; /* done, or an error that a smaller placeholder does not cure */
        if (i != HOST_PLACEHOLDER_TOP && plan->page.op[0].result == (u64)-EEXIST) {
            u64 next = maps_find_edge(r->pid, edge, down, HOST_MIN_GAP);
            i -= next && next != edge; /* the same size is tried at the next place */
            edge = next ? next : edge;
        }
    }
    return failed;
}

/* The scratch pages become part of the placeholder that they touch, or are filled as a hole like the others, because
 * the host must not be mapped there. */
static void drop_scratch(struct remote *r, u64 scratch)
{
    struct boot_range *ph = &boot.placeholder;
    u64 end = scratch + REMOTE_SCRATCH_BYTES;
    u64 map[6] = {scratch, REMOTE_SCRATCH_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
        (u64)-1, 0};
    bool keep = ph->end == scratch || ph->start == end || boot.nholes < BOOT_HOLES;
    long got = remote_syscall(r, keep ? SYS_mmap : SYS_munmap, map);
    if (got != (keep ? (long)scratch : 0))
        remote_fail(r, "the program's address space cannot be tidied up: %s", strerror((int)-got));
    if (ph->end == scratch)
        ph->end = end;
    else if (ph->start == end)
        ph->start = scratch;
    else if (keep)
        boot.hole[boot.nholes++] = (struct boot_range){scratch, end};
}

static void restore_trap_action(struct remote *r, u64 at)
{
    struct { u64 handler, flags, restorer, mask; } action = {(u64)SIG_IGN, 0, 0, 0};
    struct plan_mem mem = {at, &action, sizeof action};
    u64 arg[6] = {SIGTRAP, at, 0, 8};
    if (!remote_write_all(r, &mem, 1) || remote_syscall(r, SYS_rt_sigaction, arg))
        remote_fail(r, "sigaction failed in the program");
}

static void check_plan(struct remote *r, const struct plan *plan, int failed)
{
    int err = failed < 0 ? 0 : (int)-plan->page.op[failed].result;
    if (err)
        remote_fail(r, "cannot map %s into the program: %s%s", plan->what[failed], strerror(err), host_limit_hint(err));
}

void remote_load_host(struct remote *r, const struct program *p, struct host_layout *h, struct auxv *auxv,
                      bool ignores_trap)
{
    static struct plan plan, holes;
    long scratch = remote_scratch(r);
    if ((u64)scratch > (u64)-4096)
        remote_fail(r, "no memory for the engine in the program: %s%s", strerror((int)-scratch),
                    host_limit_hint((int)-scratch));
    check_plan(r, &plan, place_host(r, &plan, h, auxv, (u64)scratch));
    if (plan.page.op[0].result != plan.page.op[0].arg[0])
        remote_fail(r, "the kernel is too old (no MAP_FIXED_NOREPLACE)");
    boot.brk = plan.page.op[h->brk_op].result;
    boot.placeholder = h->placeholder;
    boot.host[boot.nhost++] = h->zone;
    plan_init(&holes, (u64)scratch + PAGE_BYTES);
    if (p)
        host_plan_holes(&holes, h, p, r->pid);
    if (holes.ops)
        check_plan(r, &holes, remote_run(r, &holes, (u64)scratch));
    if (ignores_trap)
        restore_trap_action(r, (u64)scratch + PAGE_BYTES);
    drop_scratch(r, (u64)scratch);
    if (!remote_write_all(r, plan.mem, plan.mems))
        remote_fail(r, "the program's memory cannot be written: %s", strerror(errno));
}
