/* SPDX-License-Identifier: Apache-2.0
 * See abi.h. No state but the page that thunks are made in. */
#include "arch/x86/abi.h"

#include "arch/arch.h"
#include "arch/x86/context.h"
#include "arch/x86/emit.h"
#include "base/options.h"
#include "opt/rop.h"
#include "os/hostmem.h"
#include "os/hostlock.h"
#include "os/os.h"

#include <string.h>
#include <sys/mman.h>

#define RED_ZONE 128
#define MXCSR_OFFSET 24
#define XMM_OFFSET 160
#define XSTATE_BV_OFFSET 512
#define XSTATE_SSE 2u
#define XSTATE_X87 1u
#define X87_STATUS_OFFSET 2
#define FLAG_DF 0x400ul

_Static_assert(offsetof(struct host_call, xmm) == 64 && offsetof(struct host_call, nstack) == 192 &&
                   offsetof(struct host_call, ret) == 208 && sizeof(struct host_call) == 256,
               "hostcall.S");

/* --- thunks ------------------------------------------------------------------------------------------------------- */

struct thunk {
    u8 code[48];
    abi_handler *handler;
    void *data;
};

void abi_thunk_entry(void);
static struct hostlock thunk_lock FORK_WRITES = HOSTLOCK(LOCK_THUNKS);
static struct thunk *page;
static u32 used;

static void lock_thunks(void) { hostlock_take(&thunk_lock); }
static void unlock_thunks(void) { hostlock_give(&thunk_lock); }

void arch_fork(bool before)
{
    if (before)
        lock_thunks();
    else
        unlock_thunks();
}

void *abi_make_thunk(abi_handler *handler, void *data)
{
    lock_thunks();
    if (!page || used == PAGE_BYTES / sizeof *page || options.wx) { /* -wx: one for each, closed when it is written */
        page = hostmem_map(PAGE_BYTES, PROT_READ | PROT_WRITE | (options.wx ? 0 : PROT_EXEC));
        used = 0;
    }
    struct thunk *t = page ? &page[used++] : NULL;
    unlock_thunks();
    if (!t)
        return NULL;
    t->handler = handler;
    t->data = data;
    struct emit e = {t->code};
    EMIT(&e, 0x49, 0xbb); /* always a movabs, because abi_thunk_data looks for it */
    emit_u64(&e, (u64)&t->handler);
    emit_const(&e, R10, (u64)abi_thunk_entry);
    EMIT(&e, 0x41, 0xff, 0xe2); /* jmp *%r10 */
    if (options.wx)
        hostmem_protect(t, PAGE_BYTES, PROT_READ | PROT_EXEC);
    return t->code;
}

