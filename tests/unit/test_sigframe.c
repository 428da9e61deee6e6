// SPDX-License-Identifier: Apache-2.0
// The frame that sigframe_push writes against the one that the kernel makes for the same state, and sigframe_pop's verdict on damaged frames against the
// kernel's own.
#include "arch/arch.h"
#include "arch/x86/cpu.h"
#include "os/events.h"
#include "os/linux/sigframe.h"
#include "os/os_thread.h"
#include "unit.h"

#include <cpuid.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int checks, failures;

#define CHECK(cond, ...)                                             \
    do {                                                             \
        checks++;                                                    \
        if (!(cond)) {                                               \
            failures++;                                              \
            printf("FAIL %s:%d %s: ", __FILE__, __LINE__, #cond);    \
            printf(__VA_ARGS__);                                     \
            printf("\n");                                            \
        }                                                            \
    } while (0)

/* --- what sigframe.c needs of the engine ------------------------------------------------------------------------ */
u64 arch_tls_base(void) { return 0; } /* of what is not tested here */
u16 emulate32_selector(u32 which) { return which ? 0x63 : 0; }
bool int80_is_probe(u64 *pc) { return !pc; }
size_t os_safe_copy(void *dst, const void *src, size_t bytes);
size_t os_safe_copy(void *dst, const void *src, size_t bytes)
{
    struct iovec to = {dst, bytes}, from = {(void *)src, bytes};
    /* Our own side is always accessible; which one is the guest's, the kernel finds out. */
    ssize_t n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    if (n < 0 && bytes)
        n = process_vm_writev(getpid(), &from, 1, &to, 1, 0);
    return n < 0 ? 0 : (size_t)n;
}

static u64 lifted_start, lifted_end;
s64 arch_raw_syscall(u64 nr, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f)
{
    s64 r = syscall((long)nr, a, b, c, d, e, f);
    return r == -1 ? -errno : r;
}

static void kernel_write(u64 start, u64 end)
{
    lifted_start = start < lifted_start ? start : lifted_start;
    lifted_end = end > lifted_end ? end : lifted_end;
}
struct os_events os_events = {.kernel_write = kernel_write};

/* --- a real signal ------------------------------------------------------------------------------------------- */
/* Registers as the kernel leaves them for a handler. */
struct entry_state {
    u64 rax, rdi, rsi, rdx, rsp, flags;
    u32 mxcsr, fcw;
};
struct entry_state at_entry;
void c_handler(int sig, siginfo_t *info, void *uc);
void raw_handler(void);
__asm__(".text\nraw_handler:\n"
        " mov %rax, at_entry(%rip)\n mov %rdi, at_entry+8(%rip)\n mov %rsi, at_entry+16(%rip)\n mov %rdx, at_entry+24(%rip)\n"
        " mov %rsp, at_entry+32(%rip)\n pushfq\n popq at_entry+40(%rip)\n"
        " stmxcsr at_entry+48(%rip)\n movl $0, at_entry+52(%rip)\n fnstcw at_entry+52(%rip)\n"
        " sub $8, %rsp\n call c_handler\n add $8, %rsp\n ret\n");

static struct os_thread os;
static struct sig_action current;
static bool has_avx512;
static const char *case_name;
static u8 *guest_stack; /* where our frames go */
#define GUEST_STACK_BYTES (256 * 1024ul)
static void (*in_handler)(struct sigframe *f);
static int current_sig;

static void set_action(int sig, u64 flags)
{
    current = (struct sig_action){(u64)raw_handler, flags | 0x04000000, (u64)sigframe_restorer, 0};
    if (syscall(SYS_rt_sigaction, sig, &current, NULL, 8))
        abort();
}

static u64 xcr0(void)
{
    u32 a, d;
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    return (u64)d << 32 | a;
}

static void new_cpu(struct cpu_state *c)
{
    memset(c, 0, sizeof *c);
    c->xsave_mask = xcr0();
}

static void compare_range(const u8 *ours, const u8 *theirs, u32 off, u32 bytes)
{
    CHECK(!memcmp(ours + off, theirs + off, bytes), "%s: image differs in %u bytes at %u", case_name, bytes, off);
}

/* What XSAVE and the kernel write; the holes between components keep what was there. */
static void compare_image(const u8 *ours, const u8 *theirs, u32 bytes)
{
    compare_range(ours, theirs, 0, 416);
    compare_range(ours, theirs, 464, 112); /* software bytes, header */
    compare_range(ours, theirs, bytes, 4);
    u64 in_use;
    memcpy(&in_use, theirs + 512, sizeof in_use);
    for (u32 i = 2; i < 63; i++) {
        u32 size, off, c, d;
        if ((i == 17 || i == 18) && !(in_use >> i & 1)) /* AMX: what is not in use the kernel does not write */
            continue;
        if ((os.xstate_features >> i & 1) && __get_cpuid_count(0xd, i, &size, &off, &c, &d))
            compare_range(ours, theirs, off, size);
    }
}

static void compare_frames(const struct sigframe *ours, const struct sigframe *theirs, u64 shift)
{
    CHECK(ours->restorer == theirs->restorer, "%s", case_name);
    CHECK(ours->uc_flags == theirs->uc_flags, "%s: %lx not %lx", case_name, ours->uc_flags, theirs->uc_flags);
    CHECK(ours->uc_link == theirs->uc_link, "%s", case_name);
    CHECK(ours->stack.ss_sp == theirs->stack.ss_sp && ours->stack.ss_size == theirs->stack.ss_size, "%s", case_name);
    CHECK(ours->stack.ss_flags == theirs->stack.ss_flags, "%s: uc_stack flags %x not %x", case_name, ours->stack.ss_flags, theirs->stack.ss_flags);
    for (int i = 0; i < GREG_COUNT; i++)
        CHECK(ours->greg[i] == theirs->greg[i] + (i == 15 ? shift : 0), "%s: greg %d is %lx not %lx", case_name, i, ours->greg[i], theirs->greg[i]);
    CHECK(ours->fpstate == theirs->fpstate + shift, "%s: fpstate %lx not %lx", case_name, ours->fpstate, theirs->fpstate + shift);
    CHECK(ours->mask == theirs->mask, "%s: mask %lx not %lx", case_name, ours->mask, theirs->mask);
    if (current.flags & SA_SIGINFO)
        CHECK(!memcmp(&ours->info, &theirs->info, sizeof ours->info), "%s: siginfo differs", case_name);
    compare_image((u8 *)ours->fpstate, (u8 *)theirs->fpstate, os.xstate_bytes);
}

static void compare_entry(const struct cpu_state *c, u64 shift)
{
    CHECK(c->gpr[RAX] == at_entry.rax && c->gpr[RDI] == at_entry.rdi, "%s: rax %lx rdi %lx", case_name, c->gpr[RAX], c->gpr[RDI]);
    CHECK(c->gpr[RSI] == at_entry.rsi + shift && c->gpr[RDX] == at_entry.rdx + shift, "%s", case_name);
    CHECK(c->gpr[RSP] == at_entry.rsp + shift, "%s: frame at %lx not %lx", case_name, c->gpr[RSP], at_entry.rsp + shift);
    CHECK(c->pc == (u64)raw_handler, "%s", case_name);
    CHECK(c->flags == at_entry.flags, "%s: flags %lx not %lx", case_name, c->flags, at_entry.flags);
    CHECK(*(u32 *)(c->xsave + 24) == at_entry.mxcsr && *(u16 *)c->xsave == at_entry.fcw, "%s", case_name);
    CHECK((*(u64 *)(c->xsave + 512) & 0xff) == 0, "%s: components in use at the handler's start", case_name);
}

static bool is_shifted; /* else our frame would have to lie where the kernel's does: the alternate stack */

static void push_and_compare(struct sigframe *f)
{
    static struct cpu_state c;
    new_cpu(&c);
    sigframe_capture(&c, &os, f);
    sigframe_capture_fault(&os, f);
    /* The same distance to everything that the kernel aligns to. */
    u64 top = (u64)guest_stack + GUEST_STACK_BYTES - 4096;
    u64 old_top = (current.flags & SA_ONSTACK) && os.alt_bytes ? os.alt_sp + os.alt_bytes : c.gpr[RSP];
    u64 shift = top + old_top % 4096 - old_top;
    shift &= ~4095ul;
    struct os_thread there = os;
    if (os.alt_bytes)
        there.alt_sp += shift;
    c.gpr[RSP] += shift;
    struct sigframe kernels = *f;
    if (os.alt_bytes)
        kernels.stack.ss_sp = (u8 *)kernels.stack.ss_sp + shift;
    lifted_start = ~0ul;
    lifted_end = 0;
    memset(guest_stack, 0x5a, GUEST_STACK_BYTES);
    siginfo_t info = f->info;
    info.si_signo = current_sig; /* without SA_SIGINFO the kernel's frame has none */
    CHECK(sigframe_push(&c, &there, &current, &info, f->mask), "%s", case_name);
    const struct sigframe *ours = (void *)c.gpr[RSP];
    compare_frames(ours, &kernels, shift);
    compare_entry(&c, shift);
    CHECK(ours->reserved[0] == 0x5a5a5a5a5a5a5a5aul, "%s: reserved words written", case_name);
    CHECK(lifted_start <= c.gpr[RSP] && lifted_end >= ours->fpstate + os.xstate_bytes + 4, "%s: write protection not lifted", case_name);
    is_shifted = true;
}

/* sigframe_pop of the kernel's own frame gives the interrupted state. */
static void pop_and_compare(struct sigframe *f)
{
    static struct cpu_state was, now;
    u64 mask = 0;
    new_cpu(&was);
    new_cpu(&now);
    sigframe_capture(&was, &os, f);
    now.gpr[RSP] = (u64)f + 8; /* the handler's ret took the restorer's address */
    now.flags = 0x202;
    CHECK(sigframe_peek_mask(&now, &mask) && mask == f->mask, "%s", case_name);
    struct os_thread copy = os;
    CHECK(sigframe_pop(&now, &copy), "%s", case_name);
    CHECK(!memcmp(now.gpr, was.gpr, sizeof now.gpr) && now.pc == was.pc, "%s", case_name);
    CHECK(now.flags == was.flags, "%s: flags %lx not %lx", case_name, now.flags, was.flags);
    CHECK(!memcmp(now.xsave, was.xsave, 416) && !memcmp(now.xsave + 576, was.xsave + 576, os.xstate_bytes - 576), "%s", case_name);
    CHECK(copy.alt_sp == os.alt_sp && copy.alt_bytes == os.alt_bytes, "%s", case_name);
}

static void push_and_pop(struct sigframe *f)
{
    push_and_compare(f);
    pop_and_compare(f);
}

void c_handler(int sig, siginfo_t *info, void *uc)
{
    (void)sig;
    (void)info;
    if (sigframe_is_probe(sigframe_of(uc)))
        return;
    in_handler(sigframe_of(uc));
}

/* --- states --------------------------------------------------------------------------------------------------- */
static void raise_plain(int sig)
{
    syscall(SYS_tgkill, getpid(), gettid(), sig);
}

/* Every kind of register in use, odd flags and rounding, then the signal, all in one piece. */
static void raise_rich(int sig)
{
    static u8 data[64] __attribute__((aligned(64)));
    u32 mxcsr = 0x7f80, keep;
    u16 fcw = 0xf7f;
    long pid = getpid(), tid = gettid(), r;
    for (int i = 0; i < 64; i++)
        data[i] = (u8)(i * 7 + 3);
    __asm__ volatile("stmxcsr %0" : "=m"(keep));
    __asm__ volatile("ldmxcsr %0\n fldcw %1\n fldpi\n fld1\n" : : "m"(mxcsr), "m"(fcw));
    if (has_avx512)
        __asm__ volatile("vmovdqu64 %0, %%zmm31\n vmovdqu64 %0, %%zmm3\n kmovq %%k0, %%k1\n kxnorq %%k2, %%k2, %%k2" : : "m"(data) : "memory");
    else
        __asm__ volatile("movdqu %0, %%xmm3" : : "m"(data));
    __asm__ volatile("mov $0x1122334455667788, %%r12\n mov $0x99aabbccddeeff00, %%r13\n mov $-1, %%r15\n"
                     "stc\n std\n syscall\n cld"
                     : "=a"(r)
                     : "a"(SYS_tgkill), "D"(pid), "S"(tid), "d"((long)sig)
                     : "rcx", "r11", "r12", "r13", "r15", "memory", "cc");
    __asm__ volatile("fninit\n ldmxcsr %0" : : "m"(keep));
    if (has_avx512)
        __asm__ volatile("vzeroall");
    CHECK(r == 0, "tgkill");
}

static void fault_segv(struct sigframe *f)
{
    push_and_compare(f);
    f->greg[GREG_IP] += 2; /* over movb %al, (%rdi) */
}

static void run(const char *name, int sig, u64 flags, void (*make)(int), void (*what)(struct sigframe *))
{
    case_name = name;
    current_sig = sig;
    set_action(sig, flags);
    in_handler = what;
    is_shifted = false;
    make(sig);
    CHECK(is_shifted, "%s: the handler did not run", name);
}

static void store_to_nowhere(int sig)
{
    (void)sig;
    __asm__ volatile("movb %%al, (%%rdi)" : : "a"(0), "D"(0x123456789abcul) : "memory");
}

static void test_frames(void)
{
    run("plain", SIGUSR1, SA_SIGINFO, raise_plain, push_and_pop);
    run("rich", SIGUSR1, SA_SIGINFO, raise_rich, push_and_pop);
    run("without siginfo", SIGUSR2, 0, raise_rich, push_and_pop);
    run("real-time", 40, SA_SIGINFO | SA_NODEFER, raise_rich, push_and_pop);
    u64 mask = 0x5000000000000a00, old;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &old, 8);
    run("with a mask", SIGTERM, SA_SIGINFO, raise_plain, push_and_pop);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, 8);
    run("fault", SIGSEGV, SA_SIGINFO, store_to_nowhere, fault_segv);
    run("after a fault", SIGUSR1, SA_SIGINFO, raise_plain, push_and_pop);
}

