/* SPDX-License-Identifier: Apache-2.0
 * Opens descriptors in all ways that there are: in a constructor, in main, in callbacks, in threads of its own and of the program, in children; by libc, by libstdc++, by ld.so,
 * by other processes that send them. Says at the end whether each is still what it was, out of the program's range, and what was written by it whole. */
#include "pin.H"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

static KNOB<std::string> KnobFolder(KNOB_MODE_WRITEONCE, "pintool", "o", "", "folder for its files");
static const int LOWEST = 1000; /* of the host's numbers */

/* --- what is open, and what it was ----------------------------------------------------------------------------------- */

struct Known {
    std::string name;
    int fd;
    struct stat was;
};
static std::vector<Known> known;
static PIN_LOCK lock;
static std::string errors;

static void wrong(const std::string &what) { errors += what + "\n"; }

static int know(const std::string &name, int fd)
{
    Known k = {name, fd, {}};
    PIN_GetLock(&lock, 1);
    if (fd < LOWEST || fstat(fd, &k.was) < 0)
        wrong(name + " has number " + decstr(fd));
    known.push_back(k);
    PIN_ReleaseLock(&lock);
    return fd;
}

static void check(const char *when)
{
    for (const Known &k : known) {
        struct stat now;
        if (fstat(k.fd, &now) < 0 || now.st_dev != k.was.st_dev || now.st_ino != k.was.st_ino)
            wrong(k.name + " is another or closed " + when);
    }
}

static std::string path(const std::string &name) { return KnobFolder.Value() + "/" + name; }

/* Before main. */
static struct Early {
    int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    FILE *file = fopen("/dev/zero", "r");
} early;

/* --- all kinds ------------------------------------------------------------------------------------------------------------ */

static FILE *libc_file;
static std::ofstream cpp_file;
static int pipes[2], received[2], raw_fd, lines;

static void receive(void)
{
    int s[2], sent = memfd_create("sent", 0);
    char control[CMSG_SPACE(sizeof sent)] = {}, byte = 'x';
    struct iovec v = {&byte, 1};
    struct msghdr m = {};
    m.msg_iov = &v, m.msg_iovlen = 1, m.msg_control = control, m.msg_controllen = sizeof control;
    socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET, c->cmsg_type = SCM_RIGHTS, c->cmsg_len = CMSG_LEN(sizeof sent);
    memcpy(CMSG_DATA(c), &sent, sizeof sent);
    for (int i = 0; i < 2; i++) {
        struct mmsghdr more = {};
        m.msg_controllen = sizeof control;
        sendmsg(s[0], &m, 0);
        if (i)
            more.msg_hdr = m, recvmmsg(s[1], &more, 1, 0, NULL);
        else
            recvmsg(s[1], &m, 0);
        memcpy(&received[i], CMSG_DATA(c), sizeof sent);
        know("a descriptor received", received[i]);
        memcpy(CMSG_DATA(c), &sent, sizeof sent);
    }
    know("a socket of a pair", s[0]), know("the other of the pair", s[1]), know("a memfd", sent);
}

static void all_kinds(void)
{
    sigset_t none;
    sigemptyset(&none);
    int master, slave, at = open(KnobFolder.Value().c_str(), O_RDONLY | O_DIRECTORY);
    know("open", at), know("constructor's open", early.fd), know("constructor's fopen", fileno(early.file));
    know("openat", openat(at, "openat", O_RDWR | O_CREAT | O_EXCL, 0600)), know("creat", creat(path("creat").c_str(), 0600));
    know("dup", dup(0)), know("F_DUPFD", fcntl(0, F_DUPFD, 3)), know("F_DUPFD_CLOEXEC", fcntl(0, F_DUPFD_CLOEXEC, 3));
    know("socket", socket(AF_UNIX, SOCK_STREAM, 0)), know("epoll", epoll_create1(0)), know("old epoll", epoll_create(1)), know("eventfd", eventfd(0, 0));
    know("timerfd", timerfd_create(CLOCK_MONOTONIC, 0)), know("inotify", inotify_init()), know("inotify1", inotify_init1(0)), know("signalfd", signalfd(-1, &none, 0));
    know("syscall", raw_fd = (int)syscall(SYS_openat, AT_FDCWD, path("raw").c_str(), O_RDWR | O_CREAT, 0600)), know("syscall dup", (int)syscall(SYS_dup, 0));
    if (pipe(pipes))
        wrong("pipe");
    know("pipe", pipes[0]), know("other end", pipes[1]);
    if (openpty(&master, &slave, NULL, NULL, NULL))
        wrong("openpty");
    know("terminal", master), know("its other end", slave);
    libc_file = fopen(path("libc").c_str(), "w");
    know("fopen", fileno(libc_file));
    FILE *temporary = tmpfile(), *command = popen("cat >/dev/null", "w"), *again = fopen("/dev/null", "r");
    if (!temporary || !command || !again)
        wrong("tmpfile, popen or fopen has failed"), exit(1);
    know("tmpfile", fileno(temporary)), know("popen", fileno(command));
    again = freopen("/dev/zero", "r", again);
    know("freopen", fileno(again));
    cpp_file.open(path("cpp"));
    receive();
}

