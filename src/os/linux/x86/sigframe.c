/* SPDX-License-Identifier: Apache-2.0
 * Signal frames of x86-64 Linux. Owns the layout: what the kernel writes into a frame, in which place, and what it
 * accepts back. Follows the kernel step by step (x64_setup_rt_frame, restore_sigcontext, fpu__restore_sig), so that
 * a guest sees no difference, including in its errors. Knows nothing of actions, masks in force or pending signals
 * (signal.c). No lock; the calling thread's state only. */
#include "os/linux/sigframe.h"

#include "arch/arch.h"
#include "cpu.h"
#include "sigframe32.h"
#include "os/events.h"
#include "os/os.h"
#include "os/os_thread.h"

#include <cpuid.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#ifndef UC_STRICT_RESTORE_SS
#define UC_STRICT_RESTORE_SS 4 /* of uc_flags */
#endif

#define RED_ZONE_BYTES 128
#define XRSTOR_ALIGN 64
#define FXRSTOR_ALIGN 16
#define TRAP_STACK 12
#define TRAP_GENERAL 13
#define TRAP_PAGE_FAULT 14
#define PAGE_FAULT_PRESENT 1 /* in the error code: the page is there, for others */
#define TRAP_ALIGNMENT 17
#define TRAP_SIMD 19

enum {
    FLAG_TF = 0x100, FLAG_DF = 0x400, FLAG_NT = 0x4000, FLAG_RF = 0x10000, FLAG_AC = 0x40000,
    FLAGS_RESTORED = 0x50dd5, /* what sigreturn takes from a frame: AC RF OF DF TF SF ZF AF PF CF */
};

/* The xsave image, standard format. */
#define XS_MXCSR 24
#define XS_MXCSR_MASK 28
#define XS_X87_REGS 32
#define XS_SSE_REGS 160
#define XS_LEGACY_BYTES 512
#define XS_SOFTWARE 464
#define XS_HEADER 512
#define XS_MIN_BYTES 576
#define XS_MAGIC1 0x46505853u
#define XS_MAGIC2 0x46505845u
#define XS_X87 1ull
#define XS_SSE 2ull
#define XS_AVX 4ull
#define XS_PKRU_BIT 9
#define XS_PKRU (1ull << XS_PKRU_BIT)
#define MXCSR_INIT 0x1f80u
#define FCW_INIT 0x37fu
#define XS_COMPONENTS 63

/* struct _fpx_sw_bytes */
struct software_bytes {
    u32 magic1, extended_bytes;
    u64 features;
    u32 bytes;
    u32 zero[7];
};
_Static_assert(XS_SOFTWARE + sizeof(struct software_bytes) == XS_LEGACY_BYTES, "struct _fpx_sw_bytes");

struct xs_header {
    u64 features;    /* XSTATE_BV */
    u64 reserved[7]; /* XCOMP_BV first: 0 in the standard format */
};

/* How this kernel makes frames. Written once at start. */
static struct {
    u64 uc_flags;
    u64 segments;      /* cs 0 0 ss */
    u64 features;
    u32 bytes;
    u32 mxcsr_mask;
    u32 pkru;          /* the value handlers start with */
    u32 alt_flags;     /* raw flags of a thread without alternate stack: inherited through exec */
    struct { u32 off, bytes; } part[XS_COMPONENTS];
} kernel;

static const u8 greg_gpr[16] = {R8, R9, R10, R11, R12, R13, R14, R15, RDI, RSI, RBP, RBX, RDX, RAX, RCX, RSP};

__asm__(".text\n"
        ".globl sigframe_restorer\n.hidden sigframe_restorer\n.type sigframe_restorer,@function\n"
        "sigframe_restorer:\n"
        "  mov $15, %rax\n" /* these very bytes: unwinders know a signal frame by them */
        "  syscall\n"
        ".size sigframe_restorer, . - sigframe_restorer\n"
        ".globl sigframe_probe\n.hidden sigframe_probe\n.type sigframe_probe,@function\n"
        "sigframe_probe:\n"
        "  ud2\n"
        "  ret\n"
        ".size sigframe_probe, . - sigframe_probe\n");

s64 sigframe_action(int sig, const struct sig_action *set, struct sig_action *old)
{
    return arch_raw_syscall(SYS_rt_sigaction, (u64)sig, (u64)set, (u64)old, sizeof(u64), 0, 0);
}

