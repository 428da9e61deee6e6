/* SPDX-License-Identifier: Apache-2.0
 * See privilege.h. The kernel's rules, but for user namespaces: the owner of a file who has no number in this one
 * counts as another user. */
#include "os/linux/privilege.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The file system, or the process itself, forbids it. */
static bool is_forbidden(const char *path)
{
    struct statvfs fs;
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 || (statvfs(path, &fs) == 0 && fs.f_flag & ST_NOSUID);
}

bool privilege_changes(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0 || is_forbidden(path))
        return false;
    if (st.st_mode & S_ISUID && st.st_uid != geteuid())
        return true;
    if ((st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st.st_gid != getegid())
        return true;
    return geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
}

bool privilege_kept_when_traced(void)
{
    struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct d[2] = {{0}};
    return syscall(SYS_capget, &h, d) == 0 && d[0].effective & 1u << CAP_SYS_PTRACE;
}
