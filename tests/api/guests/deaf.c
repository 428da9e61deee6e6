// SPDX-License-Identifier: Apache-2.0
// Ended by a signal while a routine of the tool runs that does not return, and in which another signal has come that the program has a handler for.
#include <signal.h>

void at_wait(void);
void at_wait(void) { __asm__ volatile("nop"); }

static void handler(int number) { (void)number; }

int main(void)
{
    signal(SIGUSR1, handler);
    at_wait();
    return 1;
}
//> deaf status=-15
//= waits
