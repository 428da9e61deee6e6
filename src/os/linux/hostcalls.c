/* SPDX-License-Identifier: Apache-2.0
 * What the host's libraries open and map is the host's: their system calls that do so are led to here
 * (arch/x86/hostcalls.c), libc's and ld.so's before the tool is opened, those of other libraries once they are
 * there. A new descriptor goes to a number that the guest does not have (hostfd.c) before the library sees it. Runs
 * on any thread of the host's, also in children that share its memory (posix_spawn); takes no lock but hostfd's and
 * hostmem's, calls nothing of libc, and leaves errno to the library. */
#include "arch/arch.h"
#include "os/hostmem.h"
#include "os/linux/hostcalls.h"
#include "os/linux/hostfd.h"
#include "os/linux/limits.h"
#include "os/linux/syscall_info.h"
#include "os/os.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define SITES_MAX 512   /* in one library */
#define OBJECTS_MAX 256
#define REACH_BYTES 0x7f000000ul /* of a branch, less the library's own length */
#define STEP_BYTES (1ul << 20)
#define POOL_BYTES (16ul << 10)
#define TRIES 3

/* --- which calls -------------------------------------------------------------------------------------------------- */

u8 os_host_calls[OS_HOST_CALLS] = {
#define SYSCALL(nr, name, classes, handler, result, ...) [nr] = (result) == SYSCALL_FD ? CALL_FD : CALL_OTHER,
#include "syscalls.h"
#undef SYSCALL
};

/* By name: not every architecture has all of them. */
static const char *const names[] = {
#define SYSCALL(nr, name, ...) [nr] = #name,
#include "syscalls.h"
#undef SYSCALL
};

static const struct {
    const char *name;
    u8 call;
} other_calls[] = {
    {"open", CALL_OPEN}, {"openat", CALL_OPENAT}, {"accept", CALL_ACCEPT}, {"accept4", CALL_ACCEPT},
    {"fcntl", CALL_FCNTL}, {"ioctl", CALL_IOCTL}, {"pipe", CALL_PIPE}, {"pipe2", CALL_PIPE},
    {"socketpair", CALL_SOCKETS}, {"recvmsg", CALL_MESSAGE}, {"recvmmsg", CALL_MESSAGES}, {"close", CALL_CLOSE},
    {"close_range", CALL_CLOSE_RANGE}, {"dup2", CALL_DUP_TO}, {"dup3", CALL_DUP_TO},
    {"mmap", CALL_MEMORY}, {"munmap", CALL_MEMORY}, {"mremap", CALL_MEMORY},
    {"setrlimit", CALL_LIMIT}, {"prlimit64", CALL_LIMIT},
};

static u8 call_named(const char *name, u8 otherwise)
{
    for (size_t i = 0; i < ARRAY_LEN(other_calls); i++)
        if (strcmp(other_calls[i].name, name) == 0)
            return other_calls[i].call;
    return otherwise;
}

void hostcalls_init(void)
{
    for (u32 nr = 0; nr < ARRAY_LEN(names); nr++)
        if (names[nr])
            os_host_calls[nr] = call_named(names[nr], os_host_calls[nr]);
}

/* --- new descriptors ---------------------------------------------------------------------------------------------- */

struct attempt {
    u64 nr, a[6];
};

static s64 make(const u64 *p)
{
    const struct attempt *t = (const struct attempt *)p;
    return arch_raw_syscall(t->nr, t->a[0], t->a[1], t->a[2], t->a[3], t->a[4], t->a[5]);
}

/* Where the guest has used up its limit, the host has not. */
static s64 make_with_room(const struct attempt *t)
{
    s64 r = make(&t->nr);
    return r == -EMFILE ? hostfd_with_room(make, &t->nr) : r;
}

