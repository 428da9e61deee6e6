/* SPDX-License-Identifier: Apache-2.0
 * REP string instructions with analysis calls: single iterations, because a tool sees each of them (as the CPU's trap
 * flag does).
 *
 *         analysis calls, or trace records
 *         jrcxz end             before trace records that are for iterations only; for ins and outs, and with 32-bit
 *                               addresses, it leads to the instruction itself, and then to the end
 *         the instruction without its REP prefix
 *         lea -1(%rcx),%rcx
 *         jne/je end            cmps and scas
 *         jrcxz end
 *         calls after the iteration
 *         exit to the instruction itself: a trace, and so a block, of its own
 *   end:                        the calls after the last iteration follow
 *
 * Whether there was an iteration, which calls after it may ask, is kept in bridge.value until they run.
 *
 * Under jit_lock. */
#include "arch/x86/bridge.h"

#include "arch/x86/facts.h"
#include "opt/carry.h"
#include "opt/fill.h"
#include "opt/objects.h"
#include "os/thread.h"

static bool is_port(const struct insn *in) { return in->opcode < 0x70; }

/* The last of F2 and F3 counts. */
static u8 rep_prefix(const struct insn *in)
{
    u8 found = 0;
    for (u8 i = 0; i < in->prefixes; i++)
        if (in->bytes[i] == 0xf2 || in->bytes[i] == 0xf3)
            found = in->bytes[i];
    return found;
}

u8 lower_repeat_data(const struct insn *in)
{
    bool compares = in->opcode == 0xa6 || in->opcode == 0xa7 || in->opcode == 0xae || in->opcode == 0xaf;
    u8 data = in->addr32 ? REP_COUNT32 : 0;
    if (compares)
        data |= rep_prefix(in) == 0xf3 ? REP_WHILE_ZERO : REP_WHILE_NOT_ZERO;
    return data;
}

/* Bytes that are not part of the instruction without REP: the prefix, and a REX before a prefix, which has no effect
 * there. */
static bool is_dropped(u8 b) { return b == 0xf2 || b == 0xf3 || (b & 0xf0) == 0x40; }

static void without_rep(struct insn *out, const struct insn *in)
{
    u8 n = 0, dropped = 0;
    *out = *in;
    for (u8 i = 0; i < in->code_len; i++) {
        if (i < in->prefixes && is_dropped(in->bytes[i]))
            dropped++;
        else
            out->bytes[n++] = in->bytes[i];
    }
    out->len = (u8)(in->len - dropped);
    out->code_len = n;
    out->prefixes = (u8)(in->prefixes - dropped);
    out->op_off = (u8)(in->op_off - dropped);
    if (in->rex_off != 0xff)
        out->rex_off = (u8)(in->rex_off - dropped);
}

/* Jumps to the end of the instruction, whose place is not known yet. */
struct ends {
    u8 *near, *far[3];
    u32 nfar;
};

/* jrcxz or jecxz */
static void jump_count_zero(struct emit *e, u8 data, bool far, struct ends *to)
{
    if (data & REP_COUNT32)
        emit_u8(e, 0x67);
    EMIT(e, 0xe3, 2); /* to the jump, if that is far */
    if (!far) {
        to->near = e->p - 1;
        return;
    }
    EMIT(e, 0xeb, 5, 0xe9); /* jmp over the jump */
    emit_u32(e, 0);
    to->far[to->nfar++] = e->p - 4;
}

/* jne or je, after cmps and scas. */
static void jump_found(struct emit *e, u8 data, struct ends *to)
{
    if (!(data & (REP_WHILE_ZERO | REP_WHILE_NOT_ZERO)))
        return;
    EMIT(e, 0x0f, data & REP_WHILE_ZERO ? 0x85 : 0x84);
    emit_u32(e, 0);
    to->far[to->nfar++] = e->p - 4;
}