static void test_alt_stack(int flags)
{
    static u8 stack[65536];
    stack_t ss = {.ss_sp = stack, .ss_size = sizeof stack, .ss_flags = flags}, none = {.ss_flags = SS_DISABLE};
    CHECK(sigaltstack(&ss, NULL) == 0 && sigframe_set_alt_stack(&os, &ss, 0) == 0, "sigaltstack");
    run("alternate stack", SIGUSR1, SA_SIGINFO | SA_ONSTACK, raise_rich, push_and_compare);
    sigaltstack(&none, NULL);
    CHECK(sigframe_set_alt_stack(&os, &none, 0) == 0, "disable");
    os.alt_flags = SS_DISABLE;
}

/* --- refusals --------------------------------------------------------------------------------------------------- */
static void refuse(struct sigframe *f)
{
    static struct cpu_state c, before;
    struct sig_action no_restorer = current, on_alt = current;
    no_restorer.flags &= ~0x04000000ul;
    on_alt.flags |= SA_ONSTACK;
    new_cpu(&c);
    sigframe_capture(&c, &os, f);
    before = c;
    CHECK(!sigframe_push(&c, &os, &no_restorer, &f->info, 0), "no restorer");
    struct os_thread small = os;
    stack_t tiny = {.ss_sp = guest_stack, .ss_size = 2048};
    CHECK(sigframe_set_alt_stack(&small, &tiny, 0) == 0, "2048 bytes are enough for sigaltstack");
    CHECK(os.xstate_bytes < 1600 || !sigframe_push(&c, &small, &on_alt, &f->info, 0), "alternate stack overflow");
    c.gpr[RSP] = 4096;
    CHECK(!sigframe_push(&c, &os, &current, &f->info, 0), "unmapped stack");
    c.gpr[RSP] = 0x900000000000;
    CHECK(!sigframe_push(&c, &os, &current, &f->info, 0), "stack out of user space");
    c.gpr[RSP] = before.gpr[RSP];
    CHECK(!memcmp(&c, &before, sizeof c), "a refused push changes nothing");
    is_shifted = true;
}

