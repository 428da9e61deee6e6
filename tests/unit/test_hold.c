// SPDX-License-Identifier: Apache-2.0
// Where the guest's registers are (opt/hold.c, opt/carry.c), on a machine of its own: random traces with analysis code that takes registers and flags are lowered to its code, which is then
// executed. Each instruction must find what it reads, each exit what is needed behind it, and the state map must say at every step where everything is that is needed.
#include "unit.h"

#include "base/options.h"
#include "opt/carry.h"
#include "opt/live.h"
#include "opt/objects.h"
#include "os/thread.h"

#include <string.h>

enum { REGS = 7, FLAGS_IN = 0, CARRY = 4, SP = 6, INSNS = 20, HOME = 64, NEXT = HOME + 8 * REGS };
#define ALL_FLAGS 3

struct options options;
u32 fill_only;
void dir_prefetch(u64 key) { (void)key; }
const u8 arch_map_kind[MAP_HOWS + 1];
const struct arch_info arch_info = {.registers = REGS, .all = (1u << REGS) - 1, .sp = SP, .flags_in = FLAGS_IN, .carry = CARRY, .code_bytes = 16, .home = HOME};

// --- the machine: an instruction is its code, two numbers and a word ------------------------------------------------------
enum op { LOAD, STORE, MOVE, SAVE_FLAGS, RESTORE_FLAGS, JUMP_EXIT, GUEST, BRANCH, SPOIL, SPOIL_FLAGS };
struct code {
    u8 op, a, b, pad;
    s32 rel; // BRANCH, JUMP_EXIT: from its end; 0: out of the trace
};

static u8 *append(struct emit *e, struct code c)
{
    memcpy(e->p, &c, sizeof c);
    e->p += sizeof c;
    return e->p - sizeof c.rel;
}

static u8 place(size_t field) { return field >= HOME && field < NEXT ? (u8)((field - HOME) / 8) : REGS; } // REGS: the next record
void arch_load_ctx(struct emit *e, u32 to, size_t field, u32 bytes) { assert_int_equal(bytes, 8), append(e, (struct code){LOAD, (u8)to, place(field), 0, 0}); }
void arch_store_ctx(struct emit *e, size_t field, u32 from) { append(e, (struct code){STORE, place(field), (u8)from, 0, 0}); }
void arch_move(struct emit *e, u32 to, u32 from) { append(e, (struct code){MOVE, (u8)to, (u8)from, 0, 0}); }
void arch_flags(struct emit *e, enum arch_flags way) { append(e, (struct code){.op = way == FLAGS_SAVE ? SAVE_FLAGS : RESTORE_FLAGS}); }
u8 *arch_jump(struct emit *e, const u8 *to)
{
    assert_null(to);
    return append(e, (struct code){.op = JUMP_EXIT});
}
bool arch_insn_is(const struct insn *in, enum arch_nature what) { return what == NATURE_TRAPS && in->opcode == 0xff; }

void arch_patch_branch(u8 *patch, const u8 *to)
{
    s32 rel = (s32)(to - (patch + 4));
    memcpy(patch, &rel, sizeof rel);
}

// --- a trace ---------------------------------------------------------------------------------------------------------------
static struct pass b;
static u8 code[1 << 16];
static struct live live[INSNS + 1]; // before each instruction

struct live live_before(struct pass *build, u32 i)
{
    assert_ptr_equal(build, &b);
    return live[i];
}

static reg_set some_regs(u32 most)
{
    reg_set r = 0;
    for (u32 n = (u32)unit_random(most + 1); n; n--)
        r |= (reg_set)(1u << unit_random(REGS));
    return r;
}

static void random_insn(u32 i)
{
    struct insn *in = &b.insn[i];
    bool branch = unit_random(5) == 0;
    reg_set reads = some_regs(2), writes = branch ? 0 : some_regs(1);
    *in = (struct insn){.pc = 0x1000 + i, .len = 1, .effect = {.known = true, .copied = true, .cls = branch ? EFFECT_BRANCH : EFFECT_PLAIN, .reads = reads, .writes = writes | (reads & (1u << SP)),
        .kills = (reg_set)(writes & ~reads), .in_steps = unit_random(6) == 0}};
    in->effect.flags_read = branch || unit_random(6) == 0 ? ALL_FLAGS : 0;
    in->effect.flags_killed = !branch && unit_random(3) == 0 ? ALL_FLAGS : 0;
    in->effect.flags_touched = in->effect.flags_read || in->effect.flags_killed;
}

