/* SPDX-License-Identifier: Apache-2.0
 * RLIMIT_AS and RLIMIT_DATA. The engine's own mappings count against the kernel's limits, so the kernel's limits are
 * kept as high as possible, and the guest's limits are kept here and applied to the guest's own mappings (gmap) where
 * the kernel would apply them. Other limits are the kernel's: nothing that the engine does counts against them for
 * long.
 *
 *  L1  The guest's limits belong to a process. A child of vfork shares this memory but is a process of its own: once it
 *      has set a limit, its limits are in its thread's context.
 *  L2  The kernel has the guest's limits only during an execve. Whoever lacks memory meanwhile waits for it to fail
 *      (exec_lock).
 *  L3  What the tool sets for its process is the kernel's limit and stays: it holds for program, tool and engine
 *      together. The program sees it as its own. */
#include "os/linux/limits.h"
#include "arch/arch.h"
#include "os/gmap.h"
#include "os/hostlock.h"
#include "os/hostmem.h"
#include "os/linux/procfs.h"
#include "os/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* So much of a limited address space is kept for the engine, if the limit is at least ENGINE_RESERVE_FROM. */
#define ENGINE_RESERVE_BYTES (8ul << 20)
#define ENGINE_RESERVE_FROM (100ul << 20)
#define INIT_USER_NS_INO 0xeffffffdu /* of /proc/self/ns/user in the first user namespace */

static const int resources[BOOT_LIMITS] = {[BOOT_LIMIT_AS] = RLIMIT_AS, [BOOT_LIMIT_DATA] = RLIMIT_DATA};
static struct boot_limit process_limits[BOOT_LIMITS];
static struct hostlock exec_lock FORK_WRITES = HOSTLOCK(LOCK_LIMITS);
static bool of_tool[BOOT_LIMITS]; /* L3 */
/* The kernel's limits may have been changed. Else the kernel is not even asked, because a seccomp filter might forbid
 * that. */
static bool diverged;
/* What the kernel's limit is when one that somebody else has set was lifted; 0: none was. As good as no limit, and no
 * one's own: so it is seen when that one takes the limit back. */
#define LIFTED (RLIM_INFINITY - 1)
static u64 lifted[BOOT_LIMITS];

static struct {
    bool known;
    u64 start_data, end_data, start_brk;
} layout;

/* --- the guest's limits ------------------------------------------------------------------------------------------- */

static struct boot_limit *mine(void)
{
    return vm_tc.os.own_limits ? vm_tc.os.limit : process_limits;
}

static int index_of(u64 resource)
{
    for (int i = 0; i < BOOT_LIMITS; i++)
        if ((u64)resources[i] == resource)
            return i;
    return -1;
}

bool limits_is_ours(u64 resource)
{
    return index_of(resource) >= 0;
}

void limits_get(u64 resource, struct rlimit64 *out)
{
    const struct boot_limit *l = &mine()[index_of(resource)];
    *out = (struct rlimit64){l->soft, l->hard};
}

/* Not by libc, whose calls are the tool's (L3). */
static s64 kernel_limit(int i, const struct rlimit64 *now, struct rlimit64 *old)
{
    return arch_raw_syscall(SYS_prlimit64, 0, (u64)resources[i], (u64)now, (u64)old, 0, 0);
}

/* CAP_SYS_RESOURCE where it counts. The kernel is not asked by trying: that could not be undone. */
static bool may_raise_hard(void)
{
    struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct d[2] = {{0}};
    struct stat st;
    return syscall(SYS_capget, &h, d) == 0 && d[0].effective & 1u << CAP_SYS_RESOURCE &&
           stat("/proc/self/ns/user", &st) == 0 && st.st_ino == INIT_USER_NS_INO;
}

/* The guest's hard limit has been raised: so is the kernel's, to have room for the engine. */
static void follow_hard(int i, u64 hard)
{
    struct rlimit64 now;
    if (!of_tool[i] && kernel_limit(i, NULL, &now) == 0 && now.rlim_max < hard) {
        now = (struct rlimit64){hard, hard};
        kernel_limit(i, &now, NULL);
        lifted[i] = 0;
    }
}

s64 limits_set(u64 resource, const struct rlimit64 *now)
{
    int i = index_of(resource);
    if (now->rlim_cur > now->rlim_max)
        return -EINVAL;
    if (now->rlim_max > mine()[i].hard && !may_raise_hard())
        return -EPERM;
    if ((vm_tc.os.vfork_child || vm_tc.os.foreign_mm) && !vm_tc.os.own_limits) { /* L1 */
        memcpy(vm_tc.os.limit, process_limits, sizeof process_limits);
        vm_tc.os.own_limits = true;
    }
    mine()[i] = (struct boot_limit){now->rlim_cur, now->rlim_max};
    diverged = true;
    follow_hard(i, now->rlim_max);
    return 0;
}

