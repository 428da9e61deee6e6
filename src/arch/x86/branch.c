/* SPDX-License-Identifier: Apache-2.0
 * Lowering of transfers of control and system calls (E7, E8, E10), exit stubs and indirect entries. Under jit_lock. */
#include "arch/x86/lower.h"

#include "arch/arch.h"
#include "arch/x86/check.h"
#include "opt/bind.h"
#include "opt/carry.h"
#include "arch/x86/clone.h"
#include "opt/live.h"
#include "opt/objects.h"
#include "base/options.h"
#include "os/thread.h"
#include "os/events.h"

enum { OP_JMP = 0xe9 };

u8 *lower_jmp(u8 *p, u8 **patch)
{
    struct emit e = {p};
    emit_align_patch(&e, 1);
    emit_u8(&e, OP_JMP);
    *patch = e.p;
    emit_u32(&e, 0);
    return e.p;
}

void lower_exit_jmp(struct pass *b, gpc_t target, enum exit_kind kind)
{
    u8 *patch;
    if (kind == EXIT_KIND_BRANCH)
        carry_take(b, HOLD_ALL);
    b->p = lower_jmp(b->p, &patch);
    pass_add_exit(b, target, patch, kind);
}

/* The last exit of the trace, after hold_leave_held before instruction i. */
static void lower_last_exit(struct pass *b, gpc_t pc, u32 i, gpc_t target)
{
    u8 *patch;
    b->p = lower_jmp(b->p, &patch);
    if (!hold_branch(b, pc, i, target, patch))
        pass_add_exit(b, target, patch, EXIT_KIND_BRANCH);
}

static void lower_jcc(struct pass *b, const struct insn *in)
{
    struct emit e = {b->p};
    pass_map(b, b->p, MAP_GUEST, in->pc, 0);
    emit_align_patch(&e, 2);
    EMIT(&e, 0x0f, 0x80 | in->cond);
    if (!hold_branch(b, in->pc, (u32)(in - b->insn), in->target, e.p))
        pass_add_exit(b, in->target, e.p, EXIT_KIND_BRANCH);
    emit_u32(&e, 0);
    b->p = e.p;
}

/* AMD's CPUs know those of REP. */
void lower_loop_head(struct emit *e, const struct insn *in)
{
    for (u8 i = 0; i < in->prefixes; i++)
        if (in->bytes[i] == 0xf2 || in->bytes[i] == 0xf3)
            emit_u8(e, in->bytes[i]);
    if (in->addr32 || in->addr16)
        emit_u8(e, 0x67);
}

/* loop: when it is taken, it jumps to an exit nearby. As it changes rcx, the guest is at the target on that way. */
static void lower_loop(struct pass *b, const struct insn *in)
{
    struct emit e = {b->p};
    pass_map(b, b->p, MAP_GUEST, in->pc, 0);
    if (UNLIKELY(in->addr16)) {
        u8 *end = lower_narrow_loop(b, in);
        pass_map(b, b->p, MAP_TARGET, in->pc, (u16)b->nexits);
        lower_exit_jmp(b, in->target, EXIT_KIND_BRANCH);
        emit_land(end, b->p);
        return;
    }
    lower_loop_head(&e, in);
    EMIT(&e, in->opcode, 2);
    pass_map(b, e.p, MAP_GUEST, in->pc + in->len, 0);
    emit_u8(&e, 0xeb);
    u8 *skip = e.p;
    emit_u8(&e, 0);
    pass_map(b, e.p, MAP_TARGET, in->pc, (u16)b->nexits);
    b->p = e.p;
    lower_exit_jmp(b, in->target, EXIT_KIND_BRANCH);
    *skip = (u8)(b->p - (skip + 1));
}