static void find_live(void)
{
    live[INSNS] = (struct live){(1u << REGS) - 1, ALL_FLAGS};
    for (u32 i = INSNS; i-- > 0;) {
        const struct effect *e = &b.insn[i].effect;
        struct live l = e->cls == EFFECT_BRANCH ? live[INSNS] : live[i + 1];
        live[i] = (struct live){(reg_set)((l.regs & ~e->kills) | e->reads | 1u << SP), (flag_set)((l.flags & ~e->flags_killed) | e->flags_read)};
    }
}

// As fill.c and inline.c take them: what is needed of them goes to the context, flags that are needed into their register.
static void analysis(u32 i)
{
    reg_set taken = some_regs(3) & (reg_set)~(b.reserved | 1u << SP);
    bool flags = unit_random(2), keep = flags && live[i].flags && !carry_id;
    hold_forget_constant(&b);
    if (keep ? !b.hold.flags : true)
        hold_flags_back(&b, b.insn[i].pc, i);
    bool there = b.hold.flags;
    if (keep && !there)
        taken |= 1u << FLAGS_IN;
    if (there)
        taken &= (reg_set)~(1u << FLAGS_IN);
    pass_map(&b, b.p, MAP_GUEST, b.insn[i].pc, 0);
    struct emit e = {b.p};
    reg_set stored = (reg_set)(taken & b.hold.reg & ~b.hold.slot & live[i].regs);
    hold_emit_stores(&e, stored);
    hold_set(&b, (struct hold){(reg_set)(b.hold.reg & ~taken), b.hold.slot | stored, there});
    pass_map(&b, e.p, MAP_GUEST, b.insn[i].pc, 0);
    if (keep && !there) {
        arch_flags(&e, FLAGS_SAVE);
        hold_set(&b, (struct hold){b.hold.reg, b.hold.slot, true});
        pass_map(&b, e.p, MAP_GUEST, b.insn[i].pc, 0);
    }
    for (u8 r = 0; r < REGS; r++)
        if (taken >> r & 1 && !(b.hold.flags && r == FLAGS_IN))
            append(&e, (struct code){SPOIL, r, 0, 0, 0});
    if (b.hold.flags || !live[i].flags)
        append(&e, (struct code){.op = SPOIL_FLAGS});
    b.p = e.p;
}

static void lower_insn(u32 i)
{
    const struct insn *in = &b.insn[i];
    hold_before(&b, in);
    pass_map(&b, b.p, MAP_GUEST, in->pc, 0);
    struct emit e = {b.p};
    u8 *patch = append(&e, (struct code){in->effect.cls == EFFECT_BRANCH ? BRANCH : GUEST, (u8)i, 0, 0, 0});
    if (in->effect.cls == EFFECT_BRANCH)
        hold_branch(&b, in->pc, i, 0x2000, patch);
    b.p = e.p;
    hold_after(&b, in);
}

static void make_trace(void)
{
    b.p = b.body = code;
    b.pc = 0x1000;
    b.ninsns = INSNS;
    b.nmap = b.nexits = b.nways = b.nbinds = 0;
    for (u32 i = 0; i < INSNS; i++)
        random_insn(i);
    find_live();
    carry_begin(&b);
    for (u32 i = 0; i < INSNS; i++) {
        if (unit_random(2))
            analysis(i);
        lower_insn(i);
    }
    hold_leave(&b, 0x1000 + INSNS, INSNS);
    pass_map(&b, b.p, MAP_GUEST, 0x1000 + INSNS, 0);
    struct emit e = {b.p};
    arch_jump(&e, NULL);
    b.p = e.p;
    hold_write_branches(&b);
}

// --- its execution -----------------------------------------------------------------------------------------------------------
struct state {
    u64 reg[REGS], flags;     // the machine's
    u64 home[REGS + 1];       // the last is the place of the next record
    u64 guest[REGS], guest_flags, next; // what should be
};

static struct map_entry entry_at(u32 off)
{
    u32 i = 0;
    while (i + 1 < b.nmap && b.map[i + 1].off <= off)
        i++;
    return b.map[i];
}

