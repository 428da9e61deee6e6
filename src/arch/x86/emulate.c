/* SPDX-License-Identifier: Apache-2.0
 * The few instructions that lowering leaves to the VM: far transfers, loads of FS and GS, indirect branches through the guest's GS, transactions. Works on
 * vm_tc.cpu; a fault that the instruction would raise is raised for the guest with the state unchanged. */
#include "arch/arch.h"
#include "arch/x86/decode.h"
#include "jit/build.h"
#include "vm/thread.h"

#include <string.h>

#define USER_CS 0x33
#define USER_SS 0x2b

static bool load(void *dst, u64 at, size_t bytes)
{
    return arch_safe_copy(dst, (void *)at, bytes) == bytes;
}

static bool store(u64 at, const void *src, size_t bytes)
{
    return arch_safe_copy((void *)at, src, bytes) == bytes;
}

static u64 effective_address(const struct insn *in, const struct cpu_state *c)
{
    const u8 *m = in->bytes + in->modrm_off;
    u8 rex = in->rex_off == 0xff ? 0 : in->bytes[in->rex_off];
    u8 mod = m[0] >> 6, rm = m[0] & 7;
    s64 disp = 0;
    if (in->disp_bytes == 1)
        disp = (s8)in->bytes[in->disp_off];
    else if (in->disp_bytes == 4) {
        s32 d;
        memcpy(&d, in->bytes + in->disp_off, 4);
        disp = d;
    }
    u64 ea = (u64)disp;
    if (rm == 4) {
        u8 sib = m[1];
        u8 index = (u8)((sib >> 3 & 7) | (rex & 2) << 2), base = (u8)((sib & 7) | (rex & 1) << 3);
        if (index != RSP)
            ea += c->gpr[index] << (sib >> 6);
        if ((sib & 7) != 5 || mod)
            ea += c->gpr[base];
    } else if (in->rip_relative) {
        ea += in->pc + in->len;
    } else {
        ea += c->gpr[rm | (rex & 1) << 3];
    }
    if (in->addr32)
        ea = (u32)ea;
    if (in->seg == 0x64)
        ea += arch_tls_base();
    if (in->seg == 0x65)
        ea += c->gs_base;
    return ea;
}

static bool is_mem(const struct insn *in) { return in->bytes[in->modrm_off] >> 6 != 3; }

static bool rm_value(const struct insn *in, const struct cpu_state *c, u64 *v, size_t bytes)
{
    *v = 0;
    if (is_mem(in))
        return load(v, effective_address(in, c), bytes);
    u8 rex = in->rex_off == 0xff ? 0 : in->bytes[in->rex_off];
    *v = c->gpr[(in->bytes[in->modrm_off] & 7) | (rex & 1) << 3];
    return true;
}

static bool push(struct cpu_state *c, u64 v)
{
    if (!store(c->gpr[RSP] - 8, &v, 8))
        return false;
    c->gpr[RSP] -= 8;
    return true;
}

static void fault(void) { os_raise_fault(OS_FAULT_GENERAL, 0); }

/* retf, iretq: operand size by REX.W (8) or 4. */
static void far_return(const struct insn *in, struct cpu_state *c)
{
    u64 word[5] = {0};
    u8 rex = in->rex_off == 0xff ? 0 : in->bytes[in->rex_off];
    unsigned size = rex & 8 ? 8 : 4, n = in->opcode == 0xcf ? 5 : 2;
    for (unsigned i = 0; i < n; i++)
        if (!load(&word[i], c->gpr[RSP] + i * size, size)) {
            fault();
            return;
        }
    if ((word[1] & 0xffff) != USER_CS) {
        fault(); /* other code segments: 32-bit code is not run */
        return;
    }
    c->pc = word[0];
    if (n == 5) {
        c->flags = (c->flags & ~0x254dd5ul) | (word[2] & 0x254dd5ul) | 2;
        c->gpr[RSP] = word[3];
    } else {
        c->gpr[RSP] += 2 * size;
        if (in->opcode == 0xca)
            c->gpr[RSP] += (u64)(in->bytes[in->len - 2] | in->bytes[in->len - 1] << 8);
    }
}

static void far_branch(const struct insn *in, struct cpu_state *c, bool call)
{
    u8 rex = in->rex_off == 0xff ? 0 : in->bytes[in->rex_off];
    unsigned size = rex & 8 ? 8 : 4;
    u64 to = 0, ea = is_mem(in) ? effective_address(in, c) : 0;
    u16 cs;
    if (!is_mem(in) || !load(&to, ea, size) || !load(&cs, ea + size, 2) || cs != USER_CS) {
        fault();
        return;
    }
    if (call && size == 8 && (!push(c, USER_CS) || !push(c, in->pc + in->len))) {
        fault();
        return;
    }
    if (call && size == 4) {
        u32 frame[2] = {(u32)(in->pc + in->len), USER_CS};
        if (!store(c->gpr[RSP] - 8, frame, 8)) {
            fault();
            return;
        }
        c->gpr[RSP] -= 8;
    }
    c->pc = to;
}

