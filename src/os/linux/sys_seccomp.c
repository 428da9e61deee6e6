/* SPDX-License-Identifier: Apache-2.0
 * seccomp. Engine and tool go on under any filter, and the guest is held to it. Strict mode is emulated.
 *
 *  Q1  A guest's filter goes to the kernel with a prefix that looks at the instruction pointer: calls from the code
 *      cache and the gate for calls on the guest's behalf are the guest's, all others are the host's and allowed.
 *  Q2  The prefix names the regions of that moment. When one is made later, calls leave the cache from then on and are
 *      made through the gate.
 *  Q3  No prefix may hold in the next program, which has code of its own everywhere. So a thread of its own makes the
 *      execve, after it has taken the filters as the guest gave them: the calling thread stays as it was if the
 *      execve fails.
 *  Q4  A filter with a listener cannot be given twice. Its prefix names the host's text instead, and holds on. */
#include "arch/arch.h"
#include "os/events.h"
#include "os/linux/clone.h"
#include "os/linux/hoststack.h"
#include "os/linux/sigframe.h"
#include "os/linux/sys.h"
#include "os/os.h"

#include <errno.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define MAX_INSNS 4096u    /* BPF_MAXINSNS */

struct prog {
    struct sock_filter insn[MAX_INSNS];
    u32 n;        /* also of what has found no room */
    bool by_text; /* Q4 */
};

static bool filtered; /* a filter is, or was perhaps, taken by a thread of this process */

static void add(struct prog *p, u16 code, u32 k, u8 yes, u8 no)
{
    if (p->n < MAX_INSNS)
        p->insn[p->n] = (struct sock_filter){code, yes, no, k};
    p->n++;
}

/* For a jump to the guest's filter; end_prefix knows where that is. */
static void add_to_guest(struct prog *p) { add(p, BPF_JMP | BPF_JA, 0, 0, 0); }
static void add_allow(struct prog *p) { add(p, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0); }

static void load_ip(struct prog *p, bool high)
{
    add(p, BPF_LD | BPF_W | BPF_ABS, (u32)offsetof(struct seccomp_data, instruction_pointer) + (high ? 4 : 0), 0, 0);
}

/* Calls through the gate are the guest's. */
static void add_gate_rule(struct prog *p)
{
    u64 ip = (u64)host_gate_after; /* the kernel reports the address after the instruction */
    load_ip(p, true);
    add(p, BPF_JMP | BPF_JEQ | BPF_K, (u32)(ip >> 32), 0, 3);
    load_ip(p, false);
    add(p, BPF_JMP | BPF_JEQ | BPF_K, (u32)ip, 0, 1);
    add_to_guest(p);
}

/* Adds the rule for calls in [start, end), which is within one 4 GiB block. */
static void add_range_rule(struct prog *p, u64 start, u64 end)
{
    load_ip(p, true);
    add(p, BPF_JMP | BPF_JEQ | BPF_K, (u32)(start >> 32), 0, 4);
    load_ip(p, false);
    add(p, BPF_JMP | BPF_JGE | BPF_K, (u32)start, 0, 2);
    add(p, BPF_JMP | BPF_JGT | BPF_K, (u32)(end - 1), 1, 0);
    (p->by_text ? add_allow : add_to_guest)(p);
}

/* BPF compares 32 bits at a time: a range is cut at multiples of 4 GiB. */
static void add_range(void *p, u64 start, u64 end)
{
    for (u64 at = start, stop; at < end; at = stop) {
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
            add_range(p, PAGE_DOWN(start), PAGE_UP(start + h->p_memsz));
    }
    return 0;
}

static void end_prefix(struct prog *p)
{
    for (u32 i = 0; i < p->n && i < MAX_INSNS; i++)
        if (p->insn[i].code == (BPF_JMP | BPF_JA))
            p->insn[i].k = p->n - i - 1;
}

/* Host code makes no calls of another architecture: int $0x80 is the guest's wherever it is, also in regions that are
 * made later. */
static void add_arch_rule(struct prog *p)
{
    add(p, BPF_LD | BPF_W | BPF_ABS, (u32)offsetof(struct seccomp_data, arch), 0, 0);
    add(p, BPF_JMP | BPF_JEQ | BPF_K, SYSCALL_AUDIT_ARCH, 1, 0);
    add_to_guest(p);
}

/* Q1 */
static void add_prefix(struct prog *p)
{
    add_arch_rule(p);
    add_gate_rule(p);
    if (p->by_text)
        dl_iterate_phdr(add_object, p);
    else {
        os_events.each_region(add_range, p);
        add_allow(p);
    }
    end_prefix(p);
}

