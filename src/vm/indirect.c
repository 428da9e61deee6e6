/* SPDX-License-Identifier: Apache-2.0
 * See indirect.h. */
#include "vm/thread.h"

static struct indirect_counts gone;

static void add(struct indirect_counts *to, const struct indirect_counts *c)
{
    for (u32 k = 0; k < INDIRECT_KINDS; k++) {
        to->executed[k] += c->executed[k];
        to->directory[k] += c->directory[k];
        to->missed[k] += c->missed[k];
    }
}

void indirect_thread_gone(void)
{
    add(&gone, &vm_tc.indirect);
    vm_tc.indirect = (struct indirect_counts){0};
}

struct indirect_counts indirect_sum(void)
{
    thread_list_lock();
    struct indirect_counts sum = gone;
    for (const struct thread *t = thread_first(); t; t = t->next)
        add(&sum, &t->indirect);
    thread_list_unlock();
    return sum;
}
