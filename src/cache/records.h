/* SPDX-License-Identifier: Apache-2.0
 * Memory for what the engine knows of traces: numbered records (traces, exits) and bytes (maps, counters). All of it
 * belongs to a region, and is free for any region when that one has drained. Under jit_lock, but for reading. */
#ifndef LP_CACHE_RECORDS_H
#define LP_CACHE_RECORDS_H
#include "base/base.h"

enum record_kind { RECORD_EXIT, RECORD_TRACE, RECORD_KINDS };

#define RECORD_CHUNK 1024u   /* records; all of one request are in one chunk */
#define RECORD_CHUNKS 65536u
#define RECORD_BYTES_MAX 131072u /* a chunk of bytes; one request gets less than that */

struct region_records {
    struct {
        u32 chunk, used;  /* the current chunk (number + 1), records used in it */
        u32 chunks;       /* list of the chunks it owns (number + 1) */
        u32 count;
    } of[RECORD_KINDS];
    struct byte_chunk *bytes; /* the current chunk, linked to the earlier ones */
    u32 bytes_used;           /* bytes used in the current chunk */
    u64 bytes_all;
};

/* Chunks never move or go back to the system, so this needs no lock. */
extern void *record_chunk[RECORD_KINDS][RECORD_CHUNKS];
static inline void *record_get(enum record_kind k, u32 number, size_t bytes)
{
    return (u8 *)record_chunk[k][number / RECORD_CHUNK] + number % RECORD_CHUNK * bytes;
}

/* One chunk of each kind is at hand: what a trace needs at most. False: there is no memory for that. */
bool records_ready(void);
/* n consecutive records; returns the first one's number. */
u32 record_alloc(struct region_records *r, enum record_kind k, u32 n);
/* Room for n bytes, of which record_keep_bytes says how many are kept. */
u8 *record_room(struct region_records *r, u32 n);
void record_keep_bytes(struct region_records *r, u32 n);
void records_free(struct region_records *r);

#endif
