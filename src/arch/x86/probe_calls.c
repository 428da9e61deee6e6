/* SPDX-License-Identifier: Apache-2.0
 * System calls that the program makes by itself, found where their number is loaded (arch/probe.h;
 * docs/design/probes.md, PB20): a jump has room there, and nobody can come to the middle of one instruction. No
 * state; any thread.
 *
 * What may stand between the number and the system call are instructions that load a register or do nothing, so that
 * the call is made for certain, and its first argument is known at the first of them. */
#include "arch/probe.h"

#include "arch/arch.h"
#include "arch/x86/decode.h"
#include "os/os.h"
#include "os/thread.h"

#include <string.h>

#define BETWEEN 8u      /* so many instructions at most */
#define LONGEST 15u

/* A load of a register by one of the instructions that are known here. */
struct load {
    enum { LOAD_NOTHING, LOAD_NUMBER, LOAD_REGISTER, LOAD_MEMORY } from;
    u32 to;             /* the register */
    u32 reg;            /* LOAD_REGISTER; of LOAD_MEMORY the base */
    u32 bytes;          /* 4: the upper half becomes 0; sign: it is that of the lower one */
    bool sign;
    s64 value;          /* LOAD_NUMBER; of LOAD_MEMORY the displacement */
};

static s32 word_at(const u8 *p)
{
    s32 v;
    memcpy(&v, p, sizeof v);
    return v;
}

static u32 rex_bit(const struct insn *in, u32 bit)
{
    return in->rex_off == 0xff ? 0 : (in->bytes[in->rex_off] >> bit & 1u) << 3;
}

/* A base register and a displacement, without an index. */
static bool read_memory(const struct insn *in, struct load *l)
{
    u8 modrm = in->bytes[in->modrm_off], mod = modrm >> 6, rm = modrm & 7;
    if (in->seg || in->addr32 || (!mod && rm == 5))
        return false;
    l->reg = rm | rex_bit(in, 0);
    if (rm == 4) {
        u8 sib = in->bytes[in->modrm_off + 1];
        if ((sib >> 3 & 7) != 4 || rex_bit(in, 1) || (!mod && (sib & 7) == 5))
            return false;
        l->reg = (sib & 7u) | rex_bit(in, 0);
    }
    const u8 *disp = in->bytes + in->disp_off;
    l->value = !in->disp_bytes ? 0 : in->disp_bytes == 1 ? (s8)*disp : word_at(disp);
    l->from = LOAD_MEMORY;
    return true;
}

static bool read_modrm(const struct insn *in, u8 op, struct load *l)
{
    u8 modrm = in->bytes[in->modrm_off], mod = modrm >> 6;
    u32 reg = (modrm >> 3 & 7u) | rex_bit(in, 2), rm = (modrm & 7u) | rex_bit(in, 0);
    switch (op) {
    case 0x31: case 0x33: /* xor of a register with itself */
        l->from = LOAD_NUMBER;
        l->to = reg;
        return mod == 3 && reg == rm;
    case 0xc7:            /* mov of a number */
        l->from = LOAD_NUMBER;
        l->to = rm;
        l->value = word_at(in->bytes + in->code_len - 4);
        return mod == 3 && !(modrm >> 3 & 7);
    case 0x89:            /* mov */
        l->from = LOAD_REGISTER;
        l->to = rm;
        l->reg = reg;
        return mod == 3;
    case 0x63: case 0x8b: /* movslq, mov */
        l->to = reg;
        l->sign = op == 0x63;
        l->bytes = l->sign ? 4 : l->bytes;
        if (mod != 3)
            return read_memory(in, l);
        l->from = LOAD_REGISTER;
        l->reg = rm;
        return true;
    default:
        return false;
    }
}