/* The taken path: calls, then the exit. */
static void lower_taken_path(struct pass *b, const struct insn *in, struct ins *ins, const struct call *list)
{
    arch_lower_calls(b, in, ins, list, BRIDGE_AFTER, in->target);
    struct emit e = {b->p};
    pass_map(b, b->p, MAP_TARGET, in->pc, (u16)b->nexits);
    hold_emit_loads(&e, b->held);
    hold_set(b, (struct hold){HOLD_ALL, 0, false}); /* bridges leave what is carried in memory */
    b->p = e.p;
    pass_map(b, b->p, MAP_TARGET, in->pc, (u16)b->nexits);
    lower_exit_jmp(b, in->target, EXIT_KIND_BRANCH);
}

/* A branch that is not taken jumps over the code for the taken path. A call has pushed its return address there. */
static void lower_taken(struct pass *b, const struct insn *in, struct ins *ins, const struct call *list)
{
    hold_release(b, in->pc, (u32)(in - b->insn));
    pass_map(b, b->p, MAP_GUEST, in->pc, 0);
    if (in->cls == INSN_CALL) {
        lower_push_constant(b, in->pc + in->len);
        lower_taken_path(b, in, ins, list);
        return;
    }
    struct emit e = {b->p};
    if (UNLIKELY(in->addr16)) {
        u8 *end = lower_narrow_loop(b, in);
        lower_taken_path(b, in, ins, list);
        emit_land(end, b->p);
        carry_forget(b);
        pass_map(b, b->p, MAP_GUEST, in->pc + in->len, 0);
        return;
    }
    if (in->cls == INSN_JCC) {
        EMIT(&e, 0x0f, (u8)(0x80 | (in->cond ^ 1)));
    } else {
        lower_loop_head(&e, in);
        EMIT(&e, in->opcode, 5);
        pass_map(b, e.p, MAP_GUEST, in->pc + in->len, 0);
        emit_u8(&e, OP_JMP);
    }
    u8 *skip = e.p;
    emit_u32(&e, 0);
    b->p = e.p;
    lower_taken_path(b, in, ins, list);
    emit_land(skip, b->p);
    carry_forget(b);
    pass_map(b, b->p, MAP_GUEST, in->pc + in->len, 0);
}

/* Pushes a guest return address: one store of 8 bytes, no register (a push of an immediate or of a literal nearby). */
void lower_push_constant(struct pass *b, u64 v)
{
    struct emit e = {b->p};
    if (UNLIKELY(cpu_guest32)) {
        stack32_push_constant(&e, (u32)v, 0);
    } else if (fits_s32((s64)v)) {
        emit_u8(&e, 0x68);
        emit_u32(&e, (u32)v);
    } else {
        b->data = (u8 *)((u64)(b->data - 8) & ~7ul);
        memcpy(b->data, &v, 8);
        EMIT(&e, 0xff, 0x35);
        emit_u32(&e, (u32)(b->data - (e.p + 4)));
    }
    b->p = e.p;
}

void lower_exit_to_target(struct pass *b, const struct insn *in)
{
    pass_map(b, b->p, MAP_TARGET, in->pc, (u16)b->nexits);
    lower_exit_jmp(b, in->target, EXIT_KIND_BRANCH);
}

static void lower_call(struct pass *b, const struct insn *in)
{
    if (UNLIKELY(cpu_guest32)) {
        struct emit e = {b->p};
        stack32_push_constant(&e, (u32)in->pc + in->len, stack32_begin_push(b, in));
        b->p = e.p;
    } else {
        pass_map(b, b->p, MAP_GUEST, in->pc, 0);
        lower_push_constant(b, in->pc + in->len);
    }
    pass_map(b, b->p, MAP_TARGET, in->pc, (u16)b->nexits);
    lower_last_exit(b, in->pc, (u32)(in - b->insn), in->target);
}

