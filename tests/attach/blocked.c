// SPDX-License-Identifier: Apache-2.0
// One thread for every kind of system call that waits, two that compute. Each thread makes its call again and again and checks that it did what it does when nobody interferes: waits as long as it was
// told to, gets what was sent, never fails. SIGUSR1 ends the program when each has made a round since then: it says how many rounds went wrong. A ticker feeds those that wait for somebody.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TICK_NS 20000000l
#define WAIT_MS 60
#define KINDS_MAX 40

struct kind {
    const char *name;
    int (*round)(void); // 0: as it should be
    void (*feed)(void); // by the ticker
};

static volatile int over;
static unsigned long rounds[KINDS_MAX], wrong;

static long clock_ms(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static long now_ms(void) { return clock_ms(CLOCK_MONOTONIC); }

static int waited(long since) { return now_ms() - since >= WAIT_MS - 1; }
static struct timespec wait_time(void) { return (struct timespec){0, WAIT_MS * 1000000l}; }

// --- time ----------------------------------------------------------------------------------------------------------------

static int in_nanosleep(void)
{
    struct timespec t = wait_time();
    long start = now_ms();
    return nanosleep(&t, NULL) || !waited(start);
}

static int in_nanosleep_until(void)
{
    struct timespec t;
    long start = now_ms();
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += WAIT_MS * 1000000l;
    if (t.tv_nsec >= 1000000000l) {
        t.tv_nsec -= 1000000000l;
        t.tv_sec++;
    }
    return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) || !waited(start);
}

static int in_poll(void)
{
    long start = now_ms();
    return poll(NULL, 0, WAIT_MS) || !waited(start);
}

// Not the thread's own, and not one that lets SIGUSR1 through.
static void other_mask(sigset_t *mask)
{
    pthread_sigmask(SIG_BLOCK, NULL, mask);
    sigdelset(mask, SIGRTMIN + 3);
}

static int in_ppoll(void)
{
    struct timespec t = wait_time();
    sigset_t mask;
    long start = now_ms();
    other_mask(&mask);
    return ppoll(NULL, 0, &t, &mask) || !waited(start);
}

static int in_select(void)
{
    struct timeval t = {0, WAIT_MS * 1000l};
    long start = now_ms();
    return select(0, NULL, NULL, NULL, &t) || !waited(start);
}

static int in_pselect(void)
{
    struct timespec t = wait_time();
    sigset_t mask;
    long start = now_ms();
    other_mask(&mask);
    return pselect(0, NULL, NULL, NULL, &t, &mask) || !waited(start);
}

static int in_futex_timeout(void)
{
    int word = 0;
    struct timespec t = wait_time();
    long start = now_ms();
    return !(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0) == -1 && errno == ETIMEDOUT) || !waited(start);
}

static int in_epoll_timeout(void)
{
    static int ep = -1;
    struct epoll_event e;
    long start = now_ms();
    if (ep < 0)
        ep = epoll_create1(0);
    return epoll_wait(ep, &e, 1, WAIT_MS) || !waited(start);
}

static int in_timerfd(void)
{
    static int fd = -1;
    struct itimerspec t = {.it_value = wait_time()};
    unsigned long n = 0;
    long start = now_ms();
    if (fd < 0)
        fd = timerfd_create(CLOCK_MONOTONIC, 0);
    timerfd_settime(fd, 0, &t, NULL);
    return read(fd, &n, sizeof n) != sizeof n || n != 1 || !waited(start);
}

// The kernel counts a socket's time in ticks, from the last one on, and that may have come late: the time of the last tick is the start.
static int in_recv_timeout(void)
{
    static int s[2] = {-1, -1};
    char c;
    struct timeval t = {0, WAIT_MS * 1000l};
    long start = clock_ms(CLOCK_MONOTONIC_COARSE);
    if (s[0] < 0) {
        socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
        setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
    }
    return !(recv(s[0], &c, 1, 0) == -1 && errno == EAGAIN) || !waited(start);
}

static int in_sigtimedwait(void)
{
    struct timespec t = wait_time();
    sigset_t set;
    long start = now_ms();
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 3);
    return !(sigtimedwait(&set, NULL, &t) == -1 && errno == EAGAIN) || !waited(start);
}

// --- somebody else ---------------------------------------------------------------------------------------------------------

static int pipe_fd[2], sock_fd[2], event_fd, epoll_event_fd, epoll_fd, listen_fd, msg_id, sem_id;
static sem_t sem;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static unsigned cond_count;
static pthread_t waits_signal, suspends;

