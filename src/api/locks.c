/* SPDX-License-Identifier: Apache-2.0
 * Locks of tools. Each is a futex in the tool's own memory, all zero is its initial state. None is recursive. */
#define LP_LOCK_UNRANKED
#include "os/hostevent.h"
#include "vm/client.h"

/* PIN_LOCK: a lock and what its owner said, 0: free. */
struct pin_lock {
    struct hostlock lock;
    s32 owner;
};

void PIN_LockClient(void) { client_lock(); }
void PIN_UnlockClient(void) { client_unlock(); }

void PIN_InitLock(struct pin_lock *l) { *l = (struct pin_lock){{0}, 0}; }

void PIN_GetLock(struct pin_lock *l, int owner)
{
    hostlock_take(&l->lock);
    l->owner = owner;
}

int PIN_ReleaseLock(struct pin_lock *l)
{
    int owner = l->owner;
    l->owner = 0;
    hostlock_give(&l->lock);
    return owner;
}

int PIN_MutexInit(struct hostlock *m)
{
    hostlock_reset(m);
    return 1;
}

void PIN_MutexFini(struct hostlock *m) { hostlock_reset(m); }
void PIN_MutexLock(struct hostlock *m) { hostlock_take(m); }
void PIN_MutexUnlock(struct hostlock *m) { hostlock_give(m); }
int PIN_MutexTryLock(struct hostlock *m) { return hostlock_try(m); }

int PIN_RWMutexInit(struct hostrwlock *m)
{
    hostrw_reset(m);
    return 1;
}

void PIN_RWMutexFini(struct hostrwlock *m) { hostrw_reset(m); }
void PIN_RWMutexReadLock(struct hostrwlock *m) { hostrw_read(m); }
void PIN_RWMutexWriteLock(struct hostrwlock *m) { hostrw_write(m); }
int PIN_RWMutexTryReadLock(struct hostrwlock *m) { return hostrw_try_read(m); }
int PIN_RWMutexTryWriteLock(struct hostrwlock *m) { return hostrw_try_write(m); }

void PIN_RWMutexUnlock(struct hostrwlock *m)
{
    if (__atomic_load_n(&m->state, __ATOMIC_RELAXED) & HOSTRW_WRITER)
        hostrw_write_done(m);
    else
        hostrw_read_done(m);
}

int PIN_SemaphoreInit(struct hostevent *s)
{
    hostevent_clear(s);
    return 1;
}

void PIN_SemaphoreFini(struct hostevent *s) { hostevent_clear(s); }
void PIN_SemaphoreSet(struct hostevent *s) { hostevent_set(s); }
void PIN_SemaphoreClear(struct hostevent *s) { hostevent_clear(s); }
int PIN_SemaphoreIsSet(const struct hostevent *s) { return hostevent_is_set(s); }
void PIN_SemaphoreWait(struct hostevent *s) { hostevent_wait(s, HOSTEVENT_FOREVER); }
int PIN_SemaphoreTimedWait(struct hostevent *s, u32 ms) { return hostevent_wait(s, ms); }
