/* SPDX-License-Identifier: Apache-2.0
 * See clock.h. Owns the sums of all threads; each thread adds its own cycles to them when it changes its place. */
#include "vm/clock.h"

#include "arch/arch.h"
#include "os/thread.h"

struct clock_total clock_total[CLOCK_PLACES];

static void pass(void)
{
    u64 now = arch_cycles(), last = vm_tc.vm.clock_last;
    vm_tc.vm.clock_last = now;
    if (last)
        __atomic_add_fetch(&clock_total[vm_tc.vm.clock_place].cycles, now - last, __ATOMIC_RELAXED);
}

enum clock_place clock_switch(enum clock_place p)
{
    enum clock_place was = vm_tc.vm.clock_place;
    pass();
    vm_tc.vm.clock_place = (u8)p;
    __atomic_add_fetch(&clock_total[p].times, 1, __ATOMIC_RELAXED);
    return was;
}

void clock_return(enum clock_place p)
{
    pass();
    vm_tc.vm.clock_place = (u8)p;
}

void clock_stop(void) { pass(); }
