/* SPDX-License-Identifier: Apache-2.0
 * IA-32 instructions that 64-bit mode does not have, or has with another meaning: carried out on vm_tc.cpu. Those that
 * would lead to other code segments, and some that no compiler writes, are refused by name. On the guest's thread, no
 * lock held. */
#include "arch/x86/emulate32.h"
#include "arch/x86/emulate32_todo.h"

#include "opt/events.h"
#include "opt/pass.h"
#include "os/fault.h"
#include "os/gmap.h"
#include "os/os.h"
#include "os/thread.h"

#include <string.h>

enum {
    SELECTOR_DATA = 0x2b, SELECTOR_RPL = 3, SELECTOR_LDT = 4, FLAGS_POPPED = 0x254dd5, FLAG_TF = 0x100,
    FLAGS_PUSHED = 0xfcffff /* without RF and VM */
};

static bool note_fault(struct todo *t, u64 at, u8 access)
{
    t->paged = true;
    t->fault_at = (u32)at;
    t->access = access;
    return false;
}

bool emulate32_load(struct todo *t, u64 at, void *to, size_t bytes)
{
    const void *from = (void *)translate_address((u32)at, bytes, vm_tc.cpu.pc, false, TRANSLATE_ENGINE);
    size_t n = os_safe_copy(to, from, bytes);
    return n == bytes || note_fault(t, at + n, FAULT_ACCESS_READ);
}

/* All or nothing: what crosses a page is tried in its last byte first. */
bool emulate32_store(struct todo *t, u64 at, const void *from, size_t bytes)
{
    u64 to = translate_address((u32)at, bytes, vm_tc.cpu.pc, true, TRANSLATE_ENGINE), last = to + bytes - 1;
    u8 byte;
    bool crosses = to / PAGE_BYTES != last / PAGE_BYTES, good = true;
    if (crosses && os_safe_copy(&byte, (void *)last, 1) == 1)
        good = os_safe_copy((void *)last, &byte, 1) == 1;
    if (!good)
        return note_fault(t, at + (os_safe_copy((void *)to, (void *)to, 1) == 1 ? PAGE_DOWN(last) - to : 0),
                          FAULT_ACCESS_WRITE);
    size_t n = os_safe_copy((void *)to, from, bytes);
    return n == bytes || note_fault(t, at + n, FAULT_ACCESS_WRITE);
}

#define load(at, to, bytes) emulate32_load(t, at, to, bytes)
#define store(at, from, bytes) emulate32_store(t, at, from, bytes)

static u8 al(const struct todo *t) { return (u8)t->c->gpr[RAX]; }
static u8 ah(const struct todo *t) { return (u8)(t->c->gpr[RAX] >> 8); }
static void set_ax(struct todo *t, u8 high, u8 low)
{
    t->c->gpr[RAX] = (t->c->gpr[RAX] & 0xffff0000) | (u32)high << 8 | low;
}

/* --- segments ---------------------------------------------------------------------------------------------------- */

u16 emulate32_selector(u32 which)
{
    u16 s = vm_tc.arch.selector[which];
    /* A thread begins with its creator's; its area is the first. */
    return s || which != SELECTOR_GS || !arch_tls_base() ? s : EMULATE32_AREA_FIRST << 3 | SELECTOR_RPL;
}

s64 emulate32_set_area(int *entry, u32 base)
{
    u32 *area = vm_tc.arch.area;
    if (*entry == -1)
        for (int i = 0; i < AREAS && *entry == -1; i++)
            *entry = vm_tc.arch.area_used >> i & 1 ? -1 : EMULATE32_AREA_FIRST + i;
    if (*entry == -1)
        return -3; /* ESRCH */
    if (*entry < EMULATE32_AREA_FIRST || *entry >= EMULATE32_AREA_FIRST + AREAS)
        return -22; /* EINVAL */
    area[*entry - EMULATE32_AREA_FIRST] = base;
    vm_tc.arch.area_used |= 1u << (*entry - EMULATE32_AREA_FIRST);
    if (emulate32_selector(SELECTOR_GS) >> 3 == *entry)
        arch_set_tls_base(base);
    if (emulate32_selector(SELECTOR_FS) >> 3 == *entry)
        vm_tc.cpu.gs_base = base;
    return 0;
}

