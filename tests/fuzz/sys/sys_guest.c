/* SPDX-License-Identifier: Apache-2.0
 * The guest of the system call fuzzer: sys_guest --seed S --from A --to B [--only N,N,...] [--dump] [--engine ADDRESS] [--wait]. Each case is a child that makes a sequence
 * of calls and says for each what came of it; this process prints that and how the child has ended. One line for each step; lines that begin with # are for people. --only: these
 * steps and no others. --wait: nothing but wait to be looked at. */
#include "sys.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CASE_SECONDS 60
#define UNKNOWN_PERCENT 4
#define FOLDER_DEPTH 8

struct state st;
static u64 only = ~0ul;

/* --- one step ------------------------------------------------------------------------------------------------------------- */

static const struct call_info *choose(struct random *r, u64 family)
{
    const struct call_info *info;
    bool inside = rnd_chance(r, 70);
    do
        info = &call_table[rnd_below(r, calls_known)];
    while ((inside && info->family != family) || ((info->nr == SYS_exit || info->nr == SYS_exit_group) && rnd_chance(r, 95)));
    return info;
}

static const u32 never[] = {SYS_rt_sigreturn, SYS_pause, SYS_rt_sigsuspend, SYS_sync, SYS_vhangup, SYS_reboot, SYS_request_key, SYS_ptrace, SYS_rseq, SYS_sched_setscheduler, SYS_sched_setattr,
                            SYS_modify_ldt, SYS_setns, SYS_ustat};

/* A number without a row: beyond the last one, between, huge. */
static u64 unknown_number(struct random *r)
{
    for (;;) {
        u64 nr = rnd_chance(r, 50) ? 451 + rnd_below(r, 600) : rnd_chance(r, 50) ? rnd(r) & 0xffffffff : rnd_below(r, 450);
        bool known = false;
        for (u32 i = 0; i < calls_known && !known; i++)
            known = (nr & ~0x40000000ul) == call_table[i].nr;
        for (u32 i = 0; i < sizeof never / sizeof never[0] && !known; i++)
            known = (nr & ~0x40000000ul) == never[i];
        if (!known)
            return nr;
    }
}

static void say_result(const struct call *c, const struct call_info *info)
{
    s64 r = (s64)c->result;
    bool value = info && info->compare & VALUE;
    if (r < 0 && r >= -4095)
        say_number(r);
    else if (c->nr == SYS_mmap || c->nr == SYS_mremap || c->nr == SYS_shmat) {
        bool inside = (u64)r >= ARENA && (u64)r < ARENA + (1ul << 40);
        if (!inside)
            st.last_map = (u64)r;
        say_hex(inside ? (u64)r : 0);
    } else if (c->nr == SYS_brk) {
        say_number(r - (s64)st.brk);
    } else if (value && (u64)r == st.pid)
        say("self");
    else if (value && (u64)r == st.parent)
        say("parent");
    else if (value && (u64)r == st.child && r)
        say("child");
    else if (value)
        say_number(r);
    else
        say("good");
}

static void say_if(bool what, const char *text)
{
    if (what)
        say(text);
}

/* All but rax, rcx and r11 must be as before; those two are where the call goes on and the flags. */
static void say_registers(const struct call *c)
{
    static const char *const names[16] = {"", "", " rdx!", " rbx!", " rsp!", " rbp!", " rsi!", " rdi!", " r8!", " r9!", " r10!", "", " r12!", " r13!", " r14!", ""};
    u64 want[16] = {0, 0, c->arg[2], 0x1111222233334444, c->sp, 0x5555666677778888, c->arg[1], c->arg[0], c->arg[4], c->arg[5], c->arg[3], 0, 0x99990000aaaabbbb, 0xccccddddeeeeffff, c->exits, 0};
    for (int i = 0; i < 16; i++)
        say_if(names[i][0] && c->after[i] != want[i], names[i]);
    say_if(c->after[1] != (u64)sys_after_call, " rcx!");
    say_if(c->after[11] != c->flags_before, " r11!");
    say_if(c->xmm[0][0] != 0x1111222233334444 || c->xmm[0][1] != 0x99990000aaaabbbb || c->xmm[1][0] != 0x99990000aaaabbbb || c->xmm[1][1] != 0x1111222233334444, " xmm!");
}