/* mov r/m64 of the branch, %rcx */
void lower_load_target(struct pass *b, const struct insn *in)
{
    struct emit e = {b->p};
    if (in->rip_relative) {
        s32 disp;
        memcpy(&disp, in->bytes + in->disp_off, 4);
        u64 at = in->pc + in->len + (u64)(s64)disp;
        if (in->addr32)
            at = (u32)at;
        u8 seg = in->seg ? 1 : 0;
        bool near = in_reach(e.p + seg + 7, at) && !options.no_rip_near;
        if (!near)
            emit_const(&e, RCX, at);
        if (seg)
            emit_u8(&e, 0x65);
        EMIT(&e, 0x48, 0x8b, near ? 0x0d : 0x09);
        if (near)
            emit_u32(&e, (u32)(at - (u64)(e.p + 4)));
        b->p = e.p;
        return;
    }
    if (UNLIKELY(in->wraps32)) {
        tls32_address(&e, in, RCX);
        if (in->seg)
            emit_u8(&e, 0x65);
        EMIT(&e, 0x8b, 0x09); /* mov %gs:(%rcx),%ecx */
        b->p = e.p;
        return;
    }
    if (in->seg)
        emit_u8(&e, 0x65);
    if (in->addr32)
        emit_u8(&e, 0x67);
    u8 rex = in->rex_off == 0xff ? 0x40 : in->bytes[in->rex_off];
    EMIT(&e, (u8)((rex & 3) | (cpu_guest32 ? 0x40 : 0x48)), 0x8b, (u8)((in->bytes[in->modrm_off] & 0xc7) | RCX << 3));
    u8 after = (u8)(in->modrm_off + 1);
    emit_bytes(&e, in->bytes + after, (size_t)(in->code_len - after));
    b->p = e.p;
}

void lower_indirect_begin(struct pass *b, const struct insn *in)
{
    struct emit e = {b->p};
    pass_map(b, b->p, MAP_GUEST, in->pc, 0);
    emit_ib_save(&e, RCX);
    emit_ib_save(&e, RAX);
    pass_state(b, e.p, HOW_IB, in->pc, 0);
    b->p = e.p;
}

/* Counts an indirect branch by its kind, without flags; rax is free. */
static void count_indirect(struct emit *e, const struct insn *in)
{
    enum indirect_kind k = in->cls == INSN_RET        ? INDIRECT_RETURN
                           : in->cls == INSN_CALL_IND ? INDIRECT_CALL
                                                      : INDIRECT_JUMP;
    emit_store_ctx_imm(e, TALLY(kind), (s32)k);
    emit_load_ctx(e, RAX, TALLY(executed[k]));
    EMIT(e, 0x48, 0x8d, 0x40, 0x01); /* lea 1(%rax),%rax */
    emit_store_ctx(e, TALLY(executed[k]), RAX);
}

/* rcx: target. eax: its place in the table (ibt_index), which a version does not change. jmp *ibt(,%rax,8) */
void lower_indirect_end(struct pass *b, const struct insn *in)
{
    struct emit e = {b->p};
    pass_state(b, e.p, HOW_IB_DONE, in->pc, b->target_version);
    if (b->target_version != b->version)
        emit_store_ctx_imm(&e, ctx_disp(offsetof(struct thread, jit.version)), b->target_version);
    if (UNLIKELY(options.stats))
        count_indirect(&e, in);
    if (b->target_version) {
        emit_const(&e, RAX, (u64)b->target_version << VERSION_SHIFT);
        EMIT(&e, 0x48, 0x8d, 0x0c, 0x01); /* lea (%rcx,%rax),%rcx */
        pass_state(b, e.p, HOW_IB_KEY, in->pc, b->target_version);
    }
    b->p = e.p;
    carry_take(b, HOLD_ALL);
    e.p = b->p;
    if (UNLIKELY(b->single)) { /* to the VM, whatever the target */
        emit_jmp(&e, b->region->ib_none_restored);
        b->p = e.p;
        return;
    }
    emit_ibt_index(&e);
    EMIT(&e, 0xff, 0x24, 0xc5);
    emit_u32(&e, (u32)(u64)ibt);
    b->p = e.p;
}

