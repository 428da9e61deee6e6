/* SPDX-License-Identifier: Apache-2.0
 * Signals of a program that is recorded or replayed. While it is recorded, a signal that comes between two places (RP2)
 * is taken out of the slot and held, with all others blocked, until the guest comes to the next place: a tick, which is
 * made due at once, or a system call, which is then not made yet. Faults come where they come. While it is replayed no
 * signal but a fault is the program's: they come from the recording. On the guest's thread, in the dispatcher. */
#include "os/linux/record/record.h"

#include "arch/arch.h"
#include "os/events.h"
#include "os/linux/sys.h"
#include "os/thread.h"

#include <string.h>

#define CHECK_TICKS (1ul << 22) /* between two looks at the registers */
#define FRAME_MOST 65536u

static struct record_thread *mine(void) { return &vm_tc.os.record; }

bool record_holds_signal(void) { return mine()->holds; }

/* The call in hand is not made before the signal. */
void record_signal_at_call(void)
{
    mine()->at_call = true;
    sys_restart();
    signal_set_attention();
}

void os_tick_due(void)
{
    if (!os_record || vm_tc.os.vfork_child)
        return;
    mine()->fired = true;
    vm_tc.os.pending = true;
}

void os_record_turn(void) { mine()->direct = false; }

struct record_state record_state_now(void)
{
    return (struct record_state){arch_sp(&vm_tc.cpu), record_registers()};
}

/* --- the frame ---------------------------------------------------------------------------------------------------- */

/* From the stack pointer up to where the guest's stack was, or to the end of its alternate stack. */
static u64 frame_end(u64 old_sp)
{
    u64 sp = arch_sp(&vm_tc.cpu), alt_end = vm_tc.os.alt_sp + vm_tc.os.alt_bytes;
    if (old_sp > sp && old_sp - sp < FRAME_MOST)
        return old_sp;
    return sp >= vm_tc.os.alt_sp && sp < alt_end ? alt_end : sp + PAGE_BYTES;
}

/* --- recording ---------------------------------------------------------------------------------------------------- */

/* Does the guest see that the signal is delivered? Otherwise there is nothing to write down. */
static bool is_seen(const siginfo_t *info)
{
    int sig = info->si_signo;
    u64 handler = vm_tc.os.sigs->act[sig].handler, bit = SIG_BIT(sig);
    if (vm_tc.os.guest_mask & bit)
        return false;
    return HANDLER_IS_CODE(handler) ||
           (handler == HANDLER_DEFAULT && !(bit & (SIG_DEFAULT_IGNORED | SIG_DEFAULT_STOP)));
}

static void put(siginfo_t *info, u32 type, u32 place)
{
    const struct os_thread *os = &vm_tc.os;
    struct record_signal s = {.guest_mask = os->guest_mask,
                              .saved_mask = os->saved_mask,
                              .mask_saved = os->mask_saved,
                              .state = record_state_now()};
    bool fault = type == REC_FAULT, seen = fault || is_seen(info);
    u64 sp = arch_sp(&vm_tc.cpu), pc = arch_pc(&vm_tc.cpu);
    s.info = *info;
    if (seen)
        record_log_put(type, record_ticks(), pc, place, &s, sizeof s);
    signal_deliver(info, fault);
    if (seen)
        record_log_memory(arch_sp(&vm_tc.cpu), frame_end(sp) - arch_sp(&vm_tc.cpu));
    mine()->direct |= seen;
}

static void take(void)
{
    siginfo_t info;
    if (!signal_take_slot(&info))
        return;
    if (signal_is_fault(&info)) {
        put(&info, REC_FAULT, PLACE_DIRECT);
        return;
    }
    ASSERT(!mine()->holds);
    mine()->held = info;
    mine()->holds = true;
}

static void deliver_held(void)
{
    struct record_thread *r = mine();
    siginfo_t info = r->held;
    r->holds = false;
    put(&info, REC_SIGNAL, r->direct ? PLACE_DIRECT : r->at_call ? PLACE_AT_CALL : PLACE_AT_TICK);
}

static void put_check(void)
{
    struct record_state now = record_state_now();
    record_log_put(REC_CHECK, record_ticks(), arch_pc(&vm_tc.cpu), PLACE_AT_TICK, &now, sizeof now);
}

static u64 next_check; /* at that tick, or later */

/* A tick was due. */
static void end_slice(void)
{
    struct record_thread *r = mine();
    if (record_turn_wanted()) {
        record_turn_give(r->direct ? PLACE_DIRECT : PLACE_AT_TICK);
        record_turn_take();
    } else if (!r->direct && record_ticks() >= next_check) {
        put_check();
        next_check = record_ticks() + CHECK_TICKS;
    }
}

