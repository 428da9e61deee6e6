/* SPDX-License-Identifier: Apache-2.0
 * The turn (os/record.h, RP5): which thread of the program runs. Recorded: a thread gives it up when a slice of ticks
 * is over and others wait, in a system call that may wait, and at its end; those that want it stand in a queue.
 * Replayed: it goes to whom the recording names, at the same places. Own lock, which nobody holds while he waits. */
#include "os/linux/record/record.h"

#include "arch/arch.h"
#include "os/events.h"
#include "os/hostlock.h"
#include "os/linux/sys.h"
#include "os/thread.h"

#include <string.h>
#include <time.h>

#define SLICE_TICKS (1ul << 14)
#define SLICE_NANOSECONDS 100000

bool record_many; /* there has been a second thread */

static struct hostlock lock = HOSTLOCK(LOCK_TURN);
static struct thread *threads; /* all that have a number, and have not given the turn up for good */
static struct thread *first_waits, **last_waits = &first_waits;
static bool is_free; /* nobody has it, and nobody waits */
static u32 holder;   /* the number of the thread that has it, or had it last */
static u32 made;     /* the number of the youngest thread */

/* How the turn was given up last: by the holder before it gives it up, for the next one. */
static struct {
    enum record_place how;
    u64 pc;
    struct record_turn body;
} given;

/* --- who is there ------------------------------------------------------------------------------------------------- */

/* The calling thread, which has the turn, is about to make another. */
void record_turn_begin(void)
{
    if (record_many)
        return;
    record_many = true;
    threads = &vm_tc;
    if (os_record == OS_RECORDS)
        record_tick_at(record_ticks() + SLICE_TICKS);
}

void record_thread_made(void)
{
    struct record_thread *r = &vm_tc.os.record;
    if (!os_record)
        return;
    memset(r, 0, sizeof *r);
    hostlock_take(&lock);
    r->number = ++made;
    r->next = threads;
    threads = &vm_tc;
    hostlock_give(&lock);
}

static void forget(const struct thread *gone)
{
    struct thread **at = &threads;
    hostlock_take(&lock);
    while (*at != gone)
        at = &(*at)->os.record.next;
    *at = gone->os.record.next;
    hostlock_give(&lock);
}

static struct thread *find(u64 number)
{
    hostlock_take(&lock);
    struct thread *t = threads;
    while (t && t->os.record.number != number)
        t = t->os.record.next;
    hostlock_give(&lock);
    return t;
}

/* --- from one to the next ----------------------------------------------------------------------------------------- */

static void hand_to(struct thread *t)
{
    u32 *turn = &t->os.record.turn; /* its thread may be gone as soon as it has the turn */
    __atomic_store_n(turn, 1, __ATOMIC_RELEASE);
    hostlock_futex(turn, FUTEX_WAKE, 1);
}

/* Signals that come meanwhile wait in the slot; a stopper need not wait for this thread. */
static void await_turn(void)
{
    struct os_thread *os = &vm_tc.os;
    bool in_syscall = os->in_syscall, stops = os_stops_threads;
    lockrank_free("a thread waits for its turn");
    os->in_syscall = true;
    if (stops)
        os_events.enter_call();
    while (!__atomic_load_n(&os->record.turn, __ATOMIC_ACQUIRE))
        hostlock_futex(&os->record.turn, FUTEX_WAIT, 0);
    os->record.turn = 0;
    if (stops)
        os_events.leave_call();
    os->in_syscall = in_syscall;
}

/* --- recording ---------------------------------------------------------------------------------------------------- */

bool record_turn_wanted(void) { return record_many && __atomic_load_n(&first_waits, __ATOMIC_RELAXED); }

u64 record_slice(u64 otherwise) { return record_many && otherwise > SLICE_TICKS ? SLICE_TICKS : otherwise; }

void record_turn_give(enum record_place how)
{
    given.how = how;
    given.pc = arch_pc(&vm_tc.cpu);
    given.body.state = record_state_now();
    hostlock_take(&lock);
    struct thread *t = first_waits;
    if (t && !(first_waits = t->os.record.next_waits))
        last_waits = &first_waits;
    is_free = !t;
    hostlock_give(&lock);
    if (t)
        hand_to(t);
}

/* True: the calling thread has it. */
static bool take_free(void)
{
    struct record_thread *r = &vm_tc.os.record;
    hostlock_take(&lock);
    bool was_free = is_free;
    is_free = false;
    if (!was_free) {
        r->next_waits = NULL;
        *last_waits = &vm_tc;
        last_waits = &r->next_waits;
    }
    hostlock_give(&lock);
    return was_free;
}

/* Calls may take long, and need few ticks. */
static u64 slice_end; /* nanoseconds; 0: the holder has not been asked yet */

static u64 now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

void record_turn_at_call(void)
{
    if (!record_turn_wanted())
        return;
    if (!slice_end)
        slice_end = now() + SLICE_NANOSECONDS;
    if (now() < slice_end)
        return;
    record_turn_give(PLACE_AT_CALL);
    record_turn_take();
    vm_tc.os.record.direct = false; /* the call comes next */
}

void record_turn_take(void)
{
    struct record_thread *r = &vm_tc.os.record;
    if (!take_free())
        await_turn();
    if (holder == r->number)
        return;
    holder = r->number;
    slice_end = 0;
    given.body.thread = r->number;
    record_log_put(REC_TURN, record_ticks(), given.pc, given.how, &given.body, sizeof given.body);
    record_tick_at(record_ticks() + SLICE_TICKS);
    r->direct = true;
}

/* --- replaying ---------------------------------------------------------------------------------------------------- */

/* The event that comes next gives the turn away, and the calling thread is where it did. Comes back when it has it
 * again. */
void replay_turn_pass(const struct event *e)
{
    struct record_turn turn;
    bool ends = e->extra == PLACE_END;
    memcpy(&turn, e->body, sizeof turn);
    if (!ends)
        record_check_state(e, &turn.state);
    struct thread *t = find(turn.thread);
    if (!t || t == &vm_tc)
        replay_diverged(e, "there is no thread %lu that could go on", turn.thread);
    record_log_next();
    hand_to(t);
    if (ends)
        return;
    await_turn();
    record_event_done();
}

/* --- a thread's life ---------------------------------------------------------------------------------------------- */

void record_thread_starts(void)
{
    if (LIKELY(!os_record))
        return;
    if (os_record == OS_RECORDS) {
        record_turn_take();
        return;
    }
    await_turn();
    record_event_done();
}

/* What the kernel would do later, while another thread runs. */
static void clear_tid(void)
{
    static const u32 zero;
    u64 at = vm_tc.os.clear_tid;
    vm_tc.os.clear_tid = 0;
    if (!at || !sys_write(at, &zero, sizeof zero))
        return;
    record_log_memory(at, sizeof zero);
    arch_raw_syscall(SYS_futex, at, FUTEX_WAKE, 1, 0, 0, 0);
}

void record_thread_ends(void)
{
    if (LIKELY(!os_record))
        return;
    if (os_record == OS_RECORDS)
        clear_tid();
    forget(&vm_tc);
    if (os_record == OS_RECORDS) {
        record_turn_give(PLACE_END);
        return;
    }
    const struct event *e = replay_expect(REC_TURN, "ends a thread");
    if (e->extra != PLACE_END)
        replay_diverged(e, "the program ends a thread");
    replay_turn_pass(e);
}

/* A robust lock of the thread that ends. */
void record_owner_died(u64 addr)
{
    if (UNLIKELY(os_record == OS_RECORDS))
        record_log_memory(addr, sizeof(u32));
}
