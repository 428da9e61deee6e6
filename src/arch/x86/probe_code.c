/* SPDX-License-Identifier: Apache-2.0
 * Code of probes (arch/probe.h; docs/design/probes.md, PB7 to PB12): the island that leads to host code, the
 * instructions that the patch displaces, moved there, and the patch. No state; any thread.
 *
 * An island: three words of data (the record, arch_probe_entry, where the entry leads), then
 *     entry:   jmp *word(%rip)
 *     full:    lea -128(%rsp),%rsp; call *word(%rip)
 *     resume:  lea 128(%rsp),%rsp
 *     original: the displaced instructions; jmp to the function's rest
 *     leave:   lea 128(%rsp),%rsp; ret */
#include "arch/probe.h"

#include "arch/arch.h"
#include "arch/x86/probe_move.h"
#include "os/thread.h"

#include <string.h>

#define JUMP_BYTES 5u
#define SHORT_BYTES 2u
#define ENTRY_WORD 8
#define TARGET_WORD 16
#define RESUME_OFFSET 41
#define SHORT_REACH 127
#define RED_ZONE 128
#define INT3 0xccu

void arch_probe_entry(void);
void (*arch_probe_entered)(void), (*arch_probe_due)(void);

/* --- decoding ----------------------------------------------------------------------------------------------------- */

static bool is_nop(const struct insn *in)
{
    const u8 *b = in->bytes + insn_opcode_off(in);
    if (in->cls != INSN_PLAIN || in->vex)
        return false;
    if (b[0] == 0x90)
        return in->rex_off == 0xff;
    return b[0] == 0x0f && b[1] == 0x1f;
}

size_t arch_probe_padding(gpc_t pc, const u8 *bytes, size_t n)
{
    struct insn in;
    size_t at = 0;
    while (at < n) {
        if (bytes[at] == INT3)
            at++;
        else if (decode_insn(&in, pc + at, bytes + at, n - at) && is_nop(&in))
            at += in.len;
        else
            break;
    }
    return at;
}

static bool is_direct(const struct insn *in)
{
    return in->cls == INSN_JCC || in->cls == INSN_LOOP || in->cls == INSN_JMP || in->cls == INSN_CALL;
}

void arch_probe_branches(gpc_t pc, const u8 *bytes, size_t n, void (*f)(void *, gpc_t, gpc_t, bool), void *arg)
{
    struct insn in;
    for (size_t at = 0; at < n;) {
        if (!decode_insn(&in, pc + at, bytes + at, n - at) || in.cls == INSN_BAD || !in.len) {
            at++; /* data, or code that the decoder does not know: what follows may be decoded amiss, never missed */
            continue;
        }
        if (is_direct(&in))
            f(arg, in.pc, in.target, in.cls == INSN_CALL);
        at += in.len;
    }
}

/* --- moving an instruction ---------------------------------------------------------------------------------------- */

static u64 here(const struct move *m) { return move_here(m); }

static bool reaches(u64 end, u64 to)
{
    s64 d = (s64)(to - end);
    return d > -0x7fff0000l && d < 0x7fff0000l;
}

/* The 4 bytes of displacement that end an instruction. */
static bool put_target(struct move *m, u64 to)
{
    u64 end = here(m) + 4;
    emit_u32(&m->e, (u32)(to - end));
    return reaches(end, to);
}

static bool put_jump(struct move *m, u64 to)
{
    emit_u8(&m->e, 0xe9);
    return put_target(m, to);
}

static bool move_jcc(struct move *m, const struct insn *in)
{
    EMIT(&m->e, 0x0f, (u8)(0x80 | in->cond));
    return put_target(m, in->target);
}

/* loop and jrcxz have a short form only: over a jump, to a jump. */
static bool move_loop(struct move *m, const struct insn *in)
{
    emit_bytes(&m->e, in->bytes, in->len - 1u);
    emit_u8(&m->e, 2);
    EMIT(&m->e, 0xeb, JUMP_BYTES);
    return put_jump(m, in->target);
}

/* The return address is the program's own, because unwinders look at it. */
static void push_return(struct move *m, const struct insn *in)
{
    u64 back = in->pc + in->len;
    EMIT(&m->e, 0x48, 0x8d, 0x64, 0x24, 0xf8); /* lea -8(%rsp),%rsp */
    EMIT(&m->e, 0xc7, 0x04, 0x24);             /* movl $low,(%rsp) */
    emit_u32(&m->e, (u32)back);
    EMIT(&m->e, 0xc7, 0x44, 0x24, 0x04);       /* movl $high,4(%rsp) */
    emit_u32(&m->e, (u32)(back >> 32));
}

static bool move_call(struct move *m, const struct insn *in)
{
    push_return(m, in);
    return put_jump(m, in->target);
}

