/* SPDX-License-Identifier: Apache-2.0
 * execve and execveat. The kernel carries them out, and nothing of the engine is left afterwards. With -follow_execv
 * the launcher is executed in the program's place and brings the engine along; what execve would refuse is found out
 * first, so that the error still goes to the caller. Programs that the engine cannot or must not run (other word size,
 * set-user-id, formats that only the kernel knows) are executed natively. On the guest's thread. */
#include "arch/arch.h"
#include "base/options.h"
#include "os/linux/hostfd.h"
#include "os/linux/limits.h"
#include "os/linux/mdwe.h"
#include "os/events.h"
#include "os/native.h"
#include "os/linux/os_init.h"
#include "os/linux/privilege.h"
#include "os/linux/procfs.h"
#include "os/linux/signal.h"
#include "os/linux/sys.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SCRIPT_DEPTH 5       /* how many scripts may name a script as their interpreter, as in the kernel */
#define SCRIPT_HEAD_BYTES 256
#define MAX_PHDRS 128
#define MAX_ARGS (1u << 20)

enum { EXEC_NATIVE = 1, EXEC_FOLLOW = 2 }; /* or a negative error */
#define EXEC_ANEW 1                        /* not tried: the debugger has gone */

struct exec {
    u64 nr, args[5];      /* the guest's call */
    char path[PATH_MAX];  /* of the file: for the launcher, and for what is checked here */
    bool replaced;        /* path is not what the guest has given */
    bool debugged;        /* the debugger goes on with the program: by this descriptor and option */
    int debug_fd;
    char debug[DEBUG_INHERIT_BYTES];
};

/* --- what would execve say? --------------------------------------------------------------------------------------- */

static int check_access(const char *path, struct stat *st)
{
    if (faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0 || stat(path, st) < 0)
        return -errno;
    return S_ISREG(st->st_mode) ? 0 : -EACCES;
}

/* The ELF interpreter must exist: the kernel checks that while it can still return an error. */
static int check_interp(int fd, u64 off, u64 bytes)
{
    char name[PATH_MAX];
    struct stat st;
    if (bytes < 2 || bytes > sizeof name || pread(fd, name, bytes, (off_t)off) != (ssize_t)bytes)
        return -ENOEXEC;
    name[bytes - 1] = 0;
    int err = check_access(name, &st);
    return err ? err : EXEC_FOLLOW;
}

static int check_segments(int fd, const Elf64_Ehdr *h)
{
    Elf64_Phdr ph[MAX_PHDRS];
    size_t bytes = (size_t)h->e_phnum * sizeof *ph;
    if (h->e_phnum > MAX_PHDRS || pread(fd, ph, bytes, (off_t)h->e_phoff) != (ssize_t)bytes)
        return EXEC_NATIVE;
    for (u32 i = 0; i < h->e_phnum; i++)
        if (ph[i].p_type == PT_INTERP)
            return check_interp(fd, ph[i].p_offset, ph[i].p_filesz);
    return EXEC_FOLLOW;
}

static int check_narrow_segments(int fd, const Elf32_Ehdr *h)
{
    Elf32_Phdr ph[MAX_PHDRS];
    size_t bytes = (size_t)h->e_phnum * sizeof *ph;
    if (h->e_phentsize != sizeof *ph || h->e_phnum > MAX_PHDRS ||
        pread(fd, ph, bytes, (off_t)h->e_phoff) != (ssize_t)bytes)
        return EXEC_NATIVE;
    for (u32 i = 0; i < h->e_phnum; i++)
        if (ph[i].p_type == PT_INTERP)
            return check_interp(fd, ph[i].p_offset, ph[i].p_filesz);
    return EXEC_FOLLOW;
}

extern const Elf64_Ehdr __ehdr_start; /* the engine's own */

static int check_elf(int fd, const u8 *head, ssize_t n)
{
    Elf64_Ehdr h;
    Elf32_Ehdr narrow;
    if ((size_t)n < sizeof h)
        return EXEC_NATIVE;
    memcpy(&h, head, sizeof h);
    memcpy(&narrow, head, sizeof narrow);
    if (h.e_machine == EM_386 && __ehdr_start.e_machine == EM_X86_64 &&
        (h.e_type == ET_EXEC || h.e_type == ET_DYN))
        return check_narrow_segments(fd, &narrow);
    /* Neither here nor in the kernel do class, byte order and version matter: an x32 program has other headers. */
    bool ours = h.e_machine == __ehdr_start.e_machine && h.e_phentsize == sizeof(Elf64_Phdr) &&
                (h.e_type == ET_EXEC || h.e_type == ET_DYN);
    return ours ? check_segments(fd, &h) : EXEC_NATIVE;
}

