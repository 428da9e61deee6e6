// test: timeout=180
// SPDX-License-Identifier: Apache-2.0
// A storm while the program changes one function all the time, a constant in it or an instruction, and the handler another one in the same page: each gives what was written last.
#include "b_storm.h"

static unsigned char *code;

static unsigned call(unsigned char *at) { return ((unsigned (*)(void))(uintptr_t)at)(); }

static void put(unsigned char *at, unsigned n, int twice)
{
    unsigned char body[] = { 0xb8, 0, 0, 0, 0, 0x90, 0x90, 0xc3 }; /* mov $n,%eax; nop; nop; ret */
    memcpy(body + 1, &n, 4);
    if (twice)
        body[5] = 0x01, body[6] = 0xc0; /* add %eax,%eax */
    memcpy(at, body, sizeof body);
}

static void on_usr1(int sig, siginfo_t *si, void *uc)
{
    (void)sig, (void)si, (void)uc;
    unsigned n = (unsigned)++storm->hits;
    put(code + 512, n, 0);
    CHECK(call(code + 512) == n);
}

int main(void)
{
    code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(code != MAP_FAILED);
    storm_init(on_usr1, 0);
    storm_start(10000);
    for (unsigned i = 0; !storm->over; i++) {
        put(code, i, 0);
        CHECK(call(code) == i);
        put(code + 101, 7, i % 2);
        CHECK(call(code + 101) == 7 + i % 2 * 7);
    }
    storm_end();
    CHECK(storm->hits >= 20);
    say("changing code ok\n");
    return 0;
}