static bool move_plain(struct move *m, const struct insn *in)
{
    u64 start = here(m);
    u8 *at = m->e.p;
    emit_bytes(&m->e, in->bytes, in->len);
    if (!in->rip_relative)
        return true;
    s32 disp;
    memcpy(&disp, in->bytes + in->disp_off, sizeof disp);
    u64 to = in->pc + in->len + (u64)(s64)disp;
    disp = (s32)(to - (start + in->len));
    memcpy(at + in->disp_off, &disp, sizeof disp);
    return reaches(start + in->len, to);
}

/* The same operand, of a jump. */
const char *probe_move_call_ind(struct move *m, const struct insn *in)
{
    u8 modrm = in->bytes[in->modrm_off];
    struct insn jump = *in;
    if ((modrm >> 3 & 7) != 2 || ((modrm & 7) == 4 && modrm < 0xc0))
        return "a call in it has an operand that cannot be moved";
    jump.bytes[in->modrm_off] = (u8)(modrm ^ (2 << 3 ^ 4 << 3));
    push_return(m, in);
    return move_plain(m, &jump) ? NULL : "what an instruction in it refers to is too far from where it can be moved";
}

const char *probe_move_insn(struct move *m, const struct insn *in, bool *ends)
{
    bool ok;
    *ends = false;
    switch (in->cls) {
    case INSN_JCC: ok = move_jcc(m, in); break;
    case INSN_LOOP: ok = move_loop(m, in); break;
    case INSN_JMP: ok = put_jump(m, in->target); *ends = true; break;
    case INSN_CALL: ok = move_call(m, in); *ends = true; break;
    case INSN_RET: case INSN_JMP_IND: ok = move_plain(m, in); *ends = true; break;
    case INSN_BAD: return "its first bytes are not instructions that the decoder knows";
    default: ok = move_plain(m, in); *ends = in->ends_trace && in->cls == INSN_PLAIN; break;
    }
    return ok ? NULL : "what its first instructions refer to is too far from where they can be moved";
}

/* --- the site ----------------------------------------------------------------------------------------------------- */

/* Does a jump in the function lead to its own start? Then the start is met again in a loop. */
static bool loops_to_start(const struct probe_site *s)
{
    return s->leads_into(s, s->pc, s->pc + 1, false);
}

/* A table of jumps: offsets of 4 bytes from its own address. One that leads into the displaced bytes is one too
 * many. */
static bool table_leads_into(const struct probe_site *s, u64 table, gpc_t to)
{
    for (const u8 *p = (const u8 *)table;; p += 4) {
        s32 off;
        if (os_safe_copy(&off, p, sizeof off) != sizeof off)
            return false;
        u64 target = table + (u64)(s64)off;
        if (target < s->pc || target >= s->end)
            return false;
        if (target > s->pc && target < to)
            return true;
    }
}

static bool tables_lead_into(const struct probe_site *s, gpc_t to)
{
    struct insn in;
    bool indirect = false;
    for (int pass = 0; pass < 2; pass++)
        for (gpc_t pc = s->pc; pc < s->end; pc += in.len ? in.len : 1) {
            if (!decode_insn(&in, pc, s->bytes + (pc - s->pc), s->end - pc))
                break;
            if (!pass)
                indirect |= in.cls == INSN_JMP_IND;
            else if (in.rip_relative && in.opcode == 0x8d) {
                s32 disp;
                memcpy(&disp, in.bytes + in.disp_off, sizeof disp);
                if (table_leads_into(s, in.pc + in.len + (u64)(s64)disp, to))
                    return true;
            }
            if (pass && !indirect)
                return false;
        }
    return false;
}

/* The instructions that `bytes` at the start are a part of, moved. */
static const char *displace(struct move *m, u32 bytes, struct probe_code *out)
{
    const struct probe_site *s = m->s;
    gpc_t pc = s->pc;
    bool ends = false;
    while (pc < s->pc + bytes) {
        struct insn in;
        if (pc >= s->end) { /* padding: nobody comes here */
            if (s->limit < s->pc + bytes)
                return "it is too short, and no padding follows it";
            pc = s->pc + bytes;
            break;
        }
        if (!decode_insn(&in, pc, s->bytes + (pc - s->pc), s->limit - pc) || !in.len)
            return "its first bytes are not instructions that the decoder knows";
        if (in.cls == INSN_CALL_IND && pc + in.len < s->pc + bytes)
            return "a call through a register among its first bytes would return into them";
        if (out->nmoved + 1 == PROBE_MOVED)
            return "too many instructions are in its first bytes";
        out->moved[out->nmoved].from = (u8)(pc - s->pc);
        out->moved[out->nmoved++].to = here(m);
        const char *why = probe_move_insn(m, &in, &ends);
        if (why)
            return why;
        pc += in.len;
    }
    /* A system call that is made again begins before where its thread stands. */
    out->moved[out->nmoved].from = (u8)(pc - s->pc);
    out->moved[out->nmoved++].to = here(m);
    if (!s->allow_targets && (s->leads_into(s, s->pc + 1, s->pc + bytes, false) || tables_lead_into(s, s->pc + bytes)))
        return "a branch leads into its first bytes";
    if (!ends && !put_jump(m, pc))
        return "its rest is too far from where its start can be moved";
    return NULL;
}