/* The word after "#!"; false: none. */
static bool script_interpreter(const u8 *head, ssize_t n, char *name)
{
    ssize_t i = 2, k = 0;
    while (i < n && (head[i] == ' ' || head[i] == '\t'))
        i++;
    while (i < n && head[i] && !strchr(" \t\n", head[i]))
        name[k++] = (char)head[i++];
    name[k] = 0;
    return k > 0;
}

static int check_program(const char *path, int depth)
{
    u8 head[SCRIPT_HEAD_BYTES];
    char interp[SCRIPT_HEAD_BYTES];
    struct stat st;
    int err = check_access(path, &st);
    if (err)
        return err;
    if (privilege_changes(path))
        return EXEC_NATIVE;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return EXEC_NATIVE; /* executable but not readable: not ours to look into */
    ssize_t n = pread(fd, head, sizeof head, 0);
    int what = EXEC_NATIVE;
    if (n >= SELFMAG && memcmp(head, ELFMAG, SELFMAG) == 0)
        what = check_elf(fd, head, n);
    close(fd);
    if (n < 2 || head[0] != '#' || head[1] != '!')
        return what;
    if (depth >= SCRIPT_DEPTH)
        return -ELOOP;
    return script_interpreter(head, n, interp) ? check_program(interp, depth + 1) : -ENOEXEC;
}

/* Handlers of binfmt_misc, for files that are neither ELF nor script. */
static bool has_handlers(void)
{
    DIR *dir = opendir("/proc/sys/fs/binfmt_misc");
    bool any = false;
    for (const struct dirent *e; dir && !any && (e = readdir(dir)) != NULL;)
        any = e->d_name[0] != '.' && strcmp(e->d_name, "register") != 0 && strcmp(e->d_name, "status") != 0;
    if (dir)
        closedir(dir);
    return any;
}

static bool no_format(const char *path)
{
    u8 head[SELFMAG];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = pread(fd, head, sizeof head, 0);
    close(fd);
    bool known = (n >= 2 && memcmp(head, "#!", 2) == 0) || (n == SELFMAG && memcmp(head, ELFMAG, SELFMAG) == 0);
    return n >= 0 && !known && !has_handlers();
}

static s64 count_args(u64 argv)
{
    u64 word;
    for (u32 n = 0; argv && n < MAX_ARGS; n++) {
        if (!sys_read(&word, argv + n * sizeof word, sizeof word))
            return -EFAULT;
        if (!word)
            return n;
    }
    return argv ? -E2BIG : 0;
}

/* Are they words, each of which can be read? */
static bool good_args(u64 argv)
{
    s64 n = count_args(argv);
    for (s64 i = 0; i < n; i++) {
        u64 word;
        u8 first;
        if (!sys_read(&word, argv + (u64)i * sizeof word, sizeof word) || !sys_read(&first, word, sizeof first))
            return false;
    }
    return n >= 0;
}

/* Nothing is claimed of a file without a path. */
static bool must_fail(u64 nr, const u64 args[5], const char *path)
{
    const u64 *argv = args + (nr == SYS_execve ? 1 : 2);
    if (!good_args(argv[0]) || !good_args(argv[1]))
        return true;
    return path[0] && (check_program(path, 0) < 0 || no_format(path));
}

/* --- the call itself ---------------------------------------------------------------------------------------------- */

static void pass_on(int fd, bool on)
{
    if (fd >= 0)
        fcntl(fd, F_SETFD, on ? 0 : FD_CLOEXEC);
}

static bool debugger_waits(int fd) { return fd < 0 || os_events.debug_exec_begin(fd); }

