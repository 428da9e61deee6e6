/* SPDX-License-Identifier: Apache-2.0
 * sys_nest DIRECTORY COMMAND...: runs a command where it can do no harm: user, mount, pid, network, IPC and UTS namespaces of its own, every file system read-only but an empty
 * tmpfs on DIRECTORY (its working directory), no capabilities, no address randomisation, fixed limits. Its exit status is the command's; when that has ended nothing is left.
 * Exit status 125: this system does not allow such namespaces. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIRST_PID "3000000" /* numbers that are no other numbers */
#define FIRST_PID_SMALL "20000" /* where there are not so many */
#define UNABLE 125

static void fail(const char *what)
{
    fprintf(stderr, "sys_nest: %s: %s\n", what, strerror(errno));
    _exit(UNABLE);
}

static void write_file(const char *path, const char *text, int must)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if ((fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text)) && must)
        fail(path);
    if (fd >= 0)
        close(fd);
}

static void map_ids(unsigned uid, unsigned gid)
{
    char text[64];
    write_file("/proc/self/setgroups", "deny", 0);
    snprintf(text, sizeof text, "1000 %u 1", uid);
    write_file("/proc/self/uid_map", text, 1);
    snprintf(text, sizeof text, "1000 %u 1", gid);
    write_file("/proc/self/gid_map", text, 1);
}

static void mount_all(const char *directory)
{
    struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY};
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
        fail("private mounts");
    if (syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &attr, sizeof attr))
        fail("read-only mounts");
    if (mount("proc", "/proc", "proc", 0, NULL))
        fail("/proc");
    if (mount("tmpfs", directory, "tmpfs", 0, "size=64m,mode=700"))
        fail(directory);
    if (chdir(directory))
        fail(directory);
}

static void set_limit(int resource, rlim_t soft, rlim_t hard)
{
    struct rlimit r = {soft, hard};
    if (setrlimit(resource, &r))
        fail("limits");
}

static void drop_all(void)
{
    struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct d[2] = {{0}};
    set_limit(RLIMIT_CORE, 0, 0);
    set_limit(RLIMIT_NOFILE, 512, 1024);
    set_limit(RLIMIT_FSIZE, 1 << 24, 1 << 24);
    set_limit(RLIMIT_MEMLOCK, 1 << 20, 1 << 20);
    set_limit(RLIMIT_STACK, 8 << 20, 64 << 20);
    set_limit(RLIMIT_SIGPENDING, 1000, 1000);
    set_limit(RLIMIT_MSGQUEUE, 65536, 65536);
    for (int cap = 0; cap <= 63; cap++)
        prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
    if (syscall(SYS_capset, &h, d) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        fail("capabilities");
    if (personality(ADDR_NO_RANDOMIZE) < 0)
        fail("personality");
    umask(022);
}

static void clean_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int sig = 1; sig < 65; sig++)
        signal(sig, SIG_DFL);
}

/* The first process of the namespace: waits for the command; its end takes all others along. */
static int first_process(const char *directory, char **command)
{
    int status;
    mount_all(directory);
    write_file("/proc/sys/kernel/ns_last_pid", FIRST_PID_SMALL, 0);
    write_file("/proc/sys/kernel/ns_last_pid", FIRST_PID, 0);
    pid_t child = fork();
    if (child == 0) {
        setsid();
        drop_all();
        clean_signals();
        execv(command[0], command);
        fail(command[0]);
    }
    for (;;) {
        pid_t ended = waitpid(-1, &status, __WALL);
        if (ended == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (ended < 0 && errno != EINTR)
            fail("waitpid");
    }
}

int main(int argc, char **argv)
{
    unsigned uid = getuid(), gid = getgid();
    int status;
    if (argc < 3)
        return 2;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS))
        fail("namespaces");
    map_ids(uid, gid);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        _exit(first_process(argv[1], argv + 2));
    }
    if (child < 0)
        fail("fork");
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            fail("waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
