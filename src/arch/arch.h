/* SPDX-License-Identifier: Apache-2.0
 * What an architecture owes to the parts above it, all of it, in the order in which a port is written. It is
 * implemented in src/arch/<architecture>/, which also has, by the same names in each: cpu.h (the state of a thread),
 * decode.h (an instruction), pass_arch.h (its part of a pass), and what the API shows of it (src/layers.list). */
#ifndef LP_ARCH_H
#define LP_ARCH_H
#include "arch/effect.h"

struct pass;
struct pass_count;
struct call;
struct call_arg;
struct cpu_state;
struct ins;
struct ins_jump;
struct insn;
struct live;
struct region;
struct rest;
struct rop;
struct rop_registers;

/* --- 1. the machine and the state of a thread --------------------------------------------------------------------- */
void arch_init_cpu(void);          /* once: CPU features; dies with a message when something needed is missing */
void arch_init_thread(struct cpu_state *c); /* once for each thread: masks, default extended state */
void arch_fork(bool before);       /* takes its locks before a fork, and gives them back after it on both sides */
u64 arch_cycles(void);             /* a counter of cycles, or what is nearest to it */
u64 arch_pc(const struct cpu_state *c);
void arch_set_pc(struct cpu_state *c, u64 pc);
u64 arch_sp(const struct cpu_state *c);
void arch_set_sp(struct cpu_state *c, u64 sp);
u64 arch_tls_base(void);           /* the calling thread's guest TLS base (FS base on x86-64) */
void arch_set_tls_base(u64 base);
/* Changes the calling thread's state: words of a tool's context that differ between was and now get the value of
 * now. */
void arch_change_state(const u64 *was, const u64 *now, u32 n);

/* --- 2. host code ------------------------------------------------------------------------------------------------- */
/* A plain system call, never interrupted specially. */
s64 arch_raw_syscall(u64 nr, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f);
/* System calls in the code of host libraries, found and led to os_host_syscall: those of a number that `calls` has. */
struct arch_call_search {
    const u8 *calls; /* by number; 0: not wanted */
    u32 ncalls;
    u64 (*function_of)(u64 pc); /* where the function begins that pc is in; 0: not known */
};
struct arch_host_call {
    u8 *move, *call; /* the instruction that sets the number, and the system call */
};
#define ARCH_HOST_CALL_BYTES 72 /* of a stub */
u32 arch_find_host_calls(const struct arch_call_search *s, const u8 *text, u64 bytes, struct arch_host_call *out,
                         u32 room);
/* Writes the stub, which a branch from there must reach, and the branch; returns the stub's end. */
u8 *arch_redirect_host_call(const struct arch_host_call *c, u8 *stub);
/* The core of os_safe_copy: copies guest memory while signals of faults are not blocked. Returns how many bytes were
 * copied; fewer: what follows is not accessible. */
size_t arch_fault_copy(void *dst, const void *src, size_t bytes);
/* For the signal handler: is pc in host code that is to be left at once? Then *pc becomes the place where it goes
 * on. */
enum arch_landing {
    LANDING_COPY, /* arch_fault_copy has faulted */
    /* In arch_gate_syscall, before the call has happened (also when the kernel has gone back to restart it). */
    LANDING_GATE,
};
bool arch_land(u64 *pc, enum arch_landing what);
void arch_host_fpu(void);             /* sets floating point to what host code expects */
/* Calls fn(arg) on another host stack; sp: its end, aligned to 16. */
void arch_call_on_stack(u64 sp, void (*fn)(void *), void *arg);
/* Stops for a tracer; the pc is then at the mark. */
void arch_trap(void);
extern char arch_trap_after[];

/* --- 3. system calls of the guest --------------------------------------------------------------------------------- */
/* The place of a word of a system call in the state: arguments are 0 to 5. */
enum { WORD_NUMBER = 6, WORD_RESULT, WORD_IN_GATE /* number of the call that a region's gate has made last */ };
u64 *arch_syscall_word(struct cpu_state *c, u32 which);
enum arch_syscall_point {
    SYSCALL_BEFORE, /* to the state before the instruction */
    SYSCALL_AFTER, /* from there to the state with which it left the cache */
    SYSCALL_ENTER,  /* completes what the instruction itself does to registers */
};
void arch_syscall_move(struct cpu_state *c, enum arch_syscall_point to);
/* Puts the guest before its system call instruction again, to be made with number nr. */
void arch_restart_syscall(struct cpu_state *c, u64 nr);
/* The only place where a blocking system call is made for the guest from host code. The signal handler knows from the
 * pc whether the call has happened: before it, it redirects to return -ERESTART_GATE (-512) without having made the
 * call, so that the dispatcher delivers the signal first and the guest's instruction runs again. */