/* The displacement to a word of the island, in an instruction that ends with it. */
static void put_word_at(struct move *m, s32 word) { emit_u32(&m->e, (u32)(word - (s32)(m->e.p + 4 - m->buffer))); }

static void put_head(struct move *m, void *record, struct probe_code *out)
{
    emit_u64(&m->e, (u64)record);
    emit_u64(&m->e, (u64)arch_probe_entry);
    u8 *target = m->e.p;
    emit_u64(&m->e, 0);
    out->entry = here(m);
    out->target = m->address + TARGET_WORD;
    EMIT(&m->e, 0xff, 0x25); /* jmp *word(%rip) */
    put_word_at(m, TARGET_WORD);
    out->full = here(m);
    memcpy(target, &out->full, sizeof out->full);
    EMIT(&m->e, 0x48, 0x8d, 0x64, 0x24, 0x80); /* lea -128(%rsp),%rsp */
    EMIT(&m->e, 0xff, 0x15);                   /* call *word(%rip) */
    put_word_at(m, ENTRY_WORD);
    ASSERT(here(m) - m->address == RESUME_OFFSET);
    out->resume = here(m);
}

static void put_unwind_red_zone(struct move *m)
{
    EMIT(&m->e, 0x48, 0x8d, 0xa4, 0x24, RED_ZONE, 0, 0, 0); /* lea 128(%rsp),%rsp */
}

static bool put_patch(const struct probe_site *s, struct probe_code *out, u32 bytes)
{
    s64 far = (s64)(out->entry - (s->pc + JUMP_BYTES));
    memcpy(out->old, s->bytes, bytes);
    out->patch_bytes = bytes;
    if (bytes == JUMP_BYTES) {
        out->patch[0] = 0xe9;
        memcpy(out->patch + 1, &(s32){(s32)far}, 4);
        return reaches(s->pc + JUMP_BYTES, out->entry);
    }
    s64 near = (s64)(s->hop - (s->pc + SHORT_BYTES));
    out->patch[0] = 0xeb;
    out->patch[1] = (u8)(s8)near;
    out->hop_bytes = JUMP_BYTES;
    out->hop[0] = 0xe9;
    s32 rest = (s32)(out->entry - (s->hop + JUMP_BYTES));
    memcpy(out->hop + 1, &rest, 4);
    return near >= -SHORT_REACH && near <= SHORT_REACH && reaches(s->hop + JUMP_BYTES, out->entry);
}

/* copy: of the whole function; 0: only what the patch displaces is moved. */
static const char *make(const struct probe_site *s, u64 island, void *record, u32 bytes, u64 copy,
                        struct probe_code *out)
{
    *out = (struct probe_code){0};
    struct move m = {{out->island}, out->island, island, s};
    if (s->limit < s->pc + bytes)
        return "it is too short, and no padding follows it";
    put_head(&m, record, out);
    put_unwind_red_zone(&m);
    out->original = here(&m);
    const char *why = !copy             ? displace(&m, bytes, out)
                      : put_jump(&m, copy) ? NULL
                                           : "its copy is too far from it";
    if (why)
        return why;
    out->leave = here(&m);
    put_unwind_red_zone(&m);
    emit_u8(&m.e, 0xc3);
    out->island_bytes = (u32)(m.e.p - out->island);
    ASSERT(out->island_bytes <= PROBE_CODE_BYTES);
    return put_patch(s, out, bytes) ? NULL : "no memory is free that a jump from it reaches";
}

/* The long form first; a function too short for it may have the short one. */
const char *arch_probe_make(const struct probe_site *s, u64 island, void *record, struct probe_code *out)
{
    if (s->end <= s->pc)
        return "it has no code";
    if (!s->allow_targets && loops_to_start(s))
        return "a jump leads to its own start";
    const char *why = make(s, island, record, JUMP_BYTES, 0, out);
    if (why && s->hop && !make(s, island, record, SHORT_BYTES, 0, out))
        return NULL;
    return why;
}

