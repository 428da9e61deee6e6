/* SPDX-License-Identifier: Apache-2.0
 * See native_thread.h: finds the calling thread's identity, or gives it one. It must not touch a vector register,
 * because the guest's are still in them, nor the TLS register, which is the guest's, too. The compiler is told so in
 * src/arch/x86/build.mk. */
#include "os/linux/native_thread.h"

#include "arch/arch.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* A loop stays a loop, and does not become a call of memset. clang is told by the command line. */
#ifndef __clang__
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

#ifndef PR_GET_TID_ADDRESS
#define PR_GET_TID_ADDRESS 40
#endif
#define TID_NEAR 4096u         /* so far from the TLS register the tid may be */
#define TID_WORDS 256u
#define STACK_ROOM (100ul << 20) /* the first thread's stack grows: so much of it is its own */
#define STRAYS 64u             /* a thread that is met elsewhere so often has another stack now */
#define LOOKED_AT 16u
#define MAPS_BYTES 4096u

struct native_thread *native_table[NATIVE_TABLE];
struct native_thread *native_threads, *native_spare;
u32 native_pid, native_told_pid;
struct native_page *native_page;
u8 native_stack[NATIVE_STACK_BYTES] __attribute__((aligned(64)));

static char maps[MAPS_BYTES]; /* under native_page->lock */
static u32 words[TID_WORDS];

static s64 raw(u64 nr, u64 a, u64 b, u64 c) { return arch_raw_syscall(nr, a, b, c, 0, 0, 0); }

/* --- the table: assembly computes the same ------------------------------------------------------------------------ */

static u32 place_of(u64 tls) { return ((u32)(tls >> 12) * 0x9e3779b1u) >> 20; }

static void enter(struct native_thread *t, u64 tls)
{
    if (native_table[place_of(t->guest_tls)] == t)
        native_table[place_of(t->guest_tls)] = NULL;
    t->guest_tls = tls;
    native_table[place_of(tls)] = t;
}

/* --- the stack ---------------------------------------------------------------------------------------------------- */

static u64 hex(const char **p)
{
    u64 v = 0;
    for (;; (*p)++) {
        char c = **p;
        if (c >= '0' && c <= '9')
            v = v << 4 | (u64)(c - '0');
        else if (c >= 'a' && c <= 'f')
            v = v << 4 | (u64)(c - 'a' + 10);
        else
            return v;
    }
}

/* True: the line is that of the area that holds sp. */
static bool take_line(struct native_thread *t, const char *line, const char *end, u64 sp)
{
    const char *p = line;
    u64 low = hex(&p);
    p++;
    u64 high = hex(&p);
    if (sp < low || sp >= high)
        return false;
    bool first = end - line > 7 && end[-1] == ']' && end[-2] == 'k' && end[-3] == 'c'; /* [stack] */
    t->low = first && high - low < STACK_ROOM ? high - STACK_ROOM : low;
    t->high = high;
    return true;
}

/* Looks at the whole lines in maps[0..n); returns how many bytes they are. done: found. */
static u32 take_lines(struct native_thread *t, u32 n, u64 sp, bool *done)
{
    u32 start = 0;
    for (u32 i = 0; i < n && !*done; i++)
        if (maps[i] == '\n') {
            *done = take_line(t, maps + start, maps + i, sp);
            start = i + 1;
        }
    return start;
}

