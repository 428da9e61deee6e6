/* SPDX-License-Identifier: Apache-2.0
 * What the architecture owes to clones (jit/clones.h): which functions are worth it, returns to a known place, and the count of returns in indirect entries. Under jit_lock. */
#include "arch/x86/lower.h"

#include "arch/arch.h"
#include "arch/x86/clone.h"
#include "os/gmap.h"
#include "os/os.h"

#define MAX_INSNS 256u
#define SEEN_SLOTS 1024u

bool arch_can_clone(void) { return ibt_mixes; /* rorx */ }

bool arch_call_before(gpc_t pc, gpc_t *callee)
{
    u8 call[5];
    s32 rel;
    struct gmap_area before; /* a fault that os_safe_copy comes back from is dear */
    if ((pc & (PAGE_BYTES - 1)) < sizeof call && !(gmap_find(pc - sizeof call, &before) && before.flags & GMAP_READ))
        return false;
    if (pc < sizeof call || os_safe_copy(call, (void *)(pc - sizeof call), sizeof call) != sizeof call || call[0] != 0xe8)
        return false;
    memcpy(&rel, call + 1, sizeof rel);
    *callee = pc + (u64)(s64)rel;
    return true;
}

/* The instructions of a function that are reached without calls. */
struct scan {
    gpc_t start, end; /* of the code around it */
    gpc_t seen[SEEN_SLOTS], todo[MAX_INSNS];
    u32 ninsns, ntodo;
    bool returns;
};

/* False: it was there before. */
static bool note(struct scan *s, gpc_t pc)
{
    u32 i = (u32)(pc * DIR_HASH_MULTIPLIER >> 54);
    for (; s->seen[i]; i = (i + 1) % SEEN_SLOTS)
        if (s->seen[i] == pc)
            return false;
    s->seen[i] = pc;
    return true;
}

/* From pc to where it goes on elsewhere. False: too much, or it cannot be read. */
static bool scan_run(struct scan *s, gpc_t pc)
{
    struct insn in;
    u8 bytes[16];
    for (; note(s, pc); pc += in.len) {
        if (++s->ninsns > MAX_INSNS || pc < s->start || pc >= s->end)
            return false;
        size_t have = os_safe_copy(bytes, (void *)pc, s->end - pc < 15 ? s->end - pc : 15);
        if (!decode_insn(&in, pc, bytes, have))
            return false;
        bool branch = insn_is_branch(&in);
        s->returns |= in.cls == INSN_RET;
        if (branch || in.cls == INSN_JMP)
            s->todo[s->ntodo++] = in.target; /* no more than there are instructions */
        if (!branch && insn_ends_trace(&in))
            break;
    }
    return true;
}

bool arch_worth_clone(gpc_t callee, gpc_t start, gpc_t end)
{
    static struct scan s;
    memset(&s, 0, sizeof s);
    s.start = start;
    s.end = end;
    s.todo[s.ntodo++] = callee;
    while (s.ntodo)
        if (!scan_run(&s, s.todo[--s.ntodo]))
            return false;
    return s.returns;
}

static void emit_pop(struct emit *e, u32 bytes)
{
    static const u8 lea8[] = {0x48, 0x8d, 0x64, 0x24}, lea32[] = {0x48, 0x8d, 0xa4, 0x24}; /* lea bytes(%rsp),%rsp */
    if (bytes < 128) {
        emit_bytes(e, lea8, sizeof lea8);
        emit_u8(e, (u8)bytes);
    } else {
        emit_bytes(e, lea32, sizeof lea32);
        emit_u32(e, bytes);
    }
}

static void emit_load_return(struct emit *e)
{
    static const u8 load[] = {0x48, 0x8b, 0x0c, 0x24}; /* mov (%rsp),%rcx */
    emit_bytes(e, load, sizeof load);
}

