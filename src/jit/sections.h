/* SPDX-License-Identifier: Apache-2.0
 * Restartable sequences in translated code (docs/design/rseq.md): sections are found while code is decoded, and their
 * traces are entered by the VM only. */
#ifndef LP_JIT_SECTIONS_H
#define LP_JIT_SECTIONS_H
#include "opt/pass.h"
#include "os/os.h"

/* --- jit_lock held --- */
/* Do the instructions name the descriptor of a section that was not known (RS2)? */
bool sections_seek(const struct pass *b);
/* A trace was made that is to be executed now: notes the section that the calling thread says it is in. */
void sections_learn(void);
/* Before an instruction that the trace begins with, or that has calls, after its calls: leaves the trace if the section
 * was interrupted before (RS6). */
void sections_lower(struct pass *b, const struct insn *in);
/* The trace is lowered. */
struct section_code sections_code(const struct pass *b);
/* --- without jit_lock --- */
/* The calling thread is about to enter the trace. False: its section was interrupted, and it goes on elsewhere. */
bool sections_enter(const struct trace *t);

#endif
