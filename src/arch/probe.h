/* SPDX-License-Identifier: Apache-2.0
 * What an architecture owes to probe mode (docs/design/probes.md): code that leads from the start of a function to host
 * code and on to the function, and the ways between native guest code and host code. */
#ifndef LP_ARCH_PROBE_H
#define LP_ARCH_PROBE_H
#include "base/base.h"

#define PROBE_CODE_BYTES 256u  /* of a probe's island, at most */
#define PROBE_PATCH_BYTES 8u   /* written at the function's start, at most */
#define PROBE_MOVED 8u         /* instructions displaced, at most */

/* Where a probe is to go. */
struct probe_site {
    gpc_t pc, end;        /* the function: [pc, end) */
    gpc_t limit;          /* what follows it up to here is padding */
    gpc_t hop;            /* room for a jump in padding that a short jump from pc reaches; 0: none */
    const u8 *bytes;      /* of [pc, limit), as the program has them */
    bool allow_targets;   /* places that may be targets of branches do not matter */
    bool allow_whole;     /* the function may be moved as a whole */
    /* Does a known branch, other than a call of pc itself, lead into [from, to)? outside: one from another function. */
    bool (*leads_into)(const struct probe_site *s, gpc_t from, gpc_t to, bool outside);
    const void *arg;      /* for it */
};

/* Its code. The island is data and code for one address; the patch is what is written at the function's start. */
struct probe_code {
    u8 island[PROBE_CODE_BYTES];
    u32 island_bytes;
    u8 old[PROBE_PATCH_BYTES], patch[PROBE_PATCH_BYTES];
    u32 patch_bytes;
    u8 hop_old[PROBE_PATCH_BYTES], hop[PROBE_PATCH_BYTES]; /* a jump at site.hop */
    u32 hop_bytes;        /* 0: it is not used */
    u64 entry;            /* where the patch leads; it goes on to where the word at `target` says: */
    u64 target, full;     /* to `full`, from where host code is called; or to code of arch_probe_light */
    u64 resume, leave;    /* continuations for host code: the function goes on; it returns to its caller */
    u64 original;         /* the function itself, callable */
    u32 nmoved;           /* the displaced instructions: offset in the function, address in the island */
    struct { u8 from; u64 to; } moved[PROBE_MOVED];
};

/* Makes the code for an island at that address, which must be within 2 GiB; record: what arch_probe_record gives back.
 * NULL, or in words why there can be no probe. */
const char *arch_probe_make(const struct probe_site *s, u64 island, void *record, struct probe_code *out);

/* A copy of the whole function. */
#define PROBE_WHOLE_BYTES 16384u
#define PROBE_WHOLE_BACKS 32u
#define PROBE_WHOLE_MOVED 1024u
struct probe_whole {
    u8 code[PROBE_WHOLE_BYTES];
    u32 bytes, nback, nmoved;
    u8 own[PROBE_WHOLE_BACKS][PROBE_PATCH_BYTES];       /* what is there */
    struct { u64 from, to; } back[PROBE_WHOLE_BACKS];   /* where calls return to, and a jump to the copy is to be */
    struct { u64 from, to; } moved[PROBE_WHOLE_MOVED];  /* all instructions */
};
/* Makes it for that address. displaced: so many bytes at the start are the probe's. NULL, or why not. */
const char *arch_probe_whole(const struct probe_site *s, u64 address, u32 displaced, struct probe_whole *out);
/* As arch_probe_make, with that copy. */
const char *arch_probe_make_whole(const struct probe_site *s, u64 island, void *record, u64 copy,
                                  struct probe_code *out);
/* A jump from one address to another one: its bytes; 0: too far. */
u32 arch_probe_put_jump(u8 *to, u64 at, u64 target);
/* The record of the probe that the calling thread has come from; vm_tc.cpu has the guest's state, its pc is that of
 * the island. */
void *arch_probe_record(void);
/* A place for the return of guest functions that host code calls, and one that goes to any address (a function). Made
 * in the island of that address; returns its bytes. */
u32 arch_probe_make_gate(u8 *to, u64 island, u64 *returns, u64 *jumps);
/* Code that a thread can be sent to wherever it is: it leads to host code as a probe does, and then to where the word
 * at `back` says. Sets entry and resume of code; returns its bytes. */
