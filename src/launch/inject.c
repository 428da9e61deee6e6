/* SPDX-License-Identifier: Apache-2.0
 * The way in by ptrace. The launcher's process becomes the application, so pid, parent, terminal and limits are what
 * the user expects; a grandchild, the injector, seizes it before the exec, puts the host side in at the first
 * instruction, and lets go. It owns nothing afterwards. All its signals are blocked (a ^C is for the application)
 * and PTRACE_O_EXITKILL makes sure that the application is never left stopped. */
#include "launch/launch.h"
#include "launch/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define PTRACE_OPTIONS (PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)

static struct sigaction trap_action; /* inherited action of SIGTRAP: our int3 resets it if it was ignored */

/* --- the guest as exec left it ------------------------------------------------------------------------------------ */

/* Reads the pointers on the guest's stack to find its auxv. */
static void read_guest_auxv(struct remote *r, struct auxv *auxv)
{
    static u64 words[4096];
    u64 at = r->regs.rsp, got = 0, i = 0, zeros = 0;
    for (;; i++) { /* argc, argv, 0, envp, 0 */
        if (i == got) {
            at += got * 8;
            u64 n = (PAGE_UP(at + 1) - at) / 8; /* never past the stack's end */
            if (!remote_read(r, at, words, n * 8))
                remote_fail(r, "the program's stack cannot be read: %s", strerror(errno));
            got = n;
            i = 0;
        }
        bool count = at == r->regs.rsp && i == 0; /* argc may be 0 */
        if (zeros == 2)
            break;
        zeros += !count && words[i] == 0;
    }
    boot.guest_auxv = at + i * 8;
    for (auxv->words = 0;; auxv->words += 2) {
        ASSERT(auxv->words + 2 <= 2 * AUXV_MAX);
        u64 *pair = auxv->word + auxv->words;
        if (!remote_read(r, boot.guest_auxv + (u64)auxv->words * 8, pair, 16))
            remote_fail(r, "the program's stack cannot be read: %s", strerror(errno));
        if (pair[0] == AT_NULL)
            break;
    }
    auxv->words += 2;
    boot.guest_auxv_bytes = (u64)auxv->words * 8;
}

static void save_guest(struct remote *r, const struct program *p, struct auxv *auxv)
{
    struct iovec xstate = {boot.xstate, sizeof boot.xstate};
    if (ptrace(PTRACE_GETREGS, r->pid, NULL, &r->regs) || ptrace(PTRACE_GETREGSET, r->pid, NT_X86_XSTATE, &xstate))
        remote_fail(r, "the program's registers cannot be read: %s", strerror(errno));
    r->regs.orig_rax = (u64)-1; /* the exec is over: nothing to restart */
    boot.regs = r->regs;
    boot.xstate_bytes = xstate.iov_len;
    read_guest_auxv(r, auxv);
    u64 *entry = auxv_find(auxv, AT_ENTRY);
    boot.guest_entry = entry ? *entry : r->regs.rip;
    host_set_images(p, boot.guest_entry - p->elf.eh.e_entry, r->regs.rip - p->interp.eh.e_entry);
}

static void read_exe(struct remote *r, const struct program *p)
{
    char link[32], path[PATH_MAX];
    base_format(link, sizeof link, "/proc/%d/exe", r->pid);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n > 0)
        path[n] = '\0';
    host_set_exe(n > 0 ? path : p->file);
}

/* --- the host goes in --------------------------------------------------------------------------------------------- */

/* At the exec event: does everything up to the host's first instruction. */
static void inject(struct remote *r, const struct program *p)
{
    static struct auxv auxv;
    struct host_layout h;
    u64 all = ~0ul;
    if (ptrace(PTRACE_GETSIGMASK, r->pid, 8, &boot.sigmask) || ptrace(PTRACE_SETSIGMASK, r->pid, 8, &all))
        remote_fail(r, "the program's signal mask cannot be set: %s", strerror(errno));
    remote_resume(r, PTRACE_SYSCALL, SIGTRAP | 0x80); /* the exit of execve itself, which would overwrite rax */
    boot.mode = BOOT_LAUNCH;
    save_guest(r, p, &auxv);
    read_exe(r, p);
    host_lift_limits(r->pid);
    u64 *vdso = auxv_find(&auxv, AT_SYSINFO_EHDR);
    remote_open(r, vdso ? *vdso : 0);
    if (host_limit_error()[0])
        remote_fail(r, "no memory for the engine%s", host_limit_error());
    remote_load_host(r, p, &h, &auxv, trap_action.sa_handler == SIG_IGN);
    remote_close(r);
    struct user_regs_struct start = r->regs;
    start.rip = h.entry;
    start.rsp = h.sp;
    start.rdx = 0; /* ld.so: no exit function */
    start.orig_rax = (u64)-1;
    if (ptrace(PTRACE_SETREGS, r->pid, NULL, &start))
        remote_fail(r, "the engine cannot be started: %s", strerror(errno));
    remote_resend(r);
    if (ptrace(PTRACE_DETACH, r->pid, NULL, NULL) && errno != ESRCH)
        remote_fail(r, "the program cannot be let go: %s", strerror(errno));
}

