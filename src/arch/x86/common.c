/* SPDX-License-Identifier: Apache-2.0
 * The routines at the start of every region (E6): the system call gate, the indirect lookup, the way out. Written once
 * per region, never freed while the process lives, so a thread may be blocked in the gate across a flush (E10).
 *
 *   base .. forward_end        on the way to the VM: a signal there waits for the dispatcher
 *   gate .. gate_taken         guest state recoverable (recover.c)
 *   ib_mismatch .. common_end  guest state recoverable */
#include "arch/arch.h"
#include "cache/cache.h"
#include "opt/pass.h"

#include "arch/x86/emit.h"
#include "arch/x86/lower.h"
#include "base/options.h"
#include "os/thread.h"

/* Assembly, enter.S. */
void bridge_save_all(void);
void bridge_restore_all(void);

static void patch_short(u8 *at, const u8 *to)
{
    s64 rel = to - (at + 1);
    ASSERT(rel >= -128 && rel <= 127);
    *at = (u8)rel;
}

/* A routine that is called on the host stack: what follows is stepped to the end of the guest's instruction, as
 * step_out of signal_deliver.c does. */
static void emit_step(struct emit *e)
{
    EMIT(e, 0x64, 0xc6, 0x04, 0x25); /* movb $imm8,%fs:disp32 */
    emit_u32(e, (u32)ctx_disp(offsetof(struct thread, os.completing)));
    emit_u8(e, 1);
    emit_store_ctx_imm(e, CTX(enter), 0);
    EMIT(e, 0x9c, 0x81, 0x0c, 0x24, 0, 1, 0, 0, 0x9d, 0xc3); /* pushf; orl $0x100,(%rsp); popf; ret */
}

/* The ways to the VM; none of the guest's registers is lost on them. */
static u8 *emit_forward(struct region *r, struct emit *e)
{
    r->bridge_step = e->p;
    emit_step(e);
    r->exit_routine = e->p;
    emit_jmp_far(e, (u64)vm_exit);
    r->efault = e->p;
    emit_store_ctx_imm(e, CTX(exit_id), EXIT_EFAULT);
    emit_jmp(e, r->exit_routine);
    u8 *ib_out = e->p;
    emit_store_ctx(e, CTX_SLOT(4), RCX);
    emit_ib_restore(e, RCX);
    emit_ib_restore(e, RAX);
    emit_store_ctx_imm(e, CTX(exit_id), EXIT_INDIRECT);
    emit_jmp(e, r->exit_routine);
    r->bridge_save = e->p;
    emit_jmp_far(e, (u64)bridge_save_all);
    r->bridge_restore = e->p;
    emit_jmp_far(e, (u64)bridge_restore_all);
    r->forward_end = e->p;
    return ib_out;
}

/* rcx: where to go on. The call's number is kept in slot 6 for a retry (E16). */
static void emit_gate(struct region *r, struct emit *e)
{
    r->gate = e->p;
    emit_store_ctx(e, CTX_SLOT(6), RAX);
    emit_store_ctx(e, CTX(sysret), RCX);
    r->gate_syscall = e->p;
    EMIT(e, 0x0f, 0x05);
    r->gate_after = e->p;
    EMIT(e, 0x48, 0x8d, 0x48, 0x0e, 0xe3, 0); /* lea 14(%rax),%rcx; jrcxz: -EFAULT */
    patch_short(e->p - 1, r->efault);
    if (UNLIKELY(options.stats)) { /* rcx is lost anyway */
        emit_load_ctx(e, RCX, TALLY(gate_calls));
        EMIT(e, 0x48, 0x8d, 0x49, 0x01); /* lea 1(%rcx),%rcx */
        emit_store_ctx(e, TALLY(gate_calls), RCX);
    }
    r->gate_counted = e->p;
    emit_u8(e, 0xb9); /* mov $0,%ecx */
    emit_u32(e, 0);
    emit_xchg_ctx(e, CTX(sysret), RCX);
    r->gate_taken = e->p;
    EMIT(e, 0xff, 0xe1); /* jmp *%rcx */
}

/* Flags into slot 3: al = OF, ah = the others. */
static void emit_save_flags(struct emit *e)
{
    emit_flags_to_ax(e);
    emit_store_ctx(e, CTX_SLOT(3), RAX);
}

static void emit_restore_flags(struct emit *e)
{
    emit_load_ctx(e, RAX, CTX_SLOT(3));
    emit_flags_from_ax(e);
    emit_load_ctx(e, RDX, CTX_SLOT(2));
}