static void tell_ip_test(const struct sock_filter *insn, u32 n)
{
    static bool told;
    const u32 ip = offsetof(struct seccomp_data, instruction_pointer);
    for (u32 i = 0; i < n && !told; i++)
        if (insn[i].code == (BPF_LD | BPF_W | BPF_ABS) && (insn[i].k == ip || insn[i].k == ip + 4)) {
            msg("a seccomp filter of the program tests the instruction pointer, which is not the program's under "
                "Linchpin, but that of translated code");
            told = true;
        }
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
    tell_ip_test(p->insn + p->n, guest.len);
    *prefix = p->n;
    p->n += guest.len;
    return 0;
}

static void tell_listener(void)
{
    static bool told;
    if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
        msg("a seccomp filter of the program has a listener, which does not hear of the calls that Linchpin itself "
            "makes");
}

s64 seccomp_set_filter(u64 flags, u64 fprog, bool by_prctl)
{
    struct prog *p = calloc(1, sizeof *p);
    if (!p)
        return -ENOMEM;
    u32 prefix = 0;
    bool listener = flags & SECCOMP_FILTER_FLAG_NEW_LISTENER; /* the result is a descriptor */
    p->by_text = listener;
    __atomic_store_n(&filtered, true, __ATOMIC_SEQ_CST); /* Q2: before the regions are looked at */
    s64 r = build(p, fprog, &prefix);
    if (r == -EFAULT || r == -EINVAL)
        r = sys_call(); /* it is wrong for the kernel, too, which may find another mistake first */
    struct sock_fprog whole = {(u16)p->n, p->insn};
    if (!r && by_prctl)
        r = sys_gate(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (u64)&whole, 0, 0, 0);
    else if (!r)
        r = sys_gate(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, (u64)&whole, 0, 0, 0);
    const struct bpf_how how = {by_prctl, flags, !listener};
    if (r == 0 || (r > 0 && listener))
        bpf_note_filter(p->insn + prefix, p->n - prefix, &how);
    if (r > 0 && listener)
        tell_listener();
    free(p);
    return r;
}

void os_region_made(void)
{
    if (UNLIKELY(__atomic_load_n(&filtered, __ATOMIC_SEQ_CST)))
        sys_watch_all();
}

/* --- execve (Q3) ------------------------------------------------------------------------------------------------- */

struct filtered_exec {
    u64 nr;
    const u64 *args;
    s64 result;
    bool refused; /* the filters */
    u32 runs; /* the thread's id; the kernel clears it */
};

/* As a vfork child, with the TLS of the thread that waits for it. */
static void make_exec(void *arg)
{
    struct filtered_exec *x = arg;
    u64 mask = vm_tc.os.kernel_mask;
    arch_raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (u64)&mask, 0, sizeof mask, 0, 0);
    s64 r = bpf_take_filters();
    x->refused = r;
    x->result = r ? r : arch_gate_syscall(x->nr, x->args);
    arch_raw_syscall(SYS_exit, 0, 0, 0, 0, 0, 0);
    __builtin_unreachable();
}

#define THREAD_FLAGS (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)

bool seccomp_before_exec(struct host_stack **stack)
{
    *stack = UNLIKELY(vm_tc.os.seccomp_filters) ? hoststack_get() : NULL;
    return *stack || !vm_tc.os.seccomp_filters;
}

void seccomp_exec_failed(struct host_stack *stack)
{
    if (stack)
        hoststack_put(stack);
}

s64 seccomp_exec(u64 nr, const u64 args[6], const struct host_stack *stack)
{
    if (LIKELY(!stack))
        return arch_gate_syscall(nr, args);
    struct filtered_exec x = {.nr = nr, .args = args, .result = -EACCES, .runs = 1};
    struct clone_call c = {.nr = SYS_clone, .child = make_exec, .arg = &x,
        .args = {THREAD_FLAGS | CLONE_CHILD_CLEARTID, ((u64)stack->base + stack->bytes - 64) & ~63ul, 0,
                 [CLONE_ARG_CHILD_TID] = (u64)&x.runs}};
    u64 all = ~0ul;
    arch_raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (u64)&all, 0, sizeof all, 0, 0);
    s64 r = clone_on_stack(&c);
    while (r > 0 && __atomic_load_n(&x.runs, __ATOMIC_ACQUIRE))
        arch_raw_syscall(SYS_futex, (u64)&x.runs, FUTEX_WAIT, 1, 0, 0, 0);
    if (x.refused)
        msg("execve: the kernel does not take the program's seccomp filters for the next program: error %ld (one that "
            "was set with CAP_SYS_ADMIN needs it, or no_new_privs, here, too)", -x.result);
    return r < 0 ? r : x.result;
}

/* --- strict mode ------------------------------------------------------------------------------------------------- */

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