s64 limits_library_call(u64 nr, const u64 *args)
{
    bool any_pid = nr == SYS_prlimit64;
    int pid = any_pid ? (int)args[0] : 0, i = index_of((u32)args[any_pid ? 1 : 0]);
    const struct rlimit64 *now = (const struct rlimit64 *)args[any_pid ? 2 : 1];
    s64 r = arch_raw_syscall(nr, args[0], args[1], args[2], args[3], args[4], args[5]);
    if (r || i < 0 || !now || (pid && pid != (int)arch_raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0)) ||
        vm_tc.os.vfork_child || vm_tc.os.foreign_mm) /* L1: another process */
        return r;
    process_limits[i] = (struct boot_limit){now->rlim_cur, now->rlim_max};
    of_tool[i] = now->rlim_cur != RLIM_INFINITY;
    lifted[i] = 0;
    diverged = true;
    if (of_tool[i])
        hostmem_drop_reserve();
    return 0;
}

static bool view(int resource, u64 *soft, u64 *hard)
{
    const struct boot_limit *l = &mine()[index_of((u64)resource)];
    *soft = l->soft;
    *hard = l->hard;
    return true;
}

/* --- what they allow ---------------------------------------------------------------------------------------------- */

bool limits_any(void)
{
    const struct boot_limit *l = mine();
    return l[BOOT_LIMIT_AS].soft != RLIM_INFINITY || l[BOOT_LIMIT_DATA].soft != RLIM_INFINITY;
}

static bool fits(u64 have, u64 more, u64 limit)
{
    return have / PAGE_BYTES + more / PAGE_BYTES <= limit / PAGE_BYTES;
}

/* May the mappings grow by `bytes`? As the kernel's may_expand_vm, with its exception for a soft limit of 0, which
 * forbids only brk. */
static bool may_expand(const struct gmap_totals *t, u32 flags, u64 bytes)
{
    const struct boot_limit *as = &mine()[BOOT_LIMIT_AS], *data = &mine()[BOOT_LIMIT_DATA];
    if (!fits(t->all_bytes, bytes, as->soft))
        return false;
    return !gmap_is_data(flags) || fits(t->data_bytes, bytes, data->soft) ||
           (data->soft == 0 && fits(t->data_bytes, bytes, data->hard));
}

/* A hard limit counts program and engine together: the program must not take the last of it, because the engine could
 * not go on. */
static bool leaves_room(const struct gmap_totals *t, u64 bytes)
{
    struct rlimit64 now;
    if (kernel_limit(BOOT_LIMIT_AS, NULL, &now) || now.rlim_cur >= LIFTED || now.rlim_cur < ENGINE_RESERVE_FROM)
        return true;
    return t->all_bytes + hostmem_total_bytes() + bytes + ENGINE_RESERVE_BYTES <= now.rlim_cur;
}

bool limits_allow_map(u32 flags, u64 bytes, u64 replaced)
{
    struct gmap_totals t;
    if (!limits_any() || bytes <= replaced)
        return true;
    gmap_totals(&t);
    bytes = PAGE_UP(bytes) - replaced;
    if (!may_expand(&t, flags, bytes))
        return false;
    bool room = leaves_room(&t, bytes);
    if (!room)
        limits_note_refused();
    return room;
}

/* /proc/self/stat: fields 45, 46, 47. The break's check needs them. */
static void read_layout(void)
{
    char text[2048];
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return;
    text[n] = '\0';
    char *p = strrchr(text, ')');
    for (int field = 2; p && field < 45; field++)
        p = strchr(p + 1, ' ');
    if (!p)
        return;
    layout.start_data = strtoul(p, &p, 10);
    layout.end_data = strtoul(p, &p, 10);
    layout.start_brk = strtoul(p, &p, 10);
    layout.known = true;
}

void limits_forget_layout(void)
{
    layout.known = false;
}

bool limits_allow_break(u64 from, u64 to)
{
    u64 limit = mine()[BOOT_LIMIT_DATA].soft;
    if (!limits_any())
        return true;
    if (limit != RLIM_INFINITY && !layout.known)
        read_layout();
    if (limit != RLIM_INFINITY && layout.known && to >= layout.start_brk &&
        to - layout.start_brk + (layout.end_data - layout.start_data) > limit)
        return false;
    return PAGE_UP(to) <= PAGE_UP(from) || limits_allow_map(GMAP_READ | GMAP_WRITE, PAGE_UP(to) - PAGE_UP(from), 0);
}

