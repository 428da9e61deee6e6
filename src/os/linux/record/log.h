/* SPDX-License-Identifier: Apache-2.0
 * The file of events of a recording, written and read (docs/recordings.md has its format). Under the rules of
 * os/record.h. */
#ifndef LP_LINUX_RECORD_LOG_H
#define LP_LINUX_RECORD_LOG_H
#include "base/base.h"

#define RECORD_VERSION 3u
#define EVENT_MOST_BYTES 65536u /* of an event's body */

enum event_type {
    REC_START = 1, /* body: struct record_start */
    REC_AREA,      /* a mapping when the recording begins; body: struct record_area, with its name */
    REC_MEMORY,    /* at `place`: body */
    REC_ZERO,      /* at `place`, `extra` bytes are 0 */
    REC_GO,        /* the guest's first instruction comes next */
    REC_CALL,      /* body: struct record_call; memory that it has written follows */
    REC_SIGNAL,    /* body: struct record_signal, and the frame's memory follows */
    REC_FAULT,     /* the same, of a signal that the guest's instruction has raised */
    REC_CHANCE,    /* body: words; place: pc */
    REC_CHECK,     /* nothing has happened; body: the registers */
    REC_END,       /* body: struct record_end */
    REC_TURN,      /* another thread runs from now on; body: struct record_turn */
    REC_TYPES,
};

/* As in the file. */
struct event {
    u32 type, bytes; /* of the body */
    u64 ticks, place;
    u32 extra, check;
    u8 body[];
};
#define EVENT_HEAD_BYTES sizeof(struct event)

/* --- writing ------------------------------------------------------------------------------------------------------ */
void record_log_create(const char *dir);
/* False: nothing is written any more, and the user knows why. */
bool record_log_put(u32 type, u64 ticks, u64 place, u32 extra, const void *body, size_t bytes);
/* Any number of bytes of guest memory, which is readable, as events. */
void record_log_memory(u64 addr, u64 bytes);
void record_log_written(u64 addr, u64 bytes); /* the same, and faster, where the kernel has just written */
void record_log_finish(void);
/* In the child of a fork: the recording is its parent's. */
void record_log_forget(void);

/* --- reading ------------------------------------------------------------------------------------------------------ */
void record_log_open(const char *dir);
/* The event to come; it is there until record_log_next. NULL: the recording ends here. */
const struct event *record_log_peek(void);
void record_log_next(void);
/* Where the reader is, for messages. */
const char *record_log_where(void);

u64 record_hash(u64 start, const void *data, size_t bytes);

#endif
