/* SPDX-License-Identifier: Apache-2.0
 * Signal frames of RISC-V 64 Linux, as far as the engine itself needs them: frames that the kernel made for its
 * handler. Frames for handlers of the guest are still missing; whoever needs one is told so, and the process ends. */
#include "os/linux/sigframe.h"

#include "arch/arch.h"
#include "decode.h"
#include "cpu.h"
#include "os/os.h"
#include "os/os_thread.h"

#include <string.h>

static void no_frames(void) NORETURN;
static void no_frames(void) { die(1, "RISC-V 64: signal handlers of the program are not done in this port yet"); }

void sigframe_learn(const struct sigframe *f) { (void)f; }
void sigframe_probe(void) {} /* nothing has to be learnt */
bool sigframe_is_probe(const struct sigframe *f) { return (void)f, false; }

void sigframe_init_thread(struct os_thread *os, bool first)
{
    (void)first;
    os->alt_sp = os->alt_bytes = 0;
    os->alt_flags = SS_DISABLE;
}

/* tp is the host's, the guest's is in the context. */
void sigframe_capture(struct cpu_state *c, struct os_thread *os, const struct sigframe *f)
{
    (void)os;
    for (u32 r = 1; r < GPR_COUNT; r++)
        if (r != TP)
            c->gpr[r] = f->greg[r];
    c->pc = f->greg[GREG_IP];
    memcpy(c->fpr, f->fpr, sizeof c->fpr);
    c->fcsr = f->fcsr;
}

void sigframe_note_status(struct cpu_state *c, const struct sigframe *f) { (void)c, (void)f; }
void sigframe_capture_undone(struct cpu_state *c, struct os_thread *os, const struct sigframe *f)
{
    sigframe_capture(c, os, f);
}
void sigframe_capture_fault(struct os_thread *os, const struct sigframe *f) { (void)os, (void)f; }

/* The frame does not say: the instruction does. */
bool sigframe_is_write_fault(const struct sigframe *f)
{
    struct insn in;
    return decode_insn(&in, f->greg[GREG_IP], (const u8 *)f->greg[GREG_IP], 4) && in.writes_memory;
}

bool sigframe_is_general_fault(const struct sigframe *f) { return (void)f, false; }
void sigframe_make_stack_fault(struct sigframe *f, siginfo_t *info) { (void)f, (void)info; }
bool sigframe_is_stepping(const struct sigframe *f) { return (void)f, false; }
void sigframe_set_gpr(struct sigframe *f, u32 reg, u64 value) { f->greg[reg] = value; }
void sigframe_set_step(struct sigframe *f)
{
    (void)f;
    die(1, "RISC-V 64: stepping is not done in this port yet");
}

void sigframe_redirect(struct sigframe *f, u64 pc, u64 sp)
{
    f->greg[GREG_IP] = pc;
    f->greg[GREG_SP] = sp;
    f->fcsr = 0;
}

void sigframe_enter_handler(const struct sigframe *f) { (void)f; }

bool sigframe_push(struct cpu_state *c, struct os_thread *os, const struct sig_action *act, const siginfo_t *info,
                   u64 mask)
{
    (void)c, (void)os, (void)act, (void)info, (void)mask;
    no_frames();
}

bool sigframe_peek_mask(const struct cpu_state *c, u64 *mask)
{
    (void)c, (void)mask;
    no_frames();
}
bool sigframe_pop(struct cpu_state *c, struct os_thread *os)
{
    (void)c, (void)os;
    no_frames();
}
void sigframe_mark_fault(struct cpu_state *c) { (void)c; }
