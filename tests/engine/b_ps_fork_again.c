// SPDX-License-Identifier: Apache-2.0
// A process forks again and again, and its children run code that it does not: functions of its own, code that only they have mapped, or have written into a page that is theirs by copy; so do theirs.
#include "b_check.h"
#include <sys/mman.h>
#include <sys/wait.h>

#define PLACE ((unsigned char *)0x210000000000)

static int call(unsigned char *at) { return ((int (*)(void))(uintptr_t)at)(); }

static void put(unsigned char *at, int value)
{
    unsigned char code[] = {0xb8, 0, 0, 0, 0, 0xc3}; /* mov $value,%eax; ret */
    memcpy(code + 1, &value, 4);
    memcpy(at, code, sizeof code);
}

static int wait_for(pid_t p)
{
    int status;
    CHECK(p > 0 && waitpid(p, &status, 0) == p && WIFEXITED(status));
    return WEXITSTATUS(status);
}

static __attribute__((noinline)) int first(int x) { return x * 3 % 50; }
static __attribute__((noinline)) int second(int x) { return x * 5 % 50; }

static int child(unsigned char *shared, int i, int depth)
{
    int (*volatile mine)(int) = i % 2 ? first : second;
    int sum = mine(i);
    unsigned char *own = mmap(PLACE + i % 3 * 4096, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    CHECK(own == PLACE + i % 3 * 4096);
    put(own, i % 7);
    sum += call(own);
    put(shared, i % 11);
    sum += call(shared);
    CHECK(munmap(own, 4096) == 0);
    if (depth) {
        pid_t p = fork();
        if (!p)
            _exit(child(shared, i + 1, depth - 1));
        sum += wait_for(p);
    }
    return sum;
}

int main(void)
{
    unsigned char *shared = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    int sum = 0;
    for (int i = 0; i < 30; i++) {
        pid_t p = fork();
        if (!p)
            _exit(child(shared, i, i % 3));
        put(shared, 100 + i);
        sum = sum * 7 % 100003 + wait_for(p);
        CHECK(call(shared) == 100 + i);
    }
    say("%d\n", sum);
    return 0;
}