static int in_read(void)
{
    static unsigned char next;
    unsigned char c;
    return read(pipe_fd[0], &c, 1) != 1 || c != next++;
}

static void feed_read(void)
{
    static unsigned char next;
    unsigned char c = next++;
    if (write(pipe_fd[1], &c, 1) != 1)
        wrong++;
}

static int in_recv(void)
{
    static unsigned char next;
    unsigned char c;
    struct iovec v = {&c, 1};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
    return recvmsg(sock_fd[0], &m, 0) != 1 || c != next++;
}

static void feed_recv(void)
{
    static unsigned char next;
    unsigned char c = next++;
    if (send(sock_fd[1], &c, 1, 0) != 1)
        wrong++;
}

static int in_eventfd(void)
{
    unsigned long n;
    return read(event_fd, &n, sizeof n) != sizeof n || n < 1;
}

static void feed_eventfd(void)
{
    unsigned long one = 1;
    if (write(event_fd, &one, sizeof one) != sizeof one)
        wrong++;
}

static int in_epoll(void)
{
    struct epoll_event e;
    unsigned long n;
    return epoll_wait(epoll_fd, &e, 1, -1) != 1 || read(epoll_event_fd, &n, sizeof n) != sizeof n;
}

static void feed_epoll(void)
{
    unsigned long one = 1;
    if (write(epoll_event_fd, &one, sizeof one) != sizeof one)
        wrong++;
}

static struct sockaddr_un listen_addr = {.sun_family = AF_UNIX};
static socklen_t listen_len;

static int in_accept(void)
{
    int fd = accept(listen_fd, NULL, NULL);
    return fd < 0 || close(fd);
}

static void feed_accept(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&listen_addr, listen_len))
        wrong++;
    close(fd);
}

static int in_msgrcv(void)
{
    struct { long type; char c; } m;
    return msgrcv(msg_id, &m, 1, 0, 0) != 1 || m.c != 'm';
}

static void feed_msgrcv(void)
{
    struct { long type; char c; } m = {1, 'm'};
    if (msgsnd(msg_id, &m, 1, IPC_NOWAIT) && errno != EAGAIN)
        wrong++;
}

static int in_semop(void)
{
    struct sembuf op = {0, -1, 0};
    return semop(sem_id, &op, 1);
}

static void feed_semop(void)
{
    struct sembuf op = {0, 1, 0};
    if (semop(sem_id, &op, 1))
        wrong++;
}

static int in_sem_wait(void) { return sem_wait(&sem); }
static void feed_sem_wait(void) { sem_post(&sem); }

static int in_cond(void)
{
    pthread_mutex_lock(&mutex);
    unsigned was = cond_count;
    while (cond_count == was && !over)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    return 0;
}

static void feed_cond(void)
{
    pthread_mutex_lock(&mutex);
    cond_count++;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
}

static int in_sigwait(void)
{
    sigset_t set;
    int sig = 0;
    waits_signal = pthread_self();
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 1);
    return sigwait(&set, &sig) || sig != SIGRTMIN + 1;
}

static void feed_sigwait(void)
{
    if (waits_signal)
        pthread_kill(waits_signal, SIGRTMIN + 1);
}

static __thread int handled;
static void on_signal(int sig) { handled = sig; }

static int in_sigsuspend(void)
{
    sigset_t set;
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    sigdelset(&set, SIGRTMIN + 2);
    suspends = pthread_self();
    handled = 0;
    if (sigsuspend(&set) != -1 || errno != EINTR || handled != SIGRTMIN + 2)
        return 1;
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    return !sigismember(&set, SIGRTMIN + 2);
}

static void feed_sigsuspend(void)
{
    if (suspends)
        pthread_kill(suspends, SIGRTMIN + 2);
}

static int in_wait(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct timespec t = wait_time();
        nanosleep(&t, NULL);
        _exit(7);
    }
    return child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7;
}

static void *short_thread(void *arg)
{
    struct timespec t = wait_time();
    nanosleep(&t, NULL);
    return arg;
}

static int in_join(void)
{
    pthread_t t;
    void *result;
    return pthread_create(&t, NULL, short_thread, &result) || pthread_join(t, &result) || result != &result;
}

static double compute(void)
{
    double x = 1;
    unsigned long h = 5381;
    for (int i = 0; i < 2000000; i++) {
        h = h * 33 + (unsigned long)i;
        x = x * 1.0000001 + (double)(h & 7);
    }
    return x;
}

static double computed; // before anybody has interfered

static int in_compute(void) { return compute() != computed; }