u32 arch_probe_make_visit(u8 *to, u64 island, void *record, struct probe_code *code, u64 *back);
/* Code that the kernel calls for a signal: it leads to host code as a probe does, and then returns to *restorer, which
 * ends the handler. Sets entry and leave of code; returns its bytes. */
u32 arch_probe_make_handler(u8 *to, u64 island, void *record, struct probe_code *code, u64 *restorer);
/* Code for that address, to which a probe's entry leads: host code only where the function's first argument is one
 * of n numbers of 32 bits. Returns its bytes. */
u32 arch_probe_filter(const u32 *first, u32 n, const struct probe_code *code, u8 *to, u64 at);
/* Writes a frame description as unwinders read it, for a call that returns to `gate`: the frame is empty, its caller is
 * where `caller` says. Its address. */
#define PROBE_FRAME_BYTES 80u
u64 arch_probe_frame(u8 *to, u64 gate, u64 caller);
/* vm_tc.cpu goes to the function at pc by way of `jumps`. */
void arch_probe_jump(u64 jumps, gpc_t pc);

/* Calls without host code: the tool's routines are known to need neither the host's TLS nor much of a stack. */
#define PROBE_LIGHT_ARGS 6u
#define PROBE_LIGHT_AS_IS (~0u) /* nargs of a call that takes the function's place with the same arguments */
#define PROBE_LIGHT_BYTES 1024u
enum probe_light_kind { LIGHT_CONST, LIGHT_ARGUMENT /* of the function */, LIGHT_RETURN_PC };
struct probe_light {
    void *fn;
    u32 nargs;
    struct { u8 kind; u64 value; } arg[PROBE_LIGHT_ARGS];
};
/* Is it such a routine? Under jit_lock. */
bool arch_probe_is_light(void *fn);
/* Writes the code of n calls for that address; replaces: the one call takes the function's place. Returns its
 * bytes. */
u32 arch_probe_light(const struct probe_light *c, u32 n, bool replaces, const struct probe_code *code, u8 *to, u64 at);

/* Calls f for each direct branch in [bytes, bytes + n), which are code of the guest at pc. */
void arch_probe_branches(gpc_t pc, const u8 *bytes, size_t n, void (*f)(void *arg, gpc_t from, gpc_t to, bool call),
                         void *arg);
/* How many of the bytes are padding: instructions that do nothing, traps. */
size_t arch_probe_padding(gpc_t pc, const u8 *bytes, size_t n);

/* Is there at pc, in a routine with these bytes that begins at `start`, an instruction that loads the number of a
 * system call which is made a few instructions later, come what may, and whose first argument can be told already? Its
 * bytes; 0: no. */
u32 arch_probe_call_site(gpc_t start, const u8 *bytes, size_t n, gpc_t pc, u32 number);
/* vm_tc.cpu is at such an instruction: that argument. */
u64 arch_probe_call_argument(void);
/* Where the bytes of such an instruction may be, from `from` on; n: nowhere. */
size_t arch_probe_call_next(const u8 *bytes, size_t n, size_t from, u32 number);

/* Assembly. The guest runs natively from vm_tc.cpu on, whose pc is a continuation, until it comes to `returns` and
 * arch_probe_entered calls arch_native_back. *resume: where host code goes on then. next: the host stack for probes
 * that are met meanwhile, 0: the same. */
void arch_native_call(u64 *resume, u64 next);
void arch_native_back(u64 resume) NORETURN;
/* A thread that is between the first two has the host's TLS register, and may be sent back to the first. One between
 * the other two has the guest's, but may hold a lock of the host's. */
extern char arch_native_leave[], arch_native_left[], arch_native_find_begin[], arch_native_find_end[];
/* Signals of the guest's mask, its FS base: of the thread that has come from a probe. */
u64 arch_native_mask(void);
/* A word of the thread's that the assembly looks at when it leaves host code: not 0: arch_probe_due is called. */
struct cpu_state;
u64 arch_native_due_at(const struct cpu_state *c);
u64 arch_native_take_due(void); /* what is there, which is 0 then */
void arch_native_set_mask(u64 mask);
u64 arch_native_tls(void);

/* Called by the assembly on the host's stack when a thread has come from a probe; the guest goes on where vm_tc.cpu
 * says then. Set by the probe layer. */
extern void (*arch_probe_entered)(void), (*arch_probe_due)(void);

#endif