static void record_deliver(void)
{
    struct record_thread *r = mine();
    bool was_due = r->fired;
    while (signal_attention()) {
        __atomic_store_n(&vm_tc.os.pending, false, __ATOMIC_RELAXED);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        take();
        if (r->holds && (r->fired || r->at_call || r->direct))
            deliver_held();
        if (!r->holds)
            signal_settle_masks();
    }
    r->fired = r->at_call = false;
    if (was_due)
        end_slice();
    if (r->holds)
        record_tick_at(record_ticks() + 1);
    else if (was_due)
        record_tick_at(record_ticks() + record_slice(CHECK_TICKS));
}

/* --- replaying ---------------------------------------------------------------------------------------------------- */

static bool waits_for_tick(const struct event *e)
{
    return (e->type == REC_SIGNAL || e->type == REC_CHECK || e->type == REC_TURN) && e->extra == PLACE_AT_TICK;
}

void record_event_done(void)
{
    const struct event *e = replay_peek();
    u64 now = record_ticks();
    mine()->direct = true;
    if ((e->type == REC_SIGNAL || e->type == REC_TURN) && e->extra == PLACE_DIRECT) {
        signal_set_attention();
    } else if (waits_for_tick(e)) {
        if (e->ticks <= now)
            replay_diverged(e, "the program is beyond the place of this event");
        record_tick_at(e->ticks);
    } else {
        record_tick_at((e->ticks > now ? e->ticks : now) + 1); /* where it must not come to */
    }
}

void record_check_state(const struct event *e, const struct record_state *then)
{
    struct record_state now = record_state_now();
    if (e->place != arch_pc(&vm_tc.cpu))
        replay_diverged(e, "the program is at 0x%lx and was at 0x%lx", arch_pc(&vm_tc.cpu), e->place);
    if (then->sp != now.sp)
        replay_diverged(e, "the stack pointer is 0x%lx and was 0x%lx", now.sp, then->sp);
    if (record_registers_whole() && then->hash != now.hash)
        replay_diverged(e, "the registers have other values");
}

static void replay_one(const struct event *e, bool forced)
{
    struct os_thread *os = &vm_tc.os;
    struct record_signal s;
    memcpy(&s, e->body, sizeof s);
    record_check_state(e, &s.state);
    os->guest_mask = s.guest_mask;
    os->saved_mask = s.saved_mask;
    os->mask_saved = s.mask_saved;
    record_log_next();
    signal_deliver(&s.info, forced);
    replay_memory();
    record_event_done();
}

static void replay_fault(const siginfo_t *info)
{
    const struct event *e = replay_expect(REC_FAULT, "raises a fault");
    if (e->place != arch_pc(&vm_tc.cpu))
        replay_diverged(e, "the program raises signal %d at 0x%lx", info->si_signo, arch_pc(&vm_tc.cpu));
    replay_one(e, true);
}

static bool is_due(const struct event *e)
{
    switch (e->extra) {
    case PLACE_AT_TICK: return mine()->fired && e->ticks == record_ticks();
    case PLACE_AT_CALL: return e->type == REC_SIGNAL && mine()->at_call;
    case PLACE_DIRECT: return mine()->direct;
    default: return false;
    }
}

/* False: nothing is due. */
static bool replay_due(void)
{
    const struct event *e = replay_peek();
    struct record_state then;
    if ((e->type == REC_SIGNAL || e->type == REC_TURN) && is_due(e)) {
        mine()->fired = mine()->at_call = false;
        if (e->type == REC_TURN)
            replay_turn_pass(e);
        else
            replay_one(e, false);
        return true;
    }
    if (!mine()->fired)
        return false;
    if (e->type != REC_CHECK || e->ticks != record_ticks())
        replay_diverged(e, "the program goes on beyond the place of this event");
    mine()->fired = false;
    memcpy(&then, e->body, sizeof then);
    record_check_state(e, &then);
    record_log_next();
    record_event_done();
    return true;
}

static void replay_deliver(void)
{
    siginfo_t info;
    while (signal_attention()) {
        __atomic_store_n(&vm_tc.os.pending, false, __ATOMIC_RELAXED);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (signal_take_slot(&info))
            replay_fault(&info);
        else
            replay_due();
        signal_settle_masks();
    }
}

void record_signals(void)
{
    if (os_record == OS_RECORDS)
        record_deliver();
    else
        replay_deliver();
}
