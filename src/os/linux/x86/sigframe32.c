/* SPDX-License-Identifier: Apache-2.0
 * Signal frames of IA-32 Linux, of both kinds: the old one, and the one with siginfo. Owns their layout; follows the
 * kernel (ia32_setup_frame, ia32_setup_rt_frame, ia32_restore_sigcontext). No lock; the calling thread's state only. */
#include "sigframe32.h"

#include "arch/arch.h"
#include "emulate32.h"
#include "cpu.h"
#include "os/os.h"
#include "os/os_thread.h"

#include <string.h>

enum {
    NR_SIGRETURN = 119, SEGMENT_CODE = 0x23, SEGMENT_DATA = 0x2b, FLAG_DF = 0x400, FLAG_TF = 0x100, FLAG_RF = 0x10000,
    FLAGS_RESTORED = 0x50dd5, UC_FP_XSTATE = 1,
};

u64 sigframe32_restorer[2];

/* struct sigcontext_32 */
struct context32 {
    u32 gs, fs, es, ds;
    u32 di, si, bp, sp, bx, dx, cx, ax;
    u32 trapno, err, ip, cs, flags, sp_at_signal, ss;
    u32 fpstate, oldmask, cr2;
};
/* The area that fnsave stores, and the status word that the kernel adds. The image of xsave follows it. */
struct fsave32 {
    u32 control, status, tag, ip, code, data, data_segment;
    u8 st[8][10];
    u32 status_magic;
};
struct frame_old {
    u32 restorer, sig;
    struct context32 sc;
    u8 unused[624]; /* struct _fpstate_32, of kernels before 2.6 */
    u32 mask_high;
    u8 code[8];
};
struct stack32 {
    u32 sp, flags, bytes;
};
struct frame_rt {
    u32 restorer, sig, info_at, uc_at;
    u8 info[SIGINFO32_BYTES];
    u32 uc_flags, uc_link;
    struct stack32 stack;
    struct context32 sc;
    u32 mask[2];
    u8 code[8];
};
_Static_assert(sizeof(struct context32) == 88 && sizeof(struct fsave32) == 112, "the kernel's");
_Static_assert(sizeof(struct frame_old) == 732 && sizeof(struct frame_rt) == 268, "the kernel's");

/* What an unwinder, or a debugger, knows a frame by. */
static const u8 code_old[8] = {0x58, 0xb8, NR_SIGRETURN, 0, 0, 0, 0xcd, 0x80};
static const u8 code_rt[8] = {0xb8, 173, 0, 0, 0, 0xcd, 0x80, 0};

/* --- siginfo ------------------------------------------------------------------------------------------------- */

static void put(u8 *to, u32 at, u64 v) { memcpy(to + at, &(u32){(u32)v}, sizeof(u32)); }

static bool is_fault(const siginfo_t *i)
{
    int s = i->si_signo;
    return (s == SIGSEGV || s == SIGBUS || s == SIGILL || s == SIGFPE || s == SIGTRAP) && i->si_code > 0;
}

void siginfo32_from(void *at, const siginfo_t *from)
{
    u8 *to = at;
    memset(to, 0, SIGINFO32_BYTES);
    put(to, 0, (u32)from->si_signo);
    put(to, 4, (u32)from->si_errno);
    put(to, 8, (u32)from->si_code);
    if (is_fault(from)) {
        put(to, 12, (u64)from->si_addr);
        put(to, 16, (u16)from->si_addr_lsb);
    } else if (from->si_signo == SIGCHLD && from->si_code > 0) {
        put(to, 12, (u32)from->si_pid);
        put(to, 16, from->si_uid);
        put(to, 20, (u32)from->si_status);
        put(to, 24, (u64)from->si_utime);
        put(to, 28, (u64)from->si_stime);
    } else if (from->si_signo == SIGPOLL && from->si_code > 0) {
        put(to, 12, (u64)from->si_band);
        put(to, 16, (u32)from->si_fd);
    } else if (from->si_signo == SIGSYS && from->si_code > 0) {
        put(to, 12, (u64)from->si_call_addr);
        put(to, 16, (u32)from->si_syscall);
        put(to, 20, from->si_arch);
    } else { /* kill, sigqueue, timers: three words, of which the last is the value */
        put(to, 12, (u32)from->si_pid);
        put(to, 16, from->si_uid);
        put(to, 20, (u64)from->si_value.sival_ptr);
    }
}

/* --- x87 state ----------------------------------------------------------------------------------------------- */

#define FX_ST 32 /* of the fxsave image: 8 registers, 16 bytes each */

static u32 field(const u8 *image, u32 at, u32 bytes)
{
    u32 v = 0;
    memcpy(&v, image + at, bytes);
    return v;
}