static void lower_indirect(struct pass *b, const struct insn *in)
{
    if (in->seg == 0x65) {
        pass_map(b, b->p, MAP_GUEST, in->pc, 0);
        lower_emulate(b, in);
        return;
    }
    lower_indirect_begin(b, in);
    lower_load_target(b, in);
    if (in->cls == INSN_CALL_IND)
        lower_push_constant(b, in->pc + in->len);
    lower_indirect_end(b, in);
}

u32 lower_ret_bytes(const struct insn *in)
{
    u32 word = cpu_guest32 ? 4 : 8;
    const u8 *end = in->bytes + in->code_len;
    return in->opcode == 0xc2 ? word + (u32)(end[-2] | end[-1] << 8) : word;
}

static void lower_ret(struct pass *b, const struct insn *in)
{
    gpc_t known = b->clone_return;
    if (known) {
        lower_ret_known(b, in, known);
        return;
    }
    lower_indirect_begin(b, in);
    lower_ret_pops(b, in);
}

static void emit_interest(struct emit *e, const u8 *table)
{
    EMIT(e, 0x0f, 0xb7, 0xc8, 0x0f, 0xb6, 0x89); /* movzwl %ax,%ecx; movzbl interest(%rcx),%ecx */
    emit_u32(e, (u32)(u64)table);
}

/* A short jump forward that is not known yet: where its byte is. */
static u8 *emit_forward(struct emit *e, u8 opcode)
{
    emit_u8(e, opcode);
    emit_u8(e, 0);
    return e->p - 1;
}

static void land(const struct emit *e, u8 *jump)
{
    *jump = (u8)(e->p - (jump + 1));
}

/* The same of a low descriptor, in the third table where it is that of a file. */
static void emit_low_interest(struct emit *e)
{
    if (!os_stops_threads) {
        emit_interest(e, ibt_interest);
        return;
    }
    EMIT(e, 0x8d, 0x8f); /* lea bias(%rdi),%ecx; movzwl %cx,%ecx; movzbl files(%rcx),%ecx */
    emit_u32(e, OS_HIGH_BIAS);
    EMIT(e, 0x0f, 0xb7, 0xc9, 0x0f, 0xb6, 0x89);
    emit_u32(e, (u32)(u64)os_file_fds);
    u8 *other = emit_forward(e, 0xe3); /* jrcxz */
    emit_interest(e, ibt_interest + IBT_FILES);
    u8 *end = emit_forward(e, 0xeb);
    land(e, other);
    emit_interest(e, ibt_interest);
    land(e, end);
}

/* The same, in the second table where any of the bits 12 to 27 of edi + OS_HIGH_BIAS is set. Flags stay: shifted by
 * leas, then the upper half by bswap. */
static void emit_high_interest(struct emit *e)
{
    /* lea bias * 8(,%rdi,8),%ecx; lea (%rcx,%rcx),%ecx; bswap %ecx; movzwl %cx,%ecx */
    _Static_assert(OS_HIGH_FD == 1 << 12, "by 4 bits, up to bit 16");
    EMIT(e, 0x8d, 0x0c, 0xfd);
    emit_u32(e, OS_HIGH_BIAS * 8);
    EMIT(e, 0x8d, 0x0c, 0x09, 0x0f, 0xc9, 0x0f, 0xb7, 0xc9);
    u8 *low = emit_forward(e, 0xe3); /* jrcxz */
    emit_interest(e, ibt_interest + IBT_HIGH);
    u8 *end = emit_forward(e, 0xeb);
    land(e, low);
    emit_low_interest(e);
    land(e, end);
}

