// Coroutines with makecontext and swapcontext: several stacks, floating-point control kept, a chain at the end.
// test: cc=-lm
#include "a_guest.h"
#include <fenv.h>
#include <ucontext.h>

static ucontext_t main_context, workers[4];
static int turn, log_length;
static char trace_log[200];

static void work(int id, int n)
{
    fesetround(id & 1 ? FE_UPWARD : FE_TONEAREST);
    for (int i = 0; i < n; i++) {
        trace_log[log_length++] = (char)('a' + id);
        turn = (id + 1) % 4;
        CHECK(fegetround() == (id & 1 ? FE_UPWARD : FE_TONEAREST));
        swapcontext(&workers[id], &main_context);
    }
    trace_log[log_length++] = (char)('A' + id);
}

static void make(void)
{
    static char stacks[4][65536];
    for (int i = 0; i < 4; i++) {
        CHECK(getcontext(&workers[i]) == 0);
        workers[i].uc_stack.ss_sp = stacks[i];
        workers[i].uc_stack.ss_size = sizeof stacks[i];
        workers[i].uc_link = &main_context;
        makecontext(&workers[i], (void (*)(void))work, 2, i, 7);
    }
}

int main(void)
{
    make();
    for (volatile int i = 0; i < 32; i++)
        CHECK(swapcontext(&main_context, &workers[i % 4]) == 0);
    printf("%s %d\n", trace_log, turn);
    volatile int passes = 0;
    getcontext(&main_context);
    if (++passes < 5)
        setcontext(&main_context);
    printf("%d\n", passes);
    return 0;
}
