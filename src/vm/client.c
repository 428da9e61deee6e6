/* SPDX-License-Identifier: Apache-2.0
 * See client.h. Usable on any host thread: the owner is known by the address of its vm_tc. Rule A7. */
#include "vm/client.h"

#include "os/hostlock.h"
#include "os/thread.h"

static struct hostlock lock FORK_WRITES = HOSTLOCK(LOCK_CLIENT);
static struct thread *owner;
static u32 depth;

static bool is_mine(void) { return __atomic_load_n(&owner, __ATOMIC_RELAXED) == &vm_tc; }

bool client_held(void) { return is_mine(); }

void client_lock(void)
{
    if (!is_mine()) {
        __atomic_store_n(&vm_tc.vm.waits_client, true, __ATOMIC_RELEASE);
        hostlock_take(&lock);
        __atomic_store_n(&vm_tc.vm.waits_client, false, __ATOMIC_RELAXED);
        __atomic_store_n(&owner, &vm_tc, __ATOMIC_RELAXED);
    }
    depth++;
}

static void give(void)
{
    depth = 0;
    __atomic_store_n(&owner, NULL, __ATOMIC_RELAXED);
    hostlock_give(&lock);
}

void client_unlock(void)
{
    if (!is_mine())
        api_misuse("PIN_UnlockClient", NULL, 0, "this thread does not hold the client lock");
    if (depth > 1)
        depth--;
    else
        give();
}

void client_release(void)
{
    if (is_mine())
        give();
}
