/* SPDX-License-Identifier: Apache-2.0
 * truth -o FILE [-groups G] [-seed N] [-density N] -- GUEST ARGS: runs the fuzzer's guest natively, steps each case, and writes what the probes of
 * tools/probes.h would see of it: the same lines as the tool (tools/seen.cpp), but every fact is from the kernel's single steps and this file's own
 * decoding (truth_facts.c). Knows nothing of the engine. Its exit status is the guest's. */
#include "truth.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FLAG_TF = 0x100, FLAG_RF = 0x10000, ARITHMETIC_FLAGS = 0x8d5, BREAK = 0xcc, SYSGOOD = SIGTRAP | 0x80 };

static pid_t pid;
static FILE *out;
static word mark_at, go_at, leave_at, abort_at;
static word case_code; /* where the case begins */
static struct truth_facts last; /* the step before, for iterations */

void truth_die(const char *what)
{
    fprintf(stderr, "truth: %s: %s\n", what, strerror(errno));
    if (pid > 0)
        kill(pid, SIGKILL);
    exit(2);
}

size_t truth_read(void *to, word at, size_t n)
{
    struct iovec here = {to, n}, there = {(void *)at, n};
    ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);
    if (got == (ssize_t)n || n == 1)
        return got < 0 ? 0 : (size_t)got;
    size_t page = 4096 - (at & 4095); /* the next page may be missing */
    here.iov_len = there.iov_len = page < n ? page : n - 1;
    got = process_vm_readv(pid, &here, 1, &there, 1, 0);
    return got < 0 ? 0 : (size_t)got;
}

static void poke_byte(word at, unsigned value, unsigned mask)
{
    errno = 0;
    long w = ptrace(PTRACE_PEEKTEXT, pid, at & ~7ul, 0);
    unsigned shift = (unsigned)(at & 7) * 8;
    w = (long)(((word)w & ~((word)mask << shift)) | (word)(value & mask) << shift);
    if (errno || ptrace(PTRACE_POKETEXT, pid, at & ~7ul, w))
        truth_die("poke");
}

bool truth_vector(word half[2], unsigned n)
{
    struct user_fpregs_struct f;
    if (ptrace(PTRACE_GETFPREGS, pid, 0, &f))
        return false;
    memcpy(half, f.xmm_space + n * 4, 16);
    return true;
}

/* --- symbols ---------------------------------------------------------------------------------------------------------- */
static word symbol(const char *file, const char *name)
{
    int fd = open(file, O_RDONLY);
    struct stat st;
    if (fd < 0 || fstat(fd, &st))
        truth_die(file);
    const char *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    const Elf64_Ehdr *e = (const void *)p;
    const Elf64_Shdr *s = (const void *)(p + e->e_shoff);
    word found = 0;
    for (int i = 0; i < e->e_shnum && !found; i++)
        for (size_t k = 0; s[i].sh_type == SHT_SYMTAB && k < s[i].sh_size / sizeof(Elf64_Sym) && !found; k++) {
            const Elf64_Sym *y = (const Elf64_Sym *)(p + s[i].sh_offset) + k;
            if (!strcmp(p + s[s[i].sh_link].sh_offset + y->st_name, name))
                found = y->st_value - e->e_entry;
        }
    munmap((void *)p, (size_t)st.st_size);
    close(fd);
    if (!found)
        truth_die(name);
    return found; /* relative to the entry point */
}

static word entry_point(void)
{
    char name[64];
    Elf64_auxv_t a;
    snprintf(name, sizeof name, "/proc/%d/auxv", pid);
    FILE *f = fopen(name, "r");
    while (f && fread(&a, sizeof a, 1, f) == 1)
        if (a.a_type == AT_ENTRY) {
            fclose(f);
            return a.a_un.a_val;
        }
    truth_die(name);
    return 0;
}

static void find_symbols(const char *file)
{
    word entry = entry_point();
    mark_at = entry + symbol(file, "fuzz_mark");
    go_at = entry + symbol(file, "fuzz_go");
    leave_at = entry + symbol(file, "fuzz_leave");
    abort_at = entry + symbol(file, "fuzz_abort");
    poke_byte(mark_at, BREAK, 0xff);
    poke_byte(go_at, BREAK, 0xff);
}

