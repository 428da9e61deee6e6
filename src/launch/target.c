/* SPDX-License-Identifier: Apache-2.0
 * See target.h. Only looks; changes nothing. */
#include "launch/target.h"

#include "launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define ENGINE_NAME "/linchpin-vm"
#define FLAGS_FIELD 7
#define FLAG_EXITING 4 /* PF_EXITING of the kernel */

static int read_proc(pid_t pid, const char *name, char *buf, size_t bytes)
{
    char path[64];
    base_format(path, sizeof path, "/proc/%d/%s", pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, buf, bytes - 1);
    int err = errno;
    if (fd >= 0)
        close(fd);
    buf[n > 0 ? n : 0] = '\0';
    errno = err;
    return (int)n;
}

const char *target_field(pid_t pid, const char *name)
{
    static char text[4096];
    char want[64];
    base_format(want, sizeof want, "\n%s:\t", name);
    text[0] = '\n';
    char *at = read_proc(pid, "status", text + 1, sizeof text - 1) > 0 ? strstr(text, want) : NULL;
    if (!at)
        return "";
    at += strlen(want);
    at[strcspn(at, "\n")] = '\0';
    return at;
}

bool target_read(const struct target *t, u64 from, void *to, u64 bytes)
{
    struct iovec local = {to, bytes}, there = {(void *)from, bytes};
    return process_vm_readv(t->live, &local, 1, &there, 1, 0) == (ssize_t)bytes;
}

bool target_write(const struct target *t, u64 to, const void *from, u64 bytes)
{
    struct iovec local = {(void *)from, bytes}, there = {(void *)to, bytes};
    return process_vm_writev(t->live, &local, 1, &there, 1, 0) == (ssize_t)bytes;
}

bool target_read_control(const struct target *t, struct boot_control *out)
{
    return target_read(t, t->boot + offsetof(struct boot_info, control), out, sizeof *out);
}

/* The boot block is right below the engine's image (host.c). An engine whose tool has left the process in probe mode
 * stays in its memory: another one, that was attached later, is looked for. */
static bool note_engine(const struct map_line *m, void *arg)
{
    struct target *t = arg;
    const char *slash = strstr(m->name, ENGINE_NAME);
    u64 head[2] = {0, 0}, at = m->start - PAGE_UP(sizeof(struct boot_info));
    if (!slash || (slash[sizeof ENGINE_NAME - 1] && slash[sizeof ENGINE_NAME - 1] != ' ') ||
        !target_read(t, at, head, sizeof head) || head[0] != BOOT_MAGIC)
        return true;
    if ((u32)head[1] != sizeof(struct boot_info))
        die(1, "process %d runs under another version of Linchpin: use that one's linchpin command", t->pid);
    struct boot_control control;
    t->boot = at;
    t->left = target_read_control(t, &control) && control.left && !control.agent;
    if (t->left && t->nformer < BOOT_FORMER)
        t->former[t->nformer++] =
            (struct boot_range){control.ranges, control.ranges + control.nranges * sizeof(struct boot_range)};
    return t->left;
}

static u64 find_vdso(pid_t pid)
{
    u64 auxv[2 * AUXV_MAX + 2] = {0};
    int n = read_proc(pid, "auxv", (char *)auxv, sizeof auxv);
    for (int i = 0; i + 15 < n; i += 16)
        if (auxv[i / 8] == AT_SYSINFO_EHDR)
            return auxv[i / 8 + 1];
    return 0;
}

s64 target_stat(pid_t tid, int field)
{
    char text[1024];
    const char *at = read_proc(tid, "stat", text, sizeof text) > 0 ? strrchr(text, ')') : NULL;
    for (int i = 0; at && i < field; i++)
        at = strchr(at + 1, ' ');
    return at ? strtol(at, NULL, 10) : -1;
}

/* Or is about to: its memory may be gone before its state says so. */
static bool has_ended(pid_t tid) { return target_stat(tid, FLAGS_FIELD) & FLAG_EXITING; }

/* Returns pid itself if all threads have ended. */
static pid_t find_live(pid_t pid)
{
    char path[32];
    u8 buf[4096];
    pid_t live = pid;
    if (!has_ended(pid))
        return pid;
    base_format(path, sizeof path, "/proc/%d/task", pid);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (long n; fd >= 0 && (n = syscall(SYS_getdents64, fd, buf, sizeof buf)) > 0;)
        for (long at = 0; at < n; at += *(u16 *)(buf + at + 16)) {
            pid_t tid = atoi((char *)buf + at + 19);
            live = tid > 0 && !has_ended(tid) ? tid : live;
        }
    if (fd >= 0)
        close(fd);
    return live;
}

bool target_may_end;

void target_open(struct target *t, pid_t pid)
{
    *t = (struct target){.pid = pid, .live = find_live(pid)};
    if (pid <= 0 || (kill(pid, 0) < 0 && errno == ESRCH)) {
        if (target_may_end)
            _exit(0);
        die(1, "there is no process %d", pid);
    }
    if (!maps_each(t->live, note_engine, t) && (errno == EACCES || errno == EPERM))
        target_refused(t, errno);
    t->vdso = find_vdso(t->live);
}