/* --- extended state ---------------------------------------------------------------------------------------- */
static void learn_components(void)
{
    for (u32 i = 2; i < XS_COMPONENTS; i++) {
        u32 bytes, off, c, d;
        if (__get_cpuid_count(0xd, i, &bytes, &off, &c, &d) && bytes && !(c & 1)) {
            kernel.part[i].off = off;
            kernel.part[i].bytes = bytes;
        }
    }
}

static u32 image_bytes(u64 features)
{
    u32 end = XS_MIN_BYTES;
    for (u32 i = 2; i < XS_COMPONENTS; i++)
        if ((features >> i & 1) && kernel.part[i].off + kernel.part[i].bytes > end)
            end = kernel.part[i].off + kernel.part[i].bytes;
    return end;
}

static struct xs_header *header_of(void *image)
{
    return (struct xs_header *)((u8 *)image + XS_HEADER);
}

static void put_u32(void *image, size_t off, u32 v)
{
    memcpy((u8 *)image + off, &v, sizeof v);
}

static u32 get_u32(const void *image, size_t off)
{
    u32 v;
    memcpy(&v, (const u8 *)image + off, sizeof v);
    return v;
}

/* All components as the processor has them after reset, but for PKRU: what a handler starts with. */
void sigframe_init_xstate(struct cpu_state *c)
{
    memset(c->xsave, 0, XS_MIN_BYTES);
    put_u32(c->xsave, 0, FCW_INIT);
    put_u32(c->xsave, XS_MXCSR, MXCSR_INIT);
    put_u32(c->xsave, XS_MXCSR_MASK, kernel.mxcsr_mask);
    if (kernel.features & XS_PKRU) {
        header_of(c->xsave)->features = XS_PKRU;
        put_u32(c->xsave, kernel.part[XS_PKRU_BIT].off, kernel.pkru);
    }
}

/* The kernel stores with XSAVE, which writes the initial values of unused components too. */
static void write_initial_values(u8 *image, u64 unused)
{
    if (unused & XS_X87) {
        memset(image, 0, XS_MXCSR);
        put_u32(image, 0, FCW_INIT);
        memset(image + XS_X87_REGS, 0, XS_SSE_REGS - XS_X87_REGS);
    }
    if (unused & XS_SSE)
        memset(image + XS_SSE_REGS, 0, 256);
    for (u32 i = 2; i < XS_COMPONENTS; i++)
        if (unused >> i & 1)
            memset(image + kernel.part[i].off, 0, kernel.part[i].bytes);
}

/* The frame's extended state: image, software bytes, closing magic. Returns its size. before: bytes in front of it that
 * belong to it. */
u32 sigframe_stage_xstate(u8 *image, const struct cpu_state *c, struct os_thread *os, u32 before)
{
    u64 used = header_of((void *)c->xsave)->features;
    if (UNLIKELY(used & c->xsave_mask & ~os->xstate_features)) { /* first use of AMX, not seen in a frame yet */
        os->xstate_features |= used & c->xsave_mask;
        os->xstate_bytes = image_bytes(os->xstate_features);
    }
    u64 features = os->xstate_features;
    u32 bytes = os->xstate_bytes;
    ASSERT(bytes + sizeof(u32) <= XSAVE_MAX_BYTES);
    memcpy(image, c->xsave, bytes);
    write_initial_values(image, features & ~used);
    struct software_bytes sw = {XS_MAGIC1, before + bytes + (u32)sizeof(u32), features, bytes, {0}};
    memcpy(image + XS_SOFTWARE, &sw, sizeof sw);
    put_u32(image, XS_MXCSR_MASK, kernel.mxcsr_mask);
    *header_of(image) = (struct xs_header){.features = (used & features) | XS_X87 | XS_SSE};
    put_u32(image, bytes, XS_MAGIC2);
    return bytes + (u32)sizeof(u32);
}

