/* SPDX-License-Identifier: Apache-2.0
 * What an architecture owes to the parts above it, all of it, in the order in which a port is written. Implemented in src/arch/<architecture>/, which also has, by the same names in each: cpu.h (the state
 * of a thread), decode.h (an instruction), pass_arch.h (its part of a pass), and what the API shows of it (src/layers.list). */
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

/* --- 1. the machine and the state of a thread ------------------------------------------------------------------------- */
void arch_init_cpu(void);          /* once: CPU features; dies with a message when something needed is missing */
void arch_init_thread(struct cpu_state *c); /* per thread: masks, default extended state */
void arch_fork(bool before);       /* its locks are held over a fork: before it, and after it on both sides */
u64 arch_cycles(void);             /* a counter of cycles, or what is nearest to it */
u64 arch_pc(const struct cpu_state *c);
void arch_set_pc(struct cpu_state *c, u64 pc);
u64 arch_sp(const struct cpu_state *c);
void arch_set_sp(struct cpu_state *c, u64 sp);
u64 arch_tls_base(void);           /* the calling thread's guest TLS base (FS base on x86-64) */
void arch_set_tls_base(u64 base);
/* The calling thread's state: words of a tool's context that differ between was and now become what now has. */
void arch_change_state(const u64 *was, const u64 *now, u32 n);

/* --- 2. host code -------------------------------------------------------------------------------------------------------- */
/* A plain system call, never interrupted specially. */
s64 arch_raw_syscall(u64 nr, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f);
/* What os_safe_copy is made of: copies guest memory where signals of faults are not blocked. Bytes copied; fewer: the rest is not accessible. */
size_t arch_fault_copy(void *dst, const void *src, size_t bytes);
/* For the signal handler: is pc in host code that is to be left there and then? *pc becomes its landing. */
enum arch_landing {
    LANDING_COPY, /* arch_fault_copy has faulted */
    LANDING_GATE, /* inside arch_gate_syscall, before the call has happened (also when the kernel backed up to restart it) */
};
bool arch_land(u64 *pc, enum arch_landing what);
void arch_host_fpu(void);             /* floating point as host code expects it */
/* Calls fn(arg) on another host stack; sp: its end, aligned to 16. */
void arch_call_on_stack(u64 sp, void (*fn)(void *), void *arg);
/* Stops for the tracer; its pc is then at the mark. */
void arch_trap(void);
extern char arch_trap_after[];

/* --- 3. system calls of the guest ------------------------------------------------------------------------------------------ */
/* Where the state has them: 0 to 5 are arguments. */
enum { WORD_NUMBER = 6, WORD_RESULT, WORD_IN_GATE /* number of the call that a region's gate has made last */ };
u64 *arch_syscall_word(struct cpu_state *c, u32 which);
enum arch_syscall_point {
    SYSCALL_BEFORE, /* to the state before the instruction */
    SYSCALL_AFTER, /* from there to the state with which it left */
    SYSCALL_ENTER,  /* completes what the instruction itself does to registers */
};
void arch_syscall_move(struct cpu_state *c, enum arch_syscall_point to);
/* Back to the system call instruction, to be made again with number nr. */
void arch_restart_syscall(struct cpu_state *c, u64 nr);
/* The only place where a blocking system call is made for the guest from host code. The signal handler knows from the pc whether the call
 * has happened: before it, it redirects to return -ERESTART_GATE (-512) without having made the call, so that the dispatcher delivers
 * the signal first and the guest's instruction runs again. */
s64 arch_gate_syscall(u64 nr, const u64 args[6]);
extern char host_gate_after[]; /* behind its system call instruction */
/* Of a region's gate (E10). The guest address to go on at for a thread that waits in it, whose continuation is `sysret`; EXIT_EFAULT, EXIT_GATE: the state after the call, and its number. */
u64 arch_gate_next_pc(u64 sysret);
u64 arch_leave_gate(struct cpu_state *c);

