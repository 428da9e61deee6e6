/* SPDX-License-Identifier: Apache-2.0
 * System calls of a program that is recorded or replayed. Recorded: the call is carried out as ever, and what it has
 * given and written is written down, by the table of all calls (syscalls.tsv); more than it has written does no harm.
 * What cannot be recorded is refused (RP4). Replayed: only calls that concern the program's own mappings, signals and
 * registers are carried out, and nothing that others would notice. On the guest's thread, no lock held. */
#include "os/linux/record/record.h"

#include "arch/arch.h"
#include "base/options.h"
#include "os/events.h"
#include "os/linux/sys.h"
#include "os/thread.h"

#include <errno.h>
#include <linux/sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PATH_SHOWN 256

/* How a call is recorded, beside what the table says it writes. */
enum policy {
    PLAIN,
    OWN,     /* carried out when replayed, too: it concerns the engine's picture of the program */
    MAPS,    /* changes mappings */
    ABSENT,  /* the program is told that there is no such call: the kernel would write memory at any time */
    REFUSED, /* the recording ends with a message */
    FORKS,
    ENDS,
    EXECUTES,
    IOCTL,
    THREAD_OR_FORK,
};

static const u8 policies[] = {
    [SYS_rt_sigaction] = OWN,
    [SYS_rt_sigprocmask] = OWN,
    [SYS_rt_sigreturn] = OWN,
    [SYS_sigaltstack] = OWN,
    [SYS_arch_prctl] = OWN,
    [SYS_mmap] = MAPS,
    [SYS_munmap] = MAPS,
    [SYS_mprotect] = MAPS,
    [SYS_mremap] = MAPS,
    [SYS_brk] = MAPS,
    [SYS_madvise] = MAPS,
    [SYS_pkey_mprotect] = REFUSED,
    [SYS_io_uring_setup] = ABSENT,
    [SYS_io_setup] = ABSENT,
    [SYS_userfaultfd] = ABSENT,
    [SYS_perf_event_open] = ABSENT,
    [SYS_rseq] = ABSENT,
    [SYS_bpf] = ABSENT,
    [SYS_memfd_secret] = ABSENT,
    [SYS_shmat] = REFUSED,
    [SYS_remap_file_pages] = REFUSED,
    [SYS_ptrace] = REFUSED,
    [SYS_modify_ldt] = REFUSED,
    [SYS_process_vm_writev] = REFUSED,
    [SYS_fork] = FORKS,
    [SYS_vfork] = FORKS,
    [SYS_clone] = THREAD_OR_FORK,
    [SYS_clone3] = THREAD_OR_FORK,
    [SYS_exit] = ENDS,
    [SYS_exit_group] = ENDS,
    [SYS_execve] = EXECUTES,
    [SYS_execveat] = EXECUTES,
    [SYS_ioctl] = IOCTL,
};

static enum policy policy_of(u64 nr) { return nr < ARRAY_LEN(policies) ? policies[nr] : PLAIN; }

/* --- messages ----------------------------------------------------------------------------------------------------- */

static void refuse(const char *fmt, ...) PRINTF_LIKE(1, 2) NORETURN;
static void refuse(const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    base_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    struct record_end end = {.why = END_REFUSED};
    record_log_put(REC_END, record_ticks(), arch_pc(&vm_tc.cpu), 0, &end, sizeof end);
    record_log_finish();
    die(1, "record: %s at 0x%lx: this cannot be recorded; the recording ends here, and can be replayed up to here",
        text, arch_pc(&vm_tc.cpu));
}

static const char *const event_names[] = {
    [REC_CALL] = "a system call",
    [REC_SIGNAL] = "a signal",
    [REC_FAULT] = "a fault",
    [REC_CHANCE] = "an instruction whose result the machine chooses",
    [REC_CHECK] = "a check of the registers",
    [REC_END] = "the end",
};

void replay_diverged(const struct event *e, const char *fmt, ...)
{
    char text[512], call[64] = "";
    va_list ap;
    va_start(ap, fmt);
    base_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    const char *name = e->type < ARRAY_LEN(event_names) && event_names[e->type] ? event_names[e->type] : "?";
    if (e->type == REC_CALL)
        base_format(call, sizeof call, " (number %lu)", ((const struct record_call *)e->body)->nr);
    os_record = OS_RECORD_OFF;
    die(1,
        "replay: the run differs from the recording: %s; it is at 0x%lx, tick %lu. The recording has there: %s%s at "
        "0x%lx, "
        "tick %lu (%s)",
        text, arch_pc(&vm_tc.cpu), record_ticks(), name, call, e->place, e->ticks, record_log_where());
}

