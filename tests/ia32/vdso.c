/* SPDX-License-Identifier: Apache-2.0
 * What an IA-32 program has of the vdso: that it is told of it, on its stack and by /proc, the time from it, system calls through it, and handlers that return through it. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The kernel's structures; libc's functions would add a restorer. */
struct action {
    void *handler;
    unsigned long flags;
    void *restorer;
    unsigned long mask[2];
};
struct action_old {
    void *handler;
    unsigned long mask, flags;
    void *restorer;
};
static volatile int caught[65];

static void handler(int sig) { caught[sig]++; }
static void handler_info(int sig, siginfo_t *info, void *context)
{
    (void)context;
    caught[sig] += info->si_signo == sig;
}

/* Six arguments, by the function that AT_SYSINFO names. */
static long call(long nr, long a, long b, long c, long d, long e, long f)
{
    long r;
    long args[] = {nr, a, b, c, d, e, f, getauxval(AT_SYSINFO)};
    __asm__ volatile("push %%ebp; push %%ebx; mov %1, %%eax; mov 28(%%eax), %%ecx; push %%ecx; mov 4(%%eax), %%ebx; mov 8(%%eax), %%ecx; mov 12(%%eax), %%edx; mov 16(%%eax), %%esi;"
                     "mov 20(%%eax), %%edi; mov 24(%%eax), %%ebp; mov (%%eax), %%eax; call *(%%esp); add $4, %%esp; pop %%ebx; pop %%ebp"
                     : "=a"(r) : "a"(args) : "ecx", "edx", "esi", "edi", "memory", "cc");
    return r;
}

/* getpid by the instruction that the CPU has for it, as __kernel_vsyscall does it; the kernel returns to the end of that. */
static long fast_call(void)
{
    unsigned b, r = SYS_getpid;
    __asm__ volatile("cpuid" : "=b"(b) : "a"(0) : "ecx", "edx");
    if (b == 0x68747541) /* AuthenticAMD */
        __asm__ volatile("call 1f; jmp 2f; 1: push %%ecx; push %%edx; push %%ebp; mov %%ecx, %%ebp; syscall; hlt; 2:" : "+a"(r) : : "memory", "cc");
    else
        __asm__ volatile("call 1f; jmp 2f; 1: push %%ecx; push %%edx; push %%ebp; mov %%esp, %%ebp; sysenter; hlt; 2:" : "+a"(r) : : "memory", "cc");
    return r;
}

int main(void)
{
    const Elf32_Ehdr *vdso = (void *)getauxval(AT_SYSINFO_EHDR);
    unsigned long sysinfo = getauxval(AT_SYSINFO);
    printf("%d %d\n", vdso != NULL, vdso && sysinfo > (unsigned long)vdso && sysinfo < (unsigned long)vdso + 8192);
    if (!vdso)
        return 0;
    Elf32_auxv_t kept[64] = {0};
    FILE *f = fopen("/proc/self/auxv", "r");
    size_t n = fread(kept, sizeof *kept, 63, f);
    int same = 0, entries = 0;
    fclose(f);
    for (size_t i = 0; i < n && kept[i].a_type; i++, entries++)
        same += getauxval(kept[i].a_type) == kept[i].a_un.a_val;
    printf("%d %d %d\n", entries, same, kept[0].a_type == AT_SYSINFO);
    struct timespec a, b;
    int later = 0;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int i = 0; i < 1000; i++, a = b) {
        clock_gettime(CLOCK_MONOTONIC, &b);
        later += b.tv_sec > a.tv_sec || (b.tv_sec == a.tv_sec && b.tv_nsec >= a.tv_nsec);
    }
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &a);
    printf("%d %d %d\n", memcmp(vdso->e_ident, ELFMAG, SELFMAG) == 0 && vdso->e_machine == EM_386, later, (int)(time(NULL) - a.tv_sec) / 60);
    char *map = (char *)call(SYS_mmap2, 0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    map[4096] = 1;
    printf("%d %ld %ld\n", map[4096], call(SYS_mmap2, 0, 0, 0, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), call(SYS_getpid, 0, 0, 0, 0, 0, 0) - getpid());
    printf("%ld\n", fast_call() - getpid());
    struct action new = {.handler = handler_info, .flags = SA_SIGINFO};
    syscall(SYS_rt_sigaction, SIGUSR1, &new, NULL, 8);
    new.handler = handler;
    new.flags = 0;
    syscall(SYS_rt_sigaction, SIGUSR2, &new, NULL, 8);
    struct action_old old = {.handler = handler};
    syscall(SYS_sigaction, SIGHUP, &old, NULL);
    for (int i = 0; i < 3; i++)
        raise(SIGUSR1), raise(SIGUSR2), raise(SIGHUP);
    printf("%d %d %d\n", caught[SIGUSR1], caught[SIGUSR2], caught[SIGHUP]);
    return 0;
}