/* --- 4. instructions (decode.h), lowered into a trace (opt/pass.h) under jit_lock ---------------------------------------------- */
enum arch_nature {
    NATURE_NEEDS_VM,     /* the VM carries it out, or a part of it; of system calls: may */
    NATURE_STEPS,        /* stepping over it leaves its own effect, and nothing else */
    NATURE_REPEAT_KNOWN, /* it repeats, and how often is known when it begins */
    NATURE_TRAPS,        /* and the kernel says it was behind it */
};
bool arch_insn_is(const struct insn *in, enum arch_nature what);
bool arch_insn_is_privileged(u64 pc);           /* only the kernel may execute what is there: for a general protection fault */
void arch_lower_begin(struct pass *b);
/* One of the trace's, by what the tool wants of it (b->ins). */
enum arch_lowering {
    LOWER_AS_IS,
    LOWER_TAKEN,      /* a conditional branch, with the calls where it is taken */
    LOWER_WITH_AFTER, /* it needs the VM, which runs the calls after it (build_after). A system call may come back elsewhere, later or twice */
    LOWER_REPEAT,     /* one iteration of an instruction that repeats itself, the calls before it, if any, in front; the next one is a trace of its own */
    LOWER_REWRITTEN,  /* memory operands with addresses from the tool, registers in place of others */
};
void arch_lower_insn(struct pass *b, const struct insn *in, enum arch_lowering how);
/* After the last instruction, when it may fall through to `next`. */
void arch_lower_fall_through(struct pass *b, gpc_t next);
/* A place behind an instruction that traps, for the pc that the kernel says. */
void arch_lower_trap_end(struct pass *b, const struct insn *in);
/* In front of the instruction: the VM looks at the guest (enum hook_kind, opt/hooks.h). */
void arch_lower_hooks(struct pass *b, const struct insn *in, u32 kinds);
/* Code behind the trace. */
void arch_lower_end(struct pass *b);
/* Carries out the guest instruction at vm_tc.cpu.pc, or the part of it that lowering left to the VM (exit.part). False: it will fault, and shall be executed at the exit's resume address to do so. */
bool arch_emulate(u32 part);

/* --- 5. regions, stubs and links (E5 to E9) -------------------------------------------------------------------------------------- */
/* Writes the common routines at the region's start and sets the pointers. */
void arch_emit_common(struct region *r);
/* The stubs of all exits, the first of which has that number, below b->data; and the place of one of them, from where b->data was. */
void arch_emit_stubs(struct pass *b, u32 first_exit);
u8 *arch_stub_at(u8 *top, u32 i);
/* Emits at p the indirect entry of the trace with that key; returns its end. body NULL: it follows directly. */
u8 *arch_emit_ib_entry(const struct region *r, u8 *p, u64 key, const u8 *body);
/* Points the exit's branch at `to`, which it reaches; else the stub gets a far jump. */
#define ARCH_FAR_JUMP_BYTES 24
void arch_patch_branch(u8 *patch, const u8 *to);
bool arch_branch_reaches(const u8 *patch, const u8 *to);
void arch_emit_far_jump(u8 *at, const u8 *to);

/* --- 6. into the cache and out of it ------------------------------------------------------------------------------------------------ */
/* Assembly: into the cache at vm_tc.cpu.enter; returns when the guest leaves it, with vm_tc.cpu.exit_id set. Between the two marks the guest's state is still whole in the context. */
void vm_enter(void);
extern char vm_enter_begin[], vm_enter_end[];
/* A signal handler that has put the guest's whole state into vm_tc.cpu returns here on vm_tc.cpu.host_sp; the dispatcher goes on. */
void vm_resume(void);
/* Continuation for a thread that was in the gate when its code was flushed (E10). */
void vm_gate_flushed(void);
/* Before vm_enter, and after it: what cache code keeps elsewhere than the VM does. After EXIT_INDIRECT the pc is set. */
enum arch_entry {
    ENTRY_TRACE = 0,  /* cpu.enter is the start of a trace, or has all where it is there */
    ENTRY_ANY = 1,
    ENTRY_AFTER_CALLS = 2, /* beside either: it is behind a bridge, and also what the code there keeps in the context is to be that of c */
};
void arch_enter_cache(struct cpu_state *c, u32 how);
void arch_cache_left(struct cpu_state *c);

/* --- 7. signals: the guest's state at any cache address (E2, E13) --------------------------------------------------------------------- */
/* Rewrites c (hardware registers at cache address c->pc in region r) into the guest's state. */
void arch_recover(struct cpu_state *c, const struct region *r);
/* Does the VM carry an instruction out for the exit whose stub pc is in, or are the calls that go with it done? Then signals wait. */
bool arch_stub_waits(u64 pc);
/* A general protection fault in the cache (c: as interrupted), which would have been one of the stack segment in the guest's own code? */
bool arch_is_stack_fault(const struct cpu_state *c);
/* A handler is about to run in the calling thread: an instruction that repeats itself and goes on behind it is still the same execution. */
void arch_keep_repeat(const struct cpu_state *c);
/* Stepping one guest instruction with the trap flag (EXIT_KIND_STEP). begin: false: it is not to be stepped (it may block in the kernel, raises a trap that would be taken for ours, or the guest steps
 * itself); any: it is not the guest's instruction that is there. stop: out of the cache again. end: the instruction at pc is complete; takes back what it has seen of the trap flag. */
