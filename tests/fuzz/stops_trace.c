/* SPDX-License-Identifier: Apache-2.0
 * Runs the fuzzer's guest as a tracer does: single steps, one hardware breakpoint, its registers and memory. It knows
 * nothing of the engine; a mapping is taken for the code cache when it is executable, belongs to no file, and is not
 * one of the guest's own. */
#include "stops.h"

#include <Zydis/Zydis.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRAP_FLAG = 0x100 };

static void die(const char *what)
{
    fprintf(stderr, "stops: %s: %s\n", what, strerror(errno));
    exit(2);
}

static void run_child(char **argv, int out)
{
    dup2(out, 1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    personality(ADDR_NO_RANDOMIZE);
    execvp(argv[0], argv);
    die(argv[0]);
}

static bool wait_ready(struct tracee *t)
{
    char line[256];
    while (fgets(line, sizeof line, t->out))
        if (sscanf(line, "ready %lx", &t->shared) == 1)
            return true;
    return false;
}

bool tracee_start(struct tracee *t, char **argv)
{
    int ends[2];
    u64 go = STOPS_AGAIN;
    if (pipe(ends))
        die("pipe");
    t->pid = fork();
    if (t->pid < 0)
        die("fork");
    if (!t->pid)
        run_child(argv, ends[1]);
    close(ends[1]);
    t->out = fdopen(ends[0], "r");
    if (!wait_ready(t)) {
        waitpid(t->pid, &t->status, 0);
        fclose(t->out);
        return false;
    }
    if (ptrace(PTRACE_SEIZE, t->pid, 0, PTRACE_O_EXITKILL))
        die("the guest cannot be traced");
    t->runs = true;
    return tracee_write(t, t->shared, &go, sizeof go);
}

void tracee_kill(struct tracee *t)
{
    kill(t->pid, SIGKILL);
    waitpid(t->pid, &t->status, __WALL);
    fclose(t->out);
}

static void on_alarm(int sig) { (void)sig; }

/* The status of the next stop; false: nothing happens any more. */
static bool wait_stop(struct tracee *t)
{
    struct sigaction sa = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &sa, NULL);
    alarm(HANG_SECONDS);
    pid_t got = waitpid(t->pid, &t->status, __WALL);
    alarm(0);
    if (got != t->pid && errno != EINTR)
        die("waitpid");
    return got == t->pid;
}

static enum stop_kind trap_kind(struct tracee *t, bool stepped)
{
    siginfo_t si;
    if (ptrace(PTRACE_GETSIGINFO, t->pid, 0, &si))
        die("PTRACE_GETSIGINFO");
    if (si.si_code == TRAP_HWBKPT)
        return STOP_BREAK;
    /* TRAP_BRKPT: a step over a system call; a breakpoint instruction has SI_KERNEL */
    return stepped && (si.si_code == TRAP_TRACE || si.si_code == TRAP_BRKPT) ? STOP_STEP : STOP_SIGNAL;
}

static enum stop_kind go_on(struct tracee *t, enum __ptrace_request how, int signal)
{
    for (;;) {
        if (!t->runs && ptrace(how, t->pid, 0, (long)signal) && errno != ESRCH)
            die("ptrace");
        if (!wait_stop(t))
            return STOP_HANG;
        t->runs = false;
        if (!WIFSTOPPED(t->status))
            return STOP_END;
        t->signal = WSTOPSIG(t->status);
        signal = 0;
        if (t->status >> 16) /* an event of the tracing itself */
            continue;
        if (t->signal == SIGSTOP)
            return STOP_MARK;
        return t->signal == SIGTRAP ? trap_kind(t, how == PTRACE_SINGLESTEP && !t->own_steps) : STOP_SIGNAL;
    }
}

enum stop_kind tracee_continue(struct tracee *t, int signal) { return go_on(t, PTRACE_CONT, signal); }

/* Where a breakpoint ends the instruction instead of a step, 0: nowhere. After popf and iretq the kernel takes the trap
 * flag for the program's own. */
