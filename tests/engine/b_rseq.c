// SPDX-License-Identifier: Apache-2.0
// Restartable sequences: counters of each processor, added to by sequences of loads and stores that are not atomic,
// while threads are moved between processors and get signals. All that was added must be there, a signal handler
// must never see an address inside a sequence, and the system call must answer as natively.
// test: env=BROKEN_OFF=1
// test: cc=-pthread
// test: timeout=120
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define THREADS 4
#define ADDS 2000   /* each thread at least; and until so many were interrupted: */
#define ABORTS 20
#define CPUS 1024

struct percpu {
    uint64_t count, spare[7];
};
static struct percpu counter[CPUS], loop_counter[CPUS];
static uint64_t aborts, seen_inside, handled;
static volatile int go_on = 1;
extern char add_start[], add_end[], add_abort[], sum_start[], sum_end[], sum_abort[];

static struct rseq *area(void) { return (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset); }

/* Adds 1 to the counter of this processor; false: it was interrupted. The loop makes the sequence long. */
static int __attribute__((noinline)) add(struct percpu *all, uint32_t spin)
{
    struct rseq *a = area();
    uint32_t cpu = __atomic_load_n(&a->cpu_id_start, __ATOMIC_RELAXED);
    uint64_t *v = &all[cpu].count;
    __asm__ goto(".pushsection __rseq_cs, \"aw\"\n\t"
                 ".balign 32\n"
                 "3:\t.long 0, 0\n\t"
                 ".quad add_start, add_end - add_start, add_abort\n\t"
                 ".popsection\n\t"
                 ".globl add_start, add_end, add_abort\n\t"
                 "leaq 3b(%%rip), %%rax\n\t"
                 "movq %%rax, 8(%[a])\n"
                 "add_start:\n\t"
                 "cmpl %[cpu], 4(%[a])\n\t"
                 "jnz add_abort\n\t"
                 "movq (%[v]), %%rcx\n\t"
                 "movl %[spin], %%eax\n"
                 "5:\tdecl %%eax\n\t"
                 "jns 5b\n\t"
                 "incq %%rcx\n\t"
                 "movq %%rcx, (%[v])\n"
                 "add_end:\n\t"
                 ".pushsection __rseq_failure, \"ax\"\n\t"
                 ".byte 0x0f, 0xb9, 0x3d\n\t"
                 ".long 0x53053053\n"
                 "add_abort:\n\t"
                 "jmp %l[interrupted]\n\t"
                 ".popsection\n"
                 :
                 : [a] "r"(a), [cpu] "r"(cpu), [v] "r"(v), [spin] "r"(spin)
                 : "memory", "cc", "rax", "rcx"
                 : interrupted);
    return 1;
interrupted:
    return 0;
}

/* Reads through *at, in a sequence. The address after it is in a register that it does not touch. */
static uint64_t __attribute__((noinline)) sum(const uint64_t *at, const uint64_t *otherwise)
{
    uint64_t r;
    __asm__ volatile(".pushsection __rseq_cs, \"aw\"\n\t"
                     ".balign 32\n"
                     "3:\t.long 0, 0\n\t"
                     ".quad sum_start, sum_end - sum_start, sum_abort\n\t"
                     ".popsection\n\t"
                     ".globl sum_start, sum_end, sum_abort\n\t"
                     "6:\tleaq 3b(%%rip), %%rax\n\t"
                     "movq %%rax, 8(%[a])\n"
                     "sum_start:\n\t"
                     "movl $7, %k[r]\n\t"
                     "addq (%[at]), %[r]\n\t"
                     "jmp 7f\n"
                     "7:\tincq %[r]\n"
                     "sum_end:\n\t"
                     ".pushsection __rseq_failure, \"ax\"\n\t"
                     ".byte 0x0f, 0xb9, 0x3d\n\t"
                     ".long 0x53053053\n"
                     "sum_abort:\n\t"
                     "movq %[otherwise], %[at]\n\t"
                     "jmp 6b\n\t"
                     ".popsection\n"
                     : [r] "=&r"(r), [at] "+r"(at)
                     : [a] "r"(area()), [otherwise] "r"(otherwise)
                     : "memory", "cc", "rax");
    return r;
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
    uint64_t pc = (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    (void)sig, (void)info;
    if (pc >= (uint64_t)add_start && pc < (uint64_t)add_end)
        __atomic_add_fetch(&seen_inside, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED);
    while (!add(counter, 0)) /* a handler may have sequences of its own */
        ;
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
    uint64_t pc = (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    printf("signal %d at address %p, the program is %s\n", sig, info->si_addr,
           pc == (uint64_t)sum_abort                                   ? "where the sequence says"
           : pc >= (uint64_t)sum_start && pc < (uint64_t)sum_end ? "inside"
                                                                       : "elsewhere");
}

static pthread_t worker[THREADS];
static uint64_t done[THREADS];
static pid_t tids[THREADS]; /* 0: it has not yet begun, or has ended */

static void *work(void *arg)
{
    uint64_t n = 0;
    pid_t *tid = &tids[(uint64_t *)arg - done];
    __atomic_store_n(tid, gettid(), __ATOMIC_RELEASE);
    for (; n < ADDS || __atomic_load_n(&aborts, __ATOMIC_RELAXED) < ABORTS; n++) {
        while (!add(counter, n % 4 ? 5 : 500))
            __atomic_add_fetch(&aborts, 1, __ATOMIC_RELAXED);
        while (!add(loop_counter, 0))
            __atomic_add_fetch(&aborts, 1, __ATOMIC_RELAXED);
        if (n % 4096 == 0)
            sched_yield();
    }
    __atomic_store_n(tid, 0, __ATOMIC_RELEASE);
    *(uint64_t *)arg = n;
    return NULL;
}


/* Moves the threads between the processors, and sends them signals. */
static void *disturb(void *arg)
{
    cpu_set_t all, one;
    int n = 0, cpu[CPUS];
    sched_getaffinity(0, sizeof all, &all);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &all))
            cpu[n++] = i;
    for (unsigned i = 0; go_on; i++) {
        CPU_ZERO(&one);
        CPU_SET(cpu[(i / THREADS + i) % (unsigned)n], &one);
        pid_t tid = __atomic_load_n(&tids[i % THREADS], __ATOMIC_ACQUIRE);
        if (tid && sched_setaffinity(tid, sizeof one, &one) == 0 && i % 3 == 0)
            syscall(SYS_tgkill, getpid(), tid, SIGUSR1);
        usleep(1000);
    }
    return arg;
}

