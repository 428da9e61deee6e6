/* SPDX-License-Identifier: Apache-2.0
 * For strace: calls with flags that have names and with structures, whose text is compared with strace's. The first call of those that are compared is chdir(/). */
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

static void files(void)
{
    struct stat s;
    struct statx x;
    int fd = open("/dev/null", O_RDWR | O_CLOEXEC | O_APPEND);
    fstat(fd, &s);
    stat("/", &s);
    fstatat(AT_FDCWD, "etc/passwd", &s, AT_SYMLINK_NOFOLLOW);
    statx(AT_FDCWD, "etc/passwd", AT_NO_AUTOMOUNT, STATX_BASIC_STATS, &x);
    access("/none", R_OK | X_OK);
    access("/none", F_OK);
    open("/none", O_WRONLY | O_TRUNC | O_EXCL);
    open("/none", O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
    lseek(fd, 3, SEEK_SET);
    fcntl(fd, F_GETFL);
    openat(AT_FDCWD, "/none/x", O_WRONLY | O_CREAT, 0640);
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
    unlinkat(AT_FDCWD, "/none", AT_REMOVEDIR);
}

static void memory(void)
{
    char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    mprotect(p, 4096, PROT_NONE);
    mprotect(p, 4096, PROT_READ | PROT_EXEC);
    madvise(p, 8192, MADV_DONTNEED);
    msync(p, 4096, MS_SYNC | MS_INVALIDATE);
    mremap(p + 4096, 4096, 16384, MREMAP_MAYMOVE);
    mremap(p, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, p + 4096);
    close(memfd_create("m", MFD_CLOEXEC | MFD_ALLOW_SEALING));
}

static void signals(void)
{
    sigset_t set, other;
    struct sigaction act = {.sa_handler = SIG_IGN, .sa_flags = SA_RESTART | SA_NODEFER}, old;
    stack_t stack = {.ss_flags = SS_DISABLE}, before;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGCHLD);
    act.sa_mask = set;
    sigaction(SIGUSR1, &act, &old);
    sigprocmask(SIG_BLOCK, &set, &other);
    sigfillset(&set);
    sigdelset(&set, SIGUSR2);
    sigprocmask(SIG_SETMASK, &set, NULL);
    sigemptyset(&set);
    sigprocmask(SIG_SETMASK, &set, NULL);
    sigaltstack(&stack, &before);
}

static void sockets(void)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un un = {.sun_family = AF_UNIX, .sun_path = "/none/socket"};
    int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), u = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    connect(s, (struct sockaddr *)&in, sizeof in);
    send(s, "x", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    shutdown(s, SHUT_RDWR);
    connect(u, (struct sockaddr *)&un, sizeof un);
}

static void waits(void)
{
    int ends[2], status, e = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    struct timespec time = {0, 1000};
    struct pollfd p = {.events = POLLIN | POLLPRI};
    if (pipe2(ends, O_NONBLOCK | O_CLOEXEC) || e < 0)
        _exit(1);
    epoll_ctl(e, EPOLL_CTL_ADD, ends[0], &event);
    p.fd = ends[0];
    syscall(SYS_poll, &p, 1, 0);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
    timerfd_settime(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), TFD_TIMER_ABSTIME, &(struct itimerspec){{1, 2}, {3, 4}}, NULL);
    setitimer(ITIMER_VIRTUAL, &(struct itimerval){{0, 0}, {100, 5}}, NULL);
    close(eventfd(3, EFD_CLOEXEC | EFD_SEMAPHORE));
    if (!vfork())
        _exit(7);
    wait4(-1, &status, __WALL, NULL);
    wait4(-1, &status, WNOHANG, NULL);
}

int main(void)
{
    struct rlimit limit;
    struct utsname name;
    char byte;
    if (chdir("/"))
        return 1;
    files();
    memory();
    signals();
    sockets();
    waits();
    syscall(SYS_getrlimit, RLIMIT_NOFILE, &limit);
    syscall(SYS_prlimit64, 0, RLIMIT_CORE, NULL, &limit);
    uname(&name);
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    syscall(SYS_getrandom, &byte, 0, GRND_NONBLOCK);
    return 0;
}