/* rcx: target; the guest's rcx and rax in slots 0 and 1. Looks the directory up; the entry found checks rcx again. */
static void emit_ib_miss(struct region *r, struct emit *e, const u8 *ib_out)
{
    r->ib_mismatch = e->p;
    EMIT(e, 0x48, 0xf7, 0xd0, 0x48, 0x8d, 0x4c, 0x01, 0x01); /* not %rax; lea 1(%rcx,%rax),%rcx */
    r->ib_miss = e->p;
    emit_store_ctx(e, CTX_SLOT(2), RDX);
    emit_save_flags(e);
    r->ib_flags_saved = e->p;
    emit_const(e, RDX, (u64)&dir_current);
    EMIT(e, 0x48, 0x8b, 0x12, 0x48, 0xb8); /* mov (%rdx),%rdx; movabs $multiplier,%rax */
    emit_u64(e, DIR_HASH_MULTIPLIER);
    EMIT(e,
        0x48, 0x0f, 0xaf, 0xc1,       /* imul %rcx,%rax */
        0x48, 0xc1, 0xe8, 0x1c,       /* shr $28,%rax */
        0x48, 0x23, 0x02              /* and (%rdx),%rax */
    );
    u8 *loop = e->p;
    EMIT(e,
        0x48, 0x3b, 0x4c, 0x02, 0x10, /* cmp 16(%rdx,%rax),%rcx */
        0x74, 0x11,                   /* je found */
        0x48, 0x83, 0x7c, 0x02, 0x10, 0x00, /* cmpq $0,16(%rdx,%rax) */
        0x74, 0,                      /* je none */
        0x48, 0x83, 0xc0, 0x10,       /* add $16,%rax */
        0x48, 0x23, 0x02,             /* and (%rdx),%rax */
        0xeb, 0                       /* jmp loop */
    );
    patch_short(e->p - 1, loop);
    r->ib_none = e->p;
    patch_short(loop + 14, e->p);
    emit_restore_flags(e);
    r->ib_none_restored = e->p;
    emit_jmp(e, ib_out);
    r->ib_hit = e->p;
    patch_short(loop + 6, e->p);
    /* The entry is found: it goes into the table. If the trace is being invalidated at this moment, the table is
     * cleared before or after that: so the directory is looked at again. */
    EMIT(e,
        0x48, 0x8d, 0x54, 0x02, 0x18, /* lea 24(%rdx,%rax),%rdx */
        0x48, 0x8b, 0x02,             /* mov (%rdx),%rax */
        0x48, 0x85, 0xc0,             /* test %rax,%rax */
        0x74, 0                       /* jz none */
    );
    patch_short(e->p - 1, r->ib_none);
    emit_store_ctx(e, CTX_SLOT(4), RAX);
    emit_store_ctx(e, CTX_SLOT(5), RSI);
    r->ib_rsi_saved = e->p;
    if (UNLIKELY(options.stats)) {
        emit_load_ctx(e, RAX, TALLY(kind));
        EMIT(e, 0x64, 0x48, 0xff, 0x04, 0xc5); /* incq %fs:directory(,%rax,8) */
        emit_u32(e, (u32)TALLY(directory));
    }
    emit_ibt_index(e);
    EMIT(e, 0x89, 0xc6); /* mov %eax,%esi */
    emit_load_ctx(e, RAX, CTX_SLOT(4));
    EMIT(e, 0x48, 0x87, 0x04, 0xf5); /* xchg %rax,ibt(,%rsi,8): a full fence */
    emit_u32(e, (u32)(u64)ibt);
    emit_load_ctx(e, RAX, CTX_SLOT(4));
    EMIT(e, 0x48, 0x39, 0x02, 0x74, 0); /* cmp %rax,(%rdx); je */
    u8 *still = e->p - 1;
    emit_const(e, RAX, (u64)r->ib_miss);
    EMIT(e, 0x48, 0x89, 0x04, 0xf5); /* mov %rax,ibt(,%rsi,8) */
    emit_u32(e, (u32)(u64)ibt);
    emit_store_ctx(e, CTX_SLOT(4), RAX); /* the lookup begins again */
    patch_short(still, e->p);
    emit_load_ctx(e, RSI, CTX_SLOT(5));
    emit_restore_flags(e);
    r->ib_found = e->p;
    EMIT(e, 0x64, 0xff, 0x24, 0x25); /* jmp *%fs:slot4 */
    emit_u32(e, (u32)CTX_SLOT(4));
}

void arch_emit_common(struct region *r)
{
    struct emit e = {r->base};
    lower_ib_in_registers = cpu_guest32 && !options.tool;
    u8 *ib_out = emit_forward(r, &e);
    emit_gate(r, &e);
    emit_ib_miss(r, &e, ib_out);
    r->common_end = e.p;
}