/* E10. rcx and r11 are the system call's to clobber, flags are not. */
static void lower_syscall(struct pass *b, const struct insn *in)
{
    struct emit e = {b->p};
    gpc_t next = in->pc + in->len;
    pass_map(b, b->p, MAP_GUEST, in->pc, 0);
    emit_store_ctx(&e, CTX_SLOT(0), RCX);
    pass_state(b, e.p, HOW_SYSCALL, in->pc, 0);
    if (os_guards_fds)
        emit_high_interest(&e);
    else
        emit_interest(&e, ibt_interest);
    emit_u8(&e, 0xe3); /* jrcxz */
    u8 *fast = e.p;
    emit_u8(&e, 0);
    emit_const(&e, RCX, next);
    emit_store_ctx(&e, CTX(pc), RCX);
    emit_store_ctx_imm(&e, CTX(exit_id), EXIT_SYSCALL);
    emit_jmp(&e, b->region->exit_routine);
    *fast = (u8)(e.p - (fast + 1));
    /* lea over the jump, which is 5 bytes */
    EMIT(&e, 0x48, 0x8d, 0x0d, 5, 0, 0, 0);
    emit_jmp(&e, b->region->gate);
    pass_state(b, e.p, HOW_SYSRET, next, 0);
    emit_const(&e, RCX, next);
    b->p = e.p;
}

/* int $0x80: the VM is called before it and after it. */
static void lower_int80(struct pass *b, const struct insn *in)
{
    lower_exit_jmp(b, in->pc, EXIT_KIND_INT80);
    b->exit[b->nexits - 1].resume = b->p;
    lower_plain(b, in);
    pass_map(b, b->p, MAP_GUEST, in->pc + in->len, 0);
    lower_exit_jmp(b, in->pc + in->len, EXIT_KIND_INT80_DONE);
}

static void lower_syscall_after(struct pass *b, const struct insn *in)
{
    hold_release(b, in->pc, (u32)(in - b->insn));
    struct emit e = {b->p};
    pass_map(b, b->p, MAP_GUEST, in->pc, 0);
    emit_store_ctx(&e, CTX_SLOT(0), RCX);
    pass_state(b, e.p, HOW_SYSCALL, in->pc, 0);
    emit_const(&e, RCX, in->pc + in->len);
    emit_store_ctx(&e, CTX(pc), RCX);
    emit_store_ctx_imm(&e, CTX(exit_id), EXIT_SYSCALL_AFTER);
    emit_jmp(&e, b->region->exit_routine);
    b->p = e.p;
}

void lower_emulate(struct pass *b, const struct insn *in)
{
    struct insn raw = *in;
    pass_map(b, b->p, MAP_GUEST, in->pc, 0);
    lower_exit_jmp(b, in->pc, EXIT_KIND_EMULATE);
    /* An instruction that the VM does not carry out faults here, as it would natively. */
    b->exit[b->nexits - 1].resume = b->p;
    raw.cls = INSN_PLAIN;
    if (UNLIKELY(cpu_guest32)) /* the VM carries it out, or raises its fault */
        lower_bad(b, in);
    else if (raw.seg != 0x65)
        lower_plain(b, &raw);
    lower_exit_jmp(b, in->pc + in->len, EXIT_KIND_BRANCH);
}

/* An exit after which signals wait until the VM has done its part. */
void lower_fpu_save_exit(struct pass *b, const struct insn *in, enum emulated_part part)
{
    pass_map(b, b->p, MAP_GUEST, in->pc + in->len, 0);
    b->map[b->nmap - 1].waits = true;
    lower_exit_jmp(b, in->pc, EXIT_KIND_EMULATE);
    b->exit[b->nexits - 1].part = (u8)part;
}

/* xsave and its kin: bit 0 of eax asks for x87 state. */
static bool asks_for_x87(const struct insn *in)
{
    u8 digit = in->bytes[in->modrm_off] >> 3 & 7;
    return (in->opcode == 0xae && digit != 0) || in->opcode == 0xc7;
}

