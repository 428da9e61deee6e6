/* SPDX-License-Identifier: Apache-2.0
 * See context.h. The extended state is an XSAVE image: a component whose bit in XSTATE_BV is clear is in its initial
 * state whatever its bytes say, and is given its initial bytes before a part of it is set. Works on what it is given;
 * the layout is found once. */
#include "arch/x86/context.h"

#include "arch/arch.h"
#include "arch/x86/regs.h"
#include "linchpin/reg.h"
#include "os/thread.h"

#include <cpuid.h>
#include <string.h>

#include "arch/x86/context_table.h"

enum { X_X87, X_SSE, X_AVX, X_OPMASK = 5, X_ZMM_HI256, X_HI16_ZMM, X_PKRU = 9, X_TILECFG = 17, X_TILEDATA, X_COUNT };

#define LEGACY_BYTES 512
#define HEADER_BYTES 64
#define ST_OFFSET 32
#define XMM_OFFSET 160
#define MXCSR_OFFSET 24
#define MXCSR_MASK_OFFSET 28
#define X87_END XMM_OFFSET
#define MXCSR_VALID 0xffffu
#define STATUS_FLAGS 0x8d5ul
#define TOOL_REGS 30u
#define TOOL_BYTES 256u
#define FLAG_DF 0x400ul
#define FLAGS_CHANGEABLE 0x244dd5ul /* by popf: CF PF AF ZF SF TF DF OF NT AC ID */

static u32 offset[X_COUNT], size[X_COUNT], image_bytes = LEGACY_BYTES + HEADER_BYTES;
static u64 xcr0 = 3;

/* For xstate_asm.h, which knows its layout: components that moves can save, and where they are in the image. */
struct {
    u64 components; /* 0: XSAVE and XRSTOR for all */
    u64 avx, opmask, zmm_hi256, hi16_zmm, pkru;
    u32 mxcsr_mask;
} xstate_quick;

void context_no_quick_save(void) { xstate_quick.components = 0; }

static u32 read_mxcsr_mask(void)
{
    u8 image[LEGACY_BYTES] __attribute__((aligned(16)));
    u32 mask;
    __asm__ volatile("fxsave64 %0" : "=m"(image));
    memcpy(&mask, image + MXCSR_MASK_OFFSET, 4);
    return mask ? mask : 0xffbf;
}

/* Asks for XGETBV with 1, which says what is in use, and for moves of whole mask registers. */
static void init_quick(void)
{
    const u64 masks = 1ul << X_OPMASK | 1ul << X_ZMM_HI256 | 1ul << X_HI16_ZMM;
    u32 a, b, c, d;
    if (!(xcr0 >> X_AVX & 1) || !__get_cpuid_count(0xd, 1, &a, &b, &c, &d) || !(a & 4))
        return;
    if (xcr0 & masks && (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX512BW)))
        return;
    xstate_quick.avx = offset[X_AVX];
    xstate_quick.opmask = offset[X_OPMASK];
    xstate_quick.zmm_hi256 = offset[X_ZMM_HI256];
    xstate_quick.hi16_zmm = offset[X_HI16_ZMM];
    xstate_quick.pkru = offset[X_PKRU];
    xstate_quick.mxcsr_mask = read_mxcsr_mask();
    xstate_quick.components = xcr0 & (masks | 1ul << X_SSE | 1ul << X_AVX | 1ul << X_PKRU);
}

void context_init(void)
{
    u32 a, b, c, d;
    if (!__get_cpuid_count(0xd, 0, &a, &b, &c, &d))
        return;
    image_bytes = b;
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    xcr0 = (u64)d << 32 | a;
    for (u32 i = X_AVX; i < X_COUNT; i++)
        if (xcr0 >> i & 1 && __get_cpuid_count(0xd, i, &a, &b, &c, &d)) {
            size[i] = a;
            offset[i] = b;
        }
    init_quick();
}

/* The tool's own registers are after the extended state; those of CONTEXT_LIVE are in the thread. */
static u32 tool_offset(void) { return (u32)(offsetof(struct bridge_state, xsave) + ((image_bytes + 63) & ~63u)); }
u32 context_bytes(void) { return tool_offset() + TOOL_BYTES; }
bool context_has_state(u64 mask) { return (xcr0 & mask) == mask; }