static const struct kind kinds[] = {
    {"nanosleep", in_nanosleep, NULL}, {"nanosleep until", in_nanosleep_until, NULL}, {"poll", in_poll, NULL}, {"ppoll", in_ppoll, NULL}, {"select", in_select, NULL},
    {"pselect", in_pselect, NULL}, {"futex with a timeout", in_futex_timeout, NULL}, {"epoll with a timeout", in_epoll_timeout, NULL}, {"timerfd", in_timerfd, NULL},
    {"recv with a timeout", in_recv_timeout, NULL}, {"sigtimedwait", in_sigtimedwait, NULL}, {"read", in_read, feed_read}, {"recvmsg", in_recv, feed_recv},
    {"eventfd", in_eventfd, feed_eventfd}, {"epoll", in_epoll, feed_epoll}, {"accept", in_accept, feed_accept}, {"msgrcv", in_msgrcv, feed_msgrcv}, {"semop", in_semop, feed_semop},
    {"sem_wait", in_sem_wait, feed_sem_wait}, {"cond", in_cond, feed_cond}, {"sigwait", in_sigwait, feed_sigwait}, {"sigsuspend", in_sigsuspend, feed_sigsuspend}, {"wait", in_wait, NULL},
    {"join", in_join, NULL}, {"compute", in_compute, NULL}, {"compute more", in_compute, NULL},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static void *worker(void *arg)
{
    const struct kind *k = arg;
    while (!over) {
        if (k->round() && !over) {
            fprintf(stderr, "%s: wrong after %lu rounds: %s\n", k->name, rounds[k - kinds], strerror(errno));
            __atomic_add_fetch(&wrong, 1, __ATOMIC_SEQ_CST);
        }
        __atomic_add_fetch(&rounds[k - kinds], 1, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

static void *ticker(void *arg)
{
    struct timespec t = {0, TICK_NS};
    while (!over) {
        nanosleep(&t, NULL);
        for (size_t i = 0; i < KINDS; i++)
            if (kinds[i].feed)
                kinds[i].feed();
    }
    return arg;
}

static void make_objects(void)
{
    struct epoll_event e = {.events = EPOLLIN};
    if (pipe(pipe_fd) || socketpair(AF_UNIX, SOCK_STREAM, 0, sock_fd))
        exit(2);
    event_fd = eventfd(0, 0);
    epoll_event_fd = eventfd(0, 0);
    epoll_fd = epoll_create1(0);
    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, epoll_event_fd, &e);
    listen_fd = socket(AF_UNIX, SOCK_STREAM, 0);
    listen_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)snprintf(listen_addr.sun_path + 1, 60, "linchpin-blocked-%d", getpid()));
    if (bind(listen_fd, (struct sockaddr *)&listen_addr, listen_len) || listen(listen_fd, 64))
        exit(2);
    msg_id = msgget(IPC_PRIVATE, 0600);
    sem_id = semget(IPC_PRIVATE, 1, 0600);
    sem_init(&sem, 0, 0);
}

// Until each thread has ended a round that it began after this was called. One that is stuck is waited for: whoever waits for us names it.
static void await_rounds(void)
{
    unsigned long was[KINDS];
    for (size_t i = 0; i < KINDS; i++)
        was[i] = __atomic_load_n(&rounds[i], __ATOMIC_SEQ_CST);
    for (size_t i = 0; i < KINDS; i++)
        while (__atomic_load_n(&rounds[i], __ATOMIC_SEQ_CST) < was[i] + 2)
            usleep(1000);
}

int main(void)
{
    pthread_t t;
    sigset_t set;
    int sig;
    struct sigaction act = {.sa_handler = on_signal};
    sigemptyset(&set);
    for (int i = 1; i <= 3; i++)
        sigaddset(&set, SIGRTMIN + i);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sigaction(SIGRTMIN + 2, &act, NULL);
    make_objects();
    computed = compute();
    for (size_t i = 0; i < KINDS; i++)
        if (pthread_create(&t, NULL, worker, (void *)&kinds[i]))
            return 2;
    pthread_create(&t, NULL, ticker, NULL);
    await_rounds();
    puts("ready");
    fflush(stdout);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigwait(&set, &sig);
    await_rounds();
    over = 1;
    unsigned long bad = wrong; // the ticker does not find what is removed now
    msgctl(msg_id, IPC_RMID, NULL);
    semctl(sem_id, 0, IPC_RMID);
    printf("%lu wrong\n", bad);
    fflush(stdout);
    _exit(bad != 0);
}