/* Without x87 state there is nothing for the VM to do: so lazy binding saves registers, for every function. */
static void lower_fpu_save_asking(struct pass *b, const struct insn *in)
{
    struct emit e = {b->p};
    pass_map(b, b->p, MAP_GUEST, in->pc, 0);
    emit_store_ctx(&e, CTX_SLOT(0), RCX);
    emit_store_ctx(&e, CTX_SLOT(1), RAX);
    pass_state(b, e.p, HOW_CHECK, in->pc, 0);
    EMIT(&e, 0xb9, 1, 0, 0, 0, 0xc4, 0xe2, 0x7a, 0xf5, 0xc9, 0xe3, 5, OP_JMP); /* ecx = eax & 1; jrcxz */
    u8 *jump = e.p;
    emit_u32(&e, 0);
    emit_load_ctx(&e, RCX, CTX_SLOT(0));
    b->p = e.p;
    lower_plain(b, in);
    pass_map(b, b->p, MAP_GUEST, in->pc + in->len, 0);
    lower_exit_jmp(b, in->pc + in->len, EXIT_KIND_BRANCH);
    u32 rel = (u32)(b->p - (jump + 4));
    memcpy(jump, &rel, 4);
    pass_state(b, b->p, HOW_CHECK, in->pc, 0);
    e.p = b->p;
    emit_load_ctx(&e, RCX, CTX_SLOT(0));
    b->p = e.p;
}

static void lower_fpu_save(struct pass *b, const struct insn *in)
{
    if (!b->instrumented && ibt_mixes && asks_for_x87(in)) /* the CPU has pext */
        lower_fpu_save_asking(b, in);
    lower_plain(b, in);
    lower_fpu_save_exit(b, in, PART_FPU_SAVE);
}

static void lower_as_is(struct pass *b, const struct insn *in)
{
    hold_before(b, in);
    switch ((enum insn_class)in->cls) {
    case INSN_PLAIN:
        if (UNLIKELY(lower_is_int80(in)))
            lower_int80(b, in);
        else if (!check_lower_constant(b, in))
            lower_plain(b, in);
        break;
    case INSN_RUN: lower_run(b, in); break;
    case INSN_JCC: lower_jcc(b, in); break;
    case INSN_LOOP: lower_loop(b, in); break;
    case INSN_JMP:
        if (UNLIKELY(check_lower_constant(b, in)))
            break;
        pass_map(b, b->p, MAP_GUEST, in->pc, 0);
        lower_last_exit(b, in->pc, (u32)(in - b->insn), in->target);
        break;
    case INSN_CALL:
        if (LIKELY(!check_lower_constant(b, in)))
            lower_call(b, in);
        break;
    case INSN_JMP_IND:
    case INSN_CALL_IND: lower_indirect(b, in); break;
    case INSN_RET: lower_ret(b, in); break;
    case INSN_SYSCALL: lower_syscall(b, in); break;
    case INSN_EMULATE: lower_emulate(b, in); break;
    case INSN_STACK32: lower_stack32(b, in); break;
    case INSN_FSBASE: lower_fsbase(b, in); break;
    case INSN_FPU_SAVE: lower_fpu_save(b, in); break;
    case INSN_BAD: lower_bad(b, in); break;
    }
    hold_after(b, in);
}

/* The VM is to run the calls after it. */
static void lower_with_after(struct pass *b, const struct insn *in)
{
    u32 first = b->nexits;
    if (in->cls == INSN_SYSCALL)
        lower_syscall_after(b, in);
    else
        lower_as_is(b, in);
    for (u32 i = first; i < b->nexits; i++)
        b->exit[i].after = true;
}

void arch_lower_insn(struct pass *b, const struct insn *in, enum arch_lowering how)
{
    struct ins *ins = b->ins[in - b->insn];
    switch (how) {
    case LOWER_AS_IS: lower_as_is(b, in); break;
    case LOWER_TAKEN: lower_taken(b, in, ins, ins->taken); break;
    case LOWER_WITH_AFTER: lower_with_after(b, in); break;
    case LOWER_REPEAT: lower_repeat(b, in, ins, ins->before); break;
    case LOWER_REWRITTEN: lower_rewritten(b, in, ins); break;
    }
}