static u64 child_flags(const struct call *c)
{
    return c->nr == SYS_clone ? c->arg[0] : c->nr == SYS_clone3 ? *(u64 *)c->arg[0] : 0;
}

/* The child ends at once; its parent waits for that, so that all it has left is there. */
static void wait_for_child(const struct call *c, u64 flags)
{
    int status = 0;
    s64 r;
    st.child = c->result;
    if (flags & CLONE_THREAD) {
        while (sys_raw(SYS_tgkill, st.pid, st.child, 0ul) == 0)
            sys_raw(SYS_sched_yield);
        return;
    }
    do
        r = sys_raw(SYS_wait4, st.child, &status, 0x40000000ul, 0ul);
    while (r == -EINTR);
    say(" waited ");
    say_number(r == (s64)st.child ? status : r);
}

static void say_call(const struct call *c)
{
    say("\n#   ");
    say_number((s64)c->nr);
    for (int i = 0; i < 6; i++) {
        say(i ? ", " : " (");
        say_hex(c->arg[i]);
    }
    say(") = ");
    say_number((s64)c->result);
}

static void step_call(struct random *r, u64 family)
{
    bool known = !rnd_chance(r, UNKNOWN_PERCENT);
    const struct call_info *info = known ? choose(r, family) : NULL;
    struct call c = {.nr = known ? info->nr : unknown_number(r)};
    buffers_reset();
    arguments_make(r, info, &c);
    call_tame(&c);
    u64 nr = c.nr;
    if (rnd_chance(r, 3))
        c.nr |= rnd_chance(r, 50) ? 1ul << 32 : rnd(r) << 32; /* the kernel takes the lower half */
    c.exits = info && info->compare & CHILD;
    u64 flags = 0;
    buffers_note();
    say(known ? info->name : "number ");
    if (!known)
        say_hex(nr);
    say(" = ");
    sys_call_recorded(&c);
    c.nr = nr;
    say_result(&c, info);
    if (c.exits && (s64)c.result > 0) {
        flags = child_flags(&c);
        wait_for_child(&c, flags);
    }
    say_registers(&c);
    if (info && info->compare & OUTPUT && !(flags & CLONE_PARENT)) {
        say(" ");
        say_hex(buffers_hash());
    } else if (info && info->compare == VALUE)
        say_if(!buffers_guarded(&c), " guard!");
    handlers_flush();
    if (st.dump)
        say_call(&c);
}

/* --- a case ----------------------------------------------------------------------------------------------------------------- */

static struct random random_for(u64 a, u64 b, u64 c)
{
    struct random r = {a};
    r.state = rnd(&r) ^ b;
    r.state = rnd(&r) ^ c;
    rnd(&r);
    return r;
}

static void step(u64 family)
{
    struct random r = random_for(st.seed, st.number, st.step + 1);
    u64 what = rnd_below(&r, 100);
    say_number((s64)st.number);
    say(".");
    say_number(st.step);
    say(" ");
    if (what < 8)
        case_state();
    else if (what < (family == FAM_MEM ? 30 : 12))
        step_special(&r);
    else
        step_call(&r, family);
    handlers_flush();
    say("\n");
}

static void case_run(u64 number)
{
    struct random r = random_for(st.seed, number, 0);
    u64 family = rnd_below(&r, FAMILIES), steps = 6 + rnd_below(&r, MAX_STEPS - 6);
    st.number = number;
    st.pid = (u64)sys_raw(SYS_getpid);
    st.parent = (u64)sys_raw(SYS_getppid);
    case_setup();
    for (st.step = 0; st.step < steps; st.step++)
        if (only >> st.step & 1)
            step(family);
    say_number((s64)number);
    say(".end ");
    case_state();
    handlers_flush();
    say("\n");
    sys_raw(SYS_exit_group, 0ul);
}

/* --- the parent ---------------------------------------------------------------------------------------------------------------- */

static void map_fixed(u64 at, u64 bytes, int prot, int flags)
{
    if (mmap((void *)at, bytes, prot, MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | flags, -1, 0) != (void *)at) {
        perror("sys_guest: mmap");
        exit(2);
    }
}