s64 arch_gate_syscall(u64 nr, const u64 args[6]);
extern char host_gate_after[]; /* the address after its system call instruction */
/* For a region's gate (E10): the guest address at which a thread that waits in it goes on, whose continuation is
 * `sysret`. arch_leave_gate, for EXIT_EFAULT and EXIT_GATE: sets the state after the call. */
u64 arch_gate_next_pc(u64 sysret);
u64 arch_leave_gate(struct cpu_state *c);

/* --- 4. instructions (decode.h), lowered into a trace (opt/pass.h) under jit_lock --------------------------------- */
enum arch_nature {
    NATURE_NEEDS_VM,     /* the VM carries it out, or a part of it; a system call may need the VM */
    NATURE_STEPS,        /* stepping over it leaves its own effect, and nothing else */
    NATURE_REPEAT_KNOWN, /* it repeats itself, and how often is known when it begins */
    NATURE_TRAPS,        /* it raises a trap, for which the kernel reports the address after it */
};
bool arch_insn_is(const struct insn *in, enum arch_nature what);
/* The constant address that the instruction makes, stores, or loads a word from (*loads); 0: none. */
u64 arch_insn_address(const struct insn *in, bool *loads);
/* Is it one that stores it, or does the instruction at `next` seem to store what it makes or loads? */
bool arch_insn_stores_address(const struct insn *in, const u8 *next, size_t bytes);
/* Only the kernel may execute the instruction there: for a general protection fault. */
bool arch_insn_is_privileged(u64 pc);
void arch_lower_begin(struct pass *b);
/* How an instruction of the trace is lowered, by what the tool wants of it (b->ins). */
enum arch_lowering {
    LOWER_AS_IS,
    LOWER_TAKEN,      /* a conditional branch, or a direct call, with the calls where it is taken */
    /* It needs the VM, which runs the calls after it (build_after). A system call may return elsewhere, later or
     * twice. */
    LOWER_WITH_AFTER,
    /* One iteration of an instruction that repeats itself, after the calls before it; the next iteration is a trace of
     * its own. */
    LOWER_REPEAT,
    LOWER_REWRITTEN,  /* memory operands with addresses from the tool, registers in place of others */
};
void arch_lower_insn(struct pass *b, const struct insn *in, enum arch_lowering how);
/* After the last instruction, when it may fall through to `next`. */
void arch_lower_fall_through(struct pass *b, gpc_t next);
/* Makes a place after an instruction that traps, for the pc that the kernel reports. */
void arch_lower_trap_end(struct pass *b, const struct insn *in);
/* Code before the instruction that lets the VM look at the guest (enum hook_kind, opt/hooks.h). */
void arch_lower_hooks(struct pass *b, const struct insn *in, u32 kinds);
/* Writes the trace's cold code. */
void arch_lower_end(struct pass *b);
/* Carries out the guest instruction at vm_tc.cpu.pc, or the part of it that lowering left to the VM (exit.part). False:
 * it will fault, and is to be executed at the exit's resume address, where it does. */
bool arch_emulate(u32 part);
/* The guest is at the first instruction of what an indirect call leads to that would return to `back`: the state
 * becomes that before the call. False: there is no such call, and nothing has changed. */
bool arch_undo_call(struct cpu_state *c, gpc_t back);

/* --- 5. regions, stubs and links (E5 to E9) ----------------------------------------------------------------------- */
/* Writes the common routines at the region's start and sets the pointers. */
void arch_emit_common(struct region *r);
/* arch_emit_stubs: writes the stubs of all exits below b->data; the first exit has that number. arch_stub_at: the place
 * of one of them, from where b->data was. */