/* A command that reads what the tool has opened for it, by its number: it must be inherited as the tool asked. */
static void inheritance(void)
{
    struct rlimit now;
    if (getrlimit(RLIMIT_NOFILE, &now) || now.rlim_cur <= (rlim_t)early.fd || setrlimit(RLIMIT_NOFILE, &now)) /* which changes nothing */
        wrong("the limit of descriptors");
    int fd = open(path("inherited").c_str(), O_RDWR | O_CREAT, 0600);
    std::string command = "echo by number >&" + decstr(fd) + "; cat /proc/self/fd/" + decstr(early.fd) + " 2>/dev/null | head -c 1";
    char line[32] = "";
    if (system(("bash -c '" + command + "' >/dev/null 2>&1").c_str()) == -1 || pread(fd, line, sizeof line - 1, 0) <= 0 || strcmp(line, "by number\n"))
        wrong(std::string("a command does not get what it was given: ") + line);
    close(fd);
    FILE *p = popen("echo answer", "r");
    if (!fgets(line, sizeof line, p) || strcmp(line, "answer\n") || pclose(p))
        wrong("popen");
}

/* --- threads ------------------------------------------------------------------------------------------------------------------ */

static volatile bool stop;
static std::string socket_name;

static VOID *churn(VOID *)
{
    for (int i = 0; !stop; i++) {
        FILE *f = fopen(path("churn").c_str(), "w");
        if (!f || fileno(f) < LOWEST || fputs("churn", f) < 0 || fclose(f))
            wrong("churn"), stop = true;
    }
    return NULL;
}

/* Waits in accept for nearly all the time. */
static VOID *serve(VOID *arg)
{
    int fd = accept4((int)(long)arg, NULL, NULL, SOCK_CLOEXEC);
    know("accept", fd);
    return NULL;
}

static pthread_t churner, server;

static void start_threads(void)
{
    struct sockaddr_un name = {};
    name.sun_family = AF_UNIX;
    snprintf(name.sun_path, sizeof name.sun_path, "%s/socket", KnobFolder.Value().c_str());
    int fd = know("listen", socket(AF_UNIX, SOCK_STREAM, 0));
    if (bind(fd, (struct sockaddr *)&name, sizeof name) || listen(fd, 1))
        wrong("listen");
    pthread_create(&server, NULL, serve, (void *)(long)fd);
}

static void end_threads(void)
{
    struct sockaddr_un name = {};
    name.sun_family = AF_UNIX;
    snprintf(name.sun_path, sizeof name.sun_path, "%s/socket", KnobFolder.Value().c_str());
    int fd = know("connect", socket(AF_UNIX, SOCK_STREAM, 0));
    if (connect(fd, (struct sockaddr *)&name, sizeof name))
        wrong("connect");
    pthread_join(server, NULL);
    stop = true;
    pthread_join(churner, NULL);
}

/* --- callbacks ------------------------------------------------------------------------------------------------------------------ */

static INT32 first;

/* Children have the same files, and write nothing to them. */
static void write_line(void)
{
    if (PIN_GetPid() != first)
        return;
    fprintf(libc_file, "line %d\n", lines);
    fflush(libc_file);
    cpp_file << "line " << lines++ << std::endl;
}

static VOID image(IMG img, VOID *)
{
    static int images;
    write_line();
    if (IMG_Valid(img) && images++ < 3)
        know("opened for an image", open("/dev/null", O_WRONLY));
}

static VOID one(VOID) { }

static VOID routine(TRACE trace, VOID *)
{
    static int n;
    TRACE_InsertCall(trace, IPOINT_BEFORE, (AFUNPTR)one, IARG_END);
    if (n++ % 50 == 0)
        write_line();
}

static VOID thread(THREADID, CONTEXT *, INT32, VOID *)
{
    static int n;
    if (n++ == 0) {
        start_threads();
        return;
    }
    if (n == 2)
        pthread_create(&churner, NULL, (void *(*)(void *))churn, NULL);
    FILE *f = fopen(path("thread" + decstr(n)).c_str(), "w");
    know("a thread's", fileno(f));
}

static VOID in_child(THREADID, const CONTEXT *, VOID *)
{
    int fd = open(path("child" + decstr(PIN_GetPid())).c_str(), O_WRONLY | O_CREAT, 0600);
    if (fd < LOWEST || write(fd, "child\n", 6) != 6)
        wrong("a child's");
    check("in a child");
    if (!errors.empty())
        write(fd, errors.data(), errors.size());
}

/* --- the end -------------------------------------------------------------------------------------------------------------------- */

static void whole(const char *name)
{
    std::ifstream in(path(name));
    std::string line;
    int n = 0;
    while (std::getline(in, line))
        if (line != "line " + decstr(n++))
            wrong(std::string(name) + " has the line " + line);
    if (n != lines || n < 10)
        wrong(std::string(name) + " has " + decstr(n) + " lines");
}

static VOID fini(INT32, VOID *)
{
    char byte = 0;
    if (PIN_GetPid() != first)
        return;
    end_threads();
    check("at the end");
    whole("libc"), whole("cpp");
    if (write(pipes[1], "p", 1) != 1 || read(pipes[0], &byte, 1) != 1 || byte != 'p')
        wrong("the pipe is another");
    if (pwrite(raw_fd, "raw\n", 4, 0) != 4)
        wrong("syscall's file is closed");
    if (!dlopen("libutil.so.1", RTLD_NOW) && !dlopen("libz.so.1", RTLD_NOW))
        wrong("dlopen");
    std::ofstream(path("result")) << errors << known.size() << " known" << std::endl;
}

int main(int argc, char *argv[])
{
    if (PIN_Init(argc, argv))
        return 1;
    PIN_InitLock(&lock);
    first = PIN_GetPid();
    all_kinds();
    inheritance();
    IMG_AddInstrumentFunction(image, NULL);
    TRACE_AddInstrumentFunction(routine, NULL);
    PIN_AddThreadStartFunction(thread, NULL);
    PIN_AddForkFunction(FPOINT_AFTER_IN_CHILD, in_child, NULL);
    PIN_AddFiniFunction(fini, NULL);
    PIN_StartProgram();
}
