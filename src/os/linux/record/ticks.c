/* SPDX-License-Identifier: Apache-2.0
 * Ticks, and what the machine chooses (os/record.h, RP1 and RP2). One guest thread at a time runs while a program is
 * recorded or replayed (RP5), so the counter is one word at a constant address. */
#include "os/linux/record/record.h"

#include "arch/arch.h"
#include "base/options.h"
#include "os/thread.h"

#include <stdlib.h>
#include <string.h>

static u64 goal = ~0ul >> 1; /* as os_ticks_left */

u64 record_ticks(void) { return goal - os_ticks_left; }

void record_tick_at(u64 ticks)
{
    u64 now = record_ticks();
    ASSERT(ticks > now);
    goal = ticks;
    os_ticks_left = ticks - now;
}

struct record_ticks_saved record_ticks_save(void) { return (struct record_ticks_saved){goal, os_ticks_left}; }

void record_ticks_restore(struct record_ticks_saved saved)
{
    goal = saved.goal;
    os_ticks_left = saved.left;
}

u64 record_registers(void) { return record_hash(0, &vm_tc.cpu, CPU_COMPARED_BYTES); }

bool record_registers_whole(void) { return options.no_dead; }

void os_record_chance(u32 opcode, u64 word[OS_CHANCE_WORDS])
{
    u64 body[OS_CHANCE_WORDS + 1] = {opcode};
    u64 pc = arch_pc(&vm_tc.cpu);
    if (!os_record || vm_tc.os.vfork_child)
        return;
    if (os_record == OS_RECORDS) {
        memcpy(body + 1, word, OS_CHANCE_WORDS * sizeof *word);
        record_log_put(REC_CHANCE, record_ticks(), pc, 0, body, sizeof body);
        vm_tc.os.record.direct = true;
        return;
    }
    const struct event *e = replay_expect(REC_CHANCE, "executes an instruction whose result the machine chooses");
    memcpy(body, e->body, sizeof body);
    if (e->place != pc || body[0] != opcode)
        replay_diverged(e, "the program executes another instruction whose result the machine chooses (opcode %x)",
                        opcode);
    memcpy(word, body + 1, OS_CHANCE_WORDS * sizeof *word);
    record_log_next();
    record_event_done();
}