/* debug_fd: the other program is to have it; -1: none. */
static s64 call_exec(u64 nr, const u64 args[5], const char *path, int debug_fd)
{
    bool foreign = vm_tc.os.foreign_mm, other_process = foreign || vm_tc.os.vfork_child;
    struct host_stack *stack;
    if (UNLIKELY(!seccomp_before_exec(&stack)))
        return -ENOMEM;
    if (!other_process && options.tool)
        fflush(NULL);
    if (foreign)
        thread_unregister(); /* the others go on without us */
    struct limits_saved saved;
    struct hostfd_exec descriptors = {.changed = false};
    mdwe_tell_exec();
    if (UNLIKELY(os_stops_threads))
        os_events.enter_call(); /* a signal to stop would outlive the program */
    if (UNLIKELY(!debugger_waits(debug_fd))) {
        os_events.leave_call();
        seccomp_exec_failed(stack);
        return EXEC_ANEW;
    }
    if (limits_exec_changes(&saved) && !must_fail(nr, args, path))
        limits_before_exec(&saved); /* not before: a thread that stands still holds no lock */
    signal_before_exec();
    if (!other_process)
        hostfd_lock(); /* HF1 */
    if (!vm_tc.os.own_fds) /* HF4 */
        hostfd_before_exec(&descriptors);
    const u64 all[6] = {args[0], args[1], args[2], args[3], args[4], 0};
    pass_on(debug_fd, true);
    vm_tc.os.vfork_executes = vm_tc.os.vfork_child;
    s64 r = seccomp_exec(nr, all, stack);
    vm_tc.os.vfork_executes = false;
    pass_on(debug_fd, false);
    hostfd_exec_failed(&descriptors);
    if (!other_process)
        hostfd_unlock();
    signal_exec_failed();
    limits_exec_failed(&saved);
    if (debug_fd >= 0)
        os_events.debug_exec_failed();
    if (UNLIKELY(os_stops_threads))
        os_events.leave_call();
    seccomp_exec_failed(stack);
    if (foreign)
        thread_register();
    return r;
}

static s64 exec_native(const struct exec *x)
{
    if (!x->replaced)
        return call_exec(x->nr, x->args, x->path, -1);
    int argv = x->nr == SYS_execve ? 1 : 2;
    u64 args[5] = {(u64)x->path, x->args[argv], x->args[argv + 1]};
    return call_exec(SYS_execve, args, x->path, -1);
}

/* --- the launcher in its place ------------------------------------------------------------------------------------ */

/* How many words of an option to leave out: one of this program alone. A place where a debugger is waited for is such
 * (DB9). */
static u32 words_of_own(const char *word)
{
    if (!strcmp(word, "-generation"))
        return 2;
    if (!strcmp(word, "-appdebug_off"))
        return 1;
    if (!options.appdebug_ready && !options.appdebug_connection && !options.appdebug_server_port &&
        !options.appdebug_inherit)
        return 0;
    bool value = !strcmp(word, "-appdebug_ready") || !strcmp(word, "-appdebug_connection") ||
                 !strcmp(word, "-appdebug_server_port") || !strcmp(word, "-appdebug_inherit") ||
                 !strcmp(word, "-appdebug_exclude");
    return strncmp(word, "-appdebug", 9) ? 0 : 1 + value;
}

static const char *const debug_words[] = {"-appdebug", "-appdebug_silent", "-appdebug_forks", "-appdebug_inherit"};

/* launcher, our own options before the tool's, which reach up to "--" */
static u32 put_options(const char **to, const struct exec *x, const char *word, u32 count)
{
    static char generation[16];
    u32 n = 0;
    base_format(generation, sizeof generation, "%u", options.generation + 1);
    to[n++] = os_launcher_path();
    to[n++] = "-exec-path";
    to[n++] = x->path;
    if (os_boot->mode == BOOT_INPROC) {
        to[n++] = "-injection";
        to[n++] = "inprocess";
    }
    to[n++] = "-generation";
    to[n++] = generation;
    for (u32 i = 0; x->debugged && i < ARRAY_LEN(debug_words); i++)
        to[n++] = debug_words[i];
    if (x->debugged)
        to[n++] = x->debug;
    bool ours = true; /* until the tool's begin */
    for (u32 i = 0, skip = 0; i < count; i++, word += strlen(word) + 1) {
        ours &= strcmp(word, "-t") != 0;
        if (!skip && ours)
            skip = words_of_own(word);
        if (skip)
            skip--;
        else
            to[n++] = word;
    }
    to[n++] = "--";
    return n;
}

/* No arguments are one empty word, as the kernel has it. */
static bool read_args(const char **to, u64 argv, s64 *n)
{
    if (!*n) {
        *to = "";
        *n = 1;
        return true;
    }
    return sys_read(to, argv, (u64)*n * sizeof *to);
}