/* An open that waits for another process must not keep the guest from its descriptors meanwhile. */
static bool may_wait(const struct attempt *t)
{
    struct stat st;
    u8 call = os_host_calls[t->nr];
    bool at = call == CALL_OPENAT;
    if (call == CALL_ACCEPT)
        return true;
    if ((call != CALL_OPEN && !at) || t->a[at ? 2 : 1] & (O_NONBLOCK | O_PATH))
        return false;
    u64 dir = at ? t->a[0] : (u64)AT_FDCWD, path = t->a[at ? 1 : 0];
    return arch_raw_syscall(SYS_newfstatat, dir, path, (u64)&st, 0, 0, 0) == 0 && S_ISFIFO(st.st_mode);
}

/* The first half of the way: between hostfd_begin and hostfd_end as far as that can be. */
static s64 make_and_begin(const struct attempt *t, bool waits)
{
    s64 r;
    if (waits) {
        r = make(&t->nr);
        hostfd_begin();
    } else {
        hostfd_begin();
        r = make_with_room(t);
    }
    return r;
}

/* A guest that closes all numbers there are may have closed the new one, too, before it was moved: then it is made
 * once more. */
static s64 make_fd(struct attempt *t)
{
    bool waits = may_wait(t);
    s64 r = -EBADF;
    for (int i = 0; i < TRIES && r == -EBADF; i++) {
        r = make_and_begin(t, waits);
        bool made = r >= 0;
        if (made)
            r = hostfd_take((int)r);
        hostfd_end(r);
        if (!made)
            break;
        u8 call = os_host_calls[t->nr];
        if (call == CALL_OPEN || call == CALL_OPENAT)
            t->a[call == CALL_OPENAT ? 2 : 1] &= ~(u64)O_EXCL; /* it exists now */
    }
    return r;
}

static s64 take_pair(int *fd)
{
    s64 one = hostfd_take(fd[0]), two = hostfd_take(fd[1]);
    if (one >= 0 && two >= 0) {
        fd[0] = (int)one;
        fd[1] = (int)two;
        return 0;
    }
    if (one >= 0)
        hostfd_close((int)one);
    if (two >= 0)
        hostfd_close((int)two);
    return -EBADF;
}

static s64 make_pair(struct attempt *t)
{
    int *fd = (int *)t->a[os_host_calls[t->nr] == CALL_SOCKETS ? 3 : 0];
    s64 r = -EBADF;
    for (int i = 0; i < TRIES && r == -EBADF; i++) {
        hostfd_begin();
        r = make_with_room(t);
        bool made = r >= 0;
        if (made)
            r = take_pair(fd);
        hostfd_end(made && r >= 0 ? fd[0] : r);
        if (!made)
            break;
    }
    return r;
}

/* A thread that waits in accept has a number already, which the guest would miss: so it waits before. */
static s64 wait_for_connection(int fd)
{
    struct timeval limit = {0, 0};
    socklen_t bytes = sizeof limit;
    struct pollfd p = {fd, POLLIN, 0};
    s64 flags = arch_raw_syscall(SYS_fcntl, (u64)fd, F_GETFL, 0, 0, 0, 0);
    if (flags < 0 || flags & O_NONBLOCK ||
        arch_raw_syscall(SYS_getsockopt, (u64)fd, SOL_SOCKET, SO_RCVTIMEO, (u64)&limit, (u64)&bytes, 0) < 0)
        return 0; /* accept will say what is wrong */
    struct timespec until = {limit.tv_sec, limit.tv_usec * 1000};
    bool limited = limit.tv_sec || limit.tv_usec;
    s64 r = arch_raw_syscall(SYS_ppoll, (u64)&p, 1, limited ? (u64)&until : 0, 0, 0, 0);
    return r < 0 ? r : r == 0 ? -EAGAIN : 0;
}

/* Descriptors that have come with a message. */
static void take_rights(struct msghdr *m)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        int *fd = (int *)CMSG_DATA(c);
        for (size_t i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof *fd; i++) {
            hostfd_begin();
            s64 r = hostfd_take(fd[i]);
            hostfd_end(r);
            if (r >= 0)
                fd[i] = (int)r;
        }
    }
}

static s64 make_fcntl(struct attempt *t)
{
    int command = (int)t->a[1];
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? make_fd(t) : make(&t->nr);
}