/* check_xstate_in_sigframe: which features the frame holds; 0 means a plain fxsave image. False: not readable. */
static bool read_frame_features(u64 at, const struct os_thread *os, u64 *features)
{
    struct software_bytes sw;
    u32 magic2;
    *features = 0;
    if (!guest_read(&sw, at + XS_SOFTWARE, sizeof sw))
        return false;
    if (sw.magic1 != XS_MAGIC1 || sw.bytes < XS_MIN_BYTES || sw.bytes > os->xstate_bytes ||
        sw.bytes > sw.extended_bytes)
        return true;
    if (!guest_read(&magic2, at + os->xstate_bytes, sizeof magic2))
        return false;
    if (magic2 == XS_MAGIC2)
        *features = sw.features & os->xstate_features;
    return true;
}

/* What XRSTOR would say to the image, with this mask of components. */
static bool image_is_valid(const u8 *image, const struct cpu_state *c, u64 features)
{
    const struct xs_header *h = header_of((void *)image);
    if ((h->features & ~c->xsave_mask) || h->reserved[0] || h->reserved[1])
        return false;
    return !(features & (XS_SSE | XS_AVX)) || !(get_u32(image, XS_MXCSR) & ~kernel.mxcsr_mask);
}

/* FXRSTOR: x87 and SSE, the rest becomes initial. */
static bool restore_legacy(struct cpu_state *c, u64 at)
{
    u8 image[XS_LEGACY_BYTES];
    if (!guest_read(image, at, sizeof image) || (get_u32(image, XS_MXCSR) & ~kernel.mxcsr_mask))
        return false;
    sigframe_init_xstate(c);
    memcpy(c->xsave, image, XS_SOFTWARE);
    header_of(c->xsave)->features |= XS_X87 | XS_SSE;
    return true;
}

bool sigframe_restore_xstate(struct cpu_state *c, const struct os_thread *os, u64 at)
{
    u64 features;
    if (!at) {
        sigframe_init_xstate(c);
        return true;
    }
    if (!guest_in_user_space(at, os->xstate_bytes + sizeof(u32)) || !read_frame_features(at, os, &features))
        return false;
    if (at % (features ? XRSTOR_ALIGN : FXRSTOR_ALIGN)) /* the kernel restores from the frame itself */
        return false;
    if (!features)
        return restore_legacy(c, at);
    /* Straight into the context: a frame that turns out bad leaves initial state anyway. */
    size_t got = os_safe_copy(c->xsave, (const void *)at, os->xstate_bytes);
    if (got < XS_MIN_BYTES || !image_is_valid(c->xsave, c, features))
        return false;
    u64 used = header_of(c->xsave)->features & features;
    if (got < image_bytes(used))
        return false;
    if (!(features & (XS_SSE | XS_AVX)))
        put_u32(c->xsave, XS_MXCSR, MXCSR_INIT);
    *header_of(c->xsave) = (struct xs_header){.features = used};
    return true;
}

/* --- frames the kernel made -------------------------------------------------------------------------------- */
static u32 read_pkru(void)
{
    u32 value, high;
    __asm__ volatile(".byte 0x0f, 0x01, 0xee" : "=a"(value), "=d"(high) : "c"(0)); /* rdpkru */
    return value;
}

void sigframe_learn(const struct sigframe *f)
{
    struct software_bytes sw;
    memcpy(&sw, (u8 *)f->fpstate + XS_SOFTWARE, sizeof sw);
    if (sw.magic1 != XS_MAGIC1)
        die(126, "this kernel or processor has no XSAVE: not supported");
    ASSERT(sw.extended_bytes <= XSAVE_MAX_BYTES);
    learn_components();
    kernel.uc_flags = f->uc_flags;
    kernel.segments = f->greg[GREG_SEGMENTS];
    kernel.features = sw.features;
    kernel.bytes = sw.bytes;
    kernel.mxcsr_mask = get_u32((void *)f->fpstate, XS_MXCSR_MASK);
    if (!kernel.mxcsr_mask)
        kernel.mxcsr_mask = 0xffbf;
    kernel.pkru = sw.features & XS_PKRU ? read_pkru() : 0;
    kernel.alt_flags = (u32)f->stack.ss_flags;
}

void sigframe_init_thread(struct os_thread *os, bool first)
{
    os->xstate_features = kernel.features;
    os->xstate_bytes = kernel.bytes;
    os->alt_sp = os->alt_bytes = 0;
    os->alt_flags = first ? kernel.alt_flags : SS_DISABLE;
}