void arch_emit_stubs(struct pass *b, u32 first_exit);
u8 *arch_stub_at(u8 *top, u32 i);
/* Writes the indirect entry of the trace with that key at p; returns its end. body NULL: the body follows directly. */
u8 *arch_emit_ib_entry(const struct region *r, u8 *p, u64 key, const u8 *body);
/* arch_patch_branch: points the exit's branch at `to`, which is in reach. If it is not, the stub gets a far jump. */
#define ARCH_FAR_JUMP_BYTES 24
void arch_patch_branch(u8 *patch, const u8 *to);
bool arch_branch_reaches(const u8 *patch, const u8 *to);
void arch_emit_far_jump(u8 *at, const u8 *to);

/* --- 6. into the cache and out of it ------------------------------------------------------------------------------ */
/* Assembly: enters the cache at vm_tc.cpu.enter; returns when the guest has left it, with vm_tc.cpu.exit_id set.
 * Between the two marks the guest's state is still whole in the context. */
void vm_enter(void);
extern char vm_enter_begin[], vm_enter_end[];
/* A signal handler that has put the guest's whole state into vm_tc.cpu returns here on vm_tc.cpu.host_sp; the
 * dispatcher goes on. */
void vm_resume(void);
/* Continuation for a thread that was in the gate when its code was flushed (E10). */
void vm_gate_flushed(void);
/* To be called before vm_enter, and after it: moves what cache code keeps in another place than the VM. After
 * EXIT_INDIRECT it sets the pc. */
enum arch_entry {
    ENTRY_TRACE = 0,  /* cpu.enter is the start of a trace, or a place with the same state */
    ENTRY_ANY = 1,
    /* Added to one of them: cpu.enter is after a bridge, and what the code there keeps in the context is set, too. */
    ENTRY_AFTER_CALLS = 2,
};
void arch_enter_cache(struct cpu_state *c, u32 how);
void arch_cache_left(struct cpu_state *c);

/* --- 7. signals: the guest's state at any cache address (E2, E13) ------------------------------------------------- */
/* Rewrites c (hardware registers at cache address c->pc in region r) into the guest's state. */
void arch_recover(struct cpu_state *c, const struct region *r);
/* Does the VM carry an instruction out for the exit whose stub pc is in, or are the calls that go with it done? Then
 * signals wait. */
bool arch_stub_waits(u64 pc);
/* A general protection fault in the cache (c: the interrupted state): would it have been a stack segment fault in the
 * guest's own code? */
bool arch_is_stack_fault(const struct cpu_state *c);
/* A handler is about to run in the calling thread. An instruction that repeats itself and goes on after the handler is
 * still the same execution. */
void arch_keep_repeat(const struct cpu_state *c);
/* Steps one guest instruction with the trap flag (EXIT_KIND_STEP). begin: false: it must not be stepped, because it may
 * block in the kernel, raises a trap that would be taken for ours, or the guest steps itself; any: what is there is not
 * the guest's instruction. stop: the cache has been left. end: the instruction at pc is complete; undoes what it has
 * stored of the trap flag. */
bool arch_step_begin(struct cpu_state *c, bool any);
void arch_step_stop(struct cpu_state *c);
void arch_step_end(struct cpu_state *c, u64 pc);
/* For a guest that steps itself. count: the counter of an instruction at the guest's pc that continues with itself
 * (REP, a loop of one instruction), else 0. shadow: does no trap come between the instruction at pc and the next one
 * (mov to ss; a system call, from which the kernel returns by iret)? */
u64 arch_step_count(const struct cpu_state *c);
bool arch_step_shadow(u64 pc, u64 next);

/* --- 8. analysis calls (E18) -------------------------------------------------------------------------------------- */
bool arch_arg_known(u16 iarg);
/* All callbacks have seen the instruction: adds the calls that a change of it needs by itself. */
void arch_prepare_calls(struct ins *i);
enum arch_change {
    CHANGE_AFTER,     /* calls after it */
    CHANGE_TAKEN,     /* calls where it is taken */
    CHANGE_REWRITE,   /* another address for that memory operand */
    CHANGE_SCATTERED, /* other addresses for the elements of that gather or scatter */
};
bool arch_allows(struct ins *i, enum arch_change what, u32 operand);
bool arch_allows_reg(struct ins *i, u16 old, u16 new, bool as_read); /* a register in place of another */
/* Writes the calls of a list, at a place of `in`; pc: the guest's pc as they see it. */
enum bridge_place {
    BRIDGE_BEFORE, /* at the instruction's boundary */
    BRIDGE_TAKEN,  /* before an unconditional transfer, after its BRIDGE_BEFORE */
    BRIDGE_AFTER,  /* the instruction is done: after it, or on the way to a branch's target */
    /* Only the calls after it: says in the context that they have begun, and goes back to the VM; it is never
     * linked. */
    BRIDGE_ALONE,
};
void arch_lower_calls(struct pass *b, const struct insn *in, struct ins *ins, const struct call *list,
                      enum bridge_place place, gpc_t pc);