static void land(const struct ends *to, u8 *here)
{
    for (u32 k = 0; k < to->nfar; k++)
        emit_land(to->far[k], here);
    if (!to->near)
        return;
    ASSERT(here - (to->near + 1) < 128);
    *to->near = (u8)(here - (to->near + 1));
}

static void emit_count_down(struct emit *e, u8 data)
{
    static const u8 lea64[] = {0x48, 0x8d, 0x49, 0xff}, lea32[] = {0x67, 0x8d, 0x49, 0xff};
    emit_bytes(e, data & REP_COUNT32 ? lea32 : lea64, 4);
}

#define REP_FIELD(f) ctx_disp(offsetof(struct thread, arch.rep.f))

static bool asks_first(const struct call *c)
{
    for (; c; c = c->next)
        for (u16 i = 0; i < c->nargs; i++)
            if (c->arg[i].iarg == IARG_MADE && ((const struct made *)c->arg[i].value)->counts)
                return true;
    return false;
}

/* movl $v,%fs:disp */
static void store_half(struct emit *e, s32 disp, u32 v)
{
    EMIT(e, 0x64, 0xc7, 0x04, 0x25); /* movl $imm32,%fs:disp32 */
    emit_u32(e, (u32)disp);
    emit_u32(e, v);
}

/* Notes that another iteration follows. */
static void note_iteration(struct emit *e, gpc_t pc)
{
    store_half(e, REP_FIELD(pc), (u32)pc);
    store_half(e, REP_FIELD(pc) + 4, (u32)(pc >> 32));
    emit_store_ctx(e, REP_FIELD(count), RCX);
    emit_store_ctx(e, REP_FIELD(sp), RSP);
}

/* Goes on to the next iteration: a trace of its own, or this trace itself, at `here`. The way to the end has the state
 * from before. */
static void go_on(struct pass *b, const struct insn *in, u8 *here)
{
    struct hold was = b->hold;
    bool carried = b->next_in;
    if (here) {
        struct emit e = {b->p};
        emit_jmp(&e, here);
        b->p = e.p;
        return;
    }
    lower_exit_jmp(b, in->pc, EXIT_KIND_BRANCH);
    if (!carried) {
        carry_forget(b);
        hold_set(b, was);
    }
}

/* What a count of 0 does is the CPU's affair in two cases: ins and outs fault without the right to use ports, and with
 * an address size of 32 bits Intel's CPUs clear the upper halves of rcx and, for movs and stos, of the pointers, which
 * AMD's leave alone. */
static bool asks_cpu(const struct insn *in) { return is_port(in) || in->addr32; }

/* With a count of 0, the instruction itself is executed, and then the jump to the end. Nothing is accessed, so the
 * segment that it names is of no importance. */
static void lower_no_iteration(struct pass *b, const struct insn *in, struct ends *to)
{
    u8 *from = to->far[0] - 1; /* the jump, whose place the instruction takes */
    struct emit e = {from};
    emit_bytes(&e, in->bytes, in->code_len);
    emit_u8(&e, 0xe9);
    emit_u32(&e, 0);
    to->far[0] = e.p - 4;
    from[-1] = (u8)(e.p - from);
    b->p = e.p;
}

/* Before an iteration: calls or records, and the test of the count. */
static void begin_iteration(struct pass *b, const struct insn *in, struct ins *ins, const struct call *calls,
                            struct ends *to)
{
    u32 i = (u32)(in - b->insn);
    bool fills = fill_repeats(b, i);
    if (calls)
        arch_lower_calls(b, in, ins, calls, BRIDGE_BEFORE, in->pc);
    if (fills)
        hold_leave(b, in->pc, i);
    if (fills && !fill_repeats_counted(b, i))
        fill_lower_iteration(b, i);
    if (ins->after) /* all ways to the calls after it have the same state */
        hold_sync_insn(b, i, true);
    pass_map(b, b->p, MAP_GUEST, in->pc, 0);
    struct emit e = {b->p};
    if (ins->after)
        emit_store_ctx_imm(&e, CTX(bridge.value), 0);
    jump_count_zero(&e, lower_repeat_data(in), true, to);
    b->p = e.p;
    if (asks_cpu(in))
        lower_no_iteration(b, in, to);
}