const struct event *replay_peek(void)
{
    const struct event *e = record_log_peek();
    bool refused = e && e->type == REC_END && ((const struct record_end *)e->body)->why == END_REFUSED;
    if (LIKELY(e != NULL && !refused))
        return e;
    os_record = OS_RECORD_OFF;
    if (refused) {
        msg("replay: the program was about to do what cannot be recorded, at 0x%lx, tick %lu: the run ends", e->place,
            e->ticks);
        os_process_exit(0);
    }
    msg("replay: the recording was cut off here, at 0x%lx, tick %lu: the run ends", arch_pc(&vm_tc.cpu),
        record_ticks());
    os_process_exit(0);
}

const struct event *replay_expect(u32 type, const char *what)
{
    const struct event *e = replay_peek();
    if (e->type != type || e->ticks != record_ticks())
        replay_diverged(e, "the program %s", what);
    return e;
}

/* --- recording ---------------------------------------------------------------------------------------------------- */

static void put_memory(void *arg, u64 addr, u64 bytes)
{
    (void)arg;
    if (addr >= PAGE_BYTES && addr + bytes > addr)
        record_log_memory(addr, bytes);
}

/* What the table does not know of. */
static void put_more(u64 nr, const u64 *arg, s64 result)
{
    struct clone_args a = {0};
    if (nr == SYS_futex) {
        put_memory(NULL, arg[0] & ~3ul, sizeof(u32));
        put_memory(NULL, arg[4] & ~3ul, sizeof(u32));
    } else if (nr == SYS_clone3 && result > 0 && sys_read(&a, arg[0], 64)) {
        put_memory(NULL, a.flags & CLONE_PARENT_SETTID ? a.parent_tid : 0, sizeof(int));
        put_memory(NULL, a.flags & CLONE_PIDFD ? a.pidfd : 0, sizeof(int));
    }
}

static u32 stream_of(u64 nr, u64 fd)
{
    switch (nr) {
    case SYS_write:
    case SYS_writev:
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_pwritev2:
        return os_stream_is(&record_stdout, (int)fd)   ? CALL_TO_STDOUT
               : os_stream_is(&record_stderr, (int)fd) ? CALL_TO_STDERR
                                                       : 0;
    }
    return 0;
}

static void put_call(struct record_call *c, u64 pc, s64 result, u32 extra)
{
    struct {
        struct record_call c;
        char name[RECORD_NAME_BYTES];
    } body = {.c = *c};
    size_t bytes = sizeof *c;
    body.c.result = (u64)result;
    if (c->nr == SYS_mmap && result > 0 && record_map_names(&body.c, body.name)) {
        extra |= CALL_OF_FILE;
        bytes += strlen(body.name) + 1;
    }
    record_log_put(REC_CALL, record_ticks(), pc, extra, &body, bytes);
    output_each(c->nr, result, put_memory, NULL);
    put_more(c->nr, c->arg, result);
    record_direct = true;
}

static void check_ioctl(u64 cmd)
{
    switch (cmd >> 8 & 0xff) {
    case 'T':
    case 'f':
    case 0x94:
    case 0x89:
    case 'V':
    case 'X': return;
    }
    if (cmd >> 30 == 0 && (cmd >> 16 & 0x3fff) == 0)
        return; /* neither reads nor writes memory, by its number */
    refuse("ioctl 0x%lx", cmd);
}

static bool makes_thread(u64 nr, const u64 *arg)
{
    struct clone_args a = {0};
    u64 flags = arg[0];
    if (nr == SYS_clone3)
        flags = sys_read(&a, arg[0], sizeof a.flags) ? a.flags : 0;
    if (flags & CLONE_THREAD || (flags & (CLONE_VM | CLONE_VFORK)) == CLONE_VM)
        return true;
    return false;
}

static bool shares_memory(u64 nr, const u64 *arg)
{
    struct clone_args a = {0};
    u64 flags = nr == SYS_vfork ? CLONE_VM : nr == SYS_clone ? arg[0] : 0;
    if (nr == SYS_clone3)
        flags = sys_read(&a, arg[0], sizeof a.flags) ? a.flags : 0;
    return flags & CLONE_VM;
}

static int recorded_pid;

/* The child is not recorded; one of vfork changes its parent's memory. */
static void record_fork(struct record_call *c, u64 pc, void (*carry_out)(void))
{
    struct record_ticks_saved ticks = record_ticks_save();
    bool shares = shares_memory(c->nr, c->arg);
    if (!shares && record_map_written_shared())
        refuse("the program forks while it has shared memory that it may write to");
    recorded_pid = getpid();
    if (shares)
        record_compare_begin();
    carry_out();
    if (getpid() != recorded_pid) {
        os_record = OS_RECORD_OFF;
        record_log_forget();
        return;
    }
    record_ticks_restore(ticks);
    if (arch_pc(&vm_tc.cpu) == pc)
        put_call(c, pc, (s64)*arch_syscall_word(&vm_tc.cpu, WORD_RESULT), 0);
    if (shares)
        record_compare_end();
}