/* --- processes ---------------------------------------------------------------------------------------------------- */

static bool stops_job(int sig)
{
    return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

/* Until the exec, signals of the launcher's process pass through as if nobody traced it. */
static void wait_exec(pid_t pid)
{
    for (;;) {
        int st;
        while (waitpid(pid, &st, __WALL) < 0)
            if (errno != EINTR)
                _exit(0);
        if (!WIFSTOPPED(st))
            _exit(0); /* the exec failed, or a signal ended it: nothing to do */
        int event = st >> 16, sig = WSTOPSIG(st);
        if (event == PTRACE_EVENT_EXEC)
            return;
        if (event == PTRACE_EVENT_STOP && stops_job(sig))
            ptrace(PTRACE_LISTEN, pid, NULL, NULL);
        else
            ptrace(PTRACE_CONT, pid, NULL, event ? 0 : sig);
    }
}

/* A fork without a signal at the child's end, because a blocked SIGCHLD would stay pending in the application. */
static pid_t fork_silently(void)
{
    return (pid_t)syscall(SYS_clone, 0, 0, 0, 0, 0);
}

static void injector(pid_t target, int report, const struct program *p) NORETURN;
static void injector(pid_t target, int report, const struct program *p)
{
    struct remote r = {.pid = target};
    u8 err = ptrace(PTRACE_SEIZE, target, NULL, PTRACE_OPTIONS) ? (u8)errno : 0;
    if (write(report, &err, 1) != 1 || err)
        _exit(0);
    close(report);
    wait_exec(target);
    inject(&r, p);
    _exit(0);
}

/* A pair of descriptors that are none of 0, 1 and 2, which may be closed. */
static int make_pipe(int fd[2])
{
    if (pipe2(fd, O_CLOEXEC))
        return errno;
    for (int i = 0; i < 2; i++) {
        int up = fd[i] > 2 ? fd[i] : fcntl(fd[i], F_DUPFD_CLOEXEC, 3);
        if (up < 0)
            return errno;
        if (up != fd[i])
            close(fd[i]);
        fd[i] = up;
    }
    return 0;
}

/* Starts the injector as a grandchild; 0 when it has seized us, else errno. */
static int start_injector(const struct program *p)
{
    int fd[2], err = make_pipe(fd);
    if (err)
        return err;
    pid_t me = getpid(), middle;
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* for yama; where the call is not known, it does not matter */
    middle = fork_silently();
    if (middle == 0) {
        close(fd[0]);
        if (fork_silently() == 0)
            injector(me, fd[1], p);
        _exit(0);
    }
    close(fd[1]);
    u8 status = EPERM; /* an injector that says nothing was killed because it tried */
    if (middle < 0) {
        status = (u8)errno;
    } else {
        while (waitpid(middle, NULL, __WALL) < 0 && errno == EINTR)
            ;
        while (read(fd[0], &status, 1) < 0 && errno == EINTR)
            ;
    }
    close(fd[0]);
    prctl(PR_SET_PTRACER, 0, 0, 0, 0);
    return status;
}

/* The kernel's call: libc's would not touch the two signals it keeps for itself, and the mask is the application's.
 * Returns the old mask. */
static u64 set_mask(u64 mask)
{
    u64 old = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &old, sizeof old);
    return old;
}

int inject_launch(const struct program *p)
{
    u64 mask = set_mask(~0ul);
    sigaction(SIGTRAP, NULL, &trap_action);
    int err = start_injector(p);
    set_mask(mask);
    if (err)
        return err;
    program_run_natively(p); /* the injector waits for it */
}

int inject_probe(void)
{
    int fd[2], err = make_pipe(fd);
    if (err)
        return err;
    u64 mask = set_mask(~0ul);
    pid_t child = fork_silently();
    if (child == 0) { /* waits to be traced, until the pipe closes */
        char c;
        close(fd[1]);
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
        _exit(read(fd[0], &c, 1) < 0);
    }
    err = child < 0 || ptrace(PTRACE_SEIZE, child, NULL, PTRACE_OPTIONS) ? errno : 0;
    close(fd[0]);
    close(fd[1]);
    if (child > 0)
        while (waitpid(child, NULL, __WALL) < 0 && errno == EINTR)
            ;
    set_mask(mask);
    return err;
}
