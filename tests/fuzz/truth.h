/* SPDX-License-Identifier: Apache-2.0
 * Shared by the parts of the native stepper: what is known of one step, and who finds it out. */
#ifndef LP_FUZZ_TRUTH_H
#define LP_FUZZ_TRUTH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/user.h>

typedef uint64_t word;
enum { TRUTH_ACCESSES = 4 };

struct truth_facts {
    word pc, next;          /* next: the address behind it */
    word gpr[16], flags;    /* before it, in the CPU's order */
    bool rep, executing, first, went_on;
    bool compares;          /* cmps or scas */
    bool branch, taken, always; /* near transfers only */
    word target;
    bool after;             /* calls behind it have one meaning: no branch, no interrupt */
    bool unsteady;          /* not to be stepped: runs up to goes_to */
    word goes_to;
    bool interrupt, system_call, pushes_flags;
    bool accesses;          /* mem[] is all that it touches */
    unsigned nmem;
    struct { word ea; uint32_t size; bool read, write; } mem[TRUTH_ACCESSES];
};

/* truth_facts.c: the instruction at r->rip, with the step before it; false: none can be decoded there */
bool truth_decode(struct truth_facts *f, const struct user_regs_struct *r, const struct truth_facts *last);
void truth_init(void);
/* truth_probes.c: what probes see before the instruction; and when it is complete, or its branch taken, with the registers of then */
void truth_before(const struct truth_facts *f);
void truth_after(const struct truth_facts *f, const struct user_regs_struct *r);
bool truth_option(const char *name, const char *value); /* of the plan; false: there is none */
void truth_begin(void);
void truth_end(FILE *out, word number);
/* truth.c */
size_t truth_read(void *to, word at, size_t n);
bool truth_vector(word half[2], unsigned n);
void truth_die(const char *what) __attribute__((noreturn));

static inline bool arena_has(word pc) { return pc - 0x50200000ul < 0x100000 || pc - 0x510200000ul < 0x100000; } /* as tools/arena.h */

static inline void truth_gprs(word gpr[16], const struct user_regs_struct *r)
{
    const word all[16] = {r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp, r->rsi, r->rdi, r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15};
    memcpy(gpr, all, sizeof all);
}
#endif
