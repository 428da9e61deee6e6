/* SPDX-License-Identifier: Apache-2.0
 * Runs the cases of the IA-32 fuzzer that come by the standard input (fuzz_gen.c makes them), and prints a line for each: its number, a digest of the state
 * afterwards, and the signal that ended it. Each ends by one: by int3 after its code, or by a fault. Without libc, so that FS, GS and the stack are the
 * cases' own.
 *
 *   fuzz_guest [dump] [flush] [forgive]    dump: the state after the last case; flush: each line at once; forgive: not registers and flags that a tool
 *                                          need not keep for a handler of signals */
#include "fuzz.h"

#include <asm/ldt.h>
#include <asm/sigcontext.h>
#include <asm/unistd.h>
#include <cpuid.h>

enum { SIGILL = 4, SIGTRAP = 5, SIGBUS = 7, SIGFPE = 8, SIGSEGV = 11, SIGALRM = 14, SA_SIGINFO = 4, SA_ONSTACK = 0x08000000 };
enum { SAVED = 4096, LEGACY = 512, YMM = 2, OPMASK = 5, ZMM_HIGH = 6, LINES = 1 << 15 };

struct out {
    u32 gpr[GPRS], eip, eflags, signo, code, addr, trapno;
};

static struct out out;
static u8 state_in[SAVED] __attribute__((aligned(64))), state_out[SAVED];
static u32 offset[8], bytes[8], xmask;
static bool forgive;
static u32 undefined;
u32 fuzz_in_eflags, fuzz_in_esp, fuzz_in_entry, fuzz_in_gpr[GPRS], fuzz_host_esp, fuzz_xmask;
u8 *fuzz_xin;
void fuzz_enter(void);
extern u8 fuzz_left[];

/* Segment registers are the kernel's for a handler, but FS and GS, which the handler does not use. */
__asm__(".text\n.globl _start\n_start:\n mov %esp, %eax\n push %eax\n call fuzz_main\n"
        ".globl fuzz_restore\nfuzz_restore:\n mov $173, %eax\n int $0x80\n"
        ".globl fuzz_enter\nfuzz_enter:\n"
        " pusha\n mov %esp, fuzz_host_esp\n"
        " mov fuzz_xin, %ecx\n mov fuzz_xmask, %eax\n xor %edx, %edx\n xrstor (%ecx)\n"
        " push fuzz_in_eflags\n"
        " mov fuzz_in_gpr+0, %eax\n mov fuzz_in_gpr+4, %ecx\n mov fuzz_in_gpr+8, %edx\n mov fuzz_in_gpr+12, %ebx\n"
        " mov fuzz_in_gpr+20, %ebp\n mov fuzz_in_gpr+24, %esi\n mov fuzz_in_gpr+28, %edi\n"
        " popf\n mov fuzz_in_esp, %esp\n jmp *fuzz_in_entry\n"
        ".globl fuzz_left\nfuzz_left:\n mov fuzz_host_esp, %esp\n cld\n popa\n ret\n");
extern u8 fuzz_restore[];

static int call(u32 nr, u32 a, u32 b, u32 c, u32 d, u32 e, u32 f)
{
    int r;
    struct { u32 nr, f; } args = {nr, f};
    __asm__ volatile("push %%ebp\n mov 4(%%eax), %%ebp\n mov (%%eax), %%eax\n int $0x80\n pop %%ebp"
                     : "=a"(r) : "0"(&args), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e) : "memory", "cc");
    return r;
}

void *memset(void *to, int v, unsigned n)
{
    for (u8 *p = to; n--;)
        *p++ = (u8)v;
    return to;
}

void *memcpy(void *to, const void *from, unsigned n)
{
    const u8 *q = from;
    for (u8 *p = to; n--;)
        *p++ = *q++;
    return to;
}

static void end(int status)
{
    call(__NR_exit_group, (u32)status, 0, 0, 0, 0, 0);
    __builtin_unreachable();
}

/* --- output ------------------------------------------------------------------------------------------------------- */

static char line[LINES];
static u32 nline;

static void flush(void)
{
    for (u32 at = 0; at < nline;) {
        int n = call(__NR_write, 1, (u32)line + at, nline - at, 0, 0, 0);
        if (n <= 0)
            end(4);
        at += (u32)n;
    }
    nline = 0;
}

static void put_text(const char *s)
{
    while (*s)
        line[nline++] = *s++;
}