/* The tag of a register that is not empty: 0 a number, 1 zero, 2 neither. */
static u32 tag_of(const u8 st[10])
{
    u64 significand;
    u16 exponent;
    memcpy(&significand, st, 8);
    memcpy(&exponent, st + 8, 2);
    exponent &= 0x7fff;
    if (exponent == 0x7fff)
        return 2;
    if (!exponent)
        return significand ? 2 : 1;
    return significand >> 63 ? 0 : 2;
}

static void fsave_from(struct fsave32 *f, const u8 *image)
{
    u32 in_use = field(image, 4, 1), status = field(image, 2, 2), top = status >> 11 & 7, tags = 0;
    for (u32 i = 0; i < 8; i++) {
        memcpy(f->st[i], image + FX_ST + 16 * i, 10);
        u32 physical = (top + i) & 7;
        tags |= (in_use >> physical & 1 ? tag_of(f->st[i]) : 3) << 2 * physical;
    }
    f->control = field(image, 0, 2) | 0xffff0000;
    f->status = status | 0xffff0000;
    f->tag = tags | 0xffff0000;
    f->ip = field(image, 8, 4);
    f->code = SEGMENT_CODE | field(image, 6, 2) << 16;
    f->data = field(image, 16, 4);
    f->data_segment = SEGMENT_DATA | 0xffff0000;
    f->status_magic = status; /* and 0: there is an image of fxsave after it */
}

/* The kernel takes x87 from this part of the frame, and the rest from the image. */
static void fsave_to(const struct fsave32 *f, u8 *image)
{
    u8 in_use = 0;
    for (u32 i = 0; i < 8; i++) {
        in_use |= (u8)(((f->tag >> 2 * i & 3) != 3) << i);
        memset(image + FX_ST + 16 * i, 0, 16);
        memcpy(image + FX_ST + 16 * i, f->st[i], 10);
    }
    memcpy(image, &f->control, 2);
    memcpy(image + 2, &f->status, 2);
    image[4] = in_use;
    u16 opcode = (u16)(f->code >> 16);
    memcpy(image + 6, &opcode, 2);
    memcpy(image + 8, &f->ip, 4);
    memcpy(image + 16, &f->data, 4);
}

/* --- frames for the guest ------------------------------------------------------------------------------------ */

static void fill_context(struct context32 *sc, const struct cpu_state *c, const struct os_thread *os, u64 mask)
{
    const u64 *g = c->gpr;
    *sc = (struct context32){
        .gs = emulate32_selector(SELECTOR_GS), .fs = emulate32_selector(SELECTOR_FS), .es = SEGMENT_DATA,
        .ds = SEGMENT_DATA, .ss = SEGMENT_DATA, .cs = SEGMENT_CODE,
        .di = (u32)g[RDI], .si = (u32)g[RSI], .bp = (u32)g[RBP], .sp = (u32)g[RSP], .bx = (u32)g[RBX],
        .dx = (u32)g[RDX], .cx = (u32)g[RCX], .ax = (u32)g[RAX],
        .trapno = (u32)os->fault_trapno, .err = (u32)os->fault_err, .cr2 = (u32)os->fault_cr2,
        .ip = (u32)c->pc, .flags = (u32)c->flags, .sp_at_signal = (u32)g[RSP], .oldmask = (u32)mask,
    };
}

static void enter_handler(struct cpu_state *c, u64 handler, u64 frame, u64 ax, u64 dx, u64 cx)
{
    c->gpr[RAX] = ax;
    c->gpr[RDX] = dx;
    c->gpr[RCX] = cx;
    c->gpr[RSP] = frame;
    c->pc = handler;
    c->flags &= ~(u64)(FLAG_DF | FLAG_RF | FLAG_TF);
    sigframe_init_xstate(c);
}

/* Where the frame and its extended state go. False: it would run over the end of the alternate stack. */
static bool place_frame(const struct cpu_state *c, const struct os_thread *os, u64 flags, u32 xs_bytes, u32 bytes,
                        u64 *frame, u64 *xs)
{
    u64 sp = c->gpr[RSP];
    bool bounded = sigframe_on_alt_stack(os, sp);
    if ((flags & SA_ONSTACK) && os->alt_bytes && !bounded) {
        sp = os->alt_sp + os->alt_bytes;
        bounded = true;
    }
    *xs = ((sp - xs_bytes) & ~63ul) - sizeof(struct fsave32);
    *frame = ((*xs - bytes + 4) & ~15ul) - 4;
    return *frame < sp && (!bounded || sigframe_alt_holds(os, *frame));
}