/* The map's entries for the iteration itself, from the first one on: the calls before it are done. */
static void mark_iteration(struct pass *b, const struct insn *in, const struct call *calls, u32 first)
{
    for (u32 k = first; k < b->nmap; k++) {
        b->map[k].calls_done = calls && b->map[k].kind == MAP_GUEST && !b->map[k].how;
        if (b->map[k].how == HOW_GS && b->pc + b->map[k].pc_off != in->pc) /* through gs: all is done but rcx */
            b->map[k].kind = MAP_COMMIT, b->map[k].how = 0, b->map[k].pc_off = (u16)(in->pc - b->pc),
            b->map[k].data = 0;
    }
}

/* Counts down, and looks whether another iteration follows. */
static void end_iteration(struct pass *b, const struct insn *in, struct ins *ins, bool asks, struct ends *to)
{
    u8 data = lower_repeat_data(in);
    pass_state(b, b->p, HOW_REP_STEP, in->pc, data);
    struct emit e = {b->p};
    emit_count_down(&e, data);
    pass_state(b, e.p, HOW_REP_DONE, in->pc, data);
    if (ins->after)
        emit_store_ctx_imm(&e, CTX(bridge.value), 1);
    jump_found(&e, data, to);
    jump_count_zero(&e, data, ins->after, to);
    if (asks)
        note_iteration(&e, in->pc);
    b->p = e.p;
    if (!ins->after)
        return;
    arch_lower_calls(b, in, ins, ins->after, BRIDGE_AFTER, in->pc); /* signals wait for them (mark_waits) */
    pass_map(b, b->p, MAP_GUEST, in->pc, 0);
}

void lower_repeat(struct pass *b, const struct insn *in, struct ins *ins, const struct call *calls)
{
    struct insn single;
    struct ends to = {0};
    u32 i = (u32)(in - b->insn), first = b->nmap;
    bool counted = fill_repeats(b, i) && fill_repeats_counted(b, i), alone = counted && b->p == b->body;
    without_rep(&single, in);
    begin_iteration(b, in, ins, calls, &to);
    u8 *again = b->p;
    if (calls)
        for (first = b->nmap; b->map[first - 1].kind == MAP_GUEST && !b->map[first - 1].how;)
            first--;
    if (counted)
        fill_lower_iteration(b, i);
    if (ins_rewritten(ins))
        lower_rewritten(b, &single, ins);
    else
        lower_plain(b, &single);
    mark_iteration(b, in, calls, first);
    end_iteration(b, in, ins, asks_first(calls), &to);
    go_on(b, in, alone ? again : NULL);
    struct emit e = {b->p};
    land(&to, e.p);
    if (asks_first(calls))
        emit_store_ctx_imm(&e, REP_FIELD(pc), 0);
    b->p = e.p;
    pass_map(b, b->p, MAP_GUEST, in->pc + in->len, 0);
}

static bool goes_on(const struct rep_note *n, u64 pc)
{
    const struct bridge_state *s = &vm_tc.cpu.bridge;
    return n->pc == pc && n->count == s->gpr[RCX] && n->sp == s->gpr[RSP];
}

bool facts_first_iteration(const struct ins_facts *f)
{
    u64 count = vm_tc.cpu.bridge.gpr[RCX], left = f->address_bits == 32 ? (u32)count : count;
    bool first = left && !goes_on(&vm_tc.arch.rep, f->pc);
    for (u32 i = 0; first && i < THREAD_REPS_KEPT; i++)
        if (goes_on(&vm_tc.arch.rep_kept[i], f->pc)) {
            vm_tc.arch.rep_kept[i].pc = 0;
            first = false;
        }
    return first;
}
