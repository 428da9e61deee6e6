// SPDX-License-Identifier: Apache-2.0
// From the hardware registers at a cache address to the guest's state (arch/x86/recover.c): the guest's registers are put where a random state map says that they are, and must come back.
#include "unit.h"

#include "arch/x86/lower.h"
#include "arch/arch.h"
#include "opt/carry.h"
#include "os/thread.h"

#include <string.h>

__thread struct thread vm_tc;
void *record_chunk[RECORD_KINDS][RECORD_CHUNKS];
char bridge_restore_all[1], bridge_restore_end[1];
void vm_gate_flushed(void) {}
u32 carry_id;
struct ib_marks ib_marks;
const struct arch_info arch_info = {.sp = RSP, .carry = CARRY_HOME};

static u8 code[1 << 14], records[1 << 12];
static struct region region = {.base = code, .end = code + sizeof code, .code_start = code + 512, .code_next = code + sizeof code - 64, .stub_next = code + sizeof code};
static struct trace trace = {.pc = 0x400000, .body = code + 1024, .body_bytes = 4096, .records = records, .region = &region, .version = 3};
static struct exit exits[4];
static struct code_item item;
static struct trace_binding binding;
static u64 tls;

struct region *region_first(void) { return &region; }
struct region *region_of(const void *pc) { return (const u8 *)pc >= code && (const u8 *)pc < code + sizeof code ? &region : NULL; }
struct code_item region_find_item(const struct region *r, const void *pc)
{
    assert_ptr_equal(r, &region);
    assert_non_null(pc);
    return item;
}
bool trace_binding(const struct trace *t, struct trace_binding *out)
{
    assert_ptr_equal(t, &trace);
    *out = binding;
    return true;
}
void arch_set_tls_base(u64 base) { tls = base; }
s32 ctx_disp(size_t field) { return (s32)field; }
void counts_settle(const struct trace *t, u32 off, u16 pc_off, bool calls_done, u64 left) { (void)t, (void)off, (void)pc_off, (void)calls_done, (void)left; }
bool decode_insn(struct insn *in, gpc_t pc, const u8 *bytes, size_t avail)
{
    (void)in, (void)pc, (void)bytes, (void)avail;
    return false;
}

// --- the guest, and what the hardware has of it ----------------------------------------------------------------------------
static struct cpu_state guest, c;

static void spoil(enum gpr r) { c.gpr[r] = unit_random(~0ul); }

static void random_guest(u64 pc)
{
    for (enum gpr r = RAX; r < GPR_COUNT; r++)
        guest.gpr[r] = unit_random(~0ul);
    guest.flags = unit_random(0x1000) | 2;
    guest.pc = pc;
    c = guest;
    for (u32 i = 0; i < ARRAY_LEN(c.slot); i++)
        c.slot[i] = unit_random(~0ul);
    for (enum gpr r = RAX; r < GPR_COUNT; r++)
        c.bridge.gpr[r] = unit_random(~0ul);
}

static void into_slot(enum gpr r, u32 slot)
{
    c.slot[slot] = c.gpr[r];
    spoil(r);
}

// lahf; seto %al
static u64 flags_in_ax(void) { return unit_random(1ul << 40) << 16 | ((guest.flags & 0xd5) | 2) << 8 | (guest.flags >> 11 & 1); }

static void spoil_flags(void) { c.flags = (c.flags & ~0x8d5ul) | (unit_random(0x1000) & 0x8d5); }

static void into_context(u16 held)
{
    for (enum gpr r = RAX; r < GPR_COUNT; r++)
        if (held >> r & 1) {
            c.bridge.gpr[r] = c.gpr[r];
            spoil(r);
        }
}

static void expect_guest(void)
{
    for (enum gpr r = RAX; r < GPR_COUNT; r++)
        assert_int_equal(c.gpr[r], guest.gpr[r]);
    assert_int_equal(c.flags, guest.flags);
    assert_int_equal(c.pc, guest.pc);
}

// The entry is the second of three, and the address anywhere in it.
static void recover_with(struct map_entry m)
{
    struct map_entry map[] = {{.off = 0}, m, {.off = m.off + 40, .pc_off = 77}};
    trace.map_bytes = (u16)(map_encode(records, map, ARRAY_LEN(map)) - records);
    item = (struct code_item){trace.body, &trace, ITEM_BODY};
    c.pc = (u64)trace.body + m.off + unit_random(40);
    vm_tc.jit.version = 99;
    arch_recover(&c, &region);
    expect_guest();
}

static struct map_entry entry(u8 how, u16 data) { return (struct map_entry){.off = 1 + (u32)unit_random(2000), .pc_off = 50, .kind = how ? arch_map_kind[how] : MAP_GUEST, .how = how, .data = data}; }

static void registers_in_the_context(void **state)
{
    (void)state;
    for (u32 i = 0; i < 2000; i++) {
        static const u8 kinds[] = {MAP_GUEST, MAP_CALLS, MAP_CALLS_DONE, MAP_INLINE, MAP_COMMIT};
        struct map_entry m = entry(0, 0);
        m.kind = kinds[unit_random(ARRAY_LEN(kinds))];
        m.held = (u16)unit_random(0x10000);
        m.flags_held = unit_random(2) && m.held >> RAX & 1;
        random_guest(trace.pc + 50);
        into_context(m.held);
        if (m.flags_held) {
            c.gpr[RAX] = flags_in_ax() + (unit_random(2) ? 0x7f : 0); // half of the way back: add $0x7f,%al
            spoil_flags();
        }
        recover_with(m);
        assert_int_equal(vm_tc.jit.version, trace.version);
    }
}

