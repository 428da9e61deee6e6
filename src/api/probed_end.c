/* SPDX-License-Identifier: Apache-2.0
 * The ends of a program in probe mode at which its tool is asked for results (docs/design/probes.md, PB14, PB19, PB20):
 * the C library's function, signals, and system calls that the program makes by itself. On the guest's thread that ends
 * the process. */
#include "api/probed.h"

#include "api/callbacks.h"
#include "api/tool.h"
#include "arch/arch.h"
#include "image/image.h"
#include "os/native.h"
#include "os/os.h"
#include "os/thread.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define PIECE_BYTES (1ul << 20) /* of an image's code that is looked at at a time */
#define PIECE_MORE 16u          /* and so many of the next */

bool probed_watches_end;
static u64 handler, restorer;
static __thread siginfo_t kept; /* a signal that came while the engine's locks were held: of the parent of a fork */

static u64 *argument(u32 n) { return abi_guest_arg_place(&vm_tc.cpu, n); }

/* --- the C library's functions ------------------------------------------------------------------------------------ */

static void ends(int status)
{
    if (!native_visits())
        native_ends(status);
}

static void before_exit(void) { ends((int)*argument(0)); }
static void before_sigaction(void) { native_before_sigaction((int)*argument(0)); }
static void after_sigaction(void) { native_after_sigaction(); }

/* first: which argument is the path. */
static void executes(u32 first)
{
    u64 args[3] = {*argument(first), *argument(first + 1), *argument(first + 2)};
    bool alone = !native_visits();
    if (alone)
        tool_mend_streams();
    native_exec(args, alone);
    if (alone)
        fflush(NULL);
    for (u32 i = 0; i < 3; i++)
        *argument(first + i) = args[i];
}

static void before_exec(void) { executes(0); }

static void before_syscall(void)
{
    if ((u32)*argument(0) == native_number(NATIVE_EXIT))
        ends((int)*argument(1));
    else if ((u32)*argument(0) == native_number(NATIVE_EXECUTE))
        executes(1);
    else if ((u32)*argument(0) == native_number(NATIVE_EXIT_THREAD) && native_alone())
        ends((int)*argument(1));
}

const struct probed_own probed_ends[] = {
    {.name = "_exit", .before = before_exit, .always = true},
    {.name = "_Exit", .before = before_exit, .always = true},
    {.name = "execve", .before = before_exec, .always = true},
    {.name = "sigaction", .before = before_sigaction, .after = after_sigaction},
    {.name = "syscall", .before = before_syscall, .filtered = true}, {.name = NULL}};

/* --- system calls of the program's own ---------------------------------------------------------------------------- */

static void before_call(void) { ends((int)arch_probe_call_argument()); }

static void before_thread_call(void)
{
    if (native_alone())
        before_call();
}

static const struct probed_own of_call = {.name = "the end of the process", .before = before_call},
                               of_thread_call = {.name = "the end of a thread", .before = before_thread_call};

static bool no_branch(const struct probe_site *s, gpc_t from, gpc_t to, bool outside)
{
    (void)s, (void)from, (void)to, (void)outside;
    return false;
}

/* A probe at the routine's start may be wanted later: it has room, or is the same. */
static void look_at(gpc_t pc, enum native_number n)
{
    image_lock();
    const struct rtn *r = rtn_find(pc);
    if (r && r->end > pc && (pc == r->start || pc >= r->start + PROBE_PATCH_BYTES)) {
        size_t size = r->end - r->start;
        u8 *bytes = elffile_alloc(size);
        os_safe_copy(bytes, (void *)r->start, size);
        probe_own_bytes(r->start, bytes, size);
        u32 len = arch_probe_call_site(r->start, bytes, size, pc, native_number(n));
        struct probe_site s = {.pc = pc, .end = pc + len, .limit = pc + len, .bytes = bytes + (pc - r->start),
            .leads_into = no_branch};
        if (len && (probe_at(pc) || !probe_uses(pc, pc + len)))
            probed_own_place_at(&s, n == NATIVE_EXIT ? &of_call : &of_thread_call);
        free(bytes);
    }
    image_unlock();
}

static void look_for_calls(gpc_t start, gpc_t end, enum native_number number)
{
    u8 *bytes = start < end ? elffile_alloc(PIECE_BYTES + PIECE_MORE) : NULL;
    for (; start < end; start += PIECE_BYTES) {
        size_t n = end - start < PIECE_BYTES + PIECE_MORE ? end - start : PIECE_BYTES + PIECE_MORE;
        n = os_safe_copy(bytes, (void *)start, n);
        for (size_t at = 0; (at = arch_probe_call_next(bytes, n, at, native_number(number))) < n; at++)
            if (at < PIECE_BYTES)
                look_at(start + at, number);
    }
    free(bytes);
}

/* The C library's threads end when their stacks are another's already: there nothing may be called. */
void probed_end_image(u32 image, bool is_library)
{
    image_lock();
    struct image *im = image_get(image);
    bool look = im && probed_watches_end && !im->vdso && !im->opened && !im->unloaded;
    gpc_t start = look ? im->code_start : 0, end = look ? im->code_end : 0;
    image_unlock();
    look_for_calls(start, end, NATIVE_EXIT);
    if (!is_library)
        look_for_calls(start, end, NATIVE_EXIT_THREAD);
}

/* --- signals ------------------------------------------------------------------------------------------------------ */

/* By an instruction, which the thread would execute again. */
static bool is_fault(const siginfo_t *info)
{
    int sig = info->si_signo;
    return info->si_code > 0 && (sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGFPE || sig == SIGTRAP);
}

static u64 on_signal(struct probe *p)
{
    const siginfo_t *info = (const siginfo_t *)*argument(1);
    if (probed_forks && !is_fault(info))
        kept = *info;
    else
        native_dies((int)*argument(0), info, !probed_forks);
    return p->code.leave;
}

void probed_end_after_fork(bool child)
{
    int sig = kept.si_signo;
    kept.si_signo = 0;
    if (sig && !child)
        native_repeats_signal(sig, &kept);
}

void probed_watch_signals(bool watch)
{
    if (!watch)
        native_let_signals();
    else if (probed_watches_end)
        native_catch_signals(handler, restorer);
}

/* A tool without anything to say at the end leaves the program's signals alone. */
void probed_end_init(void)
{
    probed_watches_end = callbacks_want_end();
    if (probed_watches_end && !probe_make_handler(on_signal, &handler, &restorer))
        die(1, "no memory for the code of probes");
}
