/* SPDX-License-Identifier: Apache-2.0
 * seccomp. A guest's filter goes to the kernel with a prefix that lets the host's own system calls through, which are
 * told apart by the instruction pointer: those in host code pass, those in the code cache and in the gate, which are
 * the guest's, go to the filter. So engine and tool work under any filter, and the guest is held to it. Strict mode has
 * no such way and is emulated. On the guest's thread. */
#include "arch/arch.h"
#include "os/linux/sys.h"

#include <errno.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define MAX_INSNS 4096u    /* BPF_MAXINSNS */
#define RANGE_INSNS 6u
#define GATE_INSNS 5u
#define MAX_RANGES 64u


struct prog {
    struct sock_filter insn[MAX_INSNS];
    u32 n, nranges;
};

static void add(struct prog *p, u16 code, u32 k, u8 yes, u8 no)
{
    p->insn[p->n++] = (struct sock_filter){code, yes, no, k};
}

static void load_ip(struct prog *p, bool high)
{
    add(p, BPF_LD | BPF_W | BPF_ABS, (u32)offsetof(struct seccomp_data, instruction_pointer) + (high ? 4 : 0), 0, 0);
}

/* Adds the rule that calls through the gate, which are the guest's, go to its filter. Returns the place of the jump, to
 * be set later. */
static u32 add_gate_rule(struct prog *p)
{
    u64 ip = (u64)host_gate_after; /* the kernel reports the address after the instruction */
    load_ip(p, true);
    add(p, BPF_JMP | BPF_JEQ | BPF_K, (u32)(ip >> 32), 0, 3);
    load_ip(p, false);
    add(p, BPF_JMP | BPF_JEQ | BPF_K, (u32)ip, 0, 1);
    add(p, BPF_JMP | BPF_JA, 0, 0, 0);
    return p->n - 1;
}

/* Adds the rule that calls in [start, end) pass, which is within one 4 GiB block. */
static void add_range_rule(struct prog *p, u64 start, u64 end)
{
    load_ip(p, true);
    add(p, BPF_JMP | BPF_JEQ | BPF_K, (u32)(start >> 32), 0, 4);
    load_ip(p, false);
    add(p, BPF_JMP | BPF_JGE | BPF_K, (u32)start, 0, 2);
    add(p, BPF_JMP | BPF_JGT | BPF_K, (u32)(end - 1), 1, 0);
    add(p, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

/* Adds rules for host code. BPF compares 32 bits at a time, so a range is cut at multiples of 4 GiB. */
static void add_text(struct prog *p, u64 start, u64 end)
{
    for (u64 at = start, stop; at < end && p->nranges < MAX_RANGES; at = stop, p->nranges++) {
        u64 block = (at | 0xffffffff) + 1;
        stop = block < end ? block : end;
        add_range_rule(p, at, stop);
    }
}

/* The host's loader knows its text; /proc may be out of reach by now (a sandbox changes its root first). */
static int add_object(struct dl_phdr_info *o, size_t bytes, void *p)
{
    (void)bytes;
    for (int i = 0; i < o->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &o->dlpi_phdr[i];
        u64 start = o->dlpi_addr + h->p_vaddr;
        if (h->p_type == PT_LOAD && h->p_flags & PF_X)
            add_text(p, PAGE_DOWN(start), PAGE_UP(start + h->p_memsz));
    }
    return 0;
}

static void add_prefix(struct prog *p)
{
    u32 jump = add_gate_rule(p);
    dl_iterate_phdr(add_object, p);
    p->insn[jump].k = p->n - jump - 1;
}

static s64 build(struct prog *p, u64 fprog, u32 *prefix)
{
    struct sock_fprog guest;
    if (!sys_read(&guest, fprog, sizeof guest))
        return -EFAULT;
    if (!guest.len || guest.len > MAX_INSNS)
        return -EINVAL;
    add_prefix(p);
    if (p->n + guest.len > MAX_INSNS) {
        msg("the program's seccomp filter of %u instructions leaves no room for the %u that the engine needs",
            guest.len, p->n);
        return -ENOMEM;
    }
    if (!sys_read(p->insn + p->n, (u64)guest.filter, guest.len * sizeof *p->insn))
        return -EFAULT;
    *prefix = p->n;
    p->n += guest.len;
    return 0;
}

s64 seccomp_set_filter(u64 flags, u64 fprog, bool by_prctl)
{
    struct prog *p = calloc(1, sizeof *p);
    if (!p)
        return -ENOMEM;
    u32 prefix = 0;
    s64 r = build(p, fprog, &prefix);
    if (r == -EFAULT || r == -EINVAL)
        r = sys_call(); /* it is wrong for the kernel, too, which may find another mistake first */
    struct sock_fprog whole = {(u16)p->n, p->insn};
    if (!r && by_prctl)
        r = sys_gate(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (u64)&whole, 0, 0, 0);
    else if (!r)
        r = sys_gate(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, (u64)&whole, 0, 0, 0);
    bool listener = flags & SECCOMP_FILTER_FLAG_NEW_LISTENER; /* the result is a descriptor */
    if (r == 0 || (r > 0 && listener))
        bpf_note_filter(p->insn + prefix, p->n - prefix, flags & SECCOMP_FILTER_FLAG_TSYNC);
    free(p);
    return r;
}

void seccomp_set_strict(void)
{
    vm_tc.os.seccomp_strict = true;
    sys_watch_all();
}

void seccomp_check_strict(u64 nr)
{
    if (nr == SYS_read || nr == SYS_write || nr == SYS_exit || nr == SYS_rt_sigreturn)
        return;
    arch_raw_syscall(SYS_kill, (u64)arch_raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0), SIGKILL, 0, 0, 0, 0);
    BUG("survived SIGKILL");
}

void sys_seccomp(void)
{
    u64 op = sys_arg(0), flags = sys_arg(1), arg = sys_arg(2);
    if ((u32)op == SECCOMP_SET_MODE_FILTER && arg) {
        sys_finish(seccomp_set_filter(flags, arg, false));
    } else if ((u32)op == SECCOMP_SET_MODE_STRICT && !flags && !arg) {
        seccomp_set_strict();
        sys_finish(0);
    } else {
        sys_pass();
    }
}