static bool load_selector(u32 which, u16 v)
{
    u32 base = 0, entry = v >> 3;
    if (v == emulate32_selector(which))
        return true;
    if (entry >= EMULATE32_AREA_FIRST && entry < EMULATE32_AREA_FIRST + AREAS && (v & 7) == SELECTOR_RPL)
        base = vm_tc.arch.area[entry - EMULATE32_AREA_FIRST];
    else if (v & SELECTOR_LDT && emulate_loadable(v))
        base = (u32)emulate_segment_base(v);
    else if (v & ~SELECTOR_RPL && v != SELECTOR_DATA)
        return false;
    vm_tc.arch.selector[which] = v;
    if (which == SELECTOR_GS)
        arch_set_tls_base(base);
    else
        vm_tc.cpu.gs_base = base;
    return true;
}

static u16 read_selector(ZydisRegister r)
{
    switch (r) {
    case ZYDIS_REGISTER_CS: return SELECTOR_CODE32;
    case ZYDIS_REGISTER_FS: return emulate32_selector(SELECTOR_FS);
    case ZYDIS_REGISTER_GS: return emulate32_selector(SELECTOR_GS);
    default: return SELECTOR_DATA;
    }
}

bool emulate32_set_selector(ZydisRegister r, u16 v)
{
    if (r == ZYDIS_REGISTER_FS || r == ZYDIS_REGISTER_GS)
        return load_selector(r == ZYDIS_REGISTER_FS ? SELECTOR_FS : SELECTOR_GS, v);
    return r != ZYDIS_REGISTER_CS && (v | SELECTOR_RPL) == SELECTOR_DATA;
}

/* --- operands ---------------------------------------------------------------------------------------------------- */

u32 emulate32_segment_base(const struct todo *t, ZydisRegister segment)
{
    return segment == ZYDIS_REGISTER_GS ? (u32)arch_tls_base() : segment == ZYDIS_REGISTER_FS ? (u32)t->c->gs_base : 0;
}

u64 emulate32_address(const struct todo *t, const ZydisDecodedOperand *o, u32 sp)
{
    u32 ea = (u32)o->mem.disp.value;
    int base = decoder_gpr(o->mem.base), index = decoder_gpr(o->mem.index);
    if (base >= 0)
        ea += base == RSP ? sp : reg32(t, (u32)base);
    if (index >= 0)
        ea += reg32(t, (u32)index) * o->mem.scale;
    if (t->z.address_width == 16)
        ea &= 0xffff;
    return ea + emulate32_segment_base(t, o->mem.segment);
}

bool emulate32_operand(struct todo *t, const ZydisDecodedOperand *o, u32 *v, size_t bytes)
{
    *v = 0;
    if (o->type == ZYDIS_OPERAND_TYPE_MEMORY)
        return load(emulate32_address(t, o, reg32(t, RSP)), v, bytes);
    *v = reg32(t, (u32)decoder_gpr(o->reg.value));
    return true;
}

bool emulate32_push(struct todo *t, u32 v)
{
    if (!store(reg32(t, RSP) - t->word, &v, t->word))
        return false;
    set32(t, RSP, reg32(t, RSP) - t->word);
    return true;
}

bool emulate32_pop(struct todo *t, u32 *v)
{
    *v = 0;
    if (!load(reg32(t, RSP), v, t->word))
        return false;
    set32(t, RSP, reg32(t, RSP) + t->word);
    return true;
}

/* --- instructions: true: carried out. False: it faults for want of memory ----------------------------------------- */

