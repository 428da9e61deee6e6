// SPDX-License-Identifier: Apache-2.0
// timeouts SECONDS FORM: one wait of so many seconds in each of the calls of that form. Each says when it is over. The program ends with the last one.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct {
    struct timespec time;
    char rest[4096 - sizeof(struct timespec)];
} page __attribute__((aligned(4096))); /* read-only once it is set */
#define wait_time page.time
#define MILLISECONDS ((int)(wait_time.tv_sec * 1000))

static int in_nanosleep(void) { return nanosleep(&wait_time, NULL); }
static int in_clock_nanosleep(void) { return clock_nanosleep(CLOCK_MONOTONIC, 0, &wait_time, NULL); }
static int in_poll(void) { return poll(NULL, 0, MILLISECONDS); }
static int in_ppoll(void) { return ppoll(NULL, 0, &wait_time, NULL); }
static int in_pselect(void) { return pselect(0, NULL, NULL, NULL, &wait_time, NULL); }

static int in_select(void)
{
    struct timeval t = {wait_time.tv_sec, 0};
    return select(0, NULL, NULL, NULL, &t);
}

static int in_futex(void)
{
    int word = 0;
    return !(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &wait_time, NULL, 0) == -1 && errno == ETIMEDOUT);
}

/* The queue's limit is a point in time. */
static int in_mq_timedreceive(void)
{
    struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = 8};
    char name[32], text[8];
    struct timespec end;
    snprintf(name, sizeof name, "/lp-timeouts-%d", getpid());
    mqd_t q = mq_open(name, O_RDONLY | O_CREAT | O_EXCL, 0600, &attr);
    mq_unlink(name);
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += wait_time.tv_sec;
    return q == (mqd_t)-1 ? errno != ENOSYS && errno != EACCES : !(mq_timedreceive(q, text, sizeof text, NULL, &end) == -1 && errno == ETIMEDOUT);
}

static struct epoll_event event;
static int in_epoll_wait(void) { return epoll_wait(epoll_create1(0), &event, 1, MILLISECONDS); }
static int in_epoll_pwait2(void) { return (int)syscall(SYS_epoll_pwait2, epoll_create1(0), &event, 1, &wait_time, NULL, 8); }

static int in_epoll_pwait(void)
{
    sigset_t set;
    sigfillset(&set);
    return epoll_pwait(epoll_create1(0), &event, 1, MILLISECONDS, &set);
}

static int in_sigtimedwait(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    return !(sigtimedwait(&set, NULL, &wait_time) == -1 && errno == EAGAIN);
}

static int in_semtimedop(void)
{
    struct sembuf down = {0, -1, 0};
    int id = semget(IPC_PRIVATE, 1, 0600), r = semtimedop(id, &down, 1, &wait_time), err = errno;
    semctl(id, 0, IPC_RMID);
    return !(r == -1 && (id < 0 || err == EAGAIN));
}

static int in_io_getevents(void)
{
    aio_context_t context = 0;
    struct io_event events[1];
    if (syscall(SYS_io_setup, 1, &context))
        return errno != ENOSYS;
    return (int)syscall(SYS_io_getevents, context, 1L, 1L, events, &wait_time);
}

enum { KERNEL = 'k', NUMBER = 'n', MEMORY = 'm' }; /* the kernel goes on with it; the limit is an argument; it is in memory */
static const struct kind {
    const char *name;
    int (*wait)(void);
    char form;
} kinds[] = {
    {"nanosleep", in_nanosleep, KERNEL}, {"clock_nanosleep", in_clock_nanosleep, KERNEL}, {"poll", in_poll, KERNEL}, {"ppoll", in_ppoll, KERNEL},
    {"select", in_select, KERNEL}, {"pselect", in_pselect, KERNEL}, {"futex", in_futex, KERNEL}, {"mq_timedreceive", in_mq_timedreceive, KERNEL},
    {"epoll_wait", in_epoll_wait, NUMBER}, {"epoll_pwait", in_epoll_pwait, NUMBER}, {"epoll_pwait2", in_epoll_pwait2, MEMORY},
    {"sigtimedwait", in_sigtimedwait, MEMORY}, {"semtimedop", in_semtimedop, MEMORY}, {"io_getevents", in_io_getevents, MEMORY},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static void *run(void *arg)
{
    const struct kind *k = arg;
    int r = k->wait();
    printf("%s %s\n", k->name, r ? "failed" : "over");
    fflush(stdout);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[KINDS];
    unsigned n = 0;
    sigset_t set;
    if (argc < 3)
        return 2;
    wait_time.tv_sec = atoi(argv[1]);
    mprotect(&page, sizeof page, PROT_READ);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    printf("ready\n");
    fflush(stdout);
    for (unsigned i = 0; i < KINDS; i++)
        if (strchr(argv[2], kinds[i].form))
            pthread_create(&thread[n++], NULL, run, (void *)&kinds[i]);
    for (unsigned i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
    return wait_time.tv_sec != atoi(argv[1]) || wait_time.tv_nsec != 0;
}