bool context_valid(const struct bridge_state *s)
{
    return s && (s->kind == CONTEXT_LIVE || s->kind == CONTEXT_COPY || s->kind == CONTEXT_PHYSICAL);
}

u64 context_sp(const struct bridge_state *s) { return s->gpr[RSP]; }

/* --- components -------------------------------------------------------------------------------------------------- */

static u64 *present(struct bridge_state *s) { return (u64 *)(s->xsave + LEGACY_BYTES); }
static bool has(const struct bridge_state *s, unsigned i) { return *present((struct bridge_state *)s) >> i & 1; }

static void init_component(u8 *image, unsigned i)
{
    if (i == X_X87) {
        u32 mxcsr[2];
        /* MXCSR is in the middle of the component and does not belong to it. */
        memcpy(mxcsr, image + MXCSR_OFFSET, sizeof mxcsr);
        memset(image, 0, X87_END);
        memcpy(image, &(u16){0x37f}, 2);
        memcpy(image + MXCSR_OFFSET, mxcsr, sizeof mxcsr);
    } else if (i == X_SSE) {
        memset(image + XMM_OFFSET, 0, 16 * 16);
    } else {
        memset(image + offset[i], 0, size[i]);
    }
}

static u8 *writable(struct bridge_state *s, unsigned i)
{
    if (!has(s, i))
        init_component(s->xsave, i);
    *present(s) |= 1ul << i;
    return s->xsave;
}

/* Bytes of component i, from `at` of the image on. */
static void get(const struct bridge_state *s, unsigned i, u32 at, void *out, u32 bytes)
{
    if (has(s, i)) {
        memcpy(out, s->xsave + at, bytes);
        return;
    }
    memset(out, 0, bytes);
    if (i == X_X87 && at == 0)
        memcpy(out, &(u16){0x37f}, 2);
}

static bool is_zero(const u8 *p, u32 bytes) { return !bytes || (!p[0] && !memcmp(p, p + 1, bytes - 1)); }

/* Zeros leave a component as it is that is all zeros: a tool that gives all registers the values that they have brings
 * none into use, above all not AMX's, which a thread may not have without asking the kernel. */
static void set(struct bridge_state *s, unsigned i, u32 at, const void *in, u32 bytes)
{
    if (i == X_X87 || has(s, i) || !is_zero(in, bytes))
        memcpy(writable(s, i) + at, in, bytes);
}

struct part {
    u8 component;
    u32 at, bytes;
};

/* A vector register is in up to three pieces. */
static unsigned vector_parts(u32 n, u32 bytes, struct part *p)
{
    if (n >= 16) {
        p[0] = (struct part){X_HI16_ZMM, offset[X_HI16_ZMM] + (n - 16) * 64, bytes};
        return 1;
    }
    p[0] = (struct part){X_SSE, XMM_OFFSET + n * 16, 16};
    p[1] = (struct part){X_AVX, offset[X_AVX] + n * 16, 16};
    p[2] = (struct part){X_ZMM_HI256, offset[X_ZMM_HI256] + n * 32, 32};
    return bytes == 16 ? 1 : bytes == 32 ? 2 : 3;
}

static u32 top_of_stack(const struct bridge_state *s)
{
    u16 status;
    get(s, X_X87, 2, &status, 2);
    return status >> 11 & 7;
}

/* Fields of the x87 environment, by register. */
static bool x87_field(u32 reg, struct part *p)
{
    for (size_t i = 0; i < ARRAY_LEN(x87_fields); i++)
        if (x87_fields[i].reg == reg) {
            *p = (struct part){X_X87, x87_fields[i].at, x87_fields[i].bytes};
            return true;
        }
    return false;
}

