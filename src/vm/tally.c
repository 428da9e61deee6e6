/* SPDX-License-Identifier: Apache-2.0
 * See tally.h. Owns the sums of the threads that have ended, under the lock of the list of threads. */
#include "vm/tally.h"

#include "os/thread.h"

static struct tally gone;

static void add(struct tally *to, const struct tally *c)
{
    for (u32 k = 0; k < INDIRECT_KINDS; k++) {
        to->executed[k] += c->executed[k];
        to->directory[k] += c->directory[k];
        to->missed[k] += c->missed[k];
    }
    to->gate_calls += c->gate_calls;
    to->vm_calls += c->vm_calls;
    to->emulated += c->emulated;
}

void tally_thread_gone(void)
{
    add(&gone, &vm_tc.vm.tally);
    vm_tc.vm.tally = (struct tally){0};
}

struct tally tally_sum(void)
{
    thread_list_lock();
    struct tally sum = gone;
    for (const struct thread *t = thread_first(); t; t = t->next)
        add(&sum, &t->vm.tally);
    thread_list_unlock();
    return sum;
}