/* A jump that the tool inserted at the instruction. */
void arch_lower_jump(struct pass *b, const struct insn *in, const struct ins_jump *j);
/* For the signal handler: if *pc is in a bridge that restores the guest's registers, or before the instruction after it
 * is executed, goes back to where the bridge looks at os.pending. */
struct arch_undo {
    u32 n;
    u8 reg[20]; /* the architecture's numbers of general registers that get their values back, in this order */
    u64 value[20];
};
bool arch_bridge_again(u64 *pc, u64 *sp, struct arch_undo *u);
/* For the signal handler: a bridge has read guest memory for an argument, and there is none: goes on after the read. */
bool arch_bridge_fault(u64 *pc);
/* The thread leaves the trace at that address for good: makes the counters exact (opt/counts.h). */
enum arch_settle {
    SETTLE_SIGNAL, /* interrupted there */
    SETTLE_FAULT,  /* by the instruction's own fault, so the calls before it are done */
    SETTLE_EXIT,   /* left there by an exit, before an instruction: what is carried is in memory */
};
void arch_settle_counts(u64 pc, enum arch_settle how);

/* --- 9. code, for src/opt: each function appends to e. Registers have the architecture's numbers ------------------ */
struct emit {
    u8 *p;
};

struct arch_info {
    u8 registers;       /* how many general registers there are; their numbers begin at 0 */
    reg_set all;        /* all general registers */
    u8 sp;              /* the stack pointer */
    u8 flags_in;        /* where arch_flags leaves the flags */
    u8 carry;           /* where the place of the next record is carried (opt/carry.h) */
    reg_set least;      /* registers that are taken for analysis code only if there are no others */
    /* Length of a system call instruction: when the call has left the cache for the VM, the pc is so far after it. */
    u8 syscall_bytes;
    bool sections;      /* restartable sequences can be translated (HOOK_SECTION, arch_insn_address) */
    u8 call_bytes;      /* of a direct call; 0: there are no clones of functions (jit/clones.h) */
    u32 code_bytes;     /* no function below appends more bytes */
    u32 entry_bytes;    /* no indirect entry is longer, with its count */
    u64 branch_reach;   /* no region is larger: from anywhere in it, an exit's branch reaches its stub */
    /* From the start of struct thread: where the guest's register 0 is while analysis code has the register; the others
     * follow, 8 bytes each. */
    size_t home;
};
extern const struct arch_info arch_info;
/* The guest's words have 4 bytes, and its addresses end at 4 GiB. Translations need not be near its code: nothing in
 * them is relative to it. */
extern bool arch_narrow;
/* The tool is built for such programs: what it takes for an address has 4 bytes, and it knows their registers only, by
 * names and widths of their own. Set once, before the tool's main. */
extern bool arch_narrow_tool;
void arch_use_narrow_tool(void);

/* An argument of an analysis call that code can make where the guest's registers are in place. */
enum arch_value_kind {
    VALUE_CONST,
    VALUE_REG,          /* the guest's register */
    VALUE_SUM,          /* base + (index << shift) + disp, and tls: the guest's TLS base */
};
struct arch_value {
    u8 kind;            /* enum arch_value_kind */
    u8 reg;
    s8 base, index;     /* -1: none */
    u8 shift;
    bool tls;
    bool narrow;        /* a sum is cut to 32 bits */
    bool word;          /* it is a word of 8 bytes, not a constant of any size */
    s32 disp;
    u64 v;
};
bool arch_value(struct ins *ins, const struct call_arg *a, struct arch_value *to);

/* field: from the start of struct thread, of 8 bytes. A load of 4 bytes clears the upper part of the register. None of
 * these touches flags. */
