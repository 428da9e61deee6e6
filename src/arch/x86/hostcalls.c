/* SPDX-License-Identifier: Apache-2.0
 * System call instructions of host libraries, led to arch_host_syscall (hostcall.S). The move of the call's number
 * into eax has five bytes, as many as a jump: it is replaced by one to a stub that does the move, what stands
 * between it and the system call instruction, and the call, and goes on after it. No other byte changes, so whoever
 * jumps to the system call instruction itself finds it there. Knows nothing of what the calls mean, and does not
 * change protections. */
#include "arch/arch.h"
#include "arch/x86/decoder.h"
#include "arch/x86/emit.h"

#include <string.h>

#define MOVE_BYTES 5
#define SYSCALL_BYTES 2
#define REACH_BYTES 32 /* from the move to the system call */

extern char arch_host_syscall[];

/* libc's syscall(), whose number is an argument: the last thing it does before is this, mov 8(%rsp),%r9 */
static const u8 last_argument[MOVE_BYTES] = {0x4c, 0x8b, 0x4c, 0x24, 0x08};

static bool is_wanted_move(const struct arch_call_search *s, const u8 *at)
{
    u32 nr;
    memcpy(&nr, at + 1, sizeof nr);
    return at[0] == 0xb8 && nr < s->ncalls && s->calls[nr];
}

/* Does the same wherever it stands, and leaves eax as it is. */
static bool may_move(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
    if (z->attributes & ZYDIS_ATTRIB_IS_RELATIVE || z->meta.branch_type != ZYDIS_BRANCH_TYPE_NONE)
        return false;
    for (u32 i = 0; i < z->operand_count; i++)
        if (op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE && op[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            decoder_gpr(op[i].reg.value) == 0)
            return false;
    return true;
}

/* Decodes the function up to the call: both must be instructions of it. */
static bool verify(const struct arch_call_search *s, const u8 *move, const u8 *call)
{
    ZydisDecodedInstruction z;
    ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
    const u8 *at = (const u8 *)s->function_of((u64)move);
    while (at && at < move)
        at = decoder_host(at, &z, NULL) ? at + z.length : NULL;
    if (at != move)
        return false;
    for (at = move + MOVE_BYTES; at < call; at += z.length)
        if (!decoder_host(at, &z, op) || !may_move(&z, op))
            return false;
    return at == call;
}

static const u8 *find_move(const struct arch_call_search *s, const u8 *text, const u8 *call)
{
    const u8 *nearest = call - MOVE_BYTES;
    if (nearest >= text && memcmp(nearest, last_argument, MOVE_BYTES) == 0 && verify(s, nearest, call))
        return nearest;
    for (const u8 *at = nearest; at >= text && at >= call - REACH_BYTES; at--)
        if (is_wanted_move(s, at) && verify(s, at, call))
            return at;
    return NULL;
}

u32 arch_find_host_calls(const struct arch_call_search *s, const u8 *text, u64 bytes, struct arch_host_call *out,
                         u32 room)
{
    u32 n = 0;
    const u8 *end = text + bytes, *at = text;
    while (n < room && (at = memchr(at, 0x05, (size_t)(end - at)))) { /* 0f 05 */
        const u8 *move = at > text && at[-1] == 0x0f ? find_move(s, text, at - 1) : NULL;
        if (move)
            out[n++] = (struct arch_host_call){(u8 *)move, (u8 *)at - 1};
        at++;
    }
    return n;
}

u8 *arch_redirect_host_call(const struct arch_host_call *c, u8 *stub)
{
    struct emit e = {stub}, move = {c->move};
    emit_u64(&e, (u64)arch_host_syscall);
    const u8 *entry = e.p;
    emit_bytes(&e, c->move, (size_t)(c->call - c->move));
    EMIT(&e, 0x48, 0x8d, 0x64, 0x24, 0x80); /* lea -128(%rsp),%rsp: leaves the red zone */
    EMIT(&e, 0xff, 0x15); /* call *stub(%rip) */
    emit_u32(&e, (u32)(stub - (e.p + 4)));
    EMIT(&e, 0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0); /* lea 128(%rsp),%rsp */
    emit_jmp(&e, c->call + SYSCALL_BYTES);
    ASSERT(e.p <= stub + ARCH_HOST_CALL_BYTES);
    emit_jmp(&move, entry);
    return stub + ARCH_HOST_CALL_BYTES;
}