void sigframe_capture(struct cpu_state *c, struct os_thread *os, const struct sigframe *f)
{
    struct software_bytes sw;
    for (u32 i = 0; i < ARRAY_LEN(greg_gpr); i++)
        c->gpr[greg_gpr[i]] = f->greg[i];
    c->pc = f->greg[GREG_IP];
    c->flags = f->greg[GREG_FLAGS];
    memcpy(&sw, (u8 *)f->fpstate + XS_SOFTWARE, sizeof sw);
    ASSERT(sw.magic1 == XS_MAGIC1 && sw.extended_bytes <= XSAVE_MAX_BYTES);
    memcpy(c->xsave, (void *)f->fpstate, sw.bytes);
    os->xstate_features = sw.features;
    os->xstate_bytes = sw.bytes;
}

void sigframe_note_status(struct cpu_state *c, const struct sigframe *f)
{
    put_u32(c->xsave, XS_MXCSR, get_u32((void *)f->fpstate, XS_MXCSR));
}

void sigframe_capture_undone(struct cpu_state *c, struct os_thread *os, const struct sigframe *f)
{
    u32 before = get_u32(c->xsave, XS_MXCSR);
    sigframe_capture(c, os, f);
    if (f->greg[GREG_TRAPNO] == TRAP_SIMD)
        put_u32(c->xsave, XS_MXCSR, before);
}

void sigframe_capture_fault(struct os_thread *os, const struct sigframe *f)
{
    os->fault_trapno = f->greg[GREG_TRAPNO];
    os->fault_err = f->greg[GREG_ERR];
    if (os->fault_trapno == TRAP_PAGE_FAULT) /* else it is the last page fault's, perhaps one of ours */
        os->fault_cr2 = f->greg[GREG_CR2];
    /* Just below 0 there is the kernel in 64-bit code, and in IA-32 nothing. */
    if (UNLIKELY(cpu_guest32) && os->fault_trapno == TRAP_PAGE_FAULT && os->fault_cr2 >> 63)
        os->fault_err &= ~(u64)PAGE_FAULT_PRESENT;
}

bool sigframe_is_write_fault(const struct sigframe *f)
{
    return f->greg[GREG_TRAPNO] == TRAP_PAGE_FAULT && (f->greg[GREG_ERR] & 2);
}

bool sigframe_is_general_fault(const struct sigframe *f) { return f->greg[GREG_TRAPNO] == TRAP_GENERAL; }

void sigframe_make_stack_fault(struct sigframe *f, siginfo_t *info)
{
    f->greg[GREG_TRAPNO] = TRAP_STACK;
    info->si_signo = SIGBUS;
}

bool sigframe_is_stepping(const struct sigframe *f) { return f->greg[GREG_FLAGS] & FLAG_TF; }

void sigframe_set_gpr(struct sigframe *f, u32 reg, u64 value)
{
    for (u32 i = 0; i < ARRAY_LEN(greg_gpr); i++)
        if (greg_gpr[i] == reg)
            f->greg[i] = value;
}

void sigframe_set_step(struct sigframe *f) { f->greg[GREG_FLAGS] |= FLAG_TF; }

bool sigframe_allow_unaligned(struct os_thread *os, struct sigframe *f, u64 blocked)
{
    if (LIKELY(f->greg[GREG_TRAPNO] != TRAP_ALIGNMENT) || !(f->greg[GREG_FLAGS] & FLAG_AC))
        return false;
    os->unaligned_flags = f->greg[GREG_FLAGS];
    os->unaligned_mask = f->mask;
    f->greg[GREG_FLAGS] = (f->greg[GREG_FLAGS] & ~(u64)FLAG_AC) | FLAG_TF;
    f->mask |= blocked;
    return true;
}

void sigframe_align_again(struct os_thread *os, struct sigframe *f)
{
    u64 both = FLAG_AC | FLAG_TF;
    f->greg[GREG_FLAGS] = (f->greg[GREG_FLAGS] & ~both) | (os->unaligned_flags & both);
    f->mask = os->unaligned_mask;
    os->unaligned_flags = 0;
}

void sigframe_redirect(struct sigframe *f, u64 pc, u64 sp)
{
    f->greg[GREG_IP] = pc;
    f->greg[15] = sp;
    f->greg[GREG_FLAGS] &= ~(u64)(FLAG_TF | FLAG_DF | FLAG_NT | FLAG_RF | FLAG_AC);
    put_u32((void *)f->fpstate, XS_MXCSR, MXCSR_INIT);
    header_of((void *)f->fpstate)->features &= XS_PKRU;
}

