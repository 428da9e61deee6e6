/* SPDX-License-Identifier: Apache-2.0
 * See filefd.h. Owns os_file_fds. What is known of a descriptor is forgotten before it is closed, and nothing is
 * learned while that is being done. On guest threads. */
#include "os/linux/filefd.h"

#include "os/events.h"
#include "os/hostlock.h"
#include "os/thread.h"

#include <linux/magic.h>
#include <linux/sched.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

u8 *os_file_fds;
static u8 others[OS_HIGH_FD]; /* by the same index: is known to be none */

static struct hostlock lock FORK_WRITES = HOSTLOCK(LOCK_FILES);
static u32 closing FORK_WRITES; /* calls that are being made */
static u64 closed FORK_WRITES;  /* calls that are over */
static bool off FORK_WRITES;

/* File systems whose calls nothing but the end of the process interrupts. Not those of a network or of another process
 * (FUSE), nor those of the kernel's, some of whose files wait for events. */
static bool waits_for_nobody(long type)
{
    static const u32 known[] = {
        EXT4_SUPER_MAGIC, 0x58465342 /* xfs */, BTRFS_SUPER_MAGIC, TMPFS_MAGIC, RAMFS_MAGIC, OVERLAYFS_SUPER_MAGIC,
        F2FS_SUPER_MAGIC, 0xca451a4e /* bcachefs */, 0x2fc12fc1 /* zfs */, SQUASHFS_MAGIC, 0xe0f5e1e2 /* erofs */,
        ISOFS_SUPER_MAGIC, MSDOS_SUPER_MAGIC, 0x2011bab0 /* exfat */, HUGETLBFS_MAGIC,
    };
    for (u32 i = 0; i < ARRAY_LEN(known); i++)
        if ((u32)type == known[i])
            return true;
    return false;
}

static bool is_file(int fd, const struct stat *s)
{
    struct statfs f;
    if (S_ISCHR(s->st_mode))
        return s->st_rdev == makedev(1, 3); /* /dev/null */
    return S_ISREG(s->st_mode) && !fstatfs(fd, &f) && waits_for_nobody(f.f_type);
}

/* Of a process with descriptors of its own in this memory nothing is kept, and it takes no lock: it may be killed. */
static bool is_other(void) { return vm_tc.os.vfork_child || vm_tc.os.foreign_mm || vm_tc.os.own_fds; }

void filefd_learn(u32 fd)
{
    u32 at = fd + OS_HIGH_BIAS;
    if (fd >= OS_HIGH_FD - OS_HIGH_BIAS || others[at] || os_file_fds[at] || off || is_other())
        return;
    u64 seen = __atomic_load_n(&closed, __ATOMIC_ACQUIRE);
    struct stat s;
    if (fstat((int)fd, &s))
        return;
    u8 *known = is_file((int)fd, &s) ? os_file_fds : others;
    hostlock_take(&lock);
    if (!closing && !off && closed == seen)
        known[at] = 1;
    hostlock_give(&lock);
}

static void forget(u32 first, u32 last)
{
    for (u32 fd = first; fd <= last && fd < OS_HIGH_FD - OS_HIGH_BIAS; fd++)
        if (os_file_fds[fd + OS_HIGH_BIAS] || others[fd + OS_HIGH_BIAS])
            os_file_fds[fd + OS_HIGH_BIAS] = others[fd + OS_HIGH_BIAS] = 0;
}

void filefd_begin(u32 first, u32 last)
{
    if (LIKELY(!os_stops_threads) || vm_tc.os.own_fds)
        return;
    hostlock_take(&lock);
    closing++;
    forget(first, last);
    hostlock_give(&lock);
}

void filefd_end(void)
{
    if (LIKELY(!os_stops_threads) || vm_tc.os.own_fds)
        return;
    hostlock_take(&lock);
    closing--;
    __atomic_add_fetch(&closed, 1, __ATOMIC_RELEASE);
    hostlock_give(&lock);
}

void filefd_off(void)
{
    if (!os_stops_threads)
        return;
    hostlock_take(&lock);
    off = true;
    forget(0, ~0u);
    hostlock_give(&lock);
}

void filefd_note_clone(u64 flags)
{
    bool thread = flags & CLONE_THREAD, files = flags & CLONE_FILES, memory = flags & CLONE_VM;
    if (thread ? !files : files && !memory)
        filefd_off();
}

/* Its descriptors were copied before its memory was, and a thread that was closing one may not exist here. */
void filefd_after_fork(void)
{
    if (LIKELY(!os_stops_threads))
        return;
    hostlock_reset(&lock);
    closing = 0;
    forget(0, ~0u);
}