static void close_each(u32 first, u32 last)
{
    for (s64 fd; (fd = hostfd_next(first, last)) >= 0; first = (u32)fd + 1) {
        struct attempt t = {SYS_close, {(u64)fd}};
        hostfd_closing((int)fd, make, &t.nr);
    }
}

static s64 limit_call(u64 nr, const u64 *args)
{
    bool any_pid = nr == SYS_prlimit64;
    bool own = !any_pid || !args[0] || (int)args[0] == (int)arch_raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
    if ((u32)args[any_pid ? 1 : 0] != RLIMIT_NOFILE || !own)
        return limits_library_call(nr, args);
    return any_pid ? hostfd_limit_call((void *)args[2], (void *)args[3]) : hostfd_limit_call((void *)args[1], NULL);
}

s64 os_host_syscall(u64 nr, const u64 *args)
{
    struct attempt t = {nr, {args[0], args[1], args[2], args[3], args[4], args[5]}};
    s64 r;
    switch (os_host_calls[nr]) {
    case CALL_FD:
    case CALL_OPEN:
    case CALL_OPENAT:
        return make_fd(&t);
    case CALL_ACCEPT:
        r = wait_for_connection((int)t.a[0]);
        return r < 0 ? r : make_fd(&t);
    case CALL_FCNTL:
        return make_fcntl(&t);
    case CALL_IOCTL:
        return t.a[1] == TIOCGPTPEER ? make_fd(&t) : make(&t.nr);
    case CALL_PIPE:
    case CALL_SOCKETS:
        return make_pair(&t);
    case CALL_MESSAGE:
        r = make(&t.nr);
        if (r >= 0)
            take_rights((struct msghdr *)t.a[1]);
        return r;
    case CALL_MESSAGES:
        r = make(&t.nr);
        for (s64 i = 0; i < r; i++)
            take_rights(&((struct mmsghdr *)t.a[1])[i].msg_hdr);
        return r;
    case CALL_CLOSE:
        return hostfd_closing((int)t.a[0], make, &t.nr);
    case CALL_CLOSE_RANGE:
        if (!t.a[2])
            close_each((u32)t.a[0], (u32)t.a[1]);
        return make(&t.nr);
    case CALL_DUP_TO: /* freopen, onto its own number */
        r = make(&t.nr);
        return r == -EBADF ? hostfd_call_onto((int)t.a[1], make, &t.nr) : r;
    case CALL_MEMORY:
        return hostmem_library_call(nr, args);
    case CALL_LIMIT:
        return limit_call(nr, args);
    default:
        return make(&t.nr);
    }
}

/* --- functions of a library, from its table for unwinding --------------------------------------------------------- */

/* .eh_frame_hdr as linkers write it: after these, pairs of distances from its start, sorted by the first, which is a
 * function's. */
struct frame_header {
    u8 version, pointer_encoding, count_encoding, table_encoding;
    s32 frames;
    u32 count;
    struct {
        s32 function, frame;
    } row[];
};
enum { ENCODING_UDATA4 = 0x03, ENCODING_DATAREL_SDATA4 = 0x3b };

static const struct frame_header *functions; /* of the library in hand */

