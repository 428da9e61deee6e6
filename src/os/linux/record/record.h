/* SPDX-License-Identifier: Apache-2.0
 * What the parts of the recorder share (os/record.h has its rules). The bodies of events are as in the file: a change
 * of them is a new version of the format (docs/recordings.md). */
#ifndef LP_LINUX_RECORD_H
#define LP_LINUX_RECORD_H
#include "os/linux/boot.h"
#include "os/linux/record/log.h"
#include "os/linux/signal_private.h"
#include "os/record.h"

#include <signal.h>

#define RECORD_NAME_BYTES 1024

struct record_start {
    struct user_regs_struct regs;
    u64 sigmask, xstate_bytes, brk, guest_entry, guest_auxv, guest_auxv_bytes;
    struct sig_action act[SIGNALS + 1];
    char program[RECORD_NAME_BYTES];
    u8 xstate[BOOT_XSTATE_BYTES];
};

struct record_area {
    u64 start, end, ino, off;
    u32 flags, prot, dev_major, dev_minor; /* GMAP_*, PROT_* */
};                                         /* and the name */

/* What else a call has to say (event.extra). */
enum { CALL_TO_STDOUT = 1, CALL_TO_STDERR = 2, CALL_OF_FILE = 4 };
struct record_call {
    u64 nr, arg[6], result;
    u64 registers;  /* their hash before the call */
    u64 ino;        /* of a file that was mapped, */
    u64 file_bytes; /* how much of it there was from the mapping's start on, whole pages, */
    u32 dev_major, dev_minor;
}; /* and its name */

/* Of the registers. */
struct record_state {
    u64 sp, hash;
};

/* event.extra; the last: of REC_TURN, the thread that had the turn has ended */
enum record_place { PLACE_AT_TICK, PLACE_AT_CALL, PLACE_DIRECT, PLACE_END };
struct record_signal {
    siginfo_t info;
    u64 guest_mask, saved_mask, mask_saved;
    struct record_state state;
};

struct record_turn {
    u64 thread;                /* that has it now */
    struct record_state state; /* of the one that had it, if it has not ended */
};

enum record_why { END_EXIT, END_EXEC, END_REFUSED };
struct record_end {
    u64 why, status;
};

/* --- ticks.c ------------------------------------------------------------------------------------------------------ */
u64 record_ticks(void);
/* The next tick that is due: later than now. */
void record_tick_at(u64 ticks);
/* Ticks of others, that do not count, come in between. */
struct record_ticks_saved {
    u64 goal, left;
};
struct record_ticks_saved record_ticks_save(void);
void record_ticks_restore(struct record_ticks_saved saved);

u64 record_registers(void); /* hash of the calling thread's general registers and pc */
/* While a tool's calls are made cheap, registers that nobody needs any more may have other values between two
 * instructions (O5): then only the stack pointer is looked at, and at system calls the arguments. */
bool record_registers_whole(void);

/* --- signals.c ---------------------------------------------------------------------------------------------------- */
struct record_state record_state_now(void);
void record_check_state(const struct event *e, const struct record_state *then); /* replaying: and the pc */
bool record_holds_signal(void); /* one waits for its place; the system call in hand is one */
void record_signal_at_call(void);
void record_event_done(void); /* replaying: an event has been carried out, and the next one says what comes now */

/* --- turn.c ------------------------------------------------------------------------------------------------------- */
extern bool record_many;      /* there has been a second thread: RP5 holds */
void record_turn_begin(void); /* the calling thread is about to make another */
bool record_turn_wanted(void);
void record_turn_at_call(void); /* recording, before each call: the slice may be over */
u64 record_slice(u64 otherwise); /* ticks until the thread looks whether others wait */
void record_turn_give(enum record_place how);
void record_turn_take(void);
void replay_turn_pass(const struct event *e);

/* --- start.c ------------------------------------------------------------------------------------------------------ */
extern struct os_stream record_stdout, record_stderr;

/* --- calls.c ------------------------------------------------------------------------------------------------------ */
void replay_memory(void); /* what the events that come next say of memory */
void replay_diverged(const struct event *e, const char *fmt, ...) PRINTF_LIKE(2, 3) NORETURN;
const struct event *replay_peek(void); /* ends the replay where the recording ends */
const struct event *replay_expect(u32 type, const char *what);

/* --- maps.c ------------------------------------------------------------------------------------------------------- */
void record_areas(void);
/* Why the call cannot be recorded; NULL: it can. */
const char *record_map_refused(const struct record_call *c);
/* Is there memory that a child of a fork could change? */
bool record_map_written_shared(void);
/* Before and after a call that changes mappings, or what is in them. */
void record_map_before(const struct record_call *c);
void record_map_after(const struct record_call *c, s64 result);
/* The file of a new mapping. False: it has none. */
bool record_map_names(struct record_call *c, char name[RECORD_NAME_BYTES]);
void replay_area(const struct event *e);
void replay_set_brk(u64 at);
/* Carries the call out; what it has written comes next, and then replay_maps_done. name: of the file, where it is the
 * mapping of one. */
void replay_maps(const struct record_call *c, const char *name, bool file);
void replay_maps_done(void);

/* --- compare.c: what a child of vfork changes in its parent's memory ---------------------------------------------- */
void record_compare_begin(void);
void record_compare_end(void);

#endif