static void find_stack(struct native_thread *t, u64 sp)
{
    s64 fd = raw(SYS_open, (u64)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
    u32 have = 0;
    bool done = false;
    t->low = t->high = 0;
    while (fd >= 0 && !done) {
        s64 n = raw(SYS_read, (u64)fd, (u64)maps + have, sizeof maps - have);
        if (n <= 0)
            break;
        have += (u32)n;
        u32 used = take_lines(t, have, sp, &done);
        if (!used && have == sizeof maps)
            used = have; /* a line that is too long: none of a stack */
        for (u32 i = used; i < have; i++)
            maps[i - used] = maps[i];
        have -= used;
    }
    if (fd >= 0)
        raw(SYS_close, (u64)fd, 0, 0);
}

/* --- the tid in the program's own descriptor ---------------------------------------------------------------------- */

static void find_tid_word(struct native_thread *t, u64 tls)
{
    u64 at = 0;
    t->tid_word = NULL;
    if (!tls)
        return;
    struct iovec local = {words, sizeof words}, remote = {(void *)tls, sizeof words};
    s64 n = arch_raw_syscall(SYS_process_vm_readv, (u64)raw(SYS_getpid, 0, 0, 0), (u64)&local, 1, (u64)&remote, 1, 0);
    raw(SYS_prctl, PR_GET_TID_ADDRESS, (u64)&at, 0);
    for (s64 i = 0; i < n / 4; i++)
        if (words[i] == t->tid && (at - tls >= TID_NEAR || at == tls + (u64)i * 4)) {
            t->tid_word = (const u32 *)tls + i;
            return;
        }
}

/* --- who is it? --------------------------------------------------------------------------------------------------- */

static struct native_thread *by_tid(u32 tid)
{
    struct native_thread *t = native_threads;
    while (t && t->tid != tid)
        t = t->next;
    return t;
}

static struct native_thread *by_tls(u64 tls, u64 sp)
{
    struct native_thread *found = NULL;
    for (struct native_thread *t = native_threads; t; t = t->next)
        if (t->tid && t->guest_tls == tls && (!found || (sp >= t->low && sp < t->high)))
            found = t;
    return found;
}

/* In a child of fork: the one thread that there is is the one that has forked. */
static struct native_thread *after_fork(u32 tid, u64 tls, u64 sp)
{
    struct native_thread *self = by_tls(tls, sp);
    native_page->own = 1;
    for (struct native_thread *t = native_threads; t; t = t->next)
        if (t != self) {
            t->tid = 0;
            enter(t, 0);
        }
    if (self) {
        self->tid = tid;
        self->tid_word = NULL;
        self->visitor = 0;
    }
    return self;
}

/* One whose thread has ended. Not all are asked each time. */
static struct native_thread *left_behind(void)
{
    static struct native_thread *at;
    for (u32 i = 0; i < LOOKED_AT; i++) {
        at = at && at->next ? at->next : native_threads;
        if (!at)
            return NULL;
        bool ended = !at->tid || raw(SYS_tgkill, native_pid, at->tid, 0) < 0;
        if (at->donor.thread && ended && at->change == NATIVE_SETTLED)
            return at;
    }
    return NULL;
}

static struct native_thread *newcomer(u32 tid)
{
    struct native_thread *t = left_behind();
    if (t) {
        t->change = NATIVE_TAKEN_OVER;
    } else if ((t = native_spare)) {
        native_spare = NULL;
        t->change = NATIVE_FRESH;
        t->next = native_threads;
        native_threads = t;
    } else {
        return NULL;
    }
    t->tid = tid;
    t->visitor = t->strays = 0;
    t->low = t->high = 0;
    return t;
}

struct native_thread *native_find(u64 tls, u64 sp)
{
    u32 tid = (u32)raw(SYS_gettid, 0, 0, 0), pid = (u32)raw(SYS_getpid, 0, 0, 0);
    struct native_thread *t = pid == native_pid ? by_tid(tid) : NULL;
    if (pid != native_pid && native_page->own) { /* another process in this memory */
        t = by_tls(tls, sp);
        if (t) {
            t->visitor = tid;
            return t;
        }
        t = by_tid(tid);
    } else if (pid != native_pid) {
        native_pid = pid;
        t = after_fork(tid, tls, sp);
    }
    if (!t && !(t = newcomer(tid)))
        return NULL;
    t->visitor = 0;
    if (t->guest_tls != tls || native_table[place_of(tls)] != t || !t->tid_word || *t->tid_word != tid) {
        enter(t, tls);
        find_tid_word(t, tls);
    }
    if (!t->high || ((sp < t->low || sp >= t->high) && ++t->strays % STRAYS == 0))
        find_stack(t, sp);
    return t;
}