/* --- steps ------------------------------------------------------------------------------------------------------------- */
static void get_registers(struct user_regs_struct *r)
{
    if (ptrace(PTRACE_GETREGS, pid, 0, r))
        truth_die("registers");
}

static void set_registers(const struct user_regs_struct *r)
{
    if (ptrace(PTRACE_SETREGS, pid, 0, r))
        truth_die("registers");
}

/* Lets it run; its next stop, or its end, which ends this program. */
static int go(enum __ptrace_request how, int sig)
{
    int status;
    if (ptrace(how, pid, 0, sig) || waitpid(pid, &status, 0) != pid)
        truth_die("step");
    if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGPROF)
        return go(how, 0); /* the guest's own limit, which is not meant for steps */
    if (WIFSTOPPED(status))
        return WSTOPSIG(status);
    fclose(out);
    if (WIFEXITED(status))
        exit(WEXITSTATUS(status));
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    exit(3);
}

/* Its handler runs freely, up to where it has returned to. */
static void through_handler(int sig, struct user_regs_struct *r)
{
    for (;; sig = 0) {
        int stop = go(PTRACE_SYSCALL, sig);
        get_registers(r);
        if (stop != SYSGOOD)
            truth_die("a signal in the handler");
        if (r->orig_rax == SYS_rt_sigreturn)
            break;
    }
    go(PTRACE_SYSCALL, 0);
    get_registers(r);
}

static bool is_step_trap(const struct truth_facts *f)
{
    siginfo_t info;
    if (!f->interrupt)
        return true;
    return !ptrace(PTRACE_GETSIGINFO, pid, 0, &info) && info.si_code == TRAP_TRACE;
}

/* The trap flag shows in what is pushed, and in r11. */
static void hide_steps(const struct truth_facts *f, struct user_regs_struct *r)
{
    if (f->pushes_flags)
        poke_byte(r->rsp + 1, 0, FLAG_TF >> 8);
    if (f->system_call && r->r11 & FLAG_TF) {
        r->r11 &= ~(word)FLAG_TF;
        set_registers(r);
    }
}

/* The kernel takes the flag of a step for the program's own where the instruction looks like popf or iret, also when it faults: then the
 * program's handler would see it. */
static void get_registers_at_fault(struct user_regs_struct *r, bool own_steps)
{
    get_registers(r);
    if (own_steps || !(r->eflags & FLAG_TF))
        return;
    r->eflags &= ~(word)FLAG_TF;
    set_registers(r);
}

/* Up to a breakpoint behind the instruction, which is gone again afterwards. */
static int step_by_break(const struct truth_facts *f)
{
    struct user_regs_struct r;
    uint8_t was;
    if (truth_read(&was, f->goes_to, 1) != 1)
        return go(PTRACE_SINGLESTEP, 0);
    poke_byte(f->goes_to, BREAK, 0xff);
    int sig = go(PTRACE_CONT, 0);
    poke_byte(f->goes_to, was, 0xff);
    get_registers(&r);
    if (sig == SIGTRAP && r.rip == f->goes_to + 1) {
        r.rip--;
        set_registers(&r);
    }
    return sig;
}

static bool is_canonical(word a) { return (int64_t)(a << 16) >> 16 == (int64_t)a; }

#define COMPARE(op, type, constraint)                                                                                  \
    __asm__("lea -128(%%rsp), %%rsp; " op " %2, %1; pushfq; popq %0; lea 128(%%rsp), %%rsp" /* not the red zone */       \
            : "=&r"(flags) : constraint((type)a), constraint((type)b) : "cc")

/* The arithmetic flags after a - b. */
static word flags_of_difference(word a, word b, uint32_t bytes)
{
    word flags;
    switch (bytes) {
    case 1: COMPARE("cmpb", uint8_t, "q"); break;
    case 2: COMPARE("cmpw", uint16_t, "r"); break;
    case 4: COMPARE("cmpl", uint32_t, "r"); break;
    default: COMPARE("cmpq", word, "r"); break;
    }
    return flags & ARITHMETIC_FLAGS;
}