static void test_alt_stack_errors(void)
{
    static const stack_t cases[] = {
        {(void *)0x1000, 4, 8192}, {(void *)0x1000, 0, 2047}, {(void *)0x1000, SS_ONSTACK, 2048}, {(void *)0x1000, SS_DISABLE, 1},
        {(void *)0x1000, (int)(1u << 31), 4096}, {(void *)0x1000, (int)(1u << 31 | SS_DISABLE), 4096}, {NULL, 0, 0}, {(void *)0x1000, 3, 8192},
    };
    for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
        long real = syscall(SYS_sigaltstack, &cases[i], NULL);
        int real_errno = real ? errno : 0;
        s64 ours = sigframe_set_alt_stack(&os, &cases[i], (u64)__builtin_frame_address(0));
        CHECK(ours == -real_errno, "alternate stack case %u: %ld, the kernel says %d", i, ours, -real_errno);
        stack_t now;
        syscall(SYS_sigaltstack, NULL, &now);
        CHECK((u64)now.ss_sp == os.alt_sp && now.ss_size == os.alt_bytes, "alternate stack case %u", i);
    }
    stack_t none = {.ss_flags = SS_DISABLE};
    syscall(SYS_sigaltstack, &none, NULL);
    sigframe_set_alt_stack(&os, &none, 0);
}

