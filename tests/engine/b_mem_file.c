// SPDX-License-Identifier: Apache-2.0
// File mappings: shared writes reach the file, private ones do not, offsets and protections are checked.
#include "b_check.h"
#include <fcntl.h>
#include <sys/mman.h>

int main(void)
{
    char name[] = "/tmp/b_mem_file_XXXXXX", c;
    int fd = mkstemp(name);
    CHECK(fd >= 0 && unlink(name) == 0 && ftruncate(fd, 3 * 4096) == 0);
    char *sh = mmap(0, 3 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    char *pr = mmap(0, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    char *off = mmap(0, 4096, PROT_READ, MAP_SHARED, fd, 8192);
    CHECK(sh != MAP_FAILED && pr != MAP_FAILED && off != MAP_FAILED);
    sh[5] = 'A';
    CHECK(pread(fd, &c, 1, 5) == 1 && c == 'A' && pr[5] == 'A');
    pr[5] = 'B';
    CHECK(sh[5] == 'A' && pread(fd, &c, 1, 5) == 1 && c == 'A');
    CHECK(pwrite(fd, "Z", 1, 8200) == 1 && off[8] == 'Z' && sh[8200] == 'Z' && pr[8200] == 'Z');
    CHECK(msync(sh, 3 * 4096, MS_SYNC) == 0);
    CHECK_ERR(mmap(0, 4096, PROT_READ, MAP_SHARED, fd, 100), EINVAL);
    int ro = open("/proc/self/exe", O_RDONLY);
    CHECK(ro >= 0);
    CHECK_ERR(mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ro, 0), EACCES);
    char *elf = mmap(0, 4096, PROT_READ, MAP_PRIVATE, ro, 0);
    CHECK(elf != MAP_FAILED && !memcmp(elf, "\177ELF", 4));
    close(ro);
    CHECK(munmap(sh, 3 * 4096) == 0 && pr[5] == 'B');
    say("file ok\n");
    return 0;
}
