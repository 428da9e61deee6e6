/* SPDX-License-Identifier: Apache-2.0
 * The few instructions that lowering leaves to the VM: far transfers, loads of FS and GS, indirect branches through the
 * guest's GS, transactions. Works on vm_tc.cpu; a fault that the instruction would raise is raised for the guest with
 * the state unchanged. */
#include "opt/events.h"
#include "arch/arch.h"
#include "arch/x86/emulate32.h"
#include "arch/x86/emulate32_todo.h"
#include "arch/x86/lower.h"
#include "opt/pass.h"
#include "os/os.h"
#include "os/record.h"
#include "os/thread.h"

#include <asm/ldt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define USER_CS 0x33
#define USER_SS 0x2b
#define SELECTOR_RPL 3u
#define SELECTOR_LDT 4u
#define FLAG_NT 0x4000ul /* iret refuses to return from a nested task */

static bool load(void *dst, u64 at, size_t bytes)
{
    return os_safe_copy(dst, (void *)translate_address(at, bytes, vm_tc.cpu.pc, false, TRANSLATE_ENGINE), bytes) ==
           bytes;
}

static bool store(u64 at, const void *src, size_t bytes)
{
    return os_safe_copy((void *)translate_address(at, bytes, vm_tc.cpu.pc, true, TRANSLATE_ENGINE), src, bytes) ==
           bytes;
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
    return cpu_guest32 ? (u32)ea : ea;
}

/* Where memory operand n is: at its own address, unless the tool has rewritten it. */
static u64 operand_at(u32 n, u64 own) { return vm_tc.arch.moved >> n & 1 ? vm_tc.arch.memory_ptr[n] : own; }

static bool is_mem(const struct insn *in) { return in->bytes[in->modrm_off] >> 6 != 3; }