/* Where the extended state has it; 0: nowhere. */
static unsigned find_parts(const struct bridge_state *s, u32 reg, struct part *p)
{
    switch ((enum reg_class)regs_class(reg)) {
    case REG_CLASS_XMM: return vector_parts(reg - REG_XMM_BASE, 16, p);
    case REG_CLASS_YMM: return vector_parts(reg - REG_YMM_BASE, 32, p);
    case REG_CLASS_ZMM: return vector_parts(reg - REG_ZMM_BASE, 64, p);
    case REG_CLASS_ST:
        p[0] = (struct part){X_X87, ST_OFFSET + (reg - REG_ST0) * 16, 10};
        return 1;
    case REG_CLASS_MM: /* the mantissa of the physical register */
        p[0] = (struct part){X_X87, ST_OFFSET + ((reg - REG_MM0 - top_of_stack(s)) & 7) * 16, 8};
        return 1;
    case REG_CLASS_K:
        p[0] = (struct part){X_OPMASK, offset[X_OPMASK] + (reg - REG_K0) * 8, 8};
        return 1;
    case REG_CLASS_TMM:
        p[0] = (struct part){X_TILEDATA, offset[X_TILEDATA] + (reg - REG_TMM0) * 1024, 1024};
        return 1;
    default:
        if (reg == REG_TILECONFIG) {
            p[0] = (struct part){X_TILECFG, offset[X_TILECFG], 64};
            return 1;
        }
        return x87_field(reg, p);
    }
}

static bool cpu_has(u32 reg)
{
    struct part p[3];
    static const struct bridge_state none;
    unsigned n = find_parts(&none, reg, p);
    for (unsigned i = 0; i < n; i++)
        if (!(xcr0 >> p[i].component & 1))
            return false;
    return true;
}

