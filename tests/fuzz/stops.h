/* SPDX-License-Identifier: Apache-2.0
 * A traced run of the fuzzer's guest (stops_trace.c): started, stopped, stepped, and looked into. */
#ifndef LP_STOPS_H
#define LP_STOPS_H
#include "fuzz.h"
#include "fuzz_stops.h"

#include <stdio.h>
#include <sys/types.h>

enum stop_kind {
    STOP_MARK,   /* the guest's own marker: an iteration begins or ends */
    STOP_BREAK,  /* the breakpoint */
    STOP_STEP,   /* one instruction is done */
    STOP_SIGNAL, /* a signal is about to be delivered: tracee.signal */
    STOP_END,    /* the program has ended: tracee.status */
    STOP_HANG,   /* nothing happened for HANG_SECONDS */
};
enum { HANG_SECONDS = 300 }; /* a turn takes a thousandth of one, where nothing else runs */

struct tracee {
    pid_t pid;
    u64 shared; /* address of the guest's struct stops */
    FILE *out;
    int signal, status;
    bool runs; /* since it began to be traced: its first stop is still to come */
    bool pushes_flags, is_syscall, saves_flags, own_steps; /* the instruction that is being stepped, */
    u64 after;                                /* and where a breakpoint ends it instead, 0: nowhere */
};

/* What ends an instruction's address range: an executable mapping of the tracee. */
struct code_map {
    u64 start, end;
    bool cache;
};
struct code_maps {
    struct code_map map[256];
    u32 n;
};

/* Runs argv without address randomisation, and attaches when the guest is ready; false: it ended before that. */
bool tracee_start(struct tracee *t, char **argv);
void tracee_kill(struct tracee *t);
enum stop_kind tracee_continue(struct tracee *t, int signal);
/* One instruction. The trap flag that makes the CPU stop is not seen by it (pushf, syscall). */
enum stop_kind tracee_step(struct tracee *t, int signal);
void tracee_break_at(struct tracee *t, u64 address); /* 0: nowhere */
u64 tracee_pc(const struct tracee *t);
void tracee_state(const struct tracee *t, struct stop_state *s);
bool tracee_read(const struct tracee *t, u64 at, void *to, size_t bytes);
bool tracee_write(const struct tracee *t, u64 at, const void *from, size_t bytes);
void tracee_maps(const struct tracee *t, struct code_maps *maps);
const struct code_map *map_of(const struct code_maps *maps, u64 pc);
#endif
