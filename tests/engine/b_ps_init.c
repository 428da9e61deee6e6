// SPDX-License-Identifier: Apache-2.0
// The first process of a pid namespace: signals that it sends itself do nothing to it where it has no handler, faults end it by their signal.
#include "b_check.h"
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void null_store(void) { *(volatile int *)16 = 1; }
static void undefined(void) { __asm__ volatile("ud2"); }
static void breakpoint(void) { __asm__ volatile("int3"); }
static void divide(void) { __asm__ volatile("div %0" ::"r"(0), "a"(0), "d"(0) : "cc"); }

static void beyond_file(void)
{
    int fd = memfd_create("empty", 0);
    volatile char *p = mmap(0, 4096, PROT_READ, MAP_SHARED, fd, 0);
    CHECK(p != MAP_FAILED);
    *p;
}

static void ignored(void)
{
    signal(SIGSEGV, SIG_IGN);
    null_store();
}

static void blocked(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, 0);
    null_store();
}

static void pending(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, 0);
    raise(SIGSEGV);
    raise(SIGTERM);
    sigprocmask(SIG_UNBLOCK, &all, 0);
}

static void aborts(void) { abort(); }
static void sends_term(void) { kill(getpid(), SIGTERM); }
static void sends_segv(void) { raise(SIGSEGV); }
static void sends_trap(void) { kill(getpid(), SIGTRAP); }
static void sends_kill(void) { kill(getpid(), SIGKILL); }
static void handler(int sig) { say("handler %d\n", sig); }

static void handles(void)
{
    signal(SIGSEGV, handler);
    raise(SIGSEGV);
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

static const struct {
    const char *name;
    void (*act)(void);
} acts[] = {
    { "store to nowhere", null_store }, { "undefined instruction", undefined }, { "breakpoint", breakpoint },
    { "division by zero", divide }, { "beyond the file", beyond_file }, { "fault, ignored", ignored },
    { "fault, blocked", blocked }, { "abort", aborts }, { "sent SIGTERM", sends_term }, { "sent SIGSEGV", sends_segv },
    { "sent SIGTRAP", sends_trap }, { "sent SIGKILL", sends_kill }, { "sent while blocked", pending },
    { "handler", handles },
};

static int first_process(void *arg)
{
    CHECK(getpid() == 1);
    acts[*(int *)arg].act();
    say("lives on\n");
    return 7;
}

static char stack[65536] __attribute__((aligned(16)));

static pid_t start(int which) { return clone(first_process, stack + sizeof stack, CLONE_NEWPID | SIGCHLD, &which); }

/* Where the system allows no new namespaces there is nothing to see. */
static void need_namespaces(void)
{
    if (geteuid() != 0 && unshare(CLONE_NEWUSER) < 0) {
        say("no namespaces here\n");
        exit(0);
    }
}

int main(void)
{
    struct rlimit none = { 0, 0 };
    CHECK(setrlimit(RLIMIT_CORE, &none) == 0);
    need_namespaces();
    for (int i = 0; i < (int)(sizeof acts / sizeof *acts); i++) {
        int status;
        pid_t pid = start(i);
        CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
        say("%s: signal %d status %d\n", acts[i].name, WIFSIGNALED(status) ? WTERMSIG(status) : 0, WIFEXITED(status) ? WEXITSTATUS(status) : 0);
    }
    return 0;
}