unsigned context_reg_bytes(u32 reg)
{
    const struct reg_row *row = regs_row(reg);
    if (!row || !cpu_has(reg))
        return 0;
    switch ((enum reg_class)row->cls) {
    case REG_CLASS_NONE: case REG_CLASS_SYSTEM: case REG_CLASS_PIN_GR: case REG_CLASS_PIN_FLAGS:
    case REG_CLASS_PIN_STATUS_FLAGS: case REG_CLASS_PIN_DF_FLAG: case REG_CLASS_PIN_OTHER:
    case REG_CLASS_BUF:
        return 0;
    case REG_CLASS_OTHER:
        return reg == REG_TILECONFIG ? 64 : reg == REG_XCR0 ? 8 : 0;
    default:
        return (row->bits + 7u) / 8;
    }
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* Selectors are the same in host and guest code, and in all threads. */
static u16 selector(u32 reg)
{
    u16 v = 0;
    switch (reg) {
    case REG_SEG_CS: __asm__("mov %%cs,%0" : "=r"(v)); break;
    case REG_SEG_SS: __asm__("mov %%ss,%0" : "=r"(v)); break;
    case REG_SEG_DS: __asm__("mov %%ds,%0" : "=r"(v)); break;
    case REG_SEG_ES: __asm__("mov %%es,%0" : "=r"(v)); break;
    case REG_SEG_FS: __asm__("mov %%fs,%0" : "=r"(v)); break;
    case REG_SEG_GS: __asm__("mov %%gs,%0" : "=r"(v)); break;
    }
    return v;
}

static struct cpu_state *owner(const struct bridge_state *s)
{
    return (struct cpu_state *)((u8 *)s - offsetof(struct cpu_state, bridge));
}

static u64 *tool_regs(const struct bridge_state *s)
{
    return s->kind == CONTEXT_LIVE ? context_tool_regs(owner(s)) : (u64 *)((u8 *)s + tool_offset());
}

/* An IA-32 program's GS is where a 64-bit program has its FS, and the reverse (docs/design/ia32.md). */
static u32 place_of_base(u32 reg)
{
    if (LIKELY(!cpu_guest32))
        return reg;
    return reg == REG_SEG_FS_BASE ? REG_SEG_GS_BASE : REG_SEG_FS_BASE;
}

static u64 segment_base(const struct bridge_state *s, u32 reg)
{
    if (s->kind == CONTEXT_LIVE)
        return reg == REG_SEG_FS_BASE ? arch_tls_base() : owner(s)->gs_base;
    return reg == REG_SEG_FS_BASE ? s->fs_base : s->gs_base;
}

static u64 own_flags(const struct bridge_state *s) { return s->kind == CONTEXT_LIVE ? context_step_flag() : 0; }

static u16 full_tags(const struct bridge_state *s)
{
    u8 abridged;
    u32 full = 0, top = top_of_stack(s);
    get(s, X_X87, 4, &abridged, 1);
    for (u32 i = 0; i < 8; i++) {
        struct { u64 mantissa; u16 exponent; } v = {0};
        get(s, X_X87, ST_OFFSET + ((i - top) & 7) * 16, &v, 10);
        u32 exponent = v.exponent & 0x7fff;
        u32 tag = !exponent && !v.mantissa ? 1 : exponent == 0x7fff || !exponent || !(v.mantissa >> 63) ? 2 : 0;
        full |= (abridged >> i & 1 ? tag : 3) << (2 * i);
    }
    return (u16)full;
}

static u64 read_other(const struct bridge_state *s, u32 reg)
{
    u32 v;
    switch ((enum reg_class)regs_class(reg)) {
    case REG_CLASS_SEG: return selector(reg);
    case REG_CLASS_FLAGS64: case REG_CLASS_FLAGS32: case REG_CLASS_FLAGS16: return s->flags & ~own_flags(s);
    case REG_CLASS_STATUS_FLAGS: return s->flags & STATUS_FLAGS;
    case REG_CLASS_DF_FLAG: return s->flags & FLAG_DF;
    case REG_CLASS_IP64: case REG_CLASS_IP32: case REG_CLASS_IP16: return s->pc;
    case REG_CLASS_SEG_BASE: return segment_base(s, place_of_base(reg));
    case REG_CLASS_MXCSR:
        /* Valid whatever the header says. */
        memcpy(&v, s->xsave + (reg == REG_MXCSR ? MXCSR_OFFSET : MXCSR_MASK_OFFSET), 4);
        return v;
    default: return reg == REG_FPTAG_FULL ? full_tags(s) : reg == REG_XCR0 ? xcr0 : 0;
    }
}

void context_read(const struct bridge_state *s, u32 reg, void *out)
{
    struct part p[3];
    unsigned at, bytes, n;
    int r = regs_gpr_number((u16)reg, &at, &bytes), tool = arch_tool_register((u16)reg, &at);
    if (r >= 0) {
        memcpy(out, (const u8 *)&s->gpr[r] + at, bytes);
    } else if (tool >= 0) {
        memcpy(out, &tool_regs(s)[tool], at);
    } else if (reg == REG_X87) {
        context_get_xstate(s, out, LEGACY_BYTES);
    } else if ((n = find_parts(s, reg, p))) {
        for (unsigned i = 0; i < n; out = (u8 *)out + p[i++].bytes)
            get(s, p[i].component, p[i].at, out, p[i].bytes);
    } else {
        u64 v = read_other(s, reg);
        memcpy(out, &v, context_reg_bytes(reg));
    }
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static void write_gpr(struct bridge_state *s, int r, unsigned at, unsigned bytes, const void *in)
{
    if (bytes == 4)
        s->gpr[r] = 0;
    memcpy((u8 *)&s->gpr[r] + at, in, bytes);
}

static bool write_flags(struct bridge_state *s, u64 v, u64 mask)
{
    mask &= FLAGS_CHANGEABLE & ~own_flags(s);
    s->flags = (s->flags & ~mask) | (v & mask);
    return true;
}

static bool write_base(struct bridge_state *s, u32 reg, u64 v)
{
    if ((s64)(v << 16) >> 16 != (s64)v)
        return false; /* not canonical */
    if (s->kind != CONTEXT_LIVE)
        *(reg == REG_SEG_FS_BASE ? &s->fs_base : &s->gs_base) = v;
    else if (reg == REG_SEG_FS_BASE)
        arch_set_tls_base(v);
    else
        owner(s)->gs_base = v;
    return true;
}

static bool write_mxcsr(struct bridge_state *s, u32 v)
{
    v &= MXCSR_VALID;
    memcpy(s->xsave + MXCSR_OFFSET, &v, 4);
    return true;
}

static bool write_other(struct bridge_state *s, u32 reg, u64 v)
{
    switch ((enum reg_class)regs_class(reg)) {
    case REG_CLASS_SEG: return v == selector(reg);
    case REG_CLASS_FLAGS64: case REG_CLASS_FLAGS32: return write_flags(s, v, ~0ul);
    case REG_CLASS_FLAGS16: return write_flags(s, v, 0xffff);
    case REG_CLASS_STATUS_FLAGS: return write_flags(s, v, STATUS_FLAGS);
    case REG_CLASS_DF_FLAG: return write_flags(s, v, FLAG_DF);
    case REG_CLASS_IP64: s->pc = v; return true;
    case REG_CLASS_IP32: s->pc = (u32)v; return true;
    case REG_CLASS_IP16: memcpy(&s->pc, &v, 2); return true;
    case REG_CLASS_SEG_BASE: return write_base(s, place_of_base(reg), v);
    case REG_CLASS_MXCSR: return reg == REG_MXCSR && write_mxcsr(s, (u32)v);
    default: break;
    }
    if (reg != REG_FPTAG_FULL)
        return false;
    u8 abridged = 0;
    for (u32 i = 0; i < 8; i++)
        abridged |= (u8)(((v >> (2 * i) & 3) != 3) << i);
    set(s, X_X87, 4, &abridged, 1);
    return true;
}

/* As an MMX instruction leaves it: exponent all ones, the register in use. */
static void mark_mmx(struct bridge_state *s, u32 reg, const struct part *p)
{
    u8 tags;
    set(s, X_X87, p->at + 8, &(u16){0xffff}, 2);
    get(s, X_X87, 4, &tags, 1);
    tags |= (u8)(1u << (reg - REG_MM0));
    set(s, X_X87, 4, &tags, 1);
}

bool context_write(struct bridge_state *s, u32 reg, const void *in)
{
    struct part p[3];
    unsigned at, bytes, n;
    int r = regs_gpr_number((u16)reg, &at, &bytes), tool;
    if (r >= 0) {
        write_gpr(s, r, at, bytes, in);
        return true;
    }
    if ((tool = arch_tool_register((u16)reg, &bytes)) >= 0) {
        tool_regs(s)[tool] = 0;
        memcpy(&tool_regs(s)[tool], in, bytes);
        return true;
    }
    if (reg == REG_X87) { /* as Pin has it: all of FXSAVE's image */
        context_set_xstate(s, in, LEGACY_BYTES);
        return true;
    }
    if ((n = find_parts(s, reg, p))) {
        for (unsigned i = 0; i < n; in = (const u8 *)in + p[i++].bytes)
            set(s, p[i].component, p[i].at, in, p[i].bytes);
        if (regs_class(reg) == REG_CLASS_MM)
            mark_mmx(s, reg, p);
        return true;
    }
    u64 v = 0;
    memcpy(&v, in, context_reg_bytes(reg));
    return write_other(s, reg, v);
}

/* --- as a whole --------------------------------------------------------------------------------------------------- */

void context_get_xstate(const struct bridge_state *s, void *out, size_t bytes)
{
    static const unsigned parts[] = {X_X87, X_SSE, X_AVX, X_OPMASK, X_ZMM_HI256, X_HI16_ZMM, X_TILECFG, X_TILEDATA};
    size_t n = bytes < image_bytes ? bytes : image_bytes;
    memcpy(out, s->xsave, n);
    memset((u8 *)out + n, 0, bytes - n);
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        if (!has(s, parts[i]) && (parts[i] <= X_SSE || (size[parts[i]] && bytes > LEGACY_BYTES)))
            init_component(out, parts[i]);
    if (bytes > LEGACY_BYTES) {
        memset((u8 *)out + LEGACY_BYTES, 0, HEADER_BYTES);
        memcpy((u8 *)out + LEGACY_BYTES, &xcr0, 8);
    }
}

/* An image that context_get_xstate has filled has all components, those that are in their initial state, too. */
static void drop_unused_tiles(struct bridge_state *s)
{
    for (unsigned i = X_TILECFG; i <= X_TILEDATA; i++)
        if (has(s, i) && is_zero(s->xsave + offset[i], size[i]))
            *present(s) &= ~(1ul << i);
}

void context_set_xstate(struct bridge_state *s, const void *in, size_t bytes)
{
    u32 mxcsr;
    if (bytes > LEGACY_BYTES) {
        memcpy(s->xsave, in, bytes < image_bytes ? bytes : image_bytes);
        *present(s) &= xcr0;
        memset(present(s) + 1, 0, HEADER_BYTES - 8);
        drop_unused_tiles(s);
    } else {
        memcpy(s->xsave, in, bytes);
    }
    *present(s) |= 1ul << X_X87 | 1ul << X_SSE; /* FXSAVE writes no such bits, and tools set no other components */
    memcpy(&mxcsr, s->xsave + MXCSR_OFFSET, 4);
    write_mxcsr(s, mxcsr);
}

u32 context_to_dwarf(const struct bridge_state *s, u64 reg[DWARF_REGS], u32 *sp, u32 *fp)
{
    static const enum gpr wide[16] = {RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8, R9, R10, R11, R12, R13, R14, R15},
                          narrow[8] = {RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI};
    const enum gpr *order = cpu_guest32 ? narrow : wide;
    u32 n = cpu_guest32 ? ARRAY_LEN(narrow) : ARRAY_LEN(wide);
    for (u32 i = 0; i < n; i++) {
        reg[i] = s->gpr[order[i]];
        *sp = order[i] == RSP ? i : *sp;
        *fp = order[i] == RBP ? i : *fp;
    }
    reg[n] = s->pc;
    return n;
}

void context_load_cpu(const struct bridge_state *s, u64 n)
{
    __asm__ volatile("xrstor64 (%0)" ::"r"(s->xsave), "a"((u32)n), "d"((u32)(n >> 32)) : "memory");
}

void context_store_cpu(struct bridge_state *s, u64 n)
{
    __asm__ volatile("xsave64 (%0)" ::"r"(s->xsave), "a"((u32)n), "d"((u32)(n >> 32)) : "memory");
}

void context_copy(struct bridge_state *to, const struct bridge_state *from)
{
    u64 fs = segment_base(from, REG_SEG_FS_BASE), gs = segment_base(from, REG_SEG_GS_BASE);
    memmove(to, from, context_bytes());
    to->fs_base = fs;
    to->gs_base = gs;
    to->flags &= ~own_flags(from);
    if (from->kind == CONTEXT_LIVE)
        memcpy((u8 *)to + tool_offset(), tool_regs(from), TOOL_REGS * 8);
    to->kind = from->kind == CONTEXT_PHYSICAL ? CONTEXT_PHYSICAL : CONTEXT_COPY;
}

void context_take(struct bridge_state *to, const struct cpu_state *from)
{
    memcpy(to->gpr, from->gpr, sizeof to->gpr);
    to->pc = from->pc;
    to->flags = from->flags;
    memcpy(to->xsave, from->xsave, image_bytes);
    if (to->kind == CONTEXT_LIVE)
        return;
    to->kind = CONTEXT_COPY;
    to->fs_base = arch_tls_base();
    to->gs_base = from->gs_base;
    memcpy(tool_regs(to), context_tool_regs((struct cpu_state *)from), TOOL_REGS * 8);
}

void context_give(struct cpu_state *to, const struct bridge_state *from)
{
    context_give_guest(to, from);
    memmove(context_tool_regs(to), tool_regs(from), TOOL_REGS * 8);
}

void context_give_guest(struct cpu_state *to, const struct bridge_state *from)
{
    arch_set_tls_base(segment_base(from, REG_SEG_FS_BASE));
    to->gs_base = segment_base(from, REG_SEG_GS_BASE);
    memcpy(to->gpr, from->gpr, sizeof to->gpr);
    to->pc = from->pc;
    to->flags = from->flags & ~own_flags(from);
    memcpy(to->xsave, from->xsave, image_bytes);
}

bool context_amx_active(const struct cpu_state *c)
{
    u32 a, d;
    if (!(xcr0 >> X_TILECFG & 1))
        return false;
    if (c != &vm_tc.cpu)
        return *(const u64 *)(c->xsave + LEGACY_BYTES) >> X_TILECFG & 1;
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(1)); /* the components that are not in their initial state */
    return a >> X_TILECFG & 1;
}

void context_to_ucontext(const struct bridge_state *s, ucontext_t *to)
{
    static const enum gpr order[] = {R8, R9, R10, R11, R12, R13, R14, R15, RDI, RSI, RBP, RBX, RDX, RAX, RCX, RSP};
    memset(to, 0, sizeof *to);
    for (size_t i = 0; i < ARRAY_LEN(order); i++)
        to->uc_mcontext.gregs[i] = (greg_t)s->gpr[order[i]];
    to->uc_mcontext.gregs[ARRAY_LEN(order)] = (greg_t)s->pc;
    to->uc_mcontext.gregs[ARRAY_LEN(order) + 1] = (greg_t)s->flags;
}
