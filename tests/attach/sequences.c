// SPDX-License-Identifier: Apache-2.0
// Three threads count by restartable sequences, which are not atomic, in counters of each processor. At SIGUSR1 they
// stop, and all that they have counted must be there.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/rseq.h>
#include <unistd.h>

#define THREADS 3
#define CPUS 1024

static uint64_t counter[CPUS][8], made[THREADS], interrupted;
static volatile int over;

static int __attribute__((noinline)) add(void)
{
    struct rseq *a = (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
    uint32_t cpu = __atomic_load_n(&a->cpu_id_start, __ATOMIC_RELAXED);
    __asm__ goto(".pushsection __rseq_cs, \"aw\"\n\t"
                 ".balign 32\n"
                 "3:\t.long 0, 0\n\t"
                 ".quad 1f, 2f - 1f, 4f\n\t"
                 ".popsection\n\t"
                 "leaq 3b(%%rip), %%rax\n\t"
                 "movq %%rax, 8(%[a])\n"
                 "1:\tcmpl %[cpu], 4(%[a])\n\t"
                 "jnz 4f\n\t"
                 "movq (%[v]), %%rcx\n\t"
                 "movl $100, %%eax\n"
                 "5:\tdecl %%eax\n\t"
                 "jns 5b\n\t"
                 "incq %%rcx\n\t"
                 "movq %%rcx, (%[v])\n"
                 "2:\n\t"
                 ".pushsection __rseq_failure, \"ax\"\n\t"
                 ".byte 0x0f, 0xb9, 0x3d\n\t"
                 ".long 0x53053053\n"
                 "4:\tjmp %l[again]\n\t"
                 ".popsection\n"
                 :
                 : [a] "r"(a), [cpu] "r"(cpu), [v] "r"(counter[cpu])
                 : "memory", "cc", "rax", "rcx"
                 : again);
    return 1;
again:
    return 0;
}

static void *body(void *arg)
{
    uint64_t *n = arg;
    while (!over)
        if (add())
            __atomic_store_n(n, *n + 1, __ATOMIC_RELEASE);
        else
            __atomic_add_fetch(&interrupted, 1, __ATOMIC_RELAXED);
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    sigset_t set;
    int sig;
    uint64_t sum = 0, all = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, body, &made[i]);
    for (int i = 0; i < THREADS; i++)
        while (!__atomic_load_n(&made[i], __ATOMIC_ACQUIRE))
            sched_yield();
    puts("ready");
    fflush(stdout);
    sigwait(&set, &sig);
    over = 1;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        all += made[i];
    }
    for (int i = 0; i < CPUS; i++)
        sum += counter[i][0];
    printf("%lu of %lu, %lu interrupted\n", (unsigned long)sum, (unsigned long)all, (unsigned long)interrupted);
    return sum != all || !interrupted;
}
