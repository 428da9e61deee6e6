/* SPDX-License-Identifier: Apache-2.0
 * Ends in the way that its first argument says, having allocated three blocks of which one is freed; and says first what it sees of actions of signals: for tests of tools in probe mode. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char *volatile block[3];
static volatile int zero;

static void handle(int sig) { (void)sig; }

static const char *name_of(void (*handler)(int))
{
    return handler == SIG_DFL ? "default" : handler == SIG_IGN ? "ignored" : handler == handle ? "own" : "unknown";
}

/* Every action, then those that calls of libc report. A query after a change, and a change back. */
static void see(void)
{
    struct sigaction act = {.sa_handler = SIG_DFL, .sa_flags = SA_RESTART | SA_NODEFER}, old;
    for (int sig = 1; sig < NSIG; sig++)
        if (!sigaction(sig, NULL, &old))
            printf("%d %s %x\n", sig, name_of(old.sa_handler), (unsigned)old.sa_flags);
    sigaddset(&act.sa_mask, SIGUSR1);
    for (int i = 0; i < 2; i++) {
        printf("%d\n", sigaction(SIGTERM, &act, &old));
        printf("%s %x %d\n", name_of(old.sa_handler), (unsigned)old.sa_flags, sigismember(&old.sa_mask, SIGUSR1));
    }
    printf("%s ", name_of(signal(SIGTERM, handle)));
    printf("%s ", name_of(signal(SIGTERM, SIG_IGN)));
    printf("%s ", name_of(signal(SIGTERM, SIG_DFL)));
    printf("%s\n", name_of(signal(SIGTERM, SIG_DFL)));
    printf("%s %s\n", name_of(signal(SIGCHLD, handle)), name_of(signal(SIGCHLD, SIG_DFL)));
    fflush(stdout);
}

static void *allocate(void *arg)
{
    for (;;)
        free(malloc(7));
    return arg;
}

static void *fault(void *arg)
{
    *(volatile int *)8 = 1;
    return arg;
}

static void inline_calls(const char *how)
{
    long status = 40 + zero;
    if (!strcmp(how, "inline-after"))
        __asm__ volatile("mov $231,%%eax; mov $41,%%edi; syscall" : : : "rax", "rdi");
    if (!strcmp(how, "inline-before"))
        __asm__ volatile("mov $42,%%edi; mov $231,%%eax; syscall" : : : "rax", "rdi");
    if (!strcmp(how, "inline-register"))
        __asm__ volatile("mov $231,%%eax; xor %%edx,%%edx; mov %0,%%rdi; syscall" : : "r"(status) : "rax", "rdi", "rdx");
    if (!strcmp(how, "inline-memory"))
        __asm__ volatile("mov $231,%%rax; nop; mov (%0),%%edi; syscall" : : "r"(&status) : "rax", "rdi", "memory");
    if (!strcmp(how, "inline-zero"))
        __asm__ volatile("mov $231,%%eax; xor %%edi,%%edi; syscall" : : : "rax", "rdi");
}

/* A child that dies, of one kind of fork or the other: its parent says how. */
static void of_child(const char *how)
{
    int status = 0;
    pid_t pid = !strcmp(how, "vfork") ? vfork() : !strcmp(how, "fork") ? fork() : (pid_t)syscall(SYS_fork);
    if (!pid) {
        kill(getpid(), SIGTERM);
        _exit(9);
    }
    waitpid(pid, &status, 0);
    printf("child %d\n", status);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *how = argv[argc > 1];
    pthread_t t;
    for (int i = 0; i < 3; i++)
        block[i] = malloc(1000 + (size_t)i);
    free(block[0]);
    see();
    if (!strcmp(how, "threads"))
        for (int i = 0; i < 3; i++)
            pthread_create(&t, NULL, allocate, NULL);
    if (!strcmp(how, "threads") || !strcmp(how, "thread")) {
        pthread_create(&t, NULL, fault, NULL);
        pthread_join(t, NULL);
    }
    if (!strcmp(how, "kill"))
        kill(getpid(), atoi(argv[2]));
    if (!strcmp(how, "restored")) {
        signal(SIGTERM, handle);
        raise(SIGTERM);
        signal(SIGTERM, SIG_DFL);
        raise(SIGTERM);
    }
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "syscall"))
        syscall(SYS_exit_group, 43);
    if (!strcmp(how, "exit"))
        syscall(SYS_exit, 45);
    if (!strcmp(how, "vfork") || !strcmp(how, "fork") || !strcmp(how, "rawfork"))
        of_child(how);
    inline_calls(how);
    return 44;
}
