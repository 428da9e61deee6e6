// SPDX-License-Identifier: Apache-2.0
// /proc/self/mem reads and writes the program's own memory, also code, and fails with EIO where nothing is mapped.
#include "b_check.h"
#include <fcntl.h>
#include <sys/mman.h>

static int value = 1234;

static __attribute__((noinline)) int number(void)
{
    return 77;
}

int main(void)
{
    int fd = open("/proc/self/mem", O_RDWR), v = 0;
    char code[16];
    CHECK(fd >= 0);
    CHECK(pread(fd, &v, sizeof v, (long)&value) == sizeof v && v == 1234);
    v = 5678;
    CHECK(pwrite(fd, &v, sizeof v, (long)&value) == sizeof v && *(volatile int *)&value == 5678);
    CHECK(pread(fd, code, sizeof code, (long)number) == sizeof code && !memcmp(code, (char *)(uintptr_t)number, sizeof code));
    CHECK(number() == 77);
    char *none = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(munmap(none, 4096) == 0);
    CHECK_ERR(pread(fd, &v, sizeof v, (long)none), EIO);
    char *ro = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pwrite(fd, "x", 1, (long)ro) == 1 && *(volatile char *)ro == 'x');
    CHECK(lseek(fd, (long)&value, SEEK_SET) == (long)&value && read(fd, &v, sizeof v) == sizeof v && v == 5678);
    say("mem ok\n");
    return 0;
}
