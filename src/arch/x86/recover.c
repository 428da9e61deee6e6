/* SPDX-License-Identifier: Apache-2.0
 * Precise state: from the hardware registers at any cache address to the guest's state (E2, E13). Called from the
 * signal handler on the interrupted thread; reads traces and regions without a lock (they are not freed while a thread
 * is in them, E9). */
#include "arch/arch.h"
#include "opt/bind.h"
#include "opt/carry.h"
#include "arch/x86/clone.h"
#include "arch/x86/rewrite.h"
#include "os/thread.h"

bool lower_ib_in_registers;

static void take_slots(struct cpu_state *c)
{
    c->gpr[RCX] = c->slot[0];
    c->gpr[RAX] = c->slot[1];
}

/* Where emit_ib_save has put them. */
static void take_ib(struct cpu_state *c)
{
    if (!lower_ib_in_registers) {
        take_slots(c);
        return;
    }
    c->gpr[RCX] = c->gpr[IB_RCX];
    c->gpr[RAX] = c->gpr[IB_RAX];
}

static u64 flags_from_slot(const struct cpu_state *c)
{
    u64 v = c->slot[3];
    u64 flags = c->flags & ~0x8d5ul;
    return flags | (v >> 8 & 0xd5) | (v & 1) << 11;
}

/* The flags as emit_flags_to_ax has left them in ax, also after the first half of emit_flags_from_ax, which adds to
 * al. */
static u64 flags_from_ax(const struct cpu_state *c)
{
    u64 v = c->gpr[RAX];
    bool overflow = (u8)v == 1 || (u8)v == 0x80;
    return (c->flags & ~0x8d5ul) | (v >> 8 & 0xd5) | (u64)overflow << 11;
}

/* The instruction after the one of m: the map's first entry with a larger address. */
static u16 next_insn_off(const struct trace *t, const struct map_entry *m)
{
    struct map_reader r;
    map_begin(&r, t);
    while (map_next(&r) && (r.e.off <= m->off || r.e.pc_off <= m->pc_off))
        ;
    return r.e.pc_off;
}

/* After an iteration: does the instruction go on? */
static bool repeat_goes_on(const struct cpu_state *c, u8 data)
{
    u64 left = data & REP_COUNT32 ? (u32)c->gpr[RCX] : c->gpr[RCX];
    bool zero = c->flags & 0x40;
    return left && !(data & REP_WHILE_ZERO && !zero) && !(data & REP_WHILE_NOT_ZERO && zero);
}

static void recover_count(struct cpu_state *c, u16 data)
{
    u32 spills = data >> 8 & 3;
    if (data >> 10 & 1)
        c->flags = flags_from_slot(c);
    if (spills)
        c->gpr[data & 15] = c->slot[5];
    if (spills > 1)
        c->gpr[data >> 4 & 15] = c->slot[7];
}

/* The guest address of an indirect branch's target: the thread has its version already. */
static u64 without_version(u64 key) { return key - (vm_tc.jit.version << VERSION_SHIFT); }

const u8 arch_map_kind[MAP_HOWS + 1] = {
    [HOW_SPILL] = MAP_GUEST, [HOW_IB] = MAP_GUEST, [HOW_SYSCALL] = MAP_GUEST, [HOW_SYSRET] = MAP_GUEST,
    [HOW_IB_RCX] = MAP_GUEST, [HOW_STACK] = MAP_GUEST, [HOW_FRAME] = MAP_GUEST, [HOW_GS] = MAP_GUEST,
    [HOW_COUNT] = MAP_GUEST, [HOW_UNDO] = MAP_GUEST, [HOW_CHECK] = MAP_GUEST,
    [HOW_IB_DONE] = MAP_TARGET, [HOW_IB_KEY] = MAP_TARGET, [HOW_JUMP] = MAP_TARGET, [HOW_REP_STEP] = MAP_TARGET,
    [HOW_REP_DONE] = MAP_TARGET,
};
const u32 arch_map_undone = 1u << HOW_IB | 1u << HOW_IB_RCX | 1u << HOW_SPILL | 1u << HOW_GS | 1u << HOW_UNDO;
_Static_assert((int)HOWS <= (int)MAP_HOWS + 1, "room for them in a map entry");

