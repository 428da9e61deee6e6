/* SPDX-License-Identifier: Apache-2.0
 * See os/debugport.h. Memory goes through /proc/self/mem, which knows no protection, where the guest's own map (gmap)
 * has something (DB8); a page that the engine has write-protected is told of like any write by the kernel. Owns that
 * descriptor. Runs on the debugger's thread, but for the bell and the signal. */
#include "os/debugport.h"

#include "os/events.h"
#include "os/gmap.h"
#include "os/linux/os_init.h"
#include "os/record.h"
#include "os/thread.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- connections -------------------------------------------------------------------------------------------------- */

static int fail(int fd)
{
    int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return -1;
}

int debugport_listen_tcp(u32 *port, bool remote)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((u16)*port),
        .sin_addr.s_addr = htonl(remote ? INADDR_ANY : INADDR_LOOPBACK)};
    socklen_t len = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*port && fd >= 0) /* it may have been used a moment ago */
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) || listen(fd, 4) ||
        getsockname(fd, (struct sockaddr *)&a, &len))
        return fail(fd);
    *port = ntohs(a.sin_port);
    return fd;
}

int debugport_listen_path(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof a.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(a.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) || listen(fd, 4))
        return fail(fd);
    return fd;
}

int debugport_connect(const char *host, u32 port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((u16)port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && !inet_aton(*host ? host : "127.0.0.1", &a.sin_addr)) {
        errno = EADDRNOTAVAIL;
        return fail(fd);
    }
    if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a))
        return fail(fd);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    return fd;
}

int debugport_accept(int listening)
{
    int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0) /* answers are short and waited for */
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    return fd;
}

int debugport_adopt(int fd)
{
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    close(fd);
    return own;
}

void debugport_close(int fd)
{
    if (fd >= 0 && !vm_tc.os.same_fds)
        close(fd);
}

u32 debugport_wait(const int *fd, u32 n, int ms)
{
    struct pollfd p[8];
    u32 set = 0;
    for (u32 i = 0; i < n; i++)
        p[i] = (struct pollfd){.fd = fd[i], .events = POLLIN};
    if (poll(p, n, ms) <= 0)
        return 0;
    for (u32 i = 0; i < n; i++)
        set |= (p[i].revents != 0) << i;
    return set;
}

s64 debugport_read(int fd, void *to, size_t bytes)
{
    ssize_t n;
    do
        n = recv(fd, to, bytes, 0);
    while (n < 0 && errno == EINTR);
    return n;
}

bool debugport_drop(int fd)
{
    char rest[256];
    ssize_t n = recv(fd, rest, sizeof rest, MSG_DONTWAIT);
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

bool debugport_write(int fd, const void *from, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t n = send(fd, (const char *)from + done, bytes - done, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

bool debugport_pair(int fd[2]) { return !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd); }
int debugport_bell(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void debugport_ring(int bell)
{
    int saved = errno;
    while (write(bell, &(u64){1}, 8) < 0 && errno == EINTR)
        ;
    errno = saved;
}

void debugport_hear(int bell)
{
    u64 n;
    while (read(bell, &n, 8) < 0 && errno == EINTR)
        ;
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static int memory_fd(void)
{
    static int fd = -1;
    static int pid;
    if (pid != getpid()) { /* in a child of fork it is the parent's */
        fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
        pid = getpid();
    }
    return fd;
}

/* Bytes of the guest's from `at` on, up to `most`. */
static size_t mapped_there(u64 at, size_t most)
{
    struct gmap_area area;
    size_t n = 0;
    while (n < most && gmap_find(at + n, &area))
        n = area.end - at;
    return n < most ? n : most;
}

size_t debugport_read_memory(u64 at, void *to, size_t bytes)
{
    size_t n = mapped_there(at, bytes), done = 0;
    while (done < n) {
        ssize_t r = pread(memory_fd(), (char *)to + done, n - done, (off_t)(at + done));
        if (r <= 0)
            break;
        done += (size_t)r;
    }
    return done;
}

size_t debugport_write_memory(u64 at, const void *from, size_t bytes)
{
    size_t n = mapped_there(at, bytes), done = 0;
    while (done < n) {
        ssize_t r = pwrite(memory_fd(), (const char *)from + done, n - done, (off_t)(at + done));
        if (r <= 0)
            break;
        done += (size_t)r;
    }
    if (done)
        os_events.code_changed(at, at + done);
    return done;
}

void debugport_region(u64 at, struct debugport_region *out)
{
    struct gmap_area area;
    *out = (struct debugport_region){.end = ~0ul};
    for (u64 from = 0; gmap_next(from, &area); from = area.end) {
        if (area.start > at) {
            out->end = area.start;
            return;
        }
        if (at < area.end) {
            *out = (struct debugport_region){area.start, area.end, true, area.flags & GMAP_READ,
                area.flags & GMAP_WRITE, area.flags & GMAP_EXEC};
            return;
        }
        out->start = area.end;
    }
}

/* --- the process -------------------------------------------------------------------------------------------------- */

int debugport_pid(void) { return getpid(); }
int debugport_parent(void) { return getppid(); }
const char *debugport_program(void) { return os_recorded_program ? os_recorded_program : os_program_path(); }

void debugport_thread_name(int tid, char *out, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/comm", tid); /* of a child of vfork, too */
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, out, room - 1);
    if (fd >= 0)
        close(fd);
    n = n > 0 && out[n - 1] == '\n' ? n - 1 : n;
    out[n > 0 ? n : 0] = 0;
}

void debugport_kill_child(int pid) { kill(pid, SIGKILL); }

int debugport_child_status(int pid)
{
    siginfo_t info = {0};
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | __WALL) < 0 && errno == EINTR)
        ;
    return info.si_code == CLD_EXITED ? info.si_status & 0xff : -info.si_status;
}

siginfo_t debugport_signal(int sig)
{
    siginfo_t info = {.si_signo = sig, .si_code = SI_USER};
    info.si_pid = getpid();
    info.si_uid = getuid();
    return info;
}

void debugport_send(int pid, int tid, int sig) { syscall(SYS_tgkill, pid, tid, sig); }

void debugport_watch_signals(void) { os_signal_watch(0); }

void debugport_say(const char *text)
{
    for (size_t left = strlen(text); left;) {
        ssize_t n = write(STDOUT_FILENO, text, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return;
        text += n;
        left -= (size_t)n;
    }
}

void debugport_say_ready(int fd)
{
    while (write(fd, "+", 1) < 0 && errno == EINTR)
        ;
    close(fd);
}