static void put_hex(u64 v, u32 digits)
{
    while (digits--)
        line[nline++] = "0123456789abcdef"[v >> 4 * digits & 15];
}

static void put_number(u32 v)
{
    char b[12], *p = b + 11;
    *p = 0;
    do
        *--p = (char)('0' + v % 10);
    while (v /= 10);
    put_text(p);
}

static void die(const char *why)
{
    flush();
    put_text("fuzz_guest: ");
    put_text(why);
    put_text("\n");
    call(__NR_write, 2, (u32)line, nline, 0, 0, 0);
    end(3);
}

/* --- state before ------------------------------------------------------------------------------------------------- */

static u64 random_value(u64 *s)
{
    static const u64 special[] = {0, 1, ~0ull, 0x80000000, 0x7fffffff, 0x7fffffffffffffffull, 0x8000000000000000ull, 0xff, 0x80, 0xffff,
                                  0x3ff0000000000000ull, 0x7ff0000000000000ull, 0x7ff8000000000000ull, 0x7ff0000000000001ull, 0x3f8000003f800000ull};
    u64 v = rng_next(s);
    u32 kind = (u32)(v >> 60);
    return kind < 10 ? v * 0x9e3779b97f4a7c15ull : kind < 13 ? special[v % (sizeof special / sizeof *special)] : v >> (v & 63);
}

static void fill(void *to, u32 n, u64 *s)
{
    u64 *p = to;
    for (u32 i = 0; i < n / 8; i++)
        p[i] = random_value(s);
}

static void fill_x87(u8 *x, u64 *s)
{
    u16 control = (u16)(0x40 | (rng_next(s) & 0xf00) | (rng_percent(s, 90) ? 0x3f : rng_next(s) & 0x3f)), status = (u16)(rng_next(s) & 0x7f00);
    memcpy(x, &control, 2);
    memcpy(x + 2, &status, 2);
    x[4] = rng_percent(s, 30) ? 0xff : (u8)rng_next(s);
    for (u32 i = 0; i < 8; i++) {
        u64 m = random_value(s) | (rng_percent(s, 80) ? 1ull << 63 : 0);
        u16 e = (u16)(rng_percent(s, 70) ? 0x3ff0 + rng_below(s, 32) : rng_next(s));
        memcpy(x + 32 + i * 16, &m, 8);
        memcpy(x + 40 + i * 16, &e, 2);
    }
}

static void fill_small(u8 *p, u32 n, u64 *s)
{
    for (u32 i = 0; i < n; i += 8) {
        u64 v = rng_below(s, 64) * 4;
        memcpy(p + i, &v, 8);
    }
}

static void fill_state(u64 *s)
{
    u64 bv = xmask;
    u32 mxcsr = (u32)((rng_next(s) & 0xe07f) | (rng_percent(s, 92) ? 0x1f80 : rng_next(s) & 0x1f80));
    memset(state_in, 0, SAVED);
    fill_x87(state_in, s);
    memcpy(state_in + 24, &mxcsr, 4);
    fill(state_in + 160, 128, s);
    fill_small(state_in + 160 + SMALL_INDEX * 16, 16, s);
    for (u32 i = YMM; i < 8; i++)
        if (xmask >> i & 1)
            fill(state_in + offset[i], i == OPMASK ? 64 : bytes[i] / 2, s); /* the first eight */
    if (xmask >> YMM & 1)
        fill_small(state_in + offset[YMM] + SMALL_INDEX * 16, 16, s);
    if (xmask >> ZMM_HIGH & 1)
        fill_small(state_in + offset[ZMM_HIGH] + SMALL_INDEX * 32, 32, s);
    memcpy(state_in + LEGACY, &bv, 8);
}

static void prepare(const struct fuzz_case *c)
{
    u64 s = c->seed * 0xaef17502108ef2d9ull;
    fill((void *)DATA_AT, DATA_BYTES, &s);
    for (u32 *p = (u32 *)STACK_AT, i = 0; i < 16; i++) /* some to return to */
        if (rng_percent(&s, 50))
            p[i] = c->at + c->ncode + rng_below(&s, 8);
    fill_state(&s);
    memset(&out, 0, sizeof out);
    memset(state_out, 0, SAVED);
    memcpy(fuzz_in_gpr, c->gpr, sizeof fuzz_in_gpr);
    fuzz_in_esp = c->gpr[ESP];
    fuzz_in_eflags = c->eflags;
    fuzz_in_entry = c->at;
    undefined = c->undefined;
    fuzz_xin = state_in;
    fuzz_xmask = xmask;
}

