/* SPDX-License-Identifier: Apache-2.0
 * The table of system calls (src/os/linux/syscalls.tsv): its numbers against the kernel's headers, its sizes against the compiler's, its arguments against the table of the system call
 * fuzzer, which was written by itself and stays so. */
#include "unit.h"

#include "../fuzz/sys/sys.h"
#include "os/linux/sys.h"
#include "os/linux/syscall_info.h"

#include <linux/aio_abi.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/kexec.h>
#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <utime.h>

#define WORDS_MAX 6

struct arg {
    const char *name, *type;
    u8 kind, way, extent, count, flags;
    u16 bytes;
};
struct row {
    u32 nr;
    const char *name;
    u8 args;
    struct arg arg[WORDS_MAX];
};
#define ARG(name, kind, way, extent, count, flags, bytes, type) {#name, type, kind, way, extent, count, flags, bytes}
#define SYSCALL(nr, name, classes, handler, result, args, ...) {nr, #name, args, {__VA_ARGS__}},
static const struct row x86_64[] = {
#include "x86_64/syscalls.h"
};
static const struct row i386[] = {
#include "i386/syscalls.h"
};
static const struct row arm[] = {
#include "arm/syscalls.h"
};
static const struct row aarch64[] = {
#include "aarch64/syscalls.h"
};
static const struct row riscv64[] = {
#include "riscv64/syscalls.h"
};
#undef SYSCALL

#define TABLE(a) {#a, a, ARRAY_LEN(a)}
static const struct {
    const char *name;
    const struct row *rows;
    size_t n;
} tables[] = {TABLE(x86_64), TABLE(i386), TABLE(arm), TABLE(aarch64), TABLE(riscv64)};

struct number {
    const char *name;
    u32 nr;
};
#define UNISTD(name, nr) {#name, nr},
static const struct number unistd_64[] = {
#include "x86_64/numbers.h"
};
static const struct number unistd_32[] = {
#include "i386/numbers.h"
};

static const struct row *find(const struct row *rows, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    return NULL;
}

/* --- numbers ------------------------------------------------------------------------------------------------------ */

/* Every call of the header has its number in the table, and every call of the table up to the header's last is in the header; uretprobe was put into a gap later. */
static void compare_numbers(const struct row *rows, size_t n, const struct number *header, size_t known)
{
    u32 last = 0;
    assert_true(known > 300);
    for (size_t i = 0; i < known; i++) {
        const struct row *r = find(rows, n, header[i].name);
        if (!r || r->nr != header[i].nr)
            fail_msg("%s has number %u, in the table %d", header[i].name, header[i].nr, r ? (int)r->nr : -1);
        if (header[i].nr > last)
            last = header[i].nr;
    }
    size_t up_to = 0;
    for (size_t i = 0; i < n; i++)
        up_to += rows[i].nr <= last && strcmp(rows[i].name, "uretprobe");
    bool has_uretprobe = false;
    for (size_t i = 0; i < known; i++)
        has_uretprobe |= !strcmp(header[i].name, "uretprobe");
    assert_int_equal(up_to, known - has_uretprobe);
}

static void test_numbers(void **state)
{
    (void)state;
    compare_numbers(x86_64, ARRAY_LEN(x86_64), unistd_64, ARRAY_LEN(unistd_64));
    compare_numbers(i386, ARRAY_LEN(i386), unistd_32, ARRAY_LEN(unistd_32));
}

/* From 424 on a call has the same number everywhere. */
static void test_numbers_common(void **state)
{
    (void)state;
    for (size_t t = 1; t < ARRAY_LEN(tables); t++)
        for (size_t i = 0; i < tables[t].n; i++) {
            const struct row *r = &tables[t].rows[i], *other = find(x86_64, ARRAY_LEN(x86_64), r->name);
            if (r->nr >= 424 && r->nr < 0xf0000 && (!other || other->nr != r->nr))
                fail_msg("%s is %u on %s only", r->name, r->nr, tables[t].name);
        }
}

/* --- arguments ---------------------------------------------------------------------------------------------------- */

/* What counts is a number, and what holds a count is a pointer to 4 bytes that the call reads. */
static void test_counts(void **state)
{
    (void)state;
    for (size_t t = 0; t < ARRAY_LEN(tables); t++)
        for (size_t i = 0; i < tables[t].n; i++)
            for (u32 k = 0; k < tables[t].rows[i].args; k++) {
                const struct row *r = &tables[t].rows[i];
                const struct arg *a = &r->arg[k], *count = &r->arg[a->count];
                if (a->way && a->extent == SYSCALL_TIMES && count->kind > SYSCALL_OFF)
                    fail_msg("%s: %s is no number", r->name, count->name);
                if (a->way && a->extent == SYSCALL_AT && (count->bytes != 4 || !(count->way & SYSCALL_IN)))
                    fail_msg("%s: %s holds no number", r->name, count->name);
            }
}

