/* SPDX-License-Identifier: Apache-2.0
 * int $0x80 in 64-bit code: a 32-bit system call. What the engine has to see goes the way of the 64-bit call, with the
 * 32-bit one's arguments (I1); what it need not see is executed where it is, in the cache. On the guest's thread, no
 * lock held.
 *
 *  I1  A call goes that way if it has one row in syscalls.tsv for both, and its arguments are numbers, paths and bytes,
 *      which are the same for both; and some others that can be made so (prepare).
 *  I2  Calls that would let the guest out of control, and cannot go that way, are refused with a message: those about
 *      handlers and frames, which would be 32-bit code's, threads, and segments.
 *  I3  Under a seccomp filter, which knows them by their own numbers, all are executed where they are; so they are on
 *      a kernel without 32-bit calls, where the instruction faults. */
#include "os/linux/sys.h"

#include "arch/arch.h"
#include "calls32.h"
#include "cpu.h"
#include "os/record.h"
#include "os/events.h"
#include "os/linux/signal_private.h"
#include "os/linux/syscall_info.h"
#include "syscall_regs.h"

#include <errno.h>
#include <linux/audit.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define INT80_BYTES 2
#define ARGS_MAX (1u << 20) /* of execve */

enum { /* 32-bit numbers of calls that need more than their row says */
    NR_RESTART = 0, NR_READ = 3, NR_EXECVE = 11, NR_PTRACE = 26, NR_SIGNAL = 48, NR_FCNTL = 55, NR_SIGACTION = 67,
    NR_SIGSUSPEND = 72, NR_MMAP = 90, NR_FCHOWN16 = 95, NR_SIGRETURN = 119, NR_CLONE = 120, NR_SIGPROCMASK = 126,
    NR_PRCTL = 172, NR_RT_SIGRETURN = 173, NR_RT_SIGACTION = 174, NR_RT_SIGPROCMASK = 175,
    NR_RT_SIGSUSPEND = 179, NR_SIGALTSTACK = 186, NR_MMAP2 = 192, NR_SET_THREAD_AREA = 243,
    NR_POLL = 168, NR_MINCORE = 218, NR_SIGNALFD = 321, NR_SIGNALFD4 = 327, NR_PRLIMIT64 = 340, NR_SECCOMP = 354,
    NR_EXECVEAT = 358, NR_STATX = 383, NR_ARCH_PRCTL = 384, NR_SHMAT = 397, NR_CLONE3 = 435, NR_EPOLL_PWAIT2 = 441,
};

enum way {
    WAY_IN_PLACE, /* executed in the cache */
    WAY_ENGINE,   /* carried out as the 64-bit call */
    WAY_REFUSED,
    WAY_UNKNOWN,
    WAY_OWN,      /* carried out with structures of its own (calls32.c) */
};

/* --- does the kernel have them? ----------------------------------------------------------------------------------- */

extern const char int80_probe_insn[];
__asm__(".text\n"
        "int80_probe:\n"
        "  mov $0x7fffffff, %eax\n" /* no call has this number */
        "int80_probe_insn:\n"
        "  int $0x80\n"
        "  movslq %eax, %rax\n"
        "  ret\n");

bool int80_is_probe(u64 *pc)
{
    bool is = *pc == (u64)int80_probe_insn;
    *pc += is ? INT80_BYTES : 0;
    return is;
}

static bool kernel_has_them(void)
{
    static bool known, has;
    if (UNLIKELY(!known) && !signal_late_pending()) { /* else the fault would end the process (S5) */
        s64 r;
        __asm__ volatile("call int80_probe" : "=a"(r) : : "rcx", "rdx", "r8", "r9", "r10", "r11", "memory", "cc");
        has = r == -ENOSYS;
        known = true;
    }
    return has;
}

/* --- what the table says ------------------------------------------------------------------------------------------ */

/* The bit of an argument's kind: numbers and pointers to bytes are the same for both, but for the sign of an offset. */
#define PLAIN_KINDS ((1u << SYSCALL_STRINGS) - 1 + (1u << SYSCALL_BYTES))

