/* SPDX-License-Identifier: Apache-2.0
 * What surrounds the calls of a case: descriptors, files and memory at its beginning, signal handlers, loads, stores and jumps to the arena, and the process as it sees itself.
 * Runs without the C library. */
#include "sys.h"

#include <fcntl.h>
#include <linux/memfd.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#define MAX_HITS 200
#define SOME_FDS 40
#define LIMITS 16

static char text[1 << 17];

/* --- the beginning --------------------------------------------------------------------------------------------------- */

static void make_file(const char *name, u64 mode, const char *content)
{
    s64 fd = sys_raw(SYS_open, name, O_CREAT | O_RDWR | O_TRUNC, mode);
    sys_raw(SYS_write, fd, content, __builtin_strlen(content));
    sys_raw(SYS_close, fd);
}

static void make_files(void)
{
    make_file("a", 0644, "some text in a file\n");
    make_file("bad", 0755, "text that is no program");
    make_file("script", 0755, "#!/nonexistent/interpreter\n");
    make_file("noexec", 0644, "#!/bin/sh\n");
    make_file("exec", 0755, "\177ELF\2\1\1 that is no program but long enough to be taken for the header of one, or so it seems");
    sys_raw(SYS_mkdir, "dir", 0755ul);
    sys_raw(SYS_symlink, "a", "link");
    sys_raw(SYS_symlink, "loop", "loop");
}

/* Descriptors 0 to OWN_FDS - 1: one of each sort, none of which blocks. */
static void make_descriptors(void)
{
    u64 set = 1ul << (SIGUSR1 - 1);
    sys_raw(SYS_close_range, 0ul, ~0u, 0ul);
    sys_raw(SYS_open, "/dev/null", O_RDWR, 0ul);
    sys_raw(SYS_open, "a", O_RDWR | O_NONBLOCK, 0ul);
    sys_raw(SYS_pipe2, text, O_NONBLOCK);
    sys_raw(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0ul, text);
    sys_raw(SYS_eventfd2, 3ul, O_NONBLOCK);
    sys_raw(SYS_epoll_create1, 0ul);
    sys_raw(SYS_timerfd_create, CLOCK_MONOTONIC, O_NONBLOCK);
    sys_raw(SYS_signalfd4, -1l, &set, 8ul, O_NONBLOCK);
    s64 memory = sys_raw(SYS_memfd_create, "m", MFD_ALLOW_SEALING);
    sys_raw(SYS_ftruncate, memory, 8 * PAGE);
    sys_raw(SYS_open, ".", O_RDONLY | O_DIRECTORY, 0ul);
    sys_raw(SYS_open, "/proc/self/maps", O_RDONLY, 0ul);
    sys_raw(SYS_open, "/dev/zero", O_RDWR, 0ul);
    sys_raw(SYS_open, "a", O_PATH, 0ul);
    sys_raw(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0ul);
    sys_raw(SYS_open, "dir", O_PATH | O_CLOEXEC, 0ul);
    sys_raw(SYS_pidfd_open, st.pid, 0ul);
}

static void map(u64 at, u64 pages, u64 prot, u64 flags, s64 fd)
{
    sys_raw(SYS_mmap, at, pages * PAGE, prot, flags | MAP_FIXED, fd, 0ul);
}

static void make_arena(void)
{
    const u64 own = MAP_PRIVATE | MAP_ANONYMOUS, rw = PROT_READ | PROT_WRITE;
    map(ARENA, 8, rw, own, -1);
    map(ARENA + 8 * PAGE, 4, PROT_READ, own, -1);
    map(ARENA + 12 * PAGE, 4, PROT_NONE, own, -1);
    map(ARENA + 18 * PAGE, 6, rw | PROT_EXEC, own, -1);
    map(ARENA + 24 * PAGE, 4, rw, MAP_SHARED | MAP_ANONYMOUS, -1);
    map(ARENA + 30 * PAGE, 4, rw, MAP_SHARED, 10);
    map(ARENA + 36 * PAGE, 4, rw, MAP_PRIVATE, 10);
    map(ARENA + 42 * PAGE, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, 1);
    map(ARENA + 44 * PAGE, 4, PROT_EXEC | PROT_READ, own, -1);
}

