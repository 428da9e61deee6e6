// test: cc=-pthread
// Threads take turns: one writes a function, the other calls it. What is new is a constant, or an instruction, or the protection of the page too; in private memory and in shared memory that is written elsewhere.
#include "a_guest.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static uint8_t *run, *edit;
static atomic_int turn; // odd: the caller's
static int expected;

static void serialise(void)
{
    unsigned a = 0, b, c, d;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
}

static void *caller(void *arg)
{
    long bad = 0, n = (long)arg;
    for (int i = 1; i < 2 * n; i += 2) {
        while (atomic_load(&turn) != i)
            sched_yield();
        serialise();
        bad += code_call(run) != expected;
        atomic_store(&turn, i + 1);
    }
    return (void *)bad;
}

static void change(int i, int kind)
{
    if (kind == 2)
        CHECK(mprotect(edit, PAGE, PROT_READ | PROT_WRITE) == 0);
    code_return(edit, kind == 1 ? 5 : i);
    if (kind == 1 && i % 2)
        memcpy(edit + 5, (uint8_t[]){0x01, 0xc0, 0xc3}, 3); // add %eax, %eax; ret
    expected = kind == 1 ? 5 + i % 2 * 5 : i;
    if (kind == 2)
        CHECK(mprotect(edit, PAGE, PROT_READ | PROT_EXEC | (i % 2 ? PROT_WRITE : 0)) == 0);
}

static long take_turns(int n, int kind)
{
    pthread_t t;
    void *bad;
    atomic_store(&turn, 0);
    CHECK(pthread_create(&t, NULL, caller, (void *)(long)n) == 0);
    for (int i = 0; i < n; i++) {
        while (atomic_load(&turn) != 2 * i)
            sched_yield();
        change(i, kind);
        CHECK(code_call(run) == expected);
        atomic_store(&turn, 2 * i + 1);
    }
    CHECK(pthread_join(t, &bad) == 0);
    return (long)bad;
}

int main(void)
{
    run = edit = arena_map(0, 1, PROT_READ | PROT_WRITE | PROT_EXEC);
    for (int kind = 0; kind < 3; kind++)
        printf("%ld ", take_turns(80, kind));
    int fd = memfd_create("code", 0);
    CHECK(fd >= 0 && ftruncate(fd, PAGE) == 0);
    edit = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    run = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    CHECK(edit != MAP_FAILED && run != MAP_FAILED);
    for (int kind = 0; kind < 2; kind++)
        printf("%ld ", take_turns(80, kind));
    printf("wrong\n");
    return 0;
}
