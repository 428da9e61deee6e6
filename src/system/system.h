/* SPDX-License-Identifier: Apache-2.0
 * Whole systems: a plugin of QEMU that loads a tool and gives it the API, for the kernel and all processes of a
 * guest. What a tool asks of an instruction is answered by the same code as for programs (src/api, src/arch); here is
 * what lies below it: QEMU's translator in place of jit, cache, vm and os.
 *
 * Locks: the client lock (callbacks.c) is held by everything that runs the tool's callbacks, and by instrumentation.
 * It is the only one, but for leaves. */
#ifndef LP_SYSTEM_H
#define LP_SYSTEM_H
#include "base/callback.h"
#include "base/options.h"
#include "opt/objects.h"
#include "system/qemu.h"

#define MAX_CPUS 1024 /* of a guest */
#define MAX_TASKS 7168 /* of a guest whose threads are told apart: with the processors PIN_MAX_THREADS */
#define MAX_MEMS 5    /* memory operands of an instruction */

/* --- a processor of the guest --- */
struct cpu {
    u32 number;
    u32 thread;           /* Pin's, that runs on it: the processor's own number, or a task's (tasks.c) */
    bool started;
    u32 seen;             /* operands of the instruction at hand that have been accessed: a bit for each */
    u32 left[MAX_MEMS];   /* bytes of each that are still to come */
    u64 address[MAX_MEMS];
    u64 physical[MAX_MEMS];
    u64 tool_reg[32];
} __attribute__((aligned(64)));
extern struct cpu cpus[MAX_CPUS];
extern u32 cpu_most; /* how many there can be */
/* The number of the processor on which the calling thread runs the tool; ~0: none. */
extern __thread u32 cpu_now __attribute__((tls_model("initial-exec")));

/* --- what the command wants (tool.c) --- */
struct asked {
    const char *tool; /* NULL: none */
    const char *symbols; /* their file, or "guest"; NULL: none */
    bool whole_blocks;
    bool tasks; /* Pin's threads are the guest's */
};
extern struct asked asked;
void asked_read(void);

/* --- tool.c --- */
void tool_load(void);      /* comes back when the tool has called PIN_StartProgram */
void tool_started(void) NORETURN; /* from there */

/* --- fault.c --- */
void fault_watch(void);

/* --- callbacks.c --- */
void client_lock(void);
void client_unlock(void);
void cpu_starts(u32 number);
void cpu_begins_thread(u32 cpu, u32 thread); /* which has not been seen before */
void callbacks_system_ends(void);