/* --- damaged frames: ours against the kernel ---------------------------------------------------------------------- */
struct damage {
    const char *name;
    void (*apply)(struct sigframe *f);
};

static void nothing(struct sigframe *f) { (void)f; }
static void bad_magic1(struct sigframe *f) { *(u32 *)(f->fpstate + 464) = 0; }
static void bad_magic2(struct sigframe *f) { *(u32 *)(f->fpstate + os.xstate_bytes) = 0; }
static void bad_mxcsr(struct sigframe *f) { *(u32 *)(f->fpstate + 24) = 0x80000000; }
static void bad_mxcsr_fx(struct sigframe *f) { bad_mxcsr(f); bad_magic1(f); }
static void bad_features(struct sigframe *f) { *(u64 *)(f->fpstate + 512) |= 1ull << 40; }
static void bad_xcomp(struct sigframe *f) { *(u64 *)(f->fpstate + 520) = 1; }
static void bad_reserved(struct sigframe *f) { *(u64 *)(f->fpstate + 528) = 1; }
static void no_fpstate(struct sigframe *f) { f->fpstate = 0; }
static void far_fpstate(struct sigframe *f) { f->fpstate = 0x123456789000; }
static void kernel_fpstate(struct sigframe *f) { f->fpstate = 0xffff800000000000; }
static void few_features(struct sigframe *f) { *(u64 *)(f->fpstate + 472) = 1; }
static void no_sse_bad_mxcsr(struct sigframe *f) { few_features(f); bad_mxcsr(f); }
static void huge_size(struct sigframe *f) { *(u32 *)(f->fpstate + 480) = 0x7fffffff; }
static void small_size(struct sigframe *f) { *(u32 *)(f->fpstate + 480) = 576; }
/* Moved as a whole, towards the stack's end: what is there is not needed any more. */
static void moved(struct sigframe *f, u32 bytes)
{
    memmove((u8 *)f->fpstate - bytes, (u8 *)f->fpstate, os.xstate_bytes + 4);
    f->fpstate -= bytes;
}
static void moved_by_8(struct sigframe *f) { moved(f, 8); }
static void moved_by_16(struct sigframe *f) { moved(f, 16); }
static void moved_by_64(struct sigframe *f) { moved(f, 64); }
static void moved_fx_by_16(struct sigframe *f) { bad_magic1(f); moved(f, 16); }
static void moved_fx_by_8(struct sigframe *f) { bad_magic1(f); moved(f, 8); }
static void bad_cs(struct sigframe *f) { f->greg[GREG_SEGMENTS] = 0x2b00000000000003; }
static void rpl_cs(struct sigframe *f) { f->greg[GREG_SEGMENTS] &= ~3ull; }
static void bad_ss(struct sigframe *f) { f->greg[GREG_SEGMENTS] |= 0x7full << 48; }
static void bad_ss_replaced(struct sigframe *f) { bad_ss(f); f->uc_flags &= ~4ul; } /* UC_STRICT_RESTORE_SS */
static void no_ss(struct sigframe *f) { f->greg[GREG_SEGMENTS] &= 0xffffffffffff; }
static void odd_flags(struct sigframe *f) { f->greg[GREG_FLAGS] = 0x3202 | 0x20000; }

