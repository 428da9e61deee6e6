// SPDX-License-Identifier: Apache-2.0
// A function in a writable page, which the engine watches, is changed by the tool while it holds a lock that an
// instrumentation function wants, for the code that another thread has come to: by a store, by PIN_SafeCopy, and by a
// thread of the tool's. What it gives afterwards is the status.
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#define PART(n) \
    void at_hold##n(void); \
    void at_wait##n(void); \
    void at_fresh##n(void); \
    __attribute__((noinline)) void at_hold##n(void) { __asm__ volatile("" :: "i"(n)); } \
    __attribute__((noinline)) void at_wait##n(void) { __asm__ volatile("" :: "i"(n)); } \
    __attribute__((noinline)) void at_fresh##n(void) { __asm__ volatile("" :: "i"(n)); }
PART(1)
PART(2)
PART(3)

static void (*const waits[])(void) = {at_wait1, at_wait2, at_wait3};
static void (*const holds[])(void) = {at_hold1, at_hold2, at_hold3};
static void (*const fresh[])(void) = {at_fresh1, at_fresh2, at_fresh3};

static void *other(void *arg)
{
    for (int i = 0; i < 3; i++) {
        waits[i]();
        fresh[i]();
    }
    return arg;
}

int main(void)
{
    static const unsigned char code[] = {0xb8, 5, 0, 0, 0, 0xc3}; // mov $5,%eax; ret
    pthread_t t;
    int (*f)(void) = mmap((void *)0x20000000, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    memcpy((void *)f, code, sizeof code);
    int sum = f();
    if (pthread_create(&t, 0, other, 0))
        return 1;
    for (int i = 0; i < 2; i++) {
        holds[i]();
        sum += f();
    }
    holds[2]();
    while (f() != 30)
        ;
    pthread_join(t, 0);
    return sum + f();
}
//> writelock status=62