/* rcx becomes 0 if it is v, and only then: its low half is subtracted, the halves are exchanged, the high one is subtracted. No flags. */
static void emit_compare_rcx(struct emit *e, u64 v)
{
    static const u8 lea[] = {0x48, 0x8d, 0x89}, rorx[] = {0xc4, 0xe3, 0xfb, 0xf0, 0xc9, 32};
    s32 low = (s32)v;
    emit_bytes(e, lea, sizeof lea);
    emit_u32(e, (u32)-low);
    emit_bytes(e, rorx, sizeof rorx);
    emit_bytes(e, lea, sizeof lea);
    emit_u32(e, (u32)-(u32)((v - (u64)(s64)low) >> 32));
}

void lower_ret_pops(struct pass *b, const struct insn *in)
{
    struct emit e = {b->p};
    emit_load_return(&e);
    emit_pop(&e, lower_ret_bytes(in));
    b->p = e.p;
    lower_indirect_end(b, in);
}

void lower_ret_known(struct pass *b, const struct insn *in, gpc_t to)
{
    struct emit e = {b->p};
    pass_map(b, e.p, MAP_GUEST, in->pc, 0);
    emit_store_ctx(&e, CTX_SLOT(0), RCX);
    pass_state(b, e.p, HOW_SPILL, in->pc, RCX << 4);
    emit_load_return(&e);
    emit_compare_rcx(&e, to);
    static const u8 jrcxz[] = {0xe3, 5, 0xe9}; /* over the jump */
    emit_bytes(&e, jrcxz, sizeof jrcxz);
    u8 *other = e.p;
    emit_u32(&e, 0);
    emit_load_ctx(&e, RCX, CTX_SLOT(0));
    pass_map(b, e.p, MAP_GUEST, in->pc, 0);
    emit_pop(&e, lower_ret_bytes(in));
    b->p = e.p;
    pass_map(b, b->p, MAP_TARGET, in->pc, (u16)b->nexits);
    lower_exit_jmp(b, to, EXIT_KIND_BRANCH);
    u32 rel = (u32)(b->p - (other + 4));
    memcpy(other, &rel, sizeof rel);
    e.p = b->p;
    pass_state(b, e.p, HOW_SPILL, in->pc, RCX << 4);
    emit_store_ctx(&e, CTX_SLOT(1), RAX);
    pass_state(b, e.p, HOW_IB, in->pc, 0);
    b->p = e.p;
    lower_ret_pops(b, in);
}

u32 arch_ib_count_bytes(void) { return (u32)ib_marks.count_bytes - ib_marks.count_entry; }

/* In front of an indirect entry: rcx is the target, rax is free. When the count is reached the VM gets it. */
u8 *arch_emit_ib_count(const struct region *r, u8 *p, gpc_t pc, u8 **start)
{
    static const u8 back[] = {0x48, 0x89, 0xc1}, away[] = {0x48, 0x89, 0xc8}; /* mov %rax,%rcx; mov %rcx,%rax */
    static const u8 load[] = {0x8b, 0x0c, 0x25}, add[] = {0x8d, 0x49, 0x01, 0x89, 0x0c, 0x25}, look[] = {0x8d, 0x89}; /* mov n,%ecx; lea 1(%rcx),%ecx; mov %ecx,n; lea -hot(%rcx),%ecx */
    struct emit e = {p};
    u32 at = (u32)(u64)&ibt_count[ibt_index(pc)];
    emit_bytes(&e, back, sizeof back);
    ib_marks.count_moved = (u8)(e.p - p);
    emit_jmp(&e, r->ib_none_restored);
    ib_marks.count_entry = (u8)(e.p - p);
    *start = e.p;
    emit_bytes(&e, away, sizeof away);
    emit_bytes(&e, load, sizeof load);
    emit_u32(&e, at);
    emit_bytes(&e, add, sizeof add);
    emit_u32(&e, at);
    emit_bytes(&e, look, sizeof look);
    emit_u32(&e, -ibt_hot);
    emit_u8(&e, 0xe3); /* jrcxz */
    emit_u8(&e, (u8)(p - (e.p + 1)));
    emit_bytes(&e, back, sizeof back);
    ib_marks.count_bytes = (u8)(e.p - p);
    return e.p;
}