void sigframe_enter_handler(const struct sigframe *f)
{
    if (UNLIKELY(f->greg[GREG_FLAGS] & FLAG_AC))
        __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~(u64)FLAG_AC);
}

bool sigframe_is_probe(const struct sigframe *f)
{
    if (LIKELY(f->greg[GREG_IP] != (u64)sigframe_probe))
        return int80_is_probe(&((struct sigframe *)f)->greg[GREG_IP]);
    sigframe_learn(f);
    ((struct sigframe *)f)->greg[GREG_IP] += 2;
    return true;
}

/* --- frames for the guest ---------------------------------------------------------------------------------- */
/* Where the frame and its extended state go. False: it would run over the end of the alternate stack. */
static bool place_frame(const struct cpu_state *c, const struct os_thread *os, u64 flags, u32 xs_bytes, u64 *frame,
                        u64 *xs)
{
    u64 sp = c->gpr[RSP];
    bool bounded = sigframe_on_alt_stack(os, sp);
    sp -= RED_ZONE_BYTES;
    if ((flags & SA_ONSTACK) && os->alt_bytes && !sigframe_on_alt_stack(os, sp)) {
        sp = os->alt_sp + os->alt_bytes;
        bounded = true;
    }
    *xs = (sp - xs_bytes) & ~63ull;
    *frame = ((*xs - sizeof(struct sigframe)) & ~15ull) - 8;
    return !bounded || sigframe_alt_holds(os, *frame);
}

static void fill_frame(struct sigframe *f, const struct cpu_state *c, const struct os_thread *os, u64 mask)
{
    f->uc_flags = kernel.uc_flags;
    f->uc_link = 0;
    f->stack = (stack_t){.ss_sp = (void *)os->alt_sp, .ss_flags = (int)os->alt_flags, .ss_size = os->alt_bytes};
    for (u32 i = 0; i < ARRAY_LEN(greg_gpr); i++)
        f->greg[i] = c->gpr[greg_gpr[i]];
    f->greg[GREG_IP] = c->pc;
    f->greg[GREG_FLAGS] = c->flags;
    f->greg[GREG_SEGMENTS] = kernel.segments;
    f->greg[GREG_ERR] = os->fault_err;
    f->greg[GREG_TRAPNO] = os->fault_trapno;
    f->greg[GREG_OLDMASK] = mask;
    f->greg[GREG_CR2] = os->fault_cr2;
    f->mask = mask;
}

/* Only what the kernel writes: the reserved words keep what the stack had there. */
static bool write_frame(u64 at, const struct sigframe *f, bool with_info)
{
    return guest_write(at, f, offsetof(struct sigframe, reserved)) &&
           guest_write(at + offsetof(struct sigframe, mask), &f->mask,
                       with_info ? sizeof *f - offsetof(struct sigframe, mask) : sizeof f->mask);
}

static void enter_guest_handler(struct cpu_state *c, int sig, u64 handler, u64 frame)
{
    c->gpr[RDI] = (u64)sig;
    c->gpr[RSI] = frame + offsetof(struct sigframe, info);
    c->gpr[RDX] = frame + offsetof(struct sigframe, uc_flags);
    c->gpr[RAX] = 0;
    c->gpr[RSP] = frame;
    c->pc = handler;
    c->flags &= ~(u64)(FLAG_DF | FLAG_RF | FLAG_TF);
    sigframe_init_xstate(c);
}

bool sigframe_push(struct cpu_state *c, struct os_thread *os, const struct sig_action *act, const siginfo_t *info,
                   u64 mask)
{
    u8 image[XSAVE_MAX_BYTES + 64] __attribute__((aligned(64)));
    struct sigframe f;
    u64 at, xs;
    if (UNLIKELY(cpu_guest32))
        return sigframe32_push(c, os, act, info, mask);
    if (!(act->flags & SA_RESTORER_FLAG))
        return false;
    u32 xs_bytes = sigframe_stage_xstate(image, c, os, 0);
    if (!place_frame(c, os, act->flags, xs_bytes, &at, &xs))
        return false;
    fill_frame(&f, c, os, mask);
    f.restorer = act->restorer;
    f.fpstate = xs;
    f.info = *info;
    if (!guest_write(xs, image, xs_bytes) || !write_frame(at, &f, act->flags & SA_SIGINFO))
        return false;
    enter_guest_handler(c, info->si_signo, act->handler, at);
    return true;
}

