/* SPDX-License-Identifier: Apache-2.0
 * Runs a case: mappings at fixed addresses, signal handlers that record the interrupted state and end the case, and the digest of what it
 * left behind. One thread only. */
#include "fuzz.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

bool run_forgive_dead;
_Static_assert(offsetof(struct run_in, xmask) == 160 && offsetof(struct run_out, gs) == 152, "fuzz_enter.S");

void fuzz_handler(int sig, siginfo_t *info, void *uc);
int fuzz_on_signal(int sig, siginfo_t *info, ucontext_t *uc);

const int run_greg_of[GPRS] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                  REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
static const int caught[] = {SIGSEGV, SIGILL, SIGFPE, SIGBUS, SIGTRAP, SIGPROF};
enum { TRAP_BREAK = 3, TRAP_GENERAL = 13 };
static const u64 bases[] = {LAYOUT_LOW, LAYOUT_HIGH};

static void map(u64 at, size_t bytes, int prot, int fd)
{
    int flags = MAP_PRIVATE | MAP_FIXED_NOREPLACE | (fd < 0 ? MAP_ANONYMOUS : 0);
    if (mmap((void *)at, bytes, prot, flags, fd, 0) != (void *)at) {
        fprintf(stderr, "fuzz_guest: cannot map %zu bytes at %lx: %s\n", bytes, at, strerror(errno));
        exit(2);
    }
}

static void map_layout(u64 base, int empty_file)
{
    map(base, RO_AT, PROT_READ | PROT_WRITE, -1);
    map(base + RO_AT, 4096, PROT_READ, -1);
    map(base + NONE_AT, 4096, PROT_NONE, -1);
    map(base + BUS_AT, 4096, PROT_READ | PROT_WRITE, empty_file);
    map(base + STACK_AT, STACK_BYTES, PROT_READ | PROT_WRITE, -1);
    map(base + CODE_AT, CODE_BYTES, PROT_READ | PROT_WRITE, -1);
    map(base + RWX_AT, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, -1);
    map(base + EXIT_AT, 4096, PROT_READ | PROT_WRITE, -1);
    *(u64 *)(base + EXIT_AT) = (u64)fuzz_leave;
}

