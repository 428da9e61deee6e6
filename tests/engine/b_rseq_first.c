// SPDX-License-Identifier: Apache-2.0
// The first restartable sequence of a program, whose descriptor is named in each way that code can name a constant. The
// sequence never comes to its end by itself: only a signal or another thread on its processor leads out of it, each
// time to its abort address. Everything is executed for the first time, the registration, too, where it is the
// program's own; and the code before and after the start of the sequence is straight.
// test: env=BROKEN_OFF=1
// test: cc=-pthread
// test: timeout=30
// test[lea]: cc=-DSET=LEA
// test[load]: cc=-DSET=LOAD
// test[imm32]: cc=-DSET=IMM32 -no-pie
// test[imm64]: cc=-DSET=IMM64 -no-pie
// test[imm]: cc=-DSET=IMM -no-pie
// test[store]: cc=-DSET=STORE -no-pie
// test[own_lea]: cc=-DSET=LEA -DOWN
// test[own_lea]: env=GLIBC_TUNABLES=glibc.pthread.rseq=0
// test[own_load]: cc=-DSET=LOAD -DOWN
// test[own_load]: env=GLIBC_TUNABLES=glibc.pthread.rseq=0
// test[own_store]: cc=-DSET=STORE -DOWN -no-pie
// test[own_store]: env=GLIBC_TUNABLES=glibc.pthread.rseq=0
// test[own_signature]: cc=-DSET=LEA -DOWN -DSIGNATURE=0x12345678
// test[own_signature]: env=GLIBC_TUNABLES=glibc.pthread.rseq=0
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef SIGNATURE
#define SIGNATURE 0x53053053
#endif
#define ROUNDS 10
#define BYTES (64 << 20) /* to be read in more time than there is between two alarms */

extern char spin_start[], spin_end[], spin_abort[];
static volatile int rounds, seen_inside, go_on = 1;
static cpu_set_t all;
static char bytes[BYTES];

#ifdef OWN
static struct rseq own;
static struct rseq *area(void) { return &own; }
static __attribute__((noinline)) long take_area(void) { return syscall(SYS_rseq, &own, 32, 0, SIGNATURE); }
#else
static struct rseq *area(void) { return (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset); }
static __attribute__((noinline)) long take_area(void) { return 0; }
#endif

#define BY_RAX(how) how ", %%rax\n\tmovq %%rax, 8(%[a])\n"
#define LEA BY_RAX("leaq spin_descriptor(%%rip)")
#define LOAD BY_RAX("movq spin_pointer(%%rip)")
#define IMM32 "movl $spin_descriptor, %%eax\n\tmovq %%rax, 8(%[a])\n"
#define IMM64 BY_RAX("movabsq $spin_descriptor")
#define IMM BY_RAX("movq $spin_descriptor")
#define STORE "movq $spin_descriptor, 8(%[a])\n"

/* Returns the registration's result when the sequence was interrupted. */
static __attribute__((noinline)) long spin(void)
{
    struct rseq *a = area();
    long taken = rounds ? 0 : take_area();
    __asm__ volatile(".pushsection __rseq_cs, \"aw\"\n\t"
                     ".balign 32\n"
                     "spin_descriptor:\n\t.long 0, 0\n\t"
                     ".quad spin_start, spin_end - spin_start, spin_abort\n\t"
                     "spin_pointer:\n\t.quad spin_descriptor\n\t"
                     ".popsection\n\t"
                     ".globl spin_start, spin_end, spin_abort\n\t"
                     "movq %[n], %%rdx\n\t"
                     "movq %[at], %%rsi\n\t"
                     SET
                     "spin_start:\n\t"
                     "movq %%rdx, %%rcx\n\t"
                     "xorl %%eax, %%eax\n\t"
                     "rep lodsb\n\t"
                     "5:\tincq %%rcx\n\t"
                     "addq %%rcx, %%rdx\n\t"
                     "jmp 5b\n"
                     "spin_end:\n\t"
                     ".byte 0x0f, 0xb9, 0x3d\n\t"
                     ".long %c[signature]\n"
                     "spin_abort:\n\t"
                     :
                     : [a] "r"(a), [at] "r"(bytes), [n] "r"((long)BYTES), [signature] "i"(SIGNATURE)
                     : "memory", "cc", "rax", "rcx", "rdx", "rsi");
    return taken;
}

/* Leads out of a sequence that does not restart, so that the test comes to its end. */
static void on_alarm(int sig, siginfo_t *info, void *context)
{
    greg_t *pc = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    (void)sig, (void)info;
    if (*pc >= (greg_t)spin_start && *pc < (greg_t)spin_end) {
        *pc = (greg_t)spin_abort;
        seen_inside++;
    }
}

/* The caller's processor is taken from it again and again, without a signal. */
static void *push(void *arg)
{
    for (int cpu = 0; go_on; cpu = (cpu + 1) % CPU_SETSIZE) {
        cpu_set_t one;
        if (!CPU_ISSET(cpu, &all))
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(*(pid_t *)arg, sizeof one, &one);
        sched_setaffinity(0, sizeof one, &one);
        usleep(1000);
    }
    return NULL;
}

int main(void)
{
    struct sigaction sa = {.sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO};
    struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    pid_t tid = gettid();
    pthread_t other;
    sched_getaffinity(0, sizeof all, &all);
    sigaction(SIGALRM, &sa, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (; rounds < ROUNDS; rounds++)
        if (spin())
            return 2;
    setitimer(ITIMER_REAL, &never, NULL);
    pthread_create(&other, NULL, push, &tid);
    for (; rounds < 2 * ROUNDS; rounds++)
        spin();
    go_on = 0;
    pthread_join(other, NULL);
    printf("%d rounds, seen inside %d, processor %s\n", rounds, seen_inside,
           area()->cpu_id == (uint32_t)sched_getcpu() ? "known" : "not known"); /* pinned to one */
    return 0;
}
