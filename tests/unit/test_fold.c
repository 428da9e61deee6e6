/* SPDX-License-Identifier: Apache-2.0
 * Inlined routines: bodies of compiled functions (routines.c) are folded for random kinds of constant arguments,
 * written with random registers and called, and so is the routine itself. What they return and leave in memory must be
 * the same, and no register may change but those that the body was given. Where a body is left for the rest of its
 * routine, that is what follows. */
#include "base/options.h"
#include "native.h"
#include "opt/body.h"
#include "opt/routine.h"
#include "os/hostsym.h"
#include "os/os.h"
#include "vm/clock.h"

#include <string.h>
#include <sys/mman.h>

#define CODE_BYTES 65536

/* What the optimiser needs of the engine beside what is tested here. */
struct options options;
enum clock_place clock_switch(enum clock_place p) { return p; }
void clock_return(enum clock_place p) { (void)p; }
bool hostsym_find(u64 pc, struct hostsym *out)
{
    (void)pc, (void)out;
    return false;
}
const char *hostsym_base_name(const struct hostsym *s) { return s->module; }
bool os_constant_at(u64 addr, unsigned bytes, u64 *value)
{
    (void)addr, (void)bytes, (void)value;
    return false;
}

static u8 *code, *far; /* where it is written: near the data of the routines, or anywhere */
static u8 near[CODE_BYTES] __attribute__((aligned(4096)));
static u64 left; /* for the rest */
static u32 bodies, ways, constants;

/* --- a body, written ------------------------------------------------------------------------------ */

struct trial {
    const struct body *body;
    struct body_use use;
    u64 arg[ROP_ARGUMENTS];
    reg_set ours; /* registers that it may change */
    u8 *p;
};

static reg_set bit(u8 r) { return (reg_set)(1u << r); }

/* Others than those of `taken`, in random order. */
static u8 random_register(reg_set *taken)
{
    u8 r;
    do
        r = (u8)unit_random(ROP_REGISTERS);
    while (*taken >> r & 1);
    *taken |= bit(r);
    return r;
}

static void choose_registers(struct trial *t)
{
    const struct body *b = t->body;
    reg_set taken = b->fixed | bit(rop_registers.stack);
    for (u8 r = 0; r < ROP_REGISTERS; r++)
        t->use.name[r] = (b->regs & ~b->fixed) >> r & 1 ? random_register(&taken) : r;
    for (u8 r = 0; r < ROP_REGISTERS; r++)
        if (b->same[r] >= 0)
            t->use.name[r] = t->use.name[b->same[r]];
    if (b->far)
        t->use.far = random_register(&taken);
    t->ours = taken & (reg_set)~bit(rop_registers.stack);
}

static void bytes(struct trial *t, const void *from, size_t n)
{
    memcpy(t->p, from, n);
    t->p += n;
}

static void byte(struct trial *t, u8 b) { *t->p++ = b; }

static void push_or_pop(struct trial *t, u8 opcode, u8 r)
{
    if (r >= 8)
        byte(t, 0x41);
    byte(t, (u8)(opcode | (r & 7)));
}

static void load_constant(struct trial *t, u8 r, u64 v)
{
    byte(t, (u8)(0x48 | r >> 3));
    byte(t, (u8)(0xb8 | (r & 7)));
    bytes(t, &v, 8);
}

/* What the engine does in rest.c: notes that it was here, registers into their places, and on in the midst of the
 * routine. */
static void write_rest(struct trial *t, const struct body_op *to)
{
    static const u8 increment[] = {0x48, 0xff, 0x00}, jump[] = {0xff, 0x25, 0, 0, 0, 0};
    push_or_pop(t, 0x50, 0);
    load_constant(t, 0, (u64)&left);
    bytes(t, increment, sizeof increment);
    push_or_pop(t, 0x58, 0);
    for (u8 r = 0; r < ROP_REGISTERS; r++)
        if (to->live >> r & 1)
            push_or_pop(t, 0x50, t->use.name[r]);
    for (u8 r = ROP_REGISTERS; r-- > 0;)
        if (to->live >> r & 1)
            push_or_pop(t, 0x58, r);
    for (u8 r = 0; r < ROP_REGISTERS; r++)
        if (to->consts >> r & 1)
            load_constant(t, r,
                          to->arg_of[r] < BODY_ADDRESS ? t->arg[to->arg_of[r]]
                                                       : t->body->address[to->arg_of[r] - BODY_ADDRESS]);
    bytes(t, jump, sizeof jump);
    bytes(t, &to->op.at, 8);
}