static void expect_in_place(const struct state *s, struct live l)
{
    for (u32 r = 0; r < REGS; r++)
        if (l.regs >> r & 1)
            assert_int_equal(carry_id && r == CARRY ? s->home[r] : s->reg[r], s->guest[r]);
    if (l.flags)
        assert_int_equal(s->flags, s->guest_flags);
    if (carry_id)
        assert_int_equal(s->reg[CARRY], s->next);
}

// With what the map says, as recovery would do it.
static void expect_map(const struct state *s, const u8 *at)
{
    struct map_entry m = entry_at((u32)(at - code));
    bool leaving = m.kind == MAP_LEAVING;
    struct live l = leaving ? live[INSNS] : live[m.pc_off];
    for (u32 r = 0; r < REGS; r++)
        if (l.regs >> r & 1)
            assert_int_equal(m.held >> r & 1 ? s->home[r] : s->reg[r], s->guest[r]);
    if (l.flags)
        assert_int_equal(m.flags_held ? s->reg[FLAGS_IN] : s->flags, s->guest_flags);
    if (carry_id)
        assert_int_equal(m.next_in ? s->reg[m.next_in - 1] : s->home[REGS], s->next);
}

static void execute_guest(struct state *s, u32 i)
{
    const struct effect *e = &b.insn[i].effect;
    for (u32 r = 0; r < REGS; r++) {
        if (e->reads >> r & 1)
            assert_int_equal(s->reg[r], s->guest[r]);
        if (e->writes >> r & 1)
            s->reg[r] = s->guest[r] = unit_random(~0ul);
    }
    if (e->flags_read)
        assert_int_equal(s->flags, s->guest_flags);
    if (e->flags_killed)
        s->flags = s->guest_flags = unit_random(~0ul);
}

// One instruction; NULL: the trace is left.
static const u8 *step(struct state *s, const u8 *p)
{
    struct code c;
    memcpy(&c, p, sizeof c);
    p += sizeof c;
    switch ((enum op)c.op) {
    case LOAD: s->reg[c.a] = s->home[c.b]; break;
    case STORE: s->home[c.a] = s->reg[c.b]; break;
    case MOVE: s->reg[c.a] = s->reg[c.b]; break;
    case SAVE_FLAGS: s->reg[FLAGS_IN] = s->flags; break;
    case RESTORE_FLAGS: s->flags = s->reg[FLAGS_IN]; break;
    case SPOIL: s->reg[c.a] = unit_random(~0ul); break;
    case SPOIL_FLAGS: s->flags = unit_random(~0ul); break;
    case GUEST: execute_guest(s, c.a); break;
    case BRANCH:
        execute_guest(s, c.a);
        if (unit_random(4))
            break;
        if (c.rel)
            return p + c.rel;
        expect_in_place(s, live[INSNS]);
        return NULL;
    case JUMP_EXIT:
        expect_in_place(s, live[INSNS]);
        return NULL;
    }
    return p;
}

static void run_trace(void)
{
    struct state s = {.flags = unit_random(~0ul), .next = unit_random(~0ul)};
    for (u32 r = 0; r < REGS; r++)
        s.reg[r] = s.guest[r] = unit_random(~0ul);
    s.guest_flags = s.flags;
    if (carry_id) {
        s.home[CARRY] = s.guest[CARRY];
        s.reg[CARRY] = s.next;
    }
    for (const u8 *p = code; p;) {
        expect_map(&s, p);
        p = step(&s, p);
    }
}

static void run_many(void)
{
    for (u32 round = 0; round < 3000; round++) {
        make_trace();
        assert_true(b.p < code + sizeof code);
        for (u32 again = 0; again < 10; again++)
            run_trace();
    }
}

static void everything_is_where_it_is_said(void **state)
{
    (void)state;
    carry_id = 0;
    run_many();
}

static void with_a_carried_value(void **state)
{
    (void)state;
    carry_id = 1;
    run_many();
}

// Or the tests above test little.
static void branches_have_ways_behind_the_trace(void **state)
{
    (void)state;
    u32 ways = 0;
    carry_id = 0;
    for (u32 round = 0; round < 200; round++) {
        make_trace();
        for (u32 i = 0; i < b.nmap; i++)
            ways += b.map[i].kind == MAP_LEAVING;
    }
    assert_true(ways > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everything_is_where_it_is_said), cmocka_unit_test(with_a_carried_value), cmocka_unit_test(branches_have_ways_behind_the_trace)};
    options.no_bind = true; // what is bound is written at links, by bind.c
    carry_decide();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
