/* SPDX-License-Identifier: Apache-2.0
 * Recordings (docs/design/record.md): a run is written down so that it can be had again, without the program's files
 * and without the system calls that others would notice. This header is what the parts of it share. The rules:
 *
 *  RP1  What a program does between two events depends on nothing but its registers and memory at the first of them.
 *       So an event is whatever else changes these: a system call, a signal, an instruction whose result the machine
 *       chooses.
 *  RP2  A place in a run is the number of ticks until there: of jumps backwards and indirect jumps that it has come to.
 *       Events come at system calls, at faults, behind a tick, or directly behind another event, nowhere else: a signal
 *       that comes between two ticks waits for the second, or for the system call before it.
 *  RP3  An event is whole in the file, or is not there: its check covers all of it, and the bytes that are not yet in a
 *       block are in a file of their own that the kernel keeps when the process dies.
 *  RP4  What cannot be recorded is refused by name when the program asks for it.
 *  RP5  Of several threads one runs: it has the turn. It gives it up behind a tick, in a system call, and at its end,
 *       and whoever gets it is an event. So ticks count for all threads together, and whatever a thread sees of
 *       another has been there when it got the turn. Only the thread that has the turn writes or reads events. */
#ifndef LP_OS_RECORD_H
#define LP_OS_RECORD_H
#include "base/base.h"

enum os_record_mode { OS_RECORD_OFF, OS_RECORDS, OS_REPLAYS };
extern u32 os_record; /* enum os_record_mode */
extern const char *os_recorded_program; /* replaying: its path; NULL: none is replayed */

/* --- ticks (RP2) -------------------------------------------------------------------------------------------------- */
/* Cache code counts it down before each instruction that ticks; at 0 it calls os_tick_due. */
extern u64 os_ticks_left;
void os_tick_due(void);
/* The calling thread, in the dispatcher, is about to go on with guest code. */
void os_record_turn(void);

/* --- instructions whose result the machine chooses ---------------------------------------------------------------- */
#define OS_CHANCE_WORDS 4
/* Recording: writes down what the instruction has given. Replaying: gives what it gave then. */
void os_record_chance(u32 opcode, u64 word[OS_CHANCE_WORDS]);

/* Replaying: the name that the file had which was mapped there; "": none. */
void os_record_name(u64 addr, char *out, size_t bytes);

/* --- start, by the layers ----------------------------------------------------------------------------------------- */

/* Before guest code runs: everything else of os is up. */
void os_record_begin(void);

#endif
