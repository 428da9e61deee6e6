/* SPDX-License-Identifier: Apache-2.0
 * The routine form: what the interpreter makes of a lifted routine (rop_run.h) against the routine itself called.
 * Registers, but for what is below the stack, and memory must be the same. Compiled functions at three levels of
 * optimisation (routines.c), and random instructions of all kinds that the form has. */
#include "native.h"
#include "rop_run.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define LIMIT 5000

/* Both ways; false: the form does not understand it. */
static bool same(const void *fn, const char *what, u64 *reg)
{
    static u64 memory[256], after[256];
    struct rop_machine m = {0};
    memcpy(memory, routine_memory, sizeof memory);
    memcpy(m.reg, reg, sizeof m.reg);
    m.reg[rop_registers.stack] -= 8;
    bool understood = rop_run(&m, form_of(fn), LIMIT);
    memcpy(after, routine_memory, sizeof after);
    memcpy(routine_memory, memory, sizeof memory);
    if (!understood)
        return false;
    call_with(reg, fn);
    for (u32 i = 0; i < ROP_REGISTERS; i++)
        if (m.reg[i] != reg[i])
            fail_msg("%s: register %u is %#lx, not %#lx", what, i, m.reg[i], reg[i]);
    for (u32 i = 0; i < 256; i++)
        if (after[i] != routine_memory[i])
            fail_msg("%s: word %u of memory is %#lx, not %#lx", what, i, after[i], routine_memory[i]);
    return true;
}

/* --- compiled functions --------------------------------------------------------------------------- */

static void compiled(const routine_fn *list, const char *level)
{
    u32 n = 0, understood = 0;
    for (; list[n]; n++) {
        bool all = true;
        for (u32 k = 0; k < 200 && all; k++) {
            u64 reg[ROP_REGISTERS];
            char what[64];
            begin(reg, routine_memory);
            snprintf(what, sizeof what, "routine %u at %s", n, level);
            all = same((const void *)list[n], what, reg);
        }
        understood += all;
        if (!all)
            print_message("routine %u at %s has operations without a meaning\n", n, level);
    }
    assert_true(n > 20 && understood * 4 >= n * 3);
}

static void level_0(void **state)
{
    (void)state;
    compiled(routines_0, "-O0");
}
static void level_1(void **state)
{
    (void)state;
    compiled(routines_1, "-O1");
}
static void level_2(void **state)
{
    (void)state;
    compiled(routines_2, "-O2");
}

/* --- random instructions -------------------------------------------------------------------------- */

#define CASES 6000
#define CODE_BYTES (CASES * 1024ul)

static u32 seen[ROP_OPAQUE + 1];

static void random_bytes(u8 *b)
{
    static const u8 common[] = {0x01, 0x03, 0x0b, 0x11, 0x1b, 0x23, 0x29, 0x31, 0x39, 0x3b, 0x63, 0x69, 0x6b,
                                0x80, 0x81, 0x83, 0x84, 0x85, 0x88, 0x89, 0x8a, 0x8b, 0x8d, 0x98, 0x99, 0xb0,
                                0xb8, 0xc0, 0xc1, 0xc6, 0xc7, 0xd0, 0xd1, 0xd2, 0xd3, 0xf6, 0xf7, 0xfe, 0xff};
    static const u8 common2[] = {0xa3, 0xaf, 0xb6, 0xb7, 0xba, 0xbe, 0xbf, 0xc8, 0xc9};
    u8 *p = b;
    for (int i = 0; i < 16; i++)
        b[i] = (u8)unit_random(256);
    if (!unit_random(6))
        *p++ = 0x66;
    if (!unit_random(12))
        *p++ = 0xf0;
    if (unit_random(2))
        *p++ = (u8)(0x40 | unit_random(16));
    u64 how = unit_random(8);
    if (how < 2) {
        *p++ = 0x0f;
        *p = how ? (u8)((unit_random(2) ? 0x40 : 0x90) | unit_random(16)) : common2[unit_random(ARRAY_LEN(common2))];
    } else if (how < 7) {
        *p = common[unit_random(ARRAY_LEN(common))];
    }
}

/* movabs */
static u8 *set_register(u8 *p, u8 r, u64 v)
{
    *p++ = (u8)(0x48 | r >> 3);
    *p++ = (u8)(0xb8 | (r & 7));
    memcpy(p, &v, 8);
    return p + 8;
}

static bool wanted(const struct rop *op)
{
    u32 stack_bit = 1u << rop_registers.stack;
    bool flow = op->kind == ROP_BRANCH || op->kind == ROP_JUMP || op->kind == ROP_CALL || op->kind == ROP_RETURN ||
                op->kind == ROP_OPAQUE || op->kind == ROP_PUSH || op->kind == ROP_POP || op->kind == ROP_LEAVE;
    bool memory = rop_has_memory(op) && op->kind != ROP_ADDRESS;
    bool far = op->kind == ROP_BIT_TEST && op->to == ROP_MEMORY && op->from == ROP_REGISTER &&
               ((int)op->from_reg == op->mem.base || (int)op->from_reg == op->mem.index);
    return !flow && !far && !((op->reads | op->writes) & stack_bit) &&
           !(memory && (rop_is_absolute(op) || op->mem.base == op->mem.index)) &&
           !(op->kind == ROP_SWAP_BYTES && op->width < 4);
}