static const struct damage damages[] = {
    {"none", nothing}, {"magic1", bad_magic1}, {"magic2", bad_magic2}, {"MXCSR", bad_mxcsr}, {"MXCSR in fxsave", bad_mxcsr_fx}, {"features", bad_features},
    {"XCOMP_BV", bad_xcomp}, {"reserved header", bad_reserved}, {"no fpstate", no_fpstate}, {"unmapped fpstate", far_fpstate},
    {"kernel's fpstate", kernel_fpstate}, {"x87 only", few_features}, {"MXCSR not restored", no_sse_bad_mxcsr}, {"xstate_size large", huge_size},
    {"xstate_size small", small_size}, {"cs", bad_cs}, {"cs without privilege", rpl_cs}, {"flags", odd_flags}, {"ss", bad_ss}, {"ss, to be replaced", bad_ss_replaced}, {"no ss", no_ss},
    {"moved by 8", moved_by_8}, {"moved by 16", moved_by_16}, {"moved by 64", moved_by_64}, {"fxsave moved by 8", moved_fx_by_8}, {"fxsave moved by 16", moved_fx_by_16},
};

static const struct damage *damage;
static volatile struct verdict {
    bool ours_good, kernel_good;
    u32 ours_mxcsr, kernel_mxcsr;
    u64 ours_flags, kernel_flags;
} *verdict;