/* The launcher's whole command line, from malloc; NULL: *err says why. */
static const char **launcher_words(const struct exec *x, const struct os_child *child, s64 *err)
{
    u32 count = child->command ? child->command_words : os_boot->argc;
    u64 argv = x->args[x->nr == SYS_execve ? 1 : 2];
    s64 n = *err = count_args(argv);
    if (n < 0)
        return NULL;
    const char **words = malloc((12 + ARRAY_LEN(debug_words) + count + (u64)n) * sizeof *words);
    *err = words ? -EFAULT : -ENOMEM;
    if (!words)
        return NULL;
    u32 head = put_options(words, x, child->command ? child->command : os_boot->text, count);
    if (!read_args(words + head, argv, &n)) {
        free(words);
        return NULL;
    }
    words[head + n] = NULL;
    return words;
}

static s64 try_launcher(struct exec *x, const struct os_child *child)
{
    u64 envp = x->args[x->nr == SYS_execve ? 2 : 3];
    s64 err;
    const char **words = launcher_words(x, child, &err);
    if (!words)
        return err;
    vm_tc.os.vfork_state = words; /* if this goes well in a vfork child, its parent frees it */
    u64 args[5] = {(u64)words[0], (u64)words, envp};
    s64 r = call_exec(SYS_execve, args, words[0], x->debugged ? x->debug_fd : -1);
    vm_tc.os.vfork_state = NULL;
    free(words);
    return r;
}

static s64 exec_launcher(struct exec *x, const struct os_child *child)
{
    s64 r;
    do {
        x->debug_fd = !vm_tc.os.foreign_mm && os_events.debug_exec ? os_events.debug_exec(x->debug) : -1;
        x->debugged = x->debug_fd >= 0;
        r = try_launcher(x, child);
    } while (r == EXEC_ANEW);
    return r;
}

/* --- the tool is asked -------------------------------------------------------------------------------------------- */

static bool ask_tool(const struct exec *x, struct os_child *child)
{
    u64 argv = x->args[x->nr == SYS_execve ? 1 : 2];
    s64 n = count_args(argv);
    const char **words = n < 0 ? NULL : calloc((u64)n + 2, sizeof *words);
    bool follow = true; /* what is wrong with the arguments execve will say */
    if (words && read_args(words, argv, &n)) {
        child->argv = words;
        child->argc = (int)n;
        follow = os_events.follow_child(child);
    }
    child->argv = NULL;
    free(words);
    return follow;
}

/* --- whose file? -------------------------------------------------------------------------------------------------- */

/* What a path stands for that means something else in another process (/proc/self/..., a descriptor). False: it has
 * none. */
