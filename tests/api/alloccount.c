/* SPDX-License-Identifier: Apache-2.0
 * alloccount FILE MALLOC CALLOC REALLOC FREE PROGRAM [ARGUMENT]...: how often a program, its threads and its children enter the C library's functions, natively, by breakpoints: an independent source for what a tool
 * counts. The four are offsets in libc.so, in hex. A line for each process that ends by itself goes to the end of FILE; the program's exit status is this one's. A breakpoint is never taken away: the instruction
 * under it is carried out here, so that threads do not slip through. Status 125: the library begins one of its functions with an instruction that is not known here. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX 1024
#define OPTIONS (PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)
enum { MALLOC, CALLOC, REALLOC, FREE, PLACES };

struct program { /* what a process runs: threads, and children of vfork, share it */
    unsigned long base, count[PLACES], bytes;
};
static struct task {
    pid_t tid;
    struct program *runs; /* NULL: its parent has not told of it yet */
    int leads, stopped;   /* leads: a line is written when it ends */
} task[MAX];
static unsigned long offset[PLACES];
static unsigned char first[PLACES][4];
static const char *file;

static void die(const char *what)
{
    fprintf(stderr, "alloccount: %s: %s\n", what, strerror(errno));
    exit(124);
}

static struct task *find(pid_t tid)
{
    struct task *spare = NULL;
    for (int i = 0; i < MAX; i++) {
        if (task[i].tid == tid)
            return &task[i];
        if (!task[i].tid && !spare)
            spare = &task[i];
    }
    if (!spare)
        die("too many threads");
    *spare = (struct task){.tid = tid};
    return spare;
}

static struct program *fresh(const struct program *like)
{
    struct program *p = calloc(1, sizeof *p);
    if (!p)
        die("memory");
    if (like)
        *p = *like;
    return p;
}

/* Where the library's first mapping is, when its code is there. */
static unsigned long libc_base(pid_t pid)
{
    char path[64], line[4096], prot[8];
    unsigned long start, found = 0, code = 0, off;
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (strstr(line, "/libc.so") && sscanf(line, "%lx-%*x %7s %lx", &start, prot, &off) == 3) {
            found = off == 0 ? start : found;
            code |= prot[2] == 'x';
        }
    if (f)
        fclose(f);
    return code ? found : 0;
}

static void arm(pid_t tid, struct program *p)
{
    for (int i = 0; i < PLACES; i++) {
        errno = 0;
        long word = ptrace(PTRACE_PEEKTEXT, tid, p->base + offset[i], 0);
        if (errno)
            die("PTRACE_PEEKTEXT");
        memcpy(first[i], &word, sizeof first[i]);
        if (ptrace(PTRACE_POKETEXT, tid, p->base + offset[i], (word & ~0xffl) | 0xcc))
            die("PTRACE_POKETEXT");
    }
}

static unsigned long long *reg(struct user_regs_struct *r, int n)
{
    unsigned long long *const all[] = {&r->rax, &r->rcx, &r->rdx, &r->rbx, &r->rsp, &r->rbp, &r->rsi, &r->rdi, &r->r8, &r->r9, &r->r10, &r->r11, &r->r12, &r->r13, &r->r14, &r->r15};
    return all[n];
}

static void push(pid_t tid, struct user_regs_struct *r, int n)
{
    unsigned long long value = *reg(r, n);
    r->rsp -= 8;
    if (ptrace(PTRACE_POKEDATA, tid, r->rsp, value))
        die("PTRACE_POKEDATA");
}

/* What the breakpoint stands on. */
static int carry_out(pid_t tid, struct user_regs_struct *r, const unsigned char *code)
{
    if (code[0] >= 0x50 && code[0] <= 0x57)
        return push(tid, r, code[0] - 0x50), 1;
    if (code[0] == 0x41 && code[1] >= 0x50 && code[1] <= 0x57)
        return push(tid, r, code[1] - 0x50 + 8), 2;
    if (!memcmp(code, "\xf3\x0f\x1e\xfa", 4)) /* endbr64 */
        return 4;
    if (!memcmp(code, "\x48\x83\xec", 3)) /* sub $n, %rsp; the flags are not used */
        return r->rsp -= (signed char)code[3], 4;
    if (!memcmp(code, "\x48\x85\xff", 3)) { /* test %rdi, %rdi; only whether it is 0 is used */
        r->eflags = (r->eflags & ~0x8d5ull) | (r->rdi ? 0 : 0x44) | (r->rdi >> 63 ? 0x80 : 0);
        return 3;
    }
    fprintf(stderr, "alloccount: a function begins with %02x %02x %02x %02x\n", code[0], code[1], code[2], code[3]);
    exit(125);
}