void case_setup(void)
{
    st.last_map = ARENA + 16 * PAGE;
    st.brk = (u64)sys_raw(SYS_brk, 0ul);
    make_files();
    make_descriptors();
    make_arena();
}

/* --- handlers -------------------------------------------------------------------------------------------------------------- */

static struct note {
    int sig, code;
    bool alternate, known_place;
    u64 addr, mask;
} notes[MAX_HITS];
static u32 hits;

static bool from_child(int sig)
{
    return sig == SIGCHLD || sig == SIGURG || sig == SIGWINCH;
}

/* Loads and stores that failed go on behind themselves; other faults would come again for ever. */
static void recover(const siginfo_t *info, greg_t *regs)
{
    u64 rip = (u64)regs[REG_RIP];
    if (rip == (u64)sys_load_at || rip == (u64)sys_store_at || (rip >= ARENA && rip < ARENA + ARENA_PAGES * PAGE))
        regs[REG_RIP] = (greg_t)sys_probe_failed;
    else if (info->si_code > 0 && (info->si_signo == SIGSEGV || info->si_signo == SIGBUS || info->si_signo == SIGILL || info->si_signo == SIGFPE || info->si_signo == SIGTRAP))
        sys_raw(SYS_exit_group, 98ul);
}

void handler(int sig, void *siginfo, void *context)
{
    const siginfo_t *info = siginfo;
    ucontext_t *uc = context;
    u64 here = (u64)&info;
    if (hits == MAX_HITS)
        sys_raw(SYS_exit_group, 97ul);
    struct note *n = &notes[hits++];
    n->sig = sig;
    n->code = info->si_code;
    n->alternate = here >= STACKS && here < STACKS + 4 * STACK_BYTES;
    n->known_place = (u64)uc->uc_mcontext.gregs[REG_RIP] == (u64)sys_after_call;
    n->mask = from_child(sig) ? 0 : *(u64 *)&uc->uc_sigmask;
    u64 addr = (u64)info->si_addr;
    n->addr = info->si_code > 0 && (sig == SIGSEGV || sig == SIGBUS) && addr >= ARENA && addr < ARENA + ARENA_PAGES * PAGE ? addr : 0;
    recover(info, uc->uc_mcontext.gregs);
}

void handlers_flush(void)
{
    for (u32 i = 0; i < hits && i < MAX_HITS; i++) {
        const struct note *n = &notes[i];
        say(" [signal ");
        say_number(n->sig);
        say(" code ");
        say_number(n->code);
        say(n->alternate ? " alt" : "");
        if (!from_child(n->sig)) {
            say(n->known_place ? " after the call" : "");
            say(" mask ");
            say_hex(n->mask);
            say(" addr ");
            say_hex(n->addr);
        }
        say("]");
    }
    hits = 0;
}

/* --- memory and code -------------------------------------------------------------------------------------------------------- */

static void install_handler(void)
{
    u64 action[4] = {(u64)handler, SA_SIGINFO | 0x04000000, (u64)sys_restorer, 0}, set = 1ul << (SIGSEGV - 1) | 1ul << (SIGBUS - 1) | 1ul << (SIGILL - 1);
    sys_raw(SYS_rt_sigaction, (u64)SIGSEGV, action, 0ul, 8ul);
    sys_raw(SYS_rt_sigaction, (u64)SIGBUS, action, 0ul, 8ul);
    sys_raw(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, 0ul, 8ul);
}

static u64 code_for(struct random *r)
{
    return 0xb8 | (rnd(r) & 0xffff) << 8 | 0xc3ul << 40; /* mov $..., %eax; ret */
}

static bool is_code(u64 bytes)
{
    return (bytes & 0xffffff00000000fful) == 0xc300000000b8ul || (bytes & 0xff) == 0xc3;
}