static void near_indirect(const struct insn *in, struct cpu_state *c, bool call)
{
    u64 to;
    if (!rm_value(in, c, &to, 8) || (call && !push(c, in->pc + in->len))) {
        fault();
        return;
    }
    c->pc = to;
}

/* A null selector clears the base; others have no meaning for a 64-bit program without an LDT. */
static void load_selector(const struct insn *in, struct cpu_state *c, bool fs, u64 selector)
{
    if ((selector & 0xfffc) && (selector & 0xffff) != USER_SS) {
        fault();
        return;
    }
    if (fs)
        arch_set_tls_base(0);
    else
        c->gs_base = 0;
    c->pc = in->pc + in->len;
}

static void pop_selector(const struct insn *in, struct cpu_state *c)
{
    u64 v = 0;
    if (!load(&v, c->gpr[RSP], 8)) {
        fault();
        return;
    }
    load_selector(in, c, in->opcode == 0xa1, v);
    if (c->pc == in->pc + in->len)
        c->gpr[RSP] += 8;
}

static void emulate(const struct insn *in, struct cpu_state *c)
{
    u8 reg = in->modrm_off == 0xff ? 0 : in->bytes[in->modrm_off] >> 3 & 7;
    u64 v;
    switch (in->opcode) {
    case 0xca: case 0xcb: case 0xcf:
        far_return(in, c);
        break;
    case 0xff:
        if (reg == 3 || reg == 5)
            far_branch(in, c, reg == 3);
        else
            near_indirect(in, c, reg == 2);
        break;
    case 0x8e:
        if (rm_value(in, c, &v, 2))
            load_selector(in, c, reg == 4, v);
        else
            fault();
        break;
    case 0xa1: case 0xa9:
        pop_selector(in, c);
        break;
    case 0xc7: /* xbegin: always aborts, which the program must expect */
        c->gpr[RAX] = 0;
        c->pc = in->target;
        break;
    default:
        os_raise_fault(OS_FAULT_ILLEGAL, in->pc);
    }
}

static bool fetch(struct insn *in, u64 pc)
{
    u8 bytes[15];
    size_t n = arch_safe_copy(bytes, (void *)pc, sizeof bytes);
    if (decode_insn(in, pc, bytes, n))
        return true;
    os_raise_fault(OS_FAULT_EXEC_UNMAPPED, pc + n);
    return false;
}

void arch_emulate(void)
{
    struct insn in;
    if (fetch(&in, vm_tc.cpu.pc))
        emulate(&in, &vm_tc.cpu);
}

/* The guest address of the x87 instruction at cache address `at`, of which perhaps only the low half is known; 0: it is not in the cache. */
static u64 guest_fip(u64 at, bool wide)
{
    for (const struct region *r = region_first(); r; r = r->next) {
        u64 pc = wide ? at : ((u64)r->base & ~0xfffffffful) | at;
        if (pc < (u64)r->code_start || pc >= (u64)r->code_next)
            continue;
        const struct code_item *item = region_find_item(r, (void *)pc);
        if (item && !item->ib_entry)
            return arch_guest_pc(item->trace, pc);
    }
    return 0;
}

static void fix_fip(u64 field, bool wide)
{
    u64 at = 0;
    size_t bytes = wide ? 8 : 4;
    if (!load(&at, field, bytes) || !at)
        return;
    u64 guest = guest_fip(at, wide);
    if (guest)
        store(field, &guest, bytes);
}

/* Offsets of the instruction pointer: fnstenv and fnsave 12 (32 bits), the others 8 (64 bits with REX.W). */
void arch_fix_fpu_save(void)
{
    struct cpu_state *c = &vm_tc.cpu;
    struct insn in;
    if (!fetch(&in, c->pc))
        return;
    u8 rex = in.rex_off == 0xff ? 0 : in.bytes[in.rex_off];
    bool environment = in.opcode == 0xd9 || in.opcode == 0xdd;
    bool all = environment || (in.opcode == 0xae && (in.bytes[in.modrm_off] >> 3 & 7) == 0);
    if (all || (c->gpr[RAX] & 1))
        fix_fip(effective_address(&in, c) + (environment ? 12 : 8), !environment && (rex & 8));
    c->pc += in.len;
}
