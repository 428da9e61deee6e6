/* SPDX-License-Identifier: Apache-2.0
 * Probes: functions of a program that runs natively, led to host code at their start (docs/design/probes.md). What is
 * to be done at a probe is its owner's business, above. */
#ifndef LP_PROBE_H
#define LP_PROBE_H
#include "arch/probe.h"

struct probe;
/* Runs on the host's side of the guest's thread, its state in vm_tc.cpu with the pc at the function's start. Returns
 * where the guest goes on: probe->code.resume or .leave. */
typedef u64 probe_fn(struct probe *p);

struct probe {
    struct probe *next, *next_hop; /* in the lists of place.c */
    struct probe_site site;  /* without its pointers */
    struct probe_code code;
    struct probe_whole *whole; /* the function was moved as a whole (PB23), NULL: it was not */
    struct probe *next_whole;
    probe_fn *fn;
    void *data;              /* the owner's */
    bool placed, wanted;     /* wanted: the owner's, for probe_place_all */
    bool anywhere;           /* no function's: the thread was sent here, also amid its way back to a call */
};

/* Can there be one? NULL, or why not. */
const char *probe_refused(const struct probe_site *s);
/* The probe of that function; NULL: there is none. Placed or not. */
struct probe *probe_at(gpc_t pc);
/* Makes the probe, which is not placed yet. NULL: *why says so. */
struct probe *probe_make(const struct probe_site *s, probe_fn *fn, void *data, const char **why);
/* Writes it to the function's start, or what was there before. quiet: no thread can be in the function. NULL, or why it
 * cannot be done. */
const char *probe_place(struct probe *p, bool place, bool quiet);
/* Takes all out, or places those that are wanted, in one go; false: none. */
bool probe_place_all(bool place);
/* The same, and sends all threads of the program to f, each on itself; waits until they have been there. Those that are
 * in host code come when they leave it, and are waited for for a while only. Where probes are placed, none goes on
 * before the others have been there. */
bool probe_place_all_and_visit(bool place, void (*f)(void));
void probe_each(void (*f)(struct probe *p));
/* From now on the probe makes these calls without host code (arch_probe_light); n 0: with it. */
void probe_set_light(struct probe *p, const struct probe_light *c, u32 n, bool replaces);
/* The same, with host code only where the function's first argument is one of n numbers. */
void probe_set_filter(struct probe *p, const u32 *first, u32 n);
/* Code that can be set as the handler of signals: fn runs on the host's side, with the handler's arguments in
 * vm_tc.cpu, and returns p->code.leave. False: no memory. */
bool probe_make_handler(probe_fn *fn, u64 *handler, u64 *restorer);
/* Code that a thread can be sent to from anywhere in the guest's code, by which it does fn, and goes on where the word
 * at `back` says. False: no memory. */
bool probe_make_visit(probe_fn *fn, u64 *at, u64 *back);
/* The image is gone: so are its probes. */
void probe_forget(gpc_t start, gpc_t end);
/* Does a probe, placed or not, want some of that for its patch or its hop? */
bool probe_uses(gpc_t start, gpc_t end);
/* The program's own bytes there, where a probe has replaced them. */
void probe_own_bytes(gpc_t at, u8 *bytes, size_t n);

/* --- guest functions called from the host's side of a probe --- */
/* What is to be on the guest's stack as the return address of the next call. */
u64 probe_return_pc(void);
/* For an unwinder: the frame description of the calling thread's call that returns to that address; 0: there is none.
 * bases: two words that do not matter, and the start of the code. */
u64 probe_frame_of(u64 return_pc, u64 *bases);
void probe_jump(gpc_t pc);   /* vm_tc.cpu goes to that function */
/* vm_tc.cpu is at the start of the function, pc a continuation; back when that has returned, with the state then. */
void probe_call_guest(u64 return_sp, gpc_t caller); /* caller: where the guest called it, for unwinders */
void probe_init(void);
/* The place where calls of that depth return to; which depth it is of. */
u64 probe_gate(u32 depth);
bool probe_gate_depth(u64 pc, u32 *depth);
void probe_run_init(void); /* its part of run.c */

#endif