static bool push_flags(struct todo *t) { return emulate32_push(t, (u32)t->c->flags & FLAGS_PUSHED); }

void emulate32_pop_flags(struct todo *t, u32 v, u32 which)
{
    which &= FLAGS_POPPED;
    t->c->flags = (t->c->flags & ~(u64)which) | (v & which) | 2;
}

static bool pop_flags(struct todo *t)
{
    u32 v;
    if (!emulate32_pop(t, &v))
        return false;
    emulate32_pop_flags(t, v, t->word == 2 ? 0xffff : ~0u);
    return true;
}

static bool push_all(struct todo *t)
{
    u8 words[8 * 4];
    for (u32 i = 0; i < 8; i++) {
        u32 v = reg32(t, 7 - i);
        memcpy(words + i * t->word, &v, t->word);
    }
    u32 first = reg32(t, RSP) - t->word;
    if (!store(reg32(t, RSP) - 8 * t->word, words, 8 * t->word)) {
        if (PAGE_DOWN(t->fault_at) == PAGE_DOWN(first))
            t->fault_at = first;
        return false;
    }
    set32(t, RSP, reg32(t, RSP) - 8 * t->word);
    return true;
}

static bool pop_all(struct todo *t)
{
    u8 words[8 * 4];
    if (!load(reg32(t, RSP), words, 8 * t->word))
        return false;
    for (u32 i = 0; i < 8; i++)
        if (7 - i != RSP)
            memcpy(&t->c->gpr[7 - i], words + i * t->word, t->word);
    set32(t, RSP, reg32(t, RSP) + 8 * t->word);
    return true;
}

/* The address of its destination is computed with the stack pointer after it. */
static bool pop_to_memory(struct todo *t)
{
    u32 v = 0, sp = reg32(t, RSP);
    if (!load(sp, &v, t->word) || !store(emulate32_address(t, &t->op[0], sp + t->word), &v, t->word))
        return false;
    set32(t, RSP, sp + t->word);
    return true;
}

static bool leave_word(struct todo *t)
{
    u32 v, sp = reg32(t, RSP);
    set32(t, RSP, reg32(t, RBP));
    bool done = emulate32_pop(t, &v);
    if (done)
        set16(t, RBP, v);
    else
        set32(t, RSP, sp);
    return done;
}

static bool enter(struct todo *t)
{
    u32 frame = reg32(t, RBP), level = (u32)t->op[1].imm.value.u & 31, own = reg32(t, RSP) - t->word, v;
    if (!emulate32_push(t, frame))
        return false;
    for (u32 i = 1; i <= level; i++) { /* the frames around it, and its own */
        v = own;
        if ((i < level && !load(frame - i * t->word, &v, t->word)) || !emulate32_push(t, v))
            return false;
    }
    u32 end = reg32(t, RSP) - (u32)t->op[0].imm.value.u;
    u8 byte; /* the CPU tries whether it may write there */
    if (!load(end, &byte, 1) || !store(end, &byte, 1)) {
        t->access = FAULT_ACCESS_WRITE;
        return false;
    }
    set_part(t, RBP, own, t->word);
    set32(t, RSP, end);
    return true;
}

static void set_result_flags(struct todo *t, u8 v)
{
    u64 f = t->c->flags & ~(u64)0xc4;
    t->c->flags = f | (v & 0x80) | (v ? 0 : 0x40) | (__builtin_parity(v) ? 0 : 4);
}

static void set_carries(struct todo *t, bool carry, bool half)
{
    t->c->flags = (t->c->flags & ~(u64)(FLAG_CF | FLAG_AF)) | (carry ? FLAG_CF : 0) | (half ? FLAG_AF : 0);
}