static bool rm_value(const struct insn *in, const struct cpu_state *c, u64 *v, size_t bytes)
{
    *v = 0;
    if (is_mem(in))
        return load(v, operand_at(0, effective_address(in, c)), bytes);
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

static u8 rex_of(const struct insn *in) { return in->rex_off == 0xff ? 0 : in->bytes[in->rex_off]; }

/* Operand size of a far transfer. */
static unsigned far_size(const struct insn *in)
{
    return rex_of(in) & 8 ? 8 : memchr(in->bytes, 0x66, in->prefixes) ? 2 : 4;
}

/* Each of these functions either carries the instruction out, or changes nothing and returns false: then the CPU
 * executes the instruction in the cache and faults as natively. An instruction that would succeed there must not get
 * that far: another code segment would end our control, another FS the host's TLS. */

/* True: it is another code segment, whose code is not run. */
static bool refuse_segment(u16 selector, u64 to)
{
    if (!os_is_code_segment(selector))
        return false;
    os_tell_code_segment(selector, to);
    os_raise_fault(OS_FAULT_GENERAL, 0);
    return true;
}

/* retf, iretq */
static bool far_return(const struct insn *in, struct cpu_state *c)
{
    u64 word[5] = {0};
    unsigned size = far_size(in), n = in->opcode == 0xcf ? 5 : 2;
    for (unsigned i = 0; i < n; i++)
        if (!load(&word[i], operand_at(0, c->gpr[RSP]) + i * size, size))
            return false;
    if ((word[1] & 0xffff) != USER_CS && (word[1] & SELECTOR_RPL) == SELECTOR_RPL &&
        refuse_segment((u16)word[1], word[0]))
        return true;
    if ((word[1] & 0xffff) != USER_CS || (n == 5 && ((word[4] & 0xffff) != USER_SS || c->flags & FLAG_NT)))
        return false;
    c->pc = word[0];
    if (n == 5) {
        c->flags = (c->flags & ~0x254dd5ul) | (word[2] & 0x254dd5ul) | 2;
        c->gpr[RSP] = word[3];
        return true;
    }
    c->gpr[RSP] += 2 * size;
    if (in->opcode == 0xca)
        c->gpr[RSP] += (u64)(in->bytes[in->len - 2] | in->bytes[in->len - 1] << 8);
    return true;
}

static bool far_branch(const struct insn *in, struct cpu_state *c, bool call)
{
    unsigned size = far_size(in), offset_bytes = size == 8 && decode_is_amd() ? 4 : size;
    u64 to = 0, ea = operand_at(0, effective_address(in, c));
    u16 cs = 0;
    if (!load(&to, ea, offset_bytes) || !load(&cs, ea + offset_bytes, 2))
        return false;
    cs |= SELECTOR_RPL; /* it may ask for more, and does not get it */
    if (cs != USER_CS)
        return refuse_segment(cs, to);
    if (call) {
        u64 back = in->pc + in->len, selector = USER_CS, sp = operand_at(1, c->gpr[RSP] - 2 * size);
        if (!store(sp + size, &selector, size) || !store(sp, &back, size))
            return false;
        c->gpr[RSP] -= 2 * size;
    }
    c->pc = to;
    return true;
}

static bool near_indirect(const struct insn *in, struct cpu_state *c, bool call)
{
    u64 to;
    if (!rm_value(in, c, &to, 8) || (call && !push(c, in->pc + in->len))) {
        os_raise_fault(OS_FAULT_GENERAL, 0);
        return true;
    }
    c->pc = to;
    return true;
}

/* May a program load it into a data segment register? */
bool emulate_loadable(u16 selector)
{
    bool ok;
    if (!(selector & 0xfffc))
        return true;
    __asm__("verr %1" : "=@ccz"(ok) : "r"(selector));
    return ok;
}

/* The segments that every 64-bit program has begin at 0, but not those that it has made in its LDT. */
u64 emulate_segment_base(u16 selector)
{
    size_t entry = selector >> 3, bytes = (entry + 1) * LDT_ENTRY_SIZE;
    u8 *table = selector & SELECTOR_LDT ? calloc(1, bytes) : NULL;
    u64 base = 0;
    if (table && (s64)arch_raw_syscall(SYS_modify_ldt, 0, (u64)table, bytes, 0, 0, 0) > 0) {
        const u8 *d = table + bytes - LDT_ENTRY_SIZE;
        base = (u64)d[2] | (u64)d[3] << 8 | (u64)d[4] << 16 | (u64)d[7] << 24;
    }
    free(table);
    return base;
}

static bool load_selector(const struct insn *in, struct cpu_state *c, bool fs, u64 selector)
{
    if (!emulate_loadable((u16)selector))
        return false;
    u64 base = emulate_segment_base((u16)selector);
    if (fs)
        arch_set_tls_base(base);
    else
        c->gs_base = base;
    c->pc = in->pc + in->len;
    return true;
}

static bool pop_selector(const struct insn *in, struct cpu_state *c)
{
    u64 v = 0;
    unsigned size = memchr(in->bytes, 0x66, in->prefixes) && !(rex_of(in) & 8) ? 2 : 8;
    if (!load(&v, operand_at(0, c->gpr[RSP]), size) || !load_selector(in, c, in->opcode == 0xa1, v))
        return false;
    c->gpr[RSP] += size;
    return true;
}

/* lfs, lgs */
static bool load_far_pointer(const struct insn *in, struct cpu_state *c, bool fs)
{
    unsigned size = far_size(in), offset_bytes = size == 8 && decode_is_amd() ? 4 : size;
    u64 offset = 0, ea = operand_at(0, effective_address(in, c));
    u64 *to = &c->gpr[(in->bytes[in->modrm_off] >> 3 & 7) | (rex_of(in) & 4) << 1];
    u16 selector = 0;
    if (!is_mem(in) || !load(&offset, ea, offset_bytes) || !load(&selector, ea + offset_bytes, 2) ||
        !load_selector(in, c, fs, selector))
        return false;
    *to = size == 2 ? (*to & ~0xfffful) | offset : offset;
    return true;
}

/* --- what the machine chooses ------------------------------------------------------------------------------------- */

enum { OP_XGETBV_RDTSCP = 0x01, OP_RDTSC = 0x31, OP_CPUID = 0xa2, OP_RANDOM = 0xc7 };
#define FLAGS_OF_RANDOM 0x8d5ul /* CF, and OF, SF, ZF, AF, PF, which become 0 */

static bool is_chance(const struct insn *in)
{
    u8 reg = in->modrm_off == 0xff ? 0 : in->bytes[in->modrm_off] >> 3 & 7;
    bool two_bytes = !in->vex && insn_first_opcode(in) == 0x0f;
    if (!two_bytes)
        return false;
    return in->opcode == OP_XGETBV_RDTSCP || in->opcode == OP_RDTSC || in->opcode == OP_CPUID ||
           (in->opcode == OP_RANDOM && reg >= 6 && !is_mem(in));
}

static bool has_prefix(const struct insn *in, u8 byte) { return memchr(in->bytes, byte, in->prefixes); }

/* rdrand, rdseed, rdpid: w[0] is the register, w[1] the carry flag. */
static void take_random(const struct insn *in, u64 *w, bool is_pid, bool seed)
{
    u64 v = 0;
    u8 carry = 0;
    if (is_pid)
        __asm__ volatile("rdpid %0" : "=r"(v));
    else if (seed)
        __asm__ volatile("rdseed %0; setc %1" : "=r"(v), "=q"(carry)::"cc");
    else
        __asm__ volatile("rdrand %0; setc %1" : "=r"(v), "=q"(carry)::"cc");
    bool wide = is_pid || rex_of(in) & 8, narrow = !wide && has_prefix(in, 0x66);
    w[0] = wide ? v : narrow ? (u16)v : (u32)v;
    w[1] = carry;
}

static void random_done(const struct insn *in, struct cpu_state *c, const u64 *w, bool is_pid)
{
    u64 *to = &c->gpr[(in->bytes[in->modrm_off] & 7) | (rex_of(in) & 1) << 3];
    bool narrow = !is_pid && !(rex_of(in) & 8) && has_prefix(in, 0x66);
    *to = narrow ? (*to & ~0xfffful) | w[0] : w[0];
    if (!is_pid)
        c->flags = (c->flags & ~FLAGS_OF_RANDOM) | w[1];
}

static void take_chance(const struct insn *in, const struct cpu_state *c, u64 *w)
{
    u8 last = in->bytes[in->len - 1];
    u32 a = (u32)c->gpr[RAX], b = 0, cx = (u32)c->gpr[RCX], d = 0;
    if (in->opcode == OP_CPUID)
        __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(cx), "=d"(d));
    else if (in->opcode == OP_RDTSC)
        __asm__ volatile("rdtsc" : "=a"(a), "=d"(d));
    else if (last == 0xf9)
        __asm__ volatile("rdtscp" : "=a"(a), "=d"(d), "=c"(cx));
    else
        __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(cx));
    w[0] = a;
    w[1] = b;
    w[2] = cx;
    w[3] = d;
}

