/* SPDX-License-Identifier: Apache-2.0
 * The guest's side of `stops` (stops.c is the driver's): makes one case again and again, from the same state each time.
 * A stop before and a stop after each iteration tell the driver where the case begins and ends; between them the driver
 * may send a SIGUSR1, whose handler notes the interrupted state and lets the case go on as if nothing had been. */
#include "fuzz.h"
#include "fuzz_stops.h"

#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

_Static_assert(offsetof(struct stops, state.fs) == 184 && offsetof(struct stops, state.gs) == 192, "fuzz_enter.S");
_Static_assert(sizeof(struct run_out) / sizeof(u64) + 3 == STOPS_ENDS, "note_end");

struct stops fuzz_stops;
void fuzz_stop(pid_t self); /* fuzz_enter.S: kill(self, SIGSTOP, &fuzz_stops) */
void fuzz_stop_handler(int sig, siginfo_t *info,
                       void *uc); /* fuzz_enter.S: with the program's own segment bases, to fuzz_on_stop */
void fuzz_on_stop(int sig, siginfo_t *info, ucontext_t *uc);

void fuzz_on_stop(int sig, siginfo_t *info, ucontext_t *uc)
{
    static u8 extended[XSAVE_BYTES];
    struct stop_state *s = &fuzz_stops.state;
    (void)sig, (void)info;
    for (int i = 0; i < GPRS; i++)
        s->gpr[i] = (u64)uc->uc_mcontext.gregs[run_greg_of[i]];
    s->rip = (u64)uc->uc_mcontext.gregs[REG_RIP];
    s->flags = (u64)uc->uc_mcontext.gregs[REG_EFL];
    memcpy(extended, uc->uc_mcontext.fpregs, XSAVE_BYTES);
    state_normalise(extended);
    s->extended = state_hash(0, extended, sizeof extended);
    fuzz_stops.taken++;
}

static void catch_stops(void)
{
    struct sigaction sa = {.sa_sigaction = fuzz_stop_handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigfillset(&sa.sa_mask);
    if (sigaction(SIGUSR1, &sa, NULL)) {
        perror("fuzz_guest: sigaction");
        exit(2);
    }
}

/* Code that the case has changed is put back. Code that it has not changed is left alone: its translations stay. */
static void put_code_back(const struct gen *g)
{
    if (memcmp((void *)g->code, g->code_buf, g->n))
        run_write_code(g);
}

static void note_end(const struct gen *g)
{
    u64 *hash = fuzz_stops.ends + sizeof fuzz_out / sizeof *hash;
    memcpy(fuzz_stops.ends, &fuzz_out, sizeof fuzz_out);
    hash[0] = state_hash(1, fuzz_xout, sizeof fuzz_xout);
    hash[1] = state_hash(1, (void *)g->base, RO_AT);
    hash[2] = state_hash(1, (void *)(g->base + STACK_AT), STACK_BYTES);
}

static void repeat_case(const struct gen *g, u64 seed, u64 number)
{
    pid_t self = getpid();
    fuzz_stops.command = STOPS_AGAIN;
    while (fuzz_stops.command == STOPS_AGAIN) {
        put_code_back(g);
        run_prepare(g, seed, number);
        fuzz_stop(self);
        fuzz_enter();
        fuzz_stop(self);
        run_finish();
        note_end(g);
    }
}

void stops_run(u64 seed, u64 from, u64 to, u64 skip)
{
    static struct gen g;
    catch_stops();
    printf("ready %p\n", (void *)&fuzz_stops);
    fflush(stdout);
    while (__atomic_load_n(&fuzz_stops.command, __ATOMIC_ACQUIRE) == STOPS_WAIT)
        sched_yield();
    for (u64 n = from; n < to; n++) {
        run_protect(true);
        gen_case(&g, seed, n, -1, skip);
        run_write_code(&g);
        run_protect(false);
        fuzz_stops.number = n;
        fuzz_stops.code = g.code;
        fuzz_stops.code_bytes = g.n;
        repeat_case(&g, seed, n);
    }
}