u64 limits_protect_end(u64 start, u64 end, u32 rwx)
{
    struct gmap_totals t;
    struct gmap_area a;
    if (!(rwx & GMAP_WRITE) || !limits_any())
        return end;
    gmap_totals(&t);
    for (u64 at = start; at < end && gmap_next(at, &a) && a.start < end; at = a.end) {
        u64 from = a.start > start ? a.start : start, bytes = (a.end < end ? a.end : end) - from;
        u32 flags = (a.flags & ~(u32)(GMAP_READ | GMAP_EXEC)) | GMAP_WRITE;
        if (gmap_is_data(a.flags) || !gmap_is_data(flags))
            continue;
        if (!may_expand(&t, flags, bytes) && may_expand(&t, a.flags, bytes))
            return from;
        t.data_bytes += bytes;
    }
    return end;
}

void limits_note_refused(void)
{
    static bool said;
    for (int i = 0; i < BOOT_LIMITS && limits_any(); i++) {
        struct rlimit64 now;
        if (of_tool[i] || kernel_limit(i, NULL, &now) || now.rlim_cur >= LIFTED ||
            __atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
            continue;
        msg("the program does not get all the memory that it may have: the hard limit of %lu KiB (ulimit -H%c) has to "
            "serve the engine, too",
            now.rlim_cur / 1024, i == BOOT_LIMIT_AS ? 'v' : 'd');
    }
}

/* --- the kernel's limits ------------------------------------------------------------------------------------------ */

static bool is_set_outside(int i, const struct rlimit64 *now)
{
    if (of_tool[i])
        return false;
    return lifted[i] ? now->rlim_cur != lifted[i] : now->rlim_cur != RLIM_INFINITY && now->rlim_cur != now->rlim_max;
}

static bool lift_limit(int i, const struct rlimit64 *now)
{
    struct rlimit64 most = {now->rlim_max == RLIM_INFINITY ? LIFTED : now->rlim_max, now->rlim_max};
    if (kernel_limit(i, &most, NULL))
        return false;
    lifted[i] = most.rlim_cur == LIFTED ? LIFTED : 0;
    mine()[i] = (struct boot_limit){now->rlim_cur, now->rlim_max};
    return true;
}

/* Memory is lacking. True: another try may help, because somebody else has limited this process and the limit is lifted
 * now, or has taken it back, or because an execve was being tried. */
static bool make_room(void)
{
    bool changed = false;
    hostlock_take(&exec_lock);
    for (int i = 0; i < BOOT_LIMITS; i++) {
        struct rlimit64 now;
        if (kernel_limit(i, NULL, &now) == 0 && is_set_outside(i, &now) && lift_limit(i, &now))
            changed = diverged = true;
    }
    hostlock_give(&exec_lock);
    return changed;
}

bool limits_set_outside(void) { return !vm_tc.os.vfork_child && !vm_tc.os.foreign_mm && make_room(); }

void limits_init(const struct boot_info *boot)
{
    memcpy(process_limits, boot->limit, sizeof process_limits);
    diverged = limits_any();
    procfs_limit_view = view;
    hostmem_make_room = make_room;
}

/* L2; a vfork child has limits of its own, and would keep the lock for ever. */
static bool exec_locks(void)
{
    return !vm_tc.os.vfork_child && !vm_tc.os.foreign_mm;
}

bool limits_exec_changes(struct limits_saved *saved)
{
    bool any = false;
    saved->lowered = false;
    for (int i = 0; i < BOOT_LIMITS && diverged; i++) {
        struct rlimit64 was, want;
        limits_get((u64)resources[i], &want);
        if (kernel_limit(i, NULL, &was))
            was = want;
        saved->was[i] = (struct boot_limit){was.rlim_cur, was.rlim_max};
        any |= was.rlim_cur != want.rlim_cur || was.rlim_max != want.rlim_max;
    }
    return any;
}

void limits_before_exec(struct limits_saved *saved)
{
    if (exec_locks())
        hostlock_take(&exec_lock);
    saved->lowered = true;
    for (int i = 0; i < BOOT_LIMITS; i++) {
        struct rlimit64 want;
        limits_get((u64)resources[i], &want);
        kernel_limit(i, &want, NULL);
    }
}

void limits_exec_failed(const struct limits_saved *saved)
{
    for (int i = 0; i < BOOT_LIMITS && saved->lowered; i++) {
        struct rlimit64 now = {saved->was[i].soft, saved->was[i].hard};
        if (kernel_limit(i, &now, NULL) == 0 || kernel_limit(i, NULL, &now))
            continue;
        now.rlim_cur = now.rlim_max;
        kernel_limit(i, &now, NULL);
        lifted[i] = 0;
    }
    if (saved->lowered && exec_locks())
        hostlock_give(&exec_lock);
}

void limits_before_fork(void) { hostlock_take(&exec_lock); }
void limits_after_fork(void) { hostlock_give(&exec_lock); }

void limits_leave(void)
{
    for (int i = 0; i < BOOT_LIMITS && diverged; i++) {
        struct rlimit64 now = {process_limits[i].soft, process_limits[i].hard};
        kernel_limit(i, &now, NULL);
    }
}