/* What is there is run only if it is known to return. */
static void run_there(u64 addr)
{
    u64 bytes = 0;
    if (!sys_probe_load(addr, &bytes))
        say("run: not there");
    else if (!is_code(bytes))
        say("run: no code");
    else {
        say("run ");
        say_hex(sys_probe_run(addr));
    }
}

bool step_special(struct random *r)
{
    u64 addr = ARENA + rnd_below(r, ARENA_PAGES) * PAGE + rnd_below(r, 8) * 512, value = 0;
    u64 what = rnd_below(r, 4);
    if (rnd_chance(r, 80))
        install_handler();
    if (what == 0) {
        say("load ");
        say_hex(sys_probe_load(addr, &value));
        say(" ");
        say_hex(value);
    } else if (what == 1) {
        say("store ");
        say_hex(sys_probe_store(addr, rnd(r)));
    } else {
        addr = ARENA + (18 + rnd_below(r, 30)) * PAGE + rnd_below(r, 2) * 4088;
        value = code_for(r);
        if (what == 3) {
            say("code ");
            say_hex(sys_probe_store(addr, value));
            say(" ");
        }
        run_there(addr);
    }
    if (st.dump) {
        say("\n# at ");
        say_hex(addr);
    }
    return true;
}

/* --- the process as it sees itself -------------------------------------------------------------------------------------------- */

static s64 read_all(const char *path)
{
    s64 fd = sys_raw(SYS_open, path, O_RDONLY | O_CLOEXEC, 0ul), n = 0, got;
    if (fd < 0)
        return fd;
    while ((got = sys_raw(SYS_read, fd, text + n, sizeof text - 1 - (u64)n)) > 0)
        n += got;
    sys_raw(SYS_close, fd);
    text[n] = 0;
    return n;
}

static void fact(const char *name, u64 value)
{
    say(" ");
    say(name);
    say("=");
    say_hex(value);
}

static u64 line_end(u64 at)
{
    while (text[at] && text[at] != '\n')
        at++;
    return at;
}

static u64 hex_at(const char *p)
{
    u64 v = 0;
    for (; (*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'f'); p++)
        v = v * 16 + (u64)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
    return v;
}

static void say_line(u64 at, u64 end)
{
    char keep = text[end];
    text[end] = 0;
    say("\n# ");
    say(text + at);
    text[end] = keep;
}

struct mapping {
    u64 start, end, offset;
    u64 rest; /* rights and file, hashed */
};

static struct mapping mapping_at(u64 at, u64 line_end)
{
    struct mapping m = {.start = hex_at(text + at)};
    while (text[at] != '-')
        at++;
    m.end = hex_at(text + ++at);
    while (text[at] != ' ')
        at++;
    m.offset = hex_at(text + at + 6);
    m.rest = hash_bytes(hash_bytes(1, text + at, 6), text + at + 14, line_end - at - 14);
    return m;
}

/* Neighbours that differ only in what is not shown (locked, advice) may be shown as one by the engine (docs/limits.md). */
static bool continues(const struct mapping *a, const struct mapping *b)
{
    return a->end == b->start && a->rest == b->rest && (!b->offset || b->offset == a->offset + (a->end - a->start));
}

/* Range, rights and offset of each mapping of the arena; device and inode are not the same twice. */
static void maps_fact(void)
{
    u64 h = 1;
    struct mapping last = {0};
    s64 n = read_all("/proc/self/maps");
    for (u64 at = 0, end; n > 0 && text[at]; at = end + 1) {
        end = line_end(at);
        struct mapping m = mapping_at(at, end);
        if (m.start >= ARENA && m.start < ARENA + (1ul << 40)) {
            if (!continues(&last, &m)) {
                h = hash_bytes(h, &last.end, 8);
                h = hash_bytes(h, &m.start, 8);
                h = hash_bytes(h, &m.offset, 8);
                for (u64 k = at; text[k] && k < end; k++)
                    if (text[k] == ' ') {
                        h = hash_bytes(h, text + k, 5);
                        break;
                    }
            }
            last = m;
            if (st.dump)
                say_line(at, end);
        }
        if (!text[end])
            break;
    }
    h = hash_bytes(h, &last.end, 8);
    fact("maps", n < 0 ? (u64)n : h);
}