static u64 find_after(struct tracee *t, u64 pc, const ZydisDecodedInstruction *z)
{
    u64 after = 0;
    switch (z->mnemonic) {
    case ZYDIS_MNEMONIC_POPF:
    case ZYDIS_MNEMONIC_POPFQ: return pc + z->length;
    case ZYDIS_MNEMONIC_IRETQ:
    case ZYDIS_MNEMONIC_IRETD:
    case ZYDIS_MNEMONIC_IRET:
        tracee_read(t, (u64)ptrace(PTRACE_PEEKUSER, t->pid, offsetof(struct user, regs.rsp), 0), &after,
                    z->operand_width / 8);
        return after;
    default: return 0;
    }
}

static void look_ahead(struct tracee *t)
{
    static ZydisDecoder decoder;
    ZydisDecodedInstruction z = {0};
    u8 code[16] = {0};
    u64 pc = tracee_pc(t);
    if (!decoder.stack_width)
        ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (!tracee_read(t, pc, code, sizeof code))
        tracee_read(t, pc, code, 4096 - pc % 4096);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code, 15, &z)))
        z.mnemonic = ZYDIS_MNEMONIC_INVALID;
    t->pushes_flags = z.mnemonic == ZYDIS_MNEMONIC_PUSHF || z.mnemonic == ZYDIS_MNEMONIC_PUSHFQ;
    u64 number = (u64)ptrace(PTRACE_PEEKUSER, t->pid, offsetof(struct user, regs.rax), 0);
    t->is_syscall = z.mnemonic == ZYDIS_MNEMONIC_SYSCALL;
    t->saves_flags = t->is_syscall && number != SYS_rt_sigreturn;
    t->after = find_after(t, pc, &z);
    /* The kernel shows the trap flag only when the program, or the engine for it, has set it: then the trap is its own.
     */
    t->own_steps = ptrace(PTRACE_PEEKUSER, t->pid, offsetof(struct user, regs.eflags), 0) & TRAP_FLAG;
}

static void hide_trap_flag(struct tracee *t)
{
    struct user_regs_struct r;
    u16 flags;
    if (ptrace(PTRACE_GETREGS, t->pid, 0, &r))
        die("PTRACE_GETREGS");
    if (t->pushes_flags && tracee_read(t, r.rsp, &flags, sizeof flags)) {
        flags &= (u16)~TRAP_FLAG;
        tracee_write(t, r.rsp, &flags, sizeof flags);
    }
    if (t->saves_flags) {
        r.r11 &= ~(u64)TRAP_FLAG;
        if (ptrace(PTRACE_SETREGS, t->pid, 0, &r))
            die("PTRACE_SETREGS");
    }
}

static u64 signal_mask(const struct tracee *t)
{
    u64 mask;
    if (ptrace(PTRACE_GETSIGMASK, t->pid, sizeof mask, &mask))
        die("PTRACE_GETSIGMASK");
    return mask;
}

static void set_signal_mask(const struct tracee *t, u64 mask)
{
    if (ptrace(PTRACE_SETSIGMASK, t->pid, sizeof mask, &mask))
        die("PTRACE_SETSIGMASK");
}

/* One instruction, by a step or by a breakpoint behind it. */
static enum stop_kind step_once(struct tracee *t, int signal)
{
    if (!t->after || signal)
        return go_on(t, PTRACE_SINGLESTEP, signal);
    tracee_break_at(t, t->after);
    enum stop_kind kind = go_on(t, PTRACE_CONT, 0);
    if (kind != STOP_END && kind != STOP_HANG)
        tracee_break_at(t, 0);
    return kind == STOP_BREAK ? STOP_STEP : kind;
}

/* A trap that comes while SIGTRAP is blocked costs the program its handler: it is opened for the step. */
static enum stop_kind step_open(struct tracee *t, int signal)
{
    u64 trap = 1ul << (SIGTRAP - 1), mask = signal_mask(t);
    if (!(mask & trap))
        return step_once(t, signal);
    set_signal_mask(t, mask & ~trap);
    enum stop_kind kind = step_once(t, signal);
    if (kind != STOP_END && kind != STOP_HANG && signal_mask(t) == (mask & ~trap))
        set_signal_mask(t, mask);
    return kind;
}

