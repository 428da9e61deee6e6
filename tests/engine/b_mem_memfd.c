// SPDX-License-Identifier: Apache-2.0
// memfd: seals, two mappings of one page, and code written through one and run through the other.
#include "b_check.h"
#include <fcntl.h>
#include <sys/mman.h>

int main(void)
{
    int fd = memfd_create("guest", MFD_ALLOW_SEALING);
    CHECK(fd >= 0 && ftruncate(fd, 8192) == 0);
    unsigned char *w = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    unsigned char *x = mmap(0, 8192, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    CHECK(w != MAP_FAILED && x != MAP_FAILED);
    int (*fn)(void) = (int (*)(void))(uintptr_t)x;
    unsigned sum = 0;
    for (int i = 0; i < 300; i++) {
        memcpy(w, "\xb8\0\0\0\0\xc3", 6);
        memcpy(w + 1, &i, 4);
        CHECK(fn() == i);
        sum += fn();
    }
    CHECK_ERR(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), EBUSY);
    CHECK(munmap(w, 8192) == 0 && munmap(x, 8192) == 0);
    CHECK(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK) == 0);
    CHECK_ERR(write(fd, "x", 1), EPERM);
    CHECK_ERR(ftruncate(fd, 10), EPERM);
    say("memfd sum %u\n", sum);
    return 0;
}
