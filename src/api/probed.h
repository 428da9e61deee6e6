/* SPDX-License-Identifier: Apache-2.0
 * Probe mode as tools see it (docs/design/probes.md): what is done at the probe of a routine. */
#ifndef LP_API_PROBED_H
#define LP_API_PROBED_H
#include "api/replace.h"
#include "probe/probe.h"

struct rtn;

/* What the engine itself has to do around a function of the program. */
struct probed_own {
    const char *name;
    void (*before)(void);   /* before the function runs, its arguments in vm_tc.cpu */
    void (*after)(void);    /* when it has returned; NULL: it need not be known */
    bool (*replaces)(void); /* instead of the function, when calls before it are done: true: its result is set */
    bool always;            /* of probed_ends: even if the tool has nothing to say at the end */
    bool filtered;          /* host code only where the first argument is a native_number() */
    bool (*answers)(void);  /* instead of `before`: true: the function's result is set, and it does not run */
};

struct probed {
    struct probe *probe;
    const struct probed_own *own;    /* NULL: none */
    struct replacement *before, *after; /* calls of the tool, in their order */
    struct replacement *replaced;    /* the latest; NULL: none */
    gpc_t jumps_to;                  /* PIN_InsertProbe: there instead of the function; 0: no */
    bool twice;                      /* the function may return more than once */
};

/* The site of a probe, to be given back by probed_site_free. Under image_lock. */
bool probed_site(struct probe_site *s, const struct rtn *r, u32 mode); /* mode: PROBE_MODE */
void probed_site_free(struct probe_site *s);
/* An image is gone. */
void probed_forget_image(u32 id);

/* The engine's own probe at that routine. */
void probed_own_place(u32 rtn, const struct probed_own *own);
/* The same in the middle of one. Under image_lock. */
void probed_own_place_at(const struct probe_site *s, const struct probed_own *own);
/* Runs the routine of a probe in its place: the guest is at its start with the arguments. */
void probed_run_original(struct probed *d, u64 entry_sp, gpc_t return_pc);

/* The images that are being told of: no thread is in them yet. */
extern bool probed_quiet;
extern bool probed_later; /* probes that are wanted now are placed together, when all are known */
/* Registers what the engine does after the tool's functions for images. */
void probed_begin(void);
/* All that the tool wanted at probes is forgotten. */
void probed_forget_calls(void);
/* The ends of the program; probed_watches_end: the tool has something to say then. */
extern bool probed_watches_end;
extern const struct probed_own probed_ends[]; /* of the C library; the last has no name */
void probed_end_init(void);
void probed_end_image(u32 image, bool is_library);
void probed_end_after_fork(bool child);
void probed_watch_signals(bool watch);
void probed_detach_init(void);
void probed_take_errands(void); /* of a launched program, which has no agent */
void probed_detach_after_fork(void);
/* The tool's end comes once: true for the one who brings it about. */
bool probed_claim_end(void);
void probed_await_end(void); /* until the tool has left */
/* Has the tool registered functions that are called in probe mode only? The second: for the end of a detach. */
bool probed_has_callbacks(void);
bool probed_detach_has_callbacks(void);
/* The tool's functions for the calling thread: it has come under the tool, or the tool leaves it. */
void probed_tell_thread(bool attach);
void probed_keep_detach(void); /* its functions for threads stay until these have been told */
extern __thread bool probed_forks; /* the thread is in fork, with the engine's locks held: the tool is not called */
extern bool probed_over;  /* the program ends, or the tool has left: probes do nothing any more */

#endif