/* Gets registers back from slots. pc: the guest's, if `how` does not say another. */
static u64 recover_how(struct cpu_state *c, const struct trace *t, const struct map_entry *m, u64 pc)
{
    switch ((enum map_how)m->how) {
    case HOW_UNDO:
        for (u32 r = 0, slot = 0; r < GPR_COUNT; r++)
            if (m->data >> r & 1)
                c->gpr[r] = c->slot[slot++];
        break;
    case HOW_SPILL:
        c->gpr[m->data >> 4] = c->slot[m->data & 15];
        break;
    case HOW_IB_DONE:
    case HOW_IB_KEY:
        vm_tc.jit.version = m->data;
        pc = m->how == HOW_IB_KEY ? without_version(c->gpr[RCX]) : c->gpr[RCX];
        take_ib(c);
        break;
    case HOW_IB:
        take_ib(c);
        break;
    case HOW_IB_RCX:
        c->gpr[RCX] = lower_ib_in_registers ? c->gpr[IB_RCX] : c->slot[0];
        break;
    case HOW_STACK:
        c->gpr[RSP] = (u32)(c->gpr[RSP] + (u64)(s16)m->data);
        break;
    case HOW_FRAME:
        c->gpr[RBP] = c->gpr[R8];
        break;
    case HOW_CHECK:
        take_slots(c);
        break;
    case HOW_COUNT:
        recover_count(c, m->data);
        break;
    case HOW_JUMP:
        if (m->data & MAP_JUMP_SLOTS)
            take_ib(c);
        pc = m->data & MAP_JUMP_TOOL ? vm_tc.opt.tool_reg[m->data & 31] : c->gpr[m->data & 15];
        break;
    case HOW_SYSCALL:
        c->gpr[RCX] = c->slot[0];
        break;
    case HOW_SYSRET:
        c->gpr[RCX] = pc;
        break;
    case HOW_REP_STEP:
        c->gpr[RCX] = m->data & REP_COUNT32 ? (u32)(c->gpr[RCX] - 1) : c->gpr[RCX] - 1;
        /* fall through */
    case HOW_REP_DONE:
        if (!repeat_goes_on(c, m->data))
            pc = t->pc + next_insn_off(t, m);
        else /* the note for the next iteration, which the code here may not have made yet */
            vm_tc.arch.rep = (struct rep_note){pc, c->gpr[RCX], c->gpr[RSP]};
        break;
    case HOW_GS:
        if (m->data & MAP_GS_RAX)
            c->gpr[RAX] = c->slot[2];
        if (m->data & MAP_GS_SWAPPED)
            arch_set_tls_base(c->slot[4]);
        break;
    case HOWS:
        break;
    }
    return pc;
}

static void recover_body(struct cpu_state *c, const struct trace *t)
{
    const struct map_entry found = map_at(t, c->pc - (u64)t->body), *m = &found;
    u64 pc = t->pc + m->pc_off;
    vm_tc.jit.version = t->version;
    if (m->how) {
        pc = recover_how(c, t, m, pc);
    } else if (m->kind == MAP_TARGET || m->kind == MAP_LEAVING) {
        const struct exit *x = exit_get(t->first_exit + m->data);
        pc = x->target;
        vm_tc.jit.version = x->version;
    }
    if (UNLIKELY(m->flags_held))
        c->flags = flags_from_ax(c);
    for (u32 r = 0; UNLIKELY(m->held >> r); r++)
        if (m->held >> r & 1)
            c->gpr[r] = c->bridge.gpr[r];
    c->pc = pc;
}

static void recover_ib_entry(struct cpu_state *c, const struct code_item *item)
{
    const struct trace *t = item->trace;
    u64 off = c->pc - (u64)item->start, target;
    if (item->kind == ITEM_COUNTED_ENTRY && off < ib_marks.count_bytes) {
        bool moved = off < ib_marks.count_moved || (off > ib_marks.count_entry && off < ib_marks.count_bytes);
        target = c->gpr[moved ? RAX : RCX];
        take_ib(c);
        c->pc = target;
        return;
    }
    off -= item->kind == ITEM_COUNTED_ENTRY ? ib_marks.count_bytes : 0;
    target = off < ib_marks.compared   ? c->gpr[RCX]
             : off < ib_marks.restored ? c->gpr[RCX] + trace_key(t)
                                       : trace_key(t);
    take_ib(c);
    c->pc = without_version(target);
}