/* False: the CPU says what is wrong with it. */
static bool chance(const struct insn *in, struct cpu_state *c)
{
    u64 w[OS_CHANCE_WORDS] = {0};
    u8 reg = in->modrm_off == 0xff ? 0 : in->bytes[in->modrm_off] >> 3 & 7;
    bool random = in->opcode == OP_RANDOM, is_pid = random && reg == 7 && has_prefix(in, 0xf3);
    bool is_xgetbv = in->opcode == OP_XGETBV_RDTSCP && in->bytes[in->len - 1] != 0xf9;
    if (is_xgetbv && (u32)c->gpr[RCX] > 1)
        return false;
    if (os_record != OS_REPLAYS && random)
        take_random(in, w, is_pid, reg == 7);
    else if (os_record != OS_REPLAYS)
        take_chance(in, c, w);
    os_record_chance(in->opcode, w);
    c->pc = in->pc + in->len;
    if (random) {
        random_done(in, c, w, is_pid);
        return true;
    }
    c->gpr[RAX] = w[0];
    c->gpr[RDX] = w[3];
    if (in->opcode == OP_CPUID)
        c->gpr[RBX] = w[1];
    if (in->opcode == OP_CPUID || (in->opcode == OP_XGETBV_RDTSCP && !is_xgetbv))
        c->gpr[RCX] = w[2];
    return true;
}

