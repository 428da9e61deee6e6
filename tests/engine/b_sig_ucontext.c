// SPDX-License-Identifier: Apache-2.0
// Coroutines by makecontext and swapcontext, 15000 switches between three stacks, also out of a signal handler.
#include "b_check.h"
#include <signal.h>
#include <ucontext.h>

static ucontext_t main_ctx, co[3];
static char stacks[3][65536];
static unsigned long trail;
static volatile int switches;

static void body(int id)
{
    for (int i = 0; i < 5000; i++) {
        trail = trail * 31 + id + i;
        switches++;
        CHECK(swapcontext(&co[id], &co[(id + 1) % 3]) == 0);
    }
}

static void on_usr1(int sig)
{
    (void)sig;
    switches++;
    setcontext(&main_ctx);
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        CHECK(getcontext(&co[i]) == 0);
        co[i].uc_stack = (stack_t){ .ss_sp = stacks[i], .ss_size = sizeof stacks[i] };
        co[i].uc_link = &main_ctx;
        makecontext(&co[i], (void (*)(void))body, 1, i);
    }
    CHECK(swapcontext(&main_ctx, &co[0]) == 0);
    say("switches %d trail %lx\n", switches, trail);
    signal(SIGUSR1, on_usr1);
    switches = 0;
    volatile int rounds = 0;
    getcontext(&main_ctx);
    if (rounds++ < 500)
        raise(SIGUSR1);
    say("left the handler %d times\n", switches);
    return 0;
}