bool arch_step_begin(struct cpu_state *c, bool any);
void arch_step_stop(struct cpu_state *c);
void arch_step_end(struct cpu_state *c, u64 pc);
/* Of a guest that steps itself. count: what an instruction at the guest's pc that goes on with itself (REP, a loop of one instruction) counts with, else 0. shadow: no trap comes between the instruction at
 * pc (mov to ss; a system call, from which the kernel returns by iret) and the next one. */
u64 arch_step_count(const struct cpu_state *c);
bool arch_step_shadow(u64 pc, u64 next);

/* --- 8. analysis calls (E18) --------------------------------------------------------------------------------------------------------------- */
bool arch_arg_known(u16 iarg);
/* Checks the arguments of the instruction's calls against it, and turns those that depend on it into the form that the bridge knows. */
void arch_resolve_calls(struct ins *i);
enum arch_change {
    CHANGE_AFTER,     /* calls after it */
    CHANGE_TAKEN,     /* calls where it is taken */
    CHANGE_REWRITE,   /* another address for that memory operand */
    CHANGE_SCATTERED, /* other addresses for the elements of that gather or scatter */
};
bool arch_allows(struct ins *i, enum arch_change what, u32 operand);
bool arch_allows_reg(struct ins *i, u16 old, u16 new, bool as_read); /* a register in place of another */
/* The calls of a list at a place of `in`; pc: the guest's, as they see it. */
enum bridge_place {
    BRIDGE_BEFORE, /* at the instruction's boundary */
    BRIDGE_TAKEN,  /* in front of an unconditional transfer, after its BRIDGE_BEFORE */
    BRIDGE_AFTER,  /* the instruction is done: behind it, or on the way to a branch's target */
    BRIDGE_ALONE,  /* the calls after it alone: says in the context that they have begun, and goes back to the VM; never linked */
};
void arch_lower_calls(struct pass *b, const struct insn *in, struct ins *ins, const struct call *list, enum bridge_place place, gpc_t pc);
/* A jump that the tool inserted at the instruction. */
void arch_lower_jump(struct pass *b, const struct insn *in, const struct ins_jump *j);
/* For the handler: *pc is in a bridge that restores the guest's registers, or the instruction behind it has not been executed: goes back to where the bridge looks at os.pending. */
struct arch_undo {
    u32 n;
    u8 reg[20]; /* the architecture's numbers of general registers that get their values back, in this order */
    u64 value[20];
};
bool arch_bridge_again(u64 *pc, u64 *sp, struct arch_undo *u);
/* For the handler: a bridge reads guest memory for an argument, and there is none: goes on behind it. */
bool arch_bridge_fault(u64 *pc);
/* The thread leaves the trace at that address for good: counters are made exact (opt/counts.h). */
enum arch_settle {
    SETTLE_SIGNAL, /* interrupted there */
    SETTLE_FAULT,  /* by the instruction's own fault, so the calls in front of it are done */
    SETTLE_EXIT,   /* left there by an exit, in front of an instruction: what is carried is in memory */
};
void arch_settle_counts(u64 pc, enum arch_settle how);

/* --- 9. code, for src/opt: each function appends to e. Registers have the architecture's numbers ------------------------------------ */
struct emit {
    u8 *p;
};

struct arch_info {
    u8 registers;       /* general ones, numbers from 0 on */
    reg_set all;        /* these */
    u8 sp;              /* the stack pointer */
    u8 flags_in;        /* where arch_flags leaves the flags */
    u8 carry;           /* where the place of the next record is carried (opt/carry.h) */
    reg_set least;      /* best left to the guest, if others will do */
    u8 syscall_bytes;   /* of the instruction: so far behind it is the pc when a system call has left the cache for the VM */
    u8 call_bytes;      /* of a direct call; 0: there are no clones of functions (jit/clones.h) */
    u32 code_bytes;     /* no function below appends more */
    u32 entry_bytes;    /* no indirect entry is longer, with its count */
    u64 branch_reach;   /* no region is larger: from anywhere in it, an exit's branch reaches its stub */
    size_t home;        /* the place of the guest's register 0 in struct thread while analysis code has the register, 8 bytes each */
};
extern const struct arch_info arch_info;

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
    bool word;          /* it is a whole word, not a constant of any size */
    s32 disp;
    u64 v;
};
bool arch_value(struct ins *ins, const struct call_arg *a, struct arch_value *to);