/* The program may be another one soon: what was recorded of this one is complete. If the call fails after all, more
 * follows. */
static void put_exec(u64 pc)
{
    struct record_end end = {.why = END_EXEC};
    record_log_put(REC_END, record_ticks(), pc, 0, &end, sizeof end);
}

static void record_call(void (*carry_out)(void))
{
    struct record_call c = {.nr = sys_nr(), .registers = record_registers()};
    u64 pc = arch_pc(&vm_tc.cpu);
    enum policy how = policy_of(c.nr);
    const char *why;
    sys_args(c.arg);
    if (record_holds_signal()) {
        record_signal_at_call();
        return;
    }
    switch (how) {
    case ABSENT:
        sys_finish(-ENOSYS);
        put_call(&c, pc, -ENOSYS, 0);
        return;
    case REFUSED: refuse("system call %lu", c.nr);
    case IOCTL: check_ioctl((u32)c.arg[1]); break;
    case THREAD_OR_FORK:
        if (makes_thread(c.nr, c.arg))
            refuse("the program makes a thread");
        record_fork(&c, pc, carry_out);
        return;
    case FORKS: record_fork(&c, pc, carry_out); return;
    case ENDS:
        put_call(&c, pc, 0, 0);
        carry_out();
        return;
    case EXECUTES: put_exec(pc); break;
    case MAPS:
        why = record_map_refused(&c);
        if (why)
            refuse("%s", why);
        record_map_before(&c);
        break;
    default: break;
    }
    u32 stream = stream_of(c.nr, c.arg[0]);
    carry_out();
    if (arch_pc(&vm_tc.cpu) != pc && c.nr != SYS_rt_sigreturn)
        return; /* a signal came first: the call will be made again */
    s64 result = (s64)*arch_syscall_word(&vm_tc.cpu, WORD_RESULT);
    if (c.nr == SYS_rt_sigreturn)
        result = 0;
    put_call(&c, pc, result, stream);
    if (how == MAPS)
        record_map_after(&c, result);
}

/* --- replaying ---------------------------------------------------------------------------------------------------- */

static bool write_bytes(u64 at, const void *from, size_t bytes)
{
    if (LIKELY(os_events.kernel_write != NULL)) /* not before there is a jit */
        os_events.kernel_write(at, at + bytes);
    return os_safe_copy((void *)at, from, bytes) == bytes;
}

static void write_memory(const struct event *e)
{
    static const u8 zero[PAGE_BYTES];
    if (e->type == REC_MEMORY && !write_bytes(e->place, e->body, e->bytes))
        replay_diverged(e, "0x%lx, which was written, cannot be written", e->place);
    for (u64 at = e->place, end = at + e->extra; e->type == REC_ZERO && at < end;) {
        size_t n = end - at < sizeof zero ? end - at : sizeof zero;
        if (!write_bytes(at, zero, n))
            replay_diverged(e, "0x%lx, which was written, cannot be written", at);
        at += n;
    }
}

void replay_memory(void)
{
    const struct event *e;
    while ((e = record_log_peek()) && (e->type == REC_MEMORY || e->type == REC_ZERO)) {
        write_memory(e);
        record_log_next();
    }
}

static void show(u64 fd, u64 addr, u64 bytes)
{
    u8 piece[4096];
    while (bytes) {
        size_t n = bytes < sizeof piece ? bytes : sizeof piece, got = os_safe_copy(piece, (void *)addr, n), at = 0;
        if (!got)
            return;
        while (at < got) {
            s64 w = arch_raw_syscall(SYS_write, fd, (u64)piece + at, got - at, 0, 0, 0);
            if (w <= 0 && w != -EINTR)
                return;
            at += w > 0 ? (size_t)w : 0;
        }
        addr += got;
        bytes -= got;
    }
}

/* How far the stack may grow is known to the kernel, which lets it grow. */
static void replay_limit(const struct record_call *c)
{
    struct rlimit limit;
    bool set = c->nr == SYS_setrlimit || (c->nr == SYS_prlimit64 && !c->arg[0]);
    u64 which = c->arg[c->nr == SYS_prlimit64], from = c->arg[c->nr == SYS_prlimit64 ? 2 : 1];
    if (set && !c->result && which == RLIMIT_STACK && from && sys_read(&limit, from, sizeof limit))
        arch_raw_syscall(SYS_prlimit64, 0, RLIMIT_STACK, (u64)&limit, 0, 0, 0);
}