static const char *name_of(pid_t pid)
{
    static char name[64];
    base_format(name, sizeof name, "%s", target_field(pid, "Name"));
    return name;
}

static u32 number_field(pid_t pid, const char *field) { return (u32)strtoul(target_field(pid, field), NULL, 10); }

void target_refused(const struct target *t, int err)
{
    char scope[1];
    u32 tracer = number_field(t->pid, "TracerPid"), uid = number_field(t->pid, "Uid");
    if (tracer)
        die(1, "process %d is being traced by process %u (%s): a debugger has to let it go first", t->pid, tracer,
            name_of((pid_t)tracer));
    if (err == ESRCH)
        die(1, "process %d is ending, or has ended", t->pid);
    if (uid != geteuid() && geteuid() != 0)
        die(1, "process %d belongs to another user (uid %u): only that user or root may attach to it", t->pid, uid);
    int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && read(fd, scope, 1) == 1 && scope[0] > '0')
        die(1,
            "the kernel does not let process %d be traced (kernel.yama.ptrace_scope is %c): try as root, or with that "
            "setting 0",
            t->pid, scope[0]);
    die(1, "the kernel does not let process %d be traced: %s (see linchpin doctor)", t->pid, strerror(err));
}

void target_check_ended(const struct target *t)
{
    if (!has_ended(find_live(t->pid)))
        return;
    if (target_may_end)
        _exit(0);
    if (target_field(t->pid, "State")[0] == 'Z')
        die(1, "process %d has ended (it is a zombie until its parent asks for its status)", t->pid);
    die(1, "process %d is ending, or has ended", t->pid);
}

void target_check_program(const struct target *t)
{
    /* Not static: launches under small limits on data have no use for it. */
    struct elf_image *image = host_map_own(sizeof *image);
    char path[32], real[PATH_MAX];
    const char *why = "";
    if (t->left && t->nformer == BOOT_FORMER)
        die(1, "process %d was detached from in probe mode %d times, and each time the engine has stayed in memory: it "
            "cannot be attached to any more", t->pid, BOOT_FORMER);
    if (t->boot && !t->left) {
        pin_lead = "Pin is already attached: ";
        die(1, "process %d runs under Linchpin already: `linchpin detach %d` first", t->pid, t->pid);
    }
    base_format(path, sizeof path, "/proc/%d/exe", t->live);
    ssize_t n = readlink(path, real, sizeof real - 1);
    int err = errno;
    if (n < 0) {
        target_check_ended(t);
        die(1, "process %d is a thread of the kernel, or cannot be looked into: %s", t->pid, strerror(err));
    }
    enum elf_status status = elf_read(image, path, &why);
    if (status == ELF_X32 || (status == ELF_OK && image->narrow))
        die(1, "process %d runs a 32-bit program; only x86-64 programs can be attached to", t->pid);
    if (status == ELF_OTHER_MACHINE)
        die(1, "process %d runs a program for %s; only x86-64 programs can be attached to", t->pid,
            elf_machine_name(image->eh.e_machine));
}

void target_check(const struct target *t)
{
    if (t->pid == getpid())
        die(1, "process %d is this linchpin command itself", t->pid);
    target_check_ended(t);
    if (number_field(t->pid, "Tgid") != (u32)t->pid)
        die(1, "%d is a thread of process %u: attach to that", t->pid, number_field(t->pid, "Tgid"));
    target_check_program(t);
    if (target_field(t->live, "State")[0] == 'T')
        die(1, "process %d is stopped: continue it first (kill -CONT %d)", t->pid, t->pid);
    if (number_field(t->pid, "TracerPid"))
        target_refused(t, EPERM);
    if (number_field(t->pid, "Seccomp"))
        die(1, "process %d has restricted its system calls (seccomp): the engine could not work in it", t->pid);
}

/* The words of the engine's command line that follow -t. */
static const char *tool_of(const struct boot_info *b)
{
    const char *at = b->text;
    for (u32 i = 0; i + 1 < b->argc; i++, at += strlen(at) + 1)
        if (strcmp(at, "-t") == 0)
            return at + strlen(at) + 1;
    return NULL;
}

int target_status(pid_t pid)
{
    static const char *const modes[] = {[BOOT_LAUNCH] = "launched", [BOOT_INPROC] = "launched",
        [BOOT_ATTACH] = "attached to"};
    struct boot_info *info = host_map_own(sizeof *info);
    struct target t;
    target_open(&t, pid);
    if (!t.boot || !target_read(&t, t.boot, info, sizeof *info)) {
        target_check_ended(&t);
        msg("process %d (%s) does not run under Linchpin", pid, name_of(pid));
        return 1;
    }
    const char *tool = tool_of(info), *detach = "cannot be detached from by command";
    if (info->control.left)
        detach = "was detached from";
    else if (info->control.agent || info->control.native)
        detach = "can be detached from";
    msg("process %d (%s) runs under Linchpin: %s, tool %s, %s", pid, name_of(pid),
        info->mode <= BOOT_ATTACH ? modes[info->mode] : "?", tool ? tool : "none",
        detach);
    return 0;
}