enum stop_kind tracee_step(struct tracee *t, int signal)
{
    look_ahead(t);
    enum stop_kind kind = step_open(t, signal);
    if ((t->pushes_flags || t->saves_flags) && kind != STOP_END && kind != STOP_HANG && !signal)
        hide_trap_flag(t);
    return kind;
}

static void set_debug_register(const struct tracee *t, u32 n, u64 value)
{
    if (ptrace(PTRACE_POKEUSER, t->pid, offsetof(struct user, u_debugreg) + n * sizeof(long), value))
        die("debug register");
}

void tracee_break_at(struct tracee *t, u64 address)
{
    set_debug_register(t, 7, 0);
    if (!address)
        return;
    set_debug_register(t, 0, address);
    set_debug_register(t, 7, 1);
}

u64 tracee_pc(const struct tracee *t)
{
    errno = 0;
    u64 pc = (u64)ptrace(PTRACE_PEEKUSER, t->pid, offsetof(struct user, regs.rip), 0);
    if (errno)
        die("PTRACE_PEEKUSER");
    return pc;
}

void tracee_state(const struct tracee *t, struct stop_state *s)
{
    static u8 extended[XSAVE_BYTES * 4];
    struct user_regs_struct r;
    struct iovec io = {extended, sizeof extended};
    memset(extended, 0, XSAVE_BYTES);
    if (ptrace(PTRACE_GETREGS, t->pid, 0, &r) || ptrace(PTRACE_GETREGSET, t->pid, NT_X86_XSTATE, &io))
        die("PTRACE_GETREGS");
    u64 gpr[GPRS] = {r.rax, r.rcx, r.rdx, r.rbx, r.rsp, r.rbp, r.rsi, r.rdi,
                     r.r8,  r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15};
    memcpy(s->gpr, gpr, sizeof gpr);
    s->rip = r.rip;
    s->flags = r.eflags;
    s->fs = r.fs_base;
    s->gs = r.gs_base;
    state_normalise(extended);
    s->extended = state_hash(0, extended, XSAVE_BYTES);
}

bool tracee_read(const struct tracee *t, u64 at, void *to, size_t bytes)
{
    struct iovec here = {to, bytes}, there = {(void *)at, bytes};
    return process_vm_readv(t->pid, &here, 1, &there, 1, 0) == (ssize_t)bytes;
}

bool tracee_write(const struct tracee *t, u64 at, const void *from, size_t bytes)
{
    struct iovec here = {(void *)from, bytes}, there = {(void *)at, bytes};
    return process_vm_writev(t->pid, &here, 1, &there, 1, 0) == (ssize_t)bytes;
}

static bool is_guests(u64 start)
{
    return (start >= LAYOUT_LOW && start < LAYOUT_LOW + DATA_END + EXIT_AT) ||
           (start >= LAYOUT_HIGH && start < LAYOUT_HIGH + DATA_END + EXIT_AT);
}

void tracee_maps(const struct tracee *t, struct code_maps *maps)
{
    char path[64], line[512], prot[8];
    snprintf(path, sizeof path, "/proc/%d/maps", t->pid);
    FILE *f = fopen(path, "r");
    if (!f)
        die(path);
    maps->n = 0;
    while (fgets(line, sizeof line, f)) {
        struct code_map m;
        int name = 0;
        if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %n", &m.start, &m.end, prot, &name) < 3 || prot[2] != 'x' ||
            maps->n == ARRAY_LEN(maps->map))
            continue;
        m.cache = !line[name] && !is_guests(m.start);
        maps->map[maps->n++] = m;
    }
    fclose(f);
}

const struct code_map *map_of(const struct code_maps *maps, u64 pc)
{
    for (u32 i = 0; i < maps->n; i++)
        if (pc >= maps->map[i].start && pc < maps->map[i].end)
            return &maps->map[i];
    return NULL;
}