/* --- state afterwards --------------------------------------------------------------------------------------------- */

struct info32 {
    int signo, error, code;
    u32 addr;
};
struct context32 {
    u32 flags, link, ss_sp, ss_flags, ss_size;
    struct sigcontext_32 mc;
};

/* Components in their initial state are written out; without the last instruction and data pointers of x87. */
static void take_state(const u8 *env)
{
    const u8 *x = env + 112;
    u64 bv = 3;
    u32 magic;
    memcpy(&magic, x + 464, 4);
    if (magic == FP_XSTATE_MAGIC1)
        memcpy(&bv, x + LEGACY, 8);
    memset(state_out, 0, SAVED);
    memcpy(state_out + 512, env, 12); /* control, status and tags as FNSAVE has them */
    memcpy(state_out, x, 5);
    for (u32 i = 0; i < 8; i++) {
        memcpy(state_out + 32 + i * 16, x + 32 + i * 16, 10);
        memcpy(state_out + 528 + i * 10, env + 28 + i * 10, 10);
    }
    memcpy(state_out + 24, x + 24, 4);
    if (bv & 2)
        memcpy(state_out + 160, x + 160, 128);
    for (u32 i = YMM; i < 8; i++)
        if (bv >> i & xmask >> i & 1)
            memcpy(state_out + offset[i], x + offset[i], i == OPMASK ? 64 : bytes[i] / 2);
}

static void on_signal(int signo, const struct info32 *info, struct context32 *c)
{
    static bool busy;
    const u32 gpr[GPRS] = {c->mc.ax, c->mc.cx, c->mc.dx, c->mc.bx, c->mc.sp, c->mc.bp, c->mc.si, c->mc.di};
    if (busy || !fuzz_in_entry)
        die("a signal outside of a case");
    busy = true;
    memcpy(out.gpr, gpr, sizeof gpr);
    out.eip = c->mc.ip;
    out.eflags = c->mc.flags;
    out.signo = (u32)signo;
    out.code = (u32)info->code;
    out.addr = info->addr;
    out.trapno = c->mc.trapno;
    take_state((const u8 *)c->mc.fpstate);
    if (out.trapno == 12 || (out.trapno == 14 && out.addr >= 0xffffffc0)) { /* across 4 GiB: another fault natively */
        out.signo = SIGSEGV;
        out.trapno = 13;
        out.code = 0x80;
        out.addr = 0;
    }
    if (out.trapno == 14 && out.addr >= 0xff000000) /* natively the stack grows there */
        out.code = 0;
    if (signo == SIGALRM)
        out.code = out.addr = out.eip = out.trapno = 0;
    for (u32 r = 0; forgive && r < GPRS; r++)
        out.gpr[r] = r == ESP ? out.gpr[r] : 0;
    out.eflags &= forgive ? ~0x8d5u : ~undefined;
    c->mc.ip = (u32)fuzz_left;
    c->mc.flags = 0x202;
    busy = false;
}

static u64 hash(u64 h, const void *p, u32 n)
{
    const u32 *w = p;
    for (u32 i = 0; i < n / 4; i++) {
        h = (h ^ w[i]) * 0x9e3779b97f4a7c15ull;
        h ^= h >> 29;
    }
    return h;
}

static u64 digest(void)
{
    u64 h = hash(hash(1, &out, sizeof out), state_out, SAVED);
    return hash(h, (void *)DATA_AT, DATA_BYTES);
}

static void put_fact(const char *name, u32 number, u64 v, u32 digits)
{
    put_text("a ");
    put_text(name);
    if (number != ~0u)
        put_number(number);
    put_text(" ");
    put_hex(v, digits);
    put_text("\n");
}

static void dump(void)
{
    static const char *const name[] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip", "eflags", "signal", "si_code", "si_addr", "trapno"};
    for (u32 i = 0; i < sizeof name / sizeof *name; i++)
        put_fact(name[i], ~0u, ((const u32 *)&out)[i], 8);
    for (u32 i = 0; i < SAVED / 4; i++)
        if (((const u32 *)state_out)[i])
            put_fact("state+", i * 4, ((const u32 *)state_out)[i], 8);
    flush();
    for (u32 i = 0; i < DATA_BYTES / 4; i++) {
        put_fact("data+", i * 4, ((const u32 *)DATA_AT)[i], 8);
        if (nline > LINES - 100)
            flush();
    }
}