void arch_lower_trap_end(struct pass *b, const struct insn *in)
{
    pass_map(b, b->p, MAP_GUEST, in->pc + in->len, 0);
    *b->p++ = 0x90;
}

void arch_lower_fall_through(struct pass *b, gpc_t next)
{
    u32 i = b->ninsns;
    while (i && b->insn[i - 1].pc >= next)
        i--; /* it was left before its end */
    hold_leave_held(b, next, i);
    pass_map(b, b->p, MAP_GUEST, next, 0);
    lower_last_exit(b, next, i, next);
}

void arch_lower_begin(struct pass *b)
{
    carry_begin(b);
    if (UNLIKELY(versions_used)) {
        struct emit e = {b->p};
        pass_map(b, b->p, MAP_GUEST, b->pc, 0);
        emit_store_ctx_imm(&e, ctx_disp(offsetof(struct thread, jit.version)), b->version);
        b->p = e.p;
    }
    check_lower(b);
    bind_begin(b);
}

/* A stub: its store and a jump to the exit routine, which eight of them share. */
enum { STUB_STORE = sizeof(struct stub_store), STUB_FIRST = STUB_STORE + 5, STUB_OTHER = STUB_STORE + 2, STUB_GROUP = 8,
    STUB_GROUP_BYTES = STUB_FIRST + (STUB_GROUP - 1) * STUB_OTHER };

u8 *arch_stub_at(u8 *top, u32 i)
{
    return top - i / STUB_GROUP * STUB_GROUP_BYTES - STUB_FIRST - i % STUB_GROUP * STUB_OTHER;
}

void arch_emit_stubs(struct pass *b, u32 first_exit)
{
    u8 *top = b->data, *shared = NULL;
    for (u32 i = 0; i < b->nexits; i++) {
        struct emit e = {b->data = arch_stub_at(top, i)};
        const struct stub_store store = stub_store(first_exit + i);
        emit_bytes(&e, &store, sizeof store);
        if (i % STUB_GROUP == 0) {
            shared = e.p;
            emit_jmp(&e, b->region->exit_routine);
        } else {
            emit_u8(&e, 0xeb);
            emit_u8(&e, (u8)(shared - (e.p + 1)));
        }
        arch_patch_branch(b->exit[i].patch, b->data);
    }
}

void arch_patch_branch(u8 *patch, const u8 *to)
{
    s32 rel = (s32)(to - (patch + 4));
    __atomic_store_n((s32 *)patch, rel, __ATOMIC_RELEASE);
}

bool arch_branch_reaches(const u8 *patch, const u8 *to)
{
    return in_reach(patch + 4, (u64)to);
}

void arch_emit_far_jump(u8 *at, const u8 *to)
{
    struct emit e = {at};
    emit_jmp_far(&e, (u64)to);
}

struct ib_marks ib_marks;

/* E8. */
u8 *arch_emit_ib_entry(const struct region *r, u8 *p, u64 key, const u8 *body)
{
    struct emit e = {p};
    EMIT(&e, 0x48, 0xb8);
    emit_u64(&e, -key);
    EMIT(&e, 0x48, 0x8d, 0x0c, 0x01); /* lea (%rcx,%rax),%rcx */
    ib_marks.compared = (u8)(e.p - p);
    EMIT(&e, 0xe3, 5); /* jrcxz */
    emit_jmp(&e, r->ib_mismatch);
    emit_ib_restore(&e, RCX);
    ib_marks.restored = (u8)(e.p - p);
    emit_ib_restore(&e, RAX);
    if (body)
        emit_jmp(&e, body);
    return e.p;
}