#define SIZE(name, type) {name, sizeof(type)}
static const struct {
    const char *name;
    size_t bytes;
} sizes[] = {
    SIZE("int", int), SIZE("u16", uint16_t), SIZE("u64", u64), SIZE("long", long), SIZE("timespec", struct timespec), SIZE("timespec64", struct timespec), SIZE("timeval", struct timeval),
    SIZE("timezone", struct timezone), SIZE("itimerval", struct itimerval), SIZE("itimerspec", struct itimerspec), SIZE("utimbuf", struct utimbuf), SIZE("timex", struct timex),
    SIZE("tms", struct tms), SIZE("stat", struct stat), SIZE("statfs", struct statfs), SIZE("statx", struct statx), SIZE("pollfd", struct pollfd),
    SIZE("epoll_event", struct epoll_event), SIZE("io_event", struct io_event), SIZE("iocb", struct iocb), SIZE("iovec", struct iovec), SIZE("msghdr", struct msghdr),
    SIZE("mmsghdr", struct mmsghdr), SIZE("siginfo", siginfo_t), SIZE("stack_t", stack_t), SIZE("sigevent", struct sigevent), SIZE("rusage", struct rusage),
    SIZE("rlimit", struct rlimit), SIZE("rlimit64", struct rlimit), SIZE("sysinfo", struct sysinfo), SIZE("utsname", struct utsname),
    SIZE("cap_header", struct __user_cap_header_struct), SIZE("cap_data", struct __user_cap_data_struct), SIZE("sembuf", struct sembuf), SIZE("mq_attr", struct mq_attr),
    SIZE("kexec_segment", struct kexec_segment), SIZE("io_uring_params", struct io_uring_params), SIZE("futex_waitv", struct futex_waitv),
};

static size_t size_of(const char *type)
{
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
        if (!strcmp(sizes[i].name, type))
            return sizes[i].bytes;
    return 0;
}

/* On the machine that the test runs on. An array of a fixed length has a multiple. */
static void test_sizes(void **state)
{
    (void)state;
    u32 compared = 0;
    for (size_t i = 0; i < ARRAY_LEN(x86_64); i++)
        for (u32 k = 0; k < x86_64[i].args; k++) {
            const struct arg *a = &x86_64[i].arg[k];
            size_t bytes = a->way ? size_of(a->type) : 0;
            compared += bytes != 0;
            if (bytes && a->bytes != bytes && (a->extent != SYSCALL_ONE || a->bytes != 2 * bytes))
                fail_msg("%s: %s of %u bytes, not %zu", x86_64[i].name, a->type, a->bytes, bytes);
        }
    assert_true(compared > 150);
}

/* --- against the fuzzer's table ----------------------------------------------------------------------------------- */

static bool is_number(const struct arg *a) { return !a->way && a->kind <= SYSCALL_SINK; }
static bool is_fd(const struct arg *a) { return a->kind == SYSCALL_FD || a->kind == SYSCALL_SOURCE || a->kind == SYSCALL_SINK; }

/* Does the fuzzer make an argument of the kind that the table names? */
static bool fits(u64 fuzz, const struct arg *a)
{
    switch (fuzz & 0xff) {
    case K_NONE: case K_RAND: return true; /* always 0, or anything */
    case K_INT: case K_ENUM: return is_number(a) || a->kind == SYSCALL_ANY;
    case K_FLAGS: return is_number(a) && !is_fd(a);
    case K_LEN: case K_BYTES: case K_SETSIZE: return a->kind <= SYSCALL_OFF;
    case K_OFFSET: return a->kind == SYSCALL_OFF || a->kind == SYSCALL_SIZE || a->kind == SYSCALL_WORD;
    case K_FD: case K_DIRFD: return is_fd(a) || a->kind == SYSCALL_ANY;
    case K_PID: return a->kind == SYSCALL_PID;
    case K_SIG: return a->kind == SYSCALL_SIG;
    case K_CLOCK: return a->kind == SYSCALL_INT;
    case K_PROT: case K_MAPFLAGS: case K_CLONE_FLAGS: return a->kind == SYSCALL_FLAGS;
    case K_ADDR: case K_BREAK: case K_CLONE_STACK: return a->kind == SYSCALL_ADDR;
    case K_PATH: case K_SELFPATH: return a->kind == SYSCALL_PATH;
    case K_STRING: return a->kind == SYSCALL_STRING || a->kind == SYSCALL_ANY;
    case K_ARGV: return a->kind == SYSCALL_STRINGS;
    case K_OUT: case K_WORD: return (a->way & SYSCALL_OUT) != 0;
    case K_IN: case K_ACTION: case K_ALTSTACK: case K_SIGSET: case K_TIMEOUT: case K_ITIMER: case K_SOCKADDR: case K_EPOLL_EVENT: case K_RLIMIT: case K_CLONE_ARGS: case K_OPEN_HOW:
    case K_SIGINFO: case K_POLLFDS: case K_SIGEVENT: case K_FLOCK: case K_MASK_PAIR: return (a->way & SYSCALL_IN) != 0;
    case K_IOVEC: return a->kind == SYSCALL_IOVEC;
    case K_MSG: return a->kind == SYSCALL_MSGHDR || a->kind == SYSCALL_MMSGHDR;
    case K_TLS: return a->kind == SYSCALL_WORD || a->kind == SYSCALL_ANY;
    }
    return false;
}