bool sigframe32_push(struct cpu_state *c, struct os_thread *os, const struct sig_action *act, const siginfo_t *info,
                     u64 mask)
{
    u8 image[XSAVE_MAX_BYTES + 64] __attribute__((aligned(64)));
    struct fsave32 fsave;
    u64 at, xs;
    bool rt = act->flags & SA_SIGINFO;
    u32 sig = (u32)info->si_signo, bytes = rt ? sizeof(struct frame_rt) : sizeof(struct frame_old);
    u64 restorer = act->flags & SA_RESTORER_FLAG ? act->restorer : sigframe32_restorer[rt];
    if (!restorer)
        return false; /* there is no vdso to return through */
    u32 xs_bytes = sigframe_stage_xstate(image, c, os, sizeof fsave);
    if (!place_frame(c, os, act->flags, xs_bytes, bytes, &at, &xs))
        return false;
    fsave_from(&fsave, image);
    if (!guest_write(xs, &fsave, sizeof fsave) || !guest_write(xs + sizeof fsave, image, xs_bytes))
        return false;
    if (!rt) {
        struct frame_old f = {.restorer = (u32)restorer, .sig = sig, .mask_high = (u32)(mask >> 32)};
        fill_context(&f.sc, c, os, mask);
        f.sc.fpstate = (u32)xs;
        memcpy(f.code, code_old, sizeof f.code);
        if (!guest_write(at, &f, offsetof(struct frame_old, unused)) ||
            !guest_write(at + offsetof(struct frame_old, mask_high), &f.mask_high, 12))
            return false;
        enter_handler(c, act->handler, at, sig, 0, 0);
        return true;
    }
    struct frame_rt f = {.restorer = (u32)restorer, .sig = sig, .mask = {(u32)mask, (u32)(mask >> 32)},
        .info_at = (u32)at + offsetof(struct frame_rt, info), .uc_at = (u32)at + offsetof(struct frame_rt, uc_flags),
        .uc_flags = UC_FP_XSTATE,
        .stack = {(u32)os->alt_sp, os->alt_flags, (u32)os->alt_bytes}};
    siginfo32_from(f.info, info);
    fill_context(&f.sc, c, os, mask);
    f.sc.fpstate = (u32)xs;
    memcpy(f.code, code_rt, sizeof f.code);
    if (!guest_write(at, &f, sizeof f))
        return false;
    enter_handler(c, act->handler, at, sig, f.info_at, f.uc_at);
    return true;
}

/* --- back ---------------------------------------------------------------------------------------------------- */

static bool is_old(const struct cpu_state *c) { return (u32)c->gpr[RAX] == NR_SIGRETURN; }

/* The frame's address: its restorer has popped the return address, and the old one's its signal, too. */
static u64 frame_at(const struct cpu_state *c) { return (u32)c->gpr[RSP] - (is_old(c) ? 8u : 4u); }

bool sigframe32_peek_mask(const struct cpu_state *c, u64 *mask)
{
    u64 at = frame_at(c);
    u32 low, high;
    u64 low_at = is_old(c) ? offsetof(struct frame_old, sc.oldmask) : offsetof(struct frame_rt, mask),
        high_at = is_old(c) ? offsetof(struct frame_old, mask_high) : offsetof(struct frame_rt, mask[1]);
    if (!guest_read(&low, at + low_at, 4) || !guest_read(&high, at + high_at, 4))
        return false;
    *mask = (u64)high << 32 | low;
    return true;
}

static bool restore_fpu(struct cpu_state *c, const struct os_thread *os, u64 at)
{
    struct fsave32 fsave;
    u64 *present = (u64 *)(c->xsave + 512);
    if (!at)
        return sigframe_restore_xstate(c, os, 0);
    if (!guest_read(&fsave, at, sizeof fsave) || !sigframe_restore_xstate(c, os, at + sizeof fsave))
        return false;
    fsave_to(&fsave, c->xsave);
    *present |= 1;
    return true;
}

bool sigframe32_pop(struct cpu_state *c, struct os_thread *os)
{
    bool old = is_old(c);
    u64 at = frame_at(c);
    struct context32 sc;
    struct stack32 stack;
    if (!guest_read(&sc, at + (old ? offsetof(struct frame_old, sc) : offsetof(struct frame_rt, sc)), sizeof sc))
        return false;
    const u64 gpr[8] = {[RAX] = sc.ax, [RCX] = sc.cx, [RDX] = sc.dx, [RBX] = sc.bx, [RSP] = sc.sp, [RBP] = sc.bp,
        [RSI] = sc.si, [RDI] = sc.di};
    memcpy(c->gpr, gpr, sizeof gpr);
    c->pc = sc.ip;
    c->flags = (c->flags & ~(u64)FLAGS_RESTORED) | (sc.flags & FLAGS_RESTORED);
    if (!restore_fpu(c, os, sc.fpstate)) {
        sigframe_init_xstate(c);
        return false;
    }
    if (!old) {
        if (!guest_read(&stack, at + offsetof(struct frame_rt, stack), sizeof stack))
            return false;
        const stack_t ss = {.ss_sp = (void *)(u64)stack.sp, .ss_flags = (int)stack.flags, .ss_size = stack.bytes};
        sigframe_set_alt_stack(os, &ss, c->gpr[RSP]); /* the kernel ignores its result, too */
    }
    return (sc.cs | 3) == SEGMENT_CODE;
}