/* In code that moves registers between traces (struct bound_piece): registers that it loads count as in the context,
 * those that it stores as in their registers, until the constant is loaded. */
static void recover_bound(struct cpu_state *c, const struct trace *t, const struct bound_piece *p)
{
    struct trace_binding b;
    trace_binding(t, &b);
    u16 held = (u16)((b.held & ~p->stores) | p->loads);
    if (c->pc == (u64)p->code + p->jump_off && b.constant_in)
        held |= (u16)(1u << (b.constant_in - 1));
    for (enum gpr r = RAX; r < GPR_COUNT; r++)
        if (held >> r & 1)
            c->gpr[r] = c->bridge.gpr[r];
    c->pc = t->pc;
    vm_tc.jit.version = t->version;
}

static void recover_item(struct cpu_state *c, const struct code_item *item)
{
    switch ((enum item_kind)item->kind) {
    case ITEM_BODY: recover_body(c, item->trace); break;
    case ITEM_ENTRY: case ITEM_COUNTED_ENTRY: recover_ib_entry(c, item); break;
    case ITEM_BOUND: recover_bound(c, item->trace, (const struct bound_piece *)item->start); break;
    }
}

u64 arch_gate_next_pc(u64 sysret)
{
    const struct trace *t = place_trace(sysret);
    ASSERT(t);
    struct map_entry m = map_at(t, sysret - (u64)t->body);
    ASSERT(m.how == HOW_SYSRET);
    return t->pc + m.pc_off;
}

static void recover_gate(struct cpu_state *c, const struct region *r)
{
    bool made = c->pc >= (u64)r->gate_after;
    /* A flusher may take the continuation away at any moment; once it is taken here, no flusher gets it. */
    u64 taken = __atomic_exchange_n(&c->sysret, 0, __ATOMIC_SEQ_CST);
    u64 to = c->pc < (u64)r->gate_syscall || c->pc == (u64)r->gate_taken ? c->gpr[RCX] : taken;
    u64 next = to == (u64)vm_gate_flushed ? c->sysret_pc : arch_gate_next_pc(to);
    if (made) {
        vm_tc.vm.tally.gate_calls += c->pc < (u64)r->gate_counted; /* a signal came as it returned */
        c->gpr[RCX] = next;
        c->pc = next;
    } else {
        c->gpr[RCX] = c->slot[0];
        c->pc = next - SYSCALL_BYTES;
    }
}

static void recover_ib_miss(struct cpu_state *c, const struct region *r)
{
    u64 pc = c->pc;
    u64 target = c->gpr[RCX];
    if (pc >= (u64)r->ib_mismatch && pc < (u64)r->ib_miss) {
        /* Rcx = target + rax, rax = -own address, or its complement. */
        u64 rax = pc == (u64)r->ib_mismatch ? ~c->gpr[RAX] : c->gpr[RAX];
        target = c->gpr[RCX] + rax + 1;
    }
    bool restored = (pc >= (u64)r->ib_none_restored && pc < (u64)r->ib_hit) || pc >= (u64)r->ib_found;
    if (pc > (u64)r->ib_miss && !restored)
        c->gpr[RDX] = c->slot[2];
    if (pc >= (u64)r->ib_rsi_saved && pc < (u64)r->ib_found)
        c->gpr[RSI] = c->slot[5];
    if (pc >= (u64)r->ib_flags_saved && !restored)
        c->flags = flags_from_slot(c);
    take_ib(c);
    c->pc = without_version(target);
}

/* The exit whose stub pc is in, or that has reached the shared jump there. */
static const struct exit *stub_exit(u64 pc)
{
    const struct stub_store *s = (const struct stub_store *)pc;
    return exit_get(stub_stores(s) ? s->number : (u32)vm_tc.cpu.exit_id);
}

