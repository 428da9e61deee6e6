/* SPDX-License-Identifier: Apache-2.0
 * What the guest's seccomp filters say about a call. Calls that the engine carries out by other means than the call
 * itself (fork, threads, signals) never come to the kernel's filter, so the engine asks its own copies. A call that is
 * not allowed is then made as it is, and the kernel does with it what the filter wants. The kernel has checked a filter
 * before it comes here, so it has no loop and nothing out of range. Owns the copies, which only grow. On the guest's
 * thread. */
#include "arch/arch.h"
#include "os/linux/sys.h"
#include "os/hostmem.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

struct bpf_filter {
    const struct bpf_filter *older;
    struct bpf_how how;
    u32 n;
    struct sock_filter insn[];
};

struct machine {
    u32 a, x, mem[BPF_MEMWORDS];
};

static u32 alu(u16 code, u32 a, u32 b)
{
    switch (BPF_OP(code)) {
    case BPF_ADD: return a + b;
    case BPF_SUB: return a - b;
    case BPF_MUL: return a * b;
    case BPF_DIV: return b ? a / b : 0;
    case BPF_MOD: return b ? a % b : 0;
    case BPF_OR: return a | b;
    case BPF_AND: return a & b;
    case BPF_XOR: return a ^ b;
    case BPF_LSH: return a << (b & 31);
    case BPF_RSH: return a >> (b & 31);
    case BPF_NEG: return -a;
    default: BUG("seccomp filter: operation %x", code);
    }
}

static bool condition(u16 code, u32 a, u32 b)
{
    switch (BPF_OP(code)) {
    case BPF_JEQ: return a == b;
    case BPF_JGT: return a > b;
    case BPF_JGE: return a >= b;
    case BPF_JSET: return a & b;
    default: BUG("seccomp filter: jump %x", code);
    }
}

static u32 load(const struct machine *m, const struct sock_filter *i, const struct seccomp_data *data)
{
    u32 v = i->k;
    switch (BPF_MODE(i->code)) {
    case BPF_IMM: return v;
    case BPF_LEN: return sizeof *data;
    case BPF_MEM: return m->mem[v % BPF_MEMWORDS];
    default:
        ASSERT(v <= sizeof *data - sizeof v);
        memcpy(&v, (const u8 *)data + i->k, sizeof v);
        return v;
    }
}

static u32 run(const struct bpf_filter *f, const struct seccomp_data *data)
{
    struct machine m = {0};
    for (u32 pc = 0; pc < f->n; pc++) {
        const struct sock_filter *i = &f->insn[pc];
        u32 operand = BPF_SRC(i->code) == BPF_X ? m.x : i->k;
        switch (BPF_CLASS(i->code)) {
        case BPF_LD: m.a = load(&m, i, data); break;
        case BPF_LDX: m.x = load(&m, i, data); break;
        case BPF_ST: m.mem[i->k % BPF_MEMWORDS] = m.a; break;
        case BPF_STX: m.mem[i->k % BPF_MEMWORDS] = m.x; break;
        case BPF_ALU: m.a = alu(i->code, m.a, operand); break;
        case BPF_JMP:
            if (BPF_OP(i->code) == BPF_JA)
                pc += i->k;
            else
                pc += condition(i->code, m.a, operand) ? i->jt : i->jf;
            break;
        case BPF_RET: return BPF_RVAL(i->code) == BPF_A ? m.a : i->k;
        case BPF_MISC:
            if (BPF_MISCOP(i->code) == BPF_TAX)
                m.x = m.a;
            else
                m.a = m.x;
            break;
        }
    }
    BUG("seccomp filter without end");
}

bool bpf_allows(u64 nr)
{
    struct seccomp_data data = {.nr = (int)nr, .arch = AUDIT_ARCH_X86_64, .instruction_pointer = arch_pc(&vm_tc.cpu)};
    for (int i = 0; i < 6; i++)
        data.args[i] = sys_arg(i);
    for (const struct bpf_filter *f = vm_tc.os.seccomp_filters; f; f = f->older) {
        u32 action = run(f, &data) & SECCOMP_RET_ACTION_FULL;
        if (action != SECCOMP_RET_ALLOW && action != SECCOMP_RET_LOG)
            return false;
    }
    return true;
}

static s64 take(const struct bpf_filter *f)
{
    s64 r = f && f->older ? take(f->older) : 0;
    if (r || !f || !f->how.again)
        return r;
    const struct sock_fprog prog = {(u16)f->n, (struct sock_filter *)f->insn};
    const u64 flags = f->how.flags & ~(u64)(SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_TSYNC_ESRCH);
    if (f->how.by_prctl)
        return arch_raw_syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (u64)&prog, 0, 0, 0);
    return arch_raw_syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, (u64)&prog, 0, 0, 0);
}

s64 bpf_take_filters(void) { return take(vm_tc.os.seccomp_filters); }

/* The kernel has taken it. */
void bpf_note_filter(const struct sock_filter *insn, u32 n, const struct bpf_how *how)
{
    struct bpf_filter *f = malloc(sizeof *f + n * sizeof *insn);
    if (!f)
        hostmem_die("the program's seccomp filter");
    f->older = vm_tc.os.seccomp_filters;
    f->how = *how;
    f->n = n;
    memcpy(f->insn, insn, n * sizeof *insn);
    vm_tc.os.seccomp_filters = f;
    if (!(how->flags & SECCOMP_FILTER_FLAG_TSYNC))
        return;
    thread_list_lock();
    for (struct thread *t = thread_first(); t; t = t->next)
        __atomic_store_n(&t->os.seccomp_filters, f, __ATOMIC_RELEASE);
    thread_list_unlock();
}