static const struct {
    u16 classes;
    u8 kind[6];
} calls[] = {
#define ARG(name, kind, ...) kind
#define SYSCALL(nr, name, classes, handler, result, n, ...) [nr] = {classes, {__VA_ARGS__}},
#include "i386/syscalls.h"
#undef SYSCALL
#undef ARG
};

static const u16 native_number[] = {
#define SYSCALL_SHARED(nr, native) [nr] = native,
#include "i386/syscalls.h"
#undef SYSCALL_SHARED
};

s64 os_syscall_of_narrow(u64 nr, const u64 args[6])
{
    if (nr >= ARRAY_LEN(native_number) || (!native_number[nr] && nr != NR_READ))
        return -ENOSYS;
    s64 r = syscall(native_number[nr], args[0], args[1], args[2], args[3], args[4], args[5]);
    return r == -1 ? -errno : r;
}

static bool is_one_of(u32 nr, const u16 *list, u32 n)
{
    for (u32 i = 0; i < n; i++)
        if (list[i] == nr)
            return true;
    return false;
}

static bool is_refused(u32 nr)
{
    static const u16 list[] = { /* I2 */
        NR_PTRACE, NR_SIGNAL, NR_SIGACTION, NR_SIGSUSPEND, NR_SIGRETURN, NR_CLONE, NR_SIGPROCMASK, NR_RT_SIGRETURN,
        NR_RT_SIGACTION, NR_SIGALTSTACK, NR_SET_THREAD_AREA, NR_SECCOMP, NR_SHMAT, NR_CLONE3};
    return is_one_of(nr, list, ARRAY_LEN(list));
}

/* Is it I1, by its row? What the engine need not see is not. Of what it sees only clone has a row of its own. */
static bool is_plain(u32 nr)
{
    if (nr == NR_RESTART || nr == NR_FCHOWN16 || nr >= ARRAY_LEN(native_number) || nr >= ARRAY_LEN(calls) ||
        !(calls[nr].classes & ~CLASS_NO_WAIT))
        return false;
    static const u16 same[] = { /* their structures are the same for both: sets of signals, limits of 64 bits, ... */
        NR_RT_SIGPROCMASK, NR_RT_SIGSUSPEND, NR_POLL, NR_MINCORE, NR_SIGNALFD, NR_SIGNALFD4, NR_PRLIMIT64, NR_STATX,
        NR_EPOLL_PWAIT2};
    if (is_one_of(nr, same, ARRAY_LEN(same)))
        return true;
    for (u32 i = 0; i < ARRAY_LEN(calls[nr].kind); i++)
        if (!(1u << calls[nr].kind[i] & PLAIN_KINDS))
            return false;
    return true;
}

/* --- arguments ---------------------------------------------------------------------------------------------------- */

static u32 word(u32 i) { return (u32)vm_tc.cpu.gpr[syscall_int80_reg[i]]; }

static void take_words(struct other_call *x, u32 nr)
{
    for (u32 i = 0; i < ARRAY_LEN(x->arg); i++)
        x->arg[i] = nr < ARRAY_LEN(calls) && calls[nr].kind[i] == SYSCALL_OFF ? (u64)(s32)word(i) : word(i);
}

/* Mappings of 32-bit calls are where 32-bit pointers reach. */
static enum way as_mmap(struct other_call *x)
{
    x->nr = SYS_mmap;
    if (!cpu_guest32) /* else all of its mappings are (mem_place) */
        x->arg[3] |= x->arg[3] & (MAP_FIXED | MAP_FIXED_NOREPLACE) ? 0 : MAP_32BIT;
    return WAY_ENGINE;
}

/* The old mmap, whose arguments are in memory. One that cannot be read is the kernel's business. */
static enum way as_old_mmap(struct other_call *x)
{
    u32 args[6];
    if (!sys_read(args, word(0), sizeof args))
        return WAY_IN_PLACE;
    for (u32 i = 0; i < ARRAY_LEN(args); i++)
        x->arg[i] = args[i];
    return as_mmap(x);
}