static bool emulate(const struct insn *in, struct cpu_state *c)
{
    if (is_chance(in))
        return chance(in, c);
    u8 reg = in->modrm_off == 0xff ? 0 : in->bytes[in->modrm_off] >> 3 & 7;
    u64 v;
    switch (in->opcode) {
    case 0xca: case 0xcb: case 0xcf:
        return far_return(in, c);
    case 0xff:
        return reg == 3 || reg == 5 ? far_branch(in, c, reg == 3) : near_indirect(in, c, reg == 2);
    case 0x8e:
        return rm_value(in, c, &v, 2) && load_selector(in, c, reg == 4, v);
    case 0xa1: case 0xa9:
        return pop_selector(in, c);
    case 0xb4: case 0xb5:
        return load_far_pointer(in, c, in->opcode == 0xb4);
    case 0xc7: /* xbegin: always aborts, which the program must expect */
        c->gpr[RAX] = 0;
        c->pc = in->target;
        return true;
    }
    return false;
}

static bool fetch(struct insn *in, u64 pc)
{
    u8 bytes[15];
    size_t n = code_fetch(bytes, pc, sizeof bytes);
    if (decode_insn(in, pc, bytes, n))
        return true;
    os_raise_fault(OS_FAULT_EXEC_UNMAPPED, pc + n);
    return false;
}

static void fix_fip(u64 field, bool wide)
{
    u64 at = 0;
    size_t bytes = wide ? 8 : 4;
    if (!load(&at, field, bytes) || !at)
        return;
    u64 guest = place_guest_pc_at(at, wide);
    if (guest)
        store(field, &guest, bytes);
}

/* The instruction has stored x87 state: puts the guest's address of the last x87 instruction there, and goes on after
 * it. Offsets of the instruction pointer: fnstenv and fnsave 12 (32 bits), the others 8 (64 bits with REX.W). */
static void fix_fpu_save(const struct insn *in, struct cpu_state *c, bool rewritten)
{
    u8 rex = rex_of(in);
    bool environment = in->opcode == 0xd9 || in->opcode == 0xdd;
    bool all = environment || (in->opcode == 0xae && (in->bytes[in->modrm_off] >> 3 & 7) == 0);
    /* 16-bit pointers: no room for ours or the guest's */
    bool short_form = environment && !(rex & 8) && memchr(in->bytes, 0x66, in->prefixes);
    if (!short_form && (all || (c->gpr[RAX] & 1)))
        fix_fip((rewritten ? c->slot[7] : effective_address(in, c)) + (environment ? 12 : 8),
                !environment && (rex & 8));
    c->pc += in->len;
}

bool arch_emulate(u32 part)
{
    struct insn in;
    if (!fetch(&in, vm_tc.cpu.pc))
        return true;
    if (UNLIKELY(cpu_guest32) && part != PART_FPU_SAVE) {
        emulate32(&vm_tc.cpu);
        return true;
    }
    vm_tc.arch.moved = part >= PART_MOVED ? part - PART_MOVED : 0;
    if (part == PART_ALL || part >= PART_MOVED)
        return emulate(&in, &vm_tc.cpu);
    fix_fpu_save(&in, &vm_tc.cpu, part == PART_FPU_SAVE_AT);
    return true;
}

static u64 target_of(const struct insn *in, const struct cpu_state *c)
{
    u64 to;
    if (!is_mem(in))
        return rm_value(in, c, &to, sizeof to) ? to : 0;
    return os_safe_copy(&to, (void *)effective_address(in, c), sizeof to) == sizeof to ? to : 0;
}

/* The bytes before `back` can be read as calls of several lengths: it is one that leads there. The last byte of the
 * instruction before it may look like a prefix that changes nothing; a REX prefix that names another register, which
 * has the same value, belongs to the call. */
bool arch_undo_call(struct cpu_state *c, gpc_t back)
{
    struct insn in;
    u8 bytes[9];
    size_t best = 0;
    if (UNLIKELY(cpu_guest32))
        return false;
    c->gpr[RSP] += sizeof back;
    for (size_t n = 2; n <= sizeof bytes; n++)
        if (os_safe_copy(bytes, (void *)(back - n), n) == n && decode_insn(&in, back - n, bytes, n) &&
            in.len == n && in.cls == INSN_CALL_IND && target_of(&in, c) == c->pc &&
            (!best || (in.rex_off == 0 && rex_of(&in) & 3)))
            best = n;
    if (best)
        c->pc = back - best;
    else
        c->gpr[RSP] -= sizeof back;
    return best != 0;
}