static void adjust_decimal(struct todo *t, bool subtract)
{
    u8 old = al(t), v = old;
    bool carry = t->c->flags & FLAG_CF, half = (old & 15) > 9 || (t->c->flags & FLAG_AF), high = old > 0x99 || carry;
    if (half) {
        carry |= subtract ? v < 6 : v > 0xff - 6;
        v = (u8)(subtract ? v - 6 : v + 6);
    }
    if (high)
        v = (u8)(subtract ? v - 0x60 : v + 0x60);
    set_ax(t, ah(t), v);
    set_carries(t, high || (subtract && half && carry), half);
    set_result_flags(t, v);
}

static void adjust_ascii(struct todo *t, bool subtract)
{
    bool half = (al(t) & 15) > 9 || (t->c->flags & FLAG_AF);
    u16 ax = (u16)t->c->gpr[RAX];
    if (half)
        ax = (u16)(subtract ? ax - 0x106 : ax + 0x106);
    set_ax(t, (u8)(ax >> 8), (u8)(ax & 15));
    set_carries(t, half, half);
}

static bool multiply_adjust(struct todo *t)
{
    u8 by = (u8)t->op[0].imm.value.u;
    if (!by)
        return false;
    set_ax(t, al(t) / by, al(t) % by);
    set_result_flags(t, al(t));
    return true;
}

static void divide_adjust(struct todo *t)
{
    set_ax(t, 0, (u8)(al(t) + ah(t) * (u8)t->op[0].imm.value.u));
    set_result_flags(t, al(t));
}

static bool move_from_selector(struct todo *t)
{
    u16 v = read_selector(t->op[1].reg.value);
    if (t->op[0].type == ZYDIS_OPERAND_TYPE_MEMORY)
        return store(emulate32_address(t, &t->op[0], reg32(t, RSP)), &v, sizeof v);
    u32 r = (u32)decoder_gpr(t->op[0].reg.value);
    if (t->z.operand_width == 16)
        t->c->gpr[r] = (t->c->gpr[r] & 0xffff0000) | v;
    else
        set32(t, r, v);
    return true;
}

/* --- which it is -------------------------------------------------------------------------------------------------- */

static enum done pop_selector(struct todo *t)
{
    u32 v, sp = reg32(t, RSP);
    if (!emulate32_pop(t, &v))
        return FAULTS;
    if (emulate32_set_selector(t->op[0].reg.value, (u16)v))
        return DONE;
    set32(t, RSP, sp);
    return FAULTS;
}

static enum done move_to_selector(struct todo *t)
{
    u32 v;
    return done(emulate32_operand(t, &t->op[1], &v, 2) && emulate32_set_selector(t->op[0].reg.value, (u16)v));
}

/* bound and into: the other faults. */
static enum done check_bounds(struct todo *t)
{
    u32 limit[2] = {0, 0}, bytes = t->z.operand_width / 8;
    s32 v = (s32)reg32(t, (u32)decoder_gpr(t->op[0].reg.value)), low, high;
    u64 at = emulate32_address(t, &t->op[1], reg32(t, RSP));
    if (!load(at, &limit[0], bytes) || !load(at + bytes, &limit[1], bytes))
        return FAULTS;
    u32 shift = 32 - 8 * bytes;
    v = (s32)((u32)v << shift) >> shift;
    low = (s32)(limit[0] << shift) >> shift;
    high = (s32)(limit[1] << shift) >> shift;
    t->kind = FAULT_BOUNDS;
    return done(v >= low && v <= high);
}

static enum done adjust_privilege(struct todo *t)
{
    u32 v, r = reg32(t, (u32)decoder_gpr(t->op[1].reg.value));
    if (!emulate32_operand(t, &t->op[0], &v, 2))
        return FAULTS;
    bool less = (v & 3) < (r & 3);
    v = less ? (v & ~3u) | (r & 3) : v;
    if (less && t->op[0].type == ZYDIS_OPERAND_TYPE_REGISTER)
        set16(t, (u32)decoder_gpr(t->op[0].reg.value), v);
    else if (less && t->op[0].mem.segment == ZYDIS_REGISTER_CS)
        return FAULTS;
    else if (less && !store(emulate32_address(t, &t->op[0], reg32(t, RSP)), &v, 2))
        return FAULTS;
    t->c->flags = (t->c->flags & ~(u64)FLAG_ZF) | (less ? FLAG_ZF : 0);
    return DONE;
}

