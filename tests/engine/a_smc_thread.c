// One thread patches an aligned word of code that another one runs all the time: each run sees the one or the other.
#include "a_guest.h"
#include <pthread.h>
#include <stdatomic.h>

static uint8_t *m;
static atomic_int stop, runs;

static void *runner(void *arg)
{
    (void)arg;
    long bad = 0;
    while (!atomic_load(&stop)) {
        int r = code_call(m);
        bad += r != 1 && r != 2;
        atomic_fetch_add(&runs, 1);
    }
    return (void *)bad;
}

int main(void)
{
    pthread_t t;
    void *bad;
    uint8_t one[8] = {0xeb, 0x06}, two[8] = {0xeb, 0x16}; // jmp to the code at +8 and at +24
    uint64_t words[2];
    memcpy(&words[0], one, 8), memcpy(&words[1], two, 8);
    m = arena_map(0, 1, PROT_READ | PROT_WRITE | PROT_EXEC);
    code_return(m + 8, 1), code_return(m + 24, 2);
    memcpy(m, one, 8);
    CHECK(pthread_create(&t, NULL, runner, NULL) == 0);
    for (int i = 1; i <= 300; i++) {
        int before = atomic_load(&runs);
        atomic_store((_Atomic uint64_t *)(uintptr_t)m, words[i & 1]);
        while (atomic_load(&runs) < before + 5)
            ;
        CHECK(code_call(m) == 1 + (i & 1)); // the writer itself sees it at once
    }
    atomic_store(&stop, 1);
    CHECK(pthread_join(t, &bad) == 0);
    printf("bad %ld\n", (long)bad);
    return 0;
}