/* Where both are right in their own way. */
static const struct {
    const char *call;
    u32 arg;
    const char *why;
} allowed[] = {
    {"close_range", 0, "a bound, not a descriptor"}, {"close_range", 1, "a bound, not a descriptor"},
    {"kcmp", 3, "a descriptor for one type only"}, {"kcmp", 4, "a descriptor for one type only"},
    {"keyctl", 3, "a length for some operations only"},
    {"set_tid_address", 0, "written when the thread has ended"}, {"set_robust_list", 0, "read when the thread has ended"},
    {"nfsservctl", 0, "only the number is left of it"},
};

static bool is_allowed(const char *call, u32 arg)
{
    for (size_t i = 0; i < ARRAY_LEN(allowed); i++)
        if (!strcmp(allowed[i].call, call) && allowed[i].arg == arg)
            return true;
    return false;
}

static u32 compare_call(const struct call_info *f)
{
    const struct row *r = find(x86_64, ARRAY_LEN(x86_64), f->name);
    u32 differences = 0;
    if (!r || r->nr != f->nr)
        fail_msg("%s is %u for the fuzzer", f->name, f->nr);
    for (u32 k = 0; k < WORDS_MAX; k++) {
        bool fine = k < r->args ? fits(f->arg[k], &r->arg[k]) : (f->arg[k] & 0xff) <= K_RAND;
        if (fine || is_allowed(f->name, k))
            continue;
        print_error("%s, argument %u: kind %u of the fuzzer, kind %u of the table\n", f->name, k, (u32)f->arg[k] & 0xff, r->arg[k].kind);
        differences++;
    }
    return differences;
}

static void test_fuzzer_arguments(void **state)
{
    (void)state;
    u32 differences = 0;
    for (u32 i = 0; i < calls_known; i++)
        differences += compare_call(&call_table[i]);
    assert_int_equal(differences, 0);
}

/* What an exception is about must be there, and be a difference. */
static void test_fuzzer_exceptions(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(allowed); i++) {
        const struct row *r = find(x86_64, ARRAY_LEN(x86_64), allowed[i].call);
        bool differs = false;
        for (u32 k = 0; k < calls_known; k++)
            if (!strcmp(call_table[k].name, allowed[i].call))
                differs |= allowed[i].arg >= r->args || !fits(call_table[k].arg[allowed[i].arg], &r->arg[allowed[i].arg]);
        if (!differs)
            fail_msg("%s, argument %u: no difference any more (%s)", allowed[i].call, allowed[i].arg, allowed[i].why);
    }
}

/* As the head of sys_table.c has it, and why. */
static const char *const left_out[] = {
    "rt_sigreturn", "pause", "rt_sigsuspend", "sync", "vhangup", "reboot", "request_key", "ustat", "ptrace", "rseq", "sched_setscheduler", "sched_setattr", "modify_ldt", "setns",
};
#define FUZZER_LAST 450 /* its numbers are those of the headers of Linux 6.1; it makes later calls with any arguments */

/* A call with arguments is known to the fuzzer or left out. */
static void test_fuzzer_knows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(x86_64); i++) {
        bool known = !x86_64[i].args || x86_64[i].nr > FUZZER_LAST;
        for (u32 k = 0; k < calls_known && !known; k++)
            known = call_table[k].nr == x86_64[i].nr;
        for (u32 k = 0; k < ARRAY_LEN(left_out) && !known; k++)
            known = !strcmp(left_out[k], x86_64[i].name);
        if (!known)
            fail_msg("the fuzzer does not know %s", x86_64[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_numbers_common), cmocka_unit_test(test_counts), cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_fuzzer_arguments), cmocka_unit_test(test_fuzzer_exceptions), cmocka_unit_test(test_fuzzer_knows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
