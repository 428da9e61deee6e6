/* SPDX-License-Identifier: Apache-2.0
 * Small programs with one fault each, and the same without it: heapfaults.c and heapfaults.cpp. Each is run in a child, so that one run of a tool sees all of them. The line of a fault says
 * FAULT and what a tool should call it; where a block is lost, it is the line that allocates it. `main good|bad [CASE]...` prints the number of each child, its case and its status. */
#ifndef HEAPFAULTS_H
#define HEAPFAULTS_H
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct heap_case {
    const char *name;
    void (*run)(int bad);
};

/* The compiler knows nothing of where it leads. */
static inline void *hide(void *p)
{
    __asm__ volatile("" : "+r"(p) : : "memory");
    return p;
}
/* A number that the compiler cannot know, and what a program does with one. */
static inline size_t any(size_t n)
{
    __asm__ volatile("" : "+r"(n));
    return n;
}
#define use(value) __asm__ volatile("" : : "r"((long)(value)) : "memory")
/* What is left of pointers in registers and below the stack. */
static __attribute__((noinline)) void wipe(void)
{
    volatile char room[4096];
    for (size_t i = 0; i < sizeof room; i++)
        room[i] = 0;
    __asm__ volatile("xor %%ebx, %%ebx\n xor %%r12d, %%r12d\n xor %%r13d, %%r13d\n xor %%r14d, %%r14d\n xor %%r15d, %%r15d" : : : "rbx", "r12", "r13", "r14", "r15", "memory");
}

static void run_case(const struct heap_case *c, int bad)
{
    pid_t pid = fork();
    int status = 0;
    if (!pid) {
        c->run(bad);
        wipe();
        _exit(0);
    }
    waitpid(pid, &status, 0);
    printf("%d %s %d\n", (int)pid, c->name, status);
    fflush(stdout);
}

static int is_chosen(int argc, char **argv, const char *name)
{
    for (int i = 2; i < argc; i++)
        if (!strcmp(argv[i], name))
            return 1;
    return argc == 2;
}

static int run_cases(const struct heap_case *c, int argc, char **argv)
{
    static char buffer[4096];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    for (; argc > 1 && c->name; c++)
        if (is_chosen(argc, argv, c->name))
            run_case(c, !strcmp(argv[1], "bad"));
    return 0;
}

#endif