static bool stub_is_far(u64 pc) { return emit_is_jmp_far((const u8 *)pc); }

static void recover_stub(struct cpu_state *c)
{
    if (stub_is_far(c->pc)) {
        const struct trace *t = place_item(emit_jmp_far_target((const u8 *)c->pc)).trace;
        ASSERT(t);
        c->pc = t->pc;
        vm_tc.jit.version = t->version;
        return;
    }
    const struct exit *x = stub_exit(c->pc);
    c->pc = x->target;
    vm_tc.jit.version = x->version;
}

/* Among the stubs there is also the way out of bridges. */
bool arch_stub_waits(u64 pc)
{
    if (stub_is_far(pc))
        return false;
    const struct stub_store *s = (const struct stub_store *)pc;
    if (!stub_stores(s) && !(emit_is_jmp((const u8 *)pc) && stub_stores(s - 1)))
        return true;
    u8 kind = stub_exit(pc)->kind;
    return kind != EXIT_KIND_BRANCH && kind != EXIT_KIND_STALE;
}

extern char bridge_restore_all[], bridge_restore_end[];

static void undo_to(struct arch_undo *u, enum gpr r, u64 value)
{
    u->reg[u->n] = (u8)r;
    u->value[u->n++] = value;
}

static void undo_one(struct arch_undo *u, enum gpr r, u32 slot) { undo_to(u, r, vm_tc.cpu.slot[slot]); }

/* Registers that the state of m has in the context, because their registers have been taken since for what is carried
 * (carry.h). */
static void undo_held(struct arch_undo *u, const struct map_entry *m)
{
    for (u32 r = 0; m->held >> r; r++)
        if (m->held >> r & 1)
            undo_to(u, (enum gpr)r, vm_tc.cpu.bridge.gpr[r]);
}

/* Registers that the state of m has in slots; nothing has had an effect yet. */
static void undo(struct arch_undo *u, const struct map_entry *m)
{
    switch ((enum map_how)m->how) {
    case HOW_IB: /* in slots: there is a tool */
        undo_one(u, RCX, 0);
        undo_one(u, RAX, 1);
        break;
    case HOW_IB_RCX:
        undo_one(u, RCX, 0);
        break;
    case HOW_SPILL:
        undo_one(u, (enum gpr)(m->data >> 4), m->data & 15);
        break;
    case HOW_UNDO:
        for (u32 r = 0; r < GPR_COUNT; r++)
            if (m->data >> r & 1)
                undo_one(u, (enum gpr)r, u->n);
        break;
    case HOW_GS:
        if (m->data & MAP_GS_RAX)
            undo_one(u, RAX, 2);
        if (m->data & MAP_GS_SWAPPED)
            arch_set_tls_base(vm_tc.cpu.slot[4]);
        break;
    default:
        break;
    }
}

/* The base register of an access made by rewrite.c, which has no index. */
static enum gpr base_of(const struct insn *in)
{
    u8 extension = in->rex_off != 0xff ? in->bytes[in->rex_off] & 1
                   : in->vex > 2       ? !(in->bytes[in->prefixes + 1] & 0x20)
                                       : 0;
    return (enum gpr)((in->bytes[in->modrm_off] & 7) | extension << 3);
}

/* See rewrite.h. There are other reasons for such a fault: privileges, alignment. */
bool arch_is_stack_fault(const struct cpu_state *c)
{
    struct insn in;
    const u8 *p = (const u8 *)c->pc;
    const struct trace *t = place_trace(c->pc);
    if (!t || p[0] != STACK_PREFIX || p[1] != STACK_PREFIX)
        return false;
    u8 how = map_at(t, c->pc - (u64)t->body).how;
    if ((how != HOW_UNDO && how != HOW_IB) || !decode_insn(&in, c->pc, p, sizeof in.bytes) || in.modrm_off == 0xff)
        return false;
    s64 address = (s64)c->gpr[base_of(&in)];
    return (s64)((u64)address << 16) >> 16 != address;
}