static void report(const struct fuzz_case *c)
{
    put_number(c->number);
    put_text(" ");
    put_hex(digest(), 16);
    put_text(" signal ");
    put_number(out.signo);
    put_text(" eip +");
    put_hex(out.eip - c->at, 8);
    put_text("\n");
}

/* --- setting up --------------------------------------------------------------------------------------------------- */

static void map(u32 at, u32 n, u32 prot)
{
    if (call(__NR_mmap2, at, n, prot, 0x32 /* private, fixed, anonymous */, ~0u, 0) != (int)at)
        die("no memory where the cases need it");
}

static u16 set_area(u32 base)
{
    struct user_desc d = {.entry_number = ~0u, .base_addr = base, .limit = 0xfffff, .seg_32bit = 1, .limit_in_pages = 1, .useable = 1};
    if (call(__NR_set_thread_area, (u32)&d, 0, 0, 0, 0, 0))
        die("no segment");
    return (u16)(d.entry_number * 8 + 3);
}

static void find_state(void)
{
    u32 a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        die("this CPU has no XSAVE");
    __asm__("xgetbv" : "=a"(xmask), "=d"(d) : "c"(0));
    xmask &= 0x67; /* x87, SSE, AVX, masks, upper halves of zmm */
    for (u32 i = YMM; i < 8; i++)
        if (xmask >> i & 1) {
            __cpuid_count(13, i, a, b, c, d);
            bytes[i] = a;
            offset[i] = b;
        }
}

static void set_up(void)
{
    static u8 alternate[1 << 16];
    struct { u32 sp; int flags; u32 size; } ss = {(u32)alternate, 0, sizeof alternate};
    struct { u32 handler, flags, restorer, mask[2]; } sa = {(u32)on_signal, SA_SIGINFO | SA_ONSTACK | 0x04000000, (u32)fuzz_restore, {~0u, ~0u}};
    static const u8 caught[] = {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGALRM};
    find_state();
    call(__NR_sigaltstack, (u32)&ss, 0, 0, 0, 0, 0);
    for (u32 i = 0; i < sizeof caught; i++)
        call(__NR_rt_sigaction, caught[i], (u32)&sa, 0, 8, 0, 0);
    map(DATA_AT, DATA_BYTES, 3);
    map(RO_AT, 4096, 1);
    map(NONE_AT, 4096, 0);
    u16 gs = set_area(GS_AT), fs = set_area(FS_AT);
    __asm__ volatile("mov %w0, %%gs\n mov %w1, %%fs" : : "r"((u32)gs), "r"((u32)fs));
}

static u32 read_cases(struct fuzz_case *c, u32 n)
{
    u32 got = 0, wanted = n * sizeof *c;
    while (got < wanted) {
        int r = call(__NR_read, 0, (u32)c + got, wanted - got, 0, 0, 0);
        if (r < 0)
            die("cannot read");
        if (!r)
            break;
        got += (u32)r;
    }
    return got / sizeof *c;
}

/* A case that does not end gets a signal. */
static void limit_time(void)
{
    call(__NR_alarm, 60, 0, 0, 0, 0, 0);
}

__attribute__((used)) void fuzz_main(u32 *sp)
{
    static struct fuzz_case cases[GROUP];
    bool wants_dump = false, wants_flush = false;
    for (u32 i = 1; i < sp[0]; i++) {
        const char *word = (const char *)sp[1 + i];
        wants_dump |= word[0] == 'd';
        wants_flush |= word[0] == 'f' && word[1] == 'l';
        forgive |= word[0] == 'f' && word[1] == 'o';
    }
    set_up();
    for (u32 n; (n = read_cases(cases, GROUP));) {
        map(CODE_AT, GROUP * SLOT, 3);
        memset((void *)CODE_AT, 0xcc, GROUP * SLOT);
        for (u32 i = 0; i < n; i++)
            memcpy((void *)cases[i].at, cases[i].code, CODE_MAX);
        call(__NR_mprotect, CODE_AT, GROUP * SLOT, 7, 0, 0, 0);
        limit_time();
        for (u32 i = 0; i < n; i++) {
            prepare(&cases[i]);
            fuzz_enter();
            if (!wants_dump)
                report(&cases[i]);
            if (nline > LINES - 100 || wants_flush)
                flush();
        }
    }
    if (wants_dump)
        dump();
    flush();
    end(0);
}