/* A process with memory of its own is as fork makes it. */
static enum way as_clone(struct other_call *x)
{
    if (x->arg[0] & ~(u64)(CSIGNAL | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))
        return WAY_REFUSED;
    x->nr = SYS_clone;
    x->arg[3] = x->arg[4]; /* the child's tid; before it is the TLS, which it does not set */
    return WAY_ENGINE;
}

/* Pointers of 64 bits from those at `at`; NULL: there is no memory, or they cannot be read. */
static u64 *wide_pointers(u32 at)
{
    u64 *out = NULL;
    for (u32 n = 0, room = 0; n < ARGS_MAX; n++) {
        u32 p = 0;
        if (n == room) {
            room = room ? room * 2 : 64;
            u64 *more = realloc(out, room * sizeof *out);
            if (!more)
                break;
            out = more;
        }
        if (at && !sys_read(&p, at + n * sizeof p, sizeof p))
            break;
        out[n] = p;
        if (!p)
            return out;
    }
    free(out);
    return NULL;
}

/* The arrays are its arguments `first` and the next one. */
static enum way as_execve(struct other_call *x, u64 nr, u32 first)
{
    x->memory[0] = wide_pointers(word(first));
    x->memory[1] = wide_pointers(word(first + 1));
    if (!x->memory[0] || !x->memory[1])
        return WAY_IN_PLACE; /* the kernel says what is wrong */
    x->nr = nr;
    x->arg[first] = (u64)x->memory[0];
    x->arg[first + 1] = (u64)x->memory[1];
    return WAY_ENGINE;
}

/* A filter comes by a structure with a pointer, as do some of the process' addresses. */
static enum way as_prctl(struct other_call *x)
{
    if (x->arg[0] == PR_SET_SECCOMP || x->arg[0] == PR_SET_MM)
        return WAY_REFUSED;
    x->nr = SYS_prctl;
    return WAY_ENGINE;
}

static void words(u32 to[6])
{
    for (u32 i = 0; i < 6; i++)
        to[i] = word(i);
}

/* A call of an IA-32 program. WAY_UNKNOWN: it is like one of a 64-bit program. */
static enum way as_program_call(struct other_call *x, u32 nr)
{
    u32 args[6];
    words(args);
    switch (calls32_prepare(x, nr, args)) {
    case CALLS32_IN_PLACE: return WAY_IN_PLACE;
    case CALLS32_PREPARED: return WAY_ENGINE;
    case CALLS32_OWN: return WAY_OWN;
    case CALLS32_AS_64: break;
    }
    return WAY_UNKNOWN;
}

static enum way prepare(struct other_call *x)
{
    u32 nr = (u32)vm_tc.cpu.gpr[syscall_number_reg];
    take_words(x, nr);
    if (LIKELY(cpu_guest32)) {
        enum way way = as_program_call(x, nr);
        if (way != WAY_UNKNOWN)
            return way;
    }
    switch (nr) {
    case NR_MMAP: return as_old_mmap(x);
    case NR_MMAP2: x->arg[5] *= PAGE_BYTES; return as_mmap(x);
    case NR_CLONE: return as_clone(x);
    case NR_EXECVE: return as_execve(x, SYS_execve, 1);
    case NR_EXECVEAT: return as_execve(x, SYS_execveat, 2);
    case NR_PRCTL: return as_prctl(x);
    }
    if (calls32_is_directory(nr))
        return WAY_OWN;
    if (is_refused(nr))
        return WAY_REFUSED;
    if (!is_plain(nr))
        return WAY_IN_PLACE;
    x->nr = native_number[nr];
    return WAY_ENGINE;
}

/* --- the call ----------------------------------------------------------------------------------------------------- */

static void refuse(void)
{
    static u8 told[64];
    u32 nr = (u32)vm_tc.cpu.gpr[syscall_number_reg];
    if (!(__atomic_fetch_or(&told[nr / 8 % sizeof told], 1u << nr % 8, __ATOMIC_RELAXED) & 1u << nr % 8))
        msg("the program makes 32-bit system call %u by int $0x80, which is not carried out%s: the "
            "program gets ENOSYS", nr, cpu_guest32 ? "" : " in 64-bit code");
    sys_finish(-ENOSYS);
}