void *abi_thunk_data(const void *fn, abi_handler *handler)
{
    struct thunk t;
    if ((u64)fn % sizeof t || os_safe_copy(&t, fn, sizeof t) != sizeof t)
        return NULL;
    u64 self;
    memcpy(&self, t.code + 2, 8);
    bool is = t.code[0] == 0x49 && t.code[1] == 0xbb && self == (u64)fn + offsetof(struct thunk, handler) &&
              t.handler == handler;
    return is ? t.data : NULL;
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

void abi_list_begin(struct abi_list *l)
{
    memset(&l->call, 0, sizeof l->call);
    l->nint = l->nfloat = 0;
    l->call.stack = l->word;
}

static void add_stack(struct abi_list *l, const void *value, u32 words)
{
    if (l->call.nstack + words > ABI_STACK_WORDS)
        die(1, "a function with more than %u words of arguments on the stack", ABI_STACK_WORDS);
    memcpy(l->word + l->call.nstack, value, words * 8);
    l->call.nstack += words;
}

void abi_list_add(struct abi_list *l, const struct abi_type *t, const void *value)
{
    u32 words = (t->bytes + 7) / 8;
    if (t->cls == ABI_FLOAT && l->nfloat < 8) {
        memcpy(l->call.xmm[l->nfloat++], value, 8);
        l->call.rax = l->nfloat;
    } else if (t->cls == ABI_INT && l->nint + words <= 6) {
        memcpy(&l->call.gpr[l->nint], value, words * 8);
        l->nint += words;
    } else {
        add_stack(l, value, words);
    }
}

void abi_list_add_word(struct abi_list *l, u64 value)
{
    abi_list_add(l, &(struct abi_type){ABI_INT, false, 8}, &value);
}

/* --- the guest ---------------------------------------------------------------------------------------------------- */

struct place {
    u32 nint, nfloat, nstack;
    bool in_stack;
};

/* Where argument n is. The counts are of the arguments before it. */
static struct place place_of(const struct abi_proto *p, u32 n)
{
    struct place at = {0};
    for (u32 i = 0; i <= n && i < p->nargs; i++) {
        const struct abi_type *t = &p->arg[i];
        u32 words = (t->bytes + 7) / 8;
        bool last = i == n;
        at.in_stack = t->cls == ABI_FLOAT ? at.nfloat == 8 : t->cls == ABI_MEMORY || at.nint + words > 6;
        if (last)
            break;
        if (at.in_stack)
            at.nstack += words;
        else if (t->cls == ABI_FLOAT)
            at.nfloat++;
        else
            at.nint += words;
    }
    return at;
}

u32 abi_stack_words(const struct abi_proto *p)
{
    if (!p->nargs)
        return 0;
    struct place at = place_of(p, p->nargs - 1);
    return at.nstack + (at.in_stack ? (p->arg[p->nargs - 1].bytes + 7) / 8 : 0);
}

static void extend(const struct abi_type *t, void *value)
{
    u64 v;
    if (t->cls != ABI_INT || t->bytes >= 8)
        return;
    u32 shift = 64 - t->bytes * 8;
    memcpy(&v, value, 8);
    v = t->is_signed ? (u64)((s64)(v << shift) >> shift) : v << shift >> shift;
    memcpy(value, &v, 8);
}

static const u8 *guest_xmm(const struct cpu_state *c, u32 i)
{
    static const u8 zero[16];
    return *(const u64 *)(c->xsave + XSTATE_BV_OFFSET) & XSTATE_SSE ? c->xsave + XMM_OFFSET + i * 16 : zero;
}

void abi_use_fpu(const struct cpu_state *c)
{
    u16 x87 = 0x37f;
    u32 mxcsr = 0x1f80;
    if (c && *(const u64 *)(c->xsave + XSTATE_BV_OFFSET) & XSTATE_X87)
        memcpy(&x87, c->xsave, sizeof x87);
    if (c)
        memcpy(&mxcsr, c->xsave + MXCSR_OFFSET, sizeof mxcsr);
    __asm__ volatile("fldcw %0; ldmxcsr %1" : : "m"(x87), "m"(mxcsr));
}

static void set_guest_xmm(struct cpu_state *c, u32 i, const void *value)
{
    u64 *present = (u64 *)(c->xsave + XSTATE_BV_OFFSET);
    if (!(*present & XSTATE_SSE))
        memset(c->xsave + XMM_OFFSET, 0, 256);
    *present |= XSTATE_SSE;
    memcpy(c->xsave + XMM_OFFSET + i * 16, value, 16);
}

bool abi_guest_arg(const struct cpu_state *c, const struct abi_proto *p, u32 n, void *value)
{
    const struct abi_type *t = &p->arg[n];
    struct place at = place_of(p, n);
    u32 bytes = (t->bytes + 7) & ~7u;
    if (at.in_stack) {
        if (os_safe_copy(value, (void *)(c->gpr[RSP] + 8 + at.nstack * 8), bytes) != bytes)
            return false;
    } else if (t->cls == ABI_FLOAT) {
        memcpy(value, guest_xmm(c, at.nfloat), 8);
    } else {
        for (u32 i = 0; i < bytes / 8; i++)
            memcpy((u64 *)value + i, &c->gpr[rop_registers.argument[at.nint + i]], 8);
    }
    extend(t, value);
    return true;
}

u64 *abi_guest_arg_place(struct cpu_state *c, u32 n)
{
    return n < 6 ? &c->gpr[rop_registers.argument[n]] : (u64 *)(c->gpr[RSP] + 8) + (n - 6);
}

u64 *abi_guest_result_place(struct cpu_state *c) { return &c->gpr[RAX]; }

void abi_take_regs(struct host_call *to, const struct cpu_state *from)
{
    for (u32 i = 0; i < 6; i++)
        to->gpr[i] = from->gpr[rop_registers.argument[i]];
    to->rax = from->gpr[RAX];
    for (u32 i = 0; i < 8; i++)
        memcpy(to->xmm[i], guest_xmm(from, i), 16);
}

void abi_give_regs(struct cpu_state *to, const struct host_call *from)
{
    for (u32 i = 0; i < 6; i++)
        to->gpr[rop_registers.argument[i]] = from->gpr[i];
    to->gpr[RAX] = from->rax;
    for (u32 i = 0; i < 8; i++)
        set_guest_xmm(to, i, from->xmm[i]);
}

void abi_take_result(struct host_call *to, const struct cpu_state *from)
{
    to->ret[0] = from->gpr[RAX];
    to->ret[1] = from->gpr[RDX];
    memcpy(to->xret[0], guest_xmm(from, 0), 16);
    memcpy(to->xret[1], guest_xmm(from, 1), 16);
}

void abi_give_result(struct cpu_state *to, const struct host_call *from, const struct abi_type *t)
{
    if (!t || t->cls == ABI_INT) {
        to->gpr[RAX] = from->ret[0];
        if (!t || t->bytes > sizeof from->ret[0])
            to->gpr[RDX] = from->ret[1]; /* otherwise it stays as the replacement has set it (IARG_REG_REFERENCE) */
    }
    if (!t || t->cls == ABI_FLOAT) {
        set_guest_xmm(to, 0, from->xret[0]);
        set_guest_xmm(to, 1, from->xret[1]);
    }
}

void abi_prepare_state(struct cpu_state *c)
{
    c->flags &= ~FLAG_DF;
    if (*(u64 *)(c->xsave + XSTATE_BV_OFFSET) & XSTATE_X87)
        memset(c->xsave + X87_STATUS_OFFSET, 0, 3); /* status and tags; the control word stays */
}

u64 abi_new_frame(const struct cpu_state *c, u32 words) { return ((c->gpr[RSP] - RED_ZONE - words * 8) & ~15ul) - 8; }