const char *arch_probe_make_whole(const struct probe_site *s, u64 island, void *record, u64 copy,
                                  struct probe_code *out)
{
    return make(s, island, record, JUMP_BYTES, copy, out);
}

u32 arch_probe_put_jump(u8 *to, u64 at, u64 target)
{
    struct move m = {{to}, to, at, NULL};
    return put_jump(&m, target) ? JUMP_BYTES : 0;
}

/* --- where a thread is -------------------------------------------------------------------------------------------- */

void *arch_probe_record(void) { return *(void **)(vm_tc.cpu.pc - RESUME_OFFSET); }

u32 arch_probe_make_gate(u8 *to, u64 island, u64 *returns, u64 *jumps)
{
    struct move m = {{to}, to, island, NULL};
    struct probe_code head = {0};
    put_head(&m, NULL, &head);
    *returns = head.entry;
    *jumps = here(&m);
    put_unwind_red_zone(&m);
    EMIT(&m.e, 0x41, 0xff, 0xe3); /* jmp *%r11: no function expects anything there */
    return (u32)(m.e.p - to);
}

/* DWARF: a CIE (CFA: rsp + 0; the return address is a value: a constant), and its FDE. It is marked as a signal's
 * frame: an unwinder knows frames by their CFA, and that of an empty one is its callee's, too. In such a frame the
 * address is taken as it is, so it is the one before where the call returns to. */
u64 arch_probe_frame(u8 *to, u64 gate, u64 caller)
{
    struct emit e = {to};
    emit_u32(&e, 28);
    emit_u32(&e, 0);
    EMIT(&e, 1, 'S', 0, 1, 0x78, 16); /* version, a signal's frame, alignments 1 and -8, the return address' column */
    EMIT(&e, 0x0c, 7, 0);         /* def_cfa rsp, 0 */
    EMIT(&e, 0x16, 16, 9, 0x0e);  /* val_expression: const8u */
    emit_u64(&e, caller - 1);
    EMIT(&e, 0, 0, 0);
    ASSERT(e.p == to + 32);
    emit_u32(&e, 20);
    emit_u32(&e, 36);             /* back to the CIE */
    emit_u64(&e, gate - 1);
    emit_u64(&e, 16);
    emit_u32(&e, 0);              /* the end of all descriptions */
    return (u64)to + 32;
}

u32 arch_probe_make_visit(u8 *to, u64 island, void *record, struct probe_code *code, u64 *back)
{
    struct move m = {{to}, to, island, NULL};
    put_head(&m, record, code);
    put_unwind_red_zone(&m);
    EMIT(&m.e, 0xff, 0x25, 0, 0, 0, 0); /* jmp *the word that follows */
    *back = here(&m);
    emit_u64(&m.e, 0);
    return (u32)(m.e.p - to);
}

/* The restorer's bytes are those by which unwinders know a signal's frame. */
u32 arch_probe_make_handler(u8 *to, u64 island, void *record, struct probe_code *code, u64 *restorer)
{
    struct move m = {{to}, to, island, NULL};
    put_head(&m, record, code);
    code->leave = code->resume;
    put_unwind_red_zone(&m);
    emit_u8(&m.e, 0xc3);
    *restorer = here(&m);
    EMIT(&m.e, 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05); /* mov $rt_sigreturn,%rax; syscall */
    return (u32)(m.e.p - to);
}

u32 arch_probe_filter(const u32 *first, u32 n, const struct probe_code *code, u8 *to, u64 at)
{
    struct move m = {{to}, to, at, NULL};
    bool near = true;
    for (u32 i = 0; i < n; i++) {
        EMIT(&m.e, 0x81, 0xff); /* cmp $first,%edi */
        emit_u32(&m.e, first[i]);
        EMIT(&m.e, 0x0f, 0x84); /* je full */
        near &= put_target(&m, code->full);
    }
    near &= put_jump(&m, code->original);
    return near ? (u32)(m.e.p - to) : 0;
}

void arch_probe_jump(u64 jumps, gpc_t pc)
{
    vm_tc.cpu.gpr[R11] = pc;
    vm_tc.cpu.pc = jumps;
}

u64 arch_native_tls(void) { return vm_tc.cpu.slot[0]; }
u64 arch_native_mask(void) { return vm_tc.cpu.slot[1]; }
u64 arch_native_due_at(const struct cpu_state *c) { return (u64)&c->slot[2]; }
u64 arch_native_take_due(void)
{
    u64 due = vm_tc.cpu.slot[2];
    vm_tc.cpu.slot[2] = 0;
    return due;
}
void arch_native_set_mask(u64 mask) { vm_tc.cpu.slot[1] = mask; }

_Static_assert(offsetof(struct cpu_state, slot) == 152 && offsetof(struct cpu_state, pc) == 128, "probe.S");