static void write_body(struct trial *t)
{
    struct body_way way[BODY_WAYS];
    code = unit_random(2) ? near : far;
    t->p = body_emit(code, t->body, &t->use, way);
    byte(t, 0xc3);
    for (u32 i = 0; i < t->body->ways; i++) {
        assert_true(arch_point_rop_jump(way[i].end, true, t->p));
        write_rest(t, way[i].to);
    }
    assert_true(t->p < code + CODE_BYTES);
}

/* --- both ways ------------------------------------------------------------------------------------ */

static void run(struct trial *t, const void *fn, const u64 *before, u32 number)
{
    static u64 memory[256], expected[256];
    u64 reg[ROP_REGISTERS], own[ROP_REGISTERS];
    memcpy(memory, routine_memory, sizeof memory);
    memcpy(own, before, sizeof own);
    for (u32 i = 0; i < ROP_ARGUMENTS; i++)
        own[rop_registers.argument[i]] = t->arg[i];
    call_with(own, fn);
    memcpy(expected, routine_memory, sizeof expected);
    memcpy(routine_memory, memory, sizeof memory);
    memcpy(reg, before, sizeof reg);
    for (u32 i = 0; i < ROP_ARGUMENTS; i++)
        if (t->body->entry >> rop_registers.argument[i] & 1)
            reg[t->use.name[rop_registers.argument[i]]] = t->arg[i];
    u64 start[ROP_REGISTERS];
    memcpy(start, reg, sizeof start);
    left = 0;
    call_with(reg, code);
    ways += left != 0;
    u64 result = reg[left ? rop_registers.result : t->use.name[rop_registers.result]];
    u64 mask = routine_scan((void *)fn)->result == 1 ? 0xff : ~0ul; /* above a bool there may be anything */
    if ((result ^ own[rop_registers.result]) & mask)
        fail_msg("routine %u, kinds %#x: returns %#lx, not %#lx", number, t->body->key >> 1, result,
                 own[rop_registers.result]);
    for (u32 i = 0; i < 256; i++)
        if (expected[i] != routine_memory[i])
            fail_msg("routine %u, kinds %#x: word %u of memory is %#lx, not %#lx", number, t->body->key >> 1, i,
                     routine_memory[i], expected[i]);
    for (u32 i = 0; i < ROP_REGISTERS && !left; i++)
        if (!(t->ours >> i & 1) && reg[i] != start[i])
            fail_msg("routine %u, kinds %#x: register %u has changed", number, t->body->key >> 1, i);
}

static void try(const void *fn, u32 number)
{
    const struct body *whole = body_of((void *)fn);
    for (u32 k = 0; k < 300 && !whole->why; k++) {
        u64 before[ROP_REGISTERS];
        struct trial t = {0};
        u32 kinds = 0;
        begin(before, routine_memory);
        for (u32 i = 0; i < ROP_ARGUMENTS; i++) {
            t.arg[i] = i == ROP_ARGUMENTS - 1 ? unit_random(128)
                       : unit_random(3)       ? random_value()
                       : unit_random(2)       ? unit_random(128)
                                              : unit_random(1u << 30);
            t.use.value[i] = t.arg[i];
            if (unit_random(2))
                kinds |= body_arg_kind(t.arg[i]) << ARG_SHIFT(i);
        }
        t.body = body_fold(whole, kinds, true);
        constants += kinds && t.body->entry != body_fold(whole, 0, true)->entry;
        choose_registers(&t);
        write_body(&t);
        run(&t, fn, before, number);
    }
    bodies += !whole->why;
}

static void level(const routine_fn *list)
{
    bodies = ways = constants = 0;
    for (u32 i = 0; list[i]; i++)
        try((const void *)list[i], i);
}

static int set_up(void **state)
{
    (void)state;
    far = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return far == MAP_FAILED || mprotect(near, sizeof near, PROT_READ | PROT_WRITE | PROT_EXEC);
}

static void level_1(void **state)
{
    (void)state;
    level(routines_1);
    assert_true(bodies > 12 && constants > 200);
}

static void level_2(void **state)
{
    (void)state;
    level(routines_2);
    assert_true(bodies > 12 && constants > 200 && ways > 20);
}

/* -no_fold, -no_partial */
static void without(void **state)
{
    (void)state;
    options.no_fold = true;
    level(routines_2);
    options.no_fold = false;
    assert_true(bodies > 12 && !constants);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(level_1), cmocka_unit_test(level_2), cmocka_unit_test(without)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