static int hit(pid_t tid, struct program *p)
{
    struct user_regs_struct r;
    if (!p->base || ptrace(PTRACE_GETREGS, tid, 0, &r))
        return 0;
    for (int i = 0; i < PLACES; i++)
        if (r.rip == p->base + offset[i] + 1) {
            p->count[i]++;
            p->bytes += i == MALLOC ? r.rdi : i == CALLOC ? r.rdi * r.rsi : i == REALLOC ? r.rsi : 0;
            r.rip += (unsigned long long)carry_out(tid, &r, first[i]) - 1;
            if (ptrace(PTRACE_SETREGS, tid, 0, &r))
                die("PTRACE_SETREGS");
            return 1;
        }
    return 0;
}

/* Until its library is there, a process stops at each system call. */
static void go_on(struct task *t, int sig)
{
    ptrace(t->runs->base ? PTRACE_CONT : PTRACE_SYSCALL, t->tid, 0, sig); /* it may have been killed meanwhile */
}

static void born(struct task *parent, int event)
{
    unsigned long tid;
    ptrace(PTRACE_GETEVENTMSG, parent->tid, 0, &tid);
    struct task *t = find((pid_t)tid);
    t->runs = event == PTRACE_EVENT_FORK ? fresh(parent->runs) : parent->runs;
    t->leads = event == PTRACE_EVENT_FORK;
    if (t->stopped)
        go_on(t, 0);
}

static void stopped(struct task *t, int status)
{
    int event = status >> 16, sig = WSTOPSIG(status);
    if (!t->runs) { /* the stop of a new one, before its parent's word */
        t->stopped = 1;
        return;
    }
    if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE) {
        born(t, event);
        sig = 0;
    } else if (event == PTRACE_EVENT_EXEC) {
        t->runs = fresh(NULL);
        t->leads = 1;
        sig = 0;
    } else if (sig == (SIGTRAP | 0x80)) {
        if (!t->runs->base && (t->runs->base = libc_base(t->tid)))
            arm(t->tid, t->runs);
        sig = 0;
    } else if (sig == SIGTRAP && hit(t->tid, t->runs))
        sig = 0;
    else if (sig == SIGSTOP && !t->stopped)
        sig = 0; /* of a new one */
    t->stopped = 1;
    go_on(t, sig);
}

static void ended(struct task *t, int status)
{
    const struct program *p = t->runs;
    if (t->leads && WIFEXITED(status)) {
        FILE *f = fopen(file, "a");
        fprintf(f, "malloc %lu calloc %lu realloc %lu free %lu bytes %lu\n", p->count[MALLOC], p->count[CALLOC], p->count[REALLOC], p->count[FREE], p->bytes);
        fclose(f);
    }
    t->tid = 0;
}

int main(int argc, char **argv)
{
    int status, result = 0;
    if (argc < 7)
        return 124;
    file = argv[1];
    for (int i = 0; i < PLACES; i++)
        offset[i] = strtoul(argv[2 + i], NULL, 16);
    pid_t pid = fork(), tid;
    if (pid == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        execvp(argv[6], argv + 6);
        die(argv[6]);
    }
    if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
        die("the program did not start");
    struct task *t = find(pid);
    *t = (struct task){.tid = pid, .runs = fresh(NULL), .leads = 1, .stopped = 1};
    ptrace(PTRACE_SETOPTIONS, pid, 0, OPTIONS);
    go_on(t, 0);
    while ((tid = waitpid(-1, &status, __WALL)) > 0) {
        t = find(tid);
        if (WIFSTOPPED(status))
            stopped(t, status);
        else {
            if (tid == pid)
                result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            ended(t, status);
        }
    }
    return result;
}
