// SPDX-License-Identifier: Apache-2.0
// shmat under a limit of the address space: what is wrong with the arguments is said first, and only a segment that could be attached does not fit.
#include "b_check.h"
#include <sys/ipc.h>
#include <sys/resource.h>
#include <sys/shm.h>

static void attach(const char *what, int id, const void *at, int flags)
{
    void *p = shmat(id, at, flags);
    say("%s: %d\n", what, p == (void *)-1 ? errno : 0);
}

int main(void)
{
    int id = shmget(IPC_PRIVATE, 1 << 20, IPC_CREAT | 0600);
    CHECK(id >= 0);
    attach("before", id, NULL, 0);
    struct rlimit none = {1 << 20, 1 << 20};
    CHECK(setrlimit(RLIMIT_AS, &none) == 0);
    attach("no room", id, NULL, 0);
    attach("no such segment", -1, NULL, 0);
    attach("not aligned", id, (void *)0x12345, 0);
    attach("remap of nowhere", id, NULL, SHM_REMAP);
    CHECK(shmctl(id, IPC_RMID, NULL) == 0);
    attach("removed, but attached", id, NULL, 0);
    return 0;
}