static enum done of_stack(struct todo *t)
{
    switch (t->z.mnemonic) {
    case ZYDIS_MNEMONIC_PUSHF: case ZYDIS_MNEMONIC_PUSHFD: return done(push_flags(t));
    case ZYDIS_MNEMONIC_POPF: case ZYDIS_MNEMONIC_POPFD: return done(pop_flags(t));
    case ZYDIS_MNEMONIC_PUSHA: case ZYDIS_MNEMONIC_PUSHAD: return done(push_all(t));
    case ZYDIS_MNEMONIC_POPA: case ZYDIS_MNEMONIC_POPAD: return done(pop_all(t));
    case ZYDIS_MNEMONIC_ENTER: return done(enter(t));
    case ZYDIS_MNEMONIC_LEAVE: return done(leave_word(t));
    case ZYDIS_MNEMONIC_PUSH: {
        u32 v;
        if (t->op[0].type == ZYDIS_OPERAND_TYPE_REGISTER)
            return done(emulate32_push(t, read_selector(t->op[0].reg.value)));
        return done(emulate32_operand(t, &t->op[0], &v, t->word) && emulate32_push(t, v));
    }
    case ZYDIS_MNEMONIC_POP:
        return t->op[0].type == ZYDIS_OPERAND_TYPE_MEMORY ? done(pop_to_memory(t)) : pop_selector(t);
    default: return REFUSED;
    }
}

/* sysenter and syscall, each on the CPUs of one maker: the kernel returns to the end of the vdso's int $0x80, which
 * makes the call here. What they have put elsewhere goes back: the second argument, or the stack pointer, is in ebp,
 * the sixth argument on the stack. */
static enum done call_fast(struct todo *t, bool with_syscall)
{
    u32 sixth, at = reg32(t, with_syscall ? RSP : RBP);
    if (!cpu_guest32_call || with_syscall != decode_is_amd())
        return REFUSED;
    t->c->pc = cpu_guest32_call - t->z.length;
    set32(t, with_syscall ? RCX : RSP, reg32(t, RBP));
    if (load(at, &sixth, sizeof sixth)) {
        set32(t, RBP, sixth);
    } else {
        set32(t, RAX, (u32)-14); /* EFAULT */
        t->c->pc += 2;           /* beyond it */
    }
    return DONE;
}

static bool is_selector(const ZydisDecodedOperand *o)
{
    return o->type == ZYDIS_OPERAND_TYPE_REGISTER &&
           ZydisRegisterGetClass(o->reg.value) == ZYDIS_REGCLASS_SEGMENT;
}