/* --- translate.c --- */
void translate_block(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
void translate_flushed(qemu_plugin_id_t id);

/* --- plan.c: what the calls of an instruction become --- */
enum value_source {
    VALUE_CONSTANT,
    VALUE_THREAD,        /* Pin's, which is the processor, or the task on it */
    VALUE_ADDRESS,       /* of the memory operand `operand` */
    VALUE_PHYSICAL,
    VALUE_TOOL_REG,      /* `operand`: its number */
    VALUE_TOOL_REG_PLACE,
    VALUE_CONTEXT,
};
struct value {
    u8 source;           /* enum value_source */
    u8 operand;
    u64 constant;
};
#define MOST_VALUES 14   /* of a call */
struct site {            /* one call */
    struct site *next;
    void *fn;
    const struct fill *fill; /* it writes a record, whose fields the values are; NULL: it is a call */
    u8 kind;             /* enum call_kind */
    bool byte;           /* the routine returns one byte */
    s8 result;           /* the tool register that gets the result, -1: none */
    u8 nvalues;
    struct value value[MOST_VALUES];
};
/* Calls that are made together: one, or an If and its Then, when the operands of `needs` have been accessed. */
struct group {
    struct group *next;
    struct site *first;
    u32 needs;
};
struct point {
    struct group *run;      /* before the instruction is executed */
    struct group *accessed; /* when it accesses memory */
    bool simple;            /* one operand, which is one access: nothing has to be remembered */
    bool physical;          /* physical addresses are asked for */
    bool reads_second_first; /* of two operands that are read */
    u8 noperands;
    struct { bool read, written; u32 bytes; } operand[MAX_MEMS];
};
void *plan_alloc(size_t bytes); /* until QEMU forgets all translations */
void plan_free_all(void);
void plan_instruction(struct ins *ins, struct qemu_plugin_insn *insn);

/* --- deliver.c: QEMU calls these while the guest runs --- */
void deliver_run(unsigned int vcpu, void *point);
void deliver_reset_and_run(unsigned int vcpu, void *point);
void deliver_access(unsigned int vcpu, qemu_plugin_meminfo_t info, u64 address, void *point);

/* --- buffer.c --- */
void buffer_put(struct cpu *c, const struct fill *f, const u64 *value);
void buffers_start(u32 cpu);
void buffers_end(u32 cpu);
bool buffers_any(void);

/* --- symbols.c --- */
struct symbol {
    u64 address;
    const char *name;
    u32 order; /* in the file */
};
void symbols_read(void);
void symbols_find_kernel(u64 pc);
void symbols_end(void);
bool symbols_kernel(u64 *start, u64 *end); /* false: it has not been found, or nobody has asked */
u64 symbols_distance(void);
/* Numbers of symbols, from 1 on; 0: there is none. */
u32 symbols_at(u64 address);
u32 symbols_named(const char *name);
u32 symbols_count(void);
const char *symbols_name(u32 n);
u64 symbols_address(u32 n);
u64 symbols_bytes(u32 n);

bool symbols_datum(const char *name, u64 *address); /* of those that are kept (symbols.c) */

/* --- btf.c: the kernel's description of its types --- */
bool btf_open(u64 start, u64 end); /* where it is in the guest; false: it is none */
bool btf_member(const char *structure, const char *member, u32 *offset);
void btf_close(void);

/* --- tasks.c --- */
void tasks_find(void);
void tasks_watch(u64 pc, struct qemu_plugin_insn *insn);
u32 tasks_count(void);
void tasks_end(void);

/* --- kallsyms.c --- */
/* Tells the symbols of the kernel to which the code at pc belongs. False: they are not understood. */
bool kallsyms_read(u64 pc, void (*each)(u64 address, char type, const char *name));

/* --- refuse.c --- */
void system_refuse(const char *what, const char *why) NORETURN;
const char *iarg_name(u32 iarg);

/* --- by the guest's architecture: system/x86/guest.c --- */
/* The instructions of a block, as QEMU tells of them. */
#define MOST_INSTRUCTIONS 4096 /* QEMU's blocks have 512 at most */
struct guest_code {
    u32 n;
    struct {
        u64 pc;
        u8 bytes[15], len;
    } insn[MOST_INSTRUCTIONS];
};
/* Puts right what QEMU tells wrongly: instructions that it does not execute are taken off the end. Returns how they are
 * to be decoded (enum code_mode). */
u8 guest_look_at(struct guest_code *code);
void guest_start(void);
u64 fault_pc(const void *context); /* of a signal's handler: where the host was */
bool guest_known(const char *target);
void guest_ends(void); /* says what was not as it should be */
/* The first two arguments of the function whose first instruction is about to be executed on the calling processor, and
 * begins a block of QEMU's: only there are general registers where they can be seen. */
void guest_arguments(u64 *a, u64 *b);
/* Can the instruction neither fault nor go elsewhere? */
bool guest_runs_through(struct ins *ins);
bool guest_ends_block( struct ins *ins);
/* Does QEMU make accesses for it that are no operands of its, or several for one? */
bool guest_has_other_accesses( struct ins *ins);
/* Of two operands that are read, is the second one accessed first? */
bool guest_reads_second_first( struct ins *ins);
/* Guest memory by virtual address, on the calling processor. False: it is not there. */
bool guest_read_memory(u64 address, void *to, size_t bytes);
/* Kernels that code at this address may be of lie at such multiples of `step` from their file's addresses. */
bool guest_kernel_distances(u64 pc, u64 *step, u64 *most);
bool guest_kernel_half(u64 address);
/* Of the code that is being translated: QEMU keeps a translation for each level, and for each physical page. */
u32 guest_privilege(void);
u64 guest_physical(u64 address); /* ~0: it is not mapped */
/* Is the access a load and a store at once? */
bool guest_access_is_both(qemu_plugin_meminfo_t info);

#endif