static void map_all(void)
{
    for (u64 i = 0; i < BUFFERS; i++)
        map_fixed(DATA + i * BUFFER_STRIDE, BUFFER_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE);
    map_fixed(READ_ONLY, PAGE, PROT_READ, MAP_PRIVATE);
    map_fixed(NO_ACCESS, PAGE, PROT_NONE, MAP_PRIVATE);
    map_fixed(STACKS, 4 * STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE);
    map_fixed(LOG, LOG_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED);
}

/* The wait status, or -1 when time was up. A child that stops is let go on. */
static int wait_case(pid_t child, u32 *stops)
{
    const struct timespec second = {1, 0};
    sigset_t set;
    int status;
    time_t end = time(NULL) + CASE_SECONDS;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (;;) {
        pid_t got = waitpid(child, &status, WNOHANG | WUNTRACED);
        if (got == child && !WIFSTOPPED(status))
            return status;
        if (got == child) {
            ++*stops;
            kill(child, SIGCONT);
            continue;
        }
        if (time(NULL) > end) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return -1;
        }
        sigtimedwait(&set, NULL, &second);
    }
}

static void print_case(u64 number, int status, u32 stops)
{
    fwrite((char *)LOG + 8, 1, *(u64 *)LOG, stdout);
    if (*(u64 *)LOG && ((char *)LOG)[7 + *(u64 *)LOG] != '\n')
        putchar('\n');
    if (status == -1)
        printf("%lu.status timeout\n", number);
    else if (WIFSIGNALED(status))
        printf("%lu.status signal %d, %u stops\n", number, WTERMSIG(status), stops);
    else
        printf("%lu.status exit %d, %u stops\n", number, WEXITSTATUS(status), stops);
    fflush(stdout);
}

static void enter(const char *name)
{
    if (mkdir(name, 0700) || chdir(name)) {
        perror("sys_guest: folder");
        exit(2);
    }
}

/* One of its own, deep enough for all the ".." that it may use. */
static void enter_folder(u64 number)
{
    char name[32];
    snprintf(name, sizeof name, "c%lu", number);
    enter(name);
    for (int i = 0; i < FOLDER_DEPTH; i++)
        enter("deep");
}

static void one_case(u64 number)
{
    u32 stops = 0;
    sigset_t set;
    say_clear();
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        sigemptyset(&set);
        sigprocmask(SIG_SETMASK, &set, NULL);
        enter_folder(number);
        case_run(number);
    }
    print_case(number, wait_case(child, &stops), stops);
    while (waitpid(-1, NULL, WNOHANG) > 0) /* what has got us for a parent */
        ;
}

static void take_only(char *list)
{
    only = 0;
    for (char *word = strtok(list, ","); word; word = strtok(NULL, ","))
        only |= 1ul << (strtoul(word, NULL, 10) & 63);
}

static void ignore(int sig)
{
    (void)sig;
}

/* A process inherits what restart_syscall would go on with, even over an execve: perhaps a wait of an ancestor's that
 * was interrupted on a busy machine. A return from a handler forgets it. */
static void forget_restart(void)
{
    signal(SIGUSR1, ignore);
    raise(SIGUSR1);
    signal(SIGUSR1, SIG_DFL);
}

int main(int argc, char **argv)
{
    u64 from = 0, to = 1;
    sigset_t set;
    for (int i = 1; i < argc; i++) {
        char *next = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--seed"))
            st.seed = strtoul(next, NULL, 10), i++;
        else if (!strcmp(argv[i], "--from"))
            from = strtoul(next, NULL, 10), i++;
        else if (!strcmp(argv[i], "--to"))
            to = strtoul(next, NULL, 10), i++;
        else if (!strcmp(argv[i], "--only"))
            take_only(next), i++;
        else if (!strcmp(argv[i], "--engine"))
            st.engine = strtoul(next, NULL, 16), i++;
        else if (!strcmp(argv[i], "--dump"))
            st.dump = true;
        else if (!strcmp(argv[i], "--wait"))
            puts("waiting"), fflush(stdout), sleep(60);
    }
    map_all();
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    forget_restart();
    for (u64 n = from; n < to; n++)
        one_case(n);
    return 0;
}