/* -replay:show_output */
static void show_output(const struct record_call *c, u32 stream)
{
    u64 left = c->result, fd = stream == CALL_TO_STDERR ? 2 : 1;
    struct iovec v;
    if ((s64)c->result <= 0)
        return;
    if (c->nr == SYS_write || c->nr == SYS_pwrite64) {
        show(fd, c->arg[1], left);
        return;
    }
    for (u64 i = 0; i < c->arg[2] && left && sys_read(&v, c->arg[1] + i * sizeof v, sizeof v); i++) {
        u64 n = v.iov_len < left ? v.iov_len : left;
        show(fd, (u64)v.iov_base, n);
        left -= n;
    }
}

static void check_call(const struct event *e, const struct record_call *c, u64 pc)
{
    u64 arg[6];
    sys_args(arg);
    if (c->nr != sys_nr() || e->place != pc)
        replay_diverged(e, "the program makes system call %lu", sys_nr());
    for (int i = 0; i < 6; i++)
        if (arg[i] != c->arg[i])
            replay_diverged(e, "argument %d of system call %lu is 0x%lx and was 0x%lx", i, c->nr, arg[i], c->arg[i]);
    if (record_registers_whole() && c->registers != record_registers())
        replay_diverged(e, "at system call %lu the registers have other values", c->nr);
}

static void program_executes(const struct event *e) NORETURN;
static void program_executes(const struct event *e)
{
    os_record = OS_RECORD_OFF;
    msg("replay: the program executes another one at 0x%lx, tick %lu: the recording ends here", e->place, e->ticks);
    os_process_exit(0);
}

/* The recording says that the program was about to be another one, which may have failed. */
static const struct event *skip_exec(const struct event *e)
{
    struct event was = *e;
    if (e->type != REC_END)
        return e;
    record_log_next();
    e = record_log_peek();
    if (!e)
        program_executes(&was);
    return e;
}

static void replay_call(void (*carry_out)(void))
{
    struct {
        struct record_call c;
        char name[RECORD_NAME_BYTES];
    } body;
    u64 nr = sys_nr(), pc = arch_pc(&vm_tc.cpu);
    const struct event *e = replay_peek();
    if (e->type == REC_SIGNAL && e->extra == PLACE_AT_CALL && e->ticks == record_ticks()) {
        record_signal_at_call();
        return;
    }
    if (policy_of(nr) == EXECUTES)
        e = skip_exec(e);
    if (e->type != REC_CALL || e->ticks != record_ticks())
        replay_diverged(e, "the program makes system call %lu", nr);
    memcpy(&body, e->body, e->bytes < sizeof body ? e->bytes : sizeof body);
    u32 extra = e->extra;
    check_call(e, &body.c, pc);
    record_log_next();
    enum policy how = policy_of(nr);
    if (how == ENDS) {
        os_record = OS_RECORD_OFF;
        carry_out();
        return;
    }
    if (how == OWN) {
        carry_out();
        bool same = nr == SYS_rt_sigreturn || *arch_syscall_word(&vm_tc.cpu, WORD_RESULT) == body.c.result;
        if (!same)
            replay_diverged(e, "system call %lu gives 0x%lx", nr, *arch_syscall_word(&vm_tc.cpu, WORD_RESULT));
    } else {
        if (how == MAPS)
            replay_maps(&body.c, extra & CALL_OF_FILE ? body.name : "", extra & CALL_OF_FILE);
        replay_limit(&body.c);
        sys_finish((s64)body.c.result);
    }
    if (UNLIKELY(extra & (CALL_TO_STDOUT | CALL_TO_STDERR)) && options.show_output)
        show_output(&body.c, extra);
    replay_memory();
    if (how == MAPS)
        replay_maps_done();
    record_event_done();
}

void record_carry_out(void (*carry_out)(void))
{
    if (os_record == OS_RECORDS)
        record_call(carry_out);
    else
        replay_call(carry_out);
}

void record_int80(void)
{
    if (os_record == OS_RECORDS)
        refuse("the program makes a 32-bit system call");
    replay_diverged(replay_peek(), "the program makes a 32-bit system call");
}

void record_page_call(u32 nr, void (*make)(u32 nr))
{
    struct record_call c = {.nr = nr, .registers = record_registers()}, was;
    u64 pc = arch_pc(&vm_tc.cpu);
    for (u32 i = 0; i < 6; i++)
        c.arg[i] = *arch_syscall_word(&vm_tc.cpu, i);
    if (os_record == OS_RECORDS) {
        make(nr);
        put_call(&c, pc, (s64)*arch_syscall_word(&vm_tc.cpu, WORD_RESULT), 0);
        return;
    }
    const struct event *e = replay_expect(REC_CALL, "calls the page of the kernel's");
    memcpy(&was, e->body, sizeof was);
    if (was.nr != nr || e->place != pc || memcmp(was.arg, c.arg, sizeof c.arg) != 0)
        replay_diverged(e, "the program calls the page of the kernel's for system call %u", nr);
    *arch_syscall_word(&vm_tc.cpu, WORD_RESULT) = was.result;
    record_log_next();
    replay_memory();
    record_event_done();
}
