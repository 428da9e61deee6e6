/* SPDX-License-Identifier: Apache-2.0
 * How far the program is: a line with the instructions so far, their rate, the slowdown, the image that most of them
 * were in, and the size of the code cache. The agent writes it, once a second to a terminal (-progress), or every so
 * many seconds to whatever standard error is (-progress_every). Owns the counters that blocks add to, one for each
 * image. A child of a fork says nothing. Everything here runs under the client lock. */
#include "api/progress.h"

#include "arch/arch.h"
#include "linchpin/callbacks.h"
#include "linchpin/api_text.h"
#include "opt/spread.h"
#include "os/events.h"
#include "os/os.h"
#include "vm/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define IMAGES_MAX 1024u
#define NAME_SHOWN 40
#define NANO 1000000000ul

/* The first is for code in no image, and for all images that have no place here. */
static struct image_count {
    u64 executed, before; /* instructions; at the line before */
    u32 id;
    char name[NAME_SHOWN];
} image[IMAGES_MAX] = {{.name = "no image"}};
static u32 nimages = 1;

struct moment {
    u64 instructions, ns, cpu_ns, cycles;
};
static struct moment start, last;
static int shown_in; /* the process that has the line; 0: none */
static bool terminal, plain, drawn;

/* --- counting ----------------------------------------------------------------------------------------------------- */

static void count(u64 *executed, u32 n) { __atomic_fetch_add(executed, n, __ATOMIC_RELAXED); } /* analysis */

static struct image_count *image_at(u64 pc)
{
    IMG img = IMG_FindByAddress(pc);
    if (!IMG_Valid(img))
        return image;
    u32 id = IMG_Id(img), i = 1;
    while (i < nimages && image[i].id != id)
        i++;
    if (i == IMAGES_MAX)
        return image;
    if (i == nimages) {
        const char *slash = strrchr(IMG_Name(img), '/');
        image[i].id = id;
        snprintf(image[i].name, sizeof image[i].name, "%s", slash ? slash + 1 : IMG_Name(img));
        nimages++;
    }
    return &image[i];
}

static void instrument(TRACE trace, void *arg)
{
    (void)arg;
    for (BBL b = TRACE_BblHead(trace); BBL_Valid(b); b = BBL_Next(b))
        INS_InsertCall(BBL_InsHead(b), IPOINT_BEFORE, (AFUNPTR)count, IARG_PTR, &image_at(BBL_Address(b))->executed,
                       IARG_UINT32, BBL_NumIns(b), IARG_END);
}

/* --- the line ----------------------------------------------------------------------------------------------------- */

static u64 clock_ns(clockid_t which)
{
    struct timespec t;
    return clock_gettime(which, &t) ? 0 : (u64)t.tv_sec * NANO + (u64)t.tv_nsec;
}

static struct moment now(void)
{
    struct moment m = {0, clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_PROCESS_CPUTIME_ID), arch_cycles()};
    if (spread_used)
        spread_flush();
    for (u32 i = 0; i < nimages; i++)
        m.instructions += __atomic_load_n(&image[i].executed, __ATOMIC_RELAXED);
    return m;
}

/* The image that most instructions since then were in; `all`: since the start. */
static const struct image_count *hottest(bool all, u64 *most)
{
    const struct image_count *best = image;
    *most = 0;
    for (u32 i = 0; i < nimages; i++) {
        u64 n = image[i].executed - (all ? 0 : image[i].before);
        image[i].before = image[i].executed;
        if (n > *most) {
            *most = n;
            best = &image[i];
        }
    }
    return best;
}

/* Cycles of the CPU for one instruction of the program: how much slower it is than one instruction a cycle. */
static double cycles_each(const struct moment *m)
{
    double ns = (double)(m->ns - start.ns), hz = ns > 0 ? (double)(m->cycles - start.cycles) / ns : 0;
    return m->instructions ? (double)(m->cpu_ns - start.cpu_ns) * hz / (double)m->instructions : 0;
}

/* final: the numbers of the whole run. Returns the length. */
static int compose(char *out, size_t bytes, bool final)
{
    struct moment m = now(), from = final ? start : last;
    u64 most, n = m.instructions - (final ? 0 : from.instructions), ns = m.ns - from.ns;
    const struct image_count *hot = hottest(final, &most);
    const char *bold = plain ? "" : "\033[1m", *normal = plain ? "" : "\033[0m";
    last = m;
    return snprintf(out, bytes,
                    "linchpin: %s%lu%s instructions in %.1f s, %s%.1f%s million/s, slowdown about %.1f, %s %lu%%, "
                    "cache %.1f MB",
                    bold, m.instructions, normal, (double)(m.ns - start.ns) / NANO, bold,
                    ns ? (double)n * 1000 / (double)ns : 0, normal, cycles_each(&m), hot->name,
                    n ? most * 100 / n : 0, (double)CODECACHE_CodeMemUsed() / 1e6);
}

/* On a terminal the line is written over the one before, and the cursor is left at its start, so that what the program
 * writes begins there. */
static void show(bool final)
{
    char line[512];
    int n = snprintf(line, sizeof line, "%s", terminal ? "\r\033[K" : "");
    n += compose(line + n, sizeof line - (size_t)n - 2, final);
    line[n++] = terminal && !final ? '\r' : '\n';
    drawn = true;
    if (write(fileno(stderr), line, (size_t)n) < 0)
        shown_in = 0; /* nobody reads it any more */
}

static void tick(void)
{
    client_lock();
    if (shown_in == getpid())
        show(false);
    client_unlock();
}

/* A program that was over before the first line was due has none on a terminal. */
void progress_end(void)
{
    client_lock();
    if (shown_in == getpid() && (drawn || !terminal))
        show(true);
    shown_in = 0;
    client_unlock();
}

void progress_init(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    terminal = isatty(fileno(stderr)) && term && strcmp(term, "dumb") != 0;
    plain = !terminal || (no && *no);
    if (!progress_wanted() || (!terminal && !options.progress_every))
        return;
    client_lock();
    TRACE_AddInstrumentFunction((TRACE_INSTRUMENT_CALLBACK)instrument, NULL);
    client_unlock();
    start = last = now();
    shown_in = getpid();
    os_events.tick = tick;
    os_events.tick_seconds = options.progress_every ? options.progress_every : 1;
    agent_start();
}
