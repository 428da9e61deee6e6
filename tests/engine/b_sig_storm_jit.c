// test: timeout=180
// SPDX-License-Identifier: Apache-2.0
// A storm while the program writes code and runs it: each new function gives its number.
#include "b_storm.h"

static void on_usr1(int sig, siginfo_t *si, void *uc)
{
    (void)sig, (void)si, (void)uc;
    storm->hits++;
}

int main(void)
{
    unsigned char *code = mmap(0, 16 * 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(code != MAP_FAILED);
    storm_init(on_usr1, 0);
    storm_start(20000);
    for (unsigned i = 0; !storm->over; i++) {
        unsigned char *at = code + i % 1000 * 64;
        static const unsigned char body[] = { 0x50, 0x58, 0xb8, 0, 0, 0, 0, 0xc3 }; /* push rax; pop rax; mov $n,%eax; ret */
        memcpy(at, body, sizeof body);
        memcpy(at + 3, &i, 4);
        CHECK(((unsigned (*)(void))(uintptr_t)at)() == i);
    }
    storm_end();
    CHECK(storm->hits >= 40);
    say("generated code ok\n");
    return 0;
}
