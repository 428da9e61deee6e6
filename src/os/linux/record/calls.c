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
#include <linux/futex.h>
#include <linux/sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
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
    [REC_TURN] = "another thread's turn",
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
        record_log_written(addr, bytes);
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
        put_memory(NULL, a.flags & CLONE_CHILD_SETTID ? a.child_tid : 0, sizeof(int));
        put_memory(NULL, a.flags & CLONE_PIDFD ? a.pidfd : 0, sizeof(int));
    }
}

static u32 look_for_stream(u64 fd)
{
    return os_stream_is(&record_stdout, (int)fd)   ? CALL_TO_STDOUT
           : os_stream_is(&record_stderr, (int)fd) ? CALL_TO_STDERR
                                                   : 0;
}

/* What is known of the first descriptors, until a call may have changed them. */
static struct {
    u64 looked; /* a bit for each */
    u8 is[64];
} streams;

static bool keeps_descriptors(u64 nr)
{
    switch (nr) {
    case SYS_read:
    case SYS_pread64:
    case SYS_lseek:
    case SYS_fstat:
    case SYS_clock_gettime:
    case SYS_gettimeofday:
    case SYS_brk: return !record_many; /* another thread may be in another call */
    default: return false;
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
        if (fd >= ARRAY_LEN(streams.is) || record_many)
            return look_for_stream(fd);
        if (!(streams.looked >> fd & 1))
            streams.is[fd] = (u8)look_for_stream(fd);
        streams.looked |= 1ul << fd;
        return streams.is[fd];
    }
    if (!keeps_descriptors(nr))
        streams.looked = 0;
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
    vm_tc.os.record.direct = true;
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

static u64 clone_flags(u64 nr, const u64 *arg)
{
    struct clone_args a = {0};
    switch (nr) {
    case SYS_vfork: return CLONE_VM | CLONE_VFORK;
    case SYS_clone: return arg[0];
    case SYS_clone3: return sys_read(&a, arg[0], sizeof a.flags) ? a.flags : 0;
    default: return 0;
    }
}

/* What the kernel writes of the new thread's it writes before the call returns. */
static void record_new_thread(struct record_call *c, u64 pc, void (*carry_out)(void))
{
    record_turn_begin();
    carry_out();
    if (arch_pc(&vm_tc.cpu) == pc)
        put_call(c, pc, (s64)*arch_syscall_word(&vm_tc.cpu, WORD_RESULT), 0);
}

/* The end of the thread, or of the process. No signal comes before it any more. */
static void record_exit(struct record_call *c, u64 pc, void (*carry_out)(void))
{
    if (signal_defer_syscall())
        return;
    put_call(c, pc, 0, 0);
    carry_out();
}

static int recorded_pid;

/* The child is not recorded; one of vfork changes its parent's memory. */
static void record_fork(struct record_call *c, u64 pc, void (*carry_out)(void))
{
    struct record_ticks_saved ticks = record_ticks_save();
    bool shares = clone_flags(c->nr, c->arg) & CLONE_VM;
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

/* The kernel would write the word of a lock that inherits priorities while another thread has the turn. */
static bool futex_waits(const struct record_call *c)
{
    u32 word;
    switch (c->arg[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET: return true;
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
        if (sys_read(&word, c->arg[0], sizeof word) && word & FUTEX_TID_MASK)
            refuse("the program waits for a lock that inherits priorities");
        return false;
    case FUTEX_WAIT_REQUEUE_PI: refuse("the program waits for a lock that inherits priorities");
    default: return false;
    }
}

static bool is_file(u64 fd)
{
    struct stat st;
    return !fstat((int)fd, &st) && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

/* May the call wait for somebody, perhaps for another thread? */
static bool may_wait(const struct record_call *c, enum policy how)
{
    if (!record_many || (how != PLAIN && how != IOCTL))
        return false;
    switch (c->nr) {
    case SYS_sched_yield: return true;
    case SYS_futex: return futex_waits(c);
    case SYS_read:
    case SYS_write:
    case SYS_pread64:
    case SYS_pwrite64:
    case SYS_readv:
    case SYS_writev: return !is_file(c->arg[0]);
    default: return !sys_never_waits(c->nr);
    }
}

static void make_call(const struct record_call *c, enum policy how, void (*carry_out)(void))
{
    bool waits = may_wait(c, how);
    if (waits)
        record_turn_give(PLACE_AT_CALL);
    carry_out();
    if (!waits)
        return;
    record_turn_take();
    vm_tc.os.record.direct = false; /* the call is in between */
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
    record_turn_at_call();
    u32 stream = stream_of(c.nr, c.arg[0]);
    switch (how) {
    case ABSENT:
        sys_finish(-ENOSYS);
        put_call(&c, pc, -ENOSYS, 0);
        return;
    case REFUSED: refuse("system call %lu", c.nr);
    case IOCTL: check_ioctl((u32)c.arg[1]); break;
    case THREAD_OR_FORK:
        if (clone_flags(c.nr, c.arg) & CLONE_THREAD) {
            record_new_thread(&c, pc, carry_out);
            return;
        }
        if ((clone_flags(c.nr, c.arg) & (CLONE_VM | CLONE_VFORK)) == CLONE_VM)
            refuse("the program makes another process in its memory");
        record_fork(&c, pc, carry_out);
        return;
    case FORKS: record_fork(&c, pc, carry_out); return;
    case ENDS: record_exit(&c, pc, carry_out); return;
    case EXECUTES: put_exec(pc); break;
    case MAPS:
        why = record_map_refused(&c);
        if (why)
            refuse("%s", why);
        record_map_before(&c);
        break;
    default: break;
    }
    make_call(&c, how, carry_out);
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

static bool has_bytes(u64 at, const u8 *from, size_t bytes)
{
    u8 piece[256];
    size_t n;
    for (; bytes; at += n, from += n, bytes -= n) {
        n = bytes < sizeof piece ? bytes : sizeof piece;
        if (os_safe_copy(piece, (void *)at, n) != n || memcmp(piece, from, n) != 0)
            return false;
    }
    return true;
}

/* What was written down, and not written, is there already. */
static bool write_bytes(u64 at, const void *from, size_t bytes)
{
    if (LIKELY(os_events.kernel_write != NULL)) /* not before there is a jit */
        os_events.kernel_write(at, at + bytes);
    return os_safe_copy((void *)at, from, bytes) == bytes || has_bytes(at, from, bytes);
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

/* The recording says that the program was about to be another one, which has failed if more follows. */
static void skip_exec(const struct event *e)
{
    struct event was = *e;
    record_log_next();
    if (!record_log_peek())
        program_executes(&was);
}

/* Nothing but a request to stop can keep the call from being made, and that has time. */
static void carry_out_now(void (*carry_out)(void))
{
    signal_block_all();
    ASSERT(!signal_slot_full());
    carry_out();
}

static void replay_new_thread(const struct record_call *c, void (*carry_out)(void))
{
    record_turn_begin();
    carry_out_now(carry_out);
    s64 r = (s64)*arch_syscall_word(&vm_tc.cpu, WORD_RESULT);
    if (r < 0)
        die(1, "replay: a thread cannot be made: %s", strerror((int)-r));
    sys_finish((s64)c->result);
}

static bool gives_turn(const struct event *e)
{
    return e->type == REC_TURN && e->extra == PLACE_AT_CALL && e->ticks == record_ticks();
}

static void replay_call(void (*carry_out)(void))
{
    struct {
        struct record_call c;
        char name[RECORD_NAME_BYTES];
    } body;
    u64 nr = sys_nr(), pc = arch_pc(&vm_tc.cpu);
    const struct event *e = replay_peek();
    bool executes = policy_of(nr) == EXECUTES;
    for (; gives_turn(e) || (executes && e->type == REC_END); e = replay_peek())
        if (gives_turn(e))
            replay_turn_pass(e);
        else
            skip_exec(e);
    if (e->type == REC_SIGNAL && e->extra == PLACE_AT_CALL && e->ticks == record_ticks()) {
        record_signal_at_call();
        return;
    }
    if (e->type != REC_CALL || e->ticks != record_ticks())
        replay_diverged(e, "the program makes system call %lu", nr);
    memcpy(&body, e->body, e->bytes < sizeof body ? e->bytes : sizeof body);
    u32 extra = e->extra;
    check_call(e, &body.c, pc);
    record_log_next();
    enum policy how = policy_of(nr);
    if (how == ENDS) {
        if (nr == SYS_exit_group || thread_count() == 1)
            os_record = OS_RECORD_OFF;
        else
            replay_memory();
        carry_out_now(carry_out);
        return;
    }
    if (how == THREAD_OR_FORK && clone_flags(nr, body.c.arg) & CLONE_THREAD && (s64)body.c.result > 0) {
        replay_new_thread(&body.c, carry_out);
    } else if (how == OWN) {
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