void sigframe_go_native(const struct cpu_state *c, struct os_thread *os, u64 mask)
{
    u8 image[XSAVE_MAX_BYTES + 64] __attribute__((aligned(64)));
    struct sigframe f = {0};
    sigframe_stage_xstate(image, c, os, 0);
    fill_frame(&f, c, os, mask);
    f.fpstate = (u64)image;
    __asm__ volatile("wrfsbase %0; wrgsbase %1; mov %2, %%rsp; syscall" /* no word of the host's TLS from here on */
                     :
                     : "r"(arch_tls_base()), "r"(c->gs_base), "r"((u64)&f + sizeof(u64)), "a"((u64)SYS_rt_sigreturn)
                     : "memory");
    __builtin_unreachable();
}

void sigframe_mark_fault(struct cpu_state *c)
{
    c->flags |= FLAG_RF;
}

bool sigframe_peek_mask(const struct cpu_state *c, u64 *mask)
{
    u64 at = c->gpr[RSP] - sizeof(u64);
    if (UNLIKELY(cpu_guest32))
        return sigframe32_peek_mask(c, mask);
    return guest_in_user_space(at, sizeof(struct sigframe)) &&
           guest_read(mask, at + offsetof(struct sigframe, mask), sizeof *mask);
}

#define CODE32 0x23 /* an IA-32 program's own */

bool os_is_code_segment(u16 selector)
{
    u32 rights = 0, code = 0x9800; /* present, no system segment, code */
    bool there;
    __asm__("lar %2, %1" : "=@ccz"(there), "+r"(rights) : "r"((u32)selector));
    return there && (rights & code) == code && selector != (cpu_guest32 ? CODE32 : (u16)kernel.segments);
}

void os_tell_code_segment(u16 selector, u64 to)
{
    static bool told;
    if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
        msg("the program goes to code of segment 0x%x at 0x%lx; %s, which gets SIGSEGV", selector, to,
            cpu_guest32 ? "64-bit code is not run in an IA-32 program" : "32-bit code is not run in a 64-bit program");
}

/* Other code segments do not exist, or are 32-bit code; a stack segment that does not exist the kernel replaces,
 * unless the frame says that it must not. */
static bool can_return_to(u64 segments, u64 uc_flags, u64 pc)
{
    u16 cs = (u16)(segments | 3);
    if (UNLIKELY(cs != (u16)kernel.segments) && os_is_code_segment(cs))
        os_tell_code_segment(cs, pc);
    u64 wrong = (segments ^ kernel.segments) & 0xfffc00000000fffc;
    return !(uc_flags & UC_STRICT_RESTORE_SS) ? !(wrong & 0xffff) : !wrong;
}

bool sigframe_pop(struct cpu_state *c, struct os_thread *os)
{
    u64 at = c->gpr[RSP] - sizeof(u64);
    u64 greg[GREG_COUNT + 1]; /* and fpstate */
    u64 flags;
    stack_t ss;
    if (UNLIKELY(cpu_guest32))
        return sigframe32_pop(c, os);
    if (!guest_read(greg, at + offsetof(struct sigframe, greg), sizeof greg))
        return false;
    for (u32 i = 0; i < ARRAY_LEN(greg_gpr); i++)
        c->gpr[greg_gpr[i]] = greg[i];
    c->pc = greg[GREG_IP];
    c->flags = (c->flags & ~(u64)FLAGS_RESTORED) | (greg[GREG_FLAGS] & FLAGS_RESTORED);
    if (!sigframe_restore_xstate(c, os, greg[GREG_COUNT])) {
        sigframe_init_xstate(c);
        return false;
    }
    if (!guest_read(&ss, at + offsetof(struct sigframe, stack), sizeof ss) ||
        !guest_read(&flags, at + offsetof(struct sigframe, uc_flags), sizeof flags))
        return false;
    sigframe_set_alt_stack(os, &ss, c->gpr[RSP]); /* the kernel ignores its result, too */
    return can_return_to(greg[GREG_SEGMENTS], flags, c->pc);
}
