/* SPDX-License-Identifier: Apache-2.0
 * Faults in the midst of pushes, pops, calls and leave, and just below 0 and 4 GiB: what a handler sees of them, and with a timer that fires in a loop of them. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>

extern char push_begin[], pop_begin[], leave_begin[], access_begin[], out[];
void run_pushes(char *sp), run_pops(char *sp), run_leave(char *bp), run_access(unsigned how, unsigned at);
unsigned sum_loop(unsigned rounds);
char *saved;
__asm__(".text\n"
        "run_pushes: pusha; mov %esp, saved; mov 36(%esp), %esp; mov $0x11, %eax; mov $0x22, %ebx; mov $0x55, %ebp; mov $0x66, %edx\n"
        "push_begin: push %eax; push $1; push %ebx; push $0x12345; push %ebp; call out\n"
        "out: mov saved, %esp; popa; ret\n"
        "run_pops: pusha; mov %esp, saved; mov 36(%esp), %esp; mov $0x11, %eax; mov $0x22, %ebx; mov $0x55, %ebp; mov $0x66, %edx; mov $0x33, %ecx\n"
        "pop_begin: pop %eax; pop %ebx; pop %ecx; pop %edx; pop %esi; jmp out\n"
        "run_leave: pusha; mov %esp, saved; mov $0x22, %ebx; mov $0x33, %ecx; mov $0x66, %edx; mov 36(%esp), %ebp\n"
        "leave_begin: leave; jmp out\n"
        "run_access: pusha; mov %esp, saved; mov $0x66, %edx; mov 36(%esp), %ecx; mov 40(%esp), %ebx\n"
        "access_begin: dec %ecx; jz 1f; dec %ecx; jz 2f; dec %ecx; jz 3f; dec %ecx; jz 4f; mov %ebx, (%ebx); jmp out\n"
        "1: mov -4(%ebx), %eax; jmp out\n"
        "2: mov %eax, 8(%ebx); jmp out\n"
        "3: mov $4, %eax; mov (%ebx,%eax), %eax; jmp out\n"
        "4: movl $5, -128(%ebx); jmp out\n"
        /* Each round adds up what it has pushed; nothing is lost when a signal comes in between. */
        "sum_loop: push %ebx; push %esi; push %edi; push %ebp; mov 20(%esp), %ecx; xor %eax, %eax\n"
        "5: push %ecx; push $7; push %ecx; push $-3; pop %ebx; pop %esi; pop %edi; pop %ebp\n"
        "add %ebx, %eax; add %esi, %eax; add %edi, %eax; sub %ebp, %eax; push %ebp; mov %esp, %ebp; push %ebx; push %esi; call 6f; leave; dec %ecx; jnz 5b\n"
        "pop %ebp; pop %edi; pop %esi; pop %ebx; ret\n"
        "6: push %ebp; mov %esp, %ebp; push $2; add -4(%ebp), %eax; leave; ret\n");
enum { EBP = REG_EBP, ESP = REG_ESP, EBX = REG_EBX, EDX = REG_EDX, ECX = REG_ECX, EAX = REG_EAX, TRAPNO = REG_TRAPNO, ERR = REG_ERR, EIP = REG_EIP };
static char *area;
static volatile unsigned ticks;

static int inside(greg_t address) { return (unsigned)address - (unsigned)area < 12288 ? address - (int)area : -1; }

static void caught(int sig, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;
    greg_t *r = uc->uc_mcontext.gregs;
    printf("%d %d eip %d %d %d %d esp %d ebp %d eax %x ebx %x ecx %x edx %x trap %d err %x at %x\n", sig, info->si_code, r[EIP] - (int)push_begin, r[EIP] - (int)pop_begin,
           r[EIP] - (int)leave_begin, r[EIP] - (int)access_begin, inside(r[ESP]), inside(r[EBP]),
           r[EAX], r[EBX], r[ECX], r[EDX], r[TRAPNO], r[ERR], (unsigned)info->si_addr);
    r[EIP] = (greg_t)out;
}

static void tick(int sig)
{
    (void)sig;
    ticks++;
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    area = mmap((void *)0x20000000, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    mprotect(area + 4096, 4096, PROT_READ | PROT_WRITE);
    stack_t alt = {.ss_sp = malloc(65536), .ss_size = 65536};
    sigaltstack(&alt, NULL);
    struct sigaction act = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(SIGSEGV, &act, NULL);
    sigaction(SIGBUS, &act, NULL);
    for (int words = 0; words < 7; words++) {
        memset(area + 4096, words, 4096);
        run_pushes(area + 4096 + 4 * words);
        printf("%08x %08x %08x %08x %08x\n", *(int *)(area + 4096), *(int *)(area + 4100), *(int *)(area + 4104), *(int *)(area + 4108), *(int *)(area + 4112));
        run_pops(area + 8192 - 4 * words);
    }
    run_leave(area + 8192);
    run_leave(area + 8188);
    run_access(1, 0);
    run_access(2, -8u);
    run_access(2, -4u);
    run_access(3, -4u);
    run_access(4, 0);
    run_access(5, 0);
    run_access(5, -4u);
    act.sa_handler = tick;
    act.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &act, NULL);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 200}, {0, 200}}, NULL);
    unsigned first = sum_loop(1000), same = 0, rounds = 0;
    for (; ticks < 200 || rounds < 1000; rounds++)
        same += sum_loop(1000) == first;
    printf("%u %d\n", first, same == rounds);
    return 0;
}
