// SPDX-License-Identifier: Apache-2.0
// mlockall(MCL_FUTURE) under a limit: what would be more than may be locked is not mapped, be it by mmap, by the break or by shmat.
#include "b_check.h"
#include <linux/capability.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/syscall.h>

#define MUCH (1ul << 20)

int main(void)
{
    struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct d[2] = {{0}};
    struct rlimit limit = {65536, 65536};
    int large = shmget(IPC_PRIVATE, MUCH, 0600), small = shmget(IPC_PRIVATE, 4096, 0600);
    CHECK(large >= 0 && small >= 0 && setrlimit(RLIMIT_MEMLOCK, &limit) == 0 && syscall(SYS_capset, &h, d) == 0);
    CHECK(mlockall(MCL_FUTURE) == 0);
    long brk = syscall(SYS_brk, 0);
    CHECK_ERR(mmap(NULL, MUCH, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), EAGAIN);
    CHECK_ERR(shmat(large, NULL, 0), EAGAIN);
    CHECK(syscall(SYS_brk, brk + MUCH) == brk && syscall(SYS_brk, brk + 4096) == brk + 4096);
    CHECK(shmat(small, NULL, 0) != (void *)-1);
    CHECK(mlockall(MCL_FUTURE | MCL_ONFAULT) == 0);
    CHECK_ERR(mmap(NULL, MUCH, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), EAGAIN);
    CHECK_ERR(mmap(NULL, MUCH, PROT_READ, MAP_ANONYMOUS, -1, 0), EAGAIN);
    CHECK_ERR(mmap(NULL, 4096, PROT_READ, MAP_ANONYMOUS, -1, 0), EINVAL);
    CHECK_ERR(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), EINVAL);
    CHECK(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
    CHECK(shmctl(large, IPC_RMID, NULL) == 0 && shmctl(small, IPC_RMID, NULL) == 0);
    say("locked\n");
    return 0;
}