/* What makes the address of its operand one of the test's memory, in front of it. */
static u8 *lead_to_memory(u8 *p, const struct rop *op)
{
    u64 middle = (u64)&routine_memory[64 + unit_random(128)], index = unit_random(8);
    if (!rop_has_memory(op) || op->kind == ROP_ADDRESS)
        return p;
    if (op->kind == ROP_BIT_TEST && op->from == ROP_REGISTER)
        p = set_register(p, op->from_reg, unit_random(512) - 256);
    if (op->mem.base < 0)
        return set_register(p, (u8)op->mem.index, (middle - op->mem.disp) >> op->mem.shift);
    if (op->mem.index >= 0)
        p = set_register(p, (u8)op->mem.index, index);
    return set_register(p, (u8)op->mem.base, middle - op->mem.disp - (op->mem.index < 0 ? 0 : index << op->mem.shift));
}

/* Its sets of registers: what is not in them is neither changed nor looked at. */
static void check_effects(const struct rop_machine *before, const struct rop_machine *after, const struct rop *op)
{
    struct rop_machine other = *before;
    for (u32 i = 0; i < ROP_REGISTERS; i++) {
        if (!(op->writes >> i & 1))
            assert_true(after->reg[i] == before->reg[i]);
        if (!(op->reads >> i & 1))
            other.reg[i] = ~before->reg[i];
    }
    assert_true(!(op->kills & op->reads) && !(op->kills & ~op->writes));
    assert_true(rop_step(&other, op));
    for (u32 i = 0; i < ROP_REGISTERS; i++)
        if (op->writes >> i & 1)
            assert_true(other.reg[i] == after->reg[i]);
}

/* Runs what is between p and end on m. */
static void follow(struct rop_machine *m, const u8 *p, const u8 *end)
{
    while (p < end) {
        struct rop op;
        struct rop_machine before = *m;
        arch_lift((u64)p, &op);
        assert_true(rop_step(m, &op));
        if (op.to != ROP_MEMORY)
            check_effects(&before, m, &op);
        seen[op.kind]++;
        p += op.bytes;
    }
}

/* Flags that nobody promises must not be looked at: the machine m runs along. */
static u8 *random_routine(u8 *p, const u64 *reg)
{
    static u64 memory[256];
    struct rop_machine m = {0};
    u64 n = 1 + unit_random(20);
    memcpy(m.reg, reg, sizeof m.reg);
    memcpy(memory, routine_memory, sizeof memory);
    while (n) {
        u8 bytes[16];
        struct rop op;
        random_bytes(bytes);
        arch_lift((u64)bytes, &op);
        if (!wanted(&op) || rop_flags_read(&op) & m.unknown)
            continue;
        u8 *start = p;
        p = lead_to_memory(p, &op);
        memcpy(p, bytes, op.bytes);
        p += op.bytes;
        follow(&m, start, p);
        n--;
    }
    memcpy(routine_memory, memory, sizeof memory);
    *p++ = 0xc3;
    return p;
}

static void random_code(void **state)
{
    static const u8 kinds[] = {
        ROP_NONE,        ROP_MOVE,        ROP_ADDRESS,   ROP_ADD,     ROP_OR,         ROP_ADC,      ROP_SBB,
        ROP_AND,         ROP_SUB,         ROP_XOR,       ROP_COMPARE, ROP_TEST,       ROP_BIT_TEST, ROP_SHL,
        ROP_SHR,         ROP_SAR,         ROP_NOT,       ROP_NEGATE,  ROP_SWAP_BYTES, ROP_MULTIPLY, ROP_SCALE,
        ROP_ZERO_EXTEND, ROP_SIGN_EXTEND, ROP_SIGN_FILL, ROP_SET,     ROP_MOVE_IF};
    (void)state;
    u8 *code = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
       *p = code;
    assert_true(code != MAP_FAILED);
    for (u32 i = 0; i < CASES; i++) {
        u64 reg[ROP_REGISTERS];
        char what[32];
        begin(reg, routine_memory);
        u8 *fn = p;
        p = random_routine(p, reg);
        snprintf(what, sizeof what, "random routine %u", i);
        assert_true(same(fn, what, reg));
    }
    for (u32 i = 0; i < ARRAY_LEN(kinds); i++)
        assert_true(seen[kinds[i]] > 20);
    munmap(code, CODE_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(level_0), cmocka_unit_test(level_1), cmocka_unit_test(level_2),
                                       cmocka_unit_test(random_code)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
