/* SPDX-License-Identifier: Apache-2.0
 * System calls of an IA-32 program whose structures are not those of 64-bit ones, or that the engine has a part in: waits for signals, signals with values,
 * signalfd, limits, execveat, statx, poll with a timeout, shared memory, locks, directories. Says what they give. */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void say(const char *what, long long r) { printf("%s %lld%s%s\n", what, r, r == -1 ? " " : "", r == -1 ? strerrorname_np(errno) : ""); }

static volatile int value, code;
static void on_value(int sig, siginfo_t *info, void *uc)
{
    (void)sig, (void)uc;
    value = info->si_value.sival_int;
    code = info->si_code;
}

/* Waits for signals: those that are there already, that come, and none. */
static void waits(void)
{
    sigset_t set;
    siginfo_t info;
    struct timespec none = {0, 0}, some = {0, 20000000}, long_time = {20, 0};
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGRTMIN + 3);
    sigprocmask(SIG_BLOCK, &set, NULL);
    say("none", sigtimedwait(&set, &info, &none));
    say("none for 20 ms", sigtimedwait(&set, &info, &some));
    kill(getpid(), SIGUSR1);
    memset(&info, 0, sizeof info);
    say("there already", sigtimedwait(&set, &info, &long_time));
    say("code", info.si_code);
    say("own", info.si_pid == getpid());
    sigqueue(getpid(), SIGRTMIN + 3, (union sigval){.sival_int = 77});
    memset(&info, 0, sizeof info);
    say("with a value", sigwaitinfo(&set, &info));
    say("value", info.si_value.sival_int);
    say("code", info.si_code);
    pid_t child = fork();
    if (!child) {
        usleep(20000);
        sigqueue(getppid(), SIGRTMIN + 3, (union sigval){.sival_int = 78});
        _exit(0);
    }
    memset(&info, 0, sizeof info);
    say("that comes", sigwaitinfo(&set, &info));
    say("value", info.si_value.sival_int);
    say("from the child", info.si_pid == child);
    memset(&info, 0, sizeof info);
    say("waitid", waitid(P_PID, child, &info, WEXITED));
    say("child", info.si_pid == child);
    int sig = 0;
    raise(SIGUSR1);
    say("sigwait", sigwait(&set, &sig));
    say("signal", sig == SIGUSR1);
    struct sigaction sa = {.sa_sigaction = on_value, .sa_flags = SA_SIGINFO};
    sigaction(SIGRTMIN + 3, &sa, NULL);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    say("queue", sigqueue(getpid(), SIGRTMIN + 3, (union sigval){.sival_int = 79}));
    say("handler's value", value);
    say("handler's code", code);
    say("bad set", syscall(SYS_rt_sigtimedwait, 16, NULL, NULL, 8));
}

static void descriptors(void)
{
    sigset_t set;
    struct signalfd_siginfo got;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    say("nothing to read", read(fd, &got, sizeof got));
    kill(getpid(), SIGUSR2);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    say("poll", poll(&p, 1, 10000));
    say("read", read(fd, &got, sizeof got));
    say("signal", got.ssi_signo);
    p.revents = 0;
    struct timespec t = {0, 1000000};
    say("ppoll", ppoll(&p, 1, &t, NULL));
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = 0x123456789abcdefull}, out;
    int ep = epoll_create1(0);
    say("epoll_ctl", epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e));
    kill(getpid(), SIGUSR2);
    say("epoll_wait", epoll_wait(ep, &out, 1, 10000));
    say("data", (long long)out.data.u64);
    say("epoll_pwait2", syscall(SYS_epoll_pwait2, ep, &out, 1, NULL, NULL, 8));
    read(fd, &got, sizeof got);
    close(ep);
    close(fd);
}

static void limits(void)
{
    struct rlimit r;
    struct rlimit64 r64;
    say("nofile", getrlimit(RLIMIT_NOFILE, &r));
    printf("%lu %lu\n", (unsigned long)r.rlim_cur, (unsigned long)r.rlim_max);
    say("nofile64", prlimit64(0, RLIMIT_NOFILE, NULL, &r64));
    printf("%llu %llu\n", (unsigned long long)r64.rlim_cur, (unsigned long long)r64.rlim_max);
    r64.rlim_cur = 40;
    say("set", prlimit64(0, RLIMIT_NOFILE, &r64, NULL));
    say("get", getrlimit64(RLIMIT_NOFILE, &r64));
    printf("%llu\n", (unsigned long long)r64.rlim_cur);
    int fd = open("/dev/null", O_RDONLY);
    say("fcntl beyond", fcntl(fd, F_DUPFD, 50));
    say("dup2 beyond", dup2(fd, 45));
    close(fd);
    say("stack", getrlimit(RLIMIT_STACK, &r));
    printf("%lu\n", (unsigned long)r.rlim_cur);
}

