/* SPDX-License-Identifier: Apache-2.0
 * See carry.h: the moves while a trace is lowered (under jit_lock), and what the VM does when it enters the cache and has left it. */
#include "arch/x86/carry.h"

#include "opt/objects.h"
#include "arch/arch.h"
#include "arch/x86/live.h"
#include "base/options.h"
#include "os/thread.h"

u32 carry_id;

s32 carry_next_disp(u32 id) { return ctx_disp(offsetof(struct thread, opt.buffer) + id * sizeof(struct trace_buffer) + offsetof(struct trace_buffer, next)); }

void carry_decide(void)
{
    static bool decided;
    if (!decided)
        carry_id = options.no_inline || options.no_carry ? 0 : fill_only;
    decided = true;
}

void carry_begin(struct build *b)
{
    carry_decide();
    hold_forget_constant(b);
    b->next_in = carry_id ? CARRY_HOME + 1 : 0;
    b->reserved = carry_id ? CARRY_HOME_BIT : 0;
    hold_set(b, carry_id ? (struct hold){HOLD_ALL & ~CARRY_HOME_BIT, CARRY_HOME_BIT, false} : (struct hold){HOLD_ALL, 0, false});
}

/* The same place for the guest, another for registers. */
static void map_again(struct build *b)
{
    const struct map_entry m = b->map[b->nmap - 1];
    build_map(b, b->p, (enum map_kind)m.kind, b->pc + m.pc_off, m.data);
}

static u16 carrier(const struct build *b) { return b->next_in ? (u16)(1u << (b->next_in - 1)) : 0; }

static void set(struct build *b, u8 next_in)
{
    b->reserved &= (u16)~carrier(b);
    b->next_in = next_in;
    b->reserved |= carrier(b);
}

void carry_move(struct build *b, enum gpr to, u16 live)
{
    u16 bit = (u16)(1u << to), stored = (u16)(bit & b->hold.reg & ~b->hold.slot & live);
    struct emit e = {b->p};
    hold_forget_constant(b);
    hold_emit_stores(&e, stored);
    b->p = e.p;
    hold_set(b, (struct hold){(u16)(b->hold.reg & ~bit), b->hold.slot | stored, false});
    map_again(b);
    if (b->next_in)
        emit_move(&e, to, (enum gpr)(b->next_in - 1));
    else
        emit_load_ctx(&e, to, carry_next_disp(carry_id));
    b->p = e.p;
    set(b, (u8)(to + 1));
    if (to == CARRY_HOME)
        hold_set(b, (struct hold){b->hold.reg, b->hold.slot | CARRY_HOME_BIT, false}); /* C1, also where it is not needed any more */
    map_again(b);
}

void carry_take(struct build *b, u16 live)
{
    if (carry_id && b->next_in != CARRY_HOME + 1)
        carry_move(b, CARRY_HOME, live);
}

void carry_drop(struct build *b)
{
    struct emit e = {b->p};
    if (!b->next_in)
        return;
    emit_store_ctx(&e, carry_next_disp(carry_id), (enum gpr)(b->next_in - 1));
    b->p = e.p;
    set(b, 0);
    map_again(b);
}

void carry_forget(struct build *b)
{
    set(b, 0);
    hold_set(b, (struct hold){HOLD_ALL, 0, false});
}

/* Registers that the trace touches from instruction i on. */
static u16 touched_from(const struct build *b, u32 i)
{
    u16 used = 0;
    for (; i < b->ninsns; i++)
        used |= effect_touches(&b->insn[i].effect);
    return used;
}

/* A register outside of `used`: best one that costs nothing. */
static int find(const struct build *b, u16 used, u16 live)
{
    u16 may = (u16)~(used | 1u << RSP | 1u << RAX | carrier(b) | b->reserved);
    u16 cheap = (u16)(may & (~live | ~b->hold.reg));
    return cheap ? __builtin_ctz(cheap) : may ? __builtin_ctz(may) : -1;
}

void carry_evade(struct build *b, u32 i)
{
    u16 live = live_before(b, i).regs;
    int to = find(b, touched_from(b, i), live);
    build_map(b, b->p, MAP_GUEST, b->insn[i].pc, 0);
    if (to >= 0)
        carry_move(b, (enum gpr)to, live);
    else
        carry_drop(b);
}

void carry_keep_from(struct build *b, u32 i, u16 used)
{
    u16 live = live_before(b, i).regs, bit = carrier(b);
    if (bit && !(bit & used))
        return;
    int to = find(b, touched_from(b, i) | used, live);
    if (to < 0)
        to = find(b, used, live);
    ASSERT(to >= 0);
    build_map(b, b->p, MAP_GUEST, b->insn[i].pc, 0);
    if (!(CARRY_HOME_BIT & used) && !b->next_in)
        carry_take(b, live);
    else
        carry_move(b, (enum gpr)to, live);
}

/* --- the VM ------------------------------------------------------------------------------------------------------------ */

void arch_enter_cache(struct cpu_state *c, enum arch_entry how)
{
    c->enter_home = c->gpr[CARRY_HOME];
    c->enter_sp = (u64)(how == ENTRY_ANY && arch_on_host_stack(c->enter) ? &c->host_sp : &c->gpr[RSP]);
    if (!carry_id || (how == ENTRY_ANY && !arch_carries_at(c->enter)))
        return;
    c->bridge.gpr[CARRY_HOME] = c->gpr[CARRY_HOME];
    c->enter_home = (u64)vm_tc.opt.buffer[carry_id].next;
}

void arch_exit_state(struct exit *x, const struct build_exit *from)
{
    x->carries = from->next_in == CARRY_HOME + 1 && !(from->held >> RSP & 1);
    x->looks = from->kind == EXIT_KIND_FULL && !(x->carries && from->held == CARRY_HOME_BIT);
    ASSERT(x->looks || x->carries == (from->next_in != 0));
}

bool arch_exit_resumes(const struct exit *x) { return x->carries; }

void arch_cache_left(struct cpu_state *c)
{
    u8 next_in = CARRY_HOME + 1;
    u16 held = CARRY_HOME_BIT;
    if (!carry_id || (c->exit_id >= EXIT_SPECIAL && c->exit_id != EXIT_INDIRECT))
        return;
    if (c->exit_id < EXIT_SPECIAL) {
        const struct exit *x = exit_get((u32)c->exit_id);
        if (x->looks) {
            struct map_entry m = map_at(exit_from(x), (u64)x->resume_off);
            next_in = m.next_in;
            held = m.held;
        } else if (!x->carries) {
            return;
        }
    }
    if (next_in)
        vm_tc.opt.buffer[carry_id].next = (u8 *)c->gpr[next_in - 1];
    for (u32 r = 0; held >> r; r++)
        if (held >> r & 1)
            c->gpr[r] = c->bridge.gpr[r];
}
