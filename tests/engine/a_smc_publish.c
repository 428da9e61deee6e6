// A thread writes new code and publishes its address; another one runs it, over and over in the same few places.
#include "a_guest.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static _Atomic(uint8_t *) published;
static atomic_int result = -1;

static void *runner(void *arg)
{
    (void)arg;
    for (int i = 0; i < 400; i++) {
        uint8_t *code;
        while (!(code = atomic_exchange(&published, NULL)))
            sched_yield();
        atomic_store(&result, code_call(code));
    }
    return NULL;
}

int main(void)
{
    pthread_t t;
    unsigned sum = 0;
    uint8_t *m = arena_map(0, 1, PROT_READ | PROT_WRITE | PROT_EXEC);
    CHECK(pthread_create(&t, NULL, runner, NULL) == 0);
    for (int i = 0; i < 400; i++) {
        int r;
        code_return(m + i % 5 * 64, i);
        atomic_store(&published, m + i % 5 * 64);
        while ((r = atomic_exchange(&result, -1)) < 0)
            sched_yield();
        CHECK(r == i);
        sum = sum * 31 + (unsigned)r;
    }
    CHECK(pthread_join(t, NULL) == 0);
    printf("%x\n", sum);
    return 0;
}