static bool real_name(const char *path, char *out)
{
    struct stat a, b;
    ssize_t n = readlink(path, out, PATH_MAX - 1);
    if (n <= 0)
        return false;
    out[n] = 0;
    return out[0] == '/' && stat(path, &a) == 0 && stat(out, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int follow(struct exec *x)
{
    char name[PATH_MAX];
    if (strncmp(x->path, "/proc/", 6) == 0) {
        if (!real_name(x->path, name))
            return EXEC_NATIVE;
        memcpy(x->path, name, sizeof name);
    }
    return check_program(x->path, 0);
}

/* From another root directory, or without /proc, the launcher cannot be executed, or cannot work. */
static bool launcher_works(const char *path)
{
    const char *missing = faccessat(AT_FDCWD, os_launcher_path(), X_OK, AT_EACCESS) < 0 ? os_launcher_path()
                          : access("/proc/self/maps", R_OK) < 0                        ? "/proc"
                                                                                       : NULL;
    if (missing)
        msg("%s runs natively: %s is not there for it (another root directory?)", path, missing);
    return !missing;
}

/* The tool gives its results where nothing speaks against the call, and the debugger hears of it. A child that shares
 * its parent's memory has neither. */
static void tell_tool(const struct exec *x, bool followed)
{
    bool asked = os_events.executes || os_events.debug_executes;
    if (!asked || vm_tc.os.vfork_child || vm_tc.os.foreign_mm || must_fail(x->nr, x->args, x->path))
        return;
    if (os_events.executes)
        os_events.executes(x->path, followed);
    if (os_events.debug_executes)
        os_events.debug_executes(x->path, followed);
}

/* Is the file, whose name is made one that the launcher can use, to be followed? Asks the tool. EXEC_*, or an error. */
static int decide(struct exec *x, struct os_child *child)
{
    const char *program = procfs_exe_path(AT_FDCWD, x->path);
    if (program) {
        base_format(x->path, sizeof x->path, "%s", program);
        x->replaced = true;
    }
    int what = options.follow_execv && !ptrace_is_traced() ? follow(x) : EXEC_NATIVE;
    if (what == EXEC_FOLLOW && !launcher_works(x->path))
        what = EXEC_NATIVE;
    if (what == EXEC_FOLLOW && os_events.follow_child && !ask_tool(x, child))
        what = EXEC_NATIVE;
    return what;
}

static void run(struct exec *x)
{
    struct os_child child = {0};
    int what = decide(x, &child);
    if (what >= 0)
        tell_tool(x, what == EXEC_FOLLOW);
    sys_finish(what < 0 ? what : what == EXEC_FOLLOW ? exec_launcher(x, &child) : exec_native(x));
    free(child.command);
}

static void take_call(struct exec *x, u64 path_addr, s64 *length)
{
    x->nr = sys_nr();
    x->replaced = x->debugged = false;
    for (int i = 0; i < 5; i++)
        x->args[i] = sys_arg(i);
    *length = sys_read_path(x->path, path_addr);
}

void sys_execve(void)
{
    struct exec x;
    s64 n;
    take_call(&x, sys_arg(0), &n);
    if (n < 0)
        sys_finish(n);
    else if (n == 0)
        sys_finish(-ENOENT);
    else
        run(&x);
}

/* Probe mode: the program makes the call itself, so path and words live on; after a call that goes well they are gone
 * with everything, and few fail. */
void native_exec(u64 args[3], bool ends)
{
    struct exec *x = calloc(1, sizeof *x);
    struct os_child child = {0};
    s64 err;
    if (!x)
        return;
    x->nr = SYS_execve;
    memcpy(x->args, args, 3 * sizeof args[0]);
    const char **words = NULL;
    bool named = sys_read_path(x->path, args[0]) > 0;
    if (named && decide(x, &child) == EXEC_FOLLOW)
        words = launcher_words(x, &child, &err);
    if (named && ends && os_events.executes && !must_fail(x->nr, x->args, x->path))
        os_events.executes(x->path, words != NULL);
    if (!words) {
        free(x);
        return;
    }
    args[0] = (u64)words[0];
    args[1] = (u64)words;
}

/* A link that is not to be followed is an error. */
static bool is_refused_link(int dirfd, const char *path, u64 flags)
{
    struct stat st;
    int how = AT_SYMLINK_NOFOLLOW | (int)(flags & AT_EMPTY_PATH);
    return flags & AT_SYMLINK_NOFOLLOW && fstatat(dirfd, path, &st, how) == 0 && S_ISLNK(st.st_mode);
}

/* Path of a file given by descriptor and name; false: none that another process could use, path is for this one. */
static bool name_of_fd_path(int dirfd, char *path)
{
    char link[64], dir[PATH_MAX], joined[PATH_MAX];
    if (path[0] == '/' || (dirfd == AT_FDCWD && path[0]))
        return true;
    base_format(link, sizeof link, "/proc/thread-self/fd/%d", dirfd);
    bool named = real_name(link, dir);
    int n = base_format(joined, sizeof joined, path[0] ? "%s/%s" : "%s", named ? dir : link, path);
    bool fits = (size_t)n + 1 < sizeof joined;
    base_format(path, PATH_MAX, "%s", fits ? joined : "");
    return named && fits;
}

void sys_execveat(void)
{
    struct exec x;
    s64 n;
    u64 flags = sys_arg(4);
    take_call(&x, sys_arg(1), &n);
    if (n < 0)
        sys_finish(n);
    else if ((u32)flags & ~(u32)(AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW))
        sys_pass(); /* an error, for which nothing need be made ready */
    else if (n == 0 && !(flags & AT_EMPTY_PATH))
        sys_finish(-ENOENT);
    else if (is_refused_link((int)sys_arg(0), x.path, flags))
        sys_pass();
    else if (!name_of_fd_path((int)sys_arg(0), x.path))
        sys_finish(exec_native(&x));
    else
        run(&x);
}
