// test: cc=-pthread
// SPDX-License-Identifier: Apache-2.0
// Four threads map, fill with code, run, protect and unmap areas at the same time; no thread sees another's code.
#include "b_check.h"
#include <pthread.h>
#include <sys/mman.h>

static void *body(void *arg)
{
    unsigned me = (unsigned)(long)arg, sum = 0;
    for (unsigned i = 0; i < 150; i++) {
        unsigned char *p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *at = p + 4096 - 3;
        CHECK(p != MAP_FAILED);
        unsigned n = me * 1000 + i;
        memcpy(at, "\xb8\0\0\0\0\xc3", 6); /* mov $n,%eax; ret, across the page boundary */
        memcpy(at + 1, &n, 4);
        CHECK(mprotect(p, 8192, PROT_READ | PROT_EXEC) == 0);
        CHECK(((unsigned (*)(void))(uintptr_t)at)() == n);
        CHECK(mprotect(p, 8192, PROT_READ | PROT_WRITE) == 0);
        at[1]++;
        CHECK(mprotect(p, 8192, PROT_READ | PROT_EXEC) == 0);
        sum += ((unsigned (*)(void))(uintptr_t)at)();
        CHECK(munmap(p, 8192) == 0);
    }
    return (void *)(long)sum;
}

int main(void)
{
    pthread_t t[4];
    void *res;
    for (long i = 0; i < 4; i++)
        CHECK(pthread_create(&t[i], 0, body, (void *)i) == 0);
    for (int i = 0; i < 4; i++) {
        CHECK(pthread_join(t[i], &res) == 0);
        say("%ld\n", (long)res);
    }
    return 0;
}