/* Between two iterations of cmps or scas the flags are those of the comparison, as AMD's CPUs show them and the engine
 * does; Intel's CPUs show those from before the instruction until it ends. */
static void show_comparison(const struct truth_facts *f, struct user_regs_struct *r)
{
    word v[2] = {f->gpr[0], 0};
    uint32_t bytes = f->mem[0].size;
    for (unsigned i = 0; i < f->nmem; i++)
        if (truth_read(&v[i + (f->nmem == 1)], f->mem[i].ea, bytes) != bytes)
            truth_die("what was compared cannot be read");
    r->eflags = (r->eflags & ~(word)ARITHMETIC_FLAGS) | flags_of_difference(v[0], v[1], bytes);
    set_registers(r);
}

/* One step of the case; r: before, and then after. */
static void step(struct user_regs_struct *r)
{
    struct truth_facts f;
    bool own_steps = r->eflags & FLAG_TF;
    bool in_arena = arena_has(r->rip) && truth_decode(&f, r, &last);
    if (!in_arena)
        f = (struct truth_facts){.pc = r->rip, .interrupt = true};
    if (in_arena)
        truth_before(&f);
    int sig = f.unsteady ? step_by_break(&f) : go(arena_has(r->rip) ? PTRACE_SINGLESTEP : PTRACE_CONT, 0); /* elsewhere it faults */
    if (sig == SIGTRAP && is_step_trap(&f)) {
        get_registers(r);
        hide_steps(&f, r);
        r->eflags &= ~(word)FLAG_RF;
        bool went_on = in_arena && f.rep && f.executing && r->rip == f.pc;
        if (went_on && f.compares)
            show_comparison(&f, r);
        if (in_arena)
            truth_after(&f, r);
        last = f;
        last.went_on = went_on;
        return;
    }
    get_registers_at_fault(r, own_steps);
    if (in_arena && f.branch && f.taken && (f.always || r->rip != f.pc || !is_canonical(f.target))) /* A37; arrived, and there is no code; fuzz_run.c says why the third */
        truth_after(&f, r);
    through_handler(sig, r);
    memset(&last, 0, sizeof last);
}

static void run_case(void)
{
    struct user_regs_struct r;
    memset(&last, 0, sizeof last);
    get_registers(&r);
    r.rip = case_code;
    set_registers(&r);
    while (r.rip != leave_at && r.rip != abort_at)
        step(&r);
}

static void at_mark(struct user_regs_struct *r)
{
    word back;
    case_code = r->rsi;
    if (case_code)
        truth_begin();
    else
        truth_end(out, r->rdi);
    truth_read(&back, r->rsp, sizeof back);
    r->rip = back;
    r->rsp += 8;
    set_registers(r);
}

static void run(void)
{
    struct user_regs_struct r;
    for (int sig = 0;;) {
        sig = go(PTRACE_CONT, sig);
        get_registers(&r);
        if (sig == SIGTRAP && r.rip == mark_at + 1)
            at_mark(&r);
        else if (sig == SIGTRAP && r.rip == go_at + 1)
            run_case();
        else
            continue; /* the guest's own */
        sig = 0;
    }
}

static void usage(void)
{
    fprintf(stderr, "usage: truth -o FILE [-groups G] [-seed N] [-density N] -- GUEST ARGS\n");
    exit(2);
}

static char **parse(char **argv)
{
    for (argv++; argv[0] && strcmp(argv[0], "--"); argv += 2) {
        if (!argv[1])
            usage();
        if (!strcmp(argv[0], "-o"))
            out = fopen(argv[1], "w");
        else if (!truth_option(argv[0], argv[1]))
            usage();
    }
    if (!out || !argv[0] || !argv[1])
        usage();
    return argv + 1;
}

/* A step is two switches between processes: several times faster where they share a CPU. */
static void one_cpu(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    sched_setaffinity(0, sizeof set, &set);
}

int main(int argc, char **argv)
{
    int status;
    (void)argc;
    char **guest = parse(argv);
    truth_init();
    one_cpu();
    pid = fork();
    if (!pid) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        execv(guest[0], guest);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
        truth_die(guest[0]);
    ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD);
    find_symbols(guest[0]);
    run();
}