static void registers_in_slots(void **state)
{
    (void)state;
    for (u32 i = 0; i < 2000; i++) {
        enum gpr r = (enum gpr)unit_random(GPR_COUNT);
        u32 slot = (u32)unit_random(8);
        u16 many = 0;
        random_guest(trace.pc + 50);
        switch (unit_random(6)) {
        case 0:
            into_slot(r, slot);
            recover_with(entry(HOW_SPILL, (u16)(r << 4 | slot)));
            break;
        case 1:
            into_slot(RCX, 0);
            into_slot(RAX, 1);
            recover_with(entry(unit_random(2) ? HOW_IB : HOW_CHECK, 0));
            break;
        case 2:
            into_slot(RCX, 0);
            recover_with(entry(HOW_SYSCALL, 0));
            break;
        case 3:
            for (u32 n = 0; n < 3; n++)
                many |= (u16)(1u << unit_random(GPR_COUNT));
            slot = 0;
            for (r = RAX; r < GPR_COUNT; r++)
                if (many >> r & 1)
                    into_slot(r, slot++);
            recover_with(entry(HOW_UNDO, many));
            break;
        case 4:
            into_slot(RAX, 2);
            recover_with(entry(HOW_GS, MAP_GS_RAX));
            break;
        case 5:
            tls = 0;
            recover_with(entry(HOW_GS, MAP_GS_SWAPPED));
            assert_int_equal(tls, c.slot[4]);
            break;
        }
    }
}

// Amid an addition: up to two registers and the flags.
static void amid_an_addition(void **state)
{
    (void)state;
    for (u32 i = 0; i < 1000; i++) {
        enum gpr first = (enum gpr)unit_random(GPR_COUNT), second = (enum gpr)((first + 1 + unit_random(GPR_COUNT - 1)) % GPR_COUNT);
        u32 n = (u32)unit_random(3);
        bool flags = unit_random(2);
        random_guest(trace.pc + 50);
        if (n)
            into_slot(first, 5);
        if (n > 1)
            into_slot(second, 7);
        if (flags) {
            c.slot[3] = flags_in_ax();
            spoil_flags();
        }
        recover_with(entry(HOW_COUNT, (u16)(first | second << 4 | n << 8 | (flags ? MAP_COUNT_FLAGS : 0))));
    }
}

static void execution_goes_on_elsewhere(void **state)
{
    (void)state;
    for (u32 i = 0; i < 1000; i++) {
        u32 x = (u32)unit_random(ARRAY_LEN(exits));
        exits[x] = (struct exit){.target = unit_random(1ul << 47), .version = (u16)unit_random(100)};
        random_guest(exits[x].target);
        struct map_entry m = entry(0, (u16)x);
        m.kind = unit_random(2) ? MAP_TARGET : MAP_LEAVING;
        recover_with(m);
        assert_int_equal(vm_tc.jit.version, exits[x].version);
        random_guest(unit_random(1ul << 47));
        into_slot(RCX, 0);
        into_slot(RAX, 1);
        bool key = unit_random(2);
        c.gpr[RCX] = key ? version_key(guest.pc, 5) : guest.pc;
        recover_with(entry(key ? HOW_IB_KEY : HOW_IB_DONE, 5));
        assert_int_equal(vm_tc.jit.version, 5);
    }
}

static void after_an_iteration(void **state)
{
    (void)state;
    for (u32 i = 0; i < 1000; i++) {
        bool step = unit_random(2), narrow = unit_random(2);
        random_guest(0);
        guest.gpr[RCX] = unit_random(2) ? 0 : 1 + unit_random(1000);
        guest.pc = trace.pc + (guest.gpr[RCX] ? 50 : 77);
        c.gpr[RCX] = guest.gpr[RCX] + step;
        recover_with(entry(step ? HOW_REP_STEP : HOW_REP_DONE, narrow ? REP_COUNT32 : 0));
        if (guest.gpr[RCX])
            assert_int_equal(vm_tc.arch.rep.count, guest.gpr[RCX]);
    }
}

static void pieces_between_bound_traces(void **state)
{
    (void)state;
    for (u32 i = 0; i < 1000; i++) {
        struct bound_piece *p = (struct bound_piece *)(code + 600);
        u16 held = (u16)unit_random(0x10000);
        *p = (struct bound_piece){.loads = (u16)(unit_random(0x10000) & ~held), .stores = (u16)unit_random(0x10000) & held, .jump_off = 50};
        binding = (struct trace_binding){.held = held, .constant_in = 0};
        item = (struct code_item){code + 600, &trace, ITEM_BOUND};
        random_guest(trace.pc);
        into_context((u16)((held & ~p->stores) | p->loads)); // what it stores is still in its register, what it loads still in the context, too
        bool at_jump = unit_random(2);
        if (at_jump) {
            enum gpr r = (enum gpr)unit_random(GPR_COUNT);
            binding.constant_in = (u8)(r + 1);
            c.bridge.gpr[r] = guest.gpr[r];
            spoil(r);
        }
        c.pc = (u64)p->code + (at_jump ? 50 : unit_random(50));
        arch_recover(&c, &region);
        expect_guest();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(registers_in_the_context), cmocka_unit_test(registers_in_slots), cmocka_unit_test(amid_an_addition), cmocka_unit_test(execution_goes_on_elsewhere),
        cmocka_unit_test(after_an_iteration), cmocka_unit_test(pieces_between_bound_traces)};
    record_chunk[RECORD_EXIT][0] = exits;
    region.forward_end = region.gate = region.ib_mismatch = region.common_end = code + 256;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