/* field: from the start of struct thread, of 8 bytes; a load of 4 leaves nothing else in the register. None of these touches flags. */
void arch_load_ctx(struct emit *e, u32 to, size_t field, u32 bytes);
void arch_store_ctx(struct emit *e, size_t field, u32 from);
void arch_move(struct emit *e, u32 to, u32 from);
void arch_const(struct emit *e, u32 to, u64 v);
void arch_add_const(struct emit *e, u32 to, u32 from, s32 more);
void arch_address(struct emit *e, u32 to, const struct arch_value *sum);
void arch_store_mem(struct emit *e, u32 base, s32 disp, u32 from, u32 bytes);
/* False: it cannot, and has appended nothing. e NULL: can it? */
bool arch_store_mem_const(struct emit *e, u32 base, s32 disp, u64 v, u32 bytes);
/* to NULL: a jump that can be patched while others execute it; returns its place for arch_patch_branch. */
u8 *arch_jump(struct emit *e, const u8 *to);
enum arch_flags { FLAGS_SAVE, FLAGS_RESTORE }; /* into arch_info.flags_in, and back */
void arch_flags(struct emit *e, enum arch_flags way);
/* Saved so, and into the context; the state map says so from there on. pc: the guest's. */
void arch_park_flags(struct pass *b, gpc_t pc);
/* Flags are lost: a branch that is taken on a condition. Returns its place for arch_patch_branch. */
enum arch_condition {
    BRANCH_ABOVE,   /* r is above the field `what` */
    BRANCH_NONZERO, /* r, or its low `what` bytes (1 or 8), is not 0 */
};
u8 *arch_branch(struct emit *e, enum arch_condition if_what, u32 r, size_t what);
/* An addition to a counter, at b->p: chooses its registers, spills what the guest needs (live), and says in c where it is done. */
void arch_add_mem(struct pass *b, struct pass_count *c, gpc_t pc, struct live live);

/* A call behind the trace, with all state saved, for code outside of bridges. */
struct arch_cold {
    const struct insn *in;
    struct ins *ins;
    const struct call *then;
    u8 *from;           /* the place of the branch that leads there */
    u8 *back;           /* where it comes back to, with the registers of now (opt/hold.h) */
    bool flags;         /* they are in arch_info.flags_in */
    bool again;         /* and in place again behind it */
};
bool arch_cold_room(const struct pass *b, u32 n); /* for n of them */
void arch_add_cold(struct pass *b, const struct arch_cold *c);
/* The code of the rest of an inlined routine, at b->p (opt/rest.h). */
void arch_lower_rest(struct pass *b, const struct rest *r);

/* --- 10. analysis routines as operations (opt/rop.h) ------------------------------------------------------------------------------------------ */
extern const struct rop_registers rop_registers;

/* The instruction at `at`, whose sets are known; next and taken are not set. What is not understood is ROP_OPAQUE,
 * with bytes 0 where its length is not known. */
void arch_lift(u64 at, struct rop *op);
/* Writes the operation at p, with the registers that it names, and returns its end. No transfer of control, nothing of
 * the stack. ROP_ADDRESS of an address without registers may be any constant; another operand without registers must be
 * in reach. Flags change as the operation says. */
u8 *arch_emit_rop(u8 *p, const struct rop *op);
bool arch_rop_reaches(const u8 *p, u64 address);
/* A jump, condition -1: always; a short one may not reach. It is known by its end, and pointed somewhere later; false:
 * that is out of its reach. */
u8 *arch_emit_rop_jump(u8 *p, int condition, bool wide);
bool arch_point_rop_jump(u8 *end, bool wide, const u8 *to);

/* Registers of the guest that the call sees, beside those that the instruction itself reads; all: flags too. */
reg_set arch_call_observes(const struct call *c);
/* Is the instruction executed on a condition (a conditional move, a REP)? */
bool arch_has_predicate(struct ins *ins);
/* The number of the tool's own register, -1: it is none. */
int arch_tool_register(u16 reg, unsigned *bytes);

/* --- 11. copies of functions (jit/clones.h) ------------------------------------------------------------------------------------------------------ */
/* What counts the returns to pc, before an indirect entry (clones.h). *start: where those go that are counted; the entry itself is to follow, always as many bytes behind it. */
u8 *arch_emit_ib_count(const struct region *r, u8 *p, gpc_t pc, u8 **start);

#endif