void arch_load_ctx(struct emit *e, u32 to, size_t field, u32 bytes);
void arch_store_ctx(struct emit *e, size_t field, u32 from);
void arch_move(struct emit *e, u32 to, u32 from);
void arch_const(struct emit *e, u32 to, u64 v);
void arch_add_const(struct emit *e, u32 to, u32 from, s32 more);
void arch_address(struct emit *e, u32 to, const struct arch_value *sum);
void arch_store_mem(struct emit *e, u32 base, s32 disp, u32 from, u32 bytes);
/* False: it cannot be done, and nothing was appended. e NULL: only asks. */
bool arch_store_mem_const(struct emit *e, u32 base, s32 disp, u64 v, u32 bytes);
/* to NULL: a jump that can be patched while others execute it; returns its place for arch_patch_branch. */
u8 *arch_jump(struct emit *e, const u8 *to);
enum arch_flags { FLAGS_SAVE, FLAGS_RESTORE }; /* into arch_info.flags_in, and back */
void arch_flags(struct emit *e, enum arch_flags way);
/* Saves the flags there, and also in the context; the state map says so from there on. pc: the guest's. */
void arch_park_flags(struct pass *b, gpc_t pc);
/* Flags are lost: a branch that is taken on a condition. Returns its place for arch_patch_branch. */
enum arch_condition {
    BRANCH_ABOVE,   /* r is above the field `what` */
    BRANCH_NONZERO, /* r, or its low `what` bytes (1 or 8), is not 0 */
};
u8 *arch_branch(struct emit *e, enum arch_condition if_what, u32 r, size_t what);
/* Writes an addition to a counter at b->p: chooses its registers, spills those that the guest needs (live), and sets in
 * c where the addition is done. */
void arch_add_mem(struct pass *b, struct pass_count *c, gpc_t pc, struct live live);

/* A call in cold code, with all state saved, for code that is not a bridge. */
struct arch_cold {
    const struct insn *in;
    struct ins *ins;
    const struct call *then;
    u8 *from;           /* the place of the branch that leads there */
    u8 *back;           /* where it comes back to, with the registers of now (opt/hold.h) */
    bool flags;         /* they are in arch_info.flags_in */
    bool again;         /* and they are to be in place again after it */
};
bool arch_cold_room(const struct pass *b, u32 n); /* is there room for n of them? */
void arch_add_cold(struct pass *b, const struct arch_cold *c);
/* Writes the code of a rest of an inlined routine at b->p (opt/rest.h). */
void arch_lower_rest(struct pass *b, const struct rest *r);

/* --- 10. analysis routines as operations (opt/rop.h) -------------------------------------------------------------- */
extern const struct rop_registers rop_registers;

/* Lifts the instruction at `at`: sets all of *op but next and taken. What is not understood is ROP_OPAQUE, with bytes 0
 * where its length is not known. */
void arch_lift(u64 at, struct rop *op);
/* Writes the operation at p, with the registers that it names, and returns its end. No transfer of control, nothing of
 * the stack. ROP_ADDRESS of an address without registers may be any constant; another operand without registers must be
 * in reach. Flags change as the operation says. */
u8 *arch_emit_rop(u8 *p, const struct rop *op);
bool arch_rop_reaches(const u8 *p, u64 address);
/* Writes a jump, condition -1: always; a short one may not reach. It is known by its end, and pointed at its target
 * later; false: that is out of its reach. */
u8 *arch_emit_rop_jump(u8 *p, int condition, bool wide);
bool arch_point_rop_jump(u8 *end, bool wide, const u8 *to);

/* What an argument of an analysis call needs (opt/needs.h), if it is no constant, no context and nothing that is known
 * of the instruction's operands. */
struct arch_arg_needs {
    reg_set sources; /* the guest's registers that it is made from */
    reg_set exposed; /* those that must be in the context, because the routine gets references to them */
    bool all;        /* the flags or the extended state must be there, too */
};
struct arch_arg_needs arch_arg_needs(const struct call_arg *a);
/* Is the instruction executed on a condition (a conditional move, a REP)? */
bool arch_has_predicate(struct ins *ins);
/* The number of the tool's own register, -1: it is none. */
int arch_tool_register(u16 reg, unsigned *bytes);

/* --- 11. copies of functions (jit/clones.h) ----------------------------------------------------------------------- */
/* Writes the code that counts the returns to pc, before an indirect entry (clones.h). *start: where the counted returns
 * go. The entry itself follows, always as many bytes after it. */
u8 *arch_emit_ib_count(const struct region *r, u8 *p, const u32 *counter, u8 **start);

#endif