static void damage_frame(struct sigframe *f)
{
    static struct cpu_state c;
    damage->apply(f);
    new_cpu(&c);
    c.gpr[RSP] = (u64)f + 8;
    c.flags = 0x202;
    struct os_thread copy = os;
    verdict->ours_good = sigframe_pop(&c, &copy);
    verdict->ours_mxcsr = *(u32 *)(c.xsave + 24);
    verdict->ours_flags = c.flags & ~0x10000ul;
}

static void test_damaged_frames(void)
{
    verdict = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (u32 i = 0; i < ARRAY_LEN(damages); i++) {
        memset((void *)verdict, 0, sizeof *verdict);
        damage = &damages[i];
        int status;
        fflush(stdout);
        pid_t pid = fork();
        if (!pid) {
            u32 mxcsr = 0x5f80;
            set_action(SIGUSR1, SA_SIGINFO);
            signal(SIGSEGV, SIG_DFL);
            in_handler = damage_frame;
            pid = getpid();
            long tid = gettid(), r;
            __asm__ volatile("ldmxcsr %1\n syscall\n pushfq\n popq %2\n stmxcsr %3"
                             : "=a"(r)
                             : "m"(mxcsr), "m"(verdict->kernel_flags), "m"(verdict->kernel_mxcsr), "a"(SYS_tgkill), "D"((long)pid), "S"(tid),
                               "d"((long)SIGUSR1)
                             : "rcx", "r11", "memory", "cc");
            verdict->kernel_good = r == 0;
            _exit(0);
        }
        waitpid(pid, &status, 0);
        CHECK(WIFEXITED(status) || WTERMSIG(status) == SIGSEGV, "%s: status %x", damage->name, status);
        CHECK(verdict->ours_good == verdict->kernel_good, "damage %s: we say %d, the kernel %d", damage->name, verdict->ours_good, verdict->kernel_good);
        if (!verdict->ours_good || !verdict->kernel_good)
            continue;
        CHECK(verdict->ours_mxcsr == verdict->kernel_mxcsr, "damage %s: MXCSR %x, kernel's %x", damage->name, verdict->ours_mxcsr, verdict->kernel_mxcsr);
        CHECK(verdict->ours_flags == verdict->kernel_flags, "damage %s: flags %lx, kernel's %lx", damage->name, verdict->ours_flags, verdict->kernel_flags);
    }
}

/* --- cases ------------------------------------------------------------------------------------------------------ */
/* CHECK counts, because it is used in signal handlers, out of which cmocka must not jump; a case fails when one of its checks has. cmocka has handlers of its own while a case runs. */
static void check_all(void (*test)(void))
{
    int checks_before = checks;
    failures = 0;
    set_action(SIGILL, SA_SIGINFO);
    test();
    assert_int_equal(failures, 0);
    assert_true(checks > checks_before);
}

static void test_probe(void)
{
    sigframe_probe();
    sigframe_init_thread(&os, true);
    CHECK(os.xstate_bytes >= 576 && (os.xstate_features & 3) == 3, "probe");
}

static void test_refusals(void)
{
    run("refusals", SIGUSR1, SA_SIGINFO, raise_plain, refuse);
}

static void test_alt_stacks(void)
{
    test_alt_stack(0);
    test_alt_stack((int)(1u << 31));
}

#define CASE(name)                     \
    static void name(void **state)     \
    {                                  \
        (void)state;                   \
        check_all(test_##name);        \
    }
CASE(probe)
CASE(frames)
CASE(alt_stacks)
CASE(refusals)
CASE(alt_stack_errors)
CASE(damaged_frames)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probe), /* the others need what it has found */
        cmocka_unit_test(frames),
        cmocka_unit_test(alt_stacks),
        cmocka_unit_test(refusals),
        cmocka_unit_test(alt_stack_errors),
        cmocka_unit_test(damaged_frames),
    };
    guest_stack = mmap(NULL, GUEST_STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    has_avx512 = __builtin_cpu_supports("avx512bw");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