static bool read_load(const struct insn *in, struct load *l)
{
    bool wide = in->rex_off != 0xff && in->bytes[in->rex_off] & 8;
    u8 op = insn_first_opcode(in);
    *l = (struct load){.bytes = wide ? 8 : 4};
    if (in->cls != INSN_PLAIN || in->vex || in->prefixes)
        return false;
    if (op == 0x90 && in->rex_off == 0xff)
        return true;
    if (op >= 0xb8 && op <= 0xbf && !wide) {
        l->from = LOAD_NUMBER;
        l->to = (op & 7u) | rex_bit(in, 0);
        l->value = (u32)word_at(in->bytes + in->code_len - 4);
        return true;
    }
    if (op == 0x63 && !wide)
        return false;
    return in->modrm_off != 0xff && read_modrm(in, op, l);
}

static bool is_number(const struct insn *in, u32 number)
{
    struct load l;
    return read_load(in, &l) && l.from == LOAD_NUMBER && l.to == RAX && (u32)l.value == number && in->len >= 5;
}

/* The memory that is read is the same then and now: nothing between writes any. Its base is. */
static bool comes_to_call(gpc_t pc, const u8 *bytes, size_t n)
{
    struct insn in;
    struct load l;
    u32 loaded = 0;
    for (u32 i = 0; i < BETWEEN && decode_insn(&in, pc, bytes, n) && in.len; i++) {
        if (in.cls == INSN_SYSCALL)
            return true;
        if (!read_load(&in, &l) || (l.from != LOAD_NOTHING && l.to == RAX))
            return false;
        if (l.to == RDI && l.from > LOAD_NUMBER && loaded >> l.reg & 1)
            return false;
        loaded |= l.from != LOAD_NOTHING ? 1u << l.to : 0;
        pc += in.len, bytes += in.len, n -= in.len;
    }
    return false;
}

u32 arch_probe_call_site(gpc_t start, const u8 *bytes, size_t n, gpc_t pc, u32 number)
{
    struct insn in;
    size_t at = 0;
    bool known = true;
    while (known && at < n && start + at <= pc) {
        known = decode_insn(&in, start + at, bytes + at, n - at) && in.cls != INSN_BAD && in.len;
        if (known && start + at == pc) {
            const u8 *next = bytes + at + in.len;
            return is_number(&in, number) && comes_to_call(pc + in.len, next, n - at - in.len) ? in.len : 0;
        }
        at += in.len;
    }
    return 0;
}

static u64 value_of(const struct load *l)
{
    u64 v = l->from == LOAD_REGISTER ? vm_tc.cpu.gpr[l->reg] : (u64)l->value;
    if (l->from == LOAD_MEMORY) {
        v = 0;
        os_safe_copy(&v, (const void *)(vm_tc.cpu.gpr[l->reg] + (u64)l->value), l->bytes);
    }
    return l->sign ? (u64)(s64)(s32)v : l->bytes == 4 ? (u32)v : v;
}

/* The first instruction is in an island; those that follow it are where they were. */
u64 arch_probe_call_argument(void)
{
    u8 bytes[LONGEST];
    struct insn in;
    struct load l;
    u64 v = vm_tc.cpu.gpr[RDI];
    gpc_t pc = vm_tc.cpu.pc;
    for (u32 i = 0; i <= BETWEEN + 1; i++) {
        size_t n = os_safe_copy(bytes, (const void *)pc, sizeof bytes);
        if (!decode_insn(&in, pc, bytes, n) || in.cls == INSN_SYSCALL)
            break;
        if (i && read_load(&in, &l) && l.from != LOAD_NOTHING && l.to == RDI)
            v = value_of(&l);
        pc += in.len;
    }
    return v;
}

/* A number of 32 bits behind an opcode that may load it. */
size_t arch_probe_call_next(const u8 *bytes, size_t n, size_t from, u32 number)
{
    const u8 *end = bytes + n, *p = bytes + from;
    while (p < end && (p = memmem(p, (size_t)(end - p), &number, sizeof number))) {
        size_t at = (size_t)(p - bytes);
        if (at > from && p[-1] == (0xb8 | RAX))
            return at - 1;
        if (at > from + 2 && p[-1] == 0xc0 && p[-2] == 0xc7)
            return at - 3; /* with a REX prefix */
        p++;
    }
    return n;
}