static u64 function_of(u64 pc)
{
    const struct frame_header *h = functions;
    u32 low = 0, high = h->count;
    while (low < high) {
        u32 middle = low + (high - low) / 2;
        if ((u64)h + (u64)(s64)h->row[middle].function <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? (u64)h + (u64)(s64)h->row[low - 1].function : 0;
}

static bool find_functions(const struct dl_phdr_info *o)
{
    functions = NULL;
    for (int i = 0; i < o->dlpi_phnum; i++)
        if (o->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
            functions = (const struct frame_header *)(o->dlpi_addr + o->dlpi_phdr[i].p_vaddr);
    return functions && functions->version == 1 && functions->count_encoding == ENCODING_UDATA4 &&
           functions->table_encoding == ENCODING_DATAREL_SDATA4;
}

/* --- redirecting -------------------------------------------------------------------------------------------------- */

static bool reaches(u64 a, u64 b) { return (a > b ? a - b : b - a) < REACH_BYTES; }

static u8 *if_near(u8 *p, u64 text, u64 bytes)
{
    if (p && !reaches((u64)p, text)) {
        hostmem_unmap(p, bytes);
        p = NULL;
    }
    return p;
}

/* Memory for stubs: in the host's zone, where libraries are, too; between the two is the reserve, of which the part
 * that libraries reach is given first; else as near to the code as there is room. */
static u8 *map_near(u64 text, u64 bytes)
{
    u8 *p = if_near(hostmem_map(bytes, PROT_READ | PROT_WRITE), text, bytes);
    if (!p)
        p = if_near(hostmem_map_reserved(bytes, PROT_READ | PROT_WRITE), text, bytes);
    for (u64 away = STEP_BYTES; !p && away < REACH_BYTES; away += STEP_BYTES) {
        p = hostmem_map_at(PAGE_DOWN(text + away), bytes, PROT_READ | PROT_WRITE);
        if (!p)
            p = hostmem_map_at(PAGE_DOWN(text - away), bytes, PROT_READ | PROT_WRITE);
    }
    return p;
}

/* Room for the stubs of one library, of a piece of memory that serves several. */
static struct {
    u8 *start, *at, *end;
} pool;

static bool make_room(u64 text, u64 bytes)
{
    if (pool.at && (u64)(pool.end - pool.at) >= bytes && reaches((u64)pool.at, text))
        return mprotect(pool.start, (size_t)(pool.end - pool.start), PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
    u64 room = PAGE_UP(bytes > POOL_BYTES ? bytes : POOL_BYTES);
    u8 *p = map_near(text, room);
    if (!p)
        return false;
    pool.start = pool.at = p;
    pool.end = p + room;
    return true;
}

/* The code stays executable: threads of the tool may run it. */
static bool redirect(u8 *text, u64 bytes, const struct arch_host_call *site, u32 n)
{
    u64 page = PAGE_DOWN((u64)text), span = PAGE_UP((u64)text + bytes) - page;
    if (!make_room(page, n * ARCH_HOST_CALL_BYTES) ||
        mprotect((void *)page, span, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
        return false;
    for (u32 i = 0; i < n; i++)
        pool.at = arch_redirect_host_call(&site[i], pool.at);
    return mprotect((void *)page, span, PROT_READ | PROT_EXEC) == 0 &&
           mprotect(pool.start, (size_t)(pool.end - pool.start), PROT_READ | PROT_EXEC) == 0;
}

static void redirect_segment(const struct dl_phdr_info *o, const ElfW(Phdr) *ph)
{
    static struct arch_host_call site[SITES_MAX];
    const struct arch_call_search search = {os_host_calls, OS_HOST_CALLS, function_of};
    u8 *text = (u8 *)(o->dlpi_addr + ph->p_vaddr);
    u32 n = arch_find_host_calls(&search, text, ph->p_memsz, site, SITES_MAX);
    if (n && !redirect(text, ph->p_memsz, site, n))
        msg("the code of %s cannot be changed: what it opens is among the program's descriptors", o->dlpi_name);
    else
        log_at(1, "%u system calls of %s redirected", n, o->dlpi_name);
}

static bool is_new(u64 address)
{
    static u64 known[OBJECTS_MAX];
    static u32 nknown;
    for (u32 i = 0; i < nknown; i++)
        if (known[i] == address)
            return false;
    if (nknown < OBJECTS_MAX)
        known[nknown++] = address;
    return true;
}

/* The engine itself has no name there, the kernel's library no path. */
static int redirect_object(struct dl_phdr_info *o, size_t bytes, void *arg)
{
    (void)bytes, (void)arg;
    if (o->dlpi_name[0] != '/' || !is_new(o->dlpi_addr) || !find_functions(o))
        return 0;
    for (int i = 0; i < o->dlpi_phnum; i++)
        if (o->dlpi_phdr[i].p_type == PT_LOAD && o->dlpi_phdr[i].p_flags & PF_X)
            redirect_segment(o, &o->dlpi_phdr[i]);
    return 0;
}

void os_redirect_host_calls(void)
{
    hostfd_note_process();
    dl_iterate_phdr(redirect_object, NULL);
}