static uint64_t total(const struct percpu *p)
{
    uint64_t n = 0;
    for (int i = 0; i < CPUS; i++)
        n += p[i].count;
    return n;
}

static void counters(void)
{
    pthread_t other;
    uint64_t n = 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&worker[i], NULL, work, &done[i]);
    pthread_create(&other, NULL, disturb, NULL);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(worker[i], NULL);
        n += done[i];
    }
    go_on = 0;
    pthread_join(other, NULL);
    printf("sequences %s, %s\n", total(counter) == n + handled ? "exact" : "lost",
           total(loop_counter) == n ? "exact" : "lost");
    printf("seen inside %lu\n", (unsigned long)seen_inside);
    if (total(counter) != n + handled || total(loop_counter) != n)
        fprintf(stderr, "%lu %lu of %lu and %lu signals\n", (unsigned long)total(counter),
                (unsigned long)total(loop_counter), (unsigned long)n, (unsigned long)handled);
}

static long call(void *at, unsigned bytes, int flags, unsigned signature)
{
    return syscall(SYS_rseq, at, bytes, flags, signature) ? errno : 0;
}

static void answers(const char *who)
{
    static struct rseq other;
    struct rseq *a = area();
    printf("%s: again %ld, other %ld, size %ld, signature %ld, flags %ld\n", who, call(a, 32, 0, RSEQ_SIG),
           call(&other, 32, 0, RSEQ_SIG), call(a, 64, 0, RSEQ_SIG), call(a, 32, 0, 1), call(a, 32, 8, RSEQ_SIG));
    printf("%s: end %ld %ld", who, call(a, 32, RSEQ_FLAG_UNREGISTER, 1), call(a, 32, RSEQ_FLAG_UNREGISTER, RSEQ_SIG));
    printf(" %d %ld", (int)a->cpu_id, call(a, 32, RSEQ_FLAG_UNREGISTER, RSEQ_SIG));
    printf(", bad %ld %ld", call((char *)a + 4, 32, 0, RSEQ_SIG), call(a, 16, 0, RSEQ_SIG));
    printf(", begin %ld", call(a, 32, 0, RSEQ_SIG));
    printf(" %s\n", a->cpu_id < CPUS ? "a processor" : "none");
}

static void *thread_answers(void *arg)
{
    answers(arg);
    return NULL;
}

int main(void)
{
    static const uint64_t two = 2, three = 3;
    struct sigaction sa = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("size %u, registered %d\n", __rseq_size, area()->cpu_id < CPUS);
    sigaction(SIGUSR1, &sa, NULL);
    sa.sa_sigaction = on_fault;
    sigaction(SIGSEGV, &sa, NULL);
    printf("sum %lu\n", (unsigned long)sum(&two, &two)); // interrupted or not
    printf("sum %lu\n", (unsigned long)sum(NULL, &three));
    printf("sum %lu\n", (unsigned long)sum((const uint64_t *)16, &two));
    answers("main");
    pthread_t t;
    pthread_create(&t, NULL, thread_answers, "thread");
    pthread_join(t, NULL);
    pid_t pid = fork();
    if (!pid) {
        answers("child");
        printf("sum %lu\n", (unsigned long)sum(NULL, &three));
        exit(3);
    }
    int status;
    waitpid(pid, &status, 0);
    printf("status %d\n", WEXITSTATUS(status));
    counters();
    return 0;
}