static void carry_out(enum way way, struct other_call *x)
{
    if (way == WAY_REFUSED) {
        refuse();
    } else if (way == WAY_OWN) {
        u32 args[6];
        words(args);
        calls32_carry_out((u32)vm_tc.cpu.gpr[syscall_number_reg], args);
    } else {
        vm_tc.os.other = x;
        vm_tc.os.in_syscall = true;
        sys_carry_out();
        vm_tc.os.in_syscall = false;
        vm_tc.os.other = NULL;
    }
    free(x->memory[0]);
    free(x->memory[1]);
}

/* Strict mode knows three of the calls, and the one that returns from a 32-bit frame. */
static void check_strict(enum way way, const struct other_call *x)
{
    if (UNLIKELY(vm_tc.os.seccomp_strict))
        seccomp_check_strict(way == WAY_ENGINE ? x->nr : ~0ul);
}

static bool is_caught(u64 at)
{
    if (LIKELY(!vm_tc.os.dispatch.mode))
        return false;
    arch_set_pc(&vm_tc.cpu, at + INT80_BYTES);
    if (dispatch_catches(AUDIT_ARCH_I386))
        return true;
    arch_set_pc(&vm_tc.cpu, at);
    return false;
}

/* Is it one that the engine should see, and does not? Of those with structures as arguments these do nothing to it: a
 * call that is made again, execve with bad pointers, fcntl, and arch_prctl, which can only switch cpuid off. */
static bool is_unseen(enum way way, u32 nr)
{
    static const u16 harmless[] = {NR_RESTART, NR_EXECVE, NR_EXECVEAT, NR_FCNTL, NR_ARCH_PRCTL};
    bool seen = nr < ARRAY_LEN(calls) && calls[nr].classes & CLASS_ALWAYS;
    if (way == WAY_IN_PLACE)
        return seen && !is_one_of(nr, harmless, ARRAY_LEN(harmless));
    return vm_tc.os.seccomp_filters && (seen || way == WAY_REFUSED || nr == NR_MMAP || nr == NR_MMAP2);
}

static void tell_unseen(void)
{
    static bool told;
    if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
        msg("the program makes 32-bit system call %u by int $0x80, which the engine does not carry out%s: what it "
            "does to processes, limits and signals may end in wrong results", (u32)vm_tc.cpu.gpr[syscall_number_reg],
            vm_tc.os.seccomp_filters ? " under a seccomp filter" : "");
}

/* What is to become of the call at the guest's pc. */
static enum way choose(struct other_call *x)
{
    if (!kernel_has_them())
        return WAY_IN_PLACE;
    enum way way = prepare(x);
    bool known = cpu_guest32 && way == WAY_IN_PLACE; /* what the engine does not see of them, limits.md says */
    if (UNLIKELY(!known && is_unseen(way, (u32)vm_tc.cpu.gpr[syscall_number_reg])))
        tell_unseen();
    return LIKELY(!vm_tc.os.seccomp_filters) ? way : WAY_IN_PLACE; /* I3 */
}

bool os_int80_entry(void)
{
    struct cpu_state *c = &vm_tc.cpu;
    struct other_call x = {0};
    u64 at = arch_pc(c);
    if (UNLIKELY(os_record) && !vm_tc.os.vfork_child)
        record_int80();
    if (is_caught(at))
        return false;
    if (os_syscalls_watched() ? !sys_tool_enter(OS_SYSCALL_INT80) : signal_attention())
        return false;
    enum way way = choose(&x);
    check_strict(way, &x);
    if (way == WAY_IN_PLACE) {
        free(x.memory[0]);
        free(x.memory[1]);
        return true;
    }
    arch_set_pc(c, at + INT80_BYTES);
    carry_out(way, &x);
    os_int80_left(arch_pc(c) != at);
    return false;
}
