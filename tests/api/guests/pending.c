// SPDX-License-Identifier: Apache-2.0
// A handler for SIGUSR1, and places for the tool.
#include <signal.h>
#include <stdio.h>

void at_signal(void);
void at_wait(void);
void at_on(void);
void at_signal(void) { __asm__ volatile("nop"); }
void at_wait(void) { __asm__ volatile("nop\n\tud2"); } /* the tool does not let it get there */
void at_on(void) { __asm__ volatile("nop"); }

static volatile int signals;
static void handler(int number) { signals += number == SIGUSR1; }

int main(void)
{
    signal(SIGUSR1, handler);
    at_signal();
    at_wait();
    printf("signals %d\n", signals);
    return 0;
}
//> pending
//= before 0, with a signal 1
//= signals 1
//= asked to stop
//= stopped 1
//= unwind 0: pc 1 sp 1 rbx 1 r15 1; amx 0
