/* SPDX-License-Identifier: Apache-2.0
 * Routines of the guest that a tool has replaced by its own. */
#ifndef LP_API_REPLACE_H
#define LP_API_REPLACE_H
#include "opt/objects.h"
#include "abi.h"

struct probed;

struct replacement {
    gpc_t pc, end;
    /* The tool's function; NULL: the replacement was taken back, because its image is gone. */
    void *fn;
    const struct call *call;    /* its arguments, NULL: those of the routine (RTN_Replace) */
    struct abi_proto *proto;    /* of the routine; NULL: not known */
    void *original;             /* what the tool calls to run the routine itself */
    struct probed *probed;      /* NULL: of JIT mode */
    struct replacement *next;
};

/* A replacement routine that runs. */
struct activation {
    struct activation *outer;
    const struct replacement *rec;
    u64 entry_sp;               /* its return address is there */
    gpc_t return_pc;
};

/* A record with its original; dies when there is no memory. */
struct replacement *replace_make(gpc_t pc, gpc_t end, void *fn, const struct call *call, const struct abi_proto *proto,
                                 struct probed *probed);
/* Calls the tool's function; the guest is at the start of the routine. Its result is the guest's. */
void replace_run_function(const struct replacement *r, struct activation *a);
/* The replacement whose original fn stands for: its `original`, or the routine's own address from inside its
 * replacement; NULL: an ordinary function. */
const struct replacement *replace_original(const void *fn);
/* Can the routine of the running replacement be called in its place, with the return address and stack arguments where
 * the guest has put them? */
bool replace_in_place(const struct activation *a, const struct replacement *r, u64 sp, u32 stack_words);
/* Runs the routine in place. vm_tc.cpu: the guest's registers with the arguments in them; stack arguments are in l. */
void replace_run_in_place(const struct activation *a, const struct host_call *l, u32 stack_words);
/* Runs the guest function at pc, or the routine of `original`, in a frame of its own. */
void replace_run_apart(gpc_t pc, const struct replacement *original, const struct host_call *l, u32 stack_words);
/* The image with this routine is gone: takes its replacements back. */
void replace_forget(gpc_t pc);
/* Writes guest memory that the engine may protect. */
void replace_write_guest(u64 at, const void *from, size_t bytes);

#endif