static bool begins(const char *line, const char *with)
{
    while (*with && *line == *with)
        line++, with++;
    return !*with;
}

static void status_fact(void)
{
    static const char *const lines[] = {"SigPnd", "ShdPnd", "SigBlk", "SigIgn", "SigCgt", "Threads", "Seccomp:", "Name", "VmLck", "Umask"};
    u64 h = 1;
    s64 n = read_all("/proc/self/status");
    for (u64 at = 0; n > 0 && text[at]; at = line_end(at) + 1) {
        for (u32 i = 0; i < sizeof lines / sizeof lines[0]; i++)
            if (begins(text + at, lines[i])) {
                h = hash_bytes(h, text + at, line_end(at) - at);
                if (st.dump)
                    say_line(at, line_end(at));
            }
        if (!text[line_end(at)])
            break;
    }
    fact("status", n < 0 ? (u64)n : h);
}

/* May the kernel read and write each page of the arena? */
static void pages_fact(void)
{
    u64 readable[1] = {0}, writable[1] = {0};
    for (u64 i = 0; i < ARENA_PAGES; i++) {
        u64 at = ARENA + i * PAGE + PAGE - 16;
        readable[0] |= (u64)(sys_raw(SYS_access, at, 0ul) != -14) << i;
        writable[0] |= (u64)(sys_raw(SYS_sched_getparam, 0ul, at) == 0) << i;
    }
    fact("readable", readable[0]);
    fact("writable", writable[0]);
}

static void signals_fact(void)
{
    u64 mask = 0, pending = 0, h = 1, alt[3] = {0}, action[4];
    sys_raw(SYS_rt_sigprocmask, SIG_BLOCK, 0ul, &mask, 8ul);
    sys_raw(SYS_rt_sigpending, &pending, 8ul);
    sys_raw(SYS_sigaltstack, 0ul, alt);
    for (u64 sig = 1; sig <= 64; sig++) {
        for (int i = 0; i < 4; i++)
            action[i] = 0;
        sys_raw(SYS_rt_sigaction, sig, 0ul, action, 8ul);
        h = hash_bytes(h, action, sizeof action);
    }
    fact("mask", mask);
    fact("pending", pending);
    fact("actions", h);
    fact("alt", hash_bytes(1, alt, 12) ^ hash_bytes(1, alt + 2, 8));
}

static void descriptors_fact(void)
{
    u64 h = 1;
    for (u64 fd = 0; fd < SOME_FDS; fd++) {
        s64 flags[2] = {sys_raw(SYS_fcntl, fd, F_GETFD), sys_raw(SYS_fcntl, fd, F_GETFL)};
        h = hash_bytes(h, flags, sizeof flags);
    }
    s64 lowest = sys_raw(SYS_eventfd2, 0ul, 0ul);
    if (lowest >= 0)
        sys_raw(SYS_close, lowest);
    fact("lowest", (u64)lowest);
    fact("fds", h);
}

static void limits_fact(void)
{
    u64 h = 1, limit[2];
    for (u64 i = 0; i < LIMITS; i++) {
        limit[0] = limit[1] = 0;
        sys_raw(SYS_prlimit64, 0ul, i, 0ul, limit);
        if (i != 6) /* RLIMIT_NPROC: the machine's */
            h = hash_bytes(h, limit, sizeof limit);
    }
    fact("limits", h);
}

void case_state(void)
{
    say("state");
    signals_fact();
    descriptors_fact();
    limits_fact();
    maps_fact();
    status_fact();
    pages_fact();
    fact("brk", (u64)sys_raw(SYS_brk, 0ul) - st.brk);
    fact("persona", (u64)sys_raw(SYS_personality, 0xfffffffful));
}