bool arch_bridge_fault(u64 *pc)
{
    const struct guest_load *l = (const struct guest_load *)*pc;
    const struct trace *t = place_trace(*pc);
    if (!t || map_at(t, *pc - (u64)t->body).kind != MAP_CALLS || !is_guest_load(l))
        return false; /* the program's own instructions may be the same bytes */
    *pc = (u64)(l + 1);
    return true;
}

bool arch_bridge_again(u64 *pc, u64 *sp, struct arch_undo *u)
{
    u->n = 0;
    struct map_entry m;
    u64 host_sp = vm_tc.cpu.host_sp, at = *pc;
    const struct region *r = region_of((void *)at);
    bool called = (at >= (u64)bridge_restore_all && at < (u64)bridge_restore_end) ||
                  (r && at >= (u64)r->bridge_restore && at < (u64)r->forward_end);
    u64 look = place_look(called ? *(u64 *)(host_sp - 8) : at, &m);
    if (!look)
        return false;
    undo(u, &m);
    undo_held(u, &m);
    *pc = look;
    *sp = host_sp;
    return true;
}

/* Stores the place of the next record in memory. vm_tc.cpu has the registers at pc. */
static void settle_carried(u64 pc)
{
    struct map_entry m = carry_state(pc);
    const struct cpu_state *c = &vm_tc.cpu;
    if (m.next_in)
        vm_tc.opt.buffer[carry_id].next =
            (u8 *)(m.how == HOW_SPILL && m.data >> 4 == m.next_in - 1 ? c->slot[m.data & 15] : c->gpr[m.next_in - 1]);
}

/* In the gate: the trace is the one that the gate goes back to. The system call may be still to come, or it was
 * interrupted and will be made again, for which the kernel goes back to it. In both cases it counts as made, as calls
 * before it do (A5). */
static void settle_gate(const struct region *r, u64 pc)
{
    const struct cpu_state *c = &vm_tc.cpu;
    u64 to = pc < (u64)r->gate_syscall ? c->gpr[RCX] : __atomic_load_n(&c->sysret, __ATOMIC_SEQ_CST);
    const struct trace *t = to == (u64)vm_gate_flushed ? NULL : place_trace(to);
    if (!t)
        return; /* flushed meanwhile: its calls run again (A5) */
    u32 off = (u32)(to - (u64)t->body);
    counts_settle(t, off, (u16)(map_at(t, off).pc_off - SYSCALL_BYTES), pc == (u64)r->gate_syscall, 0);
}

void arch_settle_counts(u64 pc, enum arch_settle how)
{
    const struct region *r = region_of((void *)pc);
    if (r && carry_id && how != SETTLE_EXIT)
        settle_carried(pc);
    if (r && pc >= (u64)r->gate && pc < (u64)r->ib_mismatch) {
        if (pc < (u64)r->gate_after)
            settle_gate(r, pc);
        return;
    }
    const struct trace *t = place_body(pc);
    if (!t || !t->count_bytes)
        return; /* none, or in a stub: all blocks so far are complete */
    u32 off = (u32)(pc - (u64)t->body);
    struct map_entry m = map_at(t, off);
    if (m.kind == MAP_LEAVING)
        return; /* after a branch: all blocks so far are complete */
    bool calls_done = how == SETTLE_FAULT || m.kind == MAP_TARGET;
    counts_settle(t, off, m.pc_off, calls_done, vm_tc.cpu.gpr[RCX]);
}

void arch_recover(struct cpu_state *c, const struct region *r)
{
    u8 *pc = (u8 *)c->pc;
    u16 held = carry_id && !place_body((u64)pc) ? carry_state((u64)pc).held : 0; /* in a body recover_body finds them */
    if (pc >= r->gate && pc < r->ib_mismatch)
        recover_gate(c, r);
    else if (pc >= r->ib_mismatch && pc < r->common_end)
        recover_ib_miss(c, r);
    else if (pc >= r->stub_next)
        recover_stub(c);
    else {
        struct code_item item = region_find_item(r, pc);
        ASSERT(item.trace);
        recover_item(c, &item);
    }
    for (u32 n = 0; UNLIKELY(held >> n); n++)
        if (held >> n & 1)
            c->gpr[n] = c->bridge.gpr[n];
}
