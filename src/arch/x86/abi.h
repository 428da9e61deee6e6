/* SPDX-License-Identifier: Apache-2.0
 * The calling convention of functions in C, guest and host alike (System V): where arguments and results are. For
 * functions of which only the prototype is known at run time. */
#ifndef LP_X86_ABI_H
#define LP_X86_ABI_H
#include "arch/x86/cpu.h"
#include "arch/prototype.h"

/* Assembly knows it: hostcall.S. */
struct host_call {
    void *fn;
    u64 gpr[6];
    u64 rax;            /* al: vector registers used, for functions with variable arguments */
    u64 xmm[8][2];
    u64 nstack;
    u64 *stack;
    u64 ret[2];         /* rax, rdx */
    u64 xret[2][2];     /* xmm0, xmm1 */
};

void abi_host_call(struct host_call *c);
/* A host function that takes any arguments and calls handler(data, c) with them; c->stack: those beyond the registers.
 * The handler sets ret and xret. NULL: no memory. */
typedef void abi_handler(void *data, struct host_call *c);
void *abi_make_thunk(abi_handler *handler, void *data);
/* The data of a thunk with that handler, NULL: it is none. */
void *abi_thunk_data(const void *fn, abi_handler *handler);

/* --- arguments one by one --- */
#define ABI_STACK_WORDS 128
struct abi_list {
    struct host_call call;
    u32 nint, nfloat;
    u64 word[ABI_STACK_WORDS];
};
void abi_list_begin(struct abi_list *l);
void abi_list_add(struct abi_list *l, const struct abi_type *t, const void *value);
void abi_list_add_word(struct abi_list *l, u64 value);

/* --- the guest's side --- */
/* From here on floating point is computed as the guest has set it: rounding, and exceptions that it wants to see. NULL:
 * as the host does. */
void abi_use_fpu(const struct cpu_state *c);
/* Argument n of the guest function that is about to begin, in `value` (at least 8 bytes, extended to them if it is
 * shorter); false: its stack cannot be read. */
bool abi_guest_arg(const struct cpu_state *c, const struct abi_proto *p, u32 n, void *value);
/* Where integer argument n is, as if all were integers. */
u64 *abi_guest_arg_place(struct cpu_state *c, u32 n);
/* Where an integer result is. */
u64 *abi_guest_result_place(struct cpu_state *c);
/* Words of stack that the arguments take. */
u32 abi_stack_words(const struct abi_proto *p);
/* The registers of an argument list, from and to the guest's. The stack is the caller's business. */
void abi_take_regs(struct host_call *to, const struct cpu_state *from);
void abi_give_regs(struct cpu_state *to, const struct host_call *from);
/* Results: type NULL: not known, all that may hold one. */
void abi_take_result(struct host_call *to, const struct cpu_state *from);
void abi_give_result(struct cpu_state *to, const struct host_call *from, const struct abi_type *t);
/* What the convention wants at the start of a function wherever the guest is: x87 stack empty, direction forward. */
void abi_prepare_state(struct cpu_state *c);
/* A frame for a function below the guest's red zone, aligned; returns the sp at its start, with `words` of stack
 * arguments at sp + 8. */
u64 abi_new_frame(const struct cpu_state *c, u32 words);

#endif
