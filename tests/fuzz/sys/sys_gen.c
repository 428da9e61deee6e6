/* SPDX-License-Identifier: Apache-2.0
 * Arguments for a call, by the kinds that the table gives: mostly right, often half right. Structures are built in the buffers. Never makes the call. */
#include "sys.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define LENGTH(a) (sizeof(a) / sizeof(a)[0])
#define AT(addr, type) (*(type *)(addr))

u64 rnd(struct random *r)
{
    u64 z = r->state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

u64 rnd_below(struct random *r, u64 n)
{
    return n ? rnd(r) % n : 0;
}

bool rnd_chance(struct random *r, u32 percent)
{
    return rnd_below(r, 100) < percent;
}

/* --- plain values -------------------------------------------------------------------------------------------------- */

static u64 any_value(struct random *r)
{
    static const u64 special[] = {0, 1, 2, 7, 8, 255, 4095, 4096, 65535, 0x7fffffff, 0x80000000, 0xffffffff, 1ul << 32, 1ul << 47, (1ul << 47) - PAGE, 1ul << 63, ~0ul, ~0ul - 1,
                                  0xffff800000000000, 0xffffffff81000000, 0xffffffffff600000, 0x8000000000000000};
    switch (rnd_below(r, 4)) {
    case 0: return rnd(r);
    case 1: return rnd_below(r, 256);
    default: return special[rnd_below(r, LENGTH(special))];
    }
}

static u64 flags_value(struct random *r, u64 valid)
{
    u64 some = rnd(r) & rnd(r) & valid;
    switch (rnd_below(r, 8)) {
    case 0: return rnd(r);
    case 1: return some | 1ul << rnd_below(r, 32);
    case 2: return some | 1ul << (32 + rnd_below(r, 32));
    case 3: return 0;
    case 4: return rnd(r) & valid;
    default: return some;
    }
}

static u64 enum_value(struct random *r, u64 param)
{
    u64 low = param & 0xffffff, high = param >> 24;
    return rnd_chance(r, 4) ? any_value(r) : low + rnd_below(r, high - low + 1);
}

static u64 fd_value(struct random *r)
{
    static const u64 special[] = {~0ul, 0xffffffff, 0x7fffffff, 0x80000000, 511, 512, 1023, 1024, 1ul << 32, (1ul << 32) + 1, 300, (u64)AT_FDCWD};
    switch (rnd_below(r, 10)) {
    case 0: return special[rnd_below(r, LENGTH(special))];
    case 1: return OWN_FDS + rnd_below(r, 12);
    case 2: return 480 + rnd_below(r, 34); /* at the limit, where the engine keeps its own */
    default: return rnd_below(r, OWN_FDS);
    }
}

static u64 length_value(struct random *r)
{
    static const u64 some[] = {0, 1, 2, 7, 8, 16, 63, 64, 255, 256, 1024, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE, 0x7fffffff, 0x80000000, 0xffffffff, 1ul << 47, ~0ul};
    return some[rnd_below(r, rnd_chance(r, 85) ? 15 : LENGTH(some))];
}

static u64 offset_value(struct random *r)
{
    static const u64 some[] = {0, 0, 0, PAGE, PAGE, 2 * PAGE, 1, 100, 1ul << 20, ~0ul, 1ul << 63, 1ul << 50};
    return some[rnd_below(r, LENGTH(some))];
}

static u64 signal_value(struct random *r)
{
    static const u64 some[] = {SIGUSR1, SIGUSR2, SIGCHLD, SIGURG, SIGWINCH, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGALRM, SIGTERM, SIGCONT, SIGPIPE, SIGIO, 32, 33, 34, 40, 64};
    switch (rnd_below(r, 12)) {
    case 0: return any_value(r);
    case 1: return rnd_below(r, 67);
    default: return some[rnd_below(r, LENGTH(some))];
    }
}

/* Itself mostly. Never -1 (everybody), nor its parent's number, nor 1. */
static u64 pid_value(struct random *r)
{
    static const u64 other[] = {0, 4000000, 0x7fffffff, 0x80000000, 0xfffffffe, 1ul << 32, (1ul << 32) - 1000};
    u64 v = rnd_chance(r, 70) ? st.pid : rnd_chance(r, 30) && st.child ? st.child : other[rnd_below(r, LENGTH(other))];
    return v;
}

static u64 clock_value(struct random *r)
{
    return rnd_chance(r, 90) ? rnd_below(r, 13) : any_value(r);
}

/* --- pointers -------------------------------------------------------------------------------------------------------- */

static bool is_buffer(u64 p)
{
    return p >= DATA && p < READ_ONLY && (p - DATA) % BUFFER_STRIDE < BUFFER_PAGES * PAGE;
}

/* bytes that may be written from p on */
static u64 room_at(u64 p)
{
    return is_buffer(p) ? BUFFER_PAGES * PAGE - (p - DATA) % BUFFER_STRIDE : 0;
}

static u64 bad_pointer(struct random *r)
{
    u64 end = DATA + rnd_below(r, BUFFERS) * BUFFER_STRIDE + BUFFER_PAGES * PAGE;
    switch (rnd_below(r, 12)) {
    case 0: case 1: return 0;
    case 2: case 3: return end - rnd_below(r, 9) * 4; /* too little room */
    case 4: return READ_ONLY + rnd_below(r, 64) * 8;
    case 5: return READ_ONLY + PAGE - 4;
    case 6: return NO_ACCESS + rnd_below(r, 64) * 8;
    case 7: return HOLE;
    case 8: return 0xffff888000000000 + (rnd(r) & 0xffffff);
    case 9: return 0x8000000000000000 | (rnd(r) & 0xffffff);
    case 10: return (1ul << 47) - PAGE - rnd_below(r, 16);
    default: return 1 + rnd_below(r, 4096);
    }
}

static u64 pointer(struct random *r)
{
    if (rnd_chance(r, 12))
        return bad_pointer(r);
    u64 p = DATA + rnd_below(r, BUFFERS) * BUFFER_STRIDE + 64 + rnd_below(r, 96) * 64;
    return rnd_chance(r, 6) ? p + 1 + rnd_below(r, 7) : p;
}

/* A structure is put where there is room for it; elsewhere the pointer is bad anyway. */
static bool fits(u64 p, u64 bytes)
{
    return room_at(p) >= bytes;
}

static void put_words(u64 p, const u64 *words, u32 n)
{
    for (u32 i = 0; i < n; i++)
        if (fits(p + i * 8, 8))
            __builtin_memcpy((void *)(p + i * 8), &words[i], 8);
}

static u64 put(struct random *r, const u64 *words, u32 n)
{
    u64 p = pointer(r);
    put_words(p, words, n);
    return p;
}

static u64 bytes_pointer(struct random *r)
{
    u64 words[8];
    for (u32 i = 0; i < LENGTH(words); i++)
        words[i] = rnd_chance(r, 60) ? rnd_below(r, 300) | rnd_below(r, 300) << 32 : any_value(r);
    return put(r, words, LENGTH(words));
}

static u64 put_string(struct random *r, const char *text)
{
    u64 p = pointer(r), n = __builtin_strlen(text) + 1;
    if (fits(p, n))
        __builtin_memcpy((void *)p, text, n);
    return p;
}

static u64 path_pointer(struct random *r)
{
    static const char *const paths[] = {"a", "a", "b", "new", "dir", "dir/x", ".", "..", "", "link", "loop", "bad", "script", "noexec", "a/b", "/nonexistent/x", "/dev/null", "/dev/zero", "/", "missing", "exec"};
    return put_string(r, paths[rnd_below(r, LENGTH(paths))]);
}

static u64 self_pointer(struct random *r)
{
    static const char *const paths[] = {"/proc/self/exe", "/proc/self/exe", "/proc/self/maps", "/proc/self/maps", "/proc/self/smaps", "/proc/self/fd", "/proc/self/fd/0", "/proc/self/task", "/proc/self/status",
                                        "/proc/self/cmdline", "/proc/self/stat", "/proc/self/auxv", "/proc/self/environ", "/proc/self/cwd", "/proc/self/root", "/proc/self/limits",
                                        "/proc/self/fdinfo/1", "/proc/thread-self/comm", "/proc/self/map_files", "/proc/self/statm", "/proc/self/exe/x", "/proc//self/./exe", "/proc/self/mem"};
    return put_string(r, paths[rnd_below(r, LENGTH(paths))]);
}

static u64 string_pointer(struct random *r)
{
    static const char *const names[] = {"user.x", "trusted.y", "name", "/q", "tmpfs", "keyring", "user", "", "security.z"};
    return put_string(r, names[rnd_below(r, LENGTH(names))]);
}

/* --- memory ------------------------------------------------------------------------------------------------------------ */

static u64 arena_address(struct random *r)
{
    u64 p = ARENA + rnd_below(r, ARENA_PAGES) * PAGE;
    switch (rnd_below(r, 24)) {
    case 0: return p + 1 + rnd_below(r, PAGE - 1);
    case 1: return 0;
    case 2: return st.last_map;
    case 3: return any_value(r) & ~0xffful;
    case 4: return st.engine;
    default: return p;
    }
}

static u64 arena_bytes(struct random *r)
{
    static const u64 odd[] = {0, 1, PAGE + 1, PAGE - 1, 1ul << 21, 1ul << 30, 1ul << 39, ~0ul, 1ul << 63};
    return rnd_chance(r, 85) ? (1 + rnd_below(r, 8)) * PAGE : odd[rnd_below(r, LENGTH(odd))];
}

static u64 prot_value(struct random *r)
{
    switch (rnd_below(r, 12)) {
    case 0: return rnd(r);
    case 1: return rnd_below(r, 8) | PROT_GROWSDOWN;
    case 2: return rnd_below(r, 16);
    default: return rnd_below(r, 8);
    }
}

static u64 map_flags(struct random *r)
{
    static const u64 more[] = {MAP_NORESERVE, MAP_POPULATE, MAP_STACK, MAP_LOCKED, MAP_GROWSDOWN, MAP_FIXED_NOREPLACE, MAP_32BIT, MAP_NONBLOCK, MAP_DENYWRITE, MAP_SYNC};
    u64 flags = rnd_chance(r, 92) ? 1 + rnd_below(r, 2) : rnd_below(r, 16);
    if (rnd_chance(r, 65))
        flags |= MAP_ANONYMOUS;
    if (rnd_chance(r, 80))
        flags |= rnd_chance(r, 80) ? MAP_FIXED : MAP_FIXED_NOREPLACE;
    if (rnd_chance(r, 20))
        flags |= more[rnd_below(r, LENGTH(more))];
    return rnd_chance(r, 4) ? rnd(r) & ~(u64)MAP_HUGETLB : flags;
}

static u64 break_value(struct random *r)
{
    switch (rnd_below(r, 6)) {
    case 0: return 0;
    case 1: return any_value(r);
    case 2: return st.brk + rnd_below(r, 100);
    default: return st.brk + rnd_below(r, 20) * PAGE;
    }
}

/* --- structures ----------------------------------------------------------------------------------------------------------- */

static u64 signal_set(struct random *r)
{
    switch (rnd_below(r, 5)) {
    case 0: return 0;
    case 1: return ~0ul;
    case 2: return rnd(r);
    default: return 1ul << ((signal_value(r) - 1) & 63) | 1ul << ((signal_value(r) - 1) & 63);
    }
}

static u64 set_pointer(struct random *r)
{
    u64 set[2] = {signal_set(r), 0};
    return put(r, set, 2);
}

static u64 mask_pair(struct random *r)
{
    u64 pair[2] = {set_pointer(r), rnd_chance(r, 90) ? 8 : rnd_below(r, 17)};
    return put(r, pair, 2);
}

static u64 action_pointer(struct random *r)
{
    static const u64 flag[] = {SA_NOCLDSTOP, SA_NOCLDWAIT, SA_SIGINFO, SA_ONSTACK, SA_RESTART, SA_NODEFER, SA_RESETHAND, 0x400, 0x800, 0x02000000};
    u64 words[4] = {(u64)handler, SA_SIGINFO | 0x04000000, (u64)sys_restorer, signal_set(r)};
    if (rnd_chance(r, 30))
        words[0] = rnd_below(r, 2);
    else if (rnd_chance(r, 4))
        words[0] = bad_pointer(r);
    for (u64 n = rnd_below(r, 4); n; n--)
        words[1] ^= flag[rnd_below(r, LENGTH(flag))];
    if (rnd_chance(r, 3))
        words[1] = rnd(r);
    return put(r, words, 4);
}

static u64 altstack_pointer(struct random *r)
{
    static const u64 flags[] = {0, 0, 0, 2, 1, 0x80000000, 3, 4, 0x80000002};
    static const u64 bytes[] = {STACK_BYTES, STACK_BYTES, STACK_BYTES, 2048, 0, ~0ul, 8192};
    u64 words[3] = {STACKS + STACK_BYTES, rnd_chance(r, 97) ? flags[rnd_below(r, LENGTH(flags))] : rnd(r) & 0xffffffff, bytes[rnd_below(r, LENGTH(bytes))]};
    if (rnd_chance(r, 4))
        words[0] = bad_pointer(r);
    return put(r, words, 3);
}

static u64 siginfo_pointer(struct random *r)
{
    static const u32 codes[] = {(u32)SI_QUEUE, (u32)SI_QUEUE, (u32)SI_TIMER, (u32)SI_TKILL, SI_USER, 1, 0x80, (u32)-60, SI_KERNEL};
    u64 words[16] = {signal_value(r) & 0xff, codes[rnd_below(r, LENGTH(codes))], st.pid | 1000ul << 32, rnd(r)};
    return put(r, words, 16);
}

/* Never a long time: a relative one of nothing or a microsecond, or wrong. */
static u64 timeout_pointer(struct random *r)
{
    static const u64 some[][2] = {{0, 0}, {0, 1000}, {0, 1}, {0, 1000000000}, {~0ul, 0}, {0, ~0ul}, {~0ul, ~0ul}, {1ul << 63, 0}};
    const u64 *words = some[rnd_below(r, rnd_chance(r, 70) ? 3 : LENGTH(some))];
    u64 p = put(r, words, 2);
    return p ? p : HOLE; /* none: for ever */
}

/* Off, or in an hour, or wrong. */
static u64 itimer_pointer(struct random *r)
{
    static const u64 some[][4] = {{0, 0, 0, 0}, {0, 0, 3600, 0}, {3600, 0, 3600, 0}, {0, 1000000000, 3600, 0}, {0, 0, ~0ul, 0}, {0, 0, 0, ~0ul}};
    return put(r, some[rnd_below(r, LENGTH(some))], 4);
}

static u64 iovec_pointer(struct random *r)
{
    u64 words[6];
    for (u32 i = 0; i < 6; i += 2) {
        words[i] = pointer(r);
        words[i + 1] = rnd_chance(r, 90) ? rnd_below(r, 100) : length_value(r);
    }
    return put(r, words, 6);
}

static u64 message_pointer(struct random *r)
{
    u64 words[8] = {rnd_chance(r, 50) ? 0 : pointer(r), rnd_below(r, 112), iovec_pointer(r), rnd_below(r, 4), rnd_chance(r, 50) ? 0 : pointer(r), rnd_below(r, 64), 0, 0};
    return put(r, words, 8);
}

static u64 sockaddr_pointer(struct random *r)
{
    u64 words[4] = {rnd_chance(r, 80) ? 1 | 'a' << 16 | 'b' << 24 : rnd_below(r, 20), 0, 0, 0};
    return put(r, words, 4);
}

static u64 epoll_pointer(struct random *r)
{
    u64 words[2] = {(rnd_chance(r, 80) ? rnd_below(r, 32) : rnd(r) & 0xffffffff) | rnd(r) << 32, 0};
    return put(r, words, 2);
}

static u64 poll_pointer(struct random *r)
{
    u64 words[5];
    for (u32 i = 0; i < 5; i++)
        words[i] = (fd_value(r) & 0xffffffff) | rnd_below(r, 64) << 32;
    return put(r, words, 5);
}

static u64 rlimit_pointer(struct random *r)
{
    static const u64 some[] = {~0ul, 1ul << 40, 1 << 24, 512, 1024, 64, 0, 1 << 20, 1ul << 32};
    u64 words[2] = {some[rnd_below(r, LENGTH(some))], some[rnd_below(r, LENGTH(some))]};
    if (rnd_chance(r, 60))
        words[1] = words[0] > words[1] ? words[0] : words[1];
    return put(r, words, 2);
}

static u64 event_pointer(struct random *r)
{
    u64 words[8] = {rnd(r), (signal_value(r) & 0xffffffff) | rnd_below(r, 5) << 32, st.pid};
    return put(r, words, 8);
}

static u64 lock_pointer(struct random *r)
{
    u64 words[4] = {rnd_below(r, 4) | rnd_below(r, 3) << 16, rnd_below(r, 100), rnd_below(r, 100), 0};
    return rnd_chance(r, 30) ? any_value(r) : put(r, words, 4);
}

static u64 how_pointer(struct random *r)
{
    u64 words[4] = {flags_value(r, 0x2f1bc3), rnd_chance(r, 60) ? 0 : flags_value(r, 0777), rnd_chance(r, 60) ? 0 : flags_value(r, 0x3f), rnd_chance(r, 80) ? 0 : rnd(r)};
    words[0] |= O_NONBLOCK;
    return put(r, words, 4);
}

static u64 word_pointer(struct random *r)
{
    u64 words[1] = {rnd_chance(r, 50) ? rnd_below(r, 4) : rnd_chance(r, 50) ? st.pid | rnd_below(r, 4) << 30 : rnd_below(r, 128)};
    return put(r, words, 1);
}

static u64 argv_pointer(struct random *r)
{
    u64 words[3] = {put_string(r, "word"), rnd_chance(r, 90) ? put_string(r, "next") : bad_pointer(r), rnd_chance(r, 95) ? 0 : bad_pointer(r)};
    return rnd_chance(r, 10) ? 0 : put(r, words, 3);
}

/* --- clone ------------------------------------------------------------------------------------------------------------------ */

static u64 clone_flags(struct random *r)
{
    static const u64 sets[] = {0, CLONE_VM, CLONE_VM | CLONE_VFORK, CLONE_VFORK, CLONE_VM | CLONE_SIGHAND, CLONE_VM | CLONE_SIGHAND | CLONE_THREAD,
                               CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_FILES | CLONE_FS | CLONE_SYSVSEM, CLONE_VM | CLONE_FILES | CLONE_FS};
    static const u64 more[] = {CLONE_FS, CLONE_FILES, CLONE_SIGHAND, CLONE_PIDFD, CLONE_PARENT, CLONE_THREAD, CLONE_SYSVSEM, CLONE_SETTLS, CLONE_PARENT_SETTID, CLONE_CHILD_CLEARTID,
                               CLONE_DETACHED, CLONE_UNTRACED, CLONE_CHILD_SETTID, CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWPID, CLONE_IO, CLONE_VFORK, CLONE_NEWCGROUP, CLONE_NEWNET};
    u64 flags = sets[rnd_below(r, LENGTH(sets))];
    for (u64 n = rnd_below(r, 4); n; n--)
        flags |= more[rnd_below(r, rnd_chance(r, 80) ? 13 : LENGTH(more))];
    return flags;
}

/* Signals that do not end the parent. */
static u64 exit_signal(struct random *r)
{
    static const u64 some[] = {SIGCHLD, SIGCHLD, SIGCHLD, 0, SIGURG, SIGWINCH, 65, 255};
    return some[rnd_below(r, LENGTH(some))];
}

static u64 clone_stack(struct random *r)
{
    return rnd_chance(r, 60) ? STACKS + STACK_BYTES : rnd_chance(r, 70) ? 0 : bad_pointer(r);
}

static u64 tls_value(struct random *r)
{
    return rnd_chance(r, 70) ? DATA + 512 : bad_pointer(r);
}

static u64 clone_pointer(struct random *r)
{
    u64 words[15] = {clone_flags(r), pointer(r), pointer(r), pointer(r), exit_signal(r), 0, 0, tls_value(r), 0, 0, 0, 0, 0, 0, 0};
    if (rnd_chance(r, 60)) {
        words[5] = STACKS;
        words[6] = STACK_BYTES;
    } else if (rnd_chance(r, 20)) {
        words[5 + rnd_below(r, 2)] = rnd_chance(r, 50) ? bad_pointer(r) : STACKS;
    }
    if (words[0] & (CLONE_THREAD | CLONE_PARENT) && rnd_chance(r, 80))
        words[4] = 0;
    if (rnd_chance(r, 10))
        words[0] |= 1ul << (32 + rnd_below(r, 4));
    if (rnd_chance(r, 4))
        words[rnd_below(r, 15)] = any_value(r);
    return put(r, words, 15);
}

/* --- all together --------------------------------------------------------------------------------------------------------------- */

static u64 argument(struct random *r, u64 spec)
{
    switch ((enum kind)(spec & 0xff)) {
    case K_NONE: return rnd_chance(r, 95) ? 0 : any_value(r);
    case K_RAND: return any_value(r);
    case K_INT: return rnd_chance(r, 60) ? rnd_below(r, 64) : any_value(r);
    case K_ENUM: return enum_value(r, spec >> 8);
    case K_FLAGS: return flags_value(r, spec >> 8);
    case K_FD: return fd_value(r);
    case K_DIRFD: return rnd_chance(r, 60) ? (u64)AT_FDCWD : rnd_chance(r, 50) ? 11 : fd_value(r);
    case K_PATH: return path_pointer(r);
    case K_SELFPATH: return self_pointer(r);
    case K_STRING: return string_pointer(r);
    case K_OUT: return pointer(r);
    case K_IN: return bytes_pointer(r);
    case K_LEN: return length_value(r);
    case K_SIG: return signal_value(r);
    case K_SIGSET: return set_pointer(r);
    case K_SETSIZE: return rnd_chance(r, 92) ? 8 : rnd_below(r, 20);
    case K_ACTION: return action_pointer(r);
    case K_ALTSTACK: return altstack_pointer(r);
    case K_PID: return pid_value(r);
    case K_ADDR: return arena_address(r);
    case K_BYTES: return arena_bytes(r);
    case K_PROT: return prot_value(r);
    case K_MAPFLAGS: return map_flags(r);
    case K_TIMEOUT: return timeout_pointer(r);
    case K_ITIMER: return itimer_pointer(r);
    case K_IOVEC: return iovec_pointer(r);
    case K_MSG: return message_pointer(r);
    case K_SOCKADDR: return sockaddr_pointer(r);
    case K_EPOLL_EVENT: return epoll_pointer(r);
    case K_RLIMIT: return rlimit_pointer(r);
    case K_CLONE_ARGS: return clone_pointer(r);
    case K_CLONE_FLAGS: return clone_flags(r) | exit_signal(r);
    case K_CLONE_STACK: return clone_stack(r);
    case K_TLS: return tls_value(r);
    case K_OPEN_HOW: return how_pointer(r);
    case K_WORD: return word_pointer(r);
    case K_ARGV: return argv_pointer(r);
    case K_CLOCK: return clock_value(r);
    case K_SIGINFO: return siginfo_pointer(r);
    case K_POLLFDS: return poll_pointer(r);
    case K_SIGEVENT: return event_pointer(r);
    case K_OFFSET: return offset_value(r);
    case K_FLOCK: return lock_pointer(r);
    case K_BREAK: return break_value(r);
    case K_MASK_PAIR: return mask_pair(r);
    }
    return 0;
}

void arguments_make(struct random *r, const struct call_info *info, struct call *c)
{
    for (int i = 0; i < 6; i++)
        c->arg[i] = info ? argument(r, info->arg[i]) : rnd_chance(r, 50) ? pointer(r) : any_value(r);
    if (info && rnd_chance(r, 3)) {
        int i = (int)rnd_below(r, 6);
        if ((info->arg[i] & 0xff) != K_TIMEOUT && (info->arg[i] & 0xff) != K_CLONE_FLAGS)
            c->arg[i] = any_value(r);
    }
}