static enum done carry_out(struct todo *t)
{
    switch (t->z.mnemonic) {
    case ZYDIS_MNEMONIC_DAA: adjust_decimal(t, false); return DONE;
    case ZYDIS_MNEMONIC_DAS: adjust_decimal(t, true); return DONE;
    case ZYDIS_MNEMONIC_AAA: adjust_ascii(t, false); return DONE;
    case ZYDIS_MNEMONIC_AAS: adjust_ascii(t, true); return DONE;
    case ZYDIS_MNEMONIC_AAM: t->kind = FAULT_INT_DIVIDE; return done(multiply_adjust(t));
    case ZYDIS_MNEMONIC_AAD: divide_adjust(t); return DONE;
    case ZYDIS_MNEMONIC_SALC: set_ax(t, ah(t), t->c->flags & FLAG_CF ? 0xff : 0); return DONE;
    case ZYDIS_MNEMONIC_INTO: t->kind = FAULT_INT_OVERFLOW; return done(!(t->c->flags & FLAG_OF));
    case ZYDIS_MNEMONIC_BOUND: return check_bounds(t);
    case ZYDIS_MNEMONIC_ARPL: return adjust_privilege(t);
    case ZYDIS_MNEMONIC_MOV:
        if (is_selector(&t->op[0]))
            return move_to_selector(t);
        return is_selector(&t->op[1]) ? done(move_from_selector(t)) : REFUSED;
    case ZYDIS_MNEMONIC_SYSENTER: return call_fast(t, false);
    case ZYDIS_MNEMONIC_SYSCALL: return call_fast(t, true);
    case ZYDIS_MNEMONIC_XBEGIN: /* always aborts, which the program must expect */
        set32(t, RAX, 0);
        t->c->pc = (u32)(t->c->pc + (u64)t->z.raw.imm[0].value.s);
        return DONE;
    default: {
        enum done how = of_stack(t);
        how = how == REFUSED ? emulate32_string(t) : how;
        return how == REFUSED ? emulate32_transfer(t) : how;
    }
    }
}

static void refuse(const struct todo *t)
{
    static u32 told;
    if (__atomic_fetch_add(&told, 1, __ATOMIC_RELAXED) < 8)
        msg("the program executes %s%s at 0x%lx, which is not carried out for IA-32 programs: it gets SIGILL",
            ZydisMnemonicGetString(t->z.mnemonic), t->z.address_width == 16 ? " with addresses of 16 bits" : "", t->pc);
    os_raise_fault(OS_FAULT_ILLEGAL, t->pc);
}

/* A page fault as the kernel reports it, or another. */
static void raise_fault(const struct todo *t)
{
    struct gmap_area a;
    bool mapped = t->paged && gmap_find(t->fault_at, &a);
    struct os_fault_info f = {.kind = t->kind ? t->kind : FAULT_PROTECTION};
    if (t->paged)
        f = (struct os_fault_info){.kind = mapped ? FAULT_DENIED : FAULT_UNMAPPED, .access = t->access,
            .has_address = true, .address = t->fault_at};
    f.trap = f.kind == FAULT_INT_OVERFLOW;
    if (f.trap)
        t->c->pc = (u32)(t->c->pc + t->z.length);
    fault_raise(&f);
}

/* Code cannot be written to through its own segment. */
static bool writes_code_segment(const struct todo *t)
{
    for (u32 i = 0; i < t->z.operand_count; i++)
        if (t->op[i].type == ZYDIS_OPERAND_TYPE_MEMORY && t->op[i].mem.segment == ZYDIS_REGISTER_CS &&
            t->op[i].mem.type == ZYDIS_MEMOP_TYPE_MEM && t->z.mnemonic != ZYDIS_MNEMONIC_ARPL &&
            t->op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            return true;
    return false;
}

void emulate32(struct cpu_state *c)
{
    struct todo t = {.c = c, .pc = c->pc};
    u8 bytes[15];
    size_t n = code_fetch(bytes, c->pc, sizeof bytes);
    if (!ZYAN_SUCCESS(decoder_full(bytes, n, DECODER_32, &t.z, t.op))) {
        os_raise_fault(OS_FAULT_EXEC_UNMAPPED, c->pc + n);
        return;
    }
    t.word = t.z.operand_width == 16 ? 2 : 4;
    u64 sp = c->gpr[RSP];
    bool steps = c->flags & FLAG_TF;
    switch (writes_code_segment(&t) ? FAULTS : carry_out(&t)) {
    case DONE:
        c->pc = t.jumps ? (u32)c->pc : (u32)(c->pc + t.z.length);
        if (UNLIKELY(steps))
            fault_raise(&(struct os_fault_info){.kind = FAULT_STEP, .trap = true});
        break;
    case FAULTS:
        c->gpr[RSP] = sp;
        raise_fault(&t);
        break;
    case REFUSED:
        refuse(&t);
        break;
    }
}