static void files(const char *self)
{
    struct stat st, st2;
    struct statx x;
    struct statvfs v;
    char name[] = "/tmp/calls.XXXXXX", text[64] = "", link[4096] = "";
    int fd = mkstemp(name);
    unlink(name);
    say("stat", stat("/proc/self/exe", &st) || stat(self, &st2));
    say("the same", st.st_ino == st2.st_ino && st.st_size == st2.st_size);
    say("statx", syscall(SYS_statx, AT_FDCWD, "/proc/self/exe", 0, 0x7ff, &x));
    say("the same", x.stx_ino == st2.st_ino);
    say("readlink", readlink("/proc/self/exe", link, sizeof link) > 0);
    say("the same", !strcmp(strrchr(link, '/'), strrchr(self, '/')));
    struct iovec io[2] = {{"abc", 3}, {"defg", 4}};
    say("writev", writev(fd, io, 2));
    say("pwrite", pwrite(fd, "x", 1, 5000000000ll & 0x7fffffff));
    say("ftruncate", ftruncate64(fd, 5000000000ll));
    say("lseek", lseek64(fd, -1, SEEK_END));
    say("fallocate", posix_fallocate(fd, 100, 10));
    say("fadvise", posix_fadvise(fd, 0, 100, POSIX_FADV_DONTNEED));
    say("pread", pread64(fd, text, 7, 0));
    puts(text);
    struct iovec in = {text, 4};
    say("preadv", preadv64(fd, &in, 1, 3));
    say("fstat", fstat64(fd, (struct stat64 *)&st) + 1);
    struct flock64 l = {.l_type = F_WRLCK, .l_start = 4000000000ll, .l_len = 10};
    say("lock", fcntl(fd, F_SETLK64, &l));
    say("statvfs", statvfs("/tmp", &v));
    say("block", v.f_bsize > 0);
    void *p = mmap64(NULL, 4096, PROT_READ, MAP_SHARED, fd, 4096000000ll);
    say("mmap", p == MAP_FAILED ? -1 : 0);
    say("mincore", mincore(p, 4096, (unsigned char *)text));
    int out[2];
    pipe(out);
    off64_t at = 2;
    lseek(fd, 0, SEEK_SET);
    say("sendfile", sendfile64(out[1], fd, &at, 3));
    say("at", at);
    struct timespec ts[2] = {{1000000000, 5}, {1000000001, 7}};
    say("futimens", futimens(fd, ts));
    fstat64(fd, (struct stat64 *)&st);
    close(fd);
}

static void others(void)
{
    struct timeval t = {0, 1000};
    fd_set set;
    int pair[2], id = shmget(IPC_PRIVATE, 8192, IPC_CREAT | 0600);
    char *p = shmat(id, NULL, 0), control[64] = "", text[4] = "";
    say("shmat", p == (char *)-1 ? -1 : (long long)(p[100] = 5));
    say("shmdt", shmdt(p));
    say("shmctl", shmctl(id, IPC_RMID, NULL));
    say("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    struct iovec io = {"hi", 2}, in = {text, 4};
    struct msghdr m = {.msg_iov = &io, .msg_iovlen = 1, .msg_control = control, .msg_controllen = CMSG_SPACE(sizeof(int))};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &pair[0], sizeof(int));
    say("sendmsg", sendmsg(pair[0], &m, 0));
    m.msg_iov = &in;
    memset(control, 0, sizeof control);
    say("recvmsg", recvmsg(pair[1], &m, 0));
    say("rights", CMSG_FIRSTHDR(&m) && CMSG_FIRSTHDR(&m)->cmsg_type == SCM_RIGHTS);
    FD_ZERO(&set);
    FD_SET(pair[0], &set);
    say("select", select(pair[0] + 1, &set, NULL, NULL, &t));
    struct itimerval timer = {.it_value = {100, 0}}, old;
    say("setitimer", setitimer(ITIMER_REAL, &timer, NULL));
    timer.it_value.tv_sec = 0;
    say("setitimer", setitimer(ITIMER_REAL, &timer, &old));
    say("left", old.it_value.tv_sec > 90);
    struct rusage u;
    say("rusage", getrusage(RUSAGE_SELF, &u) || u.ru_maxrss < 100);
    struct timespec now;
    say("clock", clock_gettime(CLOCK_REALTIME, &now) || now.tv_sec < 1500000000);
    timer_t id2;
    struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 3, .sigev_value.sival_int = 91};
    say("timer_create", timer_create(CLOCK_MONOTONIC, &ev, &id2));
    struct itimerspec its = {.it_value = {0, 1000000}};
    value = 0;
    say("timer_settime", timer_settime(id2, 0, &its, NULL));
    for (int i = 0; i < 1000 && !value; i++)
        usleep(1000);
    say("value", value);
    cpu_set_t cpus;
    say("affinity", sched_getaffinity(0, sizeof cpus, &cpus));
}

int main(int argc, char **argv)
{
    setbuf(stdout, NULL);
    if (argc > 1) {
        printf("again: %s %s\n", argv[0], getenv("WORD"));
        return 7;
    }
    waits();
    descriptors();
    files(argv[0]);
    others();
    limits();
    int fd = open("/proc/self/exe", O_PATH | O_CLOEXEC);
    char *const words[] = {"other", "word", NULL}, *const env[] = {"WORD=here", NULL};
    say("execveat", syscall(SYS_execveat, fd, "", words, env, AT_EMPTY_PATH));
    return 0;
}