void run_init(void)
{
    static u8 alt[65536];
    stack_t ss = {.ss_sp = alt, .ss_size = sizeof alt};
    struct sigaction sa = {.sa_sigaction = fuzz_handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    int fd = memfd_create("empty", 0);
    if (fd < 0 || sigaltstack(&ss, NULL)) {
        perror("fuzz_guest");
        exit(2);
    }
    sigfillset(&sa.sa_mask);
    for (size_t i = 0; i < ARRAY_LEN(caught); i++)
        sigaction(caught[i], &sa, NULL);
    for (size_t i = 0; i < ARRAY_LEN(bases); i++)
        map_layout(bases[i], fd);
    close(fd);
}

void run_protect(bool writable)
{
    for (size_t i = 0; i < ARRAY_LEN(bases); i++)
        if (mprotect((void *)(bases[i] + CODE_AT), CODE_BYTES, writable ? PROT_READ | PROT_WRITE : PROT_READ | PROT_EXEC)) {
            perror("fuzz_guest: mprotect");
            exit(2);
        }
}

void run_write_code(const struct gen *g)
{
    u64 start = ((g->code - CODE_HEAD) & ~(u64)(CODE_SLOT - 1)) + CODE_HEAD;
    memset((void *)start, 0, CODE_SLOT);
    memcpy((void *)g->code, g->code_buf, g->n);
}

static bool is_canonical(u64 a) { return (s64)(a << 16) >> 16 == (s64)a; }

/* A branch to a non-canonical address faults at the branch on some CPUs and at its target on others, and Linchpin is of the second kind
 * for jumps and returns (E8: the lookup no longer knows the branch). Both become the same: the state after the branch, with no rip. */
static void forgive_branch(void)
{
    struct run_out *o = &fuzz_out;
    if (o->trapno != TRAP_GENERAL || gen_strict)
        return;
    if (!is_canonical(o->rip)) {
        o->rip = 0;
        return;
    }
    const u8 *p = (const u8 *)o->rip;
    while ((*p & 0xf0) == 0x40 || *p == 0x64 || *p == 0x65 || *p == 0x67 || *p == 0xf3)
        p++;
    if (*p == 0xc3 || *p == 0xc2) {
        o->gpr[RSP] += 8 + (*p == 0xc2 ? p[1] | p[2] << 8 : 0);
    } else if (*p == 0xff && (p[1] & 0xf8) == 0xd0) {
        o->gpr[RSP] -= 8;
        *(u64 *)o->gpr[RSP] = (u64)(p + 2);
    } else if (!(*p == 0xff && (p[1] & 0xf8) == 0xe0)) {
        return;
    }
    o->rip = 0;
}

/* Analysis calls need not save what the program does not need any more (O5). */
static void forgive_dead(void)
{
    for (int i = 0; i < GPRS && run_forgive_dead; i++)
        if (i != RSP)
            fuzz_out.gpr[i] = 0;
    if (run_forgive_dead)
        fuzz_out.flags &= ~0x8d5ul;
}

/* A breakpoint is recorded and passed; anything else ends the case. */
int fuzz_on_signal(int sig, siginfo_t *info, ucontext_t *uc)
{
    greg_t *r = uc->uc_mcontext.gregs;
    if (!fuzz_in_case) {
        static const char text[] = "fuzz_guest: signal outside of a case\n";
        ssize_t ignored = write(2, text, sizeof text - 1);
        (void)ignored;
        _exit(3);
    }
    for (int i = 0; i < GPRS; i++)
        fuzz_out.gpr[i] = (u64)r[run_greg_of[i]];
    fuzz_out.rip = (u64)r[REG_RIP];
    fuzz_out.flags = (u64)r[REG_EFL];
    fuzz_out.err = (u64)r[REG_ERR];
    fuzz_out.trapno = (u64)r[REG_TRAPNO];
    fuzz_out.code = (u64)(s64)info->si_code;
    fuzz_out.addr = (u64)info->si_addr;
    memcpy(fuzz_xout, uc->uc_mcontext.fpregs, XSAVE_BYTES);
    state_normalise(fuzz_xout);
    forgive_dead();
    if (sig == SIGTRAP && ++fuzz_out.traps < 64 && fuzz_out.trapno == TRAP_BREAK) {
        u64 h = fuzz_out.trap_hash;
        fuzz_out.trap_hash = 0;
        h = state_hash(h, &fuzz_out, sizeof fuzz_out);
        fuzz_out.trap_hash = state_hash(h, fuzz_xout, sizeof fuzz_xout);
        return 1;
    }
    fuzz_out.signo = (u64)sig;
    if (sig == SIGPROF)
        fuzz_out.code = fuzz_out.addr = 0;
    forgive_branch();
    r[REG_RIP] = (greg_t)fuzz_abort;
    r[REG_RSP] = (greg_t)fuzz_host_sp;
    r[REG_EFL] = 0x202;
    return 0;
}

void run_prepare(const struct gen *g, u64 seed, u64 number)
{
    struct rng r = rng_make(seed, number, 1000);
    state_fill_memory(g->base, &r);
    memset((void *)(g->base + PTRS_AT), 0, 4096);
    memcpy((void *)(g->base + PTRS_AT), g->ptr, sizeof g->ptr);
    *(u64 *)(g->base + FUEL_AT) = FUEL;
    state_set(g, &r);
}

void run_finish(void)
{
    if (!fuzz_out.signo)
        state_normalise(fuzz_xout);
}

void run_case(const struct gen *g, u64 seed, u64 number)
{
    run_prepare(g, seed, number);
    fuzz_enter();
    run_finish();
}

u64 run_digest(const struct gen *g)
{
    u64 h = state_hash(1, &fuzz_out, sizeof fuzz_out);
    h = state_hash(h, fuzz_xout, sizeof fuzz_xout);
    h = state_hash(h, (void *)g->base, RO_AT);
    return state_hash(h, (void *)(g->base + STACK_AT), STACK_BYTES);
}
